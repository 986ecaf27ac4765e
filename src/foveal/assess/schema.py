"""What a campaign holds: topics, texts, pool, people, who judges what, and a log that can only grow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from enum import StrEnum
from importlib.resources import files
from typing import Any, NamedTuple

from foveal.assess.events import LATEST, Event, EventKind
from foveal.frozen import frozen


def _query(name: str) -> str:
    place = files("foveal.assess").joinpath("queries", f"{name}.sql")
    return place.read_text(encoding="utf-8")


# "fovl"; `file` and other programs tell a campaign from other databases by it.
APPLICATION = 0x666F766C
VERSION = 1
TABLES = _query("tables").format(application=APPLICATION, version=VERSION)
# Keys of `meta` without which no page can be shown.
SETTINGS = ("id", "entry", "snap", "show_pool")
# Tables that are looked through before they are read: one can be called strict after it was filled.
# Texts would take long.
LOOKED_THROUGH = ("meta", "topic", "pool", "passage", "assessor", "link", "assignment", "event")
ODD_DOCUMENT = _query("odd_document")
ODD_EVENT = _query("odd_event").format(
    acts=", ".join(f"'{act.value}'" for act in EventKind), latest=LATEST
)
STRAY_EVENT = _query("stray_event")
_FIELDS = [field.name for field in fields(Event)]
COLUMNS = ", ".join(_FIELDS)
_GIVEN = [name for name in _FIELDS if name != "number"]
INSERT = f"INSERT INTO event ({', '.join(_GIVEN)}) VALUES (:{', :'.join(_GIVEN)})"  # noqa: S608  # names
OFFERED = _query("offered")
LOCKS = _query("locks")
IS_OFFERED = _query("is_offered")
MAY_JUDGE = _query("may_judge")
_KIND = _FIELDS.index("kind")
_ACTS = {act.value: act for act in EventKind}


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


class PoolEntry(NamedTuple):
    """Document of the pool, to be judged for a topic."""

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


class OfferedDocument(NamedTuple):
    """A document offered to an assessor, which is None for a topic without assessors.

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
class CampaignContents:
    """Contents of a new campaign; texts may be made as they are asked for."""

    meta: Mapping[str, str]
    topics: Sequence[StoredTopic]
    documents: Iterable[StoredDocument]
    pool: Sequence[PoolEntry]
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
