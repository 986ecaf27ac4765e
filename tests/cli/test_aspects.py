"""Aspects on the command line: recognised, converted, scored, and refused where they are missing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.calling import foveal

GOLD = "200\tp1\t10\t30\tA|B\n200\tp1\t60\t10\tC\n200\tp2\t0\t20\tA\n"
RUN = "200 p1 1 9.5 0 50 mine\n200 p3 1 9.5 0 80 mine\n200 p2 2 9.1 0 20 mine\n"
SUBTOPICS = "1 1 a 1\n1 2 a 1\n1 2 b 1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "gold").write_text(GOLD)
    (tmp_path / "run").write_text(RUN)
    (tmp_path / "subtopics").write_text(SUBTOPICS)
    return tmp_path


def test_genomics_files_are_scored_like_their_script(folder: Path) -> None:
    named = ["--qrels-format", "trecgen", "--format", "trecgen", "--like", "trecgen2007"]
    answer = foveal("evaluate", "gold", "run", *named, "-m", "aspectAP", folder=folder)
    assert answer.code == 0
    assert "0.6667" in answer.out
    assert (
        "like: trecgen2007; topics: judged; overlap: waste; ties: place; order: rank" in answer.err
    )
    # Equal ranks are expected there.
    assert "ties found: 1 topic" in answer.err
    assert "note:" not in answer.err


def test_subtopics_are_recognised_and_said(folder: Path) -> None:
    run = b"1 Q0 b 1 2 mine\n1 Q0 a 2 1 mine\n"
    answer = foveal("evaluate", "subtopics", "-", "-m", "aspectAP", stdin=run, folder=folder)
    assert "1.0000" in answer.out
    assert "note: subtopics: documents recur under different values in column 2" in answer.err
    assert "formats: trec-subtopics, trec" in answer.err


def test_measures_of_aspects_say_which_formats_name_them(folder: Path) -> None:
    (folder / "plain").write_text("1 0 a 1\n")
    run = b"1 Q0 a 1 2 mine\n"
    answer = foveal("evaluate", "plain", "-", "-m", "aspectAP", stdin=run, folder=folder)
    assert answer.code == 65
    assert "name no aspects: give them as trec-subtopics, trecgen or JSONL" in answer.err


def test_aspects_go_along_or_are_refused(folder: Path) -> None:
    words = ["--format", "trecgen", "--kind", "judgements"]
    assert foveal("convert", "gold", "gold.jsonl", *words, folder=folder).code == 0
    back = foveal("convert", "gold.jsonl", "-", "--to", "trecgen", folder=folder)
    # Those of a document are together.
    assert back.out == GOLD
    lost = foveal("convert", "gold", "gold.csv", *words, folder=folder)
    assert (lost.code, (folder / "gold.csv").exists()) == (65, False)
    assert "csv cannot hold aspects: use jsonl, trec-subtopics or trecgen" in lost.err
    (folder / "more").mkdir()
    named = ["--to", "trec-subtopics", "--kind", "judgements"]
    assert foveal("convert", "subtopics", "more", *named, folder=folder).code == 0
    assert (folder / "more" / "subtopics.subtopics").read_text() == SUBTOPICS


def test_an_explanation_names_the_aspects_of_what_was_missed(folder: Path) -> None:
    marked = [
        {"start": 10, "end": 40, "aspects": {"a": 1, "b": 1, "never": 0}},
        # Merged with the first, and named once.
        {"start": 30, "end": 50, "aspects": ["b", "<c>"]},
        {"start": 60, "end": 70},
    ]
    row = {"topic": "1", "doc": "d1", "length": 100, "highlights": marked}
    (folder / "marked.jsonl").write_text(json.dumps(row) + "\n")
    run = b'{"topic": "1", "doc": "d1", "start": 80, "end": 90}\n'
    words = ("explain", "marked.jsonl", "-", "--topic", "1", "-m", "StRecall@1")
    answer = foveal(*words, stdin=run, folder=folder)
    assert "d1 at 10 to 50 (aspects a, b, <c>): right document, wrong place" in answer.out
    assert "d1 at 60 to 70: right document, wrong place" in answer.out
    rows = json.loads(foveal(*words, "--to", "json", stdin=run, folder=folder).out)["passages"]
    assert [row["aspects"] for row in rows] == [["a", "b", "<c>"], None]
    page = foveal(*words, "--to", "html", stdin=run, folder=folder).out
    assert "(aspects a, b, &lt;c&gt;)" in page
