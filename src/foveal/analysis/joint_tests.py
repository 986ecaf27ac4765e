"""Tests of all runs together: a score is a run's effect plus a topic's effect plus a residual."""

from __future__ import annotations

import numpy as np

from foveal.analysis._significance_test import ScoreMatrix, significance_test
from foveal.analysis._studentized_range import studentized_range_tail
from foveal.analysis.paired_tests import LEAST, t_tails
from foveal.choices import Interval, Tail
from foveal.frozen import frozen
from foveal.spans import Floats
from foveal.tables import EQUAL_WITHIN, columns

PLACE_IN_LISTS = 30


@frozen
class Anova:
    """A two-way analysis of variance without replication: runs × topics."""

    runs: int
    topics: int
    run_squares: float
    topic_squares: float
    residual_squares: float

    @classmethod
    def of(cls, values: Floats) -> Anova:
        """The analysis of values, runs × topics."""
        runs, topics = values.shape
        centred = values - values.mean()
        by_run, by_topic = centred.mean(axis=1), centred.mean(axis=0)
        residual = centred - by_run[:, None] - by_topic
        return cls(
            runs,
            topics,
            topics * float(by_run @ by_run),
            runs * float(by_topic @ by_topic),
            float((residual**2).sum()),
        )

    @property
    def freedom(self) -> int:
        """The degrees of freedom of the residual."""
        return (self.runs - 1) * (self.topics - 1)

    @property
    def residual(self) -> float:
        """The residual variance; NaN if runs and topics explain everything."""
        # A residual of 1e-12 a score is rounding: its square, times the number of scores.
        noise = EQUAL_WITHIN**2 * self.runs * self.topics
        return self.residual_squares / self.freedom if self.residual_squares > noise else np.nan

    def sources(self) -> list[dict[str, str | float | int | None]]:
        """The rows of the table of variance, p by the F distribution."""
        from scipy.special import fdtrc

        rows: list[dict[str, str | float | int | None]] = []
        for source, squares, freedom in (
            ("runs", self.run_squares, self.runs - 1),
            ("topics", self.topic_squares, self.topics - 1),
            ("residual", self.residual_squares, self.freedom),
        ):
            f = p = None
            if source != "residual" and freedom and not np.isnan(self.residual):
                f = squares / freedom / self.residual
                p = max(float(fdtrc(freedom, self.freedom, f)), float(LEAST))
            rows.append(
                {
                    columns.SOURCE: source,
                    columns.SQUARES: squares,
                    columns.FREEDOM: freedom,
                    columns.F: f,
                    columns.P: p,
                    columns.OMEGA: _omega_squared(f, freedom, self.runs * self.topics),
                    columns.PARTIAL_ETA: None
                    if f is None
                    else squares / (squares + self.residual_squares),
                }
            )
        return rows


def _omega_squared(f: float | None, freedom: int, scores: int) -> float | None:
    """The share of the variance that a source explains, without bias; None where F is unknown."""
    return None if f is None else freedom * (f - 1) / (freedom * (f - 1) + scores)


@significance_test(
    name="tukey",
    title="Tukey's honestly significant differences, two-way",
    cite="Tukey 1949; Sakai 2018",
    tails=(Tail.TWO,),
    interval=Interval.ANOVA,
    joint=True,
    corrected=True,
    advice="Holds for all pairs together; assumes that residuals have equal variances.",
)
def tukey(matrix: ScoreMatrix) -> Floats:
    """Whether a difference is large compared with the range that equal runs would have."""
    analysis = Anova.of(matrix.values)
    error = np.sqrt(analysis.residual / matrix.topics)
    spans = np.abs(matrix.differences) / error
    tails = studentized_range_tail(spans, analysis.runs, max(analysis.freedom, 1))
    return _settled(matrix, np.clip(tails, LEAST, 1.0))


@significance_test(
    name="tukey-rand",
    title="Tukey's honestly significant differences, randomised",
    cite="Carterette 2012",
    tails=(Tail.TWO,),
    resampled=True,
    joint=True,
    corrected=True,
    advice="Holds for all pairs together, for runs that are about equally variable: one very different"
    " run hides the differences of the others.",
)
def tukey_rand(matrix: ScoreMatrix) -> Floats:
    """How often a range as large comes about when each topic's scores are dealt to runs at random."""
    # In order of name, so that every measure has the same shuffles, whichever run is best.
    shuffles = matrix.resamples.shuffles(matrix.values[matrix.by_name])
    blocks = [np.ptp(dealt.mean(axis=1), axis=1) for dealt in shuffles]
    ranges = np.sort(np.concatenate(blocks))
    smaller = np.searchsorted(ranges, np.abs(matrix.differences) - matrix.slack, side="left")
    return (len(ranges) - smaller + 1) / (len(ranges) + 1)


@significance_test(
    name="anova",
    title="two-way analysis of variance, least significant differences",
    cite="Tague-Sutcliffe and Blustein 1995",
    interval=Interval.ANOVA,
    joint=True,
    shows_variance=True,
    advice="Look at the p of the runs first: the pairs are not corrected for their number.",
)
def anova(matrix: ScoreMatrix) -> Floats:
    """Whether a difference is large compared with the residual variance of all runs."""
    analysis = Anova.of(matrix.values)
    ahead = np.abs(matrix.differences) if matrix.tail is Tail.TWO else matrix.differences
    t = ahead / np.sqrt(2 * analysis.residual / matrix.topics)
    return _settled(matrix, np.minimum(1.0, t_tails(t, analysis.freedom, matrix.tail)))


def _settled(matrix: ScoreMatrix, p: Floats) -> Floats:
    """p-values; 1 where the means are equal, whatever the residual."""
    return np.where(np.abs(matrix.differences) <= matrix.slack, 1.0, p)
