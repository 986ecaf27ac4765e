"""Studies of stability: a table by level, and what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from foveal.choices import Experiment, Form
from foveal.errors import counted
from foveal.late import pl
from foveal.rendering import _stability_reading as in_words
from foveal.rendering._numbers import (
    UNDEFINED,
    hundredths,
    rounded,
    rounded_if_known,
    tenths_of_percent,
)
from foveal.rendering._table import Table
from foveal.studies import Stability, StudyFrame
from foveal.tables import columns as c

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


# The tables of each experiment, and what they say.
_SHOWN: dict[
    Experiment, tuple[Callable[[Stability], list[Table]], Callable[[Stability], Iterator[str]]]
] = {
    Experiment.POOL: (_agreement, in_words.agreement),
    Experiment.TOPICS: (_agreement, in_words.agreement),
    Experiment.ERROR_RATE: (_errors, in_words.errors),
    Experiment.SWAP: (_swaps, in_words.swaps),
    Experiment.LEAVE_OUT: (_finders, in_words.finders),
    Experiment.DEPTH: (_depths, in_words.depths),
}
