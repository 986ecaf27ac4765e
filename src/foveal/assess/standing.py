"""What everybody says about each document now; only what has changed is replayed again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from foveal.assess.campaign import Campaign
from foveal.assess.records import Role
from foveal.assess.replay import Judgement, replayed

# A topic and a document.
Place = tuple[str, str]


class Standing:
    """The judgements of a campaign, kept while its log grows."""

    def __init__(self, campaign: Campaign) -> None:
        self.campaign = campaign
        self._read: dict[str, int] = defaultdict(int)
        self._said: dict[str, dict[Place, Judgement]] = defaultdict(dict)
        self._times: dict[str, list[int]] = defaultdict(list)

    def of(self, name: str) -> Mapping[Place, Judgement]:
        """What somebody says about each document that they have worked on."""
        last = self.campaign.last_number(name)
        if not self._read[name]:
            self._read_all(name)
        elif last > self._read[name]:
            self._read_later(name)
        self._read[name] = last
        return self._said[name]

    def times(self, name: str) -> Sequence[int]:
        """When somebody did anything, by the clock of their browser."""
        self.of(name)
        return self._times[name]

    def finished(self) -> Mapping[Place, Mapping[str, Judgement]]:
        """What assessors say who have finished a document, by document and name."""
        finished: dict[Place, dict[str, Judgement]] = defaultdict(dict)
        for person in self.campaign.people:
            if person.role is Role.ASSESSOR:
                for place, judgement in self.of(person.name).items():
                    if judgement.done:
                        finished[place][person.name] = judgement
        return finished

    def _read_all(self, name: str) -> None:
        for topic, doc, log in self.campaign.logs(name):
            self._times[name] += [event.at_client for event in log]
            # Keywords are of a topic alone.
            if topic is not None and doc is not None:
                self._said[name][topic, doc] = replayed(log)

    def _read_later(self, name: str) -> None:
        later = self.campaign.events(assessor=name, after=self._read[name])
        self._times[name] += [event.at_client for event in later]
        for topic, doc in {(event.topic, event.doc) for event in later}:
            if topic is not None and doc is not None:
                self._said[name][topic, doc] = self.campaign.judgement(name, topic, doc)
