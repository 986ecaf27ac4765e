"""What is to be judged in a campaign, and what of it is finished: all replays in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from foveal.assess.campaign import Campaign
from foveal.assess.events import UNDOABLE, Act, Event
from foveal.assess.records import Role
from foveal.assess.replay import Spans, replayed
from foveal.late import pl
from foveal.tables import Qrels
from foveal.tables import columns as c


class Asked(NamedTuple):
    """A document that is to be judged for a topic."""

    topic: str
    doc: str


@dataclass(frozen=True)
class Finished:
    """What was said about a document that is finished: by whom, and when that was (ms since 1970).

    There is no entry point where nothing is highlighted.
    """

    topic: str
    doc: str
    length: int
    spans: Spans
    entry: int | None
    by: tuple[str, ...]
    at: int


Answers = dict[str, Finished]
"""What each of those who finished a document said about it, in order."""


@dataclass(frozen=True)
class Work:
    """Every document to be judged, in order of topics and of the pool, with what was finished.

    Assessors come in the order of their topic: the main one first.
    """

    asked: dict[Asked, list[str]]
    """Who is to judge each document."""

    assessed: dict[Asked, Answers]
    adjudicated: dict[Asked, Answers]
    mains: dict[str, str]
    """The main assessor of each topic that has one."""

    adjudicators: frozenset[str]
    people: list[str]
    """Everybody in the order in which they came."""

    @classmethod
    def of(cls, campaign: Campaign) -> Work:
        """The work of a campaign as it is now."""
        judges: dict[str, list[str]] = {}
        for assignment in campaign.assignments:
            judges.setdefault(assignment.topic, []).append(assignment.assessor)
        roles = {person.name: person.role for person in campaign.people}
        events = campaign.events()
        finished = _finished(campaign, events)
        asked = _asked(campaign, events, judges)
        by_role = {
            role: {
                key: answers
                for key in asked
                if (answers := _in_order(finished.get(key, {}), role, roles, judges, key.topic))
            }
            for role in Role
        }
        return cls(
            asked,
            by_role[Role.ASSESSOR],
            by_role[Role.ADJUDICATOR],
            {own.topic: own.assessor for own in reversed(campaign.assignments) if own.main},
            frozenset(name for name, role in roles.items() if role is Role.ADJUDICATOR),
            list(roles),
        )

    @property
    def disputed(self) -> list[Asked]:
        """Documents that two assessors or more finished with different text."""
        return [
            key
            for key, answers in self.assessed.items()
            if len({answer.spans for answer in answers.values()}) > 1
        ]

    @property
    def finishers(self) -> list[str]:
        """The assessors who finished something, in the order in which they came."""
        found = {name for answers in self.assessed.values() for name in answers}
        return [name for name in self.people if name in found]

    def of_person(self, name: str) -> list[Finished]:
        """What somebody finished."""
        return [
            answers[name]
            for found in (self.assessed, self.adjudicated)
            for answers in found.values()
            if name in answers
        ]


def judgements(campaign: Campaign) -> dict[str, Qrels]:
    """The judgements of each assessor who finished documents, in the order in which they came.

    Those of adjudicators are not among them.
    """
    work = Work.of(campaign)
    return {name: table(work.of_person(name), str(campaign.path)) for name in work.finishers}


def table(rows: Sequence[Finished], source: str) -> Qrels:
    """Finished documents as judgements."""
    schema = {c.TOPIC: pl.String, c.DOC: pl.String, c.LENGTH: pl.Int64, c.ENTRY: pl.Int64}
    documents = pl.DataFrame(
        [(row.topic, row.doc, row.length, row.entry) for row in rows], schema=schema, orient="row"
    )
    spans = [(place, *span) for place, row in enumerate(rows) for span in row.spans]
    passages = pl.DataFrame(spans, schema=c.PASSAGE_SCHEMA, orient="row")
    return Qrels.of(documents, passages, source=source)


def _finished(campaign: Campaign, events: Iterable[Event]) -> dict[Asked, Answers]:
    """What people said about documents that they finished, by document, in no order."""
    logs: dict[tuple[str, str, str], list[Event]] = {}
    for event in events:
        if event.kind in UNDOABLE and event.topic is not None and event.doc is not None:
            logs.setdefault((event.topic, event.doc, event.assessor), []).append(event)
    lengths = dict(campaign.connection.execute("SELECT doc, length FROM document"))
    found: dict[Asked, Answers] = {}
    for (topic, doc, name), log in logs.items():
        said = replayed(log)
        if said.done:
            at = max(event.at_server for event in log if event.kind is Act.DONE)
            entry = said.entry if said.spans else None
            answer = Finished(topic, doc, lengths[doc], said.spans, entry, (name,), at)
            found.setdefault(Asked(topic, doc), {})[name] = answer
    return found


def _asked(
    campaign: Campaign, events: Iterable[Event], judges: dict[str, list[str]]
) -> dict[Asked, list[str]]:
    """Pooled documents in their order, and after those of a topic the ones that were added."""
    by_topic: dict[str, dict[Asked, list[str]]] = {}
    for pooled in campaign.pool():
        own = by_topic.setdefault(pooled.topic, {})
        own[Asked(pooled.topic, pooled.doc)] = judges.get(pooled.topic, [])
    for topic, doc, name in _added(events):
        own = by_topic.setdefault(topic, {})
        # A pooled document is for all; an added one is for those who added it.
        if name not in own.setdefault(Asked(topic, doc), []):
            own[Asked(topic, doc)] = [*own[Asked(topic, doc)], name]
    return {key: names for topic in sorted(by_topic) for key, names in by_topic[topic].items()}


def _added(events: Iterable[Event]) -> Iterator[tuple[str, str, str]]:
    for event in events:
        if event.kind is Act.ADD_DOCUMENT:
            yield event.topic or "", event.doc or "", event.assessor


def _in_order(
    answers: Answers, role: Role, roles: dict[str, Role], judges: dict[str, list[str]], topic: str
) -> Answers:
    """The answers of those of a role: assessors of the topic first, in its order."""
    names = dict.fromkeys([*judges.get(topic, []), *roles])
    return {name: answers[name] for name in names if name in answers and roles[name] is role}
