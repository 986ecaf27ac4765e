"""Viviani's worked numbers, the names of other programs, grades of every kind."""

from __future__ import annotations

import math
from typing import Any

import pytest

from foveal.choices import Like, Task
from foveal.conventions import Choices, Conventions
from foveal.errors import BadInput, BadParameter, DataError, UnknownMeasure, UsageError
from foveal.evaluation import evaluate
from foveal.measures import parse, parse_all, trec_name, trec_values
from tests.each import each

GAINS = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
CUMULATED = [3, 5, 8, 8, 8, 9, 11, 13, 16, 16]
DISCOUNTED = [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]


def decided(like: Like) -> Conventions:
    return Choices(like=like).conventions(Task.DOCUMENT)


def ranked(grades: list[float]) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """Judgements and a run that returns documents of these grades in this order."""
    names = [f"d{place}" for place in range(len(grades))]
    qrels = dict(zip(names, grades, strict=True))
    return {"1": qrels}, {"1": {name: -float(place) for place, name in enumerate(names)}}


def score(qrels: object, run: object, measure: str, **options: object) -> float:
    found = evaluate(qrels, run, measure, **options)  # type: ignore[arg-type]
    return float(found.overall.row(0)[1])


@pytest.mark.parametrize("k", range(1, 11))
def test_cumulated_gains_are_the_worked_ones(k: int) -> None:
    qrels, run = ranked(list(map(float, GAINS)))
    assert score(qrels, run, f"CG@{k}") == CUMULATED[k - 1]
    assert score(qrels, run, f"DCG(log_b=2)@{k}") == pytest.approx(DISCOUNTED[k - 1], abs=0.005)


def test_the_ideal_gains_follow_the_formula_not_the_misprinted_row() -> None:
    qrels, run = ranked([3.0, 2.0, 3.0, 0.0, 0.0])
    qrels["1"] |= {"e1": 2.0, "e2": 1.0}
    ideal = [score(qrels, run, f"iDCG(log_b=2)@{k}") for k in range(1, 6)]
    assert ideal == pytest.approx([3, 6, 7.26, 8.26, 8.69], abs=0.005)
    assert score(qrels, run, "nDCG(log_b=2)@5") == pytest.approx(0.793, abs=0.0005)
    own, own_run = ranked(list(map(float, GAINS)))
    assert score(own, own_run, "iDCG(log_b=2)@5") == pytest.approx(9.754, abs=0.0005)
    assert score(own, own_run, "nDCG(log_b=2)@5") == pytest.approx(0.707, abs=0.0005)


def test_sets_and_averages_are_the_worked_ones() -> None:
    qrels, run = ranked([1.0] * 4 + [0.0] * 6)
    qrels["1"] |= {f"e{place}": 1.0 for place in range(4)}
    found = evaluate(qrels, run, ["SetP", "SetR", "SetF"]).overall.row(0)[1:]
    assert found == pytest.approx([0.40, 0.50, 0.44], abs=0.005)
    matrix = ["NumTP", "NumFP", "NumFN", "NumTN(N=100)"]
    assert evaluate(qrels, run, matrix).overall.row(0)[1:] == (4, 6, 4, 86)
    qrels, run = ranked([1.0, 0.0, 1.0, 1.0])
    qrels["1"] |= {f"e{place}": 1.0 for place in range(7)}
    assert score(qrels, run, "AP") == pytest.approx(0.2417, abs=0.00005)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("map", "AP"), ("MAP", "AP"), ("P_10", "P@10"), ("P(rel=2)@10", "P(rel=2)@10"),
        ("recip_rank", "RR"), ("mrr", "RR"), ("mrr@10", "RR@10"), ("recall_100", "R@100"),
        ("iprec_at_recall_0.10", "IPrec@0.1"), ("IPrec@0.1", "IPrec@0.1"), ("IPrec@.25", "IPrec@0.25"),
        ("ndcg_cut.10", "nDCG@10"), ("ndcg@10-l2", "nDCG(rel=2)@10"), ("ndcg", "nDCG"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(dcg='exp-log2')@10"), ("ndcg_burges@5", "nDCG(dcg='exp-log2')@5"),
        ("map@100-l3", "AP(rel=3)@100"), ("hits@10", "NumRelRet@10"), ("hit_rate@5", "Success@5"),
        ("precision@5-l2", "P(rel=2)@5"), ("precision", "SetP"), ("precision-l2", "SetP(rel=2)"),
        ("recall-l2", "SetR(rel=2)"),
        ("precision@10", "P@10"), ("r-precision", "Rprec"), ("bpref", "Bpref"), ("set_F.4", "SetF(beta=2)"),
        ("Rprec_mult_0.20", "Rprec(mult=0.2)"), ("utility.1,-1,0,0", "Utility"), ("gm_map", "GMAP"),
        ("rbp", "RBP(p=0.9,max_rel=topic)"), ("rbp_resid.p=0.5", "RBPres(p=0.5)"), ("unj_5", "Unjudged@5"),
        ("nDCG(judged_only=True)@5", "nDCG(judged_only=True)@5"), ("AP(judged_only=False)", "AP"),
        ("ndcg.1=3.5,2=9", "nDCG(gains=1:3.5/2:9)"), ("11pt_avg.0.2,0.5,0.8", "11ptAvg(levels=0.2/0.5/0.8)"),
        ("num_ret", "num_ret"), ("SetF(beta=1.0)", "SetF"), ("ESL(rels=3)", "ESL(rels=3)"),
    ],
)  # fmt: skip
def test_other_programs_names_are_read(text: str, canonical: str) -> None:
    assert str(parse(text)) == canonical


def test_cut_offs_with_commas_and_nicknames_are_several_measures() -> None:
    assert list(map(str, parse_all(["P.5,10", "ndcg_cut.5,10"]))) == [
        "P@5",
        "P@10",
        "nDCG@5",
        "nDCG@10",
    ]
    official = list(map(str, parse_all(["official"])))
    assert official[:6] == ["NumQ", "NumRet", "NumRel", "NumRelRet", "AP", "GMAP"]
    assert len(official) == 9 + 11 + 9
    nine, ten = (
        list(map(str, parse_all(["all_trec"], decided(like))))
        for like in (Like.TREC_EVAL_9, Like.TREC_EVAL_10)
    )
    assert set(ten) - set(nine) == {
        "RBP(p=0.9,max_rel=topic)", "RBPres(p=0.9)", "Unjudged@5", "Unjudged@10", "Unjudged@20",
    }  # fmt: skip
    assert str(parse("num_ret", decided(Like.TREC_EVAL_9))) == "NumRet"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("P", BadParameter), ("P.", UsageError), ("P.x", UsageError), ("P[5]", UsageError), ("P.5,10", UsageError),
        ("relstring", UsageError), ("utility.1,2", BadParameter), ("map.3", BadParameter),
        ("RBP(p=1)", BadParameter), ("RBP(rel=1,max_rel=3)", BadParameter), ("INST(T=0.5)", BadParameter),
        ("nDCG(gains=1:2/1:3)", BadParameter), ("AP(judged_only=yes)", BadParameter), ("ndgc@10", UnknownMeasure),
        ("11ptAvg(levels=0.5/2)", BadParameter), ("AP(rel=1e10)", BadParameter), ("Utility(d=1)", BadParameter),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(text: str, kind: type[UsageError]) -> None:
    with pytest.raises(kind):
        parse(text)


@each("value", trec_values(["all_trec"], Like.TREC_EVAL_10))
def test_names_go_back_to_trec_eval(value: object) -> None:
    ours, printed = value.spelling, value.printed_name  # type: ignore[attr-defined]
    if ours and printed != "Rprec_mult_1.00":
        known = trec_name(str(parse(ours, decided(Like.TREC_EVAL_10))))
        assert known is not None
        assert known.text == printed


@pytest.mark.parametrize("grade", [53, 54, 100, 5000])
def test_a_reader_is_satisfied_on_a_scale_of_any_length(grade: int) -> None:
    qrels = {"1": {"a": grade, "b": grade / 2}, "2": {"a": grade}}
    run = {"1": {"n": 3.0, "a": 2.0, "b": 1.0}, "2": {"a": 1.0}}
    first, second = evaluate(qrels, run, ["ERR", "ERR@1"]).topics.rows()
    assert first[2:] == pytest.approx((0.5, 0.0))
    assert second[2:] == pytest.approx((1.0, 1.0))


def test_gains_that_no_number_holds_are_refused() -> None:
    run = {"1": {"a": 1.0}}
    assert evaluate({"1": {"a": 900}}, run, ["nDCG(dcg='exp-log2')"]).topics.row(0)[2] == 1.0
    with pytest.raises(DataError, match=r"grades must be at most 900 for .*, got 901"):
        evaluate({"1": {"a": 901}}, run, ["nDCG(dcg='exp-log2')"])
    with pytest.raises(BadInput, match="grade must be from"):
        evaluate({"1": {"a": 1e10}}, run, ["CG"])


@pytest.mark.parametrize(
    ("choice", "reason"),
    [
        ({"rel": "2"}, "rel must be a number between 0"), ({"rel": math.nan}, "rel must be"), ({"rel": -1}, "rel must be"),
        ({"rel": True}, "rel must be"), ({"depth": 0}, "depth must be a whole number between 1"),
        ({"depth": 2.5}, "depth must be"), ({"depth": 10**20}, "depth must be"),
    ],
)  # fmt: skip
def test_choices_that_are_no_numbers_are_refused(choice: dict[str, Any], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, ["AP"], **choice)


def test_fractional_grades_are_gains() -> None:
    qrels, run = {"1": {"a": 0.9, "b": 0.3}}, {"1": {"b": 2.0, "a": 1.0}}
    best = 0.9 + 0.3 / math.log2(3)
    assert score(qrels, run, "nDCG") == pytest.approx((0.3 + 0.9 / math.log2(3)) / best)
    assert score(qrels, run, "AP(rel=0.5)") == 0.5
    assert score(qrels, run, "RBP(p=0.5)") == pytest.approx(0.5 * (0.3 + 0.9 * 0.5))


def test_grades_serve_documents_and_highlights_serve_text() -> None:
    qrels = [
        {"topic": "1", "doc": "a", "length": 9, "grade": 3, "highlights": [[0, 9]]},
        {"topic": "1", "doc": "b", "length": 9, "highlights": [[0, 3]]},
        {"topic": "1", "doc": "c", "length": 9, "highlights": []},
    ]
    run = [{"topic": "1", "doc": name, "start": 0, "end": 9} for name in "cba"]
    assert score(qrels, run, "CG@2") == 1
    assert score(qrels, run, "CG@3") == 4
    assert score(qrels, run, "charR") == 1


def test_ties_are_broken_by_id_and_near_ties_only_like_version_9() -> None:
    qrels = {"1": {"a": 1, "b": 0}}
    run = {"1": {"a": 1 + 1e-9, "b": 1.0}}
    assert score(qrels, run, "RR") == 1
    assert score(qrels, run, "RR", like="trec_eval-10") == 1
    assert score(qrels, run, "RR", like="trec_eval-9") == 0.5
    settings = evaluate(qrels, run, "RR").settings
    assert settings["ties found"] == "none"
    assert settings["ties in single precision only"] == "1 topic"


def test_the_run_is_looked_at_as_deep_as_asked() -> None:
    qrels, run = ranked([0.0, 1.0, 1.0])
    run["1"]["unknown"] = 5.0
    assert score(qrels, run, "SetP", depth=3) == pytest.approx(1 / 3)
    assert score(qrels, run, "SetP", depth=3, judged_only=True) == pytest.approx(1 / 2)
    assert score(qrels, run, "RR", judged_only=True) == 0.5


def test_err_knows_the_scale_from_the_judgements() -> None:
    qrels, run = ranked([2.0, 0.0, 1.0])
    stop = [3 / 4, 0, 1 / 4]
    assert score(qrels, run, "ERR") == pytest.approx(stop[0] + (1 - stop[0]) * stop[2] / 3)
    assert score(qrels, run, "ERR(max_rel=4)") == pytest.approx(3 / 16 + 13 / 16 / 16 / 3)


def test_search_length_counts_what_was_read_in_vain() -> None:
    qrels, run = ranked([0.0, 1.0, 0.0, 1.0])
    qrels["1"] |= {"e1": 0.0, "e2": 1.0}
    assert [score(qrels, run, f"ESL(rels={n})") for n in (1, 2, 3, 4)] == [1, 2, 3, 3]


def test_of_a_topic_with_less_than_was_wanted_all_is_enough() -> None:
    assert score({"1": {"a": 1, "b": 0}}, {"1": {"a": 2.0, "b": 1.0}}, "ESL(rels=2)") == 0


@pytest.mark.parametrize("qrels", [
    {"1": {"a": 1, "b": 2}, "2": {"a": 1}},
    [{"topic": topic, "doc": "a", "length": 9, "highlights": [[0, 5]]} for topic in "12"]
    + [{"topic": "1", "doc": "b", "grade": 2}],
])  # fmt: skip
def test_topics_below_the_level_of_relevance_are_told(qrels: Any) -> None:
    found = evaluate(qrels, {"1": {"a": 1.0}, "2": {"a": 1.0}}, ["AP"], rel=2)
    assert any(
        "without a grade of 2 or more" in note and note.endswith("relevant: 2")
        for note in found.notes
    )


@pytest.mark.parametrize("options", ["", "rel=2", "judged_only=True", "rel=3,judged_only=True"])
def test_the_confusion_matrix_adds_up(options: str) -> None:
    qrels = {"1": {"a": 3, "b": 0, "c": 2, "x": 1}, "2": {"a": 1, "y": 2, "z": 0}}
    run = {"1": {"a": 9.0, "b": 8.0, "c": 7.0, "unjudged": 6.0}, "2": {"z": 1.0, "y": 0.5}}
    inside = f"({options})" if options else ""
    rel = f"({options.partition(',')[0]})" if "rel" in options else ""
    only = "(judged_only=True)" if "judged_only" in options else ""
    names = [f"NumTP{inside}", f"NumFP{inside}", f"NumFN{inside}"]
    names += [f"NumTN(N=10{',' if options else ''}{options})", f"NumRel{rel}", f"NumRet{only}"]
    found = evaluate(qrels, run, [*names, f"SetP{inside}", f"NumRelRet{inside}"])
    topics = [row[2:] for row in found.topics.rows()]
    for hits, wrong, missed, rest, relevant, returned, precision, again in topics:
        assert (hits, hits + missed, hits + wrong) == (again, relevant, returned)
        assert hits + wrong + missed + rest == 10
        assert precision == hits / (hits + wrong)
    assert found.overall.row(0)[1:7] == tuple(map(sum, zip(*topics, strict=True)))[:6]


def test_true_negatives_never_fall_below_zero() -> None:
    qrels, run = {"q7": {"a": 1, "b": 1}}, {"q7": {"a": 3.0, "c": 2.0}}
    assert score(qrels, run, "NumTN(N=3)") == 0
    reason = (
        "N must be the number of documents in the collection, got 2: topic 'q7' alone has 3 that"
    )
    for measure in ("NumTN(N=2)", "NumTN(N=2,judged_only=True)"):
        with pytest.raises(UsageError, match=reason):
            evaluate(qrels, run, measure)
