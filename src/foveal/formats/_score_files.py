"""Reads files of scores: foveal's own, other programs' and tables made by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from foveal.errors import BadInput, Problem, UsageError
from foveal.evaluation import (
    GAPS,
    NO_SCORES,
    SCORE_SHAPES,
    Cells,
    RunFile,
    cells_in,
    cells_of,
    distinct_names,
    scores_of,
)
from foveal.files import PARQUET_MAGIC, Head, Source
from foveal.formats._format import is_json
from foveal.formats._json_values import objects
from foveal.formats._plain_lines import Layout, fields, refuse
from foveal.formats._tables import frame_of_objects
from foveal.formats.csv import COMMA, TAB, header, records
from foveal.formats.parquet import parquet_table
from foveal.measures import is_measure, share_of_measures
from foveal.tables import aliases
from foveal.tables import columns as c

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from foveal.evaluation import Scores
    from foveal.late import pl

    Path = str | os.PathLike[str]

SETTINGS, ROWS, NOTES = "settings", "rows", "notes"
TREC_EVAL_LINE = Layout(("first", "second", c.VALUE), minimum=3)
RUN_ID = "runid"
EXPECTED = f"what `foveal evaluate QRELS RUN -o scores.json` or trec_eval -q writes; {SCORE_SHAPES}"


def has_scores(path: Path) -> bool:
    """True if a file has scores of topics, not judgements or a run."""
    with Source.of(path) as source:
        head = source.head()
        if head.magic == PARQUET_MAGIC:
            return _are_score_columns(parquet_table(source).columns)
        if is_json(head):
            # A run has an object on its first line: its other lines need not be read.
            value = _decoded(head.line) or _decoded(source.all_bytes())
            row = value[0] if isinstance(value, list) and value else value
            if not isinstance(row, dict) or _is_document(row):
                return isinstance(row, dict)
            # An object with a list is a topic of a run with its results.
            return not any(isinstance(v, list) for v in row.values()) and _are_score_columns([*row])
        return _is_printed(head.line) or any(
            _are_score_columns(header(head, separator)) or _has_no_topics(head, separator)
            for separator in (COMMA, TAB)
        )


def read_scores(
    *paths: Path, run: str | None = None, lower: Iterable[str] = (), measure: str = ""
) -> Scores:
    """Read the scores in files, of one run or of several in each.

    Read are what `foveal evaluate -o scores.json` and `trec_eval -q` write, tables (CSV, TSV, JSON
    lines, Parquet) with the columns topic, measure and value, with a column per measure or with one per
    run, and dicts as pytrec_eval and ranx give them, in JSON. A run is called as its column says, else
    like its file, or `run`. Where columns are runs, `measure` is what they hold. `lower` names
    measures unknown to foveal of which less is better.
    """
    if not paths:
        raise UsageError("no file of scores: give one or more")
    if run is not None and len(paths) > 1:
        raise UsageError("run names the run of one file: several are called like their files")
    parts = [_cells(path, run, measure) for path in paths]
    names = distinct_names([RunFile(part.run, part.run, part.source) for part in parts])
    parts = [replace(part, run=name) for part, name in zip(parts, names, strict=True)]
    return scores_of(parts, lower)


def _cells(path: Path, run: str | None, measure: str) -> Cells:
    """Cells of one file; its lines are quoted in errors about them."""
    problems: list[Problem] = []
    with Source.of(path) as source:
        name, head = run or source.stem, source.head()
        if head.magic == PARQUET_MAGIC:
            return cells_in(parquet_table(source), source.name, name, measure)
        try:
            if is_json(head):
                value = _decoded(source.text())
                items = [(1, value)] if isinstance(value, dict) else [*objects(source, problems)]
                refuse(source, problems)
                if len(items) == 1 and _is_document(item := items[0][1]):
                    return _document_cells(item, source.name, name, measure)
                table = frame_of_objects(items)
            elif _is_printed(head.line):
                printed = fields(source, TREC_EVAL_LINE)
                refuse(source, printed.problems)
                return _printed_cells(printed.frame, source.name, name, is_named=run is not None)
            else:
                separator = TAB if TAB in head.line else COMMA
                table = records(source, separator, problems, all_text=True)
                refuse(source, problems)
            return cells_in(table, source.name, name, measure)
        except BadInput as error:
            error.expected = "" if SCORE_SHAPES in str(error) else EXPECTED
            error.quote(source.lines({problem.line for problem in error.problems if problem.line}))
            raise


def _document_cells(document: dict[str, Any], source: str, run: str, measure: str) -> Cells:
    """Cells of one JSON document: saved scores, or dicts of another program."""
    if not _is_saved(document):
        return cells_of(document, source, run)
    settings, rows = document[SETTINGS], document[ROWS]
    if not isinstance(settings, dict) or not all(isinstance(v, str) for v in settings.values()):
        raise BadInput(source, [Problem(None, f"{SETTINGS} must be an object of texts")])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadInput(source, [Problem(None, f"{ROWS} must be a list of objects")])
    table = frame_of_objects(list(enumerate(rows, start=1))).drop(c.LINE)
    notes = document.get(NOTES)
    texts = [note for note in (notes if isinstance(notes, list) else ()) if isinstance(note, str)]
    return replace(cells_in(table, source, run, measure), settings=settings, notes=tuple(texts))


def _printed_cells(lines: pl.DataFrame, source: str, run: str, *, is_named: bool) -> Cells:
    """Cells of trec_eval's lines (measure, topic, value) or ir_measures' (topic, measure, value)."""
    first, second, value = lines.columns[:3]
    is_id = lines[first] == RUN_ID
    if is_id.any() and not is_named:
        run = lines.filter(is_id)[value][0]
    scores = lines.filter(~lines[first].str.contains(NO_SCORES))
    shares = [share_of_measures(scores[column].unique()) for column in (first, second)]
    by_measure = shares[0] >= shares[1]
    measure, topic = (first, second) if by_measure else (second, first)
    return replace(
        cells_in(scores.rename({measure: c.MEASURE, topic: c.TOPIC}), source, run),
        format="trec_eval-q" if by_measure else "ir_measures",
    )


def _is_printed(line: str) -> bool:
    """True if a line has a measure, a topic and a number, as trec_eval -q prints them."""
    words = line.split()
    if len(words) != len(TREC_EVAL_LINE.names):
        return False
    return words[0] == RUN_ID or (_is_number(words[2]) and any(map(is_measure, words[:2])))


def _is_document(document: dict[str, Any]) -> bool:
    """True if an object holds all scores, and is not one of many rows."""
    if _is_saved(document):
        return True
    if not all(isinstance(value, dict) for value in document.values()):
        return False
    # Dicts by topic, measure and perhaps run, in any order: the first key of each level decides.
    level: Any = document
    depth = 0
    while isinstance(level, dict) and level:
        if share_of_measures(level):
            return True
        level, depth = next(iter(level.values())), depth + 1
    # No other JSON has numbers under three levels of names.
    return depth == 3 and isinstance(level, int | float)


def _is_saved(document: dict[str, Any]) -> bool:
    return {SETTINGS, ROWS} <= document.keys()


def _are_score_columns(names: Sequence[str]) -> bool:
    """True if columns are those of scores: topics and numbers, but none of runs or judgements."""
    aliases_used = aliases.score_columns(names)
    if {c.TOPIC, c.VALUE, c.MEASURE} <= aliases_used.keys():
        return True
    other_columns = [name for name in names if name not in aliases_used.values()]
    is_other_table = c.TITLE in other_columns or any(map(aliases.is_run_column, other_columns))
    # The results of several runs have runs and numbers too, but also documents.
    has_values = bool(other_columns) or {c.RUN, c.VALUE} <= aliases_used.keys()
    return c.TOPIC in aliases_used and has_values and not is_other_table


def _has_no_topics(head: Head, separator: str) -> bool:
    """True if a line of names is above one of as many numbers: scores without topics."""
    names = header(head, separator)
    text = head.beginning.decode(errors="replace")
    numbers = text[text.find(head.line) :].split("\n", 2)[1:2]
    values = numbers[0].split(separator) if numbers else []
    return (
        1 < len(names) == len(values)
        and all(map(_is_number, values))
        and not any(_is_number(name) or aliases.is_run_column(name) for name in names)
    )


def _is_number(text: str) -> bool:
    try:
        return bool(float(text)) or True
    except ValueError:
        return text in GAPS


def _decoded(text: str | bytes) -> Any:
    """Value of a text in JSON, even with the NaN that Python writes; None if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
