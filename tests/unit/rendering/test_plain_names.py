"""Measures by their plain words: in what people read of task rag, and nowhere else."""

from __future__ import annotations

import json
from html import unescape
from typing import Any

import pytest

import foveal
from foveal.rendering import rendered_bytes

GOLD: list[dict[str, Any]] = [
    {"topic": str(n), "doc": "d", "start": 100 * n, "end": 100 * n + 50} for n in range(8)
]
ASKED = ["recall@5", "recall@20chars", "recall@40chars", "R@5"]
OURS = ["cR@5", "cR(chars=20)", "cR(chars=40)", "R@5"]
HUMAN = ("text", "markdown", "latex", "html")


def found(*sizes: int) -> list[dict[str, Any]]:
    return [{**row, "end": row["start"] + size} for row, size in zip(GOLD, sizes, strict=True)]


RUNS = {
    "cR@5": found(*range(10, 50, 5)),
    "worse": found(*range(5, 45, 5)),
    "worst": found(*range(1, 9)),
}


@pytest.fixture(scope="module")
def scores() -> foveal.Scores:
    return foveal.evaluate(GOLD, RUNS, ASKED, task="rag", groups={"1": "odd", "3": "odd"})


@pytest.fixture(scope="module")
def comparison(scores: foveal.Scores) -> foveal.Comparison:
    return foveal.compare(scores, rng=1)


@pytest.fixture(scope="module")
def gate() -> foveal.Gate:
    new, old = (
        foveal.evaluate(GOLD, {name: RUNS[name]}, ASKED, task="rag") for name in ("worse", "cR@5")
    )
    return foveal.gate(new, ["recall@5>=0.9", "recall@20chars>0.1"], baseline=old, rng=1)


def above_the_legend(text: str) -> str:
    """What is read before the names are explained, without the settings that LaTeX begins with."""
    body = unescape(text).split("foveal's name", maxsplit=1)[0]
    return "\n".join(line for line in body.splitlines() if not line.startswith("%"))


@pytest.mark.parametrize("form", HUMAN)
def test_people_read_plain_words_and_a_legend(
    comparison: foveal.Comparison, gate: foveal.Gate, form: str
) -> None:
    for result in (comparison, gate):
        shown = foveal.render(result, form)
        body = above_the_legend(shown)
        assert "recall@5" in body
        assert "recall@20chars" in body
        assert "cR(chars" not in body
        # A table for a paper is one that can be pasted as it is.
        explains = result is gate or form not in {"latex", "markdown"}
        assert ("cR(chars=20)" in shown) == explains
        assert unescape(shown).count("foveal's name") == explains


def test_programs_read_canonical_names(comparison: foveal.Comparison, gate: foveal.Gate) -> None:
    for form in ("csv", "tsv", "json", "jsonl"):
        data = rendered_bytes(comparison, form)
        assert b"cR(chars=20)" in data
        assert b"recall@" not in data
    document = json.loads(foveal.render(gate, "json"))
    assert [row["demand"] for row in document["demands"]] == ["cR@5>=0.9", "cR(chars=20)>0.1"]
    assert {row["measure"] for row in document["losses"]} <= {*OURS}
    cases = foveal.render(gate, "junit").split("<failure")[0]
    assert 'name="cR@5&gt;=0.9"' in cases


def test_what_github_shows_is_for_people(gate: foveal.Gate) -> None:
    told = foveal.render(gate, "github")
    assert "::error title=recall@5>=0.9::worse: recall@5 is 0." in told
    assert "cR(chars" not in told


def test_only_measures_are_renamed(comparison: foveal.Comparison) -> None:
    body = above_the_legend(foveal.render(comparison))
    assert "1      cR@5 " in body  # a run that has the name of a measure
    assert "R@5: " in body  # a measure without a plain word
    assert comparison.measures == OURS
    assert "group odd" in body


def test_notes_of_a_gate_are_in_the_words_of_its_demands(gate: foveal.Gate) -> None:
    assert any(note.startswith("recall@20chars is ") for note in gate.notes)
    assert not any("cR(" in note for note in gate.notes)


def test_a_gate_explains_only_the_measures_it_shows() -> None:
    scores = foveal.evaluate(GOLD, {"new": RUNS["worse"]}, ASKED, task="rag")
    assert foveal.gate(scores, "recall@5>=0.1").plain == {"cR@5": "recall@5"}


def test_a_requirement_that_fails_is_in_plain_words(scores: foveal.Scores) -> None:
    with pytest.raises(AssertionError, match=r"^recall@20chars of run 'worst' is"):
        scores.require({"recall@20chars": 0.2})


def test_figures_have_plain_words_and_data_have_names(comparison: foveal.Comparison) -> None:
    for name in ("matrix", "means", "differences", "p-values"):
        figure = foveal.figure(comparison, name)
        drawn = figure.title + figure.rendered(".svg").decode()
        assert "recall@5" in drawn
        assert "cR(chars" not in drawn
        assert {*figure.data["measure"]} == {*OURS}
    budgets = foveal.figure(comparison, "budget").data["budget"]
    assert {*budgets} == {20, 40}


def test_a_report_is_in_plain_words(scores: foveal.Scores) -> None:
    report = foveal.report(GOLD, RUNS, ASKED, task="rag", resamples=100)
    # On 8 topics p is 2 of 256, which Holm makes 6 of 256.
    assert report.verdict[0].startswith("cR@5 is best: recall@5 0.550, 0.100 above worse")
    page = report.page().decode()
    assert "<strong>recall@5 (cR@5)</strong>" in page
    board = page.split('id="leaderboard"')[1].split("</table>")[0]
    assert "recall@20chars</button>" in board
    assert "cR(chars" not in board


def test_other_tasks_keep_their_names() -> None:
    two = foveal.evaluate(GOLD, RUNS, "cR@5", task="focused")
    assert foveal.compare(two).plain == {}
    assert "foveal's name" not in foveal.render(foveal.compare(two, rng=1))


@pytest.mark.parametrize("topic", [None, "3"])
def test_an_explanation_is_in_plain_words(topic: str | None) -> None:
    one = foveal.explain(GOLD, RUNS["worse"], topic=topic, task="rag", measure="recall@20chars")
    for form in HUMAN:
        shown = foveal.render(one, form)
        assert "cR(chars=20)" in shown
        assert "cR(chars" not in above_the_legend(shown)
    assert "recall@20chars" in above_the_legend(str(one))
    assert one.settings["measure"] == "cR(chars=20)"
    both = foveal.explain(GOLD, RUNS["worse"], against=RUNS["worst"], task="rag")
    assert "recall@2000chars of run" in str(both)


def test_entry_points_are_not_shown_of_chunks() -> None:
    chunks, focused = (
        foveal.explain(GOLD, RUNS["worse"], topic="3", task=task) for task in ("rag", "focused")
    )
    for word in ("bep", "t2i", "entry point"):
        assert word not in str(chunks) + chunks.page().decode()
        assert word in str(focused)
    assert "F(d) = " in str(chunks)
    # Programs have every column in every task.
    assert chunks.documents.columns == focused.documents.columns
