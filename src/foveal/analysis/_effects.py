"""How large a difference is, besides whether it is significant."""

from __future__ import annotations

import numpy as np

from foveal.analysis._trial import Trial, Words
from foveal.analysis.joint_tests import Anova
from foveal.analysis.paired_tests import paired_t
from foveal.frozen import frozen
from foveal.spans import Floats, Ints
from foveal.tables import EQUAL_WITHIN


@frozen(eq=False)
class Effects:
    """One entry per pair.

    `effect` is the mean difference over a standard deviation (that of the differences, or what the
    model of all runs leaves unexplained); `superiority` the share of topics on which the better
    run wins, ties counting half; `deciding` the fewest topics without which it would not be ahead.
    """

    effect: Floats
    superiority: Floats
    wins: Ints
    ties: Ints
    losses: Ints
    deciding: Ints
    status: Words


def effects(trial: Trial, *, joint: bool) -> Effects:
    """The effects of all pairs."""
    counts = trial.over_pairs(_counted).astype(np.int64)
    wins, ties, losses, deciding = counts
    status = trial.over_pairs(lambda differences: paired_t(differences).status)
    if joint:
        deviation = np.full(len(status), np.sqrt(Anova.of(trial.values).residual))
    else:
        deviation = trial.over_pairs(lambda differences: paired_t(differences).deviation)
    spread = deviation > EQUAL_WITHIN
    effect = np.where(spread, trial.differences / np.where(spread, deviation, 1.0), np.nan)
    return Effects(effect, (wins + ties / 2) / trial.topics, wins, ties, losses, deciding, status)


def leading_topics(trial: Trial) -> Ints:
    """The places of the topics most favourable to the better run, pairs × topics."""

    def led(differences: Floats) -> Ints:
        return np.argsort(-differences, axis=1, kind="stable").T

    return trial.over_pairs(led).T


def _counted(differences: Floats) -> Floats:
    """Wins, ties, losses and deciding topics of each pair, as rows."""
    wins = (differences > EQUAL_WITHIN).sum(axis=1)
    losses = (differences < -EQUAL_WITHIN).sum(axis=1)
    ahead = differences.sum(axis=1)
    best_first = -np.sort(-differences, axis=1)
    left = ahead[:, None] - np.cumsum(best_first, axis=1)
    # How many of its best topics can be taken away, one by one, before the run is not ahead.
    slack = EQUAL_WITHIN * differences.shape[1]
    deciding = np.where(ahead > slack, (left > slack).sum(axis=1) + 1, 0)
    return np.stack([wins, differences.shape[1] - wins - losses, losses, deciding]).astype(float)
