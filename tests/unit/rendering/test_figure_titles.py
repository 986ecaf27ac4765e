"""Titles of figures say what is true where runs, topics or measures are tied, and scales hold all."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

import foveal
from foveal.rendering.drawing import Linear

QRELS = {topic: {"a": 1, "b": 1} for topic in ("1", "2", "3")}
FULL, HALF, NONE = {"a": 2.0, "b": 1.0}, {"a": 2.0, "c": 1.0}, {"c": 1.0}


def scored(runs: Mapping[str, Mapping[str, Mapping[str, float]]], *measures: str) -> foveal.Scores:
    return foveal.evaluate(QRELS, runs, list(measures))


def everywhere(results: Mapping[str, float]) -> dict[str, Mapping[str, float]]:
    return dict.fromkeys(QRELS, results)


def test_runs_with_equal_means_are_all_called_best() -> None:
    three = {"one": everywhere(HALF), "two": everywhere(HALF), "three": everywhere(NONE)}
    # Of three topics p is 2 of 8.
    compared = foveal.compare(scored(three, "AP"), correct="none", alpha=0.25)
    assert compared.pairs["significant"].to_list() == [False, True, True]
    title = foveal.figure(compared, "means").title
    assert title.startswith("No single winner: one and two share the top (AP 0.500")
    # Three topics cannot show a difference by default, so nobody is called best.
    title = foveal.figure(foveal.compare(scored(three, "AP")), "means").title
    assert title.startswith("No difference shown among 3 runs: AP 0.000 to 0.500")
    both = {"one": everywhere(HALF), "two": everywhere(HALF)}
    title = foveal.figure(foveal.compare(scored(both, "AP")), "means").title
    assert title == "one and two are identical on all 3 topics by AP: 0.500"


def test_the_axis_of_means_says_the_level_of_their_intervals() -> None:
    runs = {"one": everywhere(HALF), "two": everywhere(NONE)}
    compared = foveal.compare(scored(runs, "AP"), alpha=0.001)
    svg = foveal.figure(compared, "means").rendered(".svg").decode()
    assert ">mean AP, with its 99.9 % interval</text>" in svg


def test_a_single_topic_is_not_said_to_be_the_first_of_several() -> None:
    scores = foveal.evaluate({"1": QRELS["1"]}, {"mine": {"1": HALF}}, "AP")
    svg = foveal.figure(scores, "topics").rendered(".svg").decode()
    assert ">topic</text>" in svg
    assert "first</text>" not in svg


@pytest.mark.parametrize(
    ("results", "title"),
    [
        ((HALF, HALF, HALF), "All 3 topics are equally hard: mean AP 0.50"),
        ((FULL, HALF, HALF), "2 of 3 topics are the hardest (mean AP 0.50), 1 the easiest (1.00)"),
        ((FULL, FULL, NONE), "Topic 3 is the hardest of 3 (mean AP 0.00), 2 topics the easiest (1.00)"),
        ((FULL, HALF, NONE), "Topic 3 is the hardest of 3 (mean AP 0.00), 1 the easiest (1.00)"),
    ],
)  # fmt: skip
def test_tied_topics_are_counted_and_not_named(
    results: tuple[Mapping[str, float], ...], title: str
) -> None:
    scores = scored({"mine": dict(zip(QRELS, results, strict=True))}, "AP")
    assert foveal.figure(scores, "topics").title == title


def test_runs_of_equal_precision_are_all_the_most_precise() -> None:
    runs = {"one": everywhere(HALF), "two": everywhere(HALF), "three": everywhere(NONE)}
    title = foveal.figure(scored(runs, "IPrec@0.0", "IPrec@0.5"), "curves").title
    assert title.startswith("2 of 3 runs are the most precise: 1.0000 on average over 2 levels")


def test_measures_that_agree_alike_are_not_called_most_and_least_alike() -> None:
    runs = {"one": everywhere(FULL), "two": everywhere(HALF), "three": everywhere(NONE)}
    title = foveal.figure(foveal.agree(scored(runs, "AP", "R@2", "P@2")), "scatter").title
    assert title == "τ is 1.00 over 3 runs for 3 pairs of measures"
    title = foveal.figure(foveal.agree(scored(runs, "AP", "R@2", "P(rel=2)@2")), "scatter").title
    assert title == "τ is 1.00 over 3 runs for 1 pair of measures, undefined for 2"


def test_none_of_two_runs_that_change_places_moves_furthest() -> None:
    runs = {"early": everywhere({"a": 3.0, "c": 2.0}), "late": everywhere({"c": 3.0, **FULL})}
    title = foveal.figure(foveal.agree(scored(runs, "RR", "R@3")), "scatter").title
    assert title.endswith("; none moves further than early, from 1st to 2nd")


def test_pairs_without_p_are_not_counted_as_none() -> None:
    runs = {"one": {"1": FULL}, "two": {"1": HALF}}
    scores = foveal.evaluate({"1": QRELS["1"]}, runs, ["AP"])
    title = foveal.figure(foveal.compare(scores, test="t"), "p-values").title
    assert title == "p is undefined for 1 pair of runs"


def test_a_scale_holds_values_beyond_what_is_usual() -> None:
    assert (Linear.around([0.2, 0.9], 0, 1, within=(0, 1)).high) == 1.0
    scale = Linear.around([-0.5, 2.5], 0, 1, within=(0, 1))
    assert scale.low <= -0.5
    assert scale.high >= 2.5


def test_recall_above_1_is_drawn_inside_the_budget_figure() -> None:
    qrels = foveal.Qrels.from_dicts(
        [{"topic": t, "doc": "d", "length": 100, "highlights": [[0, 20]]} for t in QRELS]
    )
    part = {"doc": "d", "start": 0, "end": 20}
    runs = {
        name: foveal.Run.from_dicts([{"topic": t, **part} for t in QRELS for _ in range(count)])
        for name, count in {"once": 1, "again": 5}.items()
    }
    measures = ["cR(chars=20)", "cR(chars=200)"]
    compared = foveal.compare(foveal.evaluate(qrels, runs, measures, overlap="repeat"))
    found = foveal.figure(compared, "budget")
    assert found.title == "Within 200 characters again finds most: 500 % of the relevant text"
    svg = found.rendered(".svg").decode()
    heights = [float(y) for y in re.findall(r'<circle cx="\S+" cy="(\S+)"', svg)]
    assert len(heights) == 4
    assert min(heights) >= 0
