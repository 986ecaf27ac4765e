"""JSON Lines, or an array of the same objects: results, topics with results, or judgements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from foveal.errors import BadInput, Problem, kind
from foveal.formats._aspect_passages import lines_with_aspects
from foveal.formats._json_columns import object_columns
from foveal.formats._json_values import (
    JsonObject,
    finite_numbers,
    identifiers,
    objects,
    texts,
    whole_numbers,
)
from foveal.formats._judged_rows import NAMES as JUDGED
from foveal.formats._judged_rows import Rows, judged_rows
from foveal.formats._misnamed import refuse_other_than_run
from foveal.formats._passage_lists import passages_in
from foveal.formats._records import QrelsRows, Reading, RunRows, is_json, qrels_format, run_format
from foveal.formats._run_rows import run_columns, run_name
from foveal.frozen import frozen
from foveal.late import pl
from foveal.tables import (
    ALIASES,
    OF_RUNS,
    NamedAspects,
    Qrels,
    Run,
    aliased,
    misnamed,
    misnamed_note,
    renamed,
    unfolded,
)
from foveal.tables import columns as c

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

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
READ_JUDGED = {
    **READ,
    **dict.fromkeys((c.ENTRY, c.STATED), whole_numbers),
    c.GRADE: finite_numbers,
    c.ASSESSOR: texts,
}
KEY = "key"
NESTED = (
    "one object {topic: {document: number}}, as ranx and pytrec_eval keep it: write one object per"
    " line, or give that dict to foveal.evaluate in Python"
)


def _results(
    source: Source, problems: list[Problem], also: tuple[str, ...]
) -> Iterator[tuple[int, JsonObject]]:
    """The results of all lines; those in a list get the topic and the tag of the object around."""
    for line, item in objects(source, problems):
        tag = item.get(c.TAG, item.get(c.RUN))
        if RESULTS not in item:
            own = unfolded(item)
            own[c.TAG] = tag
            yield line, own
        elif not isinstance(item[RESULTS], list):
            problems.append(
                Problem(line, f"{RESULTS} is {kind(item[RESULTS])}, must be a list of objects")
            )
        else:
            # A number of the topic itself counts once, not with every result.
            once = {name: item[name] for name in also if name in item}
            for place, result in enumerate(item[RESULTS]):
                if isinstance(result, dict):
                    found = unfolded(result)
                    own = {name: found[name] for name in found if name not in TOPIC_NAMES}
                    shared = {name: item[name] for name in TOPIC_NAMES if name in item}
                    yield line, {**({} if place else once), **own, **shared, c.TAG: tag}
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


def _run_at_once(source: Source, also: tuple[str, ...]) -> RunRows | None:
    """The run in a file whose lines are alike and that surely has no problem, else None."""
    types: dict[str, Any] = {
        name: (c.RUN_SCHEMA | {c.TEXT: pl.String, c.LENGTH: pl.Int64})[ours]
        for name, ours in COLUMN_OF.items()
    }
    types |= {c.TAG: pl.String, c.RUN: pl.String, **_numbers(also)}
    rows = object_columns(source, types, RESULTS)
    if rows is None or {c.TAG, c.RUN} <= set(rows.columns):
        return None
    # A column that results lack may be one of their topic.
    if not set(also) <= set(rows.columns):
        return None
    rows = rows.rename({c.RUN: c.TAG}, strict=False)
    frame, _ = renamed(rows, OF_RUNS, also)
    if not _identified(frame):
        return None
    found = [name for name in rows.columns if rows[name].null_count() < rows.height]
    keys = _Keys.of(set(rows.columns), found, source, [int(rows[c.LINE][0])], also)
    frame = frame.drop(keys.ignored, strict=False)
    if c.TAG in rows.columns:
        frame = frame.with_columns(pl.col(c.TAG).replace("", None))
    return keys.run_rows(frame, source, [])


@frozen
class _Keys:
    """Which keys of a run's objects were taken for which of ours, and which are not used."""

    taken: dict[str, str]
    ignored: set[str]

    @classmethod
    def of(
        cls,
        keys: set[str],
        filled: Iterable[str],
        source: Source,
        lines: list[int],
        also: tuple[str, ...],
    ) -> Self:
        """The keys of objects, some of which have values; refused if one that is needed is missing."""
        found = [name for name in (*COLUMN_OF, c.TAG) if name in {*filled}]
        taken = aliased(OF_RUNS, [name for name in found if name not in also])
        used = {*c.RUN_COLUMNS, c.TEXT, c.TAG, c.RUN, *taken.values(), *also}
        if c.LENGTH in found and c.END not in {*found, *taken}:
            used.add(c.LENGTH)
        others = keys - {*COLUMN_OF, *used}
        if lines and not found and all(isinstance(v, dict) for v in _first(source).values()):
            raise BadInput(source.name, [Problem(lines[0], NESTED)])
        if lines:
            refuse_other_than_run([*found, *sorted(others)], source, lines[0], KEY)
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


def _numbers(also: tuple[str, ...]) -> dict[str, Any]:
    """Further columns to keep, by type; those of a run have their own."""
    return {name: pl.Float64 for name in also if name not in c.RUN_SCHEMA}


def _run_line_by_line(source: Source, also: tuple[str, ...]) -> RunRows:
    """The run in any file, and all that is wrong with its lines."""
    problems: list[Problem] = []
    lines: list[int] = []
    values: dict[str, list[Any]] = {c.TAG: []}
    every: set[str] = set()
    numbers = _numbers(also)
    for line, result in _results(source, problems, also):
        for name in result.keys() - every:
            every.add(name)
            if name in COLUMN_OF or name in numbers:
                values[name] = [None] * len(lines)
        lines.append(line)
        for name, column in values.items():
            column.append(result.get(name))
    found = [name for name, column in values.items() if column.count(None) < len(column)]
    keys = _Keys.of(every, found, source, [] if problems else lines, also)
    nothing = [None] * len(lines)
    columns = []
    for ours, read in READ.items():
        theirs = keys.taken.get(ours, ours)
        if ours not in {c.TEXT, c.LENGTH} or theirs in {*found} - keys.ignored:
            columns.append(read(theirs, values.get(theirs, nothing), lines, problems).alias(ours))
    columns += [
        finite_numbers(name, values[name], lines, problems) for name in numbers if name in found
    ]
    # A missing tag is fine: the file then names the run.
    columns.append(identifiers(c.TAG, values[c.TAG], lines, []))
    frame = pl.DataFrame([*columns, pl.Series(c.LINE, lines, dtype=pl.UInt32)])
    return keys.run_rows(frame, source, problems)


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
def read_run(source: Source, reading: Reading) -> RunRows:
    """The run in objects that are results, or topics with a list of results."""
    return _run_at_once(source, reading.also) or _run_line_by_line(source, reading.also)


def _qrels_at_once(source: Source, reading: Reading) -> QrelsRows | None:
    """The judgements in a file whose lines are alike and that surely has no problem, else None."""
    types: dict[str, Any] = {name: c.DOCUMENT_SCHEMA.get(name, pl.String) for name in JUDGED}
    types |= dict.fromkeys((c.START, c.END), pl.Int64)
    types |= {theirs: types[ours] for ours in JUDGED for theirs in ALIASES.get(ours, ())}
    types[c.HIGHLIGHTS] = pl.List(pl.List(pl.Int64))
    frame = object_columns(source, types)
    if frame is None or not _identified(renamed(frame, JUDGED)[0]):
        return None
    # Names joined in a text; anything else is looked at line by line.
    if frame.schema.get(c.ASPECTS, pl.String) != pl.String:
        return None
    highlights = passages_in(frame)
    if highlights is None and c.HIGHLIGHTS in frame.columns:
        return None
    return judged_rows(Rows(frame, source, int(frame[c.LINE][0]), KEY), reading, [], highlights)


def _qrels_line_by_line(source: Source, reading: Reading) -> QrelsRows:
    """The judgements in any file, and all that is wrong with its lines."""
    problems: list[Problem] = []
    items = [(line, unfolded(item)) for line, item in objects(source, problems)]
    lines = [line for line, _ in items]
    keys = dict.fromkeys(
        key for _, item in items for key, value in item.items() if value is not None
    )
    if keys and all(isinstance(value, dict) for value in items[0][1].values()):
        raise BadInput(source.name, [Problem(lines[0], NESTED)])
    aspects = NamedAspects()
    spans = [
        pair
        for row, (line, item) in enumerate(items)
        for pair in _highlights(item, row, line, problems, aspects)
    ]
    theirs = aliased(JUDGED, keys)
    columns = [
        READ_JUDGED[name](key, [item.get(key) for _, item in items], lines, problems)
        for name in JUDGED
        if (key := theirs.get(name, name)) in keys or not items
    ]
    for name in (c.HIGHLIGHTS, c.ASPECTS):
        if name in keys:
            given = [item.get(name) is not None or None for _, item in items]
            columns.append(pl.Series(name, given, dtype=pl.Boolean))
    frame = pl.DataFrame([*columns, pl.Series(c.LINE, lines, dtype=pl.UInt32)])
    span_lines = [lines[row] for row, _, _ in spans]
    passages = pl.DataFrame(
        [
            pl.Series(c.JUDGED, [row for row, _, _ in spans], dtype=pl.UInt32),
            whole_numbers(c.START, [start for _, start, _ in spans], span_lines, problems),
            whole_numbers(c.END, [end for _, _, end in spans], span_lines, problems),
        ]
    )
    rows = Rows(frame, source, lines[0] if lines else None, KEY, tuple(keys))
    listed = passages if c.HIGHLIGHTS in keys else None
    return judged_rows(rows, reading, problems, listed, aspects=aspects)


def _keys(source: Source) -> JsonObject:
    """The first object."""
    problems: list[Problem] = []
    first = next(objects(source, problems), None)
    if first is None:
        raise BadInput(source.name, problems)
    return unfolded(first[1])


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
def read_qrels(source: Source, reading: Reading) -> QrelsRows:
    """The judgements in objects that are judged documents or passages."""
    return _qrels_at_once(source, reading) or _qrels_line_by_line(source, reading)
