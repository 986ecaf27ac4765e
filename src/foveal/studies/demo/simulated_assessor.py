"""The simulated assessor of the demo world, who judges a pool and highlights sentences."""

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
MIN_NOT_RELEVANT = 8
UNJUDGED_PER_TOPIC = 15


@frozen
class DemoTopic:
    """A topic: its id and title."""

    id: str
    title: str


@frozen
class JudgedArticle:
    """A judged article with its entry point and highlights; without highlights it is not relevant."""

    article: Article
    entry: int | None
    highlights: tuple[tuple[int, int], ...]


@frozen
class JudgedTopic:
    """A topic with its judged articles, and unjudged ones that are not relevant but may be returned."""

    topic: DemoTopic
    judgements: list[JudgedArticle]
    unjudged: list[Article]


def judge_topics(rng: np.random.Generator, articles: Sequence[Article]) -> list[JudgedTopic]:
    """Judge one topic per theme."""
    return [
        _judged_topic(rng, articles, theme, DemoTopic(str(number), theme.title))
        for number, theme in enumerate(THEMES, start=FIRST_TOPIC)
    ]


def qrels_of(judged_topics: Sequence[JudgedTopic]) -> Qrels:
    """The judgements of all topics as a table."""
    return Qrels.from_dicts(
        [
            {
                columns.TOPIC: judged_topic.topic.id,
                columns.DOC: judgement.article.id,
                columns.LENGTH: judgement.article.length,
                columns.ENTRY: judgement.entry,
                columns.HIGHLIGHTS: [list(span) for span in judgement.highlights],
            }
            for judged_topic in judged_topics
            for judgement in judged_topic.judgements
        ]
    )


def _judged_topic(
    rng: np.random.Generator, articles: Sequence[Article], theme: DemoTheme, topic: DemoTopic
) -> JudgedTopic:
    relevant = [article for article in articles if theme in article.themes]
    other_articles = [article for article in articles if theme not in article.themes]
    pool_size = int(rng.integers(SMALLEST_POOL, LARGEST_POOL, endpoint=True))
    not_relevant_count = max(MIN_NOT_RELEVANT, pool_size - len(relevant))
    near_misses = [other_articles[index] for index in rng.permutation(len(other_articles))]
    judgements = [_judged_article(rng, article, theme) for article in relevant]
    judgements += [JudgedArticle(article, None, ()) for article in near_misses[:not_relevant_count]]
    return JudgedTopic(
        topic=topic,
        judgements=sorted(judgements, key=lambda judgement: judgement.article.id),
        unjudged=near_misses[not_relevant_count : not_relevant_count + UNJUDGED_PER_TOPIC],
    )


def _judged_article(rng: np.random.Generator, article: Article, theme: DemoTheme) -> JudgedArticle:
    highlights = _highlights(rng, article, theme)
    return JudgedArticle(article, _entry(rng, article, highlights), tuple(highlights))


def _highlights(
    rng: np.random.Generator, article: Article, theme: DemoTheme
) -> list[tuple[int, int]]:
    """Spans of consecutive highlighted sentences, which may cross paragraphs and sections."""
    mask: list[bool] = []
    for _, section in groupby(article.sentences, key=lambda sentence: sentence.section):
        mask += _highlighted_sentences(rng, [sentence.theme is theme for sentence in section])
    for index, sentence in enumerate(article.sentences):
        # A title between two highlighted sentences is highlighted as well.
        if sentence.is_title and index and mask[index - 1] and mask[index + 1]:
            mask[index] = True
    groups = groupby(zip(mask, article.sentences, strict=True), key=itemgetter(0))
    spans = []
    for is_highlighted, group in groups:
        if is_highlighted:
            _, sentences = zip(*group, strict=True)
            spans.append((sentences[0].start, sentences[-1].end))
    return spans


def _highlighted_sentences(rng: np.random.Generator, on_topic: list[bool]) -> list[bool]:
    """Mask of the highlighted sentences of a section: those on the topic, give or take one, or all."""
    if not any(on_topic):
        return on_topic
    mask = on_topic.copy()
    chance = rng.random()
    if chance < 0.15:
        mask = [True] * len(mask)
    elif chance < 0.3:
        mask[mask.index(True) - 1] = True
    elif chance < 0.45 and sum(mask) > 2:
        last = max(index for index, is_highlighted in enumerate(mask) if is_highlighted)
        mask[last] = False
    return mask


def _entry(rng: np.random.Generator, article: Article, spans: Sequence[tuple[int, int]]) -> int:
    """The entry point: a highlight's start, or that of the title before the first highlight."""
    first_start, _ = spans[0]
    chance = rng.random()
    if chance < 0.6:
        return first_start
    if chance < 0.8:
        longest_start, _ = max(spans, key=lambda span: span[1] - span[0])
        return longest_start
    return max(s.start for s in article.sentences if s.is_title and s.start <= first_start)
