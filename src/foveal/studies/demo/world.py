"""A small made-up collection with topics, judgements and runs, to try everything on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foveal.frozen import frozen
from foveal.studies.demo.articles import Article, write_articles
from foveal.studies.demo.assessor import DemoTopic, assess, qrels_of
from foveal.studies.demo.chunks import ChunkCorner, chunk_corner
from foveal.studies.demo.runs import simulate_runs

if TYPE_CHECKING:
    import numpy as np

    from foveal.tables import Qrels, Run


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
