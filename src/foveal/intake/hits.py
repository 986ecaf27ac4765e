"""Makes a run of the hits of a retrieval framework."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial

from foveal.choices import Copies, OffsetUnit, chosen
from foveal.errors import BadInput, Problem, UsageError
from foveal.intake._chunk_list import ChunkList, read_chunks
from foveal.intake._hit_fields import HitFields, documents_of, fields_of
from foveal.intake._placement import PlacementQuery
from foveal.intake._run_audit import audit_of, noted
from foveal.intake.documents import Documents, DocumentsLike, read_documents
from foveal.late import pl
from foveal.tables import ChunkListLike, Origin, Run, RunRows
from foveal.tables import columns as c

FORMAT = "hits"


def from_hits(
    hits: Mapping[str, Iterable[object]],
    docs: DocumentsLike | None = None,
    *,
    name: str = "hits",
    chunks: ChunkListLike | None = None,
    copies: Copies | str = Copies.REFUSE,
    count: OffsetUnit | str = OffsetUnit.CHARACTERS,
) -> Run:
    """The run in {topic: [hit, …]}, where the order of each list is the ranking.

    A hit is what LangChain, LlamaIndex, Haystack or Chonkie return, a dict, a pair (hit, score), or
    a text. With `docs` (`foveal.read_documents`), offsets are verified by the hits' texts, or found;
    `chunks` is the whole list of chunks in document order, which tells copies of a text apart and
    which cPmax needs; `copies="first"` takes the first of several places; `count` is what stated offsets count.

    >>> import foveal
    >>> docs = {"a": "One fish. Two fish."}
    >>> run = foveal.from_hits({"q1": [{"doc": "a", "text": "Two fish."}]}, docs)
    >>> run.frame.select("doc", "start", "end").row(0)
    ('a', 10, 19)
    """
    if not isinstance(hits, Mapping):
        raise UsageError(f"hits must be {{topic: [hit, …]}}, got {type(hits).__name__}")
    docs = None if docs is None else read_documents(docs)
    rows = [
        (str(topic), rank, _fields(topic, rank, hit))
        for topic, topic_hits in hits.items()
        for rank, hit in enumerate(_hit_list(topic, topic_hits), 1)
    ]
    frame = _frame(rows, docs)
    unit, copies = chosen(OffsetUnit, count), chosen(Copies, copies)
    origin = Origin(name, format=FORMAT)
    if docs is None:
        if unit is not OffsetUnit.CHARACTERS:
            raise UsageError(f"count={unit.value} needs docs, the texts of the documents")
        _refuse_unplaced(frame, name)
        table = _with_ends(frame).drop(c.ORDINAL)
        run = Run.of(RunRows(frame=table, name=name, notes=_unverified_note(frame)), origin=origin)
        return run if chunks is None else run.with_chunks(partial(read_chunks, chunks))
    chunk_list = None if chunks is None else ChunkList.of(chunks, docs.texts)
    placements = PlacementQuery(docs.texts, docs.source, unit, copies, chunk_list).placements(frame)
    audit = noted(audit_of(frame, placements, docs.names), placements, unit=unit, copies=copies)
    audit.refuse_unplaced(name)
    names = {c.DOCUMENT: c.DOC, c.FOUND_START: c.START, c.FOUND_END: c.END}
    table = frame.drop(c.ORDINAL).with_columns(placements.rows.select(*names).rename(names))
    run = Run.of(RunRows(frame=table, name=name, notes=(*docs.notes, *audit.notes)), origin=origin)
    run = replace(run, audit=audit, lengths=docs.lengths_in(run.frame))
    if chunk_list is None:
        return run
    return run.with_chunks(partial(read_chunks, chunk_list.table, docs=docs, copies=copies))


def _hit_list(topic: object, hits: object) -> Iterable[object]:
    if isinstance(hits, Iterable) and not isinstance(hits, str | Mapping):
        return hits
    raise UsageError(f"topic {topic!r}: hits must be a list, got {type(hits).__name__}")


def _fields(topic: object, rank: int, hit: object) -> HitFields:
    try:
        return fields_of(hit)
    except UsageError as error:
        raise UsageError(f"topic {topic!r}, hit {rank}: {error}") from error


def _frame(rows: list[tuple[str, int, HitFields]], documents: Documents | None) -> pl.DataFrame:
    """Hits as rows; scores only if every hit has one."""
    scores = [fields.score for _, _, fields in rows]
    return pl.DataFrame(
        {
            c.TOPIC: [topic for topic, _, _ in rows],
            c.DOC: documents_of([fields for _, _, fields in rows], documents),
            c.START: [fields.start for _, _, fields in rows],
            c.END: [fields.end for _, _, fields in rows],
            c.TEXT: [fields.text for _, _, fields in rows],
            c.ORDINAL: [fields.ordinal for _, _, fields in rows],
            c.RANK: [rank for _, rank, _ in rows],
            c.SCORE: scores if None not in scores else [None] * len(rows),
            c.LINE: range(1, len(rows) + 1),
        },
        schema_overrides={**c.RUN_SCHEMA, c.TEXT: pl.String, c.ORDINAL: pl.Int64},
    )


def _refuse_unplaced(frame: pl.DataFrame, source: str) -> None:
    """Refuse hits whose offsets or document are unknown, which only docs could give."""
    unplaced = pl.col(c.TEXT).is_not_null() & pl.col(c.START).is_null()
    rules = (
        (pl.col(c.DOC).is_null(), "no document is named: give docs to search for its text"),
        (unplaced, "text, but no offsets: give docs=foveal.read_documents(…) to find the text"),
    )
    problems = [
        Problem(line, f"topic {topic!r}, hit {rank}: {reason}")
        for is_broken, reason in rules
        for line, topic, rank in frame.filter(is_broken).select(c.LINE, c.TOPIC, c.RANK).iter_rows()
    ]
    if problems:
        raise BadInput(source, sorted(problems, key=lambda problem: problem.line or 0))


def _with_ends(frame: pl.DataFrame) -> pl.DataFrame:
    """Hits with an end where only their start and text are known."""
    end = pl.coalesce(c.END, pl.col(c.START) + pl.col(c.TEXT).str.len_chars().cast(pl.Int64))
    return frame.with_columns(end.alias(c.END))


def _unverified_note(frame: pl.DataFrame) -> tuple[str, ...]:
    if frame[c.START].null_count() == frame.height:
        return ()
    return ("offsets are as the hits state them: give docs to verify them by the hits' texts",)
