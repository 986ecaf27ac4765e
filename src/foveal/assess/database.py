"""The database of a campaign: opening it, recognising it, writing it completely or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from itertools import chain
from pathlib import Path

from foveal.assess import schema
from foveal.errors import BadCampaign, FovealError, MissingFile
from foveal.files import is_file, opened

# What every database of SQLite begins with.
MAGIC = b"SQLite format 3\0"
# Seconds that a command waits while another writes.
PATIENCE = 10
BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
# What is wrong with the disk, or with what we may do there, not with what the file holds.
UNUSABLE = {
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY),
    *(sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM),
}
_SCHEMA = "SELECT name, type, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"


class TakenBack(Exception):  # a signal, not an error
    """Ends a transaction of which nothing is to be kept."""


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Keep all that is written inside, or nothing if something is raised."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # A full disk may have ended the transaction already.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def is_database(path: str) -> bool:
    """Whether a file is a database: a campaign, or one that opening it as a campaign refuses."""
    if not is_file(path):
        return False
    with opened(path) as stream:
        return stream.read(len(MAGIC)) == MAGIC


def connected(path: Path, *, frozen: bool = False) -> sqlite3.Connection:
    """A connection to the database in a file, which is made if it is not there.

    With `frozen` it can only be read, and no other program may write to the file meanwhile.
    """
    # The whole path, because a file may be called :memory: as well.
    name = f"{path.absolute().as_uri()}?immutable=1" if frozen else path.absolute()
    # Transactions are begun and ended by us alone.
    connection = sqlite3.connect(name, timeout=PATIENCE, isolation_level=None, uri=frozen)
    for setting in ("synchronous = FULL", "foreign_keys = ON", "trusted_schema = OFF"):
        connection.execute(f"PRAGMA {setting}")
    return connection


def connected_campaign(path: Path) -> sqlite3.Connection:
    """A connection to a campaign, which is only read where nothing can be written beside it."""
    # It has what is not in the file yet, so that the file alone would not do.
    has_journal = Path(f"{path}-wal").exists()
    try:
        return _checked(path, frozen=False)
    except sqlite3.OperationalError as error:
        if has_journal or error_code(error) not in UNUSABLE:
            raise
    return _checked(path, frozen=True)


def _checked(path: Path, *, frozen: bool) -> sqlite3.Connection:
    connection = connected(path, frozen=frozen)
    try:
        refuse_strangers(connection, path)
        refuse_damaged(connection, path)
        if not frozen:
            connection.execute("PRAGMA journal_mode = WAL")
    except BaseException:
        connection.close()
        raise
    return connection


def refuse_strangers(connection: sqlite3.Connection, path: str | Path) -> None:
    """Raise BadCampaign if a database is not a campaign of this version."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != schema.APPLICATION:
        raise BadCampaign(f"{path}: not a campaign of judging: `foveal assess new` makes one")
    if version != schema.VERSION:
        raise BadCampaign(
            f"{path}: a campaign of format {version}, but this foveal reads format {schema.VERSION}: use the"
            " version of foveal that made it"
        )


def refuse_damaged(connection: sqlite3.Connection, path: str | Path) -> None:
    """Raise BadCampaign if the tables are not ours, or hold what no program of ours writes.

    A campaign may come from anywhere; a view in place of a table, or a trigger, could do anything.
    """
    for reason in chain(_odd_tables(connection), _odd_rows(connection), _odd_events(connection)):
        raise BadCampaign(f"{path}: damaged, or changed by another program: {reason}")


def _odd_tables(connection: sqlite3.Connection) -> Iterator[str]:
    found = {name: (kind, sql) for name, kind, sql in connection.execute(_SCHEMA)}
    ours = _our_schema()
    for name in ours:
        if found.get(name) != ours[name]:
            yield f"{name!r} is not as foveal makes it"
    for name, (kind, _) in found.items():
        if kind == "trigger" and name not in ours:
            yield f"foveal makes no trigger {name!r}"


def _odd_rows(connection: sqlite3.Connection) -> Iterator[str]:
    for table in schema.LOOKED_THROUGH:
        (found,) = connection.execute(f"PRAGMA quick_check('{table}')").fetchone()
        if found != "ok":
            yield found
    if found := connection.execute("PRAGMA foreign_key_check").fetchone():
        yield f"a row of {found[0]!r} names what is not in {found[2]!r}"
    if connection.execute(schema.ODD_DOCUMENT).fetchone():
        yield "a document is no text"
    given = {key for (key,) in connection.execute("SELECT key FROM meta")}
    for key in schema.SETTINGS:
        if key not in given:
            yield f"the setting {key!r} is missing"


def _odd_events(connection: sqlite3.Connection) -> Iterator[str]:
    for query in (schema.ODD_EVENT, schema.STRAY_EVENT):
        for (number,) in connection.execute(query):
            yield f"event {number} does not fit"


@cache
def _our_schema() -> dict[str, tuple[str, str]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(schema.TABLES)
        return {name: (kind, sql) for name, kind, sql in connection.execute(_SCHEMA)}


@contextmanager
def explained(path: str | Path) -> Iterator[None]:
    """Say in our words what SQLite finds wrong with a file."""
    try:
        yield
    except (sqlite3.InterfaceError, sqlite3.ProgrammingError):  # bugs of ours
        raise
    except sqlite3.Error as error:
        raise explanation(path, error) from error
    except UnicodeDecodeError as error:
        # A damaged name is part of what SQLite says, and Python cannot read it.
        raise BadCampaign(f"{path}: not a campaign of judging, or damaged") from error


def explanation(path: str | Path, error: sqlite3.Error) -> FovealError:
    """What SQLite says about a file, as an error of ours."""
    code = error_code(error)
    if code in BUSY:
        return MissingFile(f"{path}: another program is writing to it: try again in a moment")
    if code in UNUSABLE:
        return MissingFile(f"{path}: cannot be opened or written: {error}")
    if code == sqlite3.SQLITE_CONSTRAINT:
        return BadCampaign(f"{path}: {error}: has another command just changed it? Try again")
    return BadCampaign(f"{path}: not a campaign of judging, or damaged: {error}")


def error_code(error: sqlite3.Error) -> int:
    """What went wrong, as SQLite counts it."""
    # Errors of Python's own module, such as a closed connection, have none.
    code = getattr(error, "sqlite_errorcode", None) or 0
    # The lowest byte is the primary code, the others say more.
    return int(code) & 0xFF
