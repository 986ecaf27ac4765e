"""Chunks scored against highlighted evidence, beside plain Python that does the same by loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel

from benchmarks.rows import in_turns
from foveal import evaluate
from foveal.tables import Chunks, Qrels, Run

QUESTIONS, DEPTH, DOCUMENTS, LENGTH, CHUNK, SEED = 2_847, 50, 700, 60_000, 500, 2024
# The loop over chunks and highlights is quadratic: it gets a part of the questions.
LOOPED = 150
Row = dict[str, Any]
MEASURES = ["cP@50", "cR@50"]


class Snippet(BaseModel):
    """A span of a file; LegalBench-RAG's objects are models of Pydantic, too."""

    file_path: str
    span: tuple[int, int]


class Answer(BaseModel):
    """A question's evidence and what was retrieved for it."""

    wanted: list[Snippet]
    retrieved: list[Snippet]

    @property
    def precision(self) -> float:
        total, relevant = 0, 0
        for snippet in self.retrieved:
            total += snippet.span[1] - snippet.span[0]
            for wanted in self.wanted:
                if snippet.file_path == wanted.file_path:
                    start = max(snippet.span[0], wanted.span[0])
                    end = min(snippet.span[1], wanted.span[1])
                    if end > start:
                        relevant += end - start
        return relevant / total if total else 0.0

    @property
    def recall(self) -> float:
        total, relevant = 0, 0
        for wanted in self.wanted:
            total += wanted.span[1] - wanted.span[0]
            for snippet in self.retrieved:
                if snippet.file_path == wanted.file_path:
                    start = max(snippet.span[0], wanted.span[0])
                    end = min(snippet.span[1], wanted.span[1])
                    if end > start:
                        relevant += end - start
        return relevant / total if total else 0.0


def figures(folder: Path) -> Iterator[tuple[str, str, str]]:
    """What was measured, the figure, the target."""
    rng = np.random.default_rng(SEED)
    gold = _gold(rng)
    rows = _retrieved(gold, rng)
    qrels, run, answers = Qrels.from_dicts(gold), Run.from_dicts(rows), _answers(gold, rows)
    scored = partial(evaluate, qrels, run, MEASURES, like="legalbenchrag")
    _agree(scored().overall.row(0)[1:], _means(answers))
    own, theirs = in_turns(scored, partial(_looped, answers))
    yield f"{len(rows):,} results scored, tables ready", f"{own[0]:.3f} s", ""
    yield "… LegalBench-RAG's loops take longer by", f"{theirs[0] / own[0]:.1f}×", "≥ 2×"
    own, theirs = in_turns(
        lambda: evaluate(gold, rows, MEASURES, like="legalbenchrag"),
        lambda: _looped(_answers(gold, rows)),
    )
    yield f"{len(rows):,} results scored, from dicts", f"{own[0]:.3f} s", ""
    yield "… building objects and LegalBench-RAG's loops by", f"{theirs[0] / own[0]:.1f}×", "≥ 4×"
    yield from _best_precision(gold, run)


def _best_precision(gold: list[Row], run: Run) -> Iterator[tuple[str, str, str]]:
    kept = {row["topic"] for row in gold[:LOOPED]}
    some = [row for row in gold if row["topic"] in kept]
    chunks = [
        (f"file{document}", start, start + CHUNK)
        for document in range(DOCUMENTS)
        for start in range(0, LENGTH, CHUNK // 2)
    ]
    listed = Chunks.coerced([{"doc": doc, "start": a, "end": b} for doc, a, b in chunks])
    qrels, with_chunks = Qrels.from_dicts(some), replace(run, chunks=listed)
    found = evaluate(qrels, with_chunks, "cPmax")
    _agree(found.overall.row(0)[1:], [_looped_omega(some, chunks)])
    own, theirs = in_turns(
        partial(evaluate, qrels, with_chunks, "cPmax"),
        partial(_looped_omega, some, chunks),
        repeats=2,
    )
    yield f"cPmax of {len(kept)} questions, {len(chunks):,} chunks", f"{own[0]:.3f} s", ""
    yield (
        "… a loop over chunks × highlights takes longer by",
        f"{theirs[0] / own[0]:.0f}×",
        "≥ 100×",
    )


def _gold(rng: np.random.Generator) -> list[Row]:
    """One to three passages of a file for each question."""
    rows = []
    for question in range(QUESTIONS):
        document = int(rng.integers(DOCUMENTS))
        cuts = np.sort(rng.choice(LENGTH, size=2 * int(rng.integers(1, 4)), replace=False))
        for start, end in zip(cuts[::2].tolist(), cuts[1::2].tolist(), strict=True):
            span = {"start": start, "end": min(end, start + 400)}
            rows.append({"topic": f"q{question}", "doc": f"file{document}", **span})
    return rows


def _retrieved(gold: list[Row], rng: np.random.Generator) -> list[Row]:
    """Fifty chunks of 500 characters for each question, which may overlap, half of the right file."""
    right = {row["topic"]: row["doc"] for row in gold}
    other = rng.integers(DOCUMENTS, size=(QUESTIONS, DEPTH)).tolist()
    is_right = (rng.random((QUESTIONS, DEPTH)) < 0.5).tolist()
    starts = (
        rng.integers(LENGTH // (CHUNK // 2) - 1, size=(QUESTIONS, DEPTH)) * (CHUNK // 2)
    ).tolist()
    return [
        {
            "topic": topic,
            "doc": right[topic] if is_right[question][place] else f"file{other[question][place]}",
            "start": starts[question][place],
            "end": starts[question][place] + CHUNK,
            "rank": place + 1,
        }
        for question, topic in enumerate(right)
        for place in range(DEPTH)
    ]


def _answers(gold: list[Row], rows: list[Row]) -> list[Answer]:
    wanted: dict[str, list[Snippet]] = {}
    retrieved: dict[str, list[Snippet]] = {}
    for group, given in ((wanted, gold), (retrieved, rows)):
        for row in given:
            snippet = Snippet(file_path=row["doc"], span=(row["start"], row["end"]))
            group.setdefault(row["topic"], []).append(snippet)
    return [Answer(wanted=wanted[topic], retrieved=retrieved.get(topic, [])) for topic in wanted]


def _looped(answers: list[Answer]) -> list[tuple[float, float]]:
    return [(answer.precision, answer.recall) for answer in answers]


def _means(answers: list[Answer]) -> list[float]:
    return [sum(values) / len(answers) for values in zip(*_looped(answers), strict=True)]


def _looped_omega(gold: list[Row], chunks: list[tuple[str, int, int]]) -> float:
    """The mean of |G ∩ C| / |G ∪ C|, chunk by chunk and highlight by highlight."""
    by_topic: dict[str, list[Row]] = {}
    for row in gold:
        by_topic.setdefault(row["topic"], []).append(row)
    values = []
    for passages in by_topic.values():
        chosen, found = [], []
        for doc, start, end in chunks:
            for row in passages:
                low, high = max(start, row["start"]), min(end, row["end"])
                if doc == row["doc"] and high > low:
                    chosen.append((start, end))
                    found.append((low, high))
        wanted = [(row["start"], row["end"]) for row in passages]
        values.append(_size(found) / _size([*chosen, *wanted]))
    return sum(values) / len(values)


def _size(spans: list[tuple[int, int]]) -> int:
    """The characters in a union of spans of one document."""
    size, reached = 0, 0
    for start, end in sorted(spans):
        size += max(end, reached) - max(start, reached)
        reached = max(end, reached)
    return size


def _agree(own: Sequence[float], theirs: Sequence[float]) -> None:
    """Refuse to compare the speed of programs that disagree."""
    if any(abs(first - second) > 1e-9 for first, second in zip(own, theirs, strict=True)):
        raise RuntimeError(f"{list(own)} and {list(theirs)} differ")
