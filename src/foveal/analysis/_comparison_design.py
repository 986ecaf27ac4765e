"""Checked parameters of a comparison, and the settings and notes that report them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import ceil
from typing import Self

import numpy as np

from foveal.analysis._few_topics import few_topics_notes, smallest_difference
from foveal.analysis._intervals import SYMMETRIC, count_outside
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
# For intervals without a test, whose ends are printed with two or three digits.
INTERVAL_RESAMPLES = 1000

OF_ONE_TOPIC = "whatever its p, it shows no real difference"

OF_FEW_TOPICS = "a test misses real differences and overstates those it finds"
# Upper 97.5 % bound (Poisson), in resamples, of a share that no resample shows.
LIMIT_OF_NONE = 3.7

SHOWN_PAIRS = 3
# With a larger alpha, whichever run is ahead would always be called better.
LARGEST_ONE_TAILED = 0.5
# Tolerance for rounding: 1 / 0.05 - 1 needs 19 resamples, not 20.
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
    """The runs that the others are compared with; if none, all pairs are compared."""

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
        """The parameters, checked; None means the test's default."""
        record = TESTS.named(test)
        chosen_tail = chosen(Tail, tail or USUAL_TESTING.tail)
        if chosen_tail not in record.tails:
            raise UsageError(f"the test {record.name} is two-tailed: ask for tail {Tail.TWO.value}")
        between_0_and_1("alpha", alpha)
        if chosen_tail is Tail.ONE and alpha >= LARGEST_ONE_TAILED:
            raise UsageError(f"alpha of a one-tailed test must be below 0.5, got {alpha:g}")
        usual = Correction.NONE if record.corrected else Correction.HOLM
        design = cls(
            record,
            chosen_tail,
            alpha,
            chosen(Correction, correct) if correct else usual,
            chosen(Interval, interval) if interval else record.usual_interval,
            Resamples.seeded(resamples, rng),
            shown_seed(rng),
        )
        if design.resamples.exhaustive and (not record.flips or design.interval in RESAMPLED):
            raise UsageError(
                "all resamples can be taken of the test randomization alone, and not of intervals that"
                " are resampled: ask for a number (--resamples, in Python resamples=)"
            )
        return design

    def outside(self, pairs: int) -> float:
        """The share outside the interval of a difference, at either end.

        With it, an interval of the test's kind excludes 0 exactly where the test finds a difference.
        """
        share = self.alpha if self.tail is Tail.ONE else self.alpha / 2
        is_divided = self.correction is Correction.BONFERRONI
        return share / max(pairs, 1) if is_divided else share

    def errors(self, matrix: ScoreMatrix, p: Floats) -> Floats:
        """The standard error of each p due to resampling; NaN if the test does not resample."""
        if not self.test.resampled or self.test.joint:
            return np.full(len(p), np.nan)
        if self._is_exact(matrix.values):
            return np.zeros(len(p))
        count, factor = self.resamples.count, self._tail_factor
        share = p / factor
        error = np.sqrt(share * (1 - share) / count)
        # If hardly any resample is as extreme, the error covers those that may have been missed.
        is_small = share < 2 / (count + 1)
        return factor * np.where(is_small, (LIMIT_OF_NONE / count - share) / 2, error)

    @property
    def _tail_factor(self) -> int:
        return 2 if self.test.doubles_tails and self.tail is Tail.TWO else 1

    def _is_exact(self, values: Floats) -> bool:
        """True if all resamples of values, runs × topics, are used."""
        return self.test.flips and self.resamples.takes_all_flips(len(differing(values)))

    def _resamples_text(self, values: TopicValues) -> str:
        """The number of resamples, by measure if the numbers differ."""
        count = f"{self.resamples.count:,}"
        texts = [
            f"all {2 ** len(differing(by_run)):,}" if self._is_exact(by_run) else count
            for by_run in values.values
        ]
        return texts[0] if len({*texts}) == 1 else f"by measure {'; '.join(texts)}"

    def settings(self, values: TopicValues) -> dict[str, str]:
        """Settings of the comparison, by names of options."""
        cut = ", cut at the measure's bounds" if self.interval in SYMMETRIC else ""
        settings = {
            "test": self.test.name,
            "tail": self.tail.value,
            "alpha": f"{self.alpha:g}",
            "correct": self.correction.value,
            "interval": self.interval.value,
            "interval of means": f"{100 * (1 - self.alpha):g} %{cut}",
            "interval of differences": f"{self._level_text()}{cut}",
            "compared topics": str(len(values.topics)),
        }
        if self.baselines:
            settings["baseline"] = ", ".join(self.baselines)
        if self.test.resampled or self.interval in RESAMPLED:
            settings["resamples"] = self._resamples_text(values)
            if self.interval in RESAMPLED or not all(map(self._is_exact, values.values)):
                settings["seed"] = self.seed
        return settings

    def _level_text(self) -> str:
        """The level of the intervals of differences, with its reason."""
        is_one_tailed = self.tail is Tail.ONE
        level = f"{100 * (1 - (2 if is_one_tailed else 1) * self.alpha):g} %"
        reason = ", as the test is one-tailed" if is_one_tailed else ""
        if self.correction is Correction.BONFERRONI or self._holds_together():
            return f"{level} for all pairs together{reason}"
        if self.correction is not Correction.NONE:
            return f"{level} for each pair{reason}, not corrected"
        return level + reason

    def _holds_together(self) -> bool:
        return self.test.corrected and self.interval is Interval.ANOVA

    def notes(
        self, values: TopicValues, pairs: pl.DataFrame, effects: pl.DataFrame
    ) -> Iterator[str]:
        """Notes that a reader needs before believing the numbers."""
        topics = len(values.topics)
        smallest = smallest_difference(values.values[0], self.alpha)
        power = (
            f"show a difference of {smallest:.2g} by {values.measures[0]} four times in five, and"
            " smaller ones less often"
        )
        in_range = smallest < np.ptp(values.bounds[0])
        yield from few_topics_notes(topics, OF_ONE_TOPIC, OF_FEW_TOPICS, power if in_range else "")
        by_measure = len(pairs) // len(values.measures)
        yield from self._leniency_notes(by_measure)
        if self.test.corrected and self.correction is not Correction.NONE:
            yield (
                f"{self.test.name} already holds for all pairs together:"
                f" {self.correction.value} corrects a second time"
            )
        yield from self._untested_notes(pairs, topics)
        yield from self._resamples_notes(by_measure, values)
        yield from self._doubtful_notes(pairs)
        if topics > 1:
            yield from self._disagreement_notes(pairs, effects)

    def group_notes(
        self, values: TopicValues, pairs: pl.DataFrame, effects: pl.DataFrame
    ) -> Iterator[str]:
        """The notes on a group: those that depend on its scores."""
        topics = len(values.topics)
        yield from self._untested_notes(pairs, topics)
        yield from self._doubtful_notes(pairs)
        if topics > 1:
            yield from self._disagreement_notes(pairs, effects)

    def _doubtful_notes(self, pairs: pl.DataFrame) -> Iterator[str]:
        """Note: verdicts that other resamples might reverse."""
        distance = (pl.col(columns.ADJUSTED_P) - self.alpha).abs()
        doubtful = pairs.filter(distance < 2 * pl.col(columns.P_ERROR))
        if len(doubtful):
            texts = [
                f"{better}:{worse} {p:.4f} ± {error:.4f}"
                for better, worse, p, error in doubtful.select(
                    columns.BETTER, columns.WORSE, columns.ADJUSTED_P, columns.P_ERROR
                )
                .head(SHOWN_PAIRS)
                .iter_rows()
            ]
            verb = "is" if len(doubtful) == 1 else "are"
            ellipsis = ", …" if len(doubtful) > SHOWN_PAIRS else ""
            yield (
                f"{counted(len(doubtful), 'pair')} {verb} within the error of resampling of alpha"
                f" {self.alpha:g}: {', '.join(texts)}{ellipsis}"
            )

    def _leniency_notes(self, pairs: int) -> Iterator[str]:
        """Note: reasons why the test is lenient, and options that are stricter."""
        reasons, options, arguments = [], [], []
        if self.tail is Tail.ONE and not self.baselines:
            reasons.append("it is one-tailed in the direction that the data show")
            options.append("--tail two")
            arguments.append('tail="two"')
        if pairs > 1 and self.correction is Correction.NONE and not self.test.corrected:
            reasons.append(f"p is not corrected for the {pairs:,} pairs")
            options.append("--correct holm")
            arguments.append('correct="holm"')
        if reasons:
            yield (
                f"this test is lenient: {', and '.join(reasons)}; a stricter one is"
                f" {' '.join(options)} (in Python {', '.join(arguments)})"
            )

    def _untested_notes(self, pairs: pl.DataFrame, topics: int) -> Iterator[str]:
        untested = pairs.filter(pl.col(columns.P).is_null())
        if len(untested) and topics > 1:
            better, worse = untested.select(columns.BETTER, columns.WORSE).row(0)
            yield (
                f"{self.test.name} needs a spread and cannot test {counted(len(untested), 'pair')} of"
                f" runs that differ by the same amount on every topic, first {better} and {worse}"
                " (randomization can)"
            )

    def _resamples_notes(self, pairs: int, values: TopicValues) -> Iterator[str]:
        """Notes: resamples too few for a small p, or for the ends of intervals."""
        count = self.resamples.count
        divides_alpha = self.correction in {Correction.BONFERRONI, Correction.HOLM}
        smallest = self.alpha / max(pairs, 1) if divides_alpha else self.alpha
        by = f" over {counted(pairs, 'pair')} corrected by {self.correction.value}"
        enough = f"small enough for alpha {self.alpha:g}{by if divides_alpha and pairs > 1 else ''}"
        needed = ceil(self._tail_factor / smallest - 1 - ROUNDING)
        is_exact = [self._is_exact(by_run) for by_run in values.values]
        if self.test.resampled and count < needed and not all(is_exact):
            yield (
                f"{counted(count, 'resample')} cannot make p {enough}, so no difference can be"
                f" significant: ask for {needed:,} or more (--resamples, in Python resamples=)"
                f"{', or compare fewer pairs (--top, --baseline)' if divides_alpha and pairs > 1 else ''}"
            )
        for measure, by_run, exact in zip(values.measures, values.values, is_exact, strict=True):
            topics = len(differing(by_run))
            smallest_p = 2.0 ** ((self.tail is Tail.TWO) - topics)
            if exact and topics and smallest_p > smallest + ROUNDING:
                yield (
                    f"runs differ by {measure} on {counted(topics, 'topic')}, which cannot make p"
                    f" {enough} (uncorrected it is at least {min(1.0, smallest_p):.2g}): no difference can be"
                    " significant"
                )
        ends = min(self.alpha / 2, self.outside(pairs))
        if self.interval in RESAMPLED and not count_outside(count, ends):
            yield (
                f"{counted(count, 'resample')} cannot tell where such wide intervals end, so some"
                f" are missing: ask for {ceil(1 / ends - 1 - ROUNDING):,} or more (--resamples, in"
                " Python resamples=)"
            )

    def _disagreement_notes(self, pairs: pl.DataFrame, effects: pl.DataFrame) -> Iterator[str]:
        """Notes: intervals of differences that contradict the test, with the reason."""
        low, high = effects[columns.LOW], effects[columns.HIGH]
        # Null if the interval is unknown, which contradicts nothing.
        excludes, significant = (low > 0) | (high < 0), pairs[columns.SIGNIFICANT]
        for contradicts, text in (
            (significant & ~excludes, "significant, but the interval of the difference contains 0"),
            (
                ~significant & excludes,
                "not significant, but the interval of the difference excludes 0",
            ),
        ):
            contradictions = pairs.filter(contradicts)
            if len(contradictions):
                measure, better, worse = contradictions.row(0)[:3]
                verb = "is" if len(contradictions) == 1 else "are"
                summary = f"{len(contradictions):,} of {counted(len(pairs), 'pair')} {verb} {text}"
                example = f", first {better} and {worse} by {measure}" if len(pairs) > 1 else ""
                one_pair = len(pairs) == pairs[columns.MEASURE].n_unique()
                yield f"{summary}{example}: {self._disagreement_reason(one_pair=one_pair)}"

    def _disagreement_reason(self, *, one_pair: bool) -> str:
        is_directed = self.tail is Tail.ONE and len(self.baselines) > 0
        reasons = ["a run is tested for being better than the baseline, not worse"] * is_directed
        if self.correction in {Correction.HOLM, Correction.BH} and not one_pair:
            reasons.append(f"p is corrected by {self.correction.value}, intervals are not")
        elif self.test.corrected and not self._holds_together():
            reasons.append(f"{self.test.name} holds for all pairs together, an interval for one")
        if self.interval is not self.test.interval:
            kinds = f"the test ({self.test.name}) and the interval ({self.interval.value})"
            agreeing = self.test.interval
            hint = f" (--interval {agreeing.value} goes with the test)" if agreeing else ""
            reasons.append(f"{kinds} are of different kinds{hint}")
        return "; ".join(reasons) or "the two differ by rounding"


class GroupResults:
    """A result on all topics, and in `groups` one for each group, if topics are in groups."""

    groups: Mapping[str, Self]

    def by_group(self, frame: Callable[[Self], pl.DataFrame]) -> pl.DataFrame:
        """A frame of the result and of each group, concatenated, with a column `group`.

        The rows of all topics come first. Without groups, it is the result's own frame.
        """
        if not self.groups:
            return frame(self)
        results = {columns.ALL_TOPICS: self, **self.groups}
        return pl.concat(
            frame(result).select(pl.lit(name).alias(columns.GROUP), pl.all())
            for name, result in results.items()
        )
