"""JSON Lines: one object per result, per topic with its results, or per judged document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from foveal.errors import BadInput, Problem
from foveal.formats._json_columns import object_columns
from foveal.formats._json_values import (
    JsonObject,
    finite_numbers,
    identifiers,
    kind,
    objects,
    whole_numbers,
)
from foveal.formats._misnamed import refuse_missing
from foveal.formats._records import QrelsRows, Reading, RunRows, is_json, qrels_format, run_format
from foveal.formats._run_rows import NAMES, run_columns, run_name, with_ranks_as_read
from foveal.late import pl
from foveal.tables import Qrels, Run, misnamed, misnamed_note
from foveal.tables import columns as c

if TYPE_CHECKING:
    from collections.abc import Iterator

    from foveal.elements import ElementLookup
    from foveal.files import Source

RESULTS = "results"
KNOWN = {*c.RUN_COLUMNS, c.TAG, c.RUN}
JUDGED = (c.TOPIC, c.DOC, c.LENGTH, c.ENTRY, c.STATED, c.GRADE)
KEY = "key"
NESTED = (
    "one object {topic: {document: number}}, as ranx and pytrec_eval keep it: write one object per"
    " line, or give that dict to foveal.evaluate in Python"
)


def _results(
    source: Source, problems: list[Problem], also: tuple[str, ...]
) -> Iterator[tuple[int, JsonObject]]:
    for line, item in objects(source, problems):
        tag = item.get(c.TAG, item.get(c.RUN))
        if RESULTS not in item:
            item[c.TAG] = tag
            yield line, item
        elif not isinstance(item[RESULTS], list):
            problems.append(
                Problem(line, f"{RESULTS} is {kind(item[RESULTS])}, must be a list of objects")
            )
        else:
            # A number of the topic itself counts once, not with every result.
            own = {name: item[name] for name in also if name in item}
            for place, result in enumerate(item[RESULTS]):
                if isinstance(result, dict):
                    result[c.TOPIC], result[c.TAG] = item.get(c.TOPIC), tag
                    yield line, result if place else {**own, **result}
                else:
                    problems.append(Problem(line, f"a result is {kind(result)}, not an object"))


def _misnamed(
    found: list[str], ignored: set[str], source: Source, lines: list[int]
) -> dict[str, str]:
    """Ignored keys that were probably meant as one that is missing; refused if that is needed."""
    if lines and not found and all(isinstance(v, dict) for v in _first(source).values()):
        raise BadInput(source.name, [Problem(lines[0], NESTED)])
    if lines:
        refuse_missing([*found, *sorted(ignored)], source, lines[0], KEY)
    return misnamed([*found, *sorted(ignored)])


def _first(source: Source) -> JsonObject:
    return next((item for _, item in objects(source, [])), {})


def write_run(run: Run) -> bytes:
    """A line per result."""
    return _lines(run_columns(with_ranks_as_read(run), run.name))


def _highlights(
    item: JsonObject, row: int, line: int, problems: list[Problem]
) -> list[tuple[int, Any, Any]]:
    pairs = item.get(c.HIGHLIGHTS)
    if pairs is None:
        return []
    is_list = isinstance(pairs, list)
    if not is_list or any(not isinstance(pair, list) or len(pair) != 2 for pair in pairs):
        problems.append(Problem(line, "highlights must be a list of pairs [start, end]"))
        return []
    return [(row, start, end) for start, end in pairs]


def write_qrels(qrels: Qrels, elements: ElementLookup | None = None) -> bytes:
    """A line per judged document."""
    documents = qrels.documents.drop(c.LINE)
    if qrels.passages.height or documents[c.GRADE].null_count():
        documents = documents.with_columns(_highlight_lists(qrels))
    return _lines(documents)


def _highlight_lists(qrels: Qrels) -> pl.Series:
    """The highlights of every document; an empty list if it has none."""
    pairs = qrels.passages.group_by(c.JUDGED).agg(
        pl.concat_list(c.START, c.END).alias(c.HIGHLIGHTS)
    )
    rows = pl.DataFrame({c.JUDGED: range(qrels.documents.height)}, schema={c.JUDGED: pl.UInt32})
    found = rows.join(pairs, on=c.JUDGED, how="left", maintain_order="left")
    return found[c.HIGHLIGHTS].fill_null([])


def _lines(frame: pl.DataFrame) -> bytes:
    filled = [name for name in frame.columns if frame[name].null_count() < frame.height]
    text: str = frame.select(filled).write_ndjson()
    return text.encode()


def _run_at_once(source: Source, also: tuple[str, ...]) -> RunRows | None:
    """The run in a file whose lines are alike and that surely has no problem, else None."""
    types: dict[str, Any] = {name: c.RUN_SCHEMA[name] for name in NAMES}
    types |= {c.TAG: pl.String, c.RUN: pl.String, **_numbers(also)}
    rows = object_columns(source, types, RESULTS)
    if rows is None or not _identified(rows) or {c.TAG, c.RUN} <= set(rows.columns):
        return None
    # A column that results lack may be one of their topic.
    if not set(also) <= set(rows.columns):
        return None
    rows = rows.rename({c.RUN: c.TAG}, strict=False)
    found = [name for name in (*NAMES, c.TAG) if name in rows.columns]
    found = [name for name in found if rows[name].null_count() < rows.height]
    ignored = set(rows.columns) - {*KNOWN, *also}
    meant = _misnamed(found, ignored, source, [int(rows[c.LINE][0])])
    frame = rows.drop(ignored)
    if c.TAG in rows.columns:
        frame = frame.with_columns(pl.col(c.TAG).replace("", None))
    return RunRows(
        frame=frame,
        name=run_name(frame, source),
        ignored=ignored - meant.keys(),
        notes=misnamed_note(meant, KEY),
    )


def _identified(rows: pl.DataFrame) -> bool:
    """Whether there are rows, and each has a topic and a document."""
    return rows.height > 0 and all(
        name in rows.columns and not rows[name].null_count() and not (rows[name] == "").any()
        for name in (c.TOPIC, c.DOC)
    )


def _numbers(also: tuple[str, ...]) -> dict[str, Any]:
    """Further columns to keep, by type; those of a run have their own."""
    return {name: pl.Float64 for name in also if name not in c.RUN_SCHEMA}


def _run_line_by_line(source: Source, also: tuple[str, ...]) -> RunRows:
    """The run in any file, and all that is wrong with its lines."""
    problems: list[Problem] = []
    lines: list[int] = []
    names = (*c.RUN_SCHEMA, c.TAG, *_numbers(also))
    values: dict[str, list[Any]] = {name: [] for name in names if name != c.LINE}
    ignored: set[str] = set()
    for line, result in _results(source, problems, also):
        lines.append(line)
        ignored |= result.keys() - {*KNOWN, *also}
        for name, column in values.items():
            column.append(result.get(name))
    found = [name for name, column in values.items() if column.count(None) < len(column)]
    meant = _misnamed(found, ignored, source, lines) if not problems else {}
    columns = [identifiers(name, values[name], lines, problems) for name in (c.TOPIC, c.DOC)]
    columns += [
        whole_numbers(name, values[name], lines, problems) for name in (c.START, c.END, c.RANK)
    ]
    columns += [
        finite_numbers(name, values[name], lines, problems)
        for name in (c.SCORE, *(name for name in _numbers(also) if name in found))
    ]
    # A missing tag is fine: the file then names the run.
    columns.append(identifiers(c.TAG, values[c.TAG], lines, []))
    frame = pl.DataFrame([*columns, pl.Series(c.LINE, lines, dtype=pl.UInt32)])
    return RunRows(
        frame=frame,
        name=run_name(frame, source),
        problems=problems,
        ignored=ignored - meant.keys(),
        notes=misnamed_note(meant, KEY),
    )


@run_format(
    name="jsonl",
    title="JSON Lines run",
    sentence="One object per result, or per topic with a list of results; ranked by rank or score.",
    shape='{"topic": ..., "doc": ..., "start": ..., "end": ..., "rank" or "score": ...}',
    examples=(
        '{"topic": "51", "doc": "d1", "start": 120, "end": 480, "score": 7.5, "tag": "mine"}',
        '{"topic": "52", "run": "mine", "results": [{"doc": "d1", "score": 3.1}]}',
    ),
    extensions=(".jsonl", ".ndjson"),
    recognises=is_json,
    write=write_run,
)
def read_run(source: Source, reading: Reading) -> RunRows:
    """The run in objects that are results, or topics with a list of results."""
    return _run_at_once(source, reading.also) or _run_line_by_line(source, reading.also)


def _qrels_at_once(source: Source) -> QrelsRows | None:
    """The judgements in a file whose lines are alike and that surely has no problem, else None."""
    types: dict[str, Any] = {name: c.DOCUMENT_SCHEMA[name] for name in JUDGED}
    types[c.HIGHLIGHTS] = pl.List(pl.List(pl.Int64))
    rows = object_columns(source, types)
    if rows is None or not _identified(rows):
        return None
    speaks = [pl.col(name).is_not_null() for name in c.SPEAKS_OF_RELEVANCE if name in rows.columns]
    if not speaks or not rows.select(pl.any_horizontal(speaks)).to_series().all():
        return None
    passages = _passages_at_once(rows)
    if passages is None:
        return None
    kept = [name for name in (*JUDGED, c.LINE) if name in rows.columns]
    return QrelsRows(documents=rows.select(kept), passages=passages)


def _passages_at_once(rows: pl.DataFrame) -> pl.DataFrame | None:
    """The highlights of all rows; None if some are not pairs of numbers."""
    if c.HIGHLIGHTS not in rows.columns:
        return pl.DataFrame(schema=c.PASSAGE_SCHEMA)
    pairs = (
        rows.select(pl.int_range(pl.len(), dtype=pl.UInt32).alias(c.JUDGED), c.HIGHLIGHTS)
        .filter(pl.col(c.HIGHLIGHTS).list.len() > 0)
        .explode(c.HIGHLIGHTS)
    )
    pair = pl.col(c.HIGHLIGHTS).list
    if not pairs.select((pair.len() == 2).fill_null(value=False).all()).item():
        return None
    passages = pairs.select(c.JUDGED, pair.get(0).alias(c.START), pair.get(1).alias(c.END))
    return None if sum(passages.null_count().row(0)) else passages


def _qrels_line_by_line(source: Source) -> QrelsRows:
    """The judgements in any file, and all that is wrong with its lines."""
    problems: list[Problem] = []
    lines: list[int] = []
    values: dict[str, list[Any]] = {name: [] for name in JUDGED}
    spans: list[tuple[int, Any, Any]] = []
    for line, item in objects(source, problems):
        if all(item.get(name) is None for name in c.SPEAKS_OF_RELEVANCE):
            problems.append(Problem(line, "no grade, length or highlights: nothing is judged"))
        spans += _highlights(item, len(lines), line, problems)
        lines.append(line)
        for name, column in values.items():
            column.append(item.get(name))
    columns = [identifiers(name, values[name], lines, problems) for name in (c.TOPIC, c.DOC)]
    columns += [
        whole_numbers(name, values[name], lines, problems) for name in (c.LENGTH, c.ENTRY, c.STATED)
    ]
    columns.append(finite_numbers(c.GRADE, values[c.GRADE], lines, problems))
    span_lines = [lines[row] for row, _, _ in spans]
    passages = pl.DataFrame(
        [
            pl.Series(c.JUDGED, [row for row, _, _ in spans], dtype=pl.UInt32),
            whole_numbers(c.START, [start for _, start, _ in spans], span_lines, problems),
            whole_numbers(c.END, [end for _, _, end in spans], span_lines, problems),
        ]
    )
    documents = pl.DataFrame([*columns, pl.Series(c.LINE, lines, dtype=pl.UInt32)])
    return QrelsRows(documents=documents, passages=passages, problems=problems)


@qrels_format(
    name="jsonl",
    title="JSON Lines judgements",
    sentence="One object per judged document: length, best entry point, grade, highlights.",
    shape='{"topic": ..., "doc": ..., "length": ..., "entry": ..., "grade": ...,'
    ' "highlights": [[start, end], ...]}',
    examples=(
        '{"topic": "51", "doc": "d1", "length": 900, "entry": 120, "highlights": [[120, 480]]}',
        '{"topic": "51", "doc": "d2", "grade": 2}',
    ),
    extensions=(".jsonl", ".ndjson"),
    recognises=is_json,
    write=write_qrels,
)
def read_qrels(source: Source, reading: Reading) -> QrelsRows:
    """The judgements in objects that are judged documents."""
    return _qrels_at_once(source) or _qrels_line_by_line(source)
