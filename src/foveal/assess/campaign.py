"""A campaign of judging: topics, texts, pool, people and the log of their acts, in one file."""

from __future__ import annotations

import hashlib
import os
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, Self

from foveal.assess.database import verify_campaign
from foveal.assess.events import JUDGING, ORGANISING, UNDOABLE, Event, EventKind, digest, now
from foveal.assess.replay import Judgement, replayed
from foveal.assess.schema import (
    COLUMNS,
    INSERT,
    IS_OFFERED,
    LOCKS,
    MAY_JUDGE,
    OFFERED,
    TABLES,
    Assignment,
    CampaignContents,
    OfferedDocument,
    Passage,
    Person,
    PoolEntry,
    Role,
    StoredDocument,
    StoredTopic,
    event_of,
)
from foveal.errors import BadCampaign, MissingFile, RefusedEvent, UsageError
from foveal.intake import Documents
from foveal.web import RolledBack, connect, explained, foveal_error, opened, transaction
from foveal.work import stage


class Checks:
    """The checks that an event must pass before it is stored."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        # Texts never change, and an assessor sends many events on the same one.
        self._text = lru_cache(maxsize=64)(self._read_text)

    def refuse_unfitting(self, event: Event, *, imported: bool = False) -> None:
        """Raise RefusedEvent if the event does not fit into the campaign.

        Imported events may belong to a locked topic, and may add a document that was also added here.
        """
        if event.kind in ORGANISING:
            return
        self.refuse_unless_offered(event.assessor, event.topic)
        if not imported and event.kind in JUDGING and self.is_locked(event.topic or ""):
            raise RefusedEvent(f"topic {event.topic!r} is locked: the organiser can unlock it", 423)
        if event.doc is not None:
            self._refuse_document(event, event.doc, imported=imported)
        if event.kind is EventKind.UNDO:
            self._refuse_undo(event)

    def refuse_unless_offered(
        self, assessor: str, topic: str | None, doc: str | None = None
    ) -> None:
        """Raise RefusedEvent unless an assessor may judge a topic, and a document of it."""
        if not self._has_row(MAY_JUDGE, topic, assessor):
            raise RefusedEvent(f"topic {topic!r} is not one of {assessor}'s", 403)
        if doc is not None and not self._has_row(IS_OFFERED, topic, doc, assessor):
            raise RefusedEvent(f"document {doc!r} is not one of topic {topic!r}", 403)

    def is_locked(self, topic: str) -> bool:
        """Whether the organiser has locked a topic, alone or with all others."""
        row = self._connection.execute(LOCKS, (topic,)).fetchone()
        return row is not None and row[0] == EventKind.LOCK

    def _refuse_document(self, event: Event, doc: str, *, imported: bool) -> None:
        text = self._text(doc)
        if text is None:
            raise RefusedEvent(f"there is no document {doc!r}", 404)
        is_offered = self._has_row(IS_OFFERED, event.topic, doc, event.assessor)
        if event.kind is EventKind.ADD_DOCUMENT:
            if is_offered and not imported:
                raise RefusedEvent(f"document {doc!r} is there already", 409)
        elif not is_offered:
            raise RefusedEvent(f"document {doc!r} is not one of topic {event.topic!r}", 403)
        end = event.start if event.stop is None else event.stop
        if end is not None and end > len(text):
            raise RefusedEvent(
                f"{event.kind} ends at {end:,}, but the document has {len(text):,} characters", 422
            )
        if event.quote_sha256 and digest(text[event.start : event.stop]) != event.quote_sha256:
            raise RefusedEvent("the text from start to stop is not what was quoted", 422)

    def _refuse_undo(self, event: Event) -> None:
        row = self._connection.execute(
            "SELECT kind FROM event WHERE id = ? AND assessor = ? AND topic = ? AND doc = ?",
            (event.undoes, event.assessor, event.topic, event.doc),
        ).fetchone()
        if row is None:
            raise RefusedEvent("undo names no event of yours on this document", 422)
        if row[0] not in UNDOABLE:
            raise RefusedEvent(f"{row[0]} cannot be undone", 422)

    def _has_row(self, query: str, *values: object) -> bool:
        return self._connection.execute(query, values).fetchone() is not None

    def _read_text(self, doc: str) -> str | None:
        query = "SELECT text FROM document WHERE doc = ?"
        row = self._connection.execute(query, (doc,)).fetchone()
        return None if row is None else str(row[0])


def documents_of(campaign: Campaign) -> Documents:
    """The texts of a campaign, in which the spans of evidence are located or verified."""
    return Documents(_Texts(campaign), str(campaign.path))


class _Texts(Mapping[str, str]):
    """The texts by document, read from the file when needed, because they may be large."""

    def __init__(self, campaign: Campaign) -> None:
        self._campaign = campaign
        self._names = [doc for (doc,) in campaign.connection.execute("SELECT doc FROM document")]

    def __getitem__(self, name: str) -> str:
        document = self._campaign.document(name)
        if document is None:
            raise KeyError(name)
        return document.text

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


TOKEN_BYTES = 24


class Campaign:
    """An open campaign file; events that `append` acknowledged are on disk.

    A campaign belongs to the thread that opened it. Several processes may have it open.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.connection = connection
        self._checks = Checks(connection)

    @classmethod
    def create(cls, path: str | Path, contents: CampaignContents) -> Self:
        """Write a new campaign, completely or not at all, and open it."""
        cls.refuse_path(path)
        target = Path(path)
        part_path = target.with_name(f".{target.name}.{os.urandom(4).hex()}.part")
        try:
            with explained(path), closing(connect(part_path)) as connection:
                connection.executescript(TABLES)
                with transaction(connection):
                    _write_contents(connection, contents)
                # Without WAL the campaign is a single file that can be renamed.
                connection.execute("PRAGMA journal_mode = DELETE")
            _give_name(part_path, target)
        except BaseException:
            # On a full disk SQLite cannot remove its journal.
            for leftover in (part_path, part_path.with_name(f"{part_path.name}-journal")):
                with suppress(OSError):
                    leftover.unlink()
            raise
        return cls.open(target)

    @staticmethod
    def refuse_path(path: str | Path) -> None:
        """Raise if a new campaign cannot be written to a path."""
        target = Path(path)
        if target.exists():
            raise UsageError(f"{path} exists already: choose another name for the new campaign")
        if not target.parent.is_dir():
            raise MissingFile(f"{path}: cannot be written: there is no folder {target.parent}")

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Open a campaign that `create` has written."""
        target = Path(path)
        if not target.is_file():
            raise MissingFile(f"{path}: no such campaign: make one with `foveal assess new`")
        with stage(f"opening {target.name}"), explained(path):
            # SQLite would create a missing database, and accept an empty file as one.
            connection = opened(target, verify_campaign)
        return cls(target, connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Close the file; an error of SQLite is raised as an error of foveal."""
        self.connection.close()
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(
            error, sqlite3.ProgrammingError
        ):
            raise foveal_error(self.path, error) from error

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read one state of the campaign, although other programs may write to it."""
        self.connection.execute("BEGIN")
        try:
            yield
        finally:
            # SQLite may have ended the transaction after an error of the disk.
            if self.connection.in_transaction:
                self.connection.execute("COMMIT")

    @property
    def meta(self) -> dict[str, str]:
        """The settings of the campaign, such as entry, snap and guide, by name."""
        return dict(self.connection.execute("SELECT key, value FROM meta"))

    def set_meta(self, key: str, value: str) -> None:
        """Store a fact about the campaign, such as where it was last served."""
        with transaction(self.connection):
            self.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    @property
    def topics(self) -> list[StoredTopic]:
        """All topics in the order of their names."""
        return [StoredTopic(*row) for row in self._rows("SELECT * FROM topic ORDER BY topic")]

    @property
    def people(self) -> list[Person]:
        """All assessors and adjudicators in the order in which they joined."""
        rows = self._rows("SELECT number, name, role FROM assessor ORDER BY number")
        return [Person(number, name, Role(role)) for number, name, role in rows]

    @property
    def assignments(self) -> list[Assignment]:
        """Topics with their assessors, main assessors first."""
        rows = self._rows("SELECT * FROM assignment ORDER BY topic, main DESC, assessor")
        return [Assignment(*row) for row in rows]

    def pool(self, topic: str | None = None) -> list[PoolEntry]:
        """The pooled documents of a topic or of all topics, in their order."""
        where, values = ("", ()) if topic is None else (" WHERE topic = ?", (topic,))
        rows = self._rows(f"SELECT * FROM pool{where} ORDER BY topic, place", *values)  # noqa: S608  # ours
        return [PoolEntry(*row) for row in rows]

    def offered(
        self, *, assessor: str | None = None, topic: str | None = None
    ) -> Iterator[OfferedDocument]:
        """Documents to judge, each with its assessor, by topic; those of one assessor or topic if named.

        Pooled documents come in the pool's order, and after them those that were added. A pooled
        document is for all assessors of its topic, an added one for those who added it. The pooled
        documents of a topic without assessors are listed too, with None for the assessor.
        """
        where, values = _conditions(assessor=assessor, topic=topic)
        # CROSS JOIN keeps the order: one assessor's assignments lead to few rows of a large pool.
        tables = "pool LEFT JOIN assignment" if assessor is None else "assignment CROSS JOIN pool"
        query = OFFERED.format(tables=tables, where=where)
        return map(OfferedDocument._make, self.connection.execute(query, values))

    def passages(self, topic: str, doc: str) -> list[Passage]:
        """The parts of a pooled document that runs returned."""
        rows = self._rows(
            "SELECT * FROM passage WHERE topic = ? AND doc = ? ORDER BY start", topic, doc
        )
        return [Passage(*row) for row in rows]

    def document(self, doc: str) -> StoredDocument | None:
        """A document, or None; raises BadCampaign if its text has changed since it was stored."""
        rows = self._rows("SELECT * FROM document WHERE doc = ?", doc)
        stored = next((StoredDocument(*row) for row in rows), None)
        if stored and (len(stored.text), digest(stored.text)) != (stored.length, stored.sha256):
            raise BadCampaign(
                f"{self.path}: damaged: the text of {doc!r} has changed: restore a copy"
            )
        return stored

    def events(
        self,
        *,
        assessor: str | None = None,
        topic: str | None = None,
        doc: str | None = None,
        after: int = 0,
    ) -> list[Event]:
        """Events of the log: all, or those of an assessor, topic or document, or after a number."""
        where, values = _conditions(assessor=assessor, topic=topic, doc=doc)
        rows = self.connection.execute(
            f"SELECT {COLUMNS} FROM event WHERE number > :after{where}"  # noqa: S608  # names
            " ORDER BY number",
            {"after": after, **values},
        )
        return [event_of(row) for row in rows]

    def logs(self, assessor: str) -> Iterator[tuple[str | None, str | None, list[Event]]]:
        """An assessor's events by topic and document, in their order."""
        rows = self.connection.execute(
            f"SELECT {COLUMNS} FROM event WHERE assessor = ? ORDER BY topic, doc, number",  # noqa: S608  # names
            (assessor,),
        )
        for (topic, doc), log in groupby(map(event_of, rows), attrgetter("topic", "doc")):
            yield topic, doc, list(log)

    def last_number(self, assessor: str) -> int:
        """Number of an assessor's last event, 0 if there is none."""
        rows = self._rows("SELECT max(number) FROM event WHERE assessor = ?", assessor)
        return next(rows)[0] or 0

    def documents_named(self, part: str) -> Iterator[str]:
        """The documents whose names contain a text, ignoring case, in order."""
        folded = part.casefold()
        for (doc,) in self.connection.execute("SELECT doc FROM document ORDER BY doc"):
            if folded in doc.casefold():
                yield doc

    def locked_topics(self) -> set[str]:
        """The topics that the organiser has locked, alone or with all others."""
        return {row.topic for row in self.topics if self._checks.is_locked(row.topic)}

    def refuse_unless_offered(self, assessor: str, topic: str, doc: str | None = None) -> None:
        """Raise RefusedEvent unless an assessor may judge a topic, and a document of it."""
        self._checks.refuse_unless_offered(assessor, topic, doc)

    def judgement(self, assessor: str, topic: str, doc: str) -> Judgement:
        """An assessor's current judgement of a document."""
        return replayed(self.events(assessor=assessor, topic=topic, doc=doc))

    def append(self, events: Sequence[Event]) -> list[int | RefusedEvent]:
        """Store events in one transaction; gives the number of each, or why it was refused.

        An event that is stored already keeps its number. Raises sqlite3.Error if nothing could be
        stored, as when the disk is full.
        """
        results: list[int | RefusedEvent] = []
        at_server = now()
        with transaction(self.connection):
            for event in events:
                try:
                    results.append(self._store(replace(event, at_server=at_server)))
                except RefusedEvent as error:
                    results.append(error)
        return results

    def store_imported(
        self, newcomers: Mapping[str, Role], assigned: Iterable[Assignment], events: Iterable[Event]
    ) -> tuple[int, dict[int, RefusedEvent]]:
        """Store imported events with their times and people; gives the number of new events.

        Also gives the refused events by index; then nothing is stored. Locks are ignored.
        """
        refusals = {}
        with suppress(RolledBack), transaction(self.connection):
            (last,) = self.connection.execute("SELECT max(number) FROM event").fetchone()
            for name, role in newcomers.items():
                self._insert_person(name, role)
            self._insert_assignments(assigned)
            numbers = []
            for index, event in enumerate(events):
                try:
                    numbers.append(self._store(event, imported=True))
                except RefusedEvent as error:
                    refusals[index] = error
            if not refusals:
                return sum(number > (last or 0) for number in numbers), {}
            raise RolledBack
        return 0, refusals

    def _store(self, event: Event, *, imported: bool = False) -> int:
        rows = self._rows(f"SELECT {COLUMNS} FROM event WHERE id = ?", event.id)  # noqa: S608  # names
        for row in rows:
            if not event.is_copy_of(stored := event_of(row)):
                raise RefusedEvent(f"another event has the id {event.id}", 409)
            return stored.number
        self._checks.refuse_unfitting(event, imported=imported)
        return self.connection.execute(INSERT, event.row()).lastrowid or 0

    def add_person(self, name: str, role: Role) -> Person:
        """Add a person to the campaign."""
        with transaction(self.connection):
            self._insert_person(name, role)
        return next(person for person in self.people if person.name == name)

    def assign(self, assignments: Iterable[Assignment]) -> None:
        """Assign topics to assessors who do not have them yet."""
        with transaction(self.connection):
            self._insert_assignments(assignments)

    def _insert_person(self, name: str, role: Role) -> None:
        self.connection.execute("INSERT INTO assessor (name, role) VALUES (?, ?)", (name, role))

    def _insert_assignments(self, rows: Iterable[Assignment]) -> None:
        self.connection.executemany("INSERT OR IGNORE INTO assignment VALUES (?, ?, ?, ?)", rows)

    def new_link(self, name: str, *, end_others: bool = False) -> str:
        """A new token that signs a person in; only its digest is stored."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        with transaction(self.connection):
            if end_others:
                self.connection.execute("DELETE FROM link WHERE assessor = ?", (name,))
            self.connection.execute(
                "INSERT INTO link VALUES (?, ?, ?)", (_token_digest(token), name, now())
            )
        return token

    def person_of(self, token: str) -> Person | None:
        """The person whom a token signs in, or None if it is unknown or has ended."""
        rows = self._rows(
            "SELECT number, name, role FROM link JOIN assessor ON assessor.name = link.assessor"
            " WHERE token_sha256 = ?",
            _token_digest(token),
        )
        return next((Person(number, name, Role(role)) for number, name, role in rows), None)

    def _rows(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        return iter(self.connection.execute(query, values).fetchall())


def _conditions(**columns: str | None) -> tuple[str, dict[str, str]]:
    """SQL conditions for the columns that have a value, and the values."""
    values = {name: value for name, value in columns.items() if value is not None}
    return "".join(f" AND {name} = :{name}" for name in values), values


def _give_name(part_path: Path, target: Path) -> None:
    """Give a new campaign its final name, unless a file of that name exists by now."""
    try:
        # Unlike renaming, a link never overwrites a file.
        target.hardlink_to(part_path)
    except OSError:
        Campaign.refuse_path(target)
        # Some file systems have no hard links.
        part_path.rename(target)
    else:
        part_path.unlink()


def _write_contents(connection: sqlite3.Connection, contents: CampaignContents) -> None:
    tables: dict[str, Iterable[tuple[Any, ...]]] = {
        "meta": contents.meta.items(),
        "topic": contents.topics,
        "document": contents.documents,
        "pool": contents.pool,
        "passage": contents.passages,
        "assessor": contents.people,
        "assignment": contents.assignments,
    }
    for table, rows in tables.items():
        columns = connection.execute(f"SELECT * FROM {table}").description  # noqa: S608  # ours
        placeholders = ", ".join("?" * len(columns))
        connection.executemany(f"INSERT INTO {table} VALUES ({placeholders})", rows)  # noqa: S608  # ours


def _token_digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
