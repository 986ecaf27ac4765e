"""What a campaign holds: topics, texts, pool, people, who judges what, and a log that can only grow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from enum import StrEnum
from typing import Any, NamedTuple

from foveal.assess.events import LATEST, Act, Event
from foveal.frozen import frozen

# "fovl"; `file` and other programs tell a campaign from other databases by it.
APPLICATION = 0x666F766C
VERSION = 1
TABLES = f"""
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {VERSION};
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
"""
# Keys of `meta` without which no page can be shown.
SETTINGS = ("id", "entry", "snap", "show_pool")
# Tables that are looked through before they are read: one can be called strict after it was filled.
# Texts would take long.
LOOKED_THROUGH = ("meta", "topic", "pool", "passage", "assessor", "link", "assignment", "event")
ODD_DOCUMENT = """
SELECT 1 FROM document
WHERE typeof(doc) <> 'text' OR typeof(text) <> 'text' OR typeof(length) <> 'integer'
  OR typeof(sha256) <> 'text' OR typeof(blocks) <> 'text'
LIMIT 1
"""
# The first event that could not be shown or replayed.
ODD_EVENT = f"""
SELECT number FROM event
WHERE kind NOT IN ({", ".join(f"'{act.value}'" for act in Act)})
  OR (doc IS NULL AND kind NOT IN ('keyword', 'lock', 'unlock'))
  OR (topic IS NULL AND kind NOT IN ('lock', 'unlock'))
  OR (kind IN ('mark', 'unmark') AND (start IS NULL OR stop IS NULL OR stop <= start))
  OR (kind = 'entry' AND start IS NULL) OR start < 0
  OR at_client NOT BETWEEN 0 AND {LATEST} OR at_server NOT BETWEEN 0 AND {LATEST}
LIMIT 1
"""  # noqa: S608  # fixed words
# An event of a topic or document that is not there, or beyond its text: by document, because what
# comes after a long text in a row is slow to read.
STRAY_EVENT = """
SELECT number FROM (
  SELECT max(number) AS number, topic, doc, max(max(coalesce(start, 0), coalesce(stop, 0))) AS reach
  FROM event GROUP BY topic, doc
) AS place
WHERE (topic IS NOT NULL AND topic NOT IN (SELECT topic FROM topic))
  OR (doc IS NOT NULL AND reach > coalesce(
    (SELECT length FROM document WHERE document.doc = place.doc), -1))
LIMIT 1
"""
_FIELDS = [field.name for field in fields(Event)]
COLUMNS = ", ".join(_FIELDS)
_GIVEN = [name for name in _FIELDS if name != "number"]
INSERT = f"INSERT INTO event ({', '.join(_GIVEN)}) VALUES (:{', :'.join(_GIVEN)})"  # noqa: S608  # names
# Somebody may have added a document twice, on two machines, or one that is pooled elsewhere.
OFFERED = """
SELECT topic, doc, assessor, order_seed, 0 AS added, place, main
  FROM {asked} USING (topic) WHERE true{where}
UNION ALL
SELECT topic, doc, assessor, 0, 1, min(number), 0
  FROM event WHERE kind = 'add-document'{where} AND NOT EXISTS (
    SELECT 1 FROM pool WHERE pool.topic = event.topic AND pool.doc = event.doc
  )
  GROUP BY topic, doc, assessor
ORDER BY topic, added, place, main DESC, assessor
"""
_KIND = _FIELDS.index("kind")
_ACTS = {act.value: act for act in Act}


class Role(StrEnum):
    """What somebody does in a campaign."""

    ASSESSOR = "assessor"
    ADJUDICATOR = "adjudicator"


class Person(NamedTuple):
    """An assessor or adjudicator; the number is part of the page's address."""

    number: int
    name: str
    role: Role


class StoredTopic(NamedTuple):
    """What an assessor is asked."""

    topic: str
    title: str
    description: str
    narrative: str


class StoredDocument(NamedTuple):
    """A text and how it is laid out: `blocks` is JSON, see `blocks.py`."""

    doc: str
    text: str
    length: int
    sha256: str
    blocks: str


class Pooled(NamedTuple):
    """A document to be judged for a topic."""

    topic: str
    doc: str
    place: int
    runs: int
    best_rank: int


class Passage(NamedTuple):
    """A part of a pooled document that runs returned."""

    topic: str
    doc: str
    start: int
    stop: int
    runs: int
    best_rank: int


class Assignment(NamedTuple):
    """Who judges a topic; `order_seed` 0 keeps the pool's order, others shuffle it."""

    topic: str
    assessor: str
    order_seed: int
    main: int


class Offer(NamedTuple):
    """A document that somebody is to judge, or that nobody is (a topic without assessors).

    `place` is that in the pool, or for an added document the number of the event that added it.
    """

    topic: str
    doc: str
    assessor: str | None
    order_seed: int | None
    added: int
    place: int
    main: int | None


@frozen
class Plan:
    """All that a new campaign holds; texts may be made as they are asked for."""

    meta: Mapping[str, str]
    topics: Sequence[StoredTopic]
    documents: Iterable[StoredDocument]
    pool: Sequence[Pooled]
    passages: Sequence[Passage]
    people: Sequence[Person]
    assignments: Sequence[Assignment]


def event_of(row: Sequence[Any]) -> Event:
    """The event that a row of the log holds.

    What the log holds was checked before, and `Event(...)` takes several times as long.
    """
    event = Event.__new__(Event)
    vars(event).update(zip(_FIELDS, row, strict=True), kind=_ACTS[row[_KIND]])
    return event
