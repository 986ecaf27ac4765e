"""The demo's corner for RAG: plain documents, questions with evidence, and three chunkers' runs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from foveal.frozen import frozen
from foveal.spans import Floats
from foveal.studies.demo.simulated_assessor import DemoTopic
from foveal.studies.demo.vocabulary import GENERAL, THEMES, DemoTheme, sentence
from foveal.tables import Qrels, Run, columns

GUIDES = 10
THEMES_OF_A_GUIDE = 6
PARAGRAPHS_ON_A_THEME = 3
RETRIEVED = 20
# The usual parameters of BM25.
K1, B = 1.2, 0.75

# How many characters a chunk has, and how many of them the chunk before it has as well.
CHUNKERS = {"small": (200, 0), "overlapping": (400, 200), "large": (2000, 0)}


@frozen
class _Guide:
    """A document and the spans of its sentences."""

    text: str
    sentences: list[tuple[int, int]]


@frozen
class Chunk:
    """A piece of a document."""

    doc: str
    start: int
    end: int
    text: str


@frozen(eq=False)
class ChunkCorner:
    """Documents, questions, the sentences that answer them, and the chunks that systems returned.

    `evidence` has a row for each such sentence: topic, doc, start, end and text.
    """

    documents: Mapping[str, str]
    questions: list[DemoTopic]
    evidence: list[dict[str, object]]
    runs: list[Run]

    @property
    def qrels(self) -> Qrels:
        """The evidence as judgements."""
        return Qrels.from_dicts(self.evidence)


def chunk_corner(rng: np.random.Generator) -> ChunkCorner:
    """The corner that the generator makes; the same state makes the same corner."""
    asked = [_narrowed(rng, theme) for theme in THEMES]
    guides = {f"guide-{number:02}": _guide(rng, number, asked) for number in range(1, GUIDES + 1)}
    questions = [
        DemoTopic(f"q{number:02}", "What is known of the {} and the {}?".format(*narrow.nouns))
        for number, narrow in enumerate(asked, start=1)
    ]
    said = [
        {
            columns.DOC: doc,
            columns.START: start,
            columns.END: end,
            columns.TEXT: guide.text[start:end],
        }
        for doc, guide in guides.items()
        for start, end in guide.sentences
    ]
    words = [{*_words(str(row[columns.TEXT]))} for row in said]
    evidence = [
        {columns.TOPIC: question.id, **row}
        for question, narrow in zip(questions, asked, strict=True)
        for row, own in zip(said, words, strict=True)
        if own.issuperset(narrow.nouns)
    ]
    documents = {doc: guide.text for doc, guide in guides.items()}
    runs = [retrieved(cut(documents, *sizes), questions, name) for name, sizes in CHUNKERS.items()]
    return ChunkCorner(documents, questions, evidence, runs)


def _narrowed(rng: np.random.Generator, theme: DemoTheme) -> DemoTheme:
    """What is asked about a theme: two of its nouns."""
    first, second = rng.permutation(len(theme.nouns))[:2]
    return replace(theme, nouns=(theme.nouns[first], theme.nouns[second]))


def _guide(rng: np.random.Generator, number: int, asked: Sequence[DemoTheme]) -> _Guide:
    """A document on a few themes in turn, with sentences about what is asked among the others."""
    first = number * THEMES_OF_A_GUIDE
    places = [place % len(THEMES) for place in range(first, first + THEMES_OF_A_GUIDE)]
    text, sentences = "", []
    for place in rng.permutation(places * PARAGRAPHS_ON_A_THEME):
        themes = [asked[place], THEMES[place], THEMES[place], GENERAL, GENERAL]
        for at in rng.permutation(len(themes)):
            wording = sentence(rng, themes[at]).text
            sentences.append((len(text), len(text) + len(wording)))
            text += f"{wording} "
        text = f"{text.rstrip()}\n\n"
    return _Guide(text, sentences)


def cut(documents: Mapping[str, str], size: int, overlap: int) -> list[Chunk]:
    """The documents in chunks of a size, each of which repeats the end of the one before it."""
    return [
        Chunk(doc, start, min(start + size, len(text)), text[start : start + size])
        for doc, text in documents.items()
        for start in range(0, len(text) - overlap, size - overlap)
    ]


def retrieved(
    chunks: Sequence[Chunk], questions: Sequence[DemoTopic], name: str = "retrieved"
) -> Run:
    """The best chunks for every question, by BM25."""
    index = _Bm25([chunk.text for chunk in chunks])
    rows = []
    for question in questions:
        scores = index.scores(question.title)
        best = np.argsort(-scores, kind="stable")[:RETRIEVED]
        for rank, place in enumerate(best[scores[best] > 0].tolist(), start=1):
            chunk = chunks[place]
            rows.append(
                {
                    columns.TOPIC: question.id,
                    columns.DOC: chunk.doc,
                    columns.START: chunk.start,
                    columns.END: chunk.end,
                    columns.RANK: rank,
                    columns.SCORE: round(float(scores[place]), 4),
                    columns.TEXT: chunk.text,
                }
            )
    return Run.from_dicts(rows, name=name)


class _Bm25:
    """Scores texts by the words that they share with a question."""

    def __init__(self, texts: Sequence[str]) -> None:
        found: dict[str, list[tuple[int, int]]] = {}
        counts = [Counter(_words(text)) for text in texts]
        for place, words in enumerate(counts):
            for word, count in words.items():
                found.setdefault(word, []).append((place, count))
        lengths = np.array([words.total() for words in counts])
        self._weight = K1 * (1 - B + B * lengths / lengths.mean())
        self._found = {word: np.array(pairs).T for word, pairs in found.items()}

    def scores(self, question: str) -> Floats:
        """The score of every text."""
        scores = np.zeros(len(self._weight))
        for word in sorted({*_words(question)} & self._found.keys()):
            place, count = self._found[word]
            rarity = np.log1p((len(scores) - len(place) + 0.5) / (len(place) + 0.5))
            scores[place] += rarity * count * (K1 + 1) / (count + self._weight[place])
        return scores


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())
