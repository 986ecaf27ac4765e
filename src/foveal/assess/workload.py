"""Workload of a campaign: documents to judge, finished judgements, and progress."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from foveal.assess.campaign import Campaign
from foveal.assess.current_judgements import CurrentJudgements, TopicDocument, disputed
from foveal.assess.replay import Aspects, Judgement, Spans
from foveal.assess.schema import Role
from foveal.frozen import frozen
from foveal.judging import (
    AssessorNote,
    AssessorProgress,
    CampaignProgress,
    TopicProgress,
    TopicStatus,
    active_seconds,
)
from foveal.late import pl
from foveal.tables import Qrels, QrelsRows
from foveal.tables import columns as c
from foveal.work import stage, tracked

SECOND = "second"


@frozen
class FinishedDocument:
    """Judgement of a finished document, and the people who made it.

    A document without highlights has no entry point.
    """

    topic: str
    doc: str
    length: int
    spans: Spans
    entry: int | None
    by: tuple[str, ...]
    aspects: Aspects = ()


AssessorJudgements = dict[str, FinishedDocument]
"""Judgements of a document by the name of each assessor who finished it, in order."""


@frozen
class Workload:
    """Documents to judge, in order of topics and of the pool, with their finished judgements.

    Assessors come in the order of their topic: the main one first.
    """

    offered: dict[TopicDocument, list[str]]
    """The assessors to whom each document is offered."""

    assessed: dict[TopicDocument, AssessorJudgements]
    adjudicated: dict[TopicDocument, AssessorJudgements]
    disputed: list[TopicDocument]
    """Documents that two or more assessors finished with different highlights."""

    main_assessors: dict[str, str]
    """The main assessor of each topic that has one."""

    roles: dict[str, Role]
    """Roles of all people by name, in the order in which they joined."""

    @classmethod
    def of(cls, current: CurrentJudgements) -> Workload:
        """The current workload of a campaign."""
        campaign = current.campaign
        with stage("reading the campaign"), campaign.snapshot():
            offered = _offered(campaign)
            assignments = campaign.assignments
            assessors: dict[str, list[str]] = {}
            for assignment in assignments:
                assessors.setdefault(assignment.topic, []).append(assignment.assessor)
            for person in tracked(people := campaign.people, "reading the log", len(people)):
                current.of(person.name)
            finished = {role: current.finished(role) for role in Role}
            assessed, adjudicated = (
                _finished(campaign, by_key, offered, assessors) for by_key in finished.values()
            )
            differing = set(disputed(finished[Role.ASSESSOR]))
            return cls(
                offered,
                assessed,
                adjudicated,
                [key for key in offered if key in differing],
                {row.topic: row.assessor for row in reversed(assignments) if row.main},
                {person.name: person.role for person in people},
            )

    @property
    def finishers(self) -> list[str]:
        """The assessors who finished something, in the order in which they joined."""
        names = {name for by_name in self.assessed.values() for name in by_name}
        return [name for name in self.roles if name in names]

    def of_person(self, name: str) -> list[FinishedDocument]:
        """The documents that a person finished, as assessor or adjudicator."""
        return [
            by_name[name]
            for finished in (self.assessed, self.adjudicated)
            for by_name in finished.values()
            if name in by_name
        ]


def judgements(campaign: Campaign) -> dict[str, Qrels]:
    """The judgements of each assessor who finished documents, in the order in which they joined.

    Judgements of adjudicators are not included.
    """
    workload = Workload.of(CurrentJudgements(campaign))
    return {
        name: qrels_of(workload.of_person(name), str(campaign.path)) for name in workload.finishers
    }


def qrels_of(rows: Sequence[FinishedDocument], source: str) -> Qrels:
    """Finished documents as a table of judgements."""
    schema = {c.TOPIC: pl.String, c.DOC: pl.String, c.LENGTH: pl.Int64, c.ENTRY: pl.Int64}
    documents = pl.DataFrame(
        [(row.topic, row.doc, row.length, row.entry) for row in rows], schema=schema, orient="row"
    )
    spans = [(index, *span) for index, row in enumerate(rows) for span in row.spans]
    passages = pl.DataFrame(spans, schema=c.PASSAGE_SCHEMA, orient="row")
    tagged = [
        (index, name, *span, None)
        for index, row in enumerate(rows)
        for name, spans_of_aspect in row.aspects
        for span in spans_of_aspect
    ]
    aspects = pl.DataFrame(tagged, schema=c.ASPECT_SCHEMA, orient="row") if tagged else None
    return Qrels.of(
        QrelsRows(documents=documents, passages=passages, aspects=aspects), source=source
    )


def _offered(campaign: Campaign) -> dict[TopicDocument, list[str]]:
    offered: dict[TopicDocument, list[str]] = {}
    for offer in campaign.offered():
        names = offered.setdefault(TopicDocument(offer.topic, offer.doc), [])
        if offer.assessor is not None:
            names.append(offer.assessor)
    return offered


def _finished(
    campaign: Campaign,
    finished: Mapping[TopicDocument, Mapping[str, Judgement]],
    offered: Mapping[TopicDocument, Sequence[str]],
    assessors: Mapping[str, Sequence[str]],
) -> dict[TopicDocument, AssessorJudgements]:
    """Finished judgements of the offered documents; assessors of the topic come first."""
    lengths = dict(campaign.connection.execute("SELECT doc, length FROM document"))
    rows: dict[TopicDocument, AssessorJudgements] = {}
    for key in offered:
        judgements = finished.get(key, {})
        for name in dict.fromkeys([*assessors.get(key.topic, ()), *judgements]):
            if judgement := judgements.get(name):
                entry = judgement.entry if judgement.spans else None
                length = lengths[key.doc]
                row = FinishedDocument(
                    *key, length, judgement.spans, entry, (name,), judgement.aspects
                )
                rows.setdefault(key, {})[name] = row
    return rows


@stage("counting")
def progress_of(campaign: Campaign, *, idle_seconds: float) -> CampaignProgress:
    """Progress of each assessor on each topic, with remaining work and disputed documents.

    Gaps between events that are longer than `idle_seconds` do not count as work.
    """
    rows = _Progress(CurrentJudgements(campaign), idle_seconds)
    by_topic = [*rows.of_assessors(), *rows.of_adjudicators()]
    idle = {"idle": f"{idle_seconds:g} seconds"}
    return CampaignProgress.of(by_topic, rows.assessors(), list(rows.topics()), idle, rows.notes())


class _Progress:
    """Computes the rows of a campaign's progress."""

    def __init__(self, current: CurrentJudgements, idle_seconds: float) -> None:
        self.current, self.idle = current, idle_seconds
        self.campaign, self.workload = current.campaign, Workload.of(current)
        self.by_topic: dict[str, list[TopicDocument]] = defaultdict(list)
        for key in self.workload.offered:
            self.by_topic[key.topic].append(key)

    def assessors(self) -> Iterator[AssessorProgress]:
        """All people with the time they have worked."""
        for name, role in self.workload.roles.items():
            imported = self.current.imported(name)
            finished = [TopicDocument(row.topic, row.doc) for row in self.workload.of_person(name)]
            count = sum(key in imported for key in finished)
            yield AssessorProgress(name, role.value, self._seconds(name), count)

    def notes(self) -> Iterator[AssessorNote]:
        """The notes of all people on documents."""
        for name in self.workload.roles:
            for key, judgement in self.current.of(name).items():
                if judgement.note.strip():
                    yield AssessorNote(name, key.topic, key.doc, judgement.note)

    def topics(self) -> Iterator[TopicStatus]:
        """Status of each topic, over all its assessors."""
        workload, locked = self.workload, self.campaign.locked_topics()
        disputed = set(workload.disputed)
        for row in self.campaign.topics:
            keys = [key for key in self.by_topic[row.topic] if not self._is_extra(key)]
            done = [len(workload.assessed.get(key, ())) for key in keys]
            yield TopicStatus(
                topic=row.topic,
                locked=row.topic in locked,
                documents=len(keys),
                done=sum(count > 0 for count in done),
                finished_twice=sum(count > 1 for count in done),
                disputed=sum(key in disputed for key in keys),
                adjudicated=sum(key in disputed and key in workload.adjudicated for key in keys),
            )

    def of_assessors(self) -> Iterator[TopicProgress]:
        """Progress of assessors on their assigned topics."""
        for row in self.campaign.assignments:
            offered = self.workload.offered
            keys = [key for key in self.by_topic[row.topic] if row.assessor in offered[key]]
            role = Role.ASSESSOR.value if row.main else SECOND
            yield self._topic_progress(row.topic, row.assessor, role, keys)

    def of_adjudicators(self) -> Iterator[TopicProgress]:
        """Progress of adjudicators on disputed documents that no other adjudicator has finished."""
        adjudicated = self.workload.adjudicated
        for name, role in self.workload.roles.items():
            by_topic: dict[str, list[TopicDocument]] = defaultdict(list)
            for key in self.workload.disputed if role is Role.ADJUDICATOR else ():
                if adjudicated.get(key, {}).keys() <= {name}:
                    by_topic[key.topic].append(key)
            for topic, keys in by_topic.items():
                yield self._topic_progress(topic, name, role.value, keys)

    def _topic_progress(
        self, topic: str, name: str, role: str, keys: Sequence[TopicDocument]
    ) -> TopicProgress:
        finished = self.workload.adjudicated if role == Role.ADJUDICATOR else self.workload.assessed
        done = [row for key in keys if (row := finished.get(key, {}).get(name))]
        spans = [span for row in done for span in row.spans]
        return TopicProgress(
            topic=topic,
            assessor=name,
            role=role,
            documents=len(keys),
            done=len(done),
            relevant=sum(bool(row.spans) for row in done),
            passages=len(spans),
            characters=sum(stop - start for start, stop in spans),
            seconds=self._seconds(name, topic),
        )

    def _is_extra(self, key: TopicDocument) -> bool:
        """True for a document that an adjudicator added and no assessor has."""
        names, roles = self.workload.offered[key], self.workload.roles
        return bool(names) and all(roles.get(name) is Role.ADJUDICATOR for name in names)

    def _seconds(self, name: str, topic: str | None = None) -> float:
        return active_seconds(self.current.times(name, topic), self.idle)
