"""How far a campaign has come, from its log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from foveal.assess.campaign import Campaign
from foveal.assess.records import Role
from foveal.assess.standing import Place, Standing
from foveal.assess.work import Work
from foveal.judging import CampaignProgress, Remark, Stint, TopicState, Worker, active_seconds
from foveal.work import stage

SECOND = "second"


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

    def workers(self) -> Iterator[Worker]:
        """Everybody, and how long they have worked."""
        for name, role in self.work.roles.items():
            imported = self.standing.imported(name)
            finished = [Place(own.topic, own.doc) for own in self.work.of_person(name)]
            count = sum(place in imported for place in finished)
            yield Worker(name, role.value, self._seconds(name), count)

    def remarks(self) -> Iterator[Remark]:
        """The notes on documents, by person."""
        for name in self.work.roles:
            for place, judgement in self.standing.of(name).items():
                if judgement.note.strip():
                    yield Remark(name, place.topic, place.doc, judgement.note)

    def topics(self) -> Iterator[TopicState]:
        """What is known of each topic, whoever judged it."""
        work, locked = self.work, self.campaign.locked_topics()
        disputed = set(work.disputed)
        for row in self.campaign.topics:
            asked = [place for place in self.asked[row.topic] if not self._is_extra(place)]
            done = [len(work.assessed.get(place, ())) for place in asked]
            yield TopicState(
                topic=row.topic,
                locked=row.topic in locked,
                documents=len(asked),
                done=sum(count > 0 for count in done),
                finished_twice=sum(count > 1 for count in done),
                disputed=sum(place in disputed for place in asked),
                adjudicated=sum(place in disputed and place in work.adjudicated for place in asked),
            )

    def of_assessors(self) -> Iterator[Stint]:
        """What those who were given topics have done of them."""
        for row in self.campaign.assignments:
            asked = self.work.asked
            own = [place for place in self.asked[row.topic] if row.assessor in asked[place]]
            role = Role.ASSESSOR.value if row.main else SECOND
            yield self._stint(row.topic, row.assessor, role, own)

    def of_adjudicators(self) -> Iterator[Stint]:
        """What adjudicators have done of the documents that nobody else has adjudicated."""
        adjudicated = self.work.adjudicated
        for name, role in self.work.roles.items():
            own: dict[str, list[Place]] = defaultdict(list)
            for place in self.work.disputed if role is Role.ADJUDICATOR else ():
                if adjudicated.get(place, {}).keys() <= {name}:
                    own[place.topic].append(place)
            for topic, places in own.items():
                yield self._stint(topic, name, role.value, places)

    def _stint(self, topic: str, name: str, role: str, places: Sequence[Place]) -> Stint:
        found = self.work.adjudicated if role == Role.ADJUDICATOR else self.work.assessed
        done = [own for place in places if (own := found.get(place, {}).get(name))]
        spans = [span for answer in done for span in answer.spans]
        return Stint(
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
