"""Results show themselves, and no form for reading drops a note."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import TypeAlias

import pytest

import foveal
from foveal.errors import UsageError
from foveal.rendering import rendered_bytes
from foveal.shown import Shown
from foveal.studies import DemoWorld
from tests.scored import scores_of

Result: TypeAlias = (
    foveal.Scores
    | foveal.Comparison
    | foveal.Agreement
    | foveal.AssessorAgreement
    | foveal.Fidelity
    | foveal.Stability
    | foveal.Findings
    | foveal.Explanation
    | foveal.Pool
)
# What a file may be called must be harmless in every form, and end no comment of LaTeX.
NOTE = "a_b%.run\n\\input{x} & <b>: 2 topics | *few*"
KINDS = [
    "Scores",
    "Comparison",
    "Agreement",
    "AssessorAgreement",
    "Fidelity",
    "Stability",
    "Findings",
    "Pool",
    "Explanation",
]
SUMMARIES = {
    "Scores": "<Scores: 5 runs, 2 measures, 30 topics>",
    "Comparison": r"<Comparison: 5 runs; \d+ of 10 pairs significant by AiP, \d+ of 10 pairs"
    " significant by AP>",
    "Agreement": "<Agreement: 5 runs ranked by AiP, AP>",
    "AssessorAgreement": r"<AssessorAgreement: 2 assessors, [\d,]+ documents, 30 topics>",
    "Fidelity": "<Fidelity: 1 measure tested on 8 simulated runs>",
    "Stability": r"<Stability: topics, 5 runs, 30 topics>",
    "Findings": "<Findings: 1 note>",
    "Explanation": "<Explanation: 30 topics>",
    "Pool": r"<Pool: \d+ documents of 30 topics>",
}


@pytest.fixture(scope="module")
def results(whole_demo: DemoWorld) -> dict[str, Result]:
    """One result of every type, each with a note."""
    qrels, runs = whole_demo.qrels, list(whole_demo.runs[1:6])
    scores = foveal.evaluate(qrels, runs, ["AiP", "AP"])
    made: list[Result] = [
        scores,
        foveal.compare(scores),
        foveal.agree(scores, resamples=10),
        foveal.agree_assessors({"ann": qrels, "bob": qrels}, resamples=10),
        foveal.fidelity(qrels, measures="AgP"),
        foveal.stability(qrels, runs, "AiP", experiment="topics", levels=[50], samples=3),
        foveal.check(runs[0], qrels),
        foveal.explain(qrels, runs[0]),
        foveal.pool(runs, depth=5),
    ]
    noted = [replace(result, notes=(*result.notes, NOTE)) for result in made]
    return {type(result).__name__: result for result in noted}


@pytest.mark.parametrize("kind", KINDS)
def test_a_printed_result_has_its_tables_settings_and_notes(
    results: dict[str, Result], kind: str
) -> None:
    result = results[kind]
    printed = str(result)
    assert printed == foveal.render(result).rstrip("\n")
    bare = rendered_bytes(result, "text").decode()
    assert printed.startswith(bare)
    flowing = " ".join(printed.split())
    for name, value in result.settings.items():
        assert f"{name}: {value}" in flowing
    told = [line for line in printed.splitlines() if line.startswith("note: ")]
    assert len(told) == len(result.notes)
    assert "a_b%.run\N{REPLACEMENT CHARACTER}\\input{x} & <b>: 2 topics | *few*" in flowing


@pytest.mark.parametrize("kind", KINDS)
def test_a_result_is_summed_up_in_a_line(results: dict[str, Result], kind: str) -> None:
    assert re.fullmatch(SUMMARIES[kind], repr(results[kind]))


@pytest.mark.parametrize("kind", KINDS)
def test_a_notebook_shows_a_piece_of_a_page(results: dict[str, Result], kind: str) -> None:
    result = results[kind]
    shown = result._repr_html_()
    assert not re.search("<(html|head|body|style|script|!doctype)", shown)
    assert shown.count("<table>") >= 1
    notes = [html.unescape(note) for note in re.findall("<li>(.*?)</li>", shown, re.DOTALL)]
    assert notes == list(result.notes)
    settings = "; ".join(f"{name}: {value}" for name, value in result.settings.items())
    assert f"<caption>{html.escape(settings)}</caption>" in shown


class Printer:
    """What IPython hands to a result that shows itself in a terminal."""

    def __init__(self) -> None:
        self.printed = ""

    def text(self, text: str) -> None:
        self.printed += text


def test_ipython_prints_what_print_does(results: dict[str, Result]) -> None:
    printer = Printer()
    results["Scores"]._repr_pretty_(printer, cycle=False)
    assert printer.printed == str(results["Scores"])


@pytest.mark.parametrize("kind", KINDS)
def test_no_form_for_reading_drops_a_note(results: dict[str, Result], kind: str) -> None:
    result = results[kind]
    flat = [" ".join(note.split()) for note in result.notes]
    comments = [
        line.removeprefix("% note: ")
        for line in foveal.render(result, "latex").splitlines()
        if line.startswith("% note: ")
    ]
    assert comments == flat
    items = [
        re.sub(r"\\(.)", r"\1", line.removeprefix("* note: "))
        for line in foveal.render(result, "markdown").splitlines()
        if line.startswith("* note: ")
    ]
    assert items == flat
    page = foveal.render(result, "html")
    assert page.startswith("<!doctype html>")
    assert [html.unescape(note) for note in re.findall("<li>(.*?)</li>", page, re.DOTALL)] == list(
        result.notes
    )


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "html"])
def test_two_topics_are_called_few_wherever_a_pair_is_called_significant(form: str) -> None:
    found = foveal.compare(
        scores_of({"a": [0.9, 0.8], "b": [0.1, 0.2]}), test="bootstrap", resamples=1000
    )
    drawn = foveal.render(found, to=form)
    assert "1 of 1 pair significant" in drawn or form in {"latex", "markdown"}
    assert "2 topics" in drawn


@pytest.mark.parametrize("thing", [3, None, "scores", {}, [], Shown, "html", foveal])
def test_what_is_not_a_result_is_refused_with_what_is(thing: object) -> None:
    with pytest.raises(UsageError, match=r"cannot render .*: give what evaluate, compare"):
        foveal.render(thing)  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(UsageError, match=r"there is no figure of .*: give what evaluate"):
        foveal.figure(thing, "means")  # type: ignore[arg-type]  # likewise


def test_a_figure_shows_itself(results: dict[str, Result]) -> None:
    comparison = results["Comparison"]
    assert isinstance(comparison, foveal.Comparison)
    means = foveal.figure(comparison, "means")
    assert repr(means) == f"<Figure: {means.title}>"
    assert means._repr_svg_().startswith("<svg")
