"""The choices of a comparison, checked, with the settings and notes that report them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import ceil
from typing import Self

import numpy as np

from foveal.analysis._few_topics import few_topics_notes, smallest_difference
from foveal.analysis._intervals import SYMMETRIC, places_outside
from foveal.analysis._resamples import Resamples, Seed, between_0_and_1, shown_seed
from foveal.analysis._significance_test import TESTS, ScoreMatrix, TestRecord, differing
from foveal.analysis._topic_values import TopicValues
from foveal.choices import Correction, Interval, Tail, chosen
from foveal.conventions import USUAL_TESTING
from foveal.errors import UsageError, counted
from foveal.frozen import frozen
from foveal.late import pl
from foveal.spans import Floats
from foveal.tables import columns

ALPHA, SEED = USUAL_TESTING.alpha, USUAL_TESTING.rng
# Of intervals alone, whose ends are shown with two or three digits.
INTERVAL_RESAMPLES = 1000

OF_ONE_TOPIC = "whatever its p, it shows no real difference"

OF_FEW_TOPICS = "a test misses real differences and overstates those it finds"
# Of a share that no resample shows, the upper bound at 97.5 % (Poisson), in resamples.
LIMIT_OF_NONE = 3.7

SHOWN_PAIRS = 3
# With a larger alpha the run that happens to be ahead would always be called better.
LARGEST_ONE_TAILED = 0.5
# So that 1 / 0.05 - 1 needs 19 resamples, not 20.
ROUNDING = 1e-9

RESAMPLED = frozenset({Interval.PERCENTILE, Interval.BCA})


@frozen
class ComparisonDesign:
    """Checked parameters of a comparison."""

    test: TestRecord
    tail: Tail
    alpha: float
    correction: Correction
    interval: Interval
    resamples: Resamples
    seed: str
    baselines: tuple[str, ...] = ()
    """The runs that alone the others are compared with; none: all pairs."""

    @classmethod
    def of(
        cls,
        test: str,
        tail: Tail | str | None,
        alpha: float,
        correct: Correction | str | None,
        interval: Interval | str | None,
        resamples: int | str,
        rng: Seed,
    ) -> ComparisonDesign:
        """The choices, refused where they make no sense; None is the test's default."""
        record = TESTS.named(test)
        asked = chosen(Tail, tail or USUAL_TESTING.tail)
        if asked not in record.tails:
            raise UsageError(f"the test {record.name} is two-tailed: ask for tail {Tail.TWO.value}")
        between_0_and_1("alpha", alpha)
        if asked is Tail.ONE and alpha >= LARGEST_ONE_TAILED:
            raise UsageError(f"alpha of a one-tailed test must be below 0.5, got {alpha:g}")
        usual = Correction.NONE if record.corrected else Correction.HOLM
        plan = cls(
            record,
            asked,
            alpha,
            chosen(Correction, correct) if correct else usual,
            chosen(Interval, interval) if interval else record.usual_interval,
            Resamples.drawn(resamples, rng),
            shown_seed(rng),
        )
        if plan.resamples.never_drawn and (not record.flips or plan.interval in RESAMPLED):
            raise UsageError(
                "all resamples can be taken of the test randomization alone, and not of intervals that"
                " are resampled: ask for a number (--resamples, in Python resamples=)"
            )
        return plan

    def outside(self, pairs: int) -> float:
        """The share that the interval of a difference leaves out at either end.

        With it, an interval of the test's kind excludes 0 exactly where the test finds a difference.
        """
        at_one_end = self.alpha if self.tail is Tail.ONE else self.alpha / 2
        many = self.correction is Correction.BONFERRONI
        return at_one_end / max(pairs, 1) if many else at_one_end

    def errors(self, matrix: ScoreMatrix, p: Floats) -> Floats:
        """The standard error of each p that resampling leaves; not a number where there is none."""
        if not self.test.resampled or self.test.joint:
            return np.full(len(p), np.nan)
        if self._is_exact(matrix.values):
            return np.zeros(len(p))
        drawn, halves = self.resamples.count, self._halves
        share = p / halves
        error = np.sqrt(share * (1 - share) / drawn)
        # Where no resample is as extreme, the error reaches up to what might have been missed.
        is_least = share < 2 / (drawn + 1)
        return halves * np.where(is_least, (LIMIT_OF_NONE / drawn - share) / 2, error)

    @property
    def _halves(self) -> int:
        return 2 if self.test.doubles_tails and self.tail is Tail.TWO else 1

    def _is_exact(self, values: Floats) -> bool:
        """Whether all resamples of values, runs × topics, are taken."""
        return self.test.flips and self.resamples.takes_all_flips(len(differing(values)))

    def _taken(self, values: TopicValues) -> str:
        """How many resamples were taken, in the order of measures where that is not the same."""
        drawn = f"{self.resamples.count:,}"
        taken = [
            f"all {2 ** len(differing(own)):,}" if self._is_exact(own) else drawn
            for own in values.values
        ]
        return taken[0] if len({*taken}) == 1 else f"by measure {'; '.join(taken)}"

    def settings(self, values: TopicValues) -> dict[str, str]:
        """What a reader of the numbers must know, by option names."""
        cut = ", cut at the measure's bounds" if self.interval in SYMMETRIC else ""
        shown = {
            "test": self.test.name,
            "tail": self.tail.value,
            "alpha": f"{self.alpha:g}",
            "correct": self.correction.value,
            "interval": self.interval.value,
            "interval of means": f"{100 * (1 - self.alpha):g} %{cut}",
            "interval of differences": f"{self._level()}{cut}",
            "compared topics": str(len(values.topics)),
        }
        if self.baselines:
            shown["baseline"] = ", ".join(self.baselines)
        if self.test.resampled or self.interval in RESAMPLED:
            shown["resamples"] = self._taken(values)
            if self.interval in RESAMPLED or not all(map(self._is_exact, values.values)):
                shown["seed"] = self.seed
        return shown

    def _level(self) -> str:
        """The level of the intervals of differences, and why it is that."""
        one = self.tail is Tail.ONE
        level = f"{100 * (1 - (2 if one else 1) * self.alpha):g} %"
        why = ", as the test is one-tailed" if one else ""
        if self.correction is Correction.BONFERRONI or self._holds_together():
            return f"{level} for all pairs together{why}"
        if self.correction is not Correction.NONE:
            return f"{level} for each pair{why}, not corrected"
        return level + why

    def _holds_together(self) -> bool:
        return self.test.corrected and self.interval is Interval.ANOVA

    def notes(
        self, values: TopicValues, pairs: pl.DataFrame, effects: pl.DataFrame
    ) -> Iterator[str]:
        """What a reader should know before believing the numbers."""
        topics = len(values.topics)
        smallest = smallest_difference(values.values[0], self.alpha)
        shown = (
            f"show a difference of {smallest:.2g} by {values.measures[0]} four times in five, and"
            " smaller ones less often"
        )
        is_known = smallest < np.ptp(values.bounds[0])
        yield from few_topics_notes(topics, OF_ONE_TOPIC, OF_FEW_TOPICS, shown if is_known else "")
        by_measure = len(pairs) // len(values.measures)
        yield from self._leniency(by_measure)
        if self.test.corrected and self.correction is not Correction.NONE:
            yield (
                f"{self.test.name} already holds for all pairs together:"
                f" {self.correction.value} corrects a second time"
            )
        yield from self._untested(pairs, topics)
        yield from self._too_few_resamples(by_measure, values)
        yield from self._doubt(pairs)
        if topics > 1:
            yield from self._disagreement(pairs, effects)

    def group_notes(
        self, values: TopicValues, pairs: pl.DataFrame, effects: pl.DataFrame
    ) -> Iterator[str]:
        """Those of the notes that depend on the scores, of which every group has its own."""
        topics = len(values.topics)
        yield from self._untested(pairs, topics)
        yield from self._doubt(pairs)
        if topics > 1:
            yield from self._disagreement(pairs, effects)

    def _doubt(self, pairs: pl.DataFrame) -> Iterator[str]:
        """Which verdicts other resamples might turn around."""
        away = (pl.col(columns.ADJUSTED_P) - self.alpha).abs()
        found = pairs.filter(away < 2 * pl.col(columns.P_ERROR))
        if len(found):
            shown = [
                f"{better}:{worse} {p:.4f} ± {error:.4f}"
                for better, worse, p, error in found.select(
                    columns.BETTER, columns.WORSE, columns.ADJUSTED_P, columns.P_ERROR
                )
                .head(SHOWN_PAIRS)
                .iter_rows()
            ]
            verb = "is" if len(found) == 1 else "are"
            more = ", …" if len(found) > SHOWN_PAIRS else ""
            yield (
                f"{counted(len(found), 'pair')} {verb} within the error of resampling of alpha"
                f" {self.alpha:g}: {', '.join(shown)}{more}"
            )

    def _leniency(self, pairs: int) -> Iterator[str]:
        """In what the test is easier to pass than alpha suggests, and what would be stricter."""
        lenient, stricter, in_python = [], [], []
        if self.tail is Tail.ONE and not self.baselines:
            lenient.append("it is one-tailed in the direction that the data show")
            stricter.append("--tail two")
            in_python.append('tail="two"')
        if pairs > 1 and self.correction is Correction.NONE and not self.test.corrected:
            lenient.append(f"p is not corrected for the {pairs:,} pairs")
            stricter.append("--correct holm")
            in_python.append('correct="holm"')
        if lenient:
            yield (
                f"this test is lenient: {', and '.join(lenient)}; a stricter one is"
                f" {' '.join(stricter)} (in Python {', '.join(in_python)})"
            )

    def _untested(self, pairs: pl.DataFrame, topics: int) -> Iterator[str]:
        untested = pairs.filter(pl.col(columns.P).is_null())
        if len(untested) and topics > 1:
            better, worse = untested.select(columns.BETTER, columns.WORSE).row(0)
            yield (
                f"{self.test.name} needs a spread and cannot test {counted(len(untested), 'pair')} of"
                f" runs that differ by the same amount on every topic, first {better} and {worse}"
                " (randomization can)"
            )

    def _too_few_resamples(self, pairs: int, values: TopicValues) -> Iterator[str]:
        """Whether p, or what an interval leaves out, would be less than one resample."""
        drawn = self.resamples.count
        stepwise = self.correction in {Correction.BONFERRONI, Correction.HOLM}
        smallest = self.alpha / max(pairs, 1) if stepwise else self.alpha
        by = f" over {counted(pairs, 'pair')} corrected by {self.correction.value}"
        enough = f"small enough for alpha {self.alpha:g}{by if stepwise and pairs > 1 else ''}"
        needed = ceil(self._halves / smallest - 1 - ROUNDING)
        is_exact = [self._is_exact(own) for own in values.values]
        if self.test.resampled and drawn < needed and not all(is_exact):
            yield (
                f"{counted(drawn, 'resample')} cannot make p {enough}, so no difference can be"
                f" significant: ask for {needed:,} or more (--resamples, in Python resamples=)"
                f"{', or compare fewer pairs (--top, --baseline)' if stepwise and pairs > 1 else ''}"
            )
        for measure, own, exact in zip(values.measures, values.values, is_exact, strict=True):
            topics = len(differing(own))
            least = 2.0 ** ((self.tail is Tail.TWO) - topics)
            if exact and topics and least > smallest + ROUNDING:
                yield (
                    f"runs differ by {measure} on {counted(topics, 'topic')}, which cannot make p"
                    f" {enough} (uncorrected it is at least {min(1.0, least):.2g}): no difference can be"
                    " significant"
                )
        ends = min(self.alpha / 2, self.outside(pairs))
        if self.interval in RESAMPLED and not places_outside(drawn, ends):
            yield (
                f"{counted(drawn, 'resample')} cannot tell where such wide intervals end, so some"
                f" are missing: ask for {ceil(1 / ends - 1 - ROUNDING):,} or more (--resamples, in"
                " Python resamples=)"
            )

    def _disagreement(self, pairs: pl.DataFrame, effects: pl.DataFrame) -> Iterator[str]:
        """Where the interval of a difference says something else than the test, and why."""
        low, high = effects[columns.LOW], effects[columns.HIGH]
        # Null where the interval is unknown, and then it contradicts nothing.
        excludes, significant = (low > 0) | (high < 0), pairs[columns.SIGNIFICANT]
        for odd, told in (
            (significant & ~excludes, "significant, but the interval of the difference contains 0"),
            (
                ~significant & excludes,
                "not significant, but the interval of the difference excludes 0",
            ),
        ):
            found = pairs.filter(odd)
            if len(found):
                measure, better, worse = found.row(0)[:3]
                are = "is" if len(found) == 1 else "are"
                some = f"{len(found):,} of {counted(len(pairs), 'pair')} {are} {told}"
                first = f", first {better} and {worse} by {measure}" if len(pairs) > 1 else ""
                of_one = len(pairs) == pairs[columns.MEASURE].n_unique()
                yield f"{some}{first}: {self._why_they_disagree(one_pair=of_one)}"

    def _why_they_disagree(self, *, one_pair: bool) -> str:
        one_way = self.tail is Tail.ONE and len(self.baselines) > 0
        reasons = ["a run is tested for being better than the baseline, not worse"] * one_way
        if self.correction in {Correction.HOLM, Correction.BH} and not one_pair:
            reasons.append(f"p is corrected by {self.correction.value}, intervals are not")
        elif self.test.corrected and not self._holds_together():
            reasons.append(f"{self.test.name} holds for all pairs together, an interval for one")
        if self.interval is not self.test.interval:
            kinds = f"the test ({self.test.name}) and the interval ({self.interval.value})"
            own = self.test.interval
            agreeing = f" (--interval {own.value} goes with the test)" if own else ""
            reasons.append(f"{kinds} are of different kinds{agreeing}")
        return "; ".join(reasons) or "the two differ by rounding"


class GroupResults:
    """A result on all topics, and in `groups` the same on each group, if topics are in groups."""

    groups: Mapping[str, Self]

    def by_group(self, frame: Callable[[Self], pl.DataFrame]) -> pl.DataFrame:
        """A frame of the result and of each group, one below the other under a column `group`.

        The rows of all topics come first. Without groups, it is the result's own frame.
        """
        if not self.groups:
            return frame(self)
        every = {columns.ALL_TOPICS: self, **self.groups}
        return pl.concat(
            frame(own).select(pl.lit(name).alias(columns.GROUP), pl.all())
            for name, own in every.items()
        )
