"""What is to be judged in a campaign, what of it is finished, and how far it has come."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from foveal.assess.campaign import Campaign
from foveal.assess.current_judgements import Place, Standing, disputed
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
from foveal.tables import Qrels
from foveal.tables import columns as c
from foveal.work import stage, tracked

SECOND = "second"


@frozen
class Finished:
    """What was said about a document that is finished, and by whom.

    There is no entry point where nothing is highlighted.
    """

    topic: str
    doc: str
    length: int
    spans: Spans
    entry: int | None
    by: tuple[str, ...]
    aspects: Aspects = ()


Answers = dict[str, Finished]
"""What each of those who finished a document said about it, in order."""


@frozen
class Work:
    """Every document to be judged, in order of topics and of the pool, with what was finished.

    Assessors come in the order of their topic: the main one first.
    """

    asked: dict[Place, list[str]]
    """Who is to judge each document."""

    assessed: dict[Place, Answers]
    adjudicated: dict[Place, Answers]
    disputed: list[Place]
    """Documents that two or more assessors have finished with different text."""

    mains: dict[str, str]
    """The main assessor of each topic that has one."""

    roles: dict[str, Role]
    """Everybody, in the order in which they joined."""

    @classmethod
    def of(cls, standing: Standing) -> Work:
        """The work of a campaign as it is now."""
        campaign = standing.campaign
        with stage("reading the campaign"), campaign.snapshot():
            asked = _asked(campaign)
            assignments = campaign.assignments
            judges: dict[str, list[str]] = {}
            for assignment in assignments:
                judges.setdefault(assignment.topic, []).append(assignment.assessor)
            for person in tracked(people := campaign.people, "reading the log", len(people)):
                standing.of(person.name)
            finished = {role: standing.finished(role) for role in Role}
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

    def of_person(self, name: str) -> list[Finished]:
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
    work = Work.of(Standing(campaign))
    return {name: table(work.of_person(name), str(campaign.path)) for name in work.finishers}


def table(rows: Sequence[Finished], source: str) -> Qrels:
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
    return Qrels.of(documents, passages, aspects=aspects, source=source)


def _asked(campaign: Campaign) -> dict[Place, list[str]]:
    asked: dict[Place, list[str]] = {}
    for offer in campaign.offered():
        names = asked.setdefault(Place(offer.topic, offer.doc), [])
        if offer.assessor is not None:
            names.append(offer.assessor)
    return asked


def _answers(
    campaign: Campaign,
    finished: Mapping[Place, Mapping[str, Judgement]],
    asked: Mapping[Place, Sequence[str]],
    judges: Mapping[str, Sequence[str]],
) -> dict[Place, Answers]:
    """What people finished of what is asked: assessors of the topic first, in its order."""
    lengths = dict(campaign.connection.execute("SELECT doc, length FROM document"))
    found: dict[Place, Answers] = {}
    for place in asked:
        said = finished.get(place, {})
        for name in dict.fromkeys([*judges.get(place.topic, ()), *said]):
            if own := said.get(name):
                entry = own.entry if own.spans else None
                length = lengths[place.doc]
                answer = Finished(*place, length, own.spans, entry, (name,), own.aspects)
                found.setdefault(place, {})[name] = answer
    return found


@stage("counting")
def progress_of(campaign: Campaign, *, idle_seconds: float) -> CampaignProgress:
    """What each assessor has done of each topic, what is left, and what needs adjudication.

    Gaps between acts that are longer than `idle_seconds` are not counted as work.
    """
    seen = _Watch(Standing(campaign), idle_seconds)
    stints = [*seen.of_assessors(), *seen.of_adjudicators()]
    idle = {"idle": f"{idle_seconds:g} seconds"}
    return CampaignProgress.of(stints, seen.workers(), list(seen.topics()), idle, seen.remarks())


class _Watch:
    """What is asked and finished in a campaign, by topic, and the time it took."""

    def __init__(self, standing: Standing, idle_seconds: float) -> None:
        self.standing, self.idle = standing, idle_seconds
        self.campaign, self.work = standing.campaign, Work.of(standing)
        self.asked: dict[str, list[Place]] = defaultdict(list)
        for place in self.work.asked:
            self.asked[place.topic].append(place)

    def workers(self) -> Iterator[AssessorProgress]:
        """Everybody, and how long they have worked."""
        for name, role in self.work.roles.items():
            imported = self.standing.imported(name)
            finished = [Place(own.topic, own.doc) for own in self.work.of_person(name)]
            count = sum(place in imported for place in finished)
            yield AssessorProgress(name, role.value, self._seconds(name), count)

    def remarks(self) -> Iterator[AssessorNote]:
        """The notes on documents, by person."""
        for name in self.work.roles:
            for place, judgement in self.standing.of(name).items():
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
            own: dict[str, list[Place]] = defaultdict(list)
            for place in self.work.disputed if role is Role.ADJUDICATOR else ():
                if adjudicated.get(place, {}).keys() <= {name}:
                    own[place.topic].append(place)
            for topic, places in own.items():
                yield self._stint(topic, name, role.value, places)

    def _stint(self, topic: str, name: str, role: str, places: Sequence[Place]) -> TopicProgress:
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

    def _is_extra(self, place: Place) -> bool:
        """Whether only adjudicators, who added it, judge a document."""
        names = self.work.asked[place]
        return bool(names) and all(self.work.roles.get(name) is Role.ADJUDICATOR for name in names)

    def _seconds(self, name: str, topic: str | None = None) -> float:
        return active_seconds(self.standing.times(name, topic), self.idle)
