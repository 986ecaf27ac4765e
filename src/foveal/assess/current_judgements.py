"""Current judgements of all people, replayed from the log as it grows."""

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
    """The current judgements of a campaign; only new events are read and replayed."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self._last_numbers: dict[str, int] = defaultdict(int)
        self._judgements: dict[str, dict[TopicDocument, Judgement]] = defaultdict(dict)
        # By person, then by topic.
        self._times: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        self._imported: dict[str, set[TopicDocument]] = defaultdict(set)
        self._keywords: dict[str, dict[str, str]] = defaultdict(dict)

    def of(self, name: str) -> Mapping[TopicDocument, Judgement]:
        """A person's current judgement of each document they opened."""
        last = self.campaign.last_number(name)
        if not self._last_numbers[name]:
            self._read_all(name)
        elif last > self._last_numbers[name]:
            self._read_new(name)
        self._last_numbers[name] = last
        return self._judgements[name]

    def times(self, name: str, topic: str | None = None) -> Sequence[int]:
        """Times of a person's acts in the browser, by its clock; on one topic or on all."""
        self.of(name)
        by_topic = self._times[name]
        return list(chain.from_iterable(by_topic.values())) if topic is None else by_topic[topic]

    def imported(self, name: str) -> Set[TopicDocument]:
        """The documents whose last `done` event of a person was imported, not made in the browser."""
        self.of(name)
        return self._imported[name]

    def keywords(self, name: str) -> Mapping[str, str]:
        """A person's keywords for each topic."""
        self.of(name)
        return self._keywords[name]

    def finished(
        self, role: Role = Role.ASSESSOR
    ) -> Mapping[TopicDocument, Mapping[str, Judgement]]:
        """Judgements of finished documents by the people of a role: by document, then by name."""
        finished: dict[TopicDocument, dict[str, Judgement]] = defaultdict(dict)
        for person in self.campaign.people:
            if person.role is role:
                for key, judgement in self.of(person.name).items():
                    if judgement.done:
                        finished[key][person.name] = judgement
        return finished

    def _read_all(self, name: str) -> None:
        for topic, doc, log in self.campaign.logs(name):
            self._record(name, log)
            # Events with keywords have a topic but no document.
            if topic is not None and doc is not None:
                self._judgements[name][TopicDocument(topic, doc)] = replayed(log)

    def _read_new(self, name: str) -> None:
        events = self.campaign.events(assessor=name, after=self._last_numbers[name])
        self._record(name, events)
        for topic, doc in {(event.topic, event.doc) for event in events}:
            if topic is not None and doc is not None:
                self._judgements[name][TopicDocument(topic, doc)] = self.campaign.judgement(
                    name, topic, doc
                )

    def _record(self, name: str, log: Iterable[Event]) -> None:
        for event in log:
            is_imported = event.tab == IMPORT_TAB
            if not is_imported:
                self._times[name][event.topic or ""].append(event.at_client)
            if event.kind is EventKind.DONE:
                key = TopicDocument(event.topic or "", event.doc or "")
                (self._imported[name].add if is_imported else self._imported[name].discard)(key)
            if event.kind is EventKind.KEYWORD:
                self._keywords[name][event.topic or ""] = event.value or ""


def disputed(finished: Mapping[TopicDocument, Mapping[str, Judgement]]) -> list[TopicDocument]:
    """The documents that two or more people finished with different highlights."""
    return [
        key
        for key, by_name in finished.items()
        if len({judgement.spans for judgement in by_name.values()}) > 1
    ]
