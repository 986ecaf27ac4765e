"""What a campaign holds besides the log: topics, texts, pool, people, and who judges what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from foveal.frozen import frozen


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


class Pooled(NamedTuple):
    """A document to be judged for a topic."""

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


class Offer(NamedTuple):
    """A document that somebody is to judge, or that nobody is (a topic without assessors).

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
class Plan:
    """All that a new campaign holds; texts may be made as they are asked for."""

    meta: Mapping[str, str]
    topics: Sequence[StoredTopic]
    documents: Iterable[StoredDocument]
    pool: Sequence[Pooled]
    passages: Sequence[Passage]
    people: Sequence[Person]
    assignments: Sequence[Assignment]
