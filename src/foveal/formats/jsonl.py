"""JSON Lines: one object per result, per topic with its results, or per judged document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from foveal.errors import BadInput, Problem
from foveal.formats._json_columns import object_columns
from foveal.formats._json_values import (
    JsonObject,
    finite_numbers,
    identifiers,
    kind,
    objects,
    texts,
    whole_numbers,
)
from foveal.formats._misnamed import refuse_missing
from foveal.formats._records import QrelsRows, Reading, RunRows, is_json, qrels_format, run_format
from foveal.formats._run_rows import run_columns, run_name
from foveal.late import pl
from foveal.tables import ALIASES, OF_RUNS, Qrels, Run, aliased, misnamed, misnamed_note, renamed
from foveal.tables import columns as c

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from foveal.elements import ElementLookup
    from foveal.files import Source

RESULTS = "results"
# Every key that may hold a value of a run, and the column of ours that it may stand for.
COLUMN_OF = {theirs: ours for ours in OF_RUNS for theirs in (ours, *ALIASES[ours])}
COLUMN_OF |= {name: name for name in (c.RANK, c.LENGTH)}
TOPIC_NAMES = (c.TOPIC, *ALIASES[c.TOPIC])
READ = {
    **dict.fromkeys((c.TOPIC, c.DOC), identifiers),
    **dict.fromkeys((c.START, c.END, c.RANK, c.LENGTH), whole_numbers),
    c.SCORE: finite_numbers,
    c.TEXT: texts,
}
JUDGED = (c.TOPIC, c.DOC, c.LENGTH, c.ENTRY, c.STATED, c.GRADE)
KEY = "key"
NESTED = (
    "one object {topic: {document: number}}, as ranx and pytrec_eval keep it: write one object per"
    " line, or give that dict to foveal.evaluate in Python"
)


def _results(source: Source, problems: list[Problem]) -> Iterator[tuple[int, JsonObject]]:
    """The results of all lines; those in a list get the topic and the tag of the object around."""
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
            for result in item[RESULTS]:
                if isinstance(result, dict):
                    own = {name: result[name] for name in result if name not in TOPIC_NAMES}
                    shared = {name: item[name] for name in TOPIC_NAMES if name in item}
                    yield line, {**own, **shared, c.TAG: tag}
                else:
                    problems.append(Problem(line, f"a result is {kind(result)}, not an object"))


def _first(source: Source) -> JsonObject:
    return next((item for _, item in objects(source, [])), {})


def write_run(run: Run) -> bytes:
    """A line per result."""
    return _lines(run_columns(run))


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


def _run_at_once(source: Source) -> RunRows | None:
    """The run in a file whose lines are alike and that surely has no problem, else None."""
    types: dict[str, Any] = {
        name: (c.RUN_SCHEMA | {c.TEXT: pl.String, c.LENGTH: pl.Int64})[ours]
        for name, ours in COLUMN_OF.items()
    }
    types |= {c.TAG: pl.String, c.RUN: pl.String}
    rows = object_columns(source, types, RESULTS)
    if rows is None or {c.TAG, c.RUN} <= set(rows.columns):
        return None
    rows = rows.rename({c.RUN: c.TAG}, strict=False)
    frame, _ = renamed(rows, OF_RUNS)
    if not _identified(frame):
        return None
    found = [name for name in rows.columns if rows[name].null_count() < rows.height]
    keys = _Keys.of(set(rows.columns), found, source, [int(rows[c.LINE][0])])
    frame = frame.drop(keys.ignored, strict=False)
    if c.TAG in rows.columns:
        frame = frame.with_columns(pl.col(c.TAG).replace("", None))
    return keys.run_rows(frame, source, [])


@dataclass(frozen=True)
class _Keys:
    """Which keys of a run's objects were taken for which of ours, and which are not used."""

    taken: dict[str, str]
    ignored: set[str]

    @classmethod
    def of(cls, keys: set[str], filled: Iterable[str], source: Source, lines: list[int]) -> Self:
        """The keys of objects, some of which have values; refused if one that is needed is missing."""
        found = [name for name in (*COLUMN_OF, c.TAG) if name in {*filled}]
        taken = aliased(OF_RUNS, found)
        used = {*c.RUN_COLUMNS, c.TEXT, c.TAG, c.RUN, *taken.values()}
        if c.LENGTH in found and c.END not in {*found, *taken}:
            used.add(c.LENGTH)
        others = keys - {*COLUMN_OF, *used}
        if lines and not found and all(isinstance(v, dict) for v in _first(source).values()):
            raise BadInput(source.name, [Problem(lines[0], NESTED)])
        if lines:
            refuse_missing([*found, *sorted(others)], source, lines[0], KEY)
        return cls(taken, keys - used)

    def run_rows(self, frame: pl.DataFrame, source: Source, problems: list[Problem]) -> RunRows:
        """The rows of a run with these keys."""
        meant = misnamed([*frame.columns, *sorted(self.ignored)])
        return RunRows(
            frame=frame,
            name=run_name(frame, source),
            problems=problems,
            ignored=self.ignored - meant.keys(),
            notes=misnamed_note(meant, KEY),
            taken={theirs: ours for ours, theirs in self.taken.items()},
        )


def _identified(rows: pl.DataFrame) -> bool:
    """Whether there are rows, and each has a topic and a document."""
    return rows.height > 0 and all(
        name in rows.columns and not rows[name].null_count() and not (rows[name] == "").any()
        for name in (c.TOPIC, c.DOC)
    )


def _run_line_by_line(source: Source) -> RunRows:
    """The run in any file, and all that is wrong with its lines."""
    problems: list[Problem] = []
    lines: list[int] = []
    values: dict[str, list[Any]] = {c.TAG: []}
    every: set[str] = set()
    for line, result in _results(source, problems):
        for name in result.keys() - every:
            every.add(name)
            if name in COLUMN_OF:
                values[name] = [None] * len(lines)
        lines.append(line)
        for name, column in values.items():
            column.append(result.get(name))
    found = [name for name, column in values.items() if column.count(None) < len(column)]
    keys = _Keys.of(every, found, source, [] if problems else lines)
    nothing = [None] * len(lines)
    columns = []
    for ours, read in READ.items():
        theirs = keys.taken.get(ours, ours)
        if ours not in {c.TEXT, c.LENGTH} or theirs in {*found} - keys.ignored:
            columns.append(read(theirs, values.get(theirs, nothing), lines, problems).alias(ours))
    # A missing tag is fine: the file then names the run.
    columns.append(identifiers(c.TAG, values[c.TAG], lines, []))
    frame = pl.DataFrame([*columns, pl.Series(c.LINE, lines, dtype=pl.UInt32)])
    return keys.run_rows(frame, source, problems)


@run_format(
    name="jsonl",
    title="JSON Lines run",
    sentence="One object per result, or per topic with a list of results; ranked by rank or score.",
    shape='{"topic": ..., "doc": ..., "start": ..., "end": ..., "rank" or "score": ..., "text": ...}',
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
    return _run_at_once(source) or _run_line_by_line(source)


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
