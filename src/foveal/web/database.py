"""A database of SQLite: opening it, writing it completely or not at all, saying what went wrong."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from foveal.errors import BadCampaign, FovealError, MissingFile, RefusedEvent

# Seconds that a command waits while another writes.
PATIENCE = 10
BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
# What is wrong with the disk, or with what we may do there, not with what the file holds.
UNUSABLE = {
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY),
    *(sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM),
}
Verify = Callable[[sqlite3.Connection, Path], None]


class Database(Protocol):
    """A file that one server has: facts by name, and a log to which events are appended."""

    path: Path
    connection: sqlite3.Connection

    @property
    def meta(self) -> Mapping[str, str]:
        """Facts by name."""

    def set_meta(self, key: str, value: str) -> None:
        """Keep a fact, such as where the file was last served."""

    def append(self, events: Sequence[Any]) -> list[int | RefusedEvent]:
        """Store events in one transaction: the number of each, or why it was refused."""


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


def verified(path: Path, verify: Verify) -> sqlite3.Connection:
    """A connection that `verify` accepts, only for reading where nothing can be written beside it."""
    # It has what is not in the file yet, so that the file alone would not do.
    has_journal = Path(f"{path}-wal").exists()
    try:
        return _verified(path, verify, frozen=False)
    except sqlite3.OperationalError as error:
        if has_journal or error_code(error) not in UNUSABLE:
            raise
    return _verified(path, verify, frozen=True)


def _verified(path: Path, verify: Verify, *, frozen: bool) -> sqlite3.Connection:
    connection = connected(path, frozen=frozen)
    try:
        verify(connection, path)
        if not frozen:
            connection.execute("PRAGMA journal_mode = WAL")
    except BaseException:
        connection.close()
        raise
    return connection


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


def error_code(error: Exception) -> int:
    """What went wrong, as SQLite counts it."""
    # Errors of Python's own module, such as a closed connection, have none, nor have ours.
    # The lowest byte is the primary code, the others say more.
    return int(getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
