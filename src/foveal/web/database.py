"""A database of SQLite: opening it, writing in transactions, and translating its errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from foveal.errors import BadCampaign, FovealError, MissingFile, RefusedEvent

# Seconds that a command waits while another writes.
TIMEOUT = 10
BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
# Errors of the disk or its permissions, not of the file's contents.
UNUSABLE = {
    *(sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY),
    *(sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM),
}
Verify = Callable[[sqlite3.Connection, Path], None]


class Database(Protocol):
    """A file that one server opens: facts by name, and a log to which events are appended."""

    path: Path
    connection: sqlite3.Connection

    @property
    def meta(self) -> Mapping[str, str]:
        """Facts by name."""

    def set_meta(self, key: str, value: str) -> None:
        """Store a fact, such as where the file was last served."""

    def append(self, events: Sequence[Any]) -> list[int | RefusedEvent]:
        """Store events in one transaction; gives the number of each, or why it was refused."""


class RolledBack(Exception):  # a signal, not an error
    """Raised to end a transaction without storing its changes."""


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Commit what is written inside, or nothing if an error is raised."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # SQLite itself may have ended the transaction, as when the disk is full.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def connect(path: Path, *, immutable: bool = False) -> sqlite3.Connection:
    """Connect to the database in a file, which is created if it does not exist.

    With `immutable` it can only be read, and no other program may write to the file meanwhile.
    """
    # An absolute path, because a file may be called :memory:.
    database = f"{path.absolute().as_uri()}?immutable=1" if immutable else path.absolute()
    # `isolation_level=None`: only `transaction` begins and ends transactions.
    connection = sqlite3.connect(database, timeout=TIMEOUT, isolation_level=None, uri=immutable)
    for setting in ("synchronous = FULL", "foreign_keys = ON", "trusted_schema = OFF"):
        connection.execute(f"PRAGMA {setting}")
    return connection


def opened(path: Path, verify: Verify) -> sqlite3.Connection:
    """Connect to a file that `verify` accepts; read-only if its folder cannot be written."""
    # The WAL may hold commits that are not in the main file yet, so that file alone would not do.
    has_journal = Path(f"{path}-wal").exists()
    try:
        return _opened(path, verify, immutable=False)
    except sqlite3.OperationalError as error:
        if has_journal or error_code(error) not in UNUSABLE:
            raise
    return _opened(path, verify, immutable=True)


def _opened(path: Path, verify: Verify, *, immutable: bool) -> sqlite3.Connection:
    connection = connect(path, immutable=immutable)
    try:
        verify(connection, path)
        if not immutable:
            connection.execute("PRAGMA journal_mode = WAL")
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def explained(path: str | Path) -> Iterator[None]:
    """Raise SQLite's errors about a file as errors of foveal."""
    try:
        yield
    except (sqlite3.InterfaceError, sqlite3.ProgrammingError):  # bugs of foveal
        raise
    except sqlite3.Error as error:
        raise foveal_error(path, error) from error
    except UnicodeDecodeError as error:
        # SQLite's message quotes a damaged name, which Python cannot decode.
        raise BadCampaign(f"{path}: not a campaign of judging, or damaged") from error


def foveal_error(path: str | Path, error: sqlite3.Error) -> FovealError:
    """The error of foveal for an error of SQLite about a file."""
    code = error_code(error)
    if code in BUSY:
        return MissingFile(f"{path}: another program is writing to it: try again in a moment")
    if code in UNUSABLE:
        return MissingFile(f"{path}: cannot be opened or written: {error}")
    if code == sqlite3.SQLITE_CONSTRAINT:
        return BadCampaign(f"{path}: {error}: has another command just changed it? Try again")
    return BadCampaign(f"{path}: not a campaign of judging, or damaged: {error}")


def error_code(error: Exception) -> int:
    """SQLite's primary error code; 0 for errors that do not come from SQLite."""
    # Errors raised by Python's module, such as a closed connection, have no code.
    # The lowest byte is the primary code, the others are details.
    return int(getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
