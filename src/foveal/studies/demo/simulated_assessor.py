"""The simulated assessor of the demo world, who reads a pool and highlights sentences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

import numpy as np

from foveal.frozen import frozen
from foveal.studies.demo.articles import Article
from foveal.studies.demo.vocabulary import THEMES, DemoTheme
from foveal.tables import Qrels, columns

FIRST_TOPIC = 101
SMALLEST_POOL, LARGEST_POOL = 20, 40
FEWEST_NOT_RELEVANT = 8
OVERLOOKED = 15


@frozen
class DemoTopic:
    """What a user wants to read about."""

    id: str
    title: str


@frozen
class JudgedArticle:
    """An article an assessor has read; without highlights it is not relevant."""

    article: Article
    entry: int | None
    highlights: tuple[tuple[int, int], ...]


@frozen
class Assessment:
    """A topic's judged articles, and others that systems may take for relevant, though none is."""

    topic: DemoTopic
    judged: list[JudgedArticle]
    overlooked: list[Article]


def assess(rng: np.random.Generator, articles: Sequence[Article]) -> list[Assessment]:
    """One assessment per theme."""
    return [
        _assessment(rng, articles, theme, DemoTopic(str(number), theme.title))
        for number, theme in enumerate(THEMES, start=FIRST_TOPIC)
    ]


def qrels_of(assessments: Sequence[Assessment]) -> Qrels:
    """The assessments as judgements."""
    return Qrels.from_dicts(
        [
            {
                columns.TOPIC: assessment.topic.id,
                columns.DOC: judged.article.id,
                columns.LENGTH: judged.article.length,
                columns.ENTRY: judged.entry,
                columns.HIGHLIGHTS: [list(span) for span in judged.highlights],
            }
            for assessment in assessments
            for judged in assessment.judged
        ]
    )


def _assessment(
    rng: np.random.Generator, articles: Sequence[Article], theme: DemoTheme, topic: DemoTopic
) -> Assessment:
    relevant = [article for article in articles if theme in article.themes]
    others = [article for article in articles if theme not in article.themes]
    pool = int(rng.integers(SMALLEST_POOL, LARGEST_POOL, endpoint=True))
    not_relevant = max(FEWEST_NOT_RELEVANT, pool - len(relevant))
    near_misses = [others[place] for place in rng.permutation(len(others))]
    judged = [_judged(rng, article, theme) for article in relevant]
    judged += [JudgedArticle(article, None, ()) for article in near_misses[:not_relevant]]
    return Assessment(
        topic=topic,
        judged=sorted(judged, key=lambda one: one.article.id),
        overlooked=near_misses[not_relevant : not_relevant + OVERLOOKED],
    )


def _judged(rng: np.random.Generator, article: Article, theme: DemoTheme) -> JudgedArticle:
    highlights = _highlights(rng, article, theme)
    return JudgedArticle(article, _entry(rng, article, highlights), tuple(highlights))


def _highlights(
    rng: np.random.Generator, article: Article, theme: DemoTheme
) -> list[tuple[int, int]]:
    """The runs of marked sentences; one may cross the ends of paragraphs and sections."""
    marked: list[bool] = []
    for _, section in groupby(article.sentences, key=lambda sentence: sentence.section):
        marked += _marked(rng, [sentence.theme is theme for sentence in section])
    for place, sentence in enumerate(article.sentences):
        # Nobody lifts the pen over a title in the middle of a run.
        if sentence.is_title and place and marked[place - 1] and marked[place + 1]:
            marked[place] = True
    runs = groupby(zip(marked, article.sentences, strict=True), key=itemgetter(0))
    spans = []
    for is_marked, run in runs:
        if is_marked:
            _, sentences = zip(*run, strict=True)
            spans.append((sentences[0].start, sentences[-1].end))
    return spans


def _marked(rng: np.random.Generator, on_topic: list[bool]) -> list[bool]:
    """Which sentences of a section get marked: those on the topic, give or take one, or all."""
    if not any(on_topic):
        return on_topic
    marked = on_topic.copy()
    mood = rng.random()
    if mood < 0.15:
        marked = [True] * len(marked)
    elif mood < 0.3:
        marked[marked.index(True) - 1] = True
    elif mood < 0.45 and sum(marked) > 2:
        last = max(place for place, is_marked in enumerate(marked) if is_marked)
        marked[last] = False
    return marked


def _entry(
    rng: np.random.Generator, article: Article, highlights: Sequence[tuple[int, int]]
) -> int:
    """Where reading should begin: a highlight's start, or that of the title before the first."""
    first, _ = highlights[0]
    mood = rng.random()
    if mood < 0.6:
        return first
    if mood < 0.8:
        longest, _ = max(highlights, key=lambda span: span[1] - span[0])
        return longest
    return max(s.start for s in article.sentences if s.is_title and s.start <= first)
