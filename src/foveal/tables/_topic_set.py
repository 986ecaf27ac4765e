"""The one decision which topics count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Self

import numpy as np

from foveal.choices import TopicSet
from foveal.errors import (
    DataError,
    UsageError,
    counted,
    did_you_mean,
    shortened,
    shortened_list,
    value_text,
)
from foveal.frozen import frozen
from foveal.spans import Bools, Ints


@frozen
class ChosenTopics:
    """Topics that alone count, each as often as it was listed; `source` is the list's file, if any."""

    times: Mapping[str, int]
    source: str = ""

    @classmethod
    def of(cls, topics: Iterable[object], known: Sequence[str], judged: str, source: str) -> Self:
        """The topics of a list; those that are not judged, and an empty list, are refused."""
        if isinstance(topics, str):
            raise UsageError(f"only must be a list of topics, got the text {shortened(topics)!r}")
        if isinstance(topics, Mapping | bytes) or not isinstance(topics, Iterable):
            raise UsageError(f"only must be a list of topics, got {value_text(topics)}")
        listed, judged_topics = list(map(str, topics)), set(known)
        unknown = [topic for topic in dict.fromkeys(listed) if topic not in judged_topics]
        place = f"{source}: " if source else ""
        if unknown:
            raise DataError(
                f"{place}{counted(len(unknown), 'topic')} not judged in {judged}:"
                f" {_some(unknown)}{did_you_mean(unknown[0], known)}"
            )
        if not listed:
            raise DataError(f"{place}no topics are listed, so none would count")
        return cls(dict(Counter(listed)), source)

    @property
    def repeated(self) -> dict[str, int]:
        """How often topics count that count more than once."""
        return {topic: times for topic, times in self.times.items() if times > 1}

    def __str__(self) -> str:
        every, different = sum(self.times.values()), len(self.times)
        distinct = f", {different:,} different" if different < every else ""
        return f"{counted(every, 'topic')}{distinct} ({self.source or _some(list(self.times))})"

    def notes(self) -> list[str]:
        """That some topics count more than once."""
        often = [f"{topic} ({times:,} times)" for topic, times in self.repeated.items()]
        if not often:
            return []
        return [
            f"{counted(len(often), 'topic')} listed more than once, shown once and counted as often as"
            f" listed: {_some(often)}"
        ]


def _some(names: Sequence[str]) -> str:
    """The first of some names, which come from anywhere, and how many more there are."""
    return shortened_list(list(map(shortened, names)))


def eligible_topics(relevant: Ints, *, every: bool = False) -> Bools:
    """Topics with something relevant: on the others no measure of recall is defined.

    With `every`, all judged topics, as in trec_eval.
    """
    return np.ones(len(relevant), dtype=bool) if every else relevant > 0


def evaluated_topics(eligible: Bools, retrieved: Ints, topics: TopicSet) -> Ints:
    """The topics that are scored, given which are eligible and which a run has results for."""
    counted = eligible.copy()
    if topics is TopicSet.RETRIEVED:
        answered = np.zeros(len(eligible), dtype=bool)
        answered[retrieved] = True
        counted &= answered
    return np.flatnonzero(counted)


def naming_hint(returned: Sequence[str], judged: Sequence[str]) -> str:
    """What to do if a run names topics by their questions and the judgements by identifiers."""
    texts, others = (all(" " in name.strip() for name in names) for names in (returned, judged))
    if texts == others:
        return ""
    run, qrels = ("texts", "identifiers") if texts else ("identifiers", "texts")
    return (
        f": the run's topics are {run}, those of the judgements {qrels}; give both the same"
        " (foveal.read_topics has the identifier of each question)"
    )
