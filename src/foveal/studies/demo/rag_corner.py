"""The part of the demo for RAG: plain documents, questions with evidence, runs of chunkers."""

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

# Characters of a chunk, and how many of them overlap with the previous chunk.
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
    """Documents, questions, the sentences that answer them, and runs of chunks.

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
    """Generate documents, questions and runs; the same state of the generator gives the same ones."""
    themes = [_question_theme(rng, theme) for theme in THEMES]
    guides = {f"guide-{number:02}": _guide(rng, number, themes) for number in range(1, GUIDES + 1)}
    questions = [
        DemoTopic(f"q{number:02}", "What is known of the {} and the {}?".format(*theme.nouns))
        for number, theme in enumerate(themes, start=1)
    ]
    sentences = [
        {
            columns.DOC: doc,
            columns.START: start,
            columns.END: end,
            columns.TEXT: guide.text[start:end],
        }
        for doc, guide in guides.items()
        for start, end in guide.sentences
    ]
    tokens_of_sentences = [{*_words(str(row[columns.TEXT]))} for row in sentences]
    evidence = [
        {columns.TOPIC: question.id, **row}
        for question, theme in zip(questions, themes, strict=True)
        for row, tokens in zip(sentences, tokens_of_sentences, strict=True)
        if tokens.issuperset(theme.nouns)
    ]
    documents = {doc: guide.text for doc, guide in guides.items()}
    runs = [bm25_run(chunk(documents, *sizes), questions, name) for name, sizes in CHUNKERS.items()]
    return ChunkCorner(documents, questions, evidence, runs)


def _question_theme(rng: np.random.Generator, theme: DemoTheme) -> DemoTheme:
    """A theme with two of the nouns, which a question is about."""
    first, second = rng.permutation(len(theme.nouns))[:2]
    return replace(theme, nouns=(theme.nouns[first], theme.nouns[second]))


def _guide(rng: np.random.Generator, number: int, question_themes: Sequence[DemoTheme]) -> _Guide:
    """A document on a few themes, in which some sentences contain the nouns of questions."""
    first = number * THEMES_OF_A_GUIDE
    theme_indices = [index % len(THEMES) for index in range(first, first + THEMES_OF_A_GUIDE)]
    text, sentences = "", []
    for i in rng.permutation(theme_indices * PARAGRAPHS_ON_A_THEME):
        themes = [question_themes[i], THEMES[i], THEMES[i], GENERAL, GENERAL]
        for index in rng.permutation(len(themes)):
            phrase_text = sentence(rng, themes[index]).text
            sentences.append((len(text), len(text) + len(phrase_text)))
            text += f"{phrase_text} "
        text = f"{text.rstrip()}\n\n"
    return _Guide(text, sentences)


def chunk(documents: Mapping[str, str], size: int, overlap: int) -> list[Chunk]:
    """Cut documents into chunks of a size, each of which repeats the end of the previous one."""
    return [
        Chunk(doc, start, min(start + size, len(text)), text[start : start + size])
        for doc, text in documents.items()
        for start in range(0, len(text) - overlap, size - overlap)
    ]


def bm25_run(
    chunks: Sequence[Chunk], questions: Sequence[DemoTopic], name: str = "retrieved"
) -> Run:
    """The best chunks for every question, by BM25."""
    scorer = _Bm25([chunk.text for chunk in chunks])
    rows = []
    for question in questions:
        scores = scorer.scores(question.title)
        best = np.argsort(-scores, kind="stable")[:RETRIEVED]
        for rank, index in enumerate(best[scores[best] > 0].tolist(), start=1):
            chunk = chunks[index]
            rows.append(
                {
                    columns.TOPIC: question.id,
                    columns.DOC: chunk.doc,
                    columns.START: chunk.start,
                    columns.END: chunk.end,
                    columns.RANK: rank,
                    columns.SCORE: round(float(scores[index]), 4),
                    columns.TEXT: chunk.text,
                }
            )
    return Run.from_dicts(rows, name=name)


class _Bm25:
    """Scores texts for a question by BM25."""

    def __init__(self, texts: Sequence[str]) -> None:
        postings: dict[str, list[tuple[int, int]]] = {}
        counts = [Counter(_words(text)) for text in texts]
        for index, word_counts in enumerate(counts):
            for word, count in word_counts.items():
                postings.setdefault(word, []).append((index, count))
        lengths = np.array([word_counts.total() for word_counts in counts])
        self._length_weights = K1 * (1 - B + B * lengths / lengths.mean())
        self._postings = {word: np.array(pairs).T for word, pairs in postings.items()}

    def scores(self, question: str) -> Floats:
        """Scores of all texts for a question."""
        scores = np.zeros(len(self._length_weights))
        for word in sorted({*_words(question)} & self._postings.keys()):
            indices, counts = self._postings[word]
            weight = np.log1p((len(scores) - len(indices) + 0.5) / (len(indices) + 0.5))
            scores[indices] += weight * counts * (K1 + 1) / (counts + self._length_weights[indices])
        return scores


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())
