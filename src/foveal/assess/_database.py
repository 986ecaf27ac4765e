"""The database of a campaign: opening it, recognising it, writing it completely or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from foveal.assess._schema import APPLICATION, VERSION
from foveal.errors import BadCampaign, MissingFile
from foveal.files import is_file, opened

# What every database of SQLite begins with.
MAGIC = b"SQLite format 3\0"
# Seconds that a command waits while another writes.
PATIENCE = 10


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


def connected(path: Path) -> sqlite3.Connection:
    """A connection to the database in a file, which is made if it is not there."""
    # Transactions are begun and ended by us alone.
    connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
    for setting in ("synchronous = FULL", "foreign_keys = ON", "trusted_schema = OFF"):
        connection.execute(f"PRAGMA {setting}")
    return connection


def refuse_strangers(connection: sqlite3.Connection, path: str | Path) -> None:
    """Raise BadCampaign if a database is not a campaign of this version."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION:
        raise BadCampaign(f"{path}: not a campaign of judging: `foveal assess new` makes one")
    if version != VERSION:
        raise BadCampaign(
            f"{path}: a campaign of format {version}, but this foveal reads format {VERSION}: use the"
            " version of foveal that made it"
        )


@contextmanager
def explained(path: str | Path) -> Iterator[None]:
    """Say in our words what SQLite finds wrong with a file."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise MissingFile(f"{path}: cannot be opened or written: {error}") from error
    except sqlite3.DatabaseError as error:
        raise BadCampaign(f"{path}: not a campaign of judging, or damaged: {error}") from error
