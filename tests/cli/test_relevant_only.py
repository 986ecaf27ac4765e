"""Judgements that list only relevant documents: one note, in whatever form the result is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.calling import foveal

NOTE = "no judged document is irrelevant, so Judged@10 and Bpref say nothing here"
FORMS = ("text", "markdown", "latex", "html", "csv", "tsv", "json", "jsonl", "trec", "inex")


@pytest.fixture
def world(tmp_path: Path) -> Path:
    (tmp_path / "msmarco").write_text("1 0 a 1\n2 0 a 1\n2 0 b 1\n")
    (tmp_path / "trec").write_text("1 0 a 1\n2 0 a 1\n2 0 b 0\n")
    for name in ("one", "two"):
        (tmp_path / f"{name}.run").write_text(f"1 Q0 a 1 2 {name}\n2 Q0 b 1 1 {name}\n")
    return tmp_path


def said(folder: Path, *words: str) -> int:
    """How often the note is in what a command prints; a page has it as well as the terminal."""
    answer = foveal(*words, folder=folder)
    assert answer.code == 0, answer.err
    return max(" ".join(text.split()).count(NOTE) for text in (answer.out, answer.err))


@pytest.mark.parametrize("form", FORMS)
def test_every_form_comes_with_one_note(world: Path, form: str) -> None:
    words = ("one.run", "two.run", "-m", "AP", "-m", "Judged@10", "-m", "Bpref", "--to", form)
    assert said(world, "evaluate", "msmarco", *words) == 1
    assert said(world, "evaluate", "trec", *words) == 0


@pytest.mark.parametrize("command", ["compare", "agree"])
def test_what_is_made_of_scores_has_the_note(world: Path, command: str) -> None:
    words = ("one.run", "two.run", "-m", "Judged@10", "-m", "Bpref")
    assert said(world, command, "msmarco", *words) == 1
    assert said(world, command, "trec", *words) == 0


def test_nothing_is_said_of_what_nobody_asked_for(world: Path) -> None:
    answer = foveal("evaluate", "msmarco", "one.run", folder=world)
    assert "irrelevant" not in answer.err
    answer = foveal("evaluate", "msmarco", "one.run", "--judged-only", folder=world)
    assert "so --judged-only (in Python judged_only=) says nothing here" in answer.err


def test_a_report_has_no_share_of_judged_documents_that_says_nothing(world: Path) -> None:
    for qrels, shown in (("trec", True), ("msmarco", False)):
        foveal("report", qrels, "one.run", "two.run", "-o", "r.html", folder=world)
        page = (world / "r.html").read_text()
        assert ("share of a run" in page) is shown
