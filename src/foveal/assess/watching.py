"""How far a campaign has come, from its log."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from foveal.assess.campaign import Campaign
from foveal.assess.events import UNDOABLE, Act, Event
from foveal.assess.records import Role
from foveal.assess.replay import Judgement, replayed
from foveal.judging import CampaignProgress, Stint, TopicState, Worker, active_seconds

SECOND = "second"


def progress_of(campaign: Campaign, *, idle_seconds: float) -> CampaignProgress:
    """What each assessor has done of each topic, what is left, and what needs adjudication.

    Gaps between acts that are longer than `idle_seconds` are not counted as work.
    """
    log = _Log(campaign, idle_seconds)
    stints = [*log.of_assessors(), *log.of_adjudicators()]
    topics = [log.topic(row.topic) for row in campaign.topics]
    return CampaignProgress.of(stints, log.workers(), topics, {"idle": f"{idle_seconds:g} seconds"})


class _Log:
    """A campaign's log, taken apart by topic, person and document."""

    def __init__(self, campaign: Campaign, idle_seconds: float) -> None:
        self.campaign, self.idle = campaign, idle_seconds
        self.locked = campaign.locked_topics()
        self.roles = {person.name: person.role for person in campaign.people}
        self.pool: dict[str, list[str]] = defaultdict(list)
        for row in campaign.pool():
            self.pool[row.topic].append(row.doc)
        self.acts: dict[tuple[str, str], list[Event]] = defaultdict(list)
        for event in campaign.events():
            self.acts[event.assessor, event.topic or ""].append(event)
        # What is finished, by topic, document and person.
        self.finished: dict[str, dict[str, dict[str, Judgement]]] = defaultdict(
            lambda: defaultdict(dict)
        )
        for (name, topic), acts in self.acts.items():
            for doc, judgement in _judgements(acts):
                if judgement.done and name in self.roles:
                    self.finished[topic][doc][name] = judgement

    def workers(self) -> Iterator[Worker]:
        """Everybody, and how long they have worked."""
        for name, role in self.roles.items():
            own = (act for (who, _), acts in self.acts.items() if who == name for act in acts)
            yield Worker(name, role.value, self._seconds(own))

    def topic(self, topic: str) -> TopicState:
        """What is known of a topic, whoever judged it."""
        offered = dict.fromkeys(self.pool[topic])
        for name in self._with(Role.ASSESSOR):
            offered |= dict.fromkeys(self._added(name, topic))
        finished = {doc: self._finished(topic, doc, Role.ASSESSOR) for doc in offered}
        disputed = self._disputed(topic)
        return TopicState(
            topic=topic,
            locked=topic in self.locked,
            documents=len(offered),
            done=sum(bool(own) for own in finished.values()),
            finished_twice=sum(len(own) > 1 for own in finished.values()),
            disputed=len(disputed),
            adjudicated=sum(bool(self._finished(topic, doc, Role.ADJUDICATOR)) for doc in disputed),
        )

    def of_assessors(self) -> Iterator[Stint]:
        """What those who were given topics have done of them."""
        for row in self.campaign.assignments:
            offered = [*self.pool[row.topic], *self._added(row.assessor, row.topic)]
            role = Role.ASSESSOR.value if row.main else SECOND
            yield self._stint(row.topic, row.assessor, role, offered)

    def of_adjudicators(self) -> Iterator[Stint]:
        """What adjudicators have done of the documents that nobody else has adjudicated."""
        for name in self._with(Role.ADJUDICATOR):
            for topic in self.pool:
                disputed = [
                    doc
                    for doc in self._disputed(topic)
                    if self._finished(topic, doc, Role.ADJUDICATOR).keys() <= {name}
                ]
                if disputed:
                    yield self._stint(topic, name, Role.ADJUDICATOR.value, disputed)

    def _stint(self, topic: str, name: str, role: str, offered: list[str]) -> Stint:
        said = [self.finished[topic][doc].get(name) for doc in offered]
        done = [judgement for judgement in said if judgement is not None]
        spans = [span for judgement in done for span in judgement.spans]
        return Stint(
            topic=topic,
            assessor=name,
            role=role,
            documents=len(offered),
            done=len(done),
            relevant=sum(bool(judgement.spans) for judgement in done),
            passages=len(spans),
            characters=sum(stop - start for start, stop in spans),
            seconds=self._seconds(self.acts[name, topic]),
        )

    def _disputed(self, topic: str) -> list[str]:
        """The documents that two or more assessors finished with different text."""
        return [
            doc
            for doc in self.finished[topic]
            if len({own.spans for own in self._finished(topic, doc, Role.ASSESSOR).values()}) > 1
        ]

    def _finished(self, topic: str, doc: str, role: Role) -> dict[str, Judgement]:
        found = self.finished[topic][doc].items()
        return {name: judgement for name, judgement in found if self.roles[name] is role}

    def _added(self, name: str, topic: str) -> list[str]:
        acts = self.acts[name, topic]
        docs = [act.doc for act in acts if act.kind is Act.ADD_DOCUMENT and act.doc is not None]
        # Logs of several copies of the campaign may name one twice.
        return [doc for doc in dict.fromkeys(docs) if doc not in self.pool[topic]]

    def _with(self, role: Role) -> list[str]:
        return [name for name, own in self.roles.items() if own is role]

    def _seconds(self, acts: Iterable[Event]) -> float:
        return active_seconds((act.at_client for act in acts), self.idle)


def _judgements(acts: Iterable[Event]) -> Iterator[tuple[str, Judgement]]:
    """What one person's acts of a topic say about each document."""
    by_document: dict[str, list[Event]] = defaultdict(list)
    for act in acts:
        if act.kind in UNDOABLE and act.doc is not None:
            by_document[act.doc].append(act)
    for doc, own in by_document.items():
        yield doc, replayed(own)
