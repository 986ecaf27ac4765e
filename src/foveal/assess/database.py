"""Checks of a campaign's database: it must be as foveal makes it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import cache
from itertools import chain
from pathlib import Path

from foveal.assess import schema
from foveal.errors import BadCampaign
from foveal.files import is_file, opened

# The first bytes of every database of SQLite.
MAGIC = b"SQLite format 3\0"
_SCHEMA = "SELECT name, type, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"


def is_database(path: str) -> bool:
    """Whether a file is an SQLite database; opening it checks that it is a campaign."""
    if not is_file(path):
        return False
    with opened(path) as stream:
        return stream.read(len(MAGIC)) == MAGIC


def verify_campaign(connection: sqlite3.Connection, path: Path) -> None:
    """Raise BadCampaign if a database is not a campaign of this version, or damaged.

    A campaign may come from anywhere; a view in place of a table, or a trigger, could do anything.
    So the tables must be exactly those of foveal, with rows that foveal could have written.
    """
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application_id != schema.APPLICATION_ID:
        raise BadCampaign(f"{path}: not a campaign of judging: `foveal assess new` makes one")
    if version != schema.VERSION:
        raise BadCampaign(
            f"{path}: a campaign of format {version}, but this foveal reads format {schema.VERSION}: use the"
            " version of foveal that made it"
        )
    for reason in chain(_bad_tables(connection), _bad_rows(connection), _bad_events(connection)):
        raise BadCampaign(f"{path}: damaged, or changed by another program: {reason}")


def _bad_tables(connection: sqlite3.Connection) -> Iterator[str]:
    actual = {name: (kind, sql) for name, kind, sql in connection.execute(_SCHEMA)}
    expected = _expected_tables()
    for name in expected:
        if actual.get(name) != expected[name]:
            yield f"{name!r} is not as foveal makes it"
    for name, (kind, _) in actual.items():
        if kind == "trigger" and name not in expected:
            yield f"foveal makes no trigger {name!r}"


def _bad_rows(connection: sqlite3.Connection) -> Iterator[str]:
    for table in schema.CHECKED_TABLES:
        (message,) = connection.execute(f"PRAGMA quick_check('{table}')").fetchone()
        if message != "ok":
            yield message
    if row := connection.execute("PRAGMA foreign_key_check").fetchone():
        yield f"a row of {row[0]!r} names what is not in {row[2]!r}"
    if connection.execute(schema.INVALID_DOCUMENT).fetchone():
        yield "a document is no text"
    keys = {key for (key,) in connection.execute("SELECT key FROM meta")}
    for key in schema.SETTINGS:
        if key not in keys:
            yield f"the setting {key!r} is missing"


def _bad_events(connection: sqlite3.Connection) -> Iterator[str]:
    for query in (schema.INVALID_EVENT, schema.STRAY_EVENT):
        for (number,) in connection.execute(query):
            yield f"event {number} does not fit"


@cache
def _expected_tables() -> dict[str, tuple[str, str]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(schema.TABLES)
        return {name: (kind, sql) for name, kind, sql in connection.execute(_SCHEMA)}
