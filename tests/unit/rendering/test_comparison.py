from __future__ import annotations

import re

import numpy as np
import pytest

import foveal
from foveal.analysis import agree, compare
from foveal.errors import UsageError
from foveal.evaluation import Scores
from foveal.rendering import figure
from foveal.rendering.results.comparison import matrix_table, means_table
from tests.scored import scores_of, simulated

FORMS = ["text", "markdown", "latex", "html", "csv", "tsv", "json", "jsonl"]
HOSTILE = "</script><b>&%_|$\\"


def _ladder(runs: int, topics: int = 60) -> dict[str, np.ndarray]:
    """Runs each clearly better than the next."""
    rng = np.random.default_rng(7)
    return {f"r{n}": 1 - n / runs + rng.normal(0, 0.001, topics) for n in range(runs)}


def test_the_matrix_marks_who_is_better_than_whom() -> None:
    values = np.random.default_rng(7).random(60)
    found = compare(scores_of({"low": values * 0.5, "high": values, "same": values * 0.5}))
    table = matrix_table(found, "AP", narrow=True)
    assert [row[0] for row in table.rows] == ["1", "2", "3"]
    assert [row[1] for row in table.rows] == ["high", "low", "same"]
    assert [row[-1] for row in table.rows] == ["\\**", " \\-", "  \\"]
    assert table.title.startswith("AP: 2 of 3 pairs significant (67 %)")


def test_a_second_measure_keeps_the_labels_of_the_first() -> None:
    first = _ladder(12)
    second = {name: 1 - values for name, values in first.items()}
    found = compare(scores_of(first, "AgP", AP=second))
    table = matrix_table(found, "AP", narrow=True)
    assert [row[0] for row in table.rows] == [str(rank) for rank in range(12, 0, -1)]
    assert [head[-1] for head in table.upper_headers] == ["111         "]
    assert table.header[-1] == "210987654321"
    assert table.title.endswith("; ranks are those by AgP")
    assert matrix_table(found, "AP", narrow=False).header[5:] == [str(n) for n in range(12, 0, -1)]


def test_means_are_marked_for_any_number_of_runs() -> None:
    table = means_table(compare(scores_of(_ladder(40))))
    assert table.strong == {(0, 2)}
    assert table.superscripts[0, 2] == "2-40"
    assert table.superscripts[38, 2] == "40"
    assert (39, 2) not in {cell for cell, marks in table.superscripts.items() if marks}


def test_marks_skip_runs_that_are_not_significantly_worse() -> None:
    rng = np.random.default_rng(7)
    base = rng.random(60)
    runs = {"a": base + 0.3, "b": base + 0.29 + rng.normal(0, 0.2, 60), "c": base, "d": base - 0.1}
    assert means_table(compare(scores_of(runs))).superscripts[0, 2] == "3-4"


@pytest.mark.parametrize("form", FORMS)
def test_a_hundred_runs_are_drawn(form: str) -> None:
    # So many pairs, corrected, would take 100,000 resamples.
    found = compare(
        scores_of(_ladder(100, 20)), test="bootstrap", tail="one", correct="none", resamples=50
    )
    assert found.counts.row(0) == ("AP", 4950, 4950)
    assert "r99" in foveal.render(found, to=form)


@pytest.mark.parametrize("form", FORMS)
def test_names_stay_names(form: str) -> None:
    runs = simulated(3, 20)
    scores = scores_of({HOSTILE: runs["run0"], "b": runs["run1"], "c": runs["run2"]},
                       "AP", AgP={HOSTILE: runs["run1"], "b": runs["run0"], "c": runs["run2"]})  # fmt: skip
    for result in (compare(scores), agree(scores)):
        drawn = foveal.render(result, to=form)
        if form == "html":
            assert "<script" not in drawn.replace("&lt;", "")
            assert "&lt;/script&gt;&lt;b&gt;&amp;%" in drawn
        if form == "latex":
            assert r"\textbackslash{}" in drawn
            assert not re.search(r"(?<!\\)[%&]_", drawn.split("\\begin", 1)[1])


def test_an_unknown_figure_gets_a_suggestion() -> None:
    with pytest.raises(UsageError, match="did you mean matrix"):
        figure(compare(scores_of(simulated(2, 9))), "matrx")


def test_two_runs_can_be_chosen_for_their_differences() -> None:
    found = compare(scores_of(simulated(4, 9)))
    shown = figure(found, "differences", runs=("run2", "run0"))
    assert set(shown.data.select("better", "worse").iter_rows()) == {("run2", "run0")}
    assert shown.title.startswith("run2 against run0 by AP: ")
    with pytest.raises(UsageError, match="two different names"):
        figure(found, "differences", runs=("run2", "run2"))
    with pytest.raises(UsageError, match="run7"):
        figure(found, "differences", runs=("run2", "run7"))
    with pytest.raises(UsageError, match="figure means shows all runs"):
        figure(found, "means", runs=("run2", "run0"))


def test_curves_need_levels_of_recall() -> None:
    with pytest.raises(UsageError, match=r"recall levels: .*, or leave out -m$"):
        figure(scores_of(simulated(2, 9), "P@1"), "curves")


def test_a_curve_needs_two_levels_of_recall() -> None:
    runs = simulated(2, 9)
    with pytest.raises(
        UsageError, match=r"at least two levels of recall, but iP was scored at one"
    ):
        figure(scores_of(runs, "iP[0.10]", AP=runs), "curves")
    scores = scores_of(runs, "iP[0.10]", **{"iP[0.50]": runs})
    assert figure(scores, "curves").data["recall"].unique().to_list() == [0.1, 0.5]


def test_scores_have_forms_that_comparisons_have_not() -> None:
    with pytest.raises(UsageError, match="only scores"):
        foveal.render(compare(scores_of(simulated(2, 9))), to="trec")


def test_undefined_agreement_is_said_to_be() -> None:
    tied = {"a": [0.5, 0.5], "b": [0.5, 0.5]}
    found = agree(scores_of(tied, "AP", RR=tied))
    assert found.pairs.row(0)[2] is None
    assert "undefined" in foveal.render(found)
    assert isinstance(scores_of(tied), Scores)


@pytest.mark.parametrize("form", FORMS)
def test_readers_see_the_first_deciding_topics_and_programs_all(form: str) -> None:
    found = compare(scores_of({"a": np.ones(11), "b": np.zeros(11)}), resamples=50)
    drawn = foveal.render(found, to=form)
    assert ("t0009 …" in drawn) == (form in {"text", "html"})
    assert ("t0010" in drawn) == (form in {"csv", "tsv", "json", "jsonl"})
