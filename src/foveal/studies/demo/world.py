"""A small made-up collection with topics, judgements and runs, to try everything on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Self

import numpy as np

from foveal.frozen import frozen
from foveal.spans import Axis, Highlights, Ints, greedily_disjoint
from foveal.studies.demo.articles import Article, write_articles
from foveal.studies.demo.rag_corner import ChunkCorner, chunk_corner
from foveal.studies.demo.simulated_assessor import (
    Assessment,
    DemoTopic,
    JudgedArticle,
    assess,
    qrels_of,
)
from foveal.tables import Qrels, Run, columns

Candidates = Callable[[JudgedArticle], Sequence[tuple[int, int]]]
# Larger than any number of documents, or of parts of a document.
ALL = 10_000
# The estimate, in thousandths, below which only the best part of a document is shown.
WORTH_SHOWING = 300
SCORE_UNITS = 10_000


@frozen(eq=False)
class DemoWorld:
    """Articles, topics, what an assessor highlighted, and what systems of all sorts returned.

    `corner` is a smaller world of plain documents, cut into chunks.
    """

    articles: list[Article]
    topics: list[DemoTopic]
    qrels: Qrels
    runs: list[Run]
    corner: ChunkCorner


def demo_world(rng: np.random.Generator) -> DemoWorld:
    """The world that the generator makes; the same state makes the same world."""
    articles = write_articles(rng)
    assessments = assess(rng, articles)
    return DemoWorld(
        articles=articles,
        topics=[assessment.topic for assessment in assessments],
        qrels=qrels_of(assessments),
        runs=simulate_runs(rng, assessments),
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
class _Display:
    """What a run shows of the documents it has ranked; `noise` is in thousandths."""

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
    displays: Sequence[_Display]


_ANY_ELEMENT = _elements("sec", "ss1", "p")
_WHOLE = _elements("article")
_SLIDING = _windows(400, 200)
_FIXED = _windows(900, 900)

_SYSTEMS = (
    _System(0, ALL, [_Display("ideal", _highlights, 0, per_document=ALL)]),
    _System(500, 20, [_Display("elements-good", _ANY_ELEMENT, 250)]),
    _System(900, 20, [_Display("elements-fair", _ANY_ELEMENT, 550, interleaved=True)]),
    _System(1800, 20, [_Display("elements-poor", _ANY_ELEMENT, 1000)]),
    _System(500, 20, [_Display("passages-good", _SLIDING, 250, interleaved=True)]),
    _System(900, 20, [_Display("passages-fair", _FIXED, 550, interleaved=True)]),
    _System(450, 30, [_Display("documents-good", _WHOLE, 0)]),
    _System(900, 30, [_Display("documents-fair", _WHOLE, 0)]),
    _System(500, 25, [_Display("entry-points-good", _ANY_ELEMENT, 250, 1, points=True)]),
    _System(900, 25, [_Display("entry-points-fair", _ANY_ELEMENT, 700, 1, points=True)]),
    _System(600, 20, [_Display("overlapping", _ANY_ELEMENT, 350, overlapping=True)]),
    _System(
        noise=600,
        documents=20,
        displays=[
            _Display("parts-paragraphs", _elements("p"), 350),
            _Display("parts-sections", _elements("sec"), 350),
            _Display("parts-articles", _WHOLE, 0),
        ],
    ),
)


@frozen(eq=False)
class _Truth:
    """What is highlighted in the documents that systems can find for a topic."""

    topic: str
    documents: list[JudgedArticle]
    highlights: Highlights
    highlighted: Ints
    difficulty: int
    """How strong all noise is, in hundredths."""

    @classmethod
    def of(cls, assessment: Assessment, difficulty: int) -> Self:
        """What an assessment says; what was overlooked is not relevant."""
        documents = assessment.judged + [
            JudgedArticle(article, None, ()) for article in assessment.overlooked
        ]
        document, start, end = _flat([judged.highlights for judged in documents])
        highlights = Highlights.of(document, start, end, len(documents))
        length = np.array([judged.article.length for judged in documents], dtype=np.int64)
        every = np.arange(len(documents), dtype=np.int64)
        highlighted = highlights.count(every, np.zeros_like(every), length)
        return cls(assessment.topic.id, documents, highlights, highlighted, difficulty)

    def noise(self, rng: np.random.Generator, strength: int, count: int) -> Ints:
        """Errors of estimation that are harder to avoid on a difficult topic."""
        size = strength * self.difficulty // 100
        return rng.integers(-size, size, size=count, endpoint=True)


@frozen(eq=False)
class _Parts:
    """Parts of ranked documents; `place` is the document's place in the ranking."""

    place: Ints
    start: Ints
    end: Ints
    estimate: Ints

    def at(self, index: Ints) -> Self:
        """The parts at these indices, in that order."""
        return type(self)(
            self.place[index], self.start[index], self.end[index], self.estimate[index]
        )

    def disjoint(self) -> Self:
        """The parts that overlap no earlier one that stays."""
        axis = Axis.holding(self.place, self.end, int(self.place.max()) + 1)
        start, end = axis.place(self.place, self.start), axis.place(self.place, self.end)
        return self.at(np.flatnonzero(greedily_disjoint(start, end)))


def simulate_runs(rng: np.random.Generator, assessments: Sequence[Assessment]) -> list[Run]:
    """One run per display of every system."""
    truths = [_Truth.of(assessment, int(rng.integers(50, 200))) for assessment in assessments]
    runs = []
    for system in _SYSTEMS:
        rankings = [_ranking(rng, truth, system) for truth in truths]
        for display in system.displays:
            rows = [
                row
                for truth, ranking in zip(truths, rankings, strict=True)
                for row in _rows(rng, truth, ranking, _shown(rng, truth, ranking, display))
            ]
            runs.append(Run.from_dicts(rows, name=display.name))
    return runs


def _ranking(rng: np.random.Generator, truth: _Truth, system: _System) -> Ints:
    """Documents by decreasing estimate of how much of them is highlighted."""
    most = truth.highlighted.max()
    merit = np.where(truth.highlighted > 0, 400 * most + 600 * truth.highlighted, 0)
    estimate = merit + most * truth.noise(rng, system.noise, len(merit))
    return np.argsort(-estimate, kind="stable")[: system.documents]


def _shown(rng: np.random.Generator, truth: _Truth, ranking: Ints, display: _Display) -> _Parts:
    """The parts of the ranked documents that a run shows, in its order."""
    parts = _estimated(rng, truth, ranking, display)
    parts = parts.at(np.lexsort((-parts.estimate, parts.place)))
    if not display.overlapping:
        parts = parts.disjoint()
    nth = np.arange(len(parts.place)) - np.searchsorted(parts.place, parts.place)
    worth_showing = (nth == 0) | (parts.estimate >= WORTH_SHOWING)
    parts = parts.at(np.flatnonzero(worth_showing & (nth < display.per_document)))
    if display.interleaved:
        # Twenty places down the ranking weigh as much as the whole scale of a part's estimate.
        parts = parts.at(np.argsort(50 * parts.place - parts.estimate, kind="stable"))
    if display.points:
        parts = _Parts(parts.place, parts.start, parts.start, parts.estimate)
    return parts


def _estimated(rng: np.random.Generator, truth: _Truth, ranking: Ints, display: _Display) -> _Parts:
    """Every candidate part, with an estimate of how much of it is highlighted and vice versa."""
    place, start, end = _flat([display.candidates(truth.documents[row]) for row in ranking])
    document = ranking[place]
    found = truth.highlights.count(document, start, end)
    precision = 500 * found // (end - start)
    recall = 500 * found // np.maximum(truth.highlighted[document], 1)
    estimate = precision + recall + truth.noise(rng, display.noise, len(place))
    return _Parts(place, start, end, estimate)


def _rows(
    rng: np.random.Generator, truth: _Truth, ranking: Ints, parts: _Parts
) -> Iterator[dict[str, object]]:
    """The results of a topic, with scores that fall from rank to rank."""
    steps = rng.integers(1, SCORE_UNITS // 2, size=len(parts.place))
    scores = np.cumsum(steps[::-1])[::-1] / SCORE_UNITS
    documents = [truth.documents[row].article.id for row in ranking[parts.place]]
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


def _flat(spans: Sequence[Sequence[tuple[int, int]]]) -> tuple[Ints, Ints, Ints]:
    """Lists of spans as columns: which list, start, end."""
    rows = [(owner, *span) for owner, owned in enumerate(spans) for span in owned]
    owner, start, end = np.array(rows, dtype=np.int64).T
    return owner, start, end
