"""Studies of stability: a table by level, and what it says, in a paragraph made from its numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from foveal.choices import Experiment, Form
from foveal.errors import counted, listed
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
ALIKE = 0.9
TOLERATED = 0.05
TIES_ONLY = "Every ranking has nothing but ties: there is no order that could change."
_COEFFICIENTS = {StudyFrame.CURVES: "Kendall's τ", StudyFrame.TAU_AP_CURVES: "τ_AP"}


def tables(study: Stability, form: Form) -> list[Table]:
    """The outcome as tables; below the last comes what they say, in words."""
    *others, last = _SHOWN[study.experiment][0](study)
    first, *rest = [*others, replace(last, below=_reading(study))]
    return [replace(first, settings=study.settings), *rest]


def rows(study: Stability) -> pl.DataFrame:
    """A row per measure and level, or whatever else the experiment varies, with all that is known."""
    key = [c.MEASURE, c.LEVEL]
    if study.experiment in {Experiment.POOL, Experiment.TOPICS}:
        names = {c.MEAN: c.TAU_AP, c.SPREAD: c.TAU_AP_SPREAD}
        top = study.frames[StudyFrame.TAU_AP_CURVES].rename(names)
        bands = study.frames[StudyFrame.BANDS]
        together = study.curves.join(bands, on=key, maintain_order="left")
        return together.join(top, on=key, maintain_order="left")
    if study.experiment is Experiment.ERROR_RATE:
        ties = study.frames[StudyFrame.TIES].rename({c.SHARE: c.TIES})
        return study.curves.join(ties, on=key, maintain_order="left")
    if study.experiment is Experiment.SWAP:
        return study.frames[StudyFrame.BINS]
    return next(iter(study.frames.values()))


def document(study: Stability) -> dict[str, Any]:
    """The study as JSON holds it."""
    return {
        "settings": study.settings,
        **study.frames,
        "reading": _reading(study),
        "notes": study.notes,
    }


def first_sentence(study: Stability) -> str:
    """What the outcome says first, as the title of a figure."""
    return next(iter(_SHOWN[study.experiment][1](study)), study.summary).removesuffix(".")


def _reading(study: Stability) -> str:
    """The outcome in words."""
    return " ".join(_SHOWN[study.experiment][1](study))


def _agreement(study: Stability) -> list[Table]:
    what = "passages" if study.experiment is Experiment.POOL else "topics"
    told = f"the ranking of {counted(study.runs, 'run')} by all {what}: mean ± spread over samples"
    return [
        _spreads(study.frames[name], f"{coefficient} with {told}", c.MEAN, rounded)
        for name, coefficient in _COEFFICIENTS.items()
    ]


def _errors(study: Stability) -> list[Table]:
    title = f"Error rate over {counted(study.runs * (study.runs - 1) // 2, 'pair')} of runs"
    return [_spreads(study.curves, title, c.RATE, tenths_of_percent)]


def _swaps(study: Stability) -> list[Table]:
    title = "The least difference from which fewer than 5 % of the pairs change places"
    frame = study.frames[StudyFrame.NEEDED].select(c.MEASURE, c.LEVEL, c.DIFFERENCE)
    return [_by_level(frame, title, lambda least: "more" if least is None else hundredths(least))]


def _spreads(frame: pl.DataFrame, title: str, value: str, number: Callable[[float], str]) -> Table:
    def cell(mean: float | None, spread: float | None) -> str:
        shown = UNDEFINED if mean is None else number(mean)
        return shown if mean is None or spread is None else f"{shown} ± {number(spread)}"

    return _by_level(frame.select(c.MEASURE, c.LEVEL, value, c.SPREAD), title, cell)


def _by_level(frame: pl.DataFrame, title: str, cell: Callable[..., str]) -> Table:
    """A row per measure, a column per level; `cell` makes a cell of the other columns."""
    levels = frame[c.LEVEL].unique(maintain_order=True).to_list()
    body = [
        [str(measure), *(cell(*row) for row in own.drop(c.MEASURE, c.LEVEL).iter_rows())]
        for (measure,), own in frame.group_by(c.MEASURE, maintain_order=True)
    ]
    return Table([c.MEASURE, *(f"{level} %" for level in levels)], body, 1, title=title)


def _finders(study: Stability) -> list[Table]:
    """Only those that found something alone: leaving out the others changes nothing."""
    frame = study.frames[StudyFrame.FINDERS].filter(pl.col(c.PASSAGES) > 0)
    header = [c.MEASURE, "left out", c.RUNS, c.PASSAGES, "τ", "τ_AP", c.CHANGE, "places lost"]
    body = [
        [
            *(str(row[key]) for key in (c.MEASURE, c.LEFT_OUT, c.RUNS, c.PASSAGES)),
            *(rounded_if_known(row[key]) for key in (c.TAU, c.TAU_AP)),
            "" if row[c.CHANGE] is None else tenths_of_percent(row[c.CHANGE]),
            "" if row[c.PLACES] is None else str(row[c.PLACES]),
        ]
        for row in frame.iter_rows(named=True)
    ]
    other = "participant" if "participants" in study.settings else "run"
    return [Table(header, body, 2, title=f"Without the passages that no other {other} found")]


def _depths(study: Stability) -> list[Table]:
    frame = study.frames[StudyFrame.DEPTHS]
    key = [c.DEPTH, c.PASSAGES, c.TOPICS]
    wide = frame.select(c.MEASURE, *key, c.TAU).pivot(c.MEASURE, index=key)
    body = [[*map(str, row[:3]), *map(rounded_if_known, row[3:])] for row in wide.iter_rows()]
    title = "τ with the ranking by all passages, keeping those found in the first parts of any run"
    return [Table(["parts", c.PASSAGES, c.TOPICS, *study.measures], body, 3, title=title)]


def _read_agreement(study: Stability) -> Iterator[str]:
    what = "passages" if study.experiment is Experiment.POOL else "topics"
    frame = study.curves.drop_nulls(c.MEAN)
    if frame.is_empty():
        yield TIES_ONLY
        return
    lowest, highest = _extremes(frame, c.MEAN)
    words = _CurveWords(frame, c.MEAN, "τ", "the mean τ is ", hundredths, what)
    yield from words.ranked((highest, "hold", "best"), (lowest, "hold", "least"))
    promise = f"τ stays at {ALIKE} or more"
    yield _from_level(frame, c.MEAN, lambda mean: mean >= ALIKE, promise, what)
    known = set(frame[c.MEASURE])
    if tied := [name for name in study.measures if name not in known]:
        yield f"{listed(tied)} {_do('rank', tied)} nothing: all runs are tied."


def _read_errors(study: Stability) -> Iterator[str]:
    frame = study.curves
    promise = f"The error stays under {percent(TOLERATED)}"
    yield _from_level(frame, c.RATE, lambda rate: rate < TOLERATED, promise, "topics")
    lowest, highest = _extremes(frame, c.RATE)
    words = _CurveWords(frame, c.RATE, "the error rate", "", tenths_of_percent, "topics")
    yield from words.ranked((lowest, "err", "least"), (highest, "err", "most"))


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
    what: str

    def ranked(self, *ends: tuple[list[str], str, str]) -> Iterator[str]:
        """The measures at either end: their names, a verb, and how they do it."""
        (first, _, _), (last, _, _) = ends
        many = self.frame[c.LEVEL].n_unique() > 1
        by = f"By {self.averaged} averaged over the levels, " if many else ""
        if first == last:
            course = self._course(first, f" of the {self.what}")
            said = f"{self.averaged} averaged over the levels is " if many else self.at_one
            yield f"{listed(first)}: {said}{course}."
        elif many and self._average(first) == self._average(last):
            yield f"{by}the measures are alike: {self._average(first)}."
        else:
            of = f" of the {self.what}"
            for names, verb, how in ends:
                at_one = "" if many or not of else self.at_one
                yield f"{by}{listed(names)} {_do(verb, names)} {how}: {at_one}{self._course(names, of)}."
                by = of = ""

    def _average(self, measures: Sequence[str]) -> str:
        own = self.frame.filter(pl.col(c.MEASURE) == measures[0])
        return self.number(sum(own[self.value].to_list()) / own.height)

    def _course(self, measures: Sequence[str], of: str) -> str:
        """The average over the levels, and the values at the highest and the lowest of them."""
        courses = []
        for measure in measures:
            own = self.frame.filter(pl.col(c.MEASURE) == measure).sort(c.LEVEL, descending=True)
            ends = own.select(c.LEVEL, self.value).rows()
            shown = [f"{self.number(height)} at {level} %" for level, height in (ends[0], ends[-1])]
            courses.append(" and ".join(dict.fromkeys(shown)))
        course = ", or ".join(dict.fromkeys(courses)) + of
        return (
            f"{self._average(measures)} ({course})"
            if self.frame[c.LEVEL].n_unique() > 1
            else course
        )


def _from_level(
    frame: pl.DataFrame, value: str, holds: Callable[[float], bool], promise: str, what: str
) -> str:
    """From which level up to the highest each measure keeps what is promised."""
    levels: dict[int | None, list[str]] = {}
    for (measure,), own in frame.group_by(c.MEASURE, maintain_order=True):
        reached = None
        for level, number in own.sort(c.LEVEL, descending=True).select(c.LEVEL, value).iter_rows():
            if not holds(number):
                break
            reached = level
        levels.setdefault(reached, []).append(str(measure))
    never, highest = levels.pop(None, []), max(frame[c.LEVEL].to_list())
    many = frame[c.MEASURE].n_unique() > 1
    if not levels:
        where = "with none of the measures" if many else "at no level"
        return f"{promise} {where}, not even at {highest} % of the {what}."
    first, *others = sorted(level for level in levels if level is not None)
    if not (others or never):
        return (
            f"{promise} from {first} % of the {what} on{', whatever the measure' if many else ''}."
        )
    parts = [f"from {first} % of the {what} on with {listed(levels[first])}"]
    parts += [f"from {level} % on with {listed(levels[level])}" for level in others]
    ending = f"; not even at {highest} % with {listed(never)}" if never else ""
    return f"{promise} {', '.join(parts)}{ending}."


def _read_swaps(study: Stability) -> Iterator[str]:
    frame = study.frames[StudyFrame.NEEDED]
    level = max(frame[c.LEVEL].to_list())
    last = frame.filter(pl.col(c.LEVEL) == level)
    known = last.drop_nulls(c.DIFFERENCE).sort(c.DIFFERENCE, maintain_order=True)
    needed = [
        f"{hundredths(difference)} in {measure}"
        for measure, difference in known.select(c.MEASURE, c.DIFFERENCE).iter_rows()
        if difference > 0
    ]
    if needed:
        yield (
            f"For 19 pairs of runs in 20 to keep their order on other topics, {level} % of them, two"
            f" runs must differ by {listed(needed)}."
        )
    if any_will_do := known.filter(pl.col(c.DIFFERENCE) == 0)[c.MEASURE].to_list():
        yield (
            f"Every difference seen on {level} % of the topics is enough in {listed(any_will_do)}."
        )
    if len(known) < len(last):
        names = last.filter(pl.col(c.DIFFERENCE).is_null())[c.MEASURE].to_list()
        yield f"No difference seen is large enough in {listed(names)}."


def _read_finders(study: Stability) -> Iterator[str]:
    frame = study.frames[StudyFrame.FINDERS]
    alone = frame.filter(pl.col(c.PASSAGES) > 0)
    count, finders = (own[c.LEFT_OUT].n_unique() for own in (frame, alone))
    who = counted(count, "participant" if "participants" in study.settings else "run")
    yield f"{finders} of {who} {'has' if finders == 1 else 'have'} found passages that no other has."
    judged = alone.drop_nulls(c.PLACES).sort(c.PLACES, descending=True, maintain_order=True)
    if not judged.is_empty():
        worst = judged.row(0, named=True)
        known = judged[c.TAU].drop_nulls().to_list()
        agreement = f", and τ never falls below {hundredths(min(known))}" if known else ""
        if worst[c.PLACES] > 0:
            yield (
                f"Judged without them, {worst[c.LEFT_OUT]} loses most:"
                f" {counted(worst[c.PLACES], 'place')} by {worst[c.MEASURE]}{agreement}."
            )
        else:
            yield f"Judged without them, none of their runs loses a place{agreement}."
    nothing = alone.filter(pl.col(c.PLACES).is_null())[c.LEFT_OUT].unique(maintain_order=True)
    if len(nothing):
        yield f"Without those of {listed(nothing.to_list())}, no passage is left."


def _read_depths(study: Stability) -> Iterator[str]:
    frame = study.frames[StudyFrame.DEPTHS].drop_nulls(c.TAU)
    if frame.is_empty():
        yield TIES_ONLY
        return
    reached: dict[int, list[str]] = {}
    for (measure,), own in frame.group_by(c.MEASURE, maintain_order=True):
        alike = (pl.col(c.TAU) >= ALIKE).cum_prod().cast(pl.Boolean)
        deep = own.sort(c.DEPTH, descending=True).filter(alike)
        if not deep.is_empty():
            reached.setdefault(int(deep[c.DEPTH][-1]), []).append(str(measure))
    parts = [f"{depth} with {listed(names)}" for depth, names in sorted(reached.items())]
    if parts:
        yield (
            f"τ stays at {ALIKE} or more from this many of each run's first parts on:"
            f" {', '.join(parts)}."
        )
    elif study.covers_the_runs:
        yield (
            "No depth can be judged by this: even the pool of everything that the runs return, which"
            f" lacks what no run shows, has a τ under {ALIKE}."
        )
    else:
        yield f"None of the pools tried keeps τ at {ALIKE} or more."


def _do(verb: str, names: Sequence[str]) -> str:
    """A verb as it agrees with its subjects."""
    return verb if len(names) > 1 else f"{verb}s"


# The tables of each experiment, and what they say.
_SHOWN: dict[
    Experiment, tuple[Callable[[Stability], list[Table]], Callable[[Stability], Iterator[str]]]
] = {
    Experiment.POOL: (_agreement, _read_agreement),
    Experiment.TOPICS: (_agreement, _read_agreement),
    Experiment.ERROR_RATE: (_errors, _read_errors),
    Experiment.SWAP: (_swaps, _read_swaps),
    Experiment.LEAVE_OUT: (_finders, _read_finders),
    Experiment.DEPTH: (_depths, _read_depths),
}
