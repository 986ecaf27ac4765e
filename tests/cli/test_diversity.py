"""Measures of aspects in every command that scores."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.calling import foveal

DOCUMENTS = ("subtopics.qrels", "a.run", "b.run")
PARTS = ("passages.jsonl", "p.jsonl", "q.jsonl")
MEASURE: dict[tuple[str, ...], str] = {DOCUMENTS: "alpha_nDCG@5", PARTS: "alpha_nDCG(parts=True)@5"}
COMMANDS = {
    "evaluate": ("evaluate",),
    "compare": ("compare",),
    "agree": ("agree", "-m", "StRecall@3"),
    "report": ("report", "-o", "report.html"),
    "topics": ("stability", "topics", "--samples", "2"),
    "pool": ("stability", "pool", "--samples", "2", "--min-passages", "2"),
    "explain": ("explain",),
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve topics: documents with subtopics, passages with aspects, and two runs of each."""
    folder, rng = tmp_path_factory.mktemp("diverse"), np.random.default_rng(2)
    lines: dict[str, list[str]] = {name: [] for name in (*DOCUMENTS, *PARTS)}
    for topic in range(1, 13):
        for number in range(8):
            name = f"d{number}"
            for subtopic in (1, 2, 3):
                grade = rng.choice([0, 0, 1, 2])
                lines["subtopics.qrels"].append(f"{topic} {subtopic} {name} {grade}")
            marked = [
                {"start": at, "end": at + int(rng.integers(5, 60)), "aspects": _two(rng)}
                for at in rng.choice(range(0, 900, 100), 3, replace=False).tolist()
            ]
            row = {"topic": str(topic), "doc": name, "length": 1000, "highlights": marked}
            lines["passages.jsonl"].append(json.dumps(row))
        for run in ("a.run", "b.run"):
            ranked = rng.permutation(12)[:10].tolist()
            lines[run] += [
                f"{topic} Q0 d{number} {rank} {20 - rank} {run}"
                for rank, number in enumerate(ranked, 1)
            ]
        for run in ("p.jsonl", "q.jsonl"):
            for rank in range(1, 9):
                at = int(rng.integers(900))
                part = {"topic": str(topic), "doc": f"d{rng.integers(10)}", "start": at}
                lines[run].append(json.dumps({**part, "end": at + 80, "rank": rank}))
    for name, own in lines.items():
        (folder / name).write_text("\n".join(own) + "\n")
    return folder


def _two(rng: np.random.Generator) -> list[str]:
    chosen: list[str] = rng.choice([*"abc"], 2, replace=False).tolist()
    return chosen


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("files", [DOCUMENTS, PARTS], ids=["documents", "parts"])
def test_every_command_that_scores_takes_measures_of_aspects(
    world: Path, files: tuple[str, ...], command: str
) -> None:
    words = COMMANDS[command]
    given = files[:2] if command == "explain" else files
    place = 2 if words[0] == "stability" else 1
    answer = foveal(*words[:place], *given, "-m", MEASURE[files], *words[place:], folder=world)
    if files is DOCUMENTS and command in {"pool", "explain"}:
        assert answer.code == 65
        hint = {"pool": "or try topics or error-rate", "explain": "(foveal evaluate --per-topic)"}
        assert "no highlights" in answer.err
        assert hint[command] in answer.err
        return
    assert answer.code == 0, answer.err
    shown = (world / "report.html").read_text() if command == "report" else answer.out
    assert MEASURE[files] in shown


def test_the_first_rank_is_undivided_like_ndeval(world: Path) -> None:
    asked = ("evaluate", *DOCUMENTS[:2], "-m", "ERR_IA@1", "--per-topic", "--to", "json")
    ours, like = (
        {row["topic"]: row["value"] for row in json.loads(answer.out)["rows"]}
        for answer in (
            foveal(*asked, folder=world),
            foveal(*asked, "--like", "ndeval", folder=world),
        )
    )
    assert max(ours.values()) <= 1 < max(like.values())


def test_judgements_without_aspects_say_how_to_give_them(world: Path) -> None:
    (world / "plain.qrels").write_text("1 0 d1 1\n")
    answer = foveal("evaluate", "plain.qrels", "a.run", "-m", "nERR_IA@5", folder=world)
    assert answer.code == 65
    assert answer.err.startswith(
        "foveal: the judgements name no aspects: give them as trec-subtopics, trecgen or JSONL"
    )
    assert "(--qrels-format names the format" in answer.err
    assert "needed by nERR_IA@5" in answer.err


@pytest.mark.parametrize(
    ("measures", "note"),
    [
        (["StRecall@3"], "StRecall@3 ranks documents, not chunks: with parts=True chunks are"),
        (["NRBP", "StRecall@3", "cR@3"], "NRBP, StRecall@3 rank documents, not chunks"),
        (["StRecall(parts=True)@3", "AP"], None),
    ],
)
def test_chunks_ranked_as_documents_are_noted(
    world: Path, measures: list[str], note: str | None
) -> None:
    asked = [word for name in measures for word in ("-m", name)]
    answer = foveal("evaluate", *PARTS[:2], "--task", "rag", *asked, folder=world)
    assert answer.code == 0
    assert note in answer.err if note else "rank documents" not in answer.err
