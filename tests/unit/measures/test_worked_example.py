"""The worked example of the definitions to the digit, and the rest of the tiny world."""

from __future__ import annotations

from fractions import Fraction

import polars as pl
import pytest

from foveal.evaluation import evaluate
from foveal.tables import Qrels, QrelsRows, Run

EXACT: dict[str, Fraction] = {
    "cP@1": Fraction(3, 5),
    "cP@2": Fraction(3, 13),
    "cP@3": Fraction(1, 3),
    "cP@4": Fraction(6, 17),
    "cP@5": Fraction(7, 23),
    "cR@1": Fraction(3, 10),
    "cR@2": Fraction(3, 10),
    "cR@3": Fraction(1, 2),
    "cR@4": Fraction(3, 5),
    "cR@5": Fraction(7, 10),
    "iP[0.00]": Fraction(3, 5),
    "iP[0.01]": Fraction(3, 5),
    "iP[0.05]": Fraction(3, 5),
    "iP[0.10]": Fraction(3, 5),
    "iP[0.50]": Fraction(6, 17),
    "iP[1.00]": Fraction(0),
    "AiP": Fraction(63013, 197455),
    "cAP": Fraction(65303, 234600),
    "gR@1": Fraction(1, 3),
    "gR@2": Fraction(1, 3),
    "gR@3": Fraction(2, 3),
    "gR@4": Fraction(1),
    "gRt@1": Fraction(2, 5),
    "gRt@2": Fraction(2, 5),
    "gRt@3": Fraction(3, 5),
    "gRt@4": Fraction(1),
    "gP(S=ranked)@1": Fraction(41, 70),
    "gP(S=ranked)@3": (Fraction(41, 70) + 1) / 3,
    "gP(S=ranked)@4": (Fraction(41, 70) + 1 + Fraction(1, 24)) / 4,
}
SIX_DIGITS = {
    "AiP": 0.319126,
    "cAP": 0.278359,
    "gP@1": 0.727273,
    "gP@2": 0.363636,
    "gP@3": 0.575758,
    "gP@4": 0.481818,
    "AgP": 0.594949,
    "AgPt": 0.598788,
    "AgPt2": 0.594949,
    "AgP(beta=0.25)": 0.517998,
    "AgPt(beta=0.25)": 0.515851,
    "AgP(S=bep)": 0.482143,
    "AgP(S=bep,n=1000)": 0.796111,
    "AgP(S=ranked)": 0.507044,
}


@pytest.fixture
def example(tiny_qrels: Qrels) -> Qrels:
    """The judgements of the first topic alone."""
    rows = tiny_qrels.documents.with_row_index("judged").filter(pl.col("topic") == "t1")
    kept = tiny_qrels.passages.filter(pl.col("judged").is_in(rows["judged"].implode()))
    return Qrels.of(QrelsRows(documents=rows.drop("judged", "line"), passages=kept))


def test_fractions_are_met_exactly(example: Qrels, first_run: Run) -> None:
    row = evaluate(example, first_run, list(EXACT)).overall.row(0, named=True)
    for name, value in EXACT.items():
        assert row[name] == pytest.approx(float(value), abs=1e-15, rel=0), name


def test_decimals_are_met_to_the_last_digit(example: Qrels, first_run: Run) -> None:
    row = evaluate(example, first_run, list(SIX_DIGITS)).overall.row(0, named=True)
    assert {name: round(row[name], 6) for name in SIX_DIGITS} == SIX_DIGITS


def test_parts_in_another_order_give_another_document_score(example: Qrels) -> None:
    parts = [{"topic": "t1", "doc": "d1", "start": a, "end": b} for a, b in [(55, 75), (0, 50)]]
    found = [
        evaluate(example, Run.from_dicts(order), "gP(S=ranked)@1").overall.row(0)[1]
        for order in (parts[::-1], parts)
    ]
    assert [round(value, 6) for value in found] == [0.585714, 0.535714]


def test_the_other_topics_of_the_run_change_nothing(tiny_qrels: Qrels, first_run: Run) -> None:
    scores = evaluate(tiny_qrels, first_run, list(SIX_DIGITS))
    row = scores.topics.filter(topic="t1").row(0, named=True)
    assert {name: round(row[name], 6) for name in SIX_DIGITS} == SIX_DIGITS


def test_a_topic_with_nothing_relevant_has_no_row_and_a_note(
    tiny_qrels: Qrels, first_run: Run
) -> None:
    scores = evaluate(tiny_qrels, first_run, "AiP")
    assert scores.topics["topic"].to_list() == ["t1", "t2"]
    assert "left out 1 topic with nothing relevant: t3" in scores.notes


def test_every_number_worked_by_hand_is_met(
    tiny_qrels: Qrels,
    first_run: Run,
    second_run: Run,
    by_hand: dict[tuple[str, str], dict[str, Fraction]],
) -> None:
    names = list(dict.fromkeys(name for values in by_hand.values() for name in values))
    scores = evaluate(tiny_qrels, [first_run, second_run], names)
    for (run, topic), values in by_hand.items():
        row = scores.topics.filter(run=run, topic=topic).row(0, named=True)
        for name, value in values.items():
            assert row[name] == pytest.approx(float(value), abs=1e-15, rel=0), (run, topic, name)


def test_a_judged_topic_missing_from_the_run_counts_in_the_mean_as_zero(
    tiny_qrels: Qrels, second_run: Run
) -> None:
    everything = evaluate(tiny_qrels, second_run, "AiP")
    assert everything.overall["AiP"].item() == pytest.approx(108 / 505 / 2)
    assert any(
        "1 judged topic without results, scored as empty lists: t2" in note
        for note in everything.notes
    )
    retrieved = evaluate(tiny_qrels, second_run, "AiP", topics="retrieved")
    assert retrieved.overall["AiP"].item() == pytest.approx(108 / 505)
    assert retrieved.topics["topic"].to_list() == ["t1"]
