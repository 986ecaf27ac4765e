"""Scores in tables and dicts of any layout, as cells: one for each run, topic and measure."""

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

DOCUMENT_NAMES = {aliases.folded(name) for name in (c.DOC, *aliases.BY_COLUMN[c.DOC], "corpusid")}
# Lines of trec_eval that are not scores of topics.
NO_SCORES = r"^(num_q|runid|relstring(_\d+)?|gm_.*)$"
# Names of the rows of means in other programs, besides `all`.
MEANS = ("amean", "mean", "Mean", "average", "Average", "All", "ALL")
GAPS = ["", "NA", "NaN", "nan", "-nan", "null", "None", "<NA>"]
# The last three are names of columns of row names, which are redundant if there are topics.
KEY_COLUMNS = (c.RUN, c.TOPIC, c.REPEAT, c.GROUP, c.TIMES, c.LINE, "", "Unnamed: 0", "rownames")
SCORE_SHAPES = (
    "scores have the columns topic, measure and value (and run), or topic and a column for each"
    " measure, or topic and a column for each run"
)


@frozen(eq=False)
class Cells:
    """The scores of one source: a row per cell; a null run is the one called `run`."""

    frame: pl.DataFrame
    format: str
    source: str
    run: str
    notes: tuple[str, ...] = ()
    settings: Mapping[str, str] | None = None
    """The settings, if foveal saved the scores."""

    has_lines: bool = False
    """Whether rows are lines of a file."""


def cells_of(data: object, source: str = "scores", run: str = "run") -> Cells:
    """The cells of a frame, of rows or of dicts, also of objects of other packages."""
    if isinstance(scores := getattr(data, "scores", None), Mapping):
        return cells_of(scores, source, str(getattr(data, "name", None) or run))
    if isinstance(data, Mapping):
        return _of_dicts(data, source, run)
    if type(data).__module__.startswith("ranx"):
        raise UsageError("ranx's report has no values of topics: give run.scores")
    return cells_in(as_frame(data, (), source)[0], source, run)


def _of_dicts(data: Mapping[Any, Any], source: str, run: str) -> Cells:
    """The cells of {topic: {measure: value}}, {measure: {topic: value}}, or of either by run."""
    inner_dicts = list(data.values())
    if not all(isinstance(values, Mapping) for values in inner_dicts) or any(
        isinstance(value, Mapping) for values in inner_dicts for value in values.values()
    ):
        parts = [cells_of(values, source, str(name)) for name, values in data.items()]
        frames = [part.frame.with_columns(pl.col(c.RUN).fill_null(part.run)) for part in parts]
        return Cells(pl.concat(frames), parts[0].format, source, run)
    cells = [
        (str(outer), str(inner), value)
        for outer, row in data.items()
        for inner, value in row.items()
    ]
    first_dict: Mapping[Any, Any] = next(iter(inner_dicts), {})
    by_measure = share_of_measures(map(str, data)) > share_of_measures(map(str, first_dict))
    names = (c.MEASURE, c.TOPIC) if by_measure else (c.TOPIC, c.MEASURE)
    indexed = enumerate((*names, c.VALUE))
    columns = [pl.Series(name, [cell[i] for cell in cells], pl.Object) for i, name in indexed]
    source_format = "ranx" if by_measure else "pytrec_eval"
    return Cells(_checked([pl.DataFrame(columns)], source), source_format, source, run)


def cells_in(frame: pl.DataFrame, source: str, run: str, measure: str = "") -> Cells:
    """The cells of a table in one of three shapes.

    `measure` is the measure of a table whose columns are runs, or whose only numbers are called
    value; without it, the measure is named after the table (`run`).
    """
    name_of = aliases.score_columns(frame.columns)
    if DOCUMENT_NAMES.intersection(map(aliases.folded, frame.columns)) and c.MEASURE not in name_of:
        raise BadInput(source, [Problem(None, f"these are documents, not scores: {SCORE_SHAPES}")])
    notes: tuple[str, ...] = ()
    rows = frame
    if {c.TOPIC, c.MEASURE, c.VALUE} <= name_of.keys():
        rows = frame.rename({alias: column for column, alias in name_of.items()})
        parts, shape = [rows], "long"
    else:
        rows = frame.rename({name_of[name]: name for name in (c.TOPIC, c.RUN) if name in name_of})
        if c.TOPIC not in name_of:
            rows = rows.with_columns(pl.int_range(1, pl.len() + 1).alias(c.TOPIC))
            notes = (f"{source} has no column of topics: they are called 1, 2, 3 and so on",)
        parts, shape = _by_column(rows, name_of, source, measure or run)
    has_lines = c.LINE in frame.columns
    return Cells(
        _checked(parts, source), f"scores-{shape}", source, run, notes, has_lines=has_lines
    )


def _by_column(
    rows: pl.DataFrame, name_of: Mapping[str, str], source: str, measure: str
) -> tuple[list[pl.DataFrame], str]:
    """The cells of each column of numbers, and the layout: "columns" are measures, "wide" are runs."""
    scores = [name for name in rows.columns if name not in KEY_COLUMNS and _has_numbers(rows[name])]
    if not scores:
        raise BadInput(source, [Problem(None, f"no scores: {SCORE_SHAPES}")])
    are_measures = c.RUN in name_of or any(map(is_measure, scores))
    names = [measure] if are_measures and scores == [name_of.get(c.VALUE)] else scores
    columns = [name for name in KEY_COLUMNS if name in rows.columns]
    parts = [
        rows.select(
            *columns,
            pl.lit(name).alias(c.MEASURE if are_measures else c.RUN),
            *([] if are_measures else [pl.lit(measure).alias(c.MEASURE)]),
            pl.col(score).alias(c.VALUE),
        )
        for name, score in zip(names, scores, strict=True)
    ]
    return parts, "columns" if are_measures else "wide"


def _has_numbers(column: pl.Series) -> bool:
    """Whether a column has numbers; texts, such as titles, do not."""
    if column.dtype == pl.String:
        column = column.cast(pl.Float64, strict=False)
    return column.dtype == pl.Object or (column.dtype.is_numeric() and column.count() > 0)


def _checked(parts: Sequence[pl.DataFrame], source: str) -> pl.DataFrame:
    """The cells of all parts in their types; other values than numbers are refused with their lines."""
    schema = {
        **dict.fromkeys((c.RUN, c.TOPIC, c.MEASURE, c.REPEAT, c.GROUP), pl.String),
        c.VALUE: pl.Float64,
        c.TIMES: pl.Int64,
        c.LINE: pl.UInt32,
    }
    problem_list = ProblemList(source, [])
    frames = []
    for part in parts:
        needed = [name for name in (c.RUN, c.TOPIC, c.MEASURE) if name in part.columns]
        columns = [_with_nulls(part[c.VALUE])]
        if c.MEASURE in needed and part[c.MEASURE].dtype == pl.Object:
            # ir_measures gives its measures as objects.
            columns.append(pl.Series(c.MEASURE, [*map(str, part[c.MEASURE])], pl.Object))
        frames.append(problem_list.typed(part.with_columns(columns), schema, needed))
    cells = pl.concat(frames)
    problem_list.problems = in_lines(problem_list.problems, has_lines=c.LINE in parts[0].columns)
    problem_list.refuse(cells, "scores")
    return cells


def in_lines(problems: Sequence[Problem], *, has_lines: bool) -> list[Problem]:
    """The problems; if rows are not lines of a file, the row is part of the reason."""
    if has_lines:
        return list(problems)
    return [
        Problem(
            None,
            problem.reason if problem.line is None else f"row {problem.line}: {problem.reason}",
        )
        for problem in problems
    ]


def _with_nulls(column: pl.Series) -> pl.Series:
    """A column with nulls for all spellings of a missing value."""
    if column.dtype.is_float():
        return column.fill_nan(None)
    if column.dtype == pl.String:
        return column.set(column.is_in(GAPS), None)
    if column.dtype == pl.Object:
        items = [value.item() if isinstance(value, np.generic) else value for value in column]
        values = [None if str(value) in GAPS else value for value in items]
        return pl.Series(column.name, values, pl.Object)
    return column
