"""JSON Lines, or an array of the same objects: results, topics with results, or judgements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from foveal.errors import BadInput, Problem, value_text
from foveal.files import Source, refuse_columns
from foveal.formats._format import (
    QrelsRows,
    ReadOptions,
    RunRows,
    is_json,
    qrels_format,
    refuse_other_than_run,
    run_format,
)
from foveal.formats._json_rows import JsonColumns, Readers, decoded_columns, plain_run
from foveal.formats._json_values import (
    JsonObject,
    finite_numbers,
    identifiers,
    objects,
    texts,
    whole_numbers,
)
from foveal.formats._qrels_rows import NAMES as QRELS_COLUMNS
from foveal.formats._qrels_rows import QrelsTable, judged_rows, lines_with_aspects, passages_in
from foveal.formats._run_rows import constant, run_columns
from foveal.late import pl
from foveal.tables import NamedAspects, Qrels, Run, aliases
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.elements import ElementLookup

RESULTS = "results"
# Every key that may hold a value of a run, and the column that it may stand for.
COLUMN_OF = {
    key: column for column in aliases.RUN_FIELDS for key in (column, *aliases.BY_COLUMN[column])
}
COLUMN_OF |= {name: name for name in (c.RANK, c.LENGTH)}
TOPIC_NAMES = (c.TOPIC, *aliases.BY_COLUMN[c.TOPIC])
RUN_READERS = {
    **dict.fromkeys((c.TOPIC, c.DOC), identifiers),
    **dict.fromkeys((c.START, c.END, c.RANK, c.LENGTH), whole_numbers),
    c.SCORE: finite_numbers,
    c.TEXT: texts,
}
VALUE_READERS = {
    **RUN_READERS,
    **dict.fromkeys((c.ENTRY, c.STATED), whole_numbers),
    c.GRADE: finite_numbers,
    c.ASSESSOR: texts,
}
LIST_KEYS = (c.HIGHLIGHTS, c.ASPECTS)
LABELS = dict.fromkeys((c.RUN, c.TAG), identifiers)
QRELS_READERS: Readers = {
    key: VALUE_READERS[name]
    for name in QRELS_COLUMNS
    for key in (name, *aliases.BY_COLUMN.get(name, ()))
} | {c.HIGHLIGHTS: passages_in, c.ASPECTS: texts}
KEY = "key"
NESTED = (
    "one object {topic: {document: number}}, as ranx and pytrec_eval keep it: write one object per"
    " line, or give that dict to foveal.evaluate in Python"
)


def _results(
    source: Source, problems: list[Problem], extra_columns: tuple[str, ...]
) -> Iterator[tuple[int, JsonObject]]:
    """Results of all lines; those in a list get the topic and run names of the outer object."""
    for line, item in objects(source, problems):
        names = {name: item.get(name) for name in LABELS}
        if RESULTS not in item:
            yield line, {**aliases.with_metadata(item), **names}
        elif not isinstance(item[RESULTS], list):
            reason = f"{RESULTS} is {value_text(item[RESULTS])}, must be a list of objects"
            problems.append(Problem(line, reason))
        else:
            # A number of the topic itself belongs to one result, so that it counts once.
            numbers = {name: item[name] for name in extra_columns if name in item}
            for index, result in enumerate(item[RESULTS]):
                if isinstance(result, dict):
                    fields = aliases.with_metadata(result)
                    values = {name: fields[name] for name in fields if name not in TOPIC_NAMES}
                    topic = {name: item[name] for name in TOPIC_NAMES if name in item}
                    yield (line, {**({} if index else numbers), **values, **topic, **names})
                else:
                    reason = f"a result is {value_text(result)}, not an object"
                    problems.append(Problem(line, reason))


def _first(source: Source) -> JsonObject:
    return next((item for _, item in objects(source, [])), {})


def write_run(run: Run) -> bytes:
    """Line per result."""
    return _lines(run_columns(run))


def _highlights(
    item: JsonObject, row: int, line: int, problems: list[Problem], aspects: NamedAspects
) -> list[tuple[int, Any, Any]]:
    """Highlights of an object as pairs; its aspects are added to `aspects`."""
    try:
        pairs = aspects.take(row, item.get(c.HIGHLIGHTS), item.get(c.ASPECTS))
    except ValueError as error:
        problems.append(Problem(line, str(error)))
        return []
    if pairs is None:
        return []
    if not isinstance(pairs, list) or any(
        not isinstance(pair, list) or len(pair) != 2 for pair in pairs
    ):
        problems.append(Problem(line, "highlights must be a list of pairs [start, end]"))
        return []
    return [(row, start, end) for start, end in pairs]


def write_qrels(qrels: Qrels, elements: ElementLookup | None = None) -> bytes:
    """Line per judged document."""
    if qrels.judgements.aspects is not None:
        return lines_with_aspects(qrels)
    return _lines(_judged_documents(qrels))


def write_assessors(tables: Mapping[str, Qrels]) -> bytes:
    """Line per judged document and assessor."""
    if any(qrels.judgements.aspects is not None for qrels in tables.values()):
        return b"".join(lines_with_aspects(qrels, name) for name, qrels in tables.items())
    rows = [
        _judged_documents(qrels).with_columns(pl.lit(name).alias(c.ASSESSOR))
        for name, qrels in tables.items()
    ]
    return _lines(pl.concat(rows, how="diagonal"))


def _judged_documents(qrels: Qrels) -> pl.DataFrame:
    """Judged documents with their highlights, unless all of them have grades only."""
    documents = qrels.documents.drop(c.LINE)
    if qrels.passages.height or documents[c.GRADE].null_count():
        documents = documents.with_columns(_highlight_lists(qrels))
    return documents


def _highlight_lists(qrels: Qrels) -> pl.Series:
    """Highlights of every document; an empty list if it has none."""
    pairs = qrels.passages.group_by(c.JUDGED).agg(
        pl.concat_list(c.START, c.END).alias(c.HIGHLIGHTS)
    )
    rows = pl.DataFrame({c.JUDGED: range(qrels.documents.height)}, schema={c.JUDGED: pl.UInt32})
    with_highlights = rows.join(pairs, on=c.JUDGED, how="left", maintain_order="left")
    return with_highlights[c.HIGHLIGHTS].fill_null([])


def _lines(frame: pl.DataFrame) -> bytes:
    nonempty = [name for name in frame.columns if frame[name].null_count() < frame.height]
    text: str = frame.select(nonempty).write_ndjson()
    return text.encode()


def _key_usage(
    table: JsonColumns, source: Source, line: int | None, extra_columns: tuple[str, ...]
) -> tuple[dict[str, str], set[str]]:
    """Key of each column that has another name, and the unused keys; refused if one is missing."""
    if line and (reason := refuse_columns(len(table.keys - LABELS.keys()))):
        raise BadInput(source.name, [Problem(line, reason)])
    names = [name for name in (*COLUMN_OF, *LABELS) if name in table.nonempty]
    aliases_used = aliases.alias_by_column(
        aliases.RUN_FIELDS, [name for name in names if name not in extra_columns]
    )
    used = {*c.RUN_COLUMNS, c.TEXT, *LABELS, *aliases_used.values(), *extra_columns}
    if c.LENGTH in names and c.END not in {*names, *aliases_used}:
        used.add(c.LENGTH)
    other_keys = table.keys - {*COLUMN_OF, *used}
    if line and not names and all(isinstance(v, dict) for v in _first(source).values()):
        raise BadInput(source.name, [Problem(line, NESTED)])
    if line:
        refuse_other_than_run([*names, *sorted(other_keys)], source, line, KEY)
    return aliases_used, table.keys - used


def _run_line_by_line(
    source: Source, readers: Readers, extra_columns: tuple[str, ...], problems: list[Problem]
) -> JsonColumns:
    """Results in any file; the problems with its lines go to `problems`."""
    lines: list[int] = []
    values: dict[str, list[Any]] = {name: [] for name in LABELS}
    keys: set[str] = set()
    for line, result in _results(source, problems, extra_columns):
        for name in result.keys() - keys:
            keys.add(name)
            if name in readers:
                values[name] = [None] * len(lines)
        lines.append(line)
        for name, column in values.items():
            column.append(result.get(name))
    nonempty = {name for name, column in values.items() if column.count(None) < len(column)}
    return JsonColumns(values, lines, keys, nonempty, [])


@run_format(
    name="jsonl",
    title="JSON Lines run",
    sentence="One object per result, or per topic with a list of results; ranked by rank, else by score.",
    shape='{"topic": ..., "doc": ..., "start": ..., "end": ..., "rank" or "score": ..., "text": ...}',
    examples=(
        '{"topic": "51", "doc": "d1", "start": 120, "end": 480, "score": 7.5, "tag": "mine"}',
        '{"topic": "52", "run": "mine", "results": [{"doc": "d1", "score": 3.1}]}',
    ),
    extensions=(".jsonl", ".ndjson"),
    recognises=is_json,
    write=write_run,
)
def read_run(source: Source, options: ReadOptions) -> RunRows:
    """Run in objects that are results, or topics with a list of results."""
    problems: list[Problem] = []
    extra = options.extra_columns
    numbers = {name: finite_numbers for name in extra if name not in c.RUN_SCHEMA}
    readers = {key: RUN_READERS[column] for key, column in COLUMN_OF.items()} | numbers
    # An extra column that results lack may be one of their topic, as tags often are.
    table = None if LABELS.keys() & extra else decoded_columns(source, LABELS | readers, RESULTS)
    if table is None or not {*extra} <= table.keys:
        table = _run_line_by_line(source, readers, extra, problems)
    line = None if problems else table.first_line
    aliases_used, ignored = _key_usage(table, source, line, extra)
    if not extra and options.elements is None and (run := plain_run(table)):
        return run
    series = []
    for column, read in RUN_READERS.items():
        key = aliases_used.get(column, column)
        is_used = key in table.values or isinstance(table.lines, list)
        if column in {c.TEXT, c.LENGTH}:
            is_used = key in table.nonempty - ignored and column not in numbers
        if is_used:
            series.append(table.read(key, read, problems).alias(column))
    series += [table.read(name, numbers[name], problems) for name in numbers if name in table.keys]
    # Extra columns are numbers to be averaged: then they do not name the run.
    names = table.nonempty & LABELS.keys() - numbers.keys()
    series += [table.read(name, identifiers, []) for name in sorted(names)]
    frame = pl.DataFrame([*series, pl.Series(c.LINE, table.lines, dtype=pl.UInt32)])
    with_values = [item.name for item in frame if item.null_count() < len(item)]
    suggestions = aliases.suggested_columns([*with_values, *sorted(ignored)])
    return RunRows(
        frame=frame,
        name=constant(frame, c.RUN),
        tag=constant(frame, c.TAG),
        problems=problems,
        ignored=ignored - suggestions.keys(),
        notes=aliases.suggestion_notes(suggestions, KEY),
        aliases_used={key: column for column, key in aliases_used.items()},
    )


def _qrels_line_by_line(
    source: Source, problems: list[Problem], aspects: NamedAspects
) -> JsonColumns:
    """Judgements in any file; adds to `problems` and `aspects`."""
    items = [(line, aliases.with_metadata(item)) for line, item in objects(source, problems)]
    lines = [line for line, _ in items]
    keys = {key for _, item in items for key, value in item.items() if value is not None}
    if keys and all(isinstance(value, dict) for value in items[0][1].values()):
        raise BadInput(source.name, [Problem(lines[0], NESTED)])
    spans = [
        pair
        for row, (line, item) in enumerate(items)
        for pair in _highlights(item, row, line, problems, aspects)
    ]
    values: dict[str, Any] = {
        key: [item.get(key) for _, item in items] for key in keys & {*QRELS_READERS} - {*LIST_KEYS}
    }
    for name in keys & {*LIST_KEYS}:
        is_present = [item.get(name) is not None or None for _, item in items]
        values[name] = pl.Series(is_present, dtype=pl.Boolean)
    return JsonColumns(values, lines, keys, keys, spans)


def _passages(table: JsonColumns, problems: list[Problem]) -> pl.DataFrame:
    """Highlights as passages; a bound that is no number becomes a problem."""
    if not isinstance(table.highlights, list):
        return pl.DataFrame(table.highlights, schema=c.PASSAGE_SCHEMA)
    rows, starts, ends = zip(*table.highlights, strict=True) if table.highlights else ((), (), ())
    lines = [table.lines[row] for row in rows]
    start = whole_numbers(c.START, starts, lines, problems)
    end = whole_numbers(c.END, ends, lines, problems)
    return pl.DataFrame([pl.Series(c.JUDGED, rows, dtype=pl.UInt32), start, end])


def _first_object(source: Source) -> JsonObject:
    """First object, whose keys are the columns."""
    problems: list[Problem] = []
    first = next(objects(source, problems), None)
    if first is None:
        raise BadInput(source.name, problems)
    return aliases.with_metadata(first[1])


@qrels_format(
    name="jsonl",
    title="JSON Lines judgements",
    sentence="One object per judged document (length, best entry point, grade, highlights) or per"
    " passage (start, end); aspects are named on the document or on a highlight.",
    shape='{"topic": ..., "doc": ..., "length": ..., "entry": ..., "grade": ...,'
    ' "highlights": [[start, end], ...]}, or "start": ..., "end": ... instead of highlights',
    examples=(
        '{"topic": "51", "doc": "d1", "length": 900, "entry": 120, "highlights": [[120, 480]]}',
        '{"topic": "51", "doc": "d2", "grade": 2}',
        '{"topic": "51", "doc": "d1", "start": 120, "end": 480, "assessor": "anna"}',
        '{"topic": "52", "doc": "d3", "highlights": [{"start": 7, "end": 90, "aspects": ["price"]}]}',
        '{"topic": "52", "doc": "d4", "aspects": {"price": 2, "colour": 1}}',
    ),
    extensions=(".jsonl", ".ndjson"),
    recognises=is_json,
    write=write_qrels,
    write_assessors=write_assessors,
    names=_first_object,
    holds_aspects=True,
)
def read_qrels(source: Source, options: ReadOptions) -> QrelsRows:
    """Judgements in objects that are judged documents or passages."""
    problems: list[Problem] = []
    aspects = None
    table = decoded_columns(source, QRELS_READERS)
    if (
        table is None
        or not {c.TOPIC, c.DOC}
        <= table.nonempty | aliases.alias_by_column(QRELS_COLUMNS, table.nonempty).keys()
    ):
        aspects = NamedAspects()
        table = _qrels_line_by_line(source, problems, aspects)
    aliases_used = aliases.alias_by_column(QRELS_COLUMNS, table.nonempty)
    series = [
        table.read(key, VALUE_READERS[name], problems)
        for name in QRELS_COLUMNS
        if (key := aliases_used.get(name, name)) in table.nonempty or not len(table.lines)
    ]
    series += [table.read(name, texts, []) for name in LIST_KEYS if name in table.nonempty]
    frame = pl.DataFrame([*series, pl.Series(c.LINE, table.lines, dtype=pl.UInt32)])
    passages = _passages(table, problems)
    other_keys = table.nonempty - {*aliases_used.values()} if aspects is None else table.nonempty
    rows = QrelsTable(frame, source, table.first_line, KEY, tuple(sorted(other_keys)))
    highlights = passages if c.HIGHLIGHTS in table.nonempty else None
    return judged_rows(rows, options, problems, highlights, aspects=aspects)
