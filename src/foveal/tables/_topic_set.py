"""The one decision which topics count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from foveal.choices import TopicSet

if TYPE_CHECKING:
    from foveal.spans import Bools, Ints


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
