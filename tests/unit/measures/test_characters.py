"""Every character, passage and aspect an answer: worked numbers and identities."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import digamma

from foveal import Qrels, Run, Scores, evaluate
from foveal.errors import NoAspects
from foveal.measures.characters import harmonic_between
from tests.examples import examples

MEASURES = ["charAP", "passageAP", "aspectAP", "charRprec"]
PRINTED = 5e-7


def _passage(start: int, end: int, *aspects: str) -> dict[str, Any]:
    return {"start": start, "end": end, "aspects": list(aspects)}


JUDGED = [
    {"doc": "d1", "length": 100, "highlights": [_passage(10, 40, "a"), _passage(60, 70, "b")]},
    {"doc": "d2", "length": 50, "highlights": [_passage(0, 20, "a", "c")]},
    {"doc": "d3", "length": 80, "highlights": []},
    {"doc": "d4", "length": 200, "highlights": [_passage(150, 190, "d")]},
]
A = [("d1", 0, 50), ("d3", 0, 80), ("d2", 0, 20), ("d1", 55, 75), ("d4", 100, 160)]
B = [("d1", 0, 50), ("d1", 30, 80), ("d2", 10, 40)]

Part = tuple[str, int, int]


def _run(*parts: Part) -> Run:
    rows = [{"topic": "1", "doc": doc, "start": start, "end": end} for doc, start, end in parts]
    return Run.from_dicts(rows)


def _scored(
    judged: list[dict[str, Any]], run: Run, measures: list[str] = MEASURES, **choices: Any
) -> list[float]:
    qrels = Qrels.from_dicts([{"topic": "1", **row} for row in judged])
    scores: Scores = evaluate(qrels, run, measures, **choices)
    return [scores.overall[name].item() for name in measures]


def test_the_worked_run() -> None:
    expected = [0.286047, 0.397656, 0.804167, 0.300000]
    assert _scored(JUDGED, _run(*A)) == pytest.approx(expected, abs=PRINTED, rel=0)


@pytest.mark.parametrize(("overlap", "expected"), [("once", 0.272316), ("waste", 0.259582)])
def test_the_worked_run_that_repeats_text(overlap: str, expected: float) -> None:
    (found,) = _scored(JUDGED, _run(*B), ["charAP"], overlap=overlap)
    assert found == pytest.approx(expected, abs=PRINTED, rel=0)


def test_the_passages_themselves_are_perfect() -> None:
    ideal = [(str(row["doc"]), p["start"], p["end"]) for row in JUDGED for p in row["highlights"]]  # type: ignore[attr-defined]
    assert _scored(JUDGED, _run(*ideal)) == [1.0] * 4


def test_a_part_meets_the_first_passage_of_the_file() -> None:
    judged = [
        {"doc": "d", "length": 40, "highlights": [_passage(10, 30, "b"), _passage(0, 15, "a")]}
    ]
    both = [1.0, 1 / 3, 1.0, 1.0]
    # Twenty of thirty characters, and the other passage is never met.
    assert _scored(judged, _run(("d", 0, 30))) == pytest.approx(both)
    first = [1.0, 1 / 3, 0.5, 1.0]
    assert _scored(judged, _run(("d", 0, 30)), like="trecgen2007") == pytest.approx(first)


def test_a_passage_cut_into_many_parts_raises_only_the_measure_of_passages() -> None:
    judged = [
        {"doc": "d", "length": 100, "highlights": [_passage(0, 30, "a"), _passage(60, 70, "b")]}
    ]
    whole, cut = _run(("d", 0, 30)), _run(("d", 0, 10), ("d", 10, 20), ("d", 20, 30))
    assert _scored(judged, whole) == pytest.approx([0.75, 1 / 2, 0.5, 0.75])
    assert _scored(judged, cut) == pytest.approx([0.75, 3 / 4, 0.5, 0.75])


def test_parts_that_only_repeat_aspects_are_not_counted() -> None:
    run = _run(("d1", 10, 40), ("d1", 12, 20), ("d3", 0, 80), ("d1", 60, 70))
    (found,) = _scored(JUDGED, run, ["aspectAP"])
    assert found == pytest.approx((1 + 2 / 3) / 4)


def test_whole_documents_have_their_aspects_whatever_their_length() -> None:
    qrels = Qrels.from_dicts(
        [
            {"topic": "1", "doc": "d1", "aspects": {"a": 1, "b": 2}},
            {"topic": "1", "doc": "d2", "aspects": {"c": 1, "never": 0}},
        ]
    )
    run = Run.from_dict({"1": {"d1": 3.0, "x": 2.0, "d2": 1.0}}, name="mine")
    assert evaluate(qrels, run, "aspectAP").overall["aspectAP"].item() == pytest.approx(
        (2 + 2 / 3) / 3
    )
    strict = evaluate(qrels, run, "aspectAP", rel=2).overall["aspectAP"].item()
    assert strict == 1.0


def test_a_part_without_text_has_no_aspect_of_its_document() -> None:
    qrels = Qrels.from_dicts([{"topic": "1", "doc": "d1", "length": 9, "aspects": ["a"]}])
    run = _run(("d1", 4, 4), ("d1", 4, 5))
    assert evaluate(qrels, run, "aspectAP").overall["aspectAP"].item() == 0.5


def test_a_topic_without_aspects_scores_0() -> None:
    qrels = Qrels.from_dicts(
        [{"topic": "1", "doc": "d", "aspects": ["a"]}, {"topic": "2", "doc": "d", "grade": 1}]
    )
    run = Run.from_dict({"1": {"d": 1.0}, "2": {"d": 1.0}}, name="mine")
    assert evaluate(qrels, run, "aspectAP").topics["aspectAP"].to_list() == [1.0, 0.0]


def test_judgements_without_aspects_cannot_score_them() -> None:
    qrels = Qrels.from_dicts([{"topic": "1", "doc": "d", "highlights": [[0, 5]]}])
    assert evaluate(qrels, _run(("d", 0, 5)), "passageAP").overall["passageAP"].item() == 1.0
    with pytest.raises(NoAspects, match="give them as trec-subtopics, trecgen or JSONL"):
        evaluate(qrels, _run(("d", 0, 5)), "aspectAP")


@given(
    relevant=st.lists(st.booleans(), min_size=1, max_size=12).filter(any),
    ranking=st.permutations(range(12)),
    cut=st.integers(1, 12),
)
@examples(50)
def test_characters_are_documents_where_documents_are_characters(
    relevant: list[bool], ranking: list[int], cut: int
) -> None:
    judged = [
        {"doc": f"d{number}", "length": 1, "highlights": [[0, 1]] if flag else []}
        for number, flag in enumerate(relevant)
    ]
    run = _run(*((f"d{number}", 0, 1) for number in ranking[:cut]))
    found = _scored(judged, run, ["charAP", "AP", "charRprec", "Rprec"])
    assert found[::2] == pytest.approx(found[1::2], abs=1e-12, rel=0)


@given(
    parts=st.lists(
        st.tuples(st.sampled_from(["d1", "d2", "d4"]), st.integers(0, 40), st.integers(0, 9)),
        min_size=1,
        max_size=6,
    )
)
@examples(50)
def test_average_precision_of_characters_is_at_most_their_recall(
    parts: list[tuple[str, int, int]],
) -> None:
    run = _run(*((doc, start, start + size) for doc, start, size in parts))
    precision, recall = _scored(JUDGED, run, ["charAP", "charR"])
    assert precision <= recall + 1e-12


@given(before=st.integers(0, 10**6) | st.integers(0, 80), terms=st.integers(1, 60))
@examples(100)
def test_harmonic_numbers_are_subtracted_exactly(before: int, terms: int) -> None:
    (found,) = harmonic_between(np.array([before]), np.array([terms]))
    exact = sum((Fraction(1, before + j) for j in range(1, terms + 1)), Fraction(0))
    assert found == pytest.approx(float(exact), rel=1e-14, abs=2e-15)


def test_long_stretches_are_what_digamma_makes_of_them() -> None:
    before = np.array([0, 1, 63, 64, 1000, 10**9])
    terms = np.array([10**6, 63, 1, 10**7, 10**5, 10**9])
    expected = digamma(before + terms + 1.0) - digamma(before + 1.0)
    assert harmonic_between(before, terms) == pytest.approx(expected, rel=1e-12, abs=0)
