"""The measures of aspects: the worked example, what they refuse, and how they are spelled."""

from __future__ import annotations

from typing import Any

import pytest

from foveal.errors import BadParameter, DataError, NoAspects, UnknownMeasure
from foveal.evaluation import evaluate
from foveal.measures import parse
from foveal.tables import Qrels, Run

SIX_DIGITS = 5e-7
# MEASURES.md §10, with aspects a = d1[10,40), b = d1[60,70), a and c = d2[0,20), d = d4[150,190).
JUDGED: list[dict[str, Any]] = [
    {
        "doc": "d1",
        "length": 100,
        "highlights": [
            {"start": 10, "end": 40, "aspects": ["a"]},
            {"start": 60, "end": 70, "aspects": ["b"]},
        ],
    },
    {"doc": "d2", "length": 50, "highlights": [{"start": 0, "end": 20, "aspects": ["a", "c"]}]},
    {"doc": "d3", "length": 80, "highlights": []},
    {"doc": "d4", "length": 200, "highlights": [{"start": 150, "end": 190, "aspects": ["d"]}]},
]
PARTS = [("d1", 0, 50), ("d3", 0, 80), ("d2", 0, 20), ("d1", 55, 75), ("d4", 100, 160)]


def qrels() -> Qrels:
    return Qrels.from_dicts([{"topic": "1", **row} for row in JUDGED])


def documents(*names: str) -> Run:
    return Run.from_dicts([{"topic": "1", "doc": name} for name in names])


def run_of_parts(parts: list[tuple[str, int, int]] = PARTS) -> Run:
    return Run.from_dicts(
        [{"topic": "1", "doc": doc, "start": start, "end": end} for doc, start, end in parts]
    )


def score(judged: Qrels, run: Run, *names: str, **choices: Any) -> list[float]:
    table = evaluate(judged, run, names, **choices).overall
    return [table[str(parse(name))][0] for name in names]


WORKED = {
    "StRecall@1": 0.5,
    "StRecall@3": 0.75,
    "P_IA@3": 0.333333,
    "AP_IA": 0.604167,
    "ERR_IA@3": 0.468750,
    "nERR_IA@3": 0.810811,
    "alpha_DCG@3": 0.477276,
    "alpha_nDCG@3": 0.797935,
    "alpha_nDCG(alpha=0.9)@3": 0.798366,
    "NRBP": 0.468750,
    "nNRBP": 0.833333,
}


@pytest.mark.parametrize("name", WORKED)
def test_the_worked_example_of_documents(name: str) -> None:
    (found,) = score(qrels(), documents("d1", "d3", "d2", "d4"), name)
    assert found == pytest.approx(WORKED[name], abs=SIX_DIGITS)


def test_the_worked_example_of_parts() -> None:
    names = [f"StRecall(parts=True)@{k}" for k in range(1, 6)]
    assert score(qrels(), run_of_parts(), *names) == [0.25, 0.25, 0.5, 0.75, 1.0]


def test_a_document_of_a_run_of_parts_has_the_aspects_of_its_parts() -> None:
    names = [f"StRecall@{k}" for k in range(1, 5)]
    assert score(qrels(), run_of_parts(), *names) == [0.5, 0.5, 0.75, 1.0]
    only_b = [("d1", 55, 75), ("d3", 0, 80)]
    assert score(qrels(), run_of_parts(only_b), *names) == [0.25] * 4


@pytest.mark.parametrize(("cover", "met"), [("0.25", 1.0), ("0.25001", 0.75), ("1", 0.75)])
def test_cover_asks_for_a_share_of_a_passage_exactly(cover: str, met: float) -> None:
    # d4[100,160) holds 10 of the 40 characters of d.
    name = f"StRecall(parts=True,cover={cover})"
    assert score(qrels(), run_of_parts(), name) == [met]


def test_the_passages_themselves_in_the_ideal_order_score_1() -> None:
    # The first has two aspects; of those that are then equal the document that sorts last is first.
    ideal = [("d2", 0, 20), ("d4", 150, 190), ("d1", 60, 70), ("d1", 10, 40)]
    names = [
        "alpha_nDCG(parts=True)@4",
        "nERR_IA(parts=True)@4",
        "nNRBP(parts=True)",
        "alpha_nDCG(parts=True,cover=1)@2",
        "StRecall(parts=True)",
    ]
    assert score(qrels(), run_of_parts(ideal), *names) == pytest.approx([1.0] * 5, abs=1e-15)


@pytest.mark.parametrize(("first", "best"), [("ab", 2 + 1.5 + 1.5), ("bc", 2 + 2 + 1)])
def test_of_equally_good_documents_the_id_that_sorts_last_as_bytes_is_first(
    first: str, best: float
) -> None:
    """Each has two aspects; which comes first decides what the others can still add."""
    last, *others = ["é", "z", "Z"]
    names = {own: last if own == first else others.pop() for own in ("ab", "bc", "ad")}
    rows = [{"topic": "1", "doc": names[own], "aspects": [*own]} for own in names]
    run = documents(names["bc"])
    (found,) = score(Qrels.from_dicts(rows), run, "nNRBP(beta=1)")
    assert found == pytest.approx(2 / best)


def test_aspects_count_from_a_grade_on() -> None:
    judged = Qrels.from_dicts(
        [
            {"topic": "1", "doc": "d1", "aspects": {"a": 1, "b": 2}},
            {"topic": "1", "doc": "d2", "aspects": {"c": 2, "d": 0}},
        ]
    )
    run = documents("d1", "d2")
    assert score(judged, run, "StRecall@1", "StRecall(rel=2)@1") == [2 / 3, 0.5]
    assert score(judged, run, "StRecall@1", rel=2) == [0.5]


def test_nobody_found_anything_for_an_aspect_so_it_does_not_count() -> None:
    judged = Qrels.from_dicts([{"topic": "1", "doc": "d1", "aspects": {"a": 1, "never": 0}}])
    assert score(judged, documents("d1"), "StRecall", "NRBP") == [1.0, 0.75]


def test_topics_without_aspects_score_0_and_are_named() -> None:
    rows: list[dict[str, Any]] = [
        {"topic": "1", "doc": "d1", "aspects": ["a"]},
        {"topic": "2", "doc": "d1", "grade": 1},
    ]
    run = Run.from_dict({"1": {"d1": 1.0}, "2": {"d1": 1.0}})
    scores = evaluate(Qrels.from_dicts(rows), run, ["StRecall", "nNRBP", "AP"])
    assert scores.topics.rows() == [("run", "1", 1.0, 1.0, 1.0), ("run", "2", 0.0, 0.0, 1.0)]
    note = "1 topic without aspects that count, where measures of aspects are 0: 2"
    assert [own for own in scores.notes if note in own]
    assert not [own for own in evaluate(Qrels.from_dicts(rows), run, "AP").notes if "aspect" in own]


def test_lists_shorter_than_the_cut_off_gain_nothing_more() -> None:
    first, longer = documents("d1"), documents("d1", "d3", "d3b", "d3c")
    names = ["P_IA@4", "alpha_DCG@4", "alpha_nDCG@4", "ERR_IA@4", "nERR_IA@4"]
    assert score(qrels(), first, *names) == score(qrels(), longer, *names)


def test_unjudged_documents_are_skipped_if_asked() -> None:
    run = documents("u1", "d1", "u2", "d2")
    assert score(qrels(), run, "alpha_nDCG(judged_only=True)@2", "alpha_nDCG@2") == [
        *score(qrels(), documents("d1", "d2"), "alpha_nDCG@2"),
        *score(qrels(), documents("u1", "d1"), "alpha_nDCG@2"),
    ]
    assert score(qrels(), run, "StRecall", judged_only=True, depth=3) == [0.5]


def test_ndeval_reads_ranks_and_does_not_divide_at_rank_1() -> None:
    rows = [{"topic": "1", "doc": "d1", "score": 1.0, "rank": 1},
            {"topic": "1", "doc": "d3", "score": 2.0, "rank": 2}]  # fmt: skip
    run = Run.from_dicts(rows)
    names = ["alpha_DCG@1", "ERR_IA@1", "alpha_nDCG@1", "alpha_DCG@2"]
    like = score(qrels(), run, *names, like="ndeval")
    plain = score(qrels(), run, *names, order="rank")
    assert like[:2] == [2.0, 2.0]
    assert plain[:2] == [0.5, 0.5]
    assert like[2:] == plain[2:]
    assert score(qrels(), run, "ERR_IA@1", like="ndeval", order="score") == [0.0]


def test_one_document_with_three_subtopics_scores_3_like_ndeval() -> None:
    judged = Qrels.from_dicts([{"topic": "1", "doc": "d1", "aspects": ["a", "b", "c"]}])
    run = Run.from_dicts([{"topic": "1", "doc": "d1", "rank": 1}])
    names = ["alpha_DCG@1", "ERR_IA@1"]
    assert score(judged, run, *names, like="ndeval") == [3.0, 3.0]
    assert score(judged, run, *names) == [1.0, 1.0]


def test_judgements_without_aspects_are_refused() -> None:
    with pytest.raises(NoAspects, match="trec-subtopics, trecgen or JSONL") as caught:
        score(Qrels.from_dict({"1": {"d1": 1}}), documents("d1"), "alpha_nDCG@10")
    assert "needed by alpha_nDCG@10" in caught.value.__notes__[0]


def test_the_share_of_a_whole_document_needs_its_length() -> None:
    judged = Qrels.from_dicts([{"topic": "1", "doc": "d1", "aspects": ["a"]}])
    run = run_of_parts([("d1", 0, 10)])
    assert score(judged, run, "StRecall(parts=True)") == [1.0]
    with pytest.raises(DataError, match=r"cover needs the length of 1 document .* 'd1'"):
        score(judged, run, "StRecall(parts=True,cover=0.5)")
    known = Qrels.from_dicts([{"topic": "1", "doc": "d1", "aspects": ["a"], "length": 20}])
    assert score(known, run, "StRecall(parts=True,cover=0.5)") == [1.0]
    assert score(known, run, "StRecall(parts=True,cover=0.51)") == [0.0]


REFUSED = {
    "alpha_nDCG": "give a rank, as in @10",
    "P_IA": "give a rank, as in @10",
    "alpha_nDCG(alpha=1.5)@5": "alpha must be a number between 0 and 1, got 1.5",
    "NRBP@5": "it takes no cut-off",
    "NRBP(alpha=0,beta=1)": "never stop reading",
    "StRecall(parts=True,judged_only=True)": "judged_only is about documents",
    "StRecall(cover=0)": "cover must be greater than 0",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_measure_cannot_be_asked(name: str) -> None:
    with pytest.raises(BadParameter, match=REFUSED[name]):
        parse(name)


@pytest.mark.parametrize(
    ("spelled", "ours"),
    [
        ("α_nDCG@10", "alpha_nDCG@10"),
        ("alpha-nDCG@10", "alpha_nDCG@10"),
        ("alpha-DCG@5", "alpha_DCG@5"),
        ("ERR-IA@20", "ERR_IA@20"),
        ("nERR-IA@20", "nERR_IA@20"),
        ("MAP-IA", "AP_IA"),
        ("MAP_IA", "AP_IA"),
        ("P-IA@5", "P_IA@5"),
        ("strec@5", "StRecall@5"),
        ("alpha_nDCG(alpha=0.5,rel=1)@5", "alpha_nDCG@5"),
        ("StRecall(parts=True,cover=0.5)@3", "StRecall(parts=True,cover=0.5)@3"),
    ],
)
def test_spellings_of_ndeval_and_ir_measures_are_known(spelled: str, ours: str) -> None:
    assert str(parse(spelled)) == ours


def test_a_mistyped_name_is_corrected() -> None:
    with pytest.raises(UnknownMeasure, match="did you mean alpha_nDCG@5"):
        parse("alfa_nDCG@5")
