"""Studies of stability: a table by level, and what it says."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import polars as pl

from foveal.choices import Experiment, Form
from foveal.rendering._numbers import hundredths, rounded, tenths_of_percent
from foveal.rendering._stability_reading import reading
from foveal.rendering._table import Table
from foveal.studies import Stability
from foveal.tables import columns

_MISSING = "undefined"


def tables(study: Stability, form: Form) -> list[Table]:
    """The outcome as tables; below the last stands what they say."""
    *others, last = _TABLES[study.experiment](study)
    first, *rest = [*others, replace(last, below=reading(study))]
    return [replace(first, settings=study.settings), *rest]


def rows(study: Stability) -> pl.DataFrame:
    """A row per measure and level, or whatever the experiment varies, with all that is known."""
    key = [columns.MEASURE, "level"]
    if study.experiment in {Experiment.POOL, Experiment.TOPICS}:
        top = study.frames["tau_ap_curves"].rename({"mean": "tau_ap", "spread": "tau_ap_spread"})
        bands = study.frames["bands"]
        together = study.curves.join(bands, on=key, maintain_order="left")
        return together.join(top, on=key, maintain_order="left")
    if study.experiment is Experiment.ERROR_RATE:
        ties = study.frames["ties"].rename({"share": "ties"})
        return study.curves.join(ties, on=key, maintain_order="left")
    if study.experiment is Experiment.SWAP:
        return study.frames["bins"]
    return next(iter(study.frames.values()))


def document(study: Stability) -> dict[str, Any]:
    """The study as JSON holds it."""
    return {
        "settings": study.settings,
        **study.frames,
        "reading": reading(study),
        "notes": study.notes,
    }


def _agreement(study: Stability) -> list[Table]:
    what = "passages" if study.experiment is Experiment.POOL else "topics"
    told = f"the ranking of {study.runs} runs by all {what}: mean ± spread over samples"
    return [
        _by_level(study.frames[name], f"{coefficient} with {told}", "mean", rounded)
        for name, coefficient in (("curves", "Kendall's τ"), ("tau_ap_curves", "τ_AP"))
    ]


def _errors(study: Stability) -> list[Table]:
    title = f"Error rate over {study.runs * (study.runs - 1) // 2} pairs of runs"
    return [_by_level(study.curves, title, "rate", tenths_of_percent)]


def _by_level(frame: pl.DataFrame, title: str, value: str, number: Callable[[float], str]) -> Table:
    """A row per measure, a column per level."""
    levels = frame["level"].unique(maintain_order=True).to_list()
    body = []
    for (measure,), own in frame.group_by(columns.MEASURE, maintain_order=True):
        cells = [
            _spread(mean, spread, number)
            for mean, spread in own.select(value, "spread").iter_rows()
        ]
        body.append([str(measure), *cells])
    return Table([columns.MEASURE, *(f"{level} %" for level in levels)], body, 1, title=title)


def _spread(mean: float | None, spread: float | None, number: Callable[[float], str]) -> str:
    if mean is None:
        return _MISSING
    return number(mean) if spread is None else f"{number(mean)} ± {number(spread)}"


def _swaps(study: Stability) -> list[Table]:
    frame = study.frames["needed"]
    levels = frame["level"].unique(maintain_order=True).to_list()
    body = [
        [str(measure), *("more" if x is None else hundredths(x) for x in own["difference"])]
        for (measure,), own in frame.group_by(columns.MEASURE, maintain_order=True)
    ]
    title = "The difference from which on fewer than 5 % of the pairs change places"
    return [Table([columns.MEASURE, *(f"{level} %" for level in levels)], body, 1, title=title)]


def _plane(study: Stability) -> list[Table]:
    found = []
    for (measure,), own in study.frames["cells"].group_by(columns.MEASURE, maintain_order=True):
        levels = own["passages"].unique(maintain_order=True).to_list()
        body = [
            [f"{topics} % of topics", *(_MISSING if x is None else rounded(x) for x in row["tau"])]
            for (topics,), row in own.group_by("topics", maintain_order=True)
        ]
        header = ["", *(f"{level} % of passages" for level in levels)]
        found.append(Table(header, body, 1, title=f"Mean τ by {measure}"))
    return found


def _finders(study: Stability) -> list[Table]:
    """Only those who found something alone: leaving out the others changes nothing."""
    frame = study.frames["finders"].filter(pl.col("passages") > 0)
    header = [columns.MEASURE, "left out", "runs", "passages", "τ", "τ_AP", "change", "places lost"]
    body = [
        [row[columns.MEASURE], row["left_out"], str(row["runs"]), str(row["passages"])]
        + [_MISSING if row[key] is None else rounded(row[key]) for key in ("tau", "tau_ap")]
        + ["" if row["change"] is None else tenths_of_percent(row["change"])]
        + ["" if row["places"] is None else str(row["places"])]
        for row in frame.iter_rows(named=True)
    ]
    return [Table(header, body, 2, title="Without the passages that nobody else found")]


def _depths(study: Stability) -> list[Table]:
    frame = study.frames["depths"]
    key = ["depth", "passages", "topics"]
    wide = frame.select(columns.MEASURE, *key, "tau").pivot(columns.MEASURE, index=key)
    body = [
        [*map(str, row[:3]), *(_MISSING if x is None else rounded(x) for x in row[3:])]
        for row in wide.iter_rows()
    ]
    title = "τ with the ranking by all passages, keeping those found in the first parts of any run"
    return [Table(["parts", "passages", "topics", *study.measures], body, 3, title=title)]


_TABLES: dict[Experiment, Callable[[Stability], list[Table]]] = {
    Experiment.POOL: _agreement,
    Experiment.TOPICS: _agreement,
    Experiment.ERROR_RATE: _errors,
    Experiment.SWAP: _swaps,
    Experiment.PLANE: _plane,
    Experiment.LEAVE_OUT: _finders,
    Experiment.DEPTH: _depths,
}
