"""Tiny worlds for Hypothesis: documents, judgements and runs with every oddity that is allowed.

Documents have at most 40 characters, so that a failing world shrinks to something one can read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from hypothesis import strategies as st

from foveal.choices import Order
from foveal.spans import Ints
from foveal.tables import Chunks, Qrels, QrelsRows, Run
from tests.inex import inex_run

Span = tuple[int, int]

LONGEST = 40
TOPICS = ("t1", "t2", "t3")
ASSESSORS = ("bob", "ann", "dan", "cat")
DOCUMENTS = ("d1", "d2", "d3", "d4")
UNJUDGED_DOCUMENTS = ("u1", "u2")
UNJUDGED_TOPIC = "nobody judged this"
UNMAPPED: Span = (-1, -1)
# Chances, not choices: what is usual comes first, as Hypothesis shrinks towards it.
KINDS_OF_PARTS = ["span", "span", "span", "unmapped", "whole", "empty"]
NUMBERS_OF_TOPICS = [1, 2, 3, 3]
# A passage has those that its offsets choose; the last has none.
KINDS_OF_ASPECTS: list[tuple[str, ...]] = [("a",), ("b", "c"), ("a", "d"), ()]


# Chunks of every document, which overlap and leave gaps, and tokens of three characters.
CHUNKS = {
    name: [(start, start + size) for start in range(0, LONGEST, step)]
    for name, size, step in zip(DOCUMENTS, (7, 5, 40, 9), (5, 8, 40, 3), strict=True)
}
TOKEN = 3


def tokens(documents: Sequence[str], start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
    """The tokens of parts: three characters each, the last one of a part perhaps fewer."""
    spans = [
        [(start, min(start + TOKEN, end)) for start in range(part_start, end, TOKEN)]
        for part_start, end in zip(start.tolist(), end.tolist(), strict=True)
    ]
    flat = np.array([span for part_spans in spans for span in part_spans], dtype=np.int64).reshape(
        -1, 2
    )
    return (
        np.array([len(part_spans) for part_spans in spans], dtype=np.int64),
        flat[:, 0],
        flat[:, 1],
    )


@dataclass(frozen=True)
class Judgement:
    """One judged document of a topic; passages may overlap, touch, be empty or out of order."""

    topic: str
    doc: str
    length: int
    entry: int | None
    passages: tuple[Span, ...]
    stated_size: int | None = None

    @property
    def highlighted(self) -> set[int]:
        return {offset for start, end in self.passages for offset in range(start, end)}

    @property
    def aspects(self) -> list[tuple[str, ...]]:
        """The aspects of each passage: some share one, some have none, but never all of them."""
        first = next((span for span in self.passages if span[0] < span[1]), None)
        return [
            KINDS_OF_ASPECTS[(start + end) % (3 if (start, end) == first else 4)]
            if start < end
            else ()
            for start, end in self.passages
        ]


@dataclass(frozen=True)
class Result:
    """One line of a run; no start and end is a whole document, -1 an unmapped element."""

    topic: str
    doc: str
    start: int | None
    end: int | None
    key: int = 0


@dataclass(frozen=True)
class World:
    """Judgements and one run over them. `order` says what the results' keys are."""

    judgements: tuple[Judgement, ...]
    results: tuple[Result, ...]
    order: Order = Order.FILE
    split_rows: bool = False
    """True if the last passage of every document has a separate row."""

    @property
    def qrels(self) -> Qrels:
        return Qrels.from_dicts([row for judged in self.judgements for row in self._rows(judged)])

    @property
    def stated_qrels(self) -> Qrels:
        """The judgements with the relevant size that their file states."""
        documents = pl.DataFrame(
            {
                "topic": [judged.topic for judged in self.judgements],
                "doc": [judged.doc for judged in self.judgements],
                "length": [judged.length for judged in self.judgements],
                "entry": [judged.entry for judged in self.judgements],
                "rel_chars": [judged.stated_size for judged in self.judgements],
            },
            schema_overrides={"entry": pl.Int64, "rel_chars": pl.Int64},
        )
        passages = [
            (row, *span) for row, judged in enumerate(self.judgements) for span in judged.passages
        ]
        aspects = [
            (row, name, *span)
            for row, judged in enumerate(self.judgements)
            for span, names in zip(judged.passages, judged.aspects, strict=True)
            for name in names
        ]
        schema = {"judged": pl.UInt32, "start": pl.Int64, "end": pl.Int64}
        aspect_schema = {
            "judged": pl.UInt32,
            "aspect": pl.String,
            "start": pl.Int64,
            "end": pl.Int64,
        }
        rows = QrelsRows(
            documents=documents,
            passages=pl.DataFrame(passages, schema=schema, orient="row"),
            aspects=pl.DataFrame(aspects, schema=aspect_schema, orient="row"),
        )
        return Qrels.of(rows)

    @property
    def run(self) -> Run:
        return run_of(self.results, self.order)

    def _rows(self, judged: Judgement) -> list[dict[str, Any]]:
        row = {
            "topic": judged.topic,
            "doc": judged.doc,
            "length": judged.length,
            "entry": judged.entry,
        }
        highlights = [
            {"start": start, "end": end, "aspects": list(aspects)} if aspects else [start, end]
            for (start, end), aspects in zip(judged.passages, judged.aspects, strict=True)
        ]
        if self.split_rows and highlights:
            return [{**row, "highlights": spans} for spans in (highlights[:-1], highlights[-1:])]
        return [{**row, "highlights": highlights}]


def run_of(results: tuple[Result, ...] | list[Result], order: Order = Order.FILE) -> Run:
    """The run of the given results; their keys are ranks or scores if the order says so."""
    columns: dict[str, list[Any]] = {
        "topic": [result.topic for result in results],
        "doc": [result.doc for result in results],
        "start": [result.start for result in results],
        "end": [result.end for result in results],
    }
    if order is not Order.FILE:
        columns[order.value] = [result.key for result in results]
    overrides = {"start": pl.Int64, "end": pl.Int64}
    run = inex_run(pl.DataFrame(columns, schema_overrides=overrides), "mine")
    return replace(run, chunks=chunk_list(), tokens=tokens)


def chunk_list() -> Chunks:
    """All chunks as a table."""
    return Chunks.coerced(
        [{"doc": doc, "start": a, "end": b} for doc, spans in CHUNKS.items() for a, b in spans]
    )


def _span(draw: st.DrawFn, length: int) -> Span:
    """A span of a document, empty now and then."""
    first, last = draw(st.integers(0, length)), draw(st.integers(0, length))
    return min(first, last), max(first, last)


def _touching(draw: st.DrawFn, length: int) -> list[Span]:
    """Neighbours that share an edge, which independent spans rarely do."""
    edges = sorted({draw(st.integers(0, length)) for _ in range(draw(st.integers(2, 5)))})
    return list(pairwise(edges))


@st.composite
def spans(draw: st.DrawFn, length: int = LONGEST) -> Span:
    """A span of a document, empty now and then."""
    return _span(draw, length)


@st.composite
def span_lists(draw: st.DrawFn, length: int = LONGEST, maximum: int = 8) -> list[Span]:
    """Spans that overlap, touch, nest, are empty and come in any order."""
    spans = [_span(draw, length) for _ in range(draw(st.integers(0, maximum)))]
    return spans + (_touching(draw, length) if draw(st.booleans()) else [])


@st.composite
def judgements(
    draw: st.DrawFn, topic: str, lengths: dict[str, int], *, relevant: bool | None = None
) -> list[Judgement]:
    """Judged documents of a topic; `relevant` forces or forbids highlighted text."""
    names = draw(st.lists(st.sampled_from(sorted(lengths)), min_size=1, unique=True))
    judged = []
    for name in names:
        passages: list[Span] = []
        kind = 0 if relevant is False else draw(st.integers(0, 4))
        if kind == 1:
            passages = _touching(draw, lengths[name])
        elif kind:
            passages = [_span(draw, lengths[name]) for _ in range(draw(st.integers(1, 3)))]
        entry = draw(st.none() | st.integers(0, lengths[name]))
        judged.append(Judgement(topic, name, lengths[name], entry, tuple(passages)))
    if relevant and not any(document.highlighted for document in judged):
        length = max(lengths[names[0]], 1)
        judged[0] = Judgement(topic, names[0], length, None, ((0, length),))
    return judged


def _part(draw: st.DrawFn, length: int | None, beyond: int) -> tuple[int | None, int | None]:
    """A part of a document: a span, an empty part, a whole document, an unmapped element.

    Whole documents need a known length; `beyond` lets spans reach past it.
    """
    kind = draw(st.sampled_from(KINDS_OF_PARTS))
    limit = LONGEST if length is None else length + beyond
    if kind == "unmapped":
        return UNMAPPED
    if kind == "whole" and length is not None:
        return None, None
    if kind == "empty":
        offset = draw(st.integers(0, limit))
        return offset, offset
    return _span(draw, limit)


@st.composite
def results(
    draw: st.DrawFn, topic: str, lengths: dict[str, int], *, maximum: int = 8, beyond: int = 0
) -> list[Result]:
    """Results of a topic whose judged documents have the lengths given."""
    names = st.sampled_from([*lengths, *lengths, *UNJUDGED_DOCUMENTS])
    names_drawn = [draw(names) for _ in range(draw(st.integers(1, maximum)))]
    return [
        Result(topic, name, *_part(draw, lengths.get(name), beyond), draw(st.integers(-2, 6)))
        for name in names_drawn
    ]


@st.composite
def worlds(draw: st.DrawFn, *, beyond: int = 0, order: Order | None = None) -> World:
    """Judgements of one to three topics, at least one with something relevant, and a run.

    Topics of the run may be unjudged, judged topics may be missing from it.
    """
    lengths = {name: draw(st.integers(0, LONGEST)) for name in DOCUMENTS}
    judged: list[Judgement] = []
    run_results: list[Result] = []
    for index, topic in enumerate(TOPICS[: draw(st.sampled_from(NUMBERS_OF_TOPICS))]):
        relevant = True if index == 0 else draw(st.sampled_from([True, None, False]))
        documents = draw(judgements(topic, lengths, relevant=relevant))
        judged += documents
        if draw(st.integers(0, 4)) < 4:
            lengths_of_topic = {document.doc: document.length for document in documents}
            run_results += draw(results(topic, lengths_of_topic, beyond=beyond))
    if draw(st.integers(0, 3)) == 3:
        run_results += draw(results(UNJUDGED_TOPIC, {}, maximum=2))
    if all(result.start is None for result in run_results):
        # A run of whole documents only may not repeat one, and a run must have results.
        run_results.append(Result("t1", "u1", 3, 5))
    order = order or draw(st.sampled_from([Order.FILE, Order.RANK, Order.SCORE]))
    if draw(st.booleans()):
        run_results = draw(st.permutations(run_results))
    return World(tuple(judged), tuple(run_results), order, draw(st.booleans()))


@st.composite
def assessments(
    draw: st.DrawFn, *, longest: int = LONGEST, maximum: int = 4
) -> dict[str, tuple[Judgement, ...]]:
    """Judgements of two assessors or more, each of them of some documents of some topics.

    Two of them judged a document in common.
    """
    lengths = {name: draw(st.integers(0, longest)) for name in DOCUMENTS}
    by_assessor: dict[str, tuple[Judgement, ...]] = {}
    for name in ASSESSORS[: draw(st.integers(2, maximum))]:
        topics = draw(st.lists(st.sampled_from(TOPICS), min_size=1, unique=True))
        judged = [judged for topic in topics for judged in draw(judgements(topic, lengths))]
        by_assessor[name] = tuple(judged)
    first_name, second_name = list(by_assessor)[:2]
    first = by_assessor[first_name][0]
    if (first.topic, first.doc) not in {
        (judged.topic, judged.doc) for judged in by_assessor[second_name]
    }:
        passages = (_span(draw, first.length),)
        by_assessor[second_name] += (
            Judgement(first.topic, first.doc, first.length, None, passages),
        )
    return by_assessor
