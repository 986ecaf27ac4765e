"""Scores as people keep them, in tables and dicts: a cell for each run, topic and measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from foveal.errors import BadInput, Problem, UsageError
from foveal.frozen import frozen
from foveal.late import pl
from foveal.measures import is_measure, share_of_measures
from foveal.tables import ProblemList, aliases, as_frame
from foveal.tables import columns as c

OF_DOCUMENTS = {aliases.bare(name) for name in (c.DOC, *aliases.BY_COLUMN[c.DOC], "corpusid")}
# Lines of trec_eval that are no scores of topics.
NO_SCORES = r"^(num_q|runid|relstring(_\d+)?|gm_.*)$"
# What other programs call the rows of means, beside `all`.
MEANS = ("amean", "mean", "Mean", "average", "Average", "All", "ALL")
GAPS = ["", "NA", "NaN", "nan", "-nan", "null", "None", "<NA>"]
# The last are those of row names, which say nothing where there are topics.
BESIDE = (c.RUN, c.TOPIC, c.REPEAT, c.GROUP, c.TIMES, c.LINE, "", "Unnamed: 0", "rownames")
SCORE_SHAPES = (
    "scores have the columns topic, measure and value (and run), or topic and a column for each"
    " measure, or topic and a column for each run"
)


@frozen(eq=False)
class Cells:
    """The scores of one source: a row per cell; a run that nothing names is null, and called `run`."""

    frame: pl.DataFrame
    format: str
    source: str
    run: str
    notes: tuple[str, ...] = ()
    settings: Mapping[str, str] | None = None
    """Those of scores that foveal has saved."""

    has_lines: bool = False
    """Whether rows are lines of a file."""


def cells_of(data: object, source: str = "scores", run: str = "run") -> Cells:
    """The cells of a frame, of rows or of dicts, as other packages give them too."""
    if isinstance(scores := getattr(data, "scores", None), Mapping):
        return cells_of(scores, source, str(getattr(data, "name", None) or run))
    if isinstance(data, Mapping):
        return _of_dicts(data, source, run)
    if type(data).__module__.startswith("ranx"):
        raise UsageError("ranx's report has no values of topics: give run.scores")
    return cells_in(as_frame(data, (), source)[0], source, run)


def _of_dicts(data: Mapping[Any, Any], source: str, run: str) -> Cells:
    """The cells of {topic: {measure: value}}, {measure: {topic: value}}, or of either by run."""
    inside = list(data.values())
    if not all(isinstance(own, Mapping) for own in inside) or any(
        isinstance(value, Mapping) for own in inside for value in own.values()
    ):
        parts = [cells_of(own, source, str(name)) for name, own in data.items()]
        frames = [part.frame.with_columns(pl.col(c.RUN).fill_null(part.run)) for part in parts]
        return Cells(pl.concat(frames), parts[0].format, source, run)
    cells = [
        (str(one), str(other), value) for one, own in data.items() for other, value in own.items()
    ]
    inner: Mapping[Any, Any] = next(iter(inside), {})
    by_measure = share_of_measures(map(str, data)) > share_of_measures(map(str, inner))
    names = (c.MEASURE, c.TOPIC) if by_measure else (c.TOPIC, c.MEASURE)
    places = enumerate((*names, c.VALUE))
    columns = [pl.Series(name, [cell[at] for cell in cells], pl.Object) for at, name in places]
    shape = "ranx" if by_measure else "pytrec_eval"
    return Cells(_checked([pl.DataFrame(columns)], source), shape, source, run)


def cells_in(frame: pl.DataFrame, source: str, run: str, measure: str = "") -> Cells:
    """The cells of a table in one of three shapes.

    `measure` is what a table holds whose columns are runs, or whose only numbers are called value;
    without it that is called like the table.
    """
    named = aliases.scores_called(frame.columns)
    if OF_DOCUMENTS.intersection(map(aliases.bare, frame.columns)) and c.MEASURE not in named:
        raise BadInput(source, [Problem(None, f"these are documents, not scores: {SCORE_SHAPES}")])
    notes: tuple[str, ...] = ()
    rows = frame
    if {c.TOPIC, c.MEASURE, c.VALUE} <= named.keys():
        rows = frame.rename({alias: column for column, alias in named.items()})
        parts, shape = [rows], "long"
    else:
        rows = frame.rename({named[name]: name for name in (c.TOPIC, c.RUN) if name in named})
        if c.TOPIC not in named:
            rows = rows.with_columns(pl.int_range(1, pl.len() + 1).alias(c.TOPIC))
            notes = (f"{source} has no column of topics: they are called 1, 2, 3 and so on",)
        parts, shape = _by_column(rows, named, source, measure or run)
    has_lines = c.LINE in frame.columns
    return Cells(
        _checked(parts, source), f"scores-{shape}", source, run, notes, has_lines=has_lines
    )


def _by_column(
    rows: pl.DataFrame, named: Mapping[str, str], source: str, measure: str
) -> tuple[list[pl.DataFrame], str]:
    """The cells under each column of numbers, which are measures or runs, and which of these."""
    numbers = [name for name in rows.columns if name not in BESIDE and _has_numbers(rows[name])]
    if not numbers:
        raise BadInput(source, [Problem(None, f"no scores: {SCORE_SHAPES}")])
    are_measures = c.RUN in named or any(map(is_measure, numbers))
    names = [measure] if are_measures and numbers == [named.get(c.VALUE)] else numbers
    columns = [name for name in BESIDE if name in rows.columns]
    parts = [
        rows.select(
            *columns,
            pl.lit(name).alias(c.MEASURE if are_measures else c.RUN),
            *([] if are_measures else [pl.lit(measure).alias(c.MEASURE)]),
            pl.col(number).alias(c.VALUE),
        )
        for name, number in zip(names, numbers, strict=True)
    ]
    return parts, "columns" if are_measures else "wide"


def _has_numbers(column: pl.Series) -> bool:
    """Whether a column may hold scores: a text, such as a title, never does."""
    if column.dtype == pl.String:
        column = column.cast(pl.Float64, strict=False)
    return column.dtype == pl.Object or (column.dtype.is_numeric() and column.count() > 0)


def _checked(parts: Sequence[pl.DataFrame], source: str) -> pl.DataFrame:
    """The cells of all parts in their types; what is no number is refused with its line."""
    schema = {
        **dict.fromkeys((c.RUN, c.TOPIC, c.MEASURE, c.REPEAT, c.GROUP), pl.String),
        c.VALUE: pl.Float64,
        c.TIMES: pl.Int64,
        c.LINE: pl.UInt32,
    }
    complaints = ProblemList(source, [])
    frames = []
    for part in parts:
        needed = [name for name in (c.RUN, c.TOPIC, c.MEASURE) if name in part.columns]
        columns = [_without_gaps(part[c.VALUE])]
        if c.MEASURE in needed and part[c.MEASURE].dtype == pl.Object:
            # ir_measures gives its measures as objects.
            columns.append(pl.Series(c.MEASURE, [*map(str, part[c.MEASURE])], pl.Object))
        frames.append(complaints.typed(part.with_columns(columns), schema, needed))
    cells = pl.concat(frames)
    complaints.problems = in_lines(complaints.problems, has_lines=c.LINE in parts[0].columns)
    complaints.refuse(cells, "scores")
    return cells


def in_lines(problems: Sequence[Problem], *, has_lines: bool) -> list[Problem]:
    """Problems with rows, which are named where they are no lines of a file."""
    if has_lines:
        return list(problems)
    return [
        Problem(
            None,
            problem.reason if problem.line is None else f"row {problem.line}: {problem.reason}",
        )
        for problem in problems
    ]


def _without_gaps(column: pl.Series) -> pl.Series:
    """A column in which what stands for an absent value is null."""
    if column.dtype.is_float():
        return column.fill_nan(None)
    if column.dtype == pl.String:
        return column.set(column.is_in(GAPS), None)
    if column.dtype == pl.Object:
        plain = [value.item() if isinstance(value, np.generic) else value for value in column]
        known = [None if str(value) in GAPS else value for value in plain]
        return pl.Series(column.name, known, pl.Object)
    return column
