"""Where no judged document is irrelevant, measures that ask for one keep their values, with a note."""

from __future__ import annotations

from typing import Any

import pytest

from foveal.analysis import compare
from foveal.evaluation import evaluate
from foveal.measures import REGISTRY
from tests.each import each

RELEVANT = {"1": {"a": 1, "b": 2}, "2": {"a": 1}}
JUDGED = {"1": {"a": 1, "b": 2, "z": 0}, "2": {"a": 1}}
RUN = {"1": {"a": 3.0, "z": 2.0, "b": 1.0}, "2": {"x": 2.0, "a": 1.0}}
TAIL = ", for which documents that are not listed are irrelevant"
NEEDY = ("Judged@10", "Unjudged@5", "Bpref", "GMBpref", "infAP", "NumNonrelJudgedRet")


def notes(qrels: Any, measures: Any, **choices: Any) -> tuple[str, ...]:
    return evaluate(qrels, RUN, measures, **choices).notes


@each("name", NEEDY)
def test_a_measure_that_needs_irrelevant_documents_is_named_where_there_are_none(name: str) -> None:
    note = f"no judged document is irrelevant, so {name} says nothing here: use AP or nDCG@10{TAIL}"
    assert notes(RELEVANT, ["AP", name]) == (note,)
    assert notes(JUDGED, ["AP", name]) == ()


def test_those_that_need_them_are_the_ones_that_say_so() -> None:
    needy = {record.name for record in REGISTRY.values() if record.needs_irrelevant}
    assert needy == {name.partition("@")[0] for name in NEEDY}


def test_one_note_names_all_that_was_asked_for() -> None:
    measures = ["Bpref", "AP", "Judged@10", "nDCG@10"]
    (note,) = notes(RELEVANT, measures, judged_only=True)
    assert note == (
        "no judged document is irrelevant, so Bpref, Judged@10 and --judged-only (in Python"
        f" judged_only=) say nothing here: use AP or nDCG@10 without it{TAIL}"
    )
    assert notes(JUDGED, measures, judged_only=True) == ()
    runs = {"one": RUN, "two": RUN}
    told = compare(evaluate(RELEVANT, runs, "Bpref")).notes
    assert sum("no judged document is irrelevant" in own for own in told) == 1


@pytest.mark.parametrize("measure", ["P(judged_only=True)@5", "nDCG(judged_only=True)@5"])
def test_skipping_unjudged_documents_is_noted_where_a_measure_does(measure: str) -> None:
    (note,) = notes(RELEVANT, measure)
    assert "so --judged-only (in Python judged_only=) says nothing" in note
    assert notes(JUDGED, measure) == ()


def test_what_changes_nothing_is_not_said() -> None:
    assert notes(RELEVANT, ["AP", "nDCG@10", "P@5", "RR", "RBP(p=0.8)"]) == ()


def test_what_is_irrelevant_depends_on_the_grade_asked_for() -> None:
    graded = {"1": {"a": 1, "b": 2}, "2": {"a": 2}}
    assert notes(graded, "Bpref(rel=2)") == notes(graded, "Bpref", rel=2) == ()
    assert notes({"1": {"a": 2, "z": -1}, "2": {"a": 2}}, "Bpref(rel=2)") != ()


def test_values_are_what_the_advice_says() -> None:
    scores = evaluate(RELEVANT, {"run": RUN}, [*NEEDY[2:5], "SetR", "AP", "AP(judged_only=True)"])
    value = {name: scores["run", name] for name in scores.measures}
    assert value["Bpref"] == value["SetR"] == value["AP(judged_only=True)"]
    assert value["infAP"] == pytest.approx(value["AP"], abs=1e-4)
