"""A small invented collection with topics, judgements and runs, to try everything on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Self

import numpy as np

from foveal.frozen import frozen
from foveal.spans import Axis, Highlights, Ints, greedily_disjoint
from foveal.studies.demo.articles import Article, write_articles
from foveal.studies.demo.rag_corner import ChunkCorner, chunk_corner
from foveal.studies.demo.simulated_assessor import (
    DemoTopic,
    JudgedArticle,
    JudgedTopic,
    judge_topics,
    qrels_of,
)
from foveal.tables import Qrels, Run, columns

Candidates = Callable[[JudgedArticle], Sequence[tuple[int, int]]]
# Larger than any number of documents, or of parts of a document.
ALL = 10_000
# The estimate, in thousandths, below which only the best part of a document is returned.
MIN_ESTIMATE = 300
SCORE_UNITS = 10_000


@frozen(eq=False)
class DemoWorld:
    """Articles, topics, judgements by highlights, and runs of systems of all kinds.

    `corner` is a smaller collection of plain documents, cut into chunks.
    """

    articles: list[Article]
    topics: list[DemoTopic]
    qrels: Qrels
    runs: list[Run]
    corner: ChunkCorner


def demo_world(rng: np.random.Generator) -> DemoWorld:
    """Generate the world; the same state of the generator gives the same world."""
    articles = write_articles(rng)
    judged_topics = judge_topics(rng, articles)
    return DemoWorld(
        articles=articles,
        topics=[judged_topic.topic for judged_topic in judged_topics],
        qrels=qrels_of(judged_topics),
        runs=simulate_runs(rng, judged_topics),
        corner=chunk_corner(rng),
    )


def _elements(*tags: str) -> Candidates:
    return lambda judged: [
        (element.start, element.end) for element in judged.article.elements if element.tag in tags
    ]


def _windows(size: int, step: int) -> Candidates:
    return lambda judged: [
        (start, min(start + size, judged.article.length))
        for start in range(0, judged.article.length, step)
    ]


def _highlights(judged: JudgedArticle) -> Sequence[tuple[int, int]]:
    return judged.highlights


@frozen
class _Design:
    """Choice of the parts that a run returns of ranked documents; `noise` is in thousandths."""

    name: str
    candidates: Candidates
    noise: int
    per_document: int = 3
    interleaved: bool = False
    overlapping: bool = False
    points: bool = False


@frozen
class _System:
    """A ranking of documents and the runs that share it; `noise` is in thousandths."""

    noise: int
    documents: int
    designs: Sequence[_Design]


_ANY_ELEMENT = _elements("sec", "ss1", "p")
_WHOLE = _elements("article")
_SLIDING = _windows(400, 200)
_FIXED = _windows(900, 900)

_SYSTEMS = (
    _System(0, ALL, [_Design("ideal", _highlights, 0, per_document=ALL)]),
    _System(500, 20, [_Design("elements-good", _ANY_ELEMENT, 250)]),
    _System(900, 20, [_Design("elements-fair", _ANY_ELEMENT, 550, interleaved=True)]),
    _System(1800, 20, [_Design("elements-poor", _ANY_ELEMENT, 1000)]),
    _System(500, 20, [_Design("passages-good", _SLIDING, 250, interleaved=True)]),
    _System(900, 20, [_Design("passages-fair", _FIXED, 550, interleaved=True)]),
    _System(450, 30, [_Design("documents-good", _WHOLE, 0)]),
    _System(900, 30, [_Design("documents-fair", _WHOLE, 0)]),
    _System(500, 25, [_Design("entry-points-good", _ANY_ELEMENT, 250, 1, points=True)]),
    _System(900, 25, [_Design("entry-points-fair", _ANY_ELEMENT, 700, 1, points=True)]),
    _System(600, 20, [_Design("overlapping", _ANY_ELEMENT, 350, overlapping=True)]),
    _System(
        noise=600,
        documents=20,
        designs=[
            _Design("parts-paragraphs", _elements("p"), 350),
            _Design("parts-sections", _elements("sec"), 350),
            _Design("parts-articles", _WHOLE, 0),
        ],
    ),
)


@frozen(eq=False)
class _Truth:
    """Highlights in the documents that systems can return for a topic."""

    topic: str
    documents: list[JudgedArticle]
    highlights: Highlights
    highlighted: Ints
    difficulty: int
    """Strength of all noise, in hundredths."""

    @classmethod
    def of(cls, judged_topic: JudgedTopic, difficulty: int) -> Self:
        """The truth for a judged topic; its unjudged articles are not relevant."""
        documents = judged_topic.judgements + [
            JudgedArticle(article, None, ()) for article in judged_topic.unjudged
        ]
        document, start, end = _span_columns([judgement.highlights for judgement in documents])
        highlights = Highlights.of(document, start, end, len(documents))
        length = np.array([judgement.article.length for judgement in documents], dtype=np.int64)
        indices = np.arange(len(documents), dtype=np.int64)
        highlighted = highlights.count(indices, np.zeros_like(indices), length)
        return cls(judged_topic.topic.id, documents, highlights, highlighted, difficulty)

    def noise(self, rng: np.random.Generator, strength: int, count: int) -> Ints:
        """Random errors of estimates, larger on a difficult topic."""
        size = strength * self.difficulty // 100
        return rng.integers(-size, size, size=count, endpoint=True)


@frozen(eq=False)
class _Parts:
    """Parts of ranked documents; `rank` is that of the part's document, from 0."""

    rank: Ints
    start: Ints
    end: Ints
    estimate: Ints

    def take(self, indices: Ints) -> Self:
        """The parts at the given indices, in their order."""
        return type(self)(
            self.rank[indices], self.start[indices], self.end[indices], self.estimate[indices]
        )

    def disjoint(self) -> Self:
        """The parts left after dropping each that overlaps an earlier one that is kept."""
        axis = Axis.of_ends(self.rank, self.end, int(self.rank.max()) + 1)
        start, end = axis.span_positions(self.rank, self.start, self.end)
        return self.take(np.flatnonzero(greedily_disjoint(start, end)))


def simulate_runs(rng: np.random.Generator, judged_topics: Sequence[JudgedTopic]) -> list[Run]:
    """One run per run design of every system."""
    truths = [_Truth.of(judged_topic, int(rng.integers(50, 200))) for judged_topic in judged_topics]
    runs = []
    for system in _SYSTEMS:
        rankings = [_ranking(rng, truth, system) for truth in truths]
        for design in system.designs:
            rows = [
                row
                for truth, ranking in zip(truths, rankings, strict=True)
                for row in _rows(rng, truth, ranking, _run_parts(rng, truth, ranking, design))
            ]
            runs.append(Run.from_dicts(rows, name=design.name))
    return runs


def _ranking(rng: np.random.Generator, truth: _Truth, system: _System) -> Ints:
    """Documents in falling order of a noisy estimate of their highlighted text."""
    maximum = truth.highlighted.max()
    merit = np.where(truth.highlighted > 0, 400 * maximum + 600 * truth.highlighted, 0)
    estimate = merit + maximum * truth.noise(rng, system.noise, len(merit))
    return np.argsort(-estimate, kind="stable")[: system.documents]


def _run_parts(rng: np.random.Generator, truth: _Truth, ranking: Ints, design: _Design) -> _Parts:
    """The parts of the ranked documents that a run returns, in its order."""
    parts = _candidates(rng, truth, ranking, design)
    parts = parts.take(np.lexsort((-parts.estimate, parts.rank)))
    if not design.overlapping:
        parts = parts.disjoint()
    index = np.arange(len(parts.rank)) - np.searchsorted(parts.rank, parts.rank)
    good_enough = (index == 0) | (parts.estimate >= MIN_ESTIMATE)
    parts = parts.take(np.flatnonzero(good_enough & (index < design.per_document)))
    if design.interleaved:
        # Twenty ranks of documents weigh as much as the full scale of a part's estimate.
        parts = parts.take(np.argsort(50 * parts.rank - parts.estimate, kind="stable"))
    if design.points:
        parts = _Parts(parts.rank, parts.start, parts.start, parts.estimate)
    return parts


def _candidates(rng: np.random.Generator, truth: _Truth, ranking: Ints, design: _Design) -> _Parts:
    """Every candidate part with a noisy estimate: half its precision plus half its recall."""
    rank, start, end = _span_columns([design.candidates(truth.documents[row]) for row in ranking])
    document = ranking[rank]
    highlighted = truth.highlights.count(document, start, end)
    precision = 500 * highlighted // (end - start)
    recall = 500 * highlighted // np.maximum(truth.highlighted[document], 1)
    estimate = precision + recall + truth.noise(rng, design.noise, len(rank))
    return _Parts(rank, start, end, estimate)


def _rows(
    rng: np.random.Generator, truth: _Truth, ranking: Ints, parts: _Parts
) -> Iterator[dict[str, object]]:
    """The results of a topic, with scores that fall from rank to rank."""
    steps = rng.integers(1, SCORE_UNITS // 2, size=len(parts.rank))
    scores = np.cumsum(steps[::-1])[::-1] / SCORE_UNITS
    documents = [truth.documents[row].article.id for row in ranking[parts.rank]]
    results = zip(documents, parts.start.tolist(), parts.end.tolist(), scores.tolist(), strict=True)
    for rank, (document, start, end, score) in enumerate(results, start=1):
        yield {
            columns.TOPIC: truth.topic,
            columns.DOC: document,
            columns.START: start,
            columns.END: end,
            columns.RANK: rank,
            columns.SCORE: score,
        }


def _span_columns(lists: Sequence[Sequence[tuple[int, int]]]) -> tuple[Ints, Ints, Ints]:
    """Lists of spans as columns: index of the list, start, end."""
    rows = [(index, *span) for index, spans in enumerate(lists) for span in spans]
    index, start, end = np.array(rows, dtype=np.int64).T
    return index, start, end
