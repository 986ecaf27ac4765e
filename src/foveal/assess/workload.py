"""What is to be judged in a campaign, what of it is finished, and how far it has come."""

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

    There is no entry point where nothing is highlighted.
    """

    topic: str
    doc: str
    length: int
    spans: Spans
    entry: int | None
    by: tuple[str, ...]
    aspects: Aspects = ()


AssessorJudgements = dict[str, FinishedDocument]
"""Judgement of a document by each assessor who finished it, in order."""


@frozen
class Workload:
    """Documents to judge, in order of topics and of the pool, with their finished judgements.

    Assessors come in the order of their topic: the main one first.
    """

    asked: dict[TopicDocument, list[str]]
    """Who is to judge each document."""

    assessed: dict[TopicDocument, AssessorJudgements]
    adjudicated: dict[TopicDocument, AssessorJudgements]
    disputed: list[TopicDocument]
    """Documents that two or more assessors have finished with different text."""

    mains: dict[str, str]
    """The main assessor of each topic that has one."""

    roles: dict[str, Role]
    """Everybody, in the order in which they joined."""

    @classmethod
    def of(cls, current: CurrentJudgements) -> Workload:
        """The work of a campaign as it is now."""
        campaign = current.campaign
        with stage("reading the campaign"), campaign.snapshot():
            asked = _asked(campaign)
            assignments = campaign.assignments
            judges: dict[str, list[str]] = {}
            for assignment in assignments:
                judges.setdefault(assignment.topic, []).append(assignment.assessor)
            for person in tracked(people := campaign.people, "reading the log", len(people)):
                current.of(person.name)
            finished = {role: current.finished(role) for role in Role}
            assessed, adjudicated = (
                _answers(campaign, said, asked, judges) for said in finished.values()
            )
            differing = set(disputed(finished[Role.ASSESSOR]))
            return cls(
                asked,
                assessed,
                adjudicated,
                [place for place in asked if place in differing],
                {own.topic: own.assessor for own in reversed(assignments) if own.main},
                {person.name: person.role for person in people},
            )

    @property
    def finishers(self) -> list[str]:
        """The assessors who finished something, in the order in which they joined."""
        found = {name for answers in self.assessed.values() for name in answers}
        return [name for name in self.roles if name in found]

    def of_person(self, name: str) -> list[FinishedDocument]:
        """What somebody finished."""
        return [
            answers[name]
            for found in (self.assessed, self.adjudicated)
            for answers in found.values()
            if name in answers
        ]


def judgements(campaign: Campaign) -> dict[str, Qrels]:
    """The judgements of each assessor who finished documents, in the order in which they joined.

    Those of adjudicators are not among them.
    """
    work = Workload.of(CurrentJudgements(campaign))
    return {name: table(work.of_person(name), str(campaign.path)) for name in work.finishers}


def table(rows: Sequence[FinishedDocument], source: str) -> Qrels:
    """Finished documents as judgements."""
    schema = {c.TOPIC: pl.String, c.DOC: pl.String, c.LENGTH: pl.Int64, c.ENTRY: pl.Int64}
    documents = pl.DataFrame(
        [(row.topic, row.doc, row.length, row.entry) for row in rows], schema=schema, orient="row"
    )
    spans = [(place, *span) for place, row in enumerate(rows) for span in row.spans]
    passages = pl.DataFrame(spans, schema=c.PASSAGE_SCHEMA, orient="row")
    named = [
        (place, name, *span, None)
        for place, row in enumerate(rows)
        for name, own in row.aspects
        for span in own
    ]
    aspects = pl.DataFrame(named, schema=c.ASPECT_SCHEMA, orient="row") if named else None
    return Qrels.of(
        QrelsRows(documents=documents, passages=passages, aspects=aspects), source=source
    )


def _asked(campaign: Campaign) -> dict[TopicDocument, list[str]]:
    asked: dict[TopicDocument, list[str]] = {}
    for offer in campaign.offered():
        names = asked.setdefault(TopicDocument(offer.topic, offer.doc), [])
        if offer.assessor is not None:
            names.append(offer.assessor)
    return asked


def _answers(
    campaign: Campaign,
    finished: Mapping[TopicDocument, Mapping[str, Judgement]],
    asked: Mapping[TopicDocument, Sequence[str]],
    judges: Mapping[str, Sequence[str]],
) -> dict[TopicDocument, AssessorJudgements]:
    """What people finished of what is asked: assessors of the topic first, in its order."""
    lengths = dict(campaign.connection.execute("SELECT doc, length FROM document"))
    found: dict[TopicDocument, AssessorJudgements] = {}
    for place in asked:
        said = finished.get(place, {})
        for name in dict.fromkeys([*judges.get(place.topic, ()), *said]):
            if own := said.get(name):
                entry = own.entry if own.spans else None
                length = lengths[place.doc]
                answer = FinishedDocument(*place, length, own.spans, entry, (name,), own.aspects)
                found.setdefault(place, {})[name] = answer
    return found


@stage("counting")
def progress_of(campaign: Campaign, *, idle_seconds: float) -> CampaignProgress:
    """What each assessor has done of each topic, what is left, and what needs adjudication.

    Gaps between acts that are longer than `idle_seconds` are not counted as work.
    """
    seen = _Progress(CurrentJudgements(campaign), idle_seconds)
    stints = [*seen.of_assessors(), *seen.of_adjudicators()]
    idle = {"idle": f"{idle_seconds:g} seconds"}
    return CampaignProgress.of(stints, seen.workers(), list(seen.topics()), idle, seen.remarks())


class _Progress:
    """Documents of a campaign that are to be judged and finished, by topic, and the time spent."""

    def __init__(self, current: CurrentJudgements, idle_seconds: float) -> None:
        self.current, self.idle = current, idle_seconds
        self.campaign, self.work = current.campaign, Workload.of(current)
        self.asked: dict[str, list[TopicDocument]] = defaultdict(list)
        for place in self.work.asked:
            self.asked[place.topic].append(place)

    def workers(self) -> Iterator[AssessorProgress]:
        """Everybody, and how long they have worked."""
        for name, role in self.work.roles.items():
            imported = self.current.imported(name)
            finished = [TopicDocument(own.topic, own.doc) for own in self.work.of_person(name)]
            count = sum(place in imported for place in finished)
            yield AssessorProgress(name, role.value, self._seconds(name), count)

    def remarks(self) -> Iterator[AssessorNote]:
        """The notes on documents, by person."""
        for name in self.work.roles:
            for place, judgement in self.current.of(name).items():
                if judgement.note.strip():
                    yield AssessorNote(name, place.topic, place.doc, judgement.note)

    def topics(self) -> Iterator[TopicStatus]:
        """What is known of each topic, whoever judged it."""
        work, locked = self.work, self.campaign.locked_topics()
        disputed = set(work.disputed)
        for row in self.campaign.topics:
            asked = [place for place in self.asked[row.topic] if not self._is_extra(place)]
            done = [len(work.assessed.get(place, ())) for place in asked]
            yield TopicStatus(
                topic=row.topic,
                locked=row.topic in locked,
                documents=len(asked),
                done=sum(count > 0 for count in done),
                finished_twice=sum(count > 1 for count in done),
                disputed=sum(place in disputed for place in asked),
                adjudicated=sum(place in disputed and place in work.adjudicated for place in asked),
            )

    def of_assessors(self) -> Iterator[TopicProgress]:
        """What those who were given topics have done of them."""
        for row in self.campaign.assignments:
            asked = self.work.asked
            own = [place for place in self.asked[row.topic] if row.assessor in asked[place]]
            role = Role.ASSESSOR.value if row.main else SECOND
            yield self._stint(row.topic, row.assessor, role, own)

    def of_adjudicators(self) -> Iterator[TopicProgress]:
        """What adjudicators have done of the documents that nobody else has adjudicated."""
        adjudicated = self.work.adjudicated
        for name, role in self.work.roles.items():
            own: dict[str, list[TopicDocument]] = defaultdict(list)
            for place in self.work.disputed if role is Role.ADJUDICATOR else ():
                if adjudicated.get(place, {}).keys() <= {name}:
                    own[place.topic].append(place)
            for topic, places in own.items():
                yield self._stint(topic, name, role.value, places)

    def _stint(
        self, topic: str, name: str, role: str, places: Sequence[TopicDocument]
    ) -> TopicProgress:
        found = self.work.adjudicated if role == Role.ADJUDICATOR else self.work.assessed
        done = [own for place in places if (own := found.get(place, {}).get(name))]
        spans = [span for answer in done for span in answer.spans]
        return TopicProgress(
            topic=topic,
            assessor=name,
            role=role,
            documents=len(places),
            done=len(done),
            relevant=sum(bool(answer.spans) for answer in done),
            passages=len(spans),
            characters=sum(stop - start for start, stop in spans),
            seconds=self._seconds(name, topic),
        )

    def _is_extra(self, place: TopicDocument) -> bool:
        """Whether only adjudicators, who added it, judge a document."""
        names = self.work.asked[place]
        return bool(names) and all(self.work.roles.get(name) is Role.ADJUDICATOR for name in names)

    def _seconds(self, name: str, topic: str | None = None) -> float:
        return active_seconds(self.current.times(name, topic), self.idle)
