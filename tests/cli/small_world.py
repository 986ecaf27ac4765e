"""A world of few topics and runs whose rankings differ from measure to measure, as files.

Runs are not named in the order of their merit, nor given in it, and topics are not in the order of
their numbers: whatever is taken by place instead of by name comes out wrong.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tests.cli.calling import Answer, foveal

TOPICS = ("10", "2", "31", "4", "5", "6", "7", "18", "9", "1")
DOCUMENTS, CELLS, CELL = 6, 10, 20
LENGTH = CELLS * CELL
# How much better than chance a run knows where highlighted text is, and how many parts it returns.
MERITS = {
    "echo": (0.2, 6),
    "delta": (3.0, 9),
    "bravo": (0.8, 30),
    "alpha": (1.5, 5),
    "fox": (0.5, 20),
}
ENDINGS = (".fol", ".run")
QRELS, GRADED_QRELS = "q.qrels", "q.trec"
RUNS, DOCUMENT_RUNS = (tuple(f"{name}{ending}" for name in MERITS) for ending in ENDINGS)


ARTICLE = "<a>0<p>12</p>3<p>4<b>5</b></p>6789</a>"
ARTICLE_QRELS = """\
1 Q0 d1 4 10 1 1:4
1 Q0 d2 8 10 0 0:8
1 Q0 d3 0 10
2 Q0 d1 3 10 2 2:3
"""


def write_articles(folder: Path) -> Path:
    """Three articles with their index in `INDEX`, and judgements of them in `xml.qrels`."""
    (folder / "articles").mkdir()
    for name in ("d1", "d2", "d3"):
        (folder / "articles" / f"{name}.xml").write_text(ARTICLE)
    (folder / "xml.qrels").write_text(ARTICLE_QRELS)
    called(folder, "index", "articles", "-o", "INDEX")
    return folder


def write(folder: Path) -> Path:
    """Judgements with highlights in `q.qrels`, with grades in `q.trec`.

    Runs of parts are in `NAME.fol`, of documents in `NAME.run`.
    """
    rng = np.random.default_rng(31)
    lines, graded = [], []
    runs: dict[str, list[str]] = {f"{name}{ending}": [] for name in MERITS for ending in ENDINGS}
    for topic in TOPICS:
        marked = rng.random((DOCUMENTS, CELLS)) < rng.uniform(0.15, 0.6, (DOCUMENTS, 1))
        marked[0] = False
        for number, own in enumerate(marked):
            places = [cell * CELL + 5 for cell in np.flatnonzero(own)]
            spans = "".join(f" {place}:10" for place in places)
            entry = f" {places[0]}" if places else ""
            lines.append(f"{topic} Q0 d{number} {10 * len(places)} {LENGTH}{entry}{spans}\n")
            graded.append(f"{topic} 0 d{number} {min(len(places), 3)}\n")
        for name, (merit, count) in MERITS.items():
            wish = merit * marked + rng.normal(size=marked.shape)
            best = np.argsort(-wish, axis=None)[:count]
            for rank, place in enumerate(best, start=1):
                doc, cell = divmod(int(place), CELLS)
                line = f"{topic} Q0 d{doc} {rank} {100 - rank} {name}"
                runs[f"{name}.fol"].append(f"{line} {cell * CELL} {CELL}\n")
                if doc not in [int(other) // CELLS for other in best[: rank - 1]]:
                    runs[f"{name}.run"].append(f"{line}\n")
    (folder / QRELS).write_text("".join(lines))
    (folder / GRADED_QRELS).write_text("".join(graded))
    for name, own in runs.items():
        (folder / name).write_text("".join(own))
    return folder


def highlights(folder: Path) -> dict[tuple[str, str], list[tuple[int, int]]]:
    """The highlighted spans of every judged document, by topic and document."""
    found = {}
    for line in (folder / QRELS).read_text().splitlines():
        topic, _, doc, _, _, *rest = line.split()
        spans = [(int(start), int(length)) for start, length in (x.split(":") for x in rest[1:])]
        found[topic, doc] = [(start, start + length) for start, length in spans]
    return found


@cache
def document(folder: Path, *words: str) -> dict[str, Any]:
    """What a command answers as JSON; asked once, as the files of a world do not change."""
    found: dict[str, Any] = json.loads(called(folder, *words, "--to", "json").out)
    return found


def called(folder: Path, *words: str) -> Answer:
    """What a command answers, which must succeed."""
    answer = foveal(*words, folder=folder)
    assert answer.code == 0, answer.err
    return answer


def asked(*measures: str) -> list[str]:
    """The words that ask for measures."""
    return [word for name in measures for word in ("-m", name)]


@cache
def topic_values(folder: Path, *measures: str) -> dict[tuple[str, str], dict[str, float]]:
    """The score of every topic as `evaluate` prints it, by (run, measure)."""
    words = ["evaluate", QRELS, *RUNS, *asked(*measures), "--per-topic", "--to", "jsonl"]
    found: dict[tuple[str, str], dict[str, float]] = {}
    for line in called(folder, *words).out.splitlines():
        row = json.loads(line)
        if row["topic"] != "all":
            found.setdefault((row["run"], row["measure"]), {})[row["topic"]] = row["value"]
    return found
