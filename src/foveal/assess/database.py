"""The database of a campaign: recognising it, and refusing one that is not as we make it."""

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

# What every database of SQLite begins with.
MAGIC = b"SQLite format 3\0"
_SCHEMA = "SELECT name, type, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"


def is_database(path: str) -> bool:
    """Whether a file is a database: a campaign, or one that opening it as a campaign refuses."""
    if not is_file(path):
        return False
    with opened(path) as stream:
        return stream.read(len(MAGIC)) == MAGIC


def verify_campaign(connection: sqlite3.Connection, path: Path) -> None:
    """Raise BadCampaign if a database is not a campaign of this version, or damaged.

    A campaign may come from anywhere; a view in place of a table, or a trigger, could do anything.
    So the tables must be ours, and hold only what programs of ours write.
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != schema.APPLICATION:
        raise BadCampaign(f"{path}: not a campaign of judging: `foveal assess new` makes one")
    if version != schema.VERSION:
        raise BadCampaign(
            f"{path}: a campaign of format {version}, but this foveal reads format {schema.VERSION}: use the"
            " version of foveal that made it"
        )
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
