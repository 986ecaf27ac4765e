"""Document runs judged by subtopic, as in the TREC Web track, against pyndeval."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks._measured import foveal, measured, times_as_long

TOPICS, DEPTH, JUDGED, ASPECTS = 250, 1000, 100, 10
# Of the subtopics of a judged document, those that it is relevant to.
RELEVANT = 0.2
CORE = ["alpha_nDCG@20", "ERR_IA@20", "StRecall@20"]
PYNDEVAL = """
import sys, pyndeval
def subtopics(path):
    for line in open(path):
        topic, subtopic, document, grade = line.split()
        yield topic, subtopic, document, int(grade)
def ranked(path):
    for line in open(path):
        topic, _, document, _, score, _ = line.split()
        yield topic, document, float(score)
measures = ["alpha-nDCG@20", "ERR-IA@20", "strec@20"]
evaluator = pyndeval.RelevanceEvaluator(subtopics(sys.argv[1]), measures)
print(len(evaluator.evaluate(ranked(sys.argv[2]))))
"""


def write_world(folder: Path, topics: int, rng: np.random.Generator) -> tuple[Path, Path]:
    """Judgements and a run of that many topics × 1,000 documents, half of the judged among them."""
    qrels, run = folder / f"{topics}.subtopics", folder / f"{topics}.run"
    with qrels.open("w") as judged, run.open("w") as ranked:
        for topic in range(1_000_000, 1_000_000 + topics):
            documents = rng.choice(8_800_000, size=DEPTH + JUDGED // 2, replace=False).tolist()
            judged_documents = documents[DEPTH - JUDGED // 2 :]
            returned = rng.permutation(documents[:DEPTH]).tolist()
            scores = (np.sort(rng.random(DEPTH))[::-1] * 30).tolist()
            ranked.writelines(
                f"{topic} Q0 D{document:07d} {rank} {score:.6f} mine\n"
                for rank, (document, score) in enumerate(zip(returned, scores, strict=True), 1)
            )
            relevant = rng.random((JUDGED, ASPECTS)) < RELEVANT
            judged.writelines(
                f"{topic} {aspect} D{document:07d} {grade:d}\n"
                for document, grades in zip(judged_documents, relevant.tolist(), strict=True)
                for aspect, grade in enumerate(grades, 1)
            )
    return qrels, run


def figures(folder: Path, topics: int = TOPICS) -> Iterator[tuple[str, str, str]]:
    """Rows: the subject measured, its figure and the target."""
    qrels, run = write_world(folder, topics, np.random.default_rng(2009))
    core = foveal_command(qrels, run, CORE)
    core_measured = measured(core, repeats=2)
    yield (
        f"{topics:,} × {DEPTH:,} documents × {ASPECTS} aspects",
        f"{core_measured.seconds:.1f} s",
        "",
    )
    yield "… peak memory", f"{core_measured.megabytes:.0f} MB", ""
    yield (
        "… pyndeval takes longer by",
        f"{times_as_long(peer(qrels, run), core, repeats=1):.1f}×",
        "",
    )
    longer = times_as_long(core, foveal_command(qrels, run, ["AP"]), repeats=1)
    yield "… three measures of aspects take longer than AP by", f"{longer:.1f}×", ""


def peer(qrels: Path, run: Path) -> list[str]:
    """pyndeval on the same files."""
    return [sys.executable, "-c", PYNDEVAL, str(qrels), str(run)]


def foveal_command(qrels: Path, run: Path, measures: list[str]) -> list[str]:
    options = [word for name in measures for word in ("-m", name)]
    format_options = ["--qrels-format", "trec-subtopics"]
    return foveal(
        "evaluate", str(qrels), str(run), *format_options, *options, "--per-topic", "--to", "csv"
    )
