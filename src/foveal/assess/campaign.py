"""A campaign of judging: topics, texts, pool, people and the log of what they did, in one file."""

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
from foveal.web import TakenBack, connected, explained, explanation, transaction, verified
from foveal.work import stage


class Checks:
    """The checks that an event must pass before it is stored."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        # Texts never change, and an assessor works on one for a while.
        self._text = lru_cache(maxsize=64)(self._read_text)

    def refuse_unfitting(self, event: Event, *, imported: bool = False) -> None:
        """Raise RefusedEvent if the event does not fit into the campaign.

        What was done elsewhere may be imported into a locked topic; and somebody may have added the
        same document here and there.
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
        """Raise RefusedEvent unless a topic, and a document of it, is somebody's to judge."""
        if not self._any(MAY_JUDGE, topic, assessor):
            raise RefusedEvent(f"topic {topic!r} is not one of {assessor}'s", 403)
        if doc is not None and not self._any(IS_OFFERED, topic, doc, assessor):
            raise RefusedEvent(f"document {doc!r} is not one of topic {topic!r}", 403)

    def is_locked(self, topic: str) -> bool:
        """Whether the organiser has locked a topic, alone or with all others."""
        found = self._connection.execute(LOCKS, (topic,)).fetchone()
        return found is not None and found[0] == EventKind.LOCK

    def _refuse_document(self, event: Event, doc: str, *, imported: bool) -> None:
        text = self._text(doc)
        if text is None:
            raise RefusedEvent(f"there is no document {doc!r}", 404)
        is_offered = self._any(IS_OFFERED, event.topic, doc, event.assessor)
        if event.kind is EventKind.ADD_DOCUMENT:
            if is_offered and not imported:
                raise RefusedEvent(f"document {doc!r} is there already", 409)
        elif not is_offered:
            raise RefusedEvent(f"document {doc!r} is not one of topic {event.topic!r}", 403)
        last = event.start if event.stop is None else event.stop
        if last is not None and last > len(text):
            raise RefusedEvent(
                f"{event.kind} ends at {last:,}, but the document has {len(text):,} characters", 422
            )
        if event.quote_sha256 and digest(text[event.start : event.stop]) != event.quote_sha256:
            raise RefusedEvent("the text from start to stop is not what was quoted", 422)

    def _refuse_undo(self, event: Event) -> None:
        found = self._connection.execute(
            "SELECT kind FROM event WHERE id = ? AND assessor = ? AND topic = ? AND doc = ?",
            (event.undoes, event.assessor, event.topic, event.doc),
        ).fetchone()
        if found is None:
            raise RefusedEvent("undo names no event of yours on this document", 422)
        if found[0] not in UNDOABLE:
            raise RefusedEvent(f"{found[0]} cannot be undone", 422)

    def _any(self, query: str, *values: object) -> bool:
        return self._connection.execute(query, values).fetchone() is not None

    def _read_text(self, doc: str) -> str | None:
        query = "SELECT text FROM document WHERE doc = ?"
        found = self._connection.execute(query, (doc,)).fetchone()
        return None if found is None else str(found[0])


def documents_of(campaign: Campaign) -> Documents:
    """The texts of a campaign, by which the places of evidence are found or verified."""
    return Documents(_Texts(campaign), str(campaign.path))


class _Texts(Mapping[str, str]):
    """The texts by document; they stay in the file, because all of them may be large."""

    def __init__(self, campaign: Campaign) -> None:
        self._campaign = campaign
        self._names = [doc for (doc,) in campaign.connection.execute("SELECT doc FROM document")]

    def __getitem__(self, document: str) -> str:
        found = self._campaign.document(document)
        if found is None:
            raise KeyError(document)
        return found.text

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


TOKEN_BYTES = 24


class Campaign:
    """An open campaign file; what `append` has acknowledged is on disk.

    A campaign belongs to the thread that opened it. Several processes may have it open.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.connection = connection
        self._checks = Checks(connection)

    @classmethod
    def create(cls, path: str | Path, plan: CampaignContents) -> Self:
        """Write a new campaign, completely or not at all, and open it."""
        cls.refuse_place(path)
        target = Path(path)
        beside = target.with_name(f".{target.name}.{os.urandom(4).hex()}.part")
        try:
            with explained(path), closing(connected(beside)) as connection:
                connection.executescript(TABLES)
                with transaction(connection):
                    _fill(connection, plan)
                # One file, without a journal beside it, so that it can be renamed.
                connection.execute("PRAGMA journal_mode = DELETE")
            _put(beside, target)
        except BaseException:
            # On a full disk, SQLite cannot tidy up its journal either.
            for half_made in (beside, beside.with_name(f"{beside.name}-journal")):
                with suppress(OSError):
                    half_made.unlink()
            raise
        return cls.open(target)

    @staticmethod
    def refuse_place(path: str | Path) -> None:
        """Raise if a new campaign cannot be written there."""
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
            # A database that is not there would be made, and an empty file would be taken for one.
            connection = verified(target, verify_campaign)
        return cls(target, connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Close the file; what SQLite found wrong with it meanwhile is said in our words."""
        self.connection.close()
        if isinstance(error, sqlite3.DatabaseError) and not isinstance(
            error, sqlite3.ProgrammingError
        ):
            raise explanation(self.path, error) from error

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read one state of the campaign, although other programs may write to it."""
        self.connection.execute("BEGIN")
        try:
            yield
        finally:
            # An error of the disk may have ended it already.
            if self.connection.in_transaction:
                self.connection.execute("COMMIT")

    @property
    def meta(self) -> dict[str, str]:
        """The settings of the campaign, such as entry, snap and guide, by name."""
        return dict(self.connection.execute("SELECT key, value FROM meta"))

    def set_meta(self, key: str, value: str) -> None:
        """Keep a fact about the campaign, such as where it was last served."""
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
        """Who judges which topic, main assessors first."""
        found = self._rows("SELECT * FROM assignment ORDER BY topic, main DESC, assessor")
        return [Assignment(*row) for row in found]

    def pool(self, topic: str | None = None) -> list[PoolEntry]:
        """The pooled documents of a topic or of all, in their order."""
        where, values = ("", ()) if topic is None else (" WHERE topic = ?", (topic,))
        rows = self._rows(f"SELECT * FROM pool{where} ORDER BY topic, place", *values)  # noqa: S608  # ours
        return [PoolEntry(*row) for row in rows]

    def offered(
        self, *, assessor: str | None = None, topic: str | None = None
    ) -> Iterator[OfferedDocument]:
        """Who is to judge what, of all or of somebody or a topic, in the order of topics.

        Pooled documents come in the pool's order, and after them those that were added. A pooled
        document is for all assessors of its topic, an added one for those who added it. The pooled
        documents of a topic without assessors are listed too, with None for the assessor.
        """
        where, chosen = _only(assessor=assessor, topic=topic)
        # In this order, few rows of a large pool are read for one assessor.
        asked = "pool LEFT JOIN assignment" if assessor is None else "assignment CROSS JOIN pool"
        query = OFFERED.format(asked=asked, where=where)
        return map(OfferedDocument._make, self.connection.execute(query, chosen))

    def passages(self, topic: str, doc: str) -> list[Passage]:
        """What runs returned of a pooled document."""
        rows = self._rows(
            "SELECT * FROM passage WHERE topic = ? AND doc = ? ORDER BY start", topic, doc
        )
        return [Passage(*row) for row in rows]

    def document(self, doc: str) -> StoredDocument | None:
        """A text, if the campaign has it; raises BadCampaign if it is not the one that was stored."""
        rows = self._rows("SELECT * FROM document WHERE doc = ?", doc)
        found = next((StoredDocument(*row) for row in rows), None)
        if found and (len(found.text), digest(found.text)) != (found.length, found.sha256):
            raise BadCampaign(
                f"{self.path}: damaged: the text of {doc!r} has changed: restore a copy"
            )
        return found

    def events(
        self,
        *,
        assessor: str | None = None,
        topic: str | None = None,
        doc: str | None = None,
        after: int = 0,
    ) -> list[Event]:
        """The log, or the part of it that is of somebody, a topic, a document, or later."""
        where, chosen = _only(assessor=assessor, topic=topic, doc=doc)
        rows = self.connection.execute(
            f"SELECT {COLUMNS} FROM event WHERE number > :after{where}"  # noqa: S608  # names
            " ORDER BY number",
            {"after": after, **chosen},
        )
        return [event_of(row) for row in rows]

    def logs(self, assessor: str) -> Iterator[tuple[str | None, str | None, list[Event]]]:
        """Somebody's events on one document after another, in the order of topics and documents."""
        rows = self.connection.execute(
            f"SELECT {COLUMNS} FROM event WHERE assessor = ? ORDER BY topic, doc, number",  # noqa: S608  # names
            (assessor,),
        )
        for (topic, doc), log in groupby(map(event_of, rows), attrgetter("topic", "doc")):
            yield topic, doc, list(log)

    def last_number(self, assessor: str) -> int:
        """The number of somebody's last event, 0 if there is none."""
        rows = self._rows("SELECT max(number) FROM event WHERE assessor = ?", assessor)
        return next(rows)[0] or 0

    def documents_named(self, part: str) -> Iterator[str]:
        """The documents whose name holds a text, whatever its case, in order."""
        wanted = part.casefold()
        for (doc,) in self.connection.execute("SELECT doc FROM document ORDER BY doc"):
            if wanted in doc.casefold():
                yield doc

    def locked_topics(self) -> set[str]:
        """The topics that the organiser has locked, alone or with all others."""
        return {row.topic for row in self.topics if self._checks.is_locked(row.topic)}

    def refuse_unless_offered(self, assessor: str, topic: str, doc: str | None = None) -> None:
        """Raise RefusedEvent unless a topic, and a document of it, is somebody's to judge."""
        self._checks.refuse_unless_offered(assessor, topic, doc)

    def judgement(self, assessor: str, topic: str, doc: str) -> Judgement:
        """What somebody says about a document now."""
        return replayed(self.events(assessor=assessor, topic=topic, doc=doc))

    def append(self, events: Sequence[Event]) -> list[int | RefusedEvent]:
        """Store events in one transaction: the number of each, or why it was refused.

        An event that is there already has its number again. Raises sqlite3.Error if nothing could
        be stored, as when the disk is full; then none of the events is there.
        """
        answers: list[int | RefusedEvent] = []
        at = now()
        with transaction(self.connection):
            for event in events:
                try:
                    answers.append(self._stored(replace(event, at_server=at)))
                except RefusedEvent as error:
                    answers.append(error)
        return answers

    def take_in(
        self, newcomers: Mapping[str, Role], given: Iterable[Assignment], events: Iterable[Event]
    ) -> tuple[int, dict[int, RefusedEvent]]:
        """Store what was done elsewhere, with its times, and who did it: how many events are new.

        Also why events are refused, by place; then nothing is stored. Locks refuse nothing here.
        """
        refused = {}
        with suppress(TakenBack), transaction(self.connection):
            (last,) = self.connection.execute("SELECT max(number) FROM event").fetchone()
            for name, role in newcomers.items():
                self._add(name, role)
            self._assign(given)
            numbers = []
            for place, event in enumerate(events):
                try:
                    numbers.append(self._stored(event, imported=True))
                except RefusedEvent as error:
                    refused[place] = error
            if not refused:
                return sum(number > (last or 0) for number in numbers), {}
            raise TakenBack
        return 0, refused

    def _stored(self, event: Event, *, imported: bool = False) -> int:
        known = self._rows(f"SELECT {COLUMNS} FROM event WHERE id = ?", event.id)  # noqa: S608  # names
        for row in known:
            if not event.says_the_same(there := event_of(row)):
                raise RefusedEvent(f"another event has the id {event.id}", 409)
            return there.number
        self._checks.refuse_unfitting(event, imported=imported)
        number = self.connection.execute(INSERT, event.row()).lastrowid
        return number or 0

    def add_person(self, name: str, role: Role) -> Person:
        """Let one more take part."""
        with transaction(self.connection):
            self._add(name, role)
        return next(person for person in self.people if person.name == name)

    def assign(self, assignments: Iterable[Assignment]) -> None:
        """Give topics to assessors who do not have them yet."""
        with transaction(self.connection):
            self._assign(assignments)

    def _add(self, name: str, role: Role) -> None:
        self.connection.execute("INSERT INTO assessor (name, role) VALUES (?, ?)", (name, role))

    def _assign(self, given: Iterable[Assignment]) -> None:
        self.connection.executemany("INSERT OR IGNORE INTO assignment VALUES (?, ?, ?, ?)", given)

    def new_link(self, name: str, *, end_others: bool = False) -> str:
        """A token that lets somebody in, of which only the digest is kept."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        with transaction(self.connection):
            if end_others:
                self.connection.execute("DELETE FROM link WHERE assessor = ?", (name,))
            self.connection.execute(
                "INSERT INTO link VALUES (?, ?, ?)", (_token_digest(token), name, now())
            )
        return token

    def person_of(self, token: str) -> Person | None:
        """Whom a token lets in; nobody if it is unknown or has ended."""
        rows = self._rows(
            "SELECT number, name, role FROM link JOIN assessor ON assessor.name = link.assessor"
            " WHERE token_sha256 = ?",
            _token_digest(token),
        )
        return next((Person(number, name, Role(role)) for number, name, role in rows), None)

    def _rows(self, query: str, *values: object) -> Iterator[tuple[Any, ...]]:
        return iter(self.connection.execute(query, values).fetchall())


def _only(**given: str | None) -> tuple[str, dict[str, str]]:
    """Conditions on the columns for which a value is given, and the values."""
    chosen = {name: value for name, value in given.items() if value is not None}
    return "".join(f" AND {name} = :{name}" for name in chosen), chosen


def _put(made: Path, target: Path) -> None:
    """Give a new campaign its name, unless there is another of that name meanwhile."""
    try:
        # Renaming would overwrite it.
        target.hardlink_to(made)
    except OSError:
        Campaign.refuse_place(target)
        # Some disks have no links.
        made.rename(target)
    else:
        made.unlink()


def _fill(connection: sqlite3.Connection, plan: CampaignContents) -> None:
    tables: dict[str, Iterable[tuple[Any, ...]]] = {
        "meta": plan.meta.items(),
        "topic": plan.topics,
        "document": plan.documents,
        "pool": plan.pool,
        "passage": plan.passages,
        "assessor": plan.people,
        "assignment": plan.assignments,
    }
    for table, rows in tables.items():
        columns = connection.execute(f"SELECT * FROM {table}").description  # noqa: S608  # ours
        places = ", ".join("?" * len(columns))
        connection.executemany(f"INSERT INTO {table} VALUES ({places})", rows)  # noqa: S608  # ours


def _token_digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
