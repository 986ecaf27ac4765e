"""Scores as numbers, dicts and demands."""

from __future__ import annotations

import math
import pickle
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import foveal
from foveal.errors import DemandNotMet, NotScored, UsageError
from foveal.evaluation import Demand, Scores, column_named
from foveal.evaluation.measure_names import MeasureNames
from foveal.evaluation.scores import ScoreInputs
from foveal.measures import REGISTRY, parse
from tests.each import each
from tests.scored import scores_of

TAKEN = re.compile(r"[A-Za-z0-9_.\- /]+")
QRELS: list[dict[str, Any]] = [
    {"topic": topic, "doc": "d", "length": 100, "highlights": [[10, 40]]} for topic in "abc"
]
PARTS = {"a": (10, 40), "b": (10, 25), "c": (40, 60)}
RUN: list[dict[str, Any]] = [
    {"topic": topic, "doc": "d", "start": start, "end": end}
    for topic, (start, end) in PARTS.items()
]
MEASURES = ["cR@5", "cP@5", "cR(chars=20)", "nDCG@10", "iP[0.01]", "AgP(S=bep,n=50)", "ESL(rels=1)"]


def scored(*runs: str, measures: list[str] | str = MEASURES) -> Scores:
    return foveal.evaluate(QRELS, dict.fromkeys(runs or ("mine",), RUN), measures)


def test_a_dict_has_names_that_other_programs_take() -> None:
    found = scored().to_dict()
    assert found == {
        "recall_at_5": 0.5,
        "precision_at_5": pytest.approx(2 / 3),
        "recall_at_20_chars": pytest.approx((2 / 3 + 1 / 2) / 3),
        "nDCG_at_10": 1.0,
        "iP_at_0.01": pytest.approx(2 / 3),
        "AgP_S_bep_n_50": pytest.approx(found["AgP_S_bep_n_50"]),
        "ESL": 0.0,
    }
    assert all(TAKEN.fullmatch(key) for key in found)


def test_several_runs_stand_before_a_slash() -> None:
    found = scored("one", "two: hybrid", measures="cP@5").to_dict()
    assert [key.partition("/")[0] for key in found] == ["one", "two_ hybrid"]
    assert all(TAKEN.fullmatch(key) for key in found)


def test_two_names_that_would_become_one_are_refused() -> None:
    with pytest.raises(UsageError, match=r"cP@5 of 'a\?' and cP@5 of 'a!' would both be called"):
        scored("a?", "a!", measures="cP@5").to_dict()


@each("name", REGISTRY)
def test_every_measure_has_a_key_that_programs_take(name: str) -> None:
    record = REGISTRY[name]
    suffix = {"@": "@5", "[": "[0.50]"}.get(record.written_suffix[:1], "")
    measure_names = MeasureNames(foveal.conventions.Conventions())
    assert re.fullmatch(r"[A-Za-z0-9_.\-]+", measure_names.key(name + suffix))


def test_one_value_is_looked_up_by_any_spelling() -> None:
    scores = scored()
    assert scores["cR@5"] == scores["mine", "cR@5"] == scores["mine", " cR@5 "] == 0.5
    assert scores["ndcg_cut_10"] == scores["nDCG@10"] == 1.0


def test_what_was_not_scored_is_a_key_error_that_names_the_nearest() -> None:
    scores = scored()
    for name in ("cR@6", "cr@5"):
        with pytest.raises(KeyError) as error:
            scores[name]
        assert isinstance(error.value, NotScored)
        assert str(error.value).startswith(f"no measure '{name}' was scored; did you mean 'cR@5'?")
        assert "(scored: cR@5, cP@5, " in str(error.value)
    with pytest.raises(NotScored, match="no run 'min' was scored; did you mean 'mine'"):
        scores["min", "cR@5"]
    copy = pickle.loads(pickle.dumps(NotScored("run", "min", ["mine"])))  # noqa: S301 (our own)
    assert str(copy) == "no run 'min' was scored; did you mean 'mine'? (scored: mine)"


def test_a_measure_is_a_table_of_topics_and_runs() -> None:
    qrels = {"2": {"a": 1}, "10": {"a": 1}}
    runs = {"one": {"10": {"b": 2.0, "a": 1.0}}, "two": {"10": {"a": 1.0}, "2": {"a": 1.0}}}
    scores = foveal.evaluate(qrels, runs, ["AP", "RR"], topics="retrieved")
    wide = scores.wide("map")
    assert wide.columns == ["topic", "one", "two"]
    assert sorted(wide.rows()) == [("10", 0.5, 1.0), ("2", None, 1.0)]
    with pytest.raises(NotScored, match="nDCG"):
        scores.wide("nDCG")


def test_with_several_runs_one_says_whose_value() -> None:
    scores = scored("one", "two")
    assert scores["two", "cR@5"] == 0.5
    with pytest.raises(UsageError, match=r"2 runs: say whose, as in scores\['one', 'cR@5'\]"):
        scores["cR@5"]


def test_one_run_and_one_measure_are_a_number() -> None:
    assert float(scored(measures="cR@5")) == 0.5
    for scores in (scored(), scored("one", "two", measures="cR@5")):
        with pytest.raises(UsageError, match="these scores are not one number but"):
            float(scores)


def test_scores_that_reach_what_is_required_are_given_back() -> None:
    scores = scored()
    assert scores.require({"cR@5": 0.5, "nDCG@10": 1.0, "ESL(rels=1)": 0.0}) is scores


def test_what_is_missed_is_an_assertion_error_with_the_worst_topics() -> None:
    with pytest.raises(AssertionError) as error:
        scored("one", "two").require({"cR@5": 0.8, "cP@5": 0.1})
    assert isinstance(error.value, DemandNotMet)
    assert str(error.value).splitlines() == [
        f"cR@5 of run '{run}' is 0.5, 0.3 below 0.8; worst topics: c (0), b (0.5)"
        for run in ("one", "two")
    ]


def test_where_less_is_better_the_number_is_the_most_allowed() -> None:
    scores = foveal.evaluate({"1": {"a": 1}}, {"1": {"b": 3.0, "c": 2.0, "a": 1.0}}, "ESL(rels=1)")
    assert scores.require({"ESL(rels=1)": 2.0}) is scores
    with pytest.raises(AssertionError, match=r"is 2, 1 above 1; worst topics: 1 \(2\)"):
        scores.require({"ESL(rels=1)": 1.0})


def test_rounding_alone_misses_nothing() -> None:
    just_below = math.nextafter(0.8, 0.0)
    scores_of({"a": [just_below]}).require({"AP": 0.8})
    assert not Demand("AP", ">", 0.8).holds(math.nextafter(0.8, 1.0))


@pytest.mark.parametrize(
    ("text", "measure", "sign", "number"),
    [
        ("cR@5>=0.80", "cR@5", ">=", 0.8),
        (" cR(chars=2000) > .5 ", "cR(chars=2000)", ">", 0.5),
        ("AgP(S=bep,n=500)<=1e-1", "AgP(S=bep,n=500)", "<=", 0.1),
        ("iP[0.01]<1", "iP[0.01]", "<", 1.0),
    ],
)
def test_demands_are_read_from_text(text: str, measure: str, sign: str, number: float) -> None:
    demand = Demand.parsed(text)
    assert demand == Demand(measure, sign, number)
    assert Demand.parsed(str(demand)) == demand


@pytest.mark.parametrize(
    "text", ["cR@5", "cR@5=0.8", "cR@5==0.8", ">=0.8", "cR@5>=", "cR@5>=x", "cR@5>=nan", "cR@5=>0.8",
             "cR@5>=1_0", "", "cR@5>=inf", "cR@5>=0.8 0.9"],
)  # fmt: skip
def test_other_texts_are_not_demands(text: str) -> None:
    with pytest.raises(UsageError, match="a demand is a measure, >="):
        Demand.parsed(text)


@given(st.floats(0, 1), st.floats(0, 1), st.sampled_from([">=", ">", "<=", "<"]))
def test_demands_hold_as_the_sign_says(value: float, number: float, sign: str) -> None:
    holds = Demand("AP", sign, number).holds(value)
    if abs(value - number) > 1e-9:
        assert holds == {">": value > number, "<": value < number}[sign[0]]
    assert Demand("AP", sign, number).holds(number) == ("=" in sign)


def test_the_hash_of_judgements_is_of_what_they_say() -> None:
    def digest(rows: Any) -> str:
        return foveal.Qrels.coerced(rows).sha256

    assert digest(QRELS) == digest(QRELS[::-1])
    assert digest(QRELS) == digest([{**row, "length": 900} for row in QRELS])
    split = [
        {"topic": row["topic"], "doc": "d", "length": 100, "start": 10, "end": 40} for row in QRELS
    ]
    assert digest(QRELS) == digest(split)
    others = [
        QRELS[:2],
        [{**QRELS[0], "highlights": [[10, 41]]}, *QRELS[1:]],
        [{**QRELS[0], "doc": "e"}, *QRELS[1:]],
        [{**QRELS[0], "topic": "z"}, *QRELS[1:]],
        [{**QRELS[0], "grade": 2}, *QRELS[1:]],
        [{**QRELS[0], "entry": 12}, *QRELS[1:]],
    ]
    assert len({digest(QRELS), *map(digest, others)}) == len(others) + 1
    assert digest({"1": {"a": 1}}) == digest([{"topic": "1", "doc": "a", "grade": 1.0}])


def test_only_saved_scores_show_the_hash() -> None:
    scores = scored()
    digest = scores.inputs.qrels_sha256
    assert digest == foveal.Qrels.coerced(QRELS).sha256
    assert digest not in str(scores)
    assert digest in foveal.render(scores, to="json")
    assert "qrels_sha256" not in foveal.render(replace(scores, inputs=ScoreInputs()), to="json")


def test_canonical_names_look_themselves_up() -> None:
    scores = scored()
    assert [column_named(scores, str(parse(name))) for name in MEASURES] == scores.measures
