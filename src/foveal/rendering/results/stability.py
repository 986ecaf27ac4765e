"""Studies of stability: a table by level, and a paragraph about its numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from foveal.choices import Experiment, Form
from foveal.errors import and_list, counted
from foveal.frozen import frozen
from foveal.late import pl
from foveal.rendering._numbers import (
    UNDEFINED,
    hundredths,
    percent,
    rounded,
    rounded_if_known,
    tenths_of_percent,
)
from foveal.rendering._table import Table
from foveal.studies import Stability, StudyFrame
from foveal.tables import EQUAL_WITHIN
from foveal.tables import columns as c

# Voorhees (2000): rankings that agree this well count as the same.
SAME_RANKING = 0.9
TOLERATED_ERROR = 0.05
TIES_ONLY = "Every ranking has nothing but ties: there is no order that could change."
_COEFFICIENTS = {StudyFrame.CURVES: "Kendall's τ", StudyFrame.TAU_AP_CURVES: "τ_AP"}


def tables(study: Stability, form: Form) -> list[Table]:
    """The outcome as tables, with a paragraph in words below the last."""
    *previous_tables, last_table = _VIEWS[study.experiment][0](study)
    first, *other_tables = [*previous_tables, replace(last_table, below=_in_words(study))]
    return [replace(first, settings=study.settings), *other_tables]


def rows(study: Stability) -> pl.DataFrame:
    """A row per measure and level, or per depth or left-out run, with all numbers."""
    key = [c.MEASURE, c.LEVEL]
    if study.experiment in {Experiment.POOL, Experiment.TOPICS}:
        names = {c.MEAN: c.TAU_AP, c.SPREAD: c.TAU_AP_SPREAD}
        tau_ap = study.frames[StudyFrame.TAU_AP_CURVES].rename(names)
        bands = study.frames[StudyFrame.BANDS]
        curves = study.curves.join(bands, on=key, maintain_order="left")
        return curves.join(tau_ap, on=key, maintain_order="left")
    if study.experiment is Experiment.ERROR_RATE:
        ties = study.frames[StudyFrame.TIES].rename({c.SHARE: c.TIES})
        return study.curves.join(ties, on=key, maintain_order="left")
    if study.experiment is Experiment.SWAP:
        return study.frames[StudyFrame.BINS]
    return next(iter(study.frames.values()))


def document(study: Stability) -> dict[str, Any]:
    """The study as a JSON document."""
    return {
        "settings": study.settings,
        **study.frames,
        "reading": _in_words(study),
        "notes": study.notes,
    }


def first_sentence(study: Stability) -> str:
    """The first sentence about the outcome, as the title of a figure."""
    return next(iter(_VIEWS[study.experiment][1](study)), study.summary).removesuffix(".")


def _in_words(study: Stability) -> str:
    """The outcome in words."""
    return " ".join(_VIEWS[study.experiment][1](study))


def _agreement_tables(study: Stability) -> list[Table]:
    unit = "passages" if study.experiment is Experiment.POOL else "topics"
    runs = counted(study.runs, "run")
    ranking = f"the ranking of {runs} by all {unit}: mean ± spread over samples"
    return [
        _spreads(study.frames[name], f"{coefficient} with {ranking}", c.MEAN, rounded)
        for name, coefficient in _COEFFICIENTS.items()
    ]


def _error_tables(study: Stability) -> list[Table]:
    title = f"Error rate over {counted(study.runs * (study.runs - 1) // 2, 'pair')} of runs"
    return [_spreads(study.curves, title, c.RATE, tenths_of_percent)]


def _swap_tables(study: Stability) -> list[Table]:
    title = "The least difference from which fewer than 5 % of the pairs change places"
    frame = study.frames[StudyFrame.NEEDED].select(c.MEASURE, c.LEVEL, c.DIFFERENCE)
    return [_level_table(frame, title, lambda gap: "more" if gap is None else hundredths(gap))]


def _spreads(frame: pl.DataFrame, title: str, value: str, as_text: Callable[[float], str]) -> Table:
    def cell(mean: float | None, spread: float | None) -> str:
        mean_text = UNDEFINED if mean is None else as_text(mean)
        return mean_text if mean is None or spread is None else f"{mean_text} ± {as_text(spread)}"

    return _level_table(frame.select(c.MEASURE, c.LEVEL, value, c.SPREAD), title, cell)


def _level_table(frame: pl.DataFrame, title: str, cell: Callable[..., str]) -> Table:
    """A row per measure, a column per level; `cell` formats the other columns as one cell."""
    levels = frame[c.LEVEL].unique(maintain_order=True).to_list()
    rows = [
        [str(measure), *(cell(*row) for row in measure_rows.drop(c.MEASURE, c.LEVEL).iter_rows())]
        for (measure,), measure_rows in frame.group_by(c.MEASURE, maintain_order=True)
    ]
    return Table([c.MEASURE, *(f"{level} %" for level in levels)], rows, 1, title=title)


def _finder_tables(study: Stability) -> list[Table]:
    """Only the finders of passages that no other run has: leaving out others changes nothing."""
    frame = study.frames[StudyFrame.FINDERS].filter(pl.col(c.PASSAGES) > 0)
    header = [c.MEASURE, "left out", c.RUNS, c.PASSAGES, "τ", "τ_AP", c.CHANGE, "places lost"]
    rows = [
        [
            *(str(row[key]) for key in (c.MEASURE, c.LEFT_OUT, c.RUNS, c.PASSAGES)),
            *(rounded_if_known(row[key]) for key in (c.TAU, c.TAU_AP)),
            "" if row[c.CHANGE] is None else tenths_of_percent(row[c.CHANGE]),
            "" if row[c.PLACES] is None else str(row[c.PLACES]),
        ]
        for row in frame.iter_rows(named=True)
    ]
    finder = "participant" if "participants" in study.settings else "run"
    return [Table(header, rows, 2, title=f"Without the passages that no other {finder} found")]


def _depth_tables(study: Stability) -> list[Table]:
    frame = study.frames[StudyFrame.DEPTHS]
    key = [c.DEPTH, c.PASSAGES, c.TOPICS]
    taus = frame.select(c.MEASURE, *key, c.TAU).pivot(c.MEASURE, index=key)
    rows = [[*map(str, row[:3]), *map(rounded_if_known, row[3:])] for row in taus.iter_rows()]
    title = "τ with the ranking by all passages, keeping those found in the first parts of any run"
    return [Table(["parts", c.PASSAGES, c.TOPICS, *study.measures], rows, 3, title=title)]


def _agreement_sentences(study: Stability) -> Iterator[str]:
    unit = "passages" if study.experiment is Experiment.POOL else "topics"
    frame = study.curves.drop_nulls(c.MEAN)
    if frame.is_empty():
        yield TIES_ONLY
        return
    lowest, highest = _extremes(frame, c.MEAN)
    curve_words = _CurveWords(frame, c.MEAN, "τ", "the mean τ is ", hundredths, unit)
    yield from curve_words.ranked((highest, "hold", "best"), (lowest, "hold", "least"))
    promise = f"τ stays at {SAME_RANKING} or more"
    yield _from_level(frame, c.MEAN, lambda mean: mean >= SAME_RANKING, promise, unit)
    ranked_measures = set(frame[c.MEASURE])
    if tied_measures := [name for name in study.measures if name not in ranked_measures]:
        yield f"{and_list(tied_measures)} {_verb('rank', tied_measures)} nothing: all runs are tied."


def _error_sentences(study: Stability) -> Iterator[str]:
    frame = study.curves
    promise = f"The error stays under {percent(TOLERATED_ERROR)}"
    yield _from_level(frame, c.RATE, lambda rate: rate < TOLERATED_ERROR, promise, "topics")
    lowest, highest = _extremes(frame, c.RATE)
    curve_words = _CurveWords(frame, c.RATE, "the error rate", "", tenths_of_percent, "topics")
    yield from curve_words.ranked((lowest, "err", "least"), (highest, "err", "most"))


def _extremes(frame: pl.DataFrame, value: str) -> tuple[list[str], list[str]]:
    """The measures whose values are lowest and highest on average over the levels."""
    means = frame.group_by(c.MEASURE, maintain_order=True).agg(pl.col(value).mean())
    lowest, highest = (
        means.filter((pl.col(value) - end).abs() <= EQUAL_WITHIN)[c.MEASURE].to_list()
        for end in (pl.col(value).min(), pl.col(value).max())
    )
    return lowest, highest


@frozen
class _CurveWords:
    """Sentences about the values of measures over levels.

    `averaged` names what measures are ranked by where there are several levels; `at_one` begins a
    sentence about a single level.
    """

    frame: pl.DataFrame
    value: str
    averaged: str
    at_one: str
    number: Callable[[float], str]
    unit: str

    def ranked(self, *ends: tuple[list[str], str, str]) -> Iterator[str]:
        """Sentences about the measures at both ends: their names, a verb and an adverb."""
        (first, _, _), (last, _, _) = ends
        has_levels = self.frame[c.LEVEL].n_unique() > 1
        prefix = f"By {self.averaged} averaged over the levels, " if has_levels else ""
        if first == last:
            course = self._course(first, f" of the {self.unit}")
            subject = f"{self.averaged} averaged over the levels is " if has_levels else self.at_one
            yield f"{and_list(first)}: {subject}{course}."
        elif has_levels and self._average(first) == self._average(last):
            yield f"{prefix}the measures are alike: {self._average(first)}."
        else:
            unit_suffix = f" of the {self.unit}"
            for names, verb, adverb in ends:
                at_one = "" if has_levels or not unit_suffix else self.at_one
                yield f"{prefix}{and_list(names)} {_verb(verb, names)} {adverb}: {at_one}{self._course(names, unit_suffix)}."
                prefix = unit_suffix = ""

    def _average(self, measures: Sequence[str]) -> str:
        rows = self.frame.filter(pl.col(c.MEASURE) == measures[0])
        return self.number(sum(rows[self.value].to_list()) / rows.height)

    def _course(self, measures: Sequence[str], unit_suffix: str) -> str:
        """The average over the levels, and the values at the highest and the lowest of them."""
        courses = []
        for measure in measures:
            rows = self.frame.filter(pl.col(c.MEASURE) == measure).sort(c.LEVEL, descending=True)
            ends = rows.select(c.LEVEL, self.value).rows()
            texts = [f"{self.number(height)} at {level} %" for level, height in (ends[0], ends[-1])]
            courses.append(" and ".join(dict.fromkeys(texts)))
        course = ", or ".join(dict.fromkeys(courses)) + unit_suffix
        has_levels = self.frame[c.LEVEL].n_unique() > 1
        return f"{self._average(measures)} ({course})" if has_levels else course


def _from_level(
    frame: pl.DataFrame, value: str, holds: Callable[[float], bool], promise: str, unit: str
) -> str:
    """Sentence: the level from which each measure keeps a promise, up to the highest level."""
    levels: dict[int | None, list[str]] = {}
    for (measure,), rows in frame.group_by(c.MEASURE, maintain_order=True):
        lowest_kept = None
        for level, number in rows.sort(c.LEVEL, descending=True).select(c.LEVEL, value).iter_rows():
            if not holds(number):
                break
            lowest_kept = level
        levels.setdefault(lowest_kept, []).append(str(measure))
    never, highest = levels.pop(None, []), max(frame[c.LEVEL].to_list())
    has_several_measures = frame[c.MEASURE].n_unique() > 1
    if not levels:
        where = "with none of the measures" if has_several_measures else "at no level"
        return f"{promise} {where}, not even at {highest} % of the {unit}."
    first, *other_levels = sorted(level for level in levels if level is not None)
    if not (other_levels or never):
        return f"{promise} from {first} % of the {unit} on{', whatever the measure' if has_several_measures else ''}."
    parts = [f"from {first} % of the {unit} on with {and_list(levels[first])}"]
    parts += [f"from {level} % on with {and_list(levels[level])}" for level in other_levels]
    exceptions = f"; not even at {highest} % with {and_list(never)}" if never else ""
    return f"{promise} {', '.join(parts)}{exceptions}."


def _swap_sentences(study: Stability) -> Iterator[str]:
    frame = study.frames[StudyFrame.NEEDED]
    level = max(frame[c.LEVEL].to_list())
    rows = frame.filter(pl.col(c.LEVEL) == level)
    needed_differences = rows.drop_nulls(c.DIFFERENCE).sort(c.DIFFERENCE, maintain_order=True)
    clauses = [
        f"{hundredths(difference)} in {measure}"
        for measure, difference in needed_differences.select(c.MEASURE, c.DIFFERENCE).iter_rows()
        if difference > 0
    ]
    if clauses:
        yield (
            f"For 19 pairs of runs in 20 to keep their order on other topics, {level} % of them, two"
            f" runs must differ by {and_list(clauses)}."
        )
    if any_will_do := needed_differences.filter(pl.col(c.DIFFERENCE) == 0)[c.MEASURE].to_list():
        yield (
            f"Every difference seen on {level} % of the topics is enough in {and_list(any_will_do)}."
        )
    if len(needed_differences) < len(rows):
        names = rows.filter(pl.col(c.DIFFERENCE).is_null())[c.MEASURE].to_list()
        yield f"No difference seen is large enough in {and_list(names)}."


def _finder_sentences(study: Stability) -> Iterator[str]:
    frame = study.frames[StudyFrame.FINDERS]
    finder_rows = frame.filter(pl.col(c.PASSAGES) > 0)
    count, finders = (rows[c.LEFT_OUT].n_unique() for rows in (frame, finder_rows))
    candidates = counted(count, "participant" if "participants" in study.settings else "run")
    yield f"{finders} of {candidates} {'has' if finders == 1 else 'have'} found passages that no other has."
    losses = finder_rows.drop_nulls(c.PLACES).sort(c.PLACES, descending=True, maintain_order=True)
    if not losses.is_empty():
        worst = losses.row(0, named=True)
        taus = losses[c.TAU].drop_nulls().to_list()
        agreement = f", and τ never falls below {hundredths(min(taus))}" if taus else ""
        if worst[c.PLACES] > 0:
            yield (
                f"Judged without them, {worst[c.LEFT_OUT]} loses most:"
                f" {counted(worst[c.PLACES], 'place')} by {worst[c.MEASURE]}{agreement}."
            )
        else:
            yield f"Judged without them, none of their runs loses a place{agreement}."
    emptied = finder_rows.filter(pl.col(c.PLACES).is_null())[c.LEFT_OUT].unique(maintain_order=True)
    if len(emptied):
        yield f"Without those of {and_list(emptied.to_list())}, no passage is left."


def _depth_sentences(study: Stability) -> Iterator[str]:
    frame = study.frames[StudyFrame.DEPTHS].drop_nulls(c.TAU)
    if frame.is_empty():
        yield TIES_ONLY
        return
    names_by_depth: dict[int, list[str]] = {}
    for (measure,), rows in frame.group_by(c.MEASURE, maintain_order=True):
        is_same_ranking = (pl.col(c.TAU) >= SAME_RANKING).cum_prod().cast(pl.Boolean)
        sufficient = rows.sort(c.DEPTH, descending=True).filter(is_same_ranking)
        if not sufficient.is_empty():
            names_by_depth.setdefault(int(sufficient[c.DEPTH][-1]), []).append(str(measure))
    parts = [f"{depth} with {and_list(names)}" for depth, names in sorted(names_by_depth.items())]
    if parts:
        yield (
            f"τ stays at {SAME_RANKING} or more from this many of each run's first parts on:"
            f" {', '.join(parts)}."
        )
    elif study.covers_the_runs:
        yield (
            "No depth can be judged by this: even the pool of everything that the runs return, which"
            f" lacks what no run shows, has a τ under {SAME_RANKING}."
        )
    else:
        yield f"None of the pools tried keeps τ at {SAME_RANKING} or more."


def _verb(verb: str, names: Sequence[str]) -> str:
    """A verb that agrees with its subjects."""
    return verb if len(names) > 1 else f"{verb}s"


# The tables of each experiment, and the sentences about them.
_VIEWS: dict[
    Experiment, tuple[Callable[[Stability], list[Table]], Callable[[Stability], Iterator[str]]]
] = {
    Experiment.POOL: (_agreement_tables, _agreement_sentences),
    Experiment.TOPICS: (_agreement_tables, _agreement_sentences),
    Experiment.ERROR_RATE: (_error_tables, _error_sentences),
    Experiment.SWAP: (_swap_tables, _swap_sentences),
    Experiment.LEAVE_OUT: (_finder_tables, _finder_sentences),
    Experiment.DEPTH: (_depth_tables, _depth_sentences),
}
