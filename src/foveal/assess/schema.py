"""Contents of a campaign: topics, texts, pool, people, assignments and an append-only log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from enum import StrEnum
from importlib.resources import files
from typing import Any, NamedTuple

from foveal.assess.events import LATEST, Event, EventKind
from foveal.frozen import frozen


def _query(name: str) -> str:
    path = files("foveal.assess").joinpath("queries", f"{name}.sql")
    return path.read_text(encoding="utf-8")


# "fovl": `file` and other programs recognise a campaign by it.
APPLICATION_ID = 0x666F766C
VERSION = 1
TABLES = _query("tables").format(application=APPLICATION_ID, version=VERSION)
# Keys of `meta` that the page needs.
SETTINGS = ("id", "entry", "snap", "show_pool")
# Tables whose rows are checked before use: a table can be declared strict after it was filled.
# Checking the texts would take long.
CHECKED_TABLES = ("meta", "topic", "pool", "passage", "assessor", "link", "assignment", "event")
INVALID_DOCUMENT = _query("invalid_document")
INVALID_EVENT = _query("invalid_event").format(
    kinds=", ".join(f"'{kind.value}'" for kind in EventKind), latest=LATEST
)
STRAY_EVENT = _query("stray_event")
_FIELDS = [field.name for field in fields(Event)]
COLUMNS = ", ".join(_FIELDS)
_INSERTED = [name for name in _FIELDS if name != "number"]
INSERT = f"INSERT INTO event ({', '.join(_INSERTED)}) VALUES (:{', :'.join(_INSERTED)})"  # noqa: S608  # names
OFFERED = _query("offered")
LOCKS = _query("locks")
IS_OFFERED = _query("is_offered")
MAY_JUDGE = _query("may_judge")
_KIND_INDEX = _FIELDS.index("kind")
_KINDS = {kind.value: kind for kind in EventKind}


class Role(StrEnum):
    """Role of a person in a campaign."""

    ASSESSOR = "assessor"
    ADJUDICATOR = "adjudicator"


class Person(NamedTuple):
    """An assessor or adjudicator; the number is part of the page's address."""

    number: int
    name: str
    role: Role


class StoredTopic(NamedTuple):
    """A topic as the page shows it."""

    topic: str
    title: str
    description: str
    narrative: str


class StoredDocument(NamedTuple):
    """A text with its layout: `blocks` is JSON, see `blocks.py`."""

    doc: str
    text: str
    length: int
    sha256: str
    blocks: str


class PoolEntry(NamedTuple):
    """A document of the pool, to be judged for a topic."""

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
    """A topic and its assessor; `order_seed` 0 keeps the order of the pool, others shuffle it."""

    topic: str
    assessor: str
    order_seed: int
    main: int


class OfferedDocument(NamedTuple):
    """A document offered to an assessor, who is None for a topic without assessors.

    `place` is the place in the pool, or for an added document the number of the event that added it.
    """

    topic: str
    doc: str
    assessor: str | None
    order_seed: int | None
    added: int
    place: int
    main: int | None


@frozen
class CampaignContents:
    """Contents of a new campaign; documents may be generated while they are written."""

    meta: Mapping[str, str]
    topics: Sequence[StoredTopic]
    documents: Iterable[StoredDocument]
    pool: Sequence[PoolEntry]
    passages: Sequence[Passage]
    people: Sequence[Person]
    assignments: Sequence[Assignment]


def event_of(row: Sequence[Any]) -> Event:
    """The event of a row of the log.

    The log was checked before, and `Event(...)` takes several times as long.
    """
    event = Event.__new__(Event)
    vars(event).update(zip(_FIELDS, row, strict=True), kind=_KINDS[row[_KIND_INDEX]])
    return event
