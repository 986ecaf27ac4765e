"""Current judgements of all people; only what has changed is replayed again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain
from typing import NamedTuple

from foveal.assess.campaign import Campaign
from foveal.assess.events import IMPORT_TAB, Event, EventKind
from foveal.assess.replay import Judgement, replayed
from foveal.assess.schema import Role


class TopicDocument(NamedTuple):
    """A document of a topic."""

    topic: str
    doc: str


class CurrentJudgements:
    """The judgements of a campaign, kept while its log grows."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self._read: dict[str, int] = defaultdict(int)
        self._said: dict[str, dict[TopicDocument, Judgement]] = defaultdict(dict)
        # By person, then by topic.
        self._times: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        self._imported: dict[str, set[TopicDocument]] = defaultdict(set)
        self._keywords: dict[str, dict[str, str]] = defaultdict(dict)

    def of(self, name: str) -> Mapping[TopicDocument, Judgement]:
        """A person's current judgement of each document they opened."""
        last = self.campaign.last_number(name)
        if not self._read[name]:
            self._read_all(name)
        elif last > self._read[name]:
            self._read_later(name)
        self._read[name] = last
        return self._said[name]

    def times(self, name: str, topic: str | None = None) -> Sequence[int]:
        """When somebody did anything in the browser, for one topic or any, by its clock."""
        self.of(name)
        own = self._times[name]
        return list(chain.from_iterable(own.values())) if topic is None else own[topic]

    def imported(self, name: str) -> Set[TopicDocument]:
        """The documents that somebody finished last by an import, not in the browser."""
        self.of(name)
        return self._imported[name]

    def keywords(self, name: str) -> Mapping[str, str]:
        """What somebody looks for in the documents of each topic."""
        self.of(name)
        return self._keywords[name]

    def finished(
        self, role: Role = Role.ASSESSOR
    ) -> Mapping[TopicDocument, Mapping[str, Judgement]]:
        """What is said about documents by those of a role who have finished them, by name."""
        finished: dict[TopicDocument, dict[str, Judgement]] = defaultdict(dict)
        for person in self.campaign.people:
            if person.role is role:
                for place, judgement in self.of(person.name).items():
                    if judgement.done:
                        finished[place][person.name] = judgement
        return finished

    def _read_all(self, name: str) -> None:
        for topic, doc, log in self.campaign.logs(name):
            self._keep_rest(name, log)
            # Keywords are of a topic alone.
            if topic is not None and doc is not None:
                self._said[name][TopicDocument(topic, doc)] = replayed(log)

    def _read_later(self, name: str) -> None:
        later = self.campaign.events(assessor=name, after=self._read[name])
        self._keep_rest(name, later)
        for topic, doc in {(event.topic, event.doc) for event in later}:
            if topic is not None and doc is not None:
                self._said[name][TopicDocument(topic, doc)] = self.campaign.judgement(
                    name, topic, doc
                )

    def _keep_rest(self, name: str, log: Iterable[Event]) -> None:
        for event in log:
            is_imported = event.tab == IMPORT_TAB
            if not is_imported:
                self._times[name][event.topic or ""].append(event.at_client)
            if event.kind is EventKind.DONE:
                place = TopicDocument(event.topic or "", event.doc or "")
                (self._imported[name].add if is_imported else self._imported[name].discard)(place)
            if event.kind is EventKind.KEYWORD:
                self._keywords[name][event.topic or ""] = event.value or ""


def disputed(finished: Mapping[TopicDocument, Mapping[str, Judgement]]) -> list[TopicDocument]:
    """The documents that two or more have finished with different text."""
    return [
        place
        for place, by_name in finished.items()
        if len({judgement.spans for judgement in by_name.values()}) > 1
    ]
