"""Rows per document and per result: the worked example, and what is missing or refused."""

from __future__ import annotations

import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import foveal
from foveal.conventions import Choices
from foveal.errors import DataError, NoHighlights, NotScored, UnknownLength, UsageError
from foveal.evaluation import BREAKDOWN_MEASURE, Breakdown, BreakdownTask, Evaluation, RowUnit
from foveal.rendering import rendered_bytes
from foveal.tables import Qrels, Run
from tests.inex import inex_run

DOCUMENTS = [
    "run",
    "topic",
    "doc",
    "rank",
    "relevant",
    "size",
    "rsize",
    "P",
    "R",
    "F",
    "bep",
    "t2i",
]
RESULTS = [
    "run", "topic", "rank", "doc", "start", "end", "size", "rsize", "relevance", "P", "R",
]  # fmt: skip


def broken_down(per: RowUnit, qrels: Qrels, *runs: Run, **choices: Any) -> Breakdown:
    looking = BreakdownTask(Evaluation.of(qrels, [BREAKDOWN_MEASURE], Choices.of(choices)), per)
    return looking.joined([looking(run) for run in runs])


def approximately(rows: list[tuple[Any, ...]]) -> list[Any]:
    """Rows in which fractions are to be found as the nearest doubles, or nearly so."""
    return [
        tuple(
            pytest.approx(float(cell), abs=1e-15) if isinstance(cell, Fraction) else cell
            for cell in row
        )
        for row in rows
    ]


def test_the_documents_of_the_worked_example(tiny_qrels: Qrels, first_run: Run) -> None:
    found = foveal.evaluate(tiny_qrels, first_run).documents()
    assert found.columns == DOCUMENTS
    half, fifth, zero, one = Fraction(1, 2), Fraction(1, 5), Fraction(0), Fraction(1)
    assert found.filter(pl.col("topic") == "t1").drop("run", "topic").rows() == approximately(
        [
            # F: 2·(4/7)·1/(4/7 + 1); the reader of t2i sees the whole document.
            ("d1", 1, True, 70, 40, Fraction(4, 7), one, Fraction(8, 11), half, Fraction(2, 5)),
            ("d3", 2, False, 80, 0, zero, zero, zero, zero, zero),
            ("d2", 3, True, 20, 20, one, one, one, one, Fraction(2, 5)),
            # bep: 20/(20 + 50).
            ("d4", 4, True, 60, 10, Fraction(1, 6), Fraction(1, 4), fifth, Fraction(2, 7), fifth),
        ]
    )  # fmt: skip


def test_the_results_of_the_worked_example(tiny_qrels: Qrels, first_run: Run) -> None:
    found = foveal.evaluate(tiny_qrels, first_run).results()
    assert found.columns == RESULTS
    third = Fraction(1, 3)
    assert found.filter(pl.col("topic") == "t1").drop("run", "topic").rows() == approximately(
        [
            (1, "d1", 0, 50, 50, 30, Fraction(3, 5), Fraction(3, 5), Fraction(3, 10)),
            (2, "d3", 0, 80, 80, 0, Fraction(0), Fraction(3, 13), Fraction(3, 10)),
            (3, "d2", 0, 20, 20, 20, Fraction(1), third, Fraction(1, 2)),
            (4, "d1", 55, 75, 20, 10, Fraction(1, 2), Fraction(6, 17), Fraction(3, 5)),
            (5, "d4", 100, 160, 60, 10, Fraction(1, 6), Fraction(7, 23), Fraction(7, 10)),
        ]
    )


def test_rows_come_by_run_as_given_then_by_topic_and_rank(
    tiny_qrels: Qrels, first_run: Run, second_run: Run
) -> None:
    scores = foveal.evaluate(tiny_qrels, [second_run, first_run])
    rows = scores.documents().select("run", "topic", "rank").rows()
    assert rows == [
        ("second", "t1", 1), ("second", "t1", 2),
        *(("first", "t1", rank) for rank in (1, 2, 3, 4)), ("first", "t2", 1), ("first", "t2", 2),
    ]  # fmt: skip
    assert scores.results("second")["run"].to_list() == ["second", "second"]
    assert scores.documents("first").height == 6
    with pytest.raises(NotScored, match="frist"):
        scores.documents("frist")


def test_runs_of_one_name_are_told_apart_as_in_the_scores(
    tiny_qrels: Qrels, first_run: Run
) -> None:
    scores = foveal.evaluate(tiny_qrels, [first_run, first_run])
    assert scores.results()["run"].unique(maintain_order=True).to_list() == scores.runs
    assert len(set(scores.runs)) == 2


def test_the_parameters_of_document_scores_are_those_of_the_conventions(
    tiny_qrels: Qrels, first_run: Run
) -> None:
    told = "document scores"
    assert broken_down(RowUnit.DOCUMENT, tiny_qrels, first_run).settings[told] == (
        "F(beta=1), bep(A=0.1), t2i(irr=300)"
    )
    official = broken_down(RowUnit.DOCUMENT, tiny_qrels, first_run, like="inex_eval")
    assert official.settings[told] == "F(beta=0.25), bep(n=500), t2i(irr=300)"
    assert told not in broken_down(RowUnit.RESULT, tiny_qrels, first_run).settings
    # (1 + 1/16)·P·R/(P/16 + R) with P = 4/7 and R = 1; the entry point is 10 characters away.
    row = official.rows.row(0, named=True)
    assert row["F"] == pytest.approx(17 / 16 * 4 / 7 / (4 / 7 / 16 + 1))
    assert row["bep"] == pytest.approx(490 / 500)


def test_dropped_parts_take_no_rank_and_have_no_row(tiny_qrels: Qrels) -> None:
    spans = [("d1", 0, 20), ("d1", 10, 40), ("d1", 20, 30), ("d2", 5, 5)]
    run = inex_run(
        [{"topic": "t1", "doc": doc, "start": start, "end": end} for doc, start, end in spans],
        "mine",
    )
    found = foveal.evaluate(tiny_qrels, run, overlap="drop").results()
    kept = [(1, 0, 20, 20, 10, 0.5), (2, 20, 30, 10, 10, 1.0), (3, 5, 5, 0, 0, 0.0)]
    assert found.select("rank", "start", "end", "size", "rsize", "relevance").rows() == kept
    again = foveal.evaluate(tiny_qrels, run, overlap="paid").results()
    assert again.select("rank", "size", "rsize").rows() == [
        (1, 20, 10), (2, 30, 20), (3, 10, 0), (4, 0, 0),
    ]  # fmt: skip


def test_an_element_of_unknown_place_has_eighteen_characters_and_no_start(
    tiny_qrels: Qrels,
) -> None:
    rows = [{"topic": "t1", "doc": "d1", "start": -1, "end": -1}]
    scores = foveal.evaluate(tiny_qrels, inex_run(rows, "mine"))
    assert scores.results().drop("run", "topic").row(0) == (1, "d1", None, None, 18, 0, 0, 0, 0)
    assert scores.documents().drop("run", "topic").row(0)[:7] == ("d1", 1, True, 18, 0, 0.0, 0.0)


def test_topics_without_rows_are_those_that_are_not_evaluated(
    tiny_qrels: Qrels, first_run: Run
) -> None:
    found = foveal.evaluate(tiny_qrels, first_run)
    assert "t3" in first_run.frame["topic"]
    assert set(found.results()["topic"]) == set(found.documents()["topic"]) == {"t1", "t2"}


def test_a_run_of_other_topics_has_no_rows(tiny_qrels: Qrels) -> None:
    run = inex_run([{"topic": "t9", "doc": "d1", "start": 0, "end": 9}], "mine")
    scores = foveal.evaluate(tiny_qrels, run)
    assert scores.documents().schema == RowUnit.DOCUMENT.schema
    assert scores.documents().height == scores.results().height == 0


LENGTHLESS: list[dict[str, Any]] = [
    {"topic": "1", "doc": "part", "entry": 0, "highlights": [[0, 10]]},
    {"topic": "1", "doc": "whole", "entry": 0, "highlights": [[5, 10]]},
    {"topic": "1", "doc": "known", "length": 40, "entry": 0, "highlights": [[0, 10]]},
]
MIXED: list[dict[str, Any]] = [
    {"topic": "1", "doc": "part", "start": 0, "end": 20},
    {"topic": "1", "doc": "whole", "start": None, "end": None},
    {"topic": "1", "doc": "unjudged", "start": None, "end": None},
    {"topic": "1", "doc": "known", "start": None, "end": None},
]


def test_only_what_needs_an_unknown_length_is_missing_and_a_note_says_so() -> None:
    qrels, run = Qrels.from_dicts(LENGTHLESS), inex_run(MIXED, "mine")
    found = broken_down(RowUnit.DOCUMENT, qrels, run)
    expected: list[tuple[Any, ...]] = [
        ("part", 20, 10, 0.5, 1.0, pytest.approx(2 / 3), None, None),
        ("whole", None, 5, None, 1.0, None, None, None),
        ("unjudged", None, 0, 0.0, 0.0, 0.0, 0.0, 0.0),
        ("known", 40, 10, 0.25, 1.0, 0.4, 1.0, 0.25),
    ]
    assert found.rows.select("doc", "size", "rsize", "P", "R", "F", "bep", "t2i").rows() == expected
    assert (
        "size, P, F, bep and t2i left empty for 3 documents of unknown length, first 'part': give"
        " the length in the judgements" in found.notes[-1]
    )
    for form in ("text", "markdown", "latex", "html", "json"):
        told = rendered_bytes(found, form, notes=True).decode()
        assert "left empty for 3 documents" in " ".join(told.split()), form
    assert foveal.evaluate(qrels, run, "charR").documents().rows() == found.rows.rows()


def test_an_entry_point_scored_by_distance_needs_no_length() -> None:
    rows = [{**MIXED[0], "start": 100, "end": 110}]
    qrels = Qrels.from_dicts([{**LENGTHLESS[0], "rel_chars": 10}])
    found = broken_down(RowUnit.DOCUMENT, qrels, Run.from_dicts(rows, "mine"), like="inex_eval")
    assert found.rows.select("bep", "t2i").row(0) == (0.8, None)
    assert found.notes[-1].startswith(
        "mine: t2i left empty for 1 document of unknown length, 'part'"
    )


def test_results_of_unknown_length_are_refused() -> None:
    scores = foveal.evaluate(LENGTHLESS, inex_run(MIXED, "mine"), "charR")
    with pytest.raises(
        UnknownLength, match="2 whole documents of unknown length, first 'whole'"
    ) as e:
        scores.results()
    assert e.value.__notes__ == ["needed by the size of each result"]


@pytest.mark.parametrize("look", ["documents", "results"])
def test_judgements_without_highlights_are_refused(look: str) -> None:
    scores = foveal.evaluate({"1": {"d": 1}}, {"1": {"d": 2.0}}, "AP")
    with pytest.raises(NoHighlights, match=r"text cannot be measured.*or ask for topics"):
        getattr(scores, look)()


def test_scores_without_runs_say_where_rows_come_from(
    tiny_qrels: Qrels, first_run: Run, tmp_path: Path
) -> None:
    scores = foveal.evaluate(tiny_qrels, first_run, "AiP")
    path = tmp_path / "scores.json"
    path.write_text(foveal.render(scores, "json", per_topic=True))
    for without in (foveal.read_scores(path), pickle.loads(pickle.dumps(scores))):  # noqa: S301 (our own bytes)
        with pytest.raises(UsageError, match=r"rows per document need the runs.*--per-document"):
            without.documents()
        with pytest.raises(UsageError, match=r"rows per result need the runs.*--per-result"):
            without.results()


def test_a_breakdown_shows_itself(tiny_qrels: Qrels, first_run: Run) -> None:
    found = broken_down(RowUnit.RESULT, tiny_qrels, first_run)
    assert repr(found) == "<Breakdown: 7 results>"
    assert "first   t1      4      d1       55    75     20      10      0.5000" in str(found)
    assert repr(broken_down(RowUnit.DOCUMENT, tiny_qrels, first_run)) == "<Breakdown: 6 documents>"


def test_a_run_without_an_evaluated_topic_is_refused_as_scores_are(tiny_qrels: Qrels) -> None:
    run = inex_run([{"topic": "t9", "doc": "d1", "start": 0, "end": 9}], "mine")
    with pytest.raises(DataError, match="none of its topics"):
        broken_down(RowUnit.RESULT, tiny_qrels, run, topics="retrieved")
