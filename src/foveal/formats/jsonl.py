"""JSON Lines, or an array of the same objects: results, topics with results, or judgements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from foveal.errors import BadInput, Problem, kind
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
from foveal.formats._json_rows import JsonColumns, Readers, columns_of_alike, plain_run
from foveal.formats._json_values import (
    JsonObject,
    finite_numbers,
    identifiers,
    objects,
    texts,
    whole_numbers,
)
from foveal.formats._qrels_rows import NAMES as JUDGED
from foveal.formats._qrels_rows import QrelsTable, judged_rows, lines_with_aspects, passages_in
from foveal.formats._run_rows import run_columns, stated
from foveal.late import pl
from foveal.tables import NamedAspects, Qrels, Run, aliases
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.elements import ElementLookup

RESULTS = "results"
# Every key that may hold a value of a run, and the column of ours that it may stand for.
COLUMN_OF = {
    theirs: ours for ours in aliases.OF_RUNS for theirs in (ours, *aliases.BY_COLUMN[ours])
}
COLUMN_OF |= {name: name for name in (c.RANK, c.LENGTH)}
TOPIC_NAMES = (c.TOPIC, *aliases.BY_COLUMN[c.TOPIC])
READ = {
    **dict.fromkeys((c.TOPIC, c.DOC), identifiers),
    **dict.fromkeys((c.START, c.END, c.RANK, c.LENGTH), whole_numbers),
    c.SCORE: finite_numbers,
    c.TEXT: texts,
}
READ_JUDGED = {
    **READ,
    **dict.fromkeys((c.ENTRY, c.STATED), whole_numbers),
    c.GRADE: finite_numbers,
    c.ASSESSOR: texts,
}
LISTED = (c.HIGHLIGHTS, c.ASPECTS)
OF_RUN = dict.fromkeys((c.RUN, c.TAG), identifiers)
JUDGED_READERS: Readers = {
    theirs: READ_JUDGED[ours]
    for ours in JUDGED
    for theirs in (ours, *aliases.BY_COLUMN.get(ours, ()))
} | {c.HIGHLIGHTS: passages_in, c.ASPECTS: texts}
KEY = "key"
NESTED = (
    "one object {topic: {document: number}}, as ranx and pytrec_eval keep it: write one object per"
    " line, or give that dict to foveal.evaluate in Python"
)


def _results(
    source: Source, problems: list[Problem], also: tuple[str, ...]
) -> Iterator[tuple[int, JsonObject]]:
    """The results of all lines; those in a list get the topic and the names of the object around."""
    for line, item in objects(source, problems):
        names = {name: item.get(name) for name in OF_RUN}
        if RESULTS not in item:
            yield line, {**aliases.unfolded(item), **names}
        elif not isinstance(item[RESULTS], list):
            problems.append(
                Problem(line, f"{RESULTS} is {kind(item[RESULTS])}, must be a list of objects")
            )
        else:
            # A number of the topic itself counts once, not with every result.
            once = {name: item[name] for name in also if name in item}
            for place, result in enumerate(item[RESULTS]):
                if isinstance(result, dict):
                    found = aliases.unfolded(result)
                    own = {name: found[name] for name in found if name not in TOPIC_NAMES}
                    shared = {name: item[name] for name in TOPIC_NAMES if name in item}
                    yield line, {**({} if place else once), **own, **shared, **names}
                else:
                    problems.append(Problem(line, f"a result is {kind(result)}, not an object"))


def _first(source: Source) -> JsonObject:
    return next((item for _, item in objects(source, [])), {})


def write_run(run: Run) -> bytes:
    """A line per result."""
    return _lines(run_columns(run))


def _highlights(
    item: JsonObject, row: int, line: int, problems: list[Problem], aspects: NamedAspects
) -> list[tuple[int, Any, Any]]:
    """The highlights of an object as pairs; its aspects are taken."""
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
    """A line per judged document."""
    if qrels.judgements.aspects is not None:
        return lines_with_aspects(qrels)
    return _lines(_judged_documents(qrels))


def write_assessors(tables: Mapping[str, Qrels]) -> bytes:
    """A line per judged document and person who judged it."""
    if any(own.judgements.aspects is not None for own in tables.values()):
        return b"".join(lines_with_aspects(own, name) for name, own in tables.items())
    rows = [
        _judged_documents(own).with_columns(pl.lit(name).alias(c.ASSESSOR))
        for name, own in tables.items()
    ]
    return _lines(pl.concat(rows, how="diagonal"))


def _judged_documents(qrels: Qrels) -> pl.DataFrame:
    """Judged documents with their highlights, unless all of them have grades alone."""
    documents = qrels.documents.drop(c.LINE)
    if qrels.passages.height or documents[c.GRADE].null_count():
        documents = documents.with_columns(_highlight_lists(qrels))
    return documents


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


def _taken_keys(
    found: JsonColumns, source: Source, line: int | None, also: tuple[str, ...]
) -> tuple[dict[str, str], set[str]]:
    """Which keys were taken for ours, and which are not used; refused if one is missing."""
    if line and (reason := refuse_columns(len(found.keys - OF_RUN.keys()))):
        raise BadInput(source.name, [Problem(line, reason)])
    named = [name for name in (*COLUMN_OF, *OF_RUN) if name in found.filled]
    taken = aliases.aliased(aliases.OF_RUNS, [name for name in named if name not in also])
    used = {*c.RUN_COLUMNS, c.TEXT, *OF_RUN, *taken.values(), *also}
    if c.LENGTH in named and c.END not in {*named, *taken}:
        used.add(c.LENGTH)
    others = found.keys - {*COLUMN_OF, *used}
    if line and not named and all(isinstance(v, dict) for v in _first(source).values()):
        raise BadInput(source.name, [Problem(line, NESTED)])
    if line:
        refuse_other_than_run([*named, *sorted(others)], source, line, KEY)
    return taken, found.keys - used


def _numbers(also: tuple[str, ...]) -> dict[str, Callable[..., pl.Series]]:
    """What reads further columns to keep; those of a run have their own."""
    return {name: finite_numbers for name in also if name not in c.RUN_SCHEMA}


def _run_line_by_line(
    source: Source, readers: Readers, also: tuple[str, ...], problems: list[Problem]
) -> JsonColumns:
    """The results in any file; what is wrong with its lines goes to `problems`."""
    lines: list[int] = []
    values: dict[str, list[Any]] = {name: [] for name in OF_RUN}
    every: set[str] = set()
    for line, result in _results(source, problems, also):
        for name in result.keys() - every:
            every.add(name)
            if name in readers:
                values[name] = [None] * len(lines)
        lines.append(line)
        for name, column in values.items():
            column.append(result.get(name))
    filled = {name for name, column in values.items() if column.count(None) < len(column)}
    return JsonColumns(values, lines, every, filled, [])


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
def read_run(source: Source, reading: ReadOptions) -> RunRows:
    """The run in objects that are results, or topics with a list of results."""
    problems: list[Problem] = []
    also, numbers = reading.also, _numbers(reading.also)
    readers = {theirs: READ[ours] for theirs, ours in COLUMN_OF.items()} | numbers
    # A further column that results lack may be one of their topic, as tags often are.
    found = None if OF_RUN.keys() & also else columns_of_alike(source, OF_RUN | readers, RESULTS)
    if found is None or not {*also} <= found.keys:
        found = _run_line_by_line(source, readers, also, problems)
    line = None if problems else found.first_line
    taken, ignored = _taken_keys(found, source, line, also)
    if not also and reading.elements is None and (run := plain_run(found)):
        return run
    columns = []
    for ours, read in READ.items():
        theirs = taken.get(ours, ours)
        is_there = theirs in found.values or isinstance(found.lines, list)
        if ours in {c.TEXT, c.LENGTH}:
            is_there = theirs in found.filled - ignored and ours not in numbers
        if is_there:
            columns.append(found.read(theirs, read, problems).alias(ours))
    columns += [found.read(name, numbers[name], problems) for name in numbers if name in found.keys]
    # The file names the run if nothing else does, or if names are numbers to be averaged.
    names = found.filled & OF_RUN.keys() - numbers.keys()
    columns += [found.read(name, identifiers, []) for name in sorted(names)]
    frame = pl.DataFrame([*columns, pl.Series(c.LINE, found.lines, dtype=pl.UInt32)])
    with_values = [one.name for one in frame if one.null_count() < len(one)]
    meant = aliases.misnamed([*with_values, *sorted(ignored)])
    return RunRows(
        frame=frame,
        name=stated(frame, c.RUN),
        tag=stated(frame, c.TAG),
        problems=problems,
        ignored=ignored - meant.keys(),
        notes=aliases.misnamed_note(meant, KEY),
        aliases_used={theirs: ours for ours, theirs in taken.items()},
    )


def _qrels_line_by_line(
    source: Source, problems: list[Problem], aspects: NamedAspects
) -> JsonColumns:
    """The judgements in any file; `problems` and `aspects` are added to."""
    items = [(line, aliases.unfolded(item)) for line, item in objects(source, problems)]
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
        key: [item.get(key) for _, item in items] for key in keys & {*JUDGED_READERS} - {*LISTED}
    }
    for name in keys & {*LISTED}:
        given = [item.get(name) is not None or None for _, item in items]
        values[name] = pl.Series(given, dtype=pl.Boolean)
    return JsonColumns(values, lines, keys, keys, spans)


def _passages(found: JsonColumns, problems: list[Problem]) -> pl.DataFrame:
    """The highlights; what is no number becomes a problem."""
    if not isinstance(found.highlights, list):
        return pl.DataFrame(found.highlights, schema=c.PASSAGE_SCHEMA)
    rows, starts, ends = zip(*found.highlights, strict=True) if found.highlights else ((), (), ())
    lines = [found.lines[row] for row in rows]
    return pl.DataFrame(
        [
            pl.Series(c.JUDGED, rows, dtype=pl.UInt32),
            whole_numbers(c.START, starts, lines, problems),
            whole_numbers(c.END, ends, lines, problems),
        ]
    )


def _keys(source: Source) -> JsonObject:
    """The first object."""
    problems: list[Problem] = []
    first = next(objects(source, problems), None)
    if first is None:
        raise BadInput(source.name, problems)
    return aliases.unfolded(first[1])


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
    names=_keys,
    holds_aspects=True,
)
def read_qrels(source: Source, reading: ReadOptions) -> QrelsRows:
    """The judgements in objects that are judged documents or passages."""
    problems: list[Problem] = []
    aspects = None
    found = columns_of_alike(source, JUDGED_READERS)
    if (
        found is None
        or not {c.TOPIC, c.DOC} <= found.filled | aliases.aliased(JUDGED, found.filled).keys()
    ):
        aspects = NamedAspects()
        found = _qrels_line_by_line(source, problems, aspects)
    theirs = aliases.aliased(JUDGED, found.filled)
    columns = [
        found.read(key, READ_JUDGED[name], problems)
        for name in JUDGED
        if (key := theirs.get(name, name)) in found.filled or not len(found.lines)
    ]
    columns += [found.read(name, texts, []) for name in LISTED if name in found.filled]
    frame = pl.DataFrame([*columns, pl.Series(c.LINE, found.lines, dtype=pl.UInt32)])
    passages = _passages(found, problems)
    others = found.filled - {*theirs.values()} if aspects is None else found.filled
    rows = QrelsTable(frame, source, found.first_line, KEY, tuple(sorted(others)))
    listed = passages if c.HIGHLIGHTS in found.filled else None
    return judged_rows(rows, reading, problems, listed, aspects=aspects)
