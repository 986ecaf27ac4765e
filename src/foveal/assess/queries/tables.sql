PRAGMA application_id = {application};
PRAGMA user_version = {version};
CREATE TABLE meta (
  key TEXT PRIMARY KEY, value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE topic (
  topic TEXT PRIMARY KEY, title TEXT NOT NULL, description TEXT NOT NULL, narrative TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE document (
  doc TEXT PRIMARY KEY, text TEXT NOT NULL, length INTEGER NOT NULL, sha256 TEXT NOT NULL,
  blocks TEXT NOT NULL
) STRICT;
CREATE TABLE pool (
  topic TEXT NOT NULL REFERENCES topic, doc TEXT NOT NULL REFERENCES document,
  place INTEGER NOT NULL, runs INTEGER NOT NULL, best_rank INTEGER NOT NULL,
  PRIMARY KEY (topic, doc)
) STRICT, WITHOUT ROWID;
CREATE TABLE passage (
  topic TEXT NOT NULL, doc TEXT NOT NULL, start INTEGER NOT NULL, stop INTEGER NOT NULL,
  runs INTEGER NOT NULL, best_rank INTEGER NOT NULL,
  PRIMARY KEY (topic, doc, start), FOREIGN KEY (topic, doc) REFERENCES pool
) STRICT, WITHOUT ROWID;
CREATE TABLE assessor (
  number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
  role TEXT NOT NULL CHECK (role IN ('assessor', 'adjudicator'))
) STRICT;
CREATE TABLE link (
  token_sha256 TEXT PRIMARY KEY, assessor TEXT NOT NULL REFERENCES assessor (name),
  made_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE assignment (
  topic TEXT NOT NULL REFERENCES topic, assessor TEXT NOT NULL REFERENCES assessor (name),
  order_seed INTEGER NOT NULL, main INTEGER NOT NULL CHECK (main IN (0, 1)),
  PRIMARY KEY (topic, assessor)
) STRICT, WITHOUT ROWID;
CREATE TABLE event (
  number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, assessor TEXT NOT NULL,
  topic TEXT, doc TEXT, kind TEXT NOT NULL, start INTEGER, stop INTEGER, value TEXT,
  quote_sha256 TEXT, undoes TEXT, tab TEXT NOT NULL, at_client INTEGER NOT NULL,
  at_server INTEGER NOT NULL
) STRICT;
CREATE INDEX event_of_document ON event (assessor, topic, doc, number);
CREATE INDEX event_of_assessor ON event (assessor, number);
CREATE INDEX event_of_organiser ON event (number) WHERE kind IN ('lock', 'unlock');
CREATE TRIGGER event_is_never_changed BEFORE UPDATE ON event
  BEGIN SELECT RAISE(ABORT, 'the log can only grow'); END;
CREATE TRIGGER event_is_never_deleted BEFORE DELETE ON event
  BEGIN SELECT RAISE(ABORT, 'the log can only grow'); END;
