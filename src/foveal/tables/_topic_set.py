"""The topics that count: chosen, eligible and evaluated ones."""

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
    """The only topics that count, each as often as it was listed; `source` is the list's file, if any."""

    times: Mapping[str, int]
    source: str = ""

    @classmethod
    def of(cls, topics: Iterable[object], allowed: Sequence[str], qrels: str, source: str) -> Self:
        """The topics of a list; those that are not judged, and an empty list, are refused."""
        if isinstance(topics, str):
            raise UsageError(f"only must be a list of topics, got the text {shortened(topics)!r}")
        if isinstance(topics, Mapping | bytes) or not isinstance(topics, Iterable):
            raise UsageError(f"only must be a list of topics, got {value_text(topics)}")
        listed_topics, judged_set = list(map(str, topics)), set(allowed)
        unknown = [topic for topic in dict.fromkeys(listed_topics) if topic not in judged_set]
        prefix = f"{source}: " if source else ""
        if unknown:
            raise DataError(
                f"{prefix}{counted(len(unknown), 'topic')} not judged in {qrels}:"
                f" {_some(unknown)}{did_you_mean(unknown[0], allowed)}"
            )
        if not listed_topics:
            raise DataError(f"{prefix}no topics are listed, so none would count")
        return cls(dict(Counter(listed_topics)), source)

    @property
    def repeated(self) -> dict[str, int]:
        """The count of each topic that counts more than once."""
        return {topic: times for topic, times in self.times.items() if times > 1}

    def __str__(self) -> str:
        total, topics = sum(self.times.values()), len(self.times)
        distinct = f", {topics:,} different" if topics < total else ""
        return f"{counted(total, 'topic')}{distinct} ({self.source or _some(list(self.times))})"

    def notes(self) -> list[str]:
        """Note: topics that count more than once."""
        repeated = [f"{topic} ({times:,} times)" for topic, times in self.repeated.items()]
        if not repeated:
            return []
        return [
            f"{counted(len(repeated), 'topic')} listed more than once, shown once and counted as often as"
            f" listed: {_some(repeated)}"
        ]


def _some(names: Sequence[str]) -> str:
    """The first of the names, each shortened, and the number of the others."""
    return shortened_list(list(map(shortened, names)))


def eligible_topics(relevant: Ints, *, all_judged: bool = False) -> Bools:
    """Mask: topics with something relevant; on others recall is undefined.

    With `all_judged`, all judged topics, as in trec_eval.
    """
    return np.ones(len(relevant), dtype=bool) if all_judged else relevant > 0


def evaluated_topics(eligible: Bools, retrieved: Ints, topics: TopicSet) -> Ints:
    """The topics to score: eligible ones, all of them or only those a run has results for."""
    is_evaluated = eligible.copy()
    if topics is TopicSet.RETRIEVED:
        has_results = np.zeros(len(eligible), dtype=bool)
        has_results[retrieved] = True
        is_evaluated &= has_results
    return np.flatnonzero(is_evaluated)


def naming_hint(returned: Sequence[str], judged: Sequence[str]) -> str:
    """Advice for a run that names topics by their questions, where judgements use identifiers."""
    in_run, in_qrels = (all(" " in name.strip() for name in names) for names in (returned, judged))
    if in_run == in_qrels:
        return ""
    run, qrels = ("texts", "identifiers") if in_run else ("identifiers", "texts")
    return (
        f": the run's topics are {run}, those of the judgements {qrels}; give both the same"
        " (foveal.read_topics has the identifier of each question)"
    )
