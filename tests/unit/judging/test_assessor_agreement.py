"""Agreement of assessors: a world by hand, what is left out, what is refused, what is noted."""

from __future__ import annotations

import re
from typing import Any

import polars as pl
import pytest
from scipy.stats import kendalltau

import foveal
from foveal.analysis import rbo, tau_ap
from foveal.errors import DataError, UsageError
from foveal.judging import AssessorAgreement, agree_assessors

Rows = list[dict[str, Any]]


def row(topic: str, doc: str, *highlights: list[int], **more: Any) -> dict[str, Any]:
    return {"topic": topic, "doc": doc, "length": 100, "highlights": [*highlights], **more}


# Topic 1: of 200 characters ann chose 20 and bob 35, 10 of them the same; of two documents ann
# chose one, bob both. Topic 2: 100 characters, 10 chosen by both; topic 3: nothing chosen at all.
ANN = [
    row("1", "a", [0, 20], entry=0),
    row("1", "b"),
    row("2", "a", [50, 60], entry=50),
    row("3", "c"),
]
BOB = [
    row("1", "a", [10, 30], entry=10),
    row("1", "b", [0, 5], [5, 15]),
    row("2", "a", [50, 60], entry=650),
    row("3", "c"),
]


def both(**more: Any) -> AssessorAgreement:
    return agree_assessors({"ann": ANN, "bob": BOB}, **more)


def value(found: AssessorAgreement, level: str, average: str, name: str) -> float | None:
    row = found.overall.filter(level=level, average=average)
    return row[name].item()  # type: ignore[no-any-return]  # a number or nothing


def test_the_world_by_hand() -> None:
    found = both()
    # a = 20, b = 10, c = 25, d = 345, n = 400.
    assert value(found, "characters", "micro", "alpha") == pytest.approx(1 - 799 * 35 / (75 * 725))
    chance = (30 / 400) * (45 / 400) + (370 / 400) * (355 / 400)
    kappa = (365 / 400 - chance) / (1 - chance)
    assert value(found, "characters", "micro", "kappa") == pytest.approx(kappa)
    assert value(found, "characters", "micro", "f1") == pytest.approx(2 * 20 / (30 + 45))
    assert value(found, "characters", "micro", "overlap") == pytest.approx(20 / 55)
    # Topic 1: a = 10, b = 10, c = 25, n = 200; topic 2 is perfect; topic 3 is undefined.
    first = 1 - 399 * 35 / (55 * 345)
    assert value(found, "characters", "macro", "alpha") == pytest.approx((first + 1) / 2)
    assert found.topics.filter(level="characters")["alpha"].to_list() == pytest.approx(
        [first, 1.0, None]
    )
    # Documents: a = 2, c = 1, d = 1.
    assert value(found, "documents", "micro", "alpha") == pytest.approx(1 - 7 * 1 / (5 * 3))
    assert found.pairs.filter(level="documents").row(0)[3:8] == (4, 2, 0, 1, 1)
    assert found.entry.row(0) == ("ann", "bob", 2, 305.0, 0.0, 0.5, 0.5)


def test_the_same_seed_gives_the_same_intervals_and_another_seed_others() -> None:
    first, again, other = (both(rng=seed, resamples=50).intervals for seed in (3, 3, 4))
    assert first.equals(again)
    assert not first.equals(other)
    assert (first["low"] <= first["high"]).all()


def test_an_interval_holds_alpha_and_a_smaller_share_outside_makes_it_wider() -> None:
    wide, narrow = (both(alpha=share).overall for share in (0.01, 0.8))
    micro = pl.col("level") == "characters", pl.col("average") == "micro"
    (low, high), (lower, higher) = (
        frame.filter(*micro).select("low", "high").row(0) for frame in (narrow, wide)
    )
    assert lower < low < high < higher


def test_a_table_that_names_its_assessors_is_taken_apart() -> None:
    rows = [
        {**own, "assessor": name} for name, table in (("ann", ANN), ("bob", BOB)) for own in table
    ]
    for table in (rows, pl.DataFrame(rows)):
        found = agree_assessors(table)
        assert found.pairs.equals(both().pairs)
        assert found.entry.equals(both().entry)


def test_the_order_of_rows_changes_nothing() -> None:
    turned = agree_assessors({"ann": ANN[::-1], "bob": [BOB[2], BOB[0], BOB[3], BOB[1]]})
    for name in ("overall", "intervals", "topics", "pairs", "topic_pairs", "entry"):
        assert getattr(turned, name).equals(getattr(both(), name)), name


def test_documents_of_one_assessor_alone_are_left_out_and_counted() -> None:
    more = [row("1", "z", [0, 100]), row("9", "a", [0, 100])]
    found = agree_assessors({"ann": [*ANN, *more], "bob": BOB})
    assert found.overall.equals(both().overall)
    assert "left out 2 documents that one assessor alone judged (1 whole topic)" in found.notes


def test_a_length_may_be_stated_by_either() -> None:
    bare = [{key: value for key, value in own.items() if key != "length"} for own in BOB]
    assert agree_assessors({"ann": ANN, "bob": bare}).overall.equals(both().overall)


def test_without_lengths_alpha_and_kappa_are_unknown_and_the_rest_is_not() -> None:
    tables = [
        [{key: value for key, value in own.items() if key != "length"} for own in table]
        for table in (ANN, BOB)
    ]
    found = agree_assessors({"ann": tables[0], "bob": tables[1]})
    own = found.pairs.filter(level="characters").row(0, named=True)
    assert (own["alpha"], own["kappa"], own["neither"]) == (None, None, None)
    assert own["f1"] == pytest.approx(40 / 75)
    assert value(found, "characters", "micro", "alpha") is None
    assert value(found, "documents", "micro", "alpha") == pytest.approx(1 - 7 / 15)
    assert any("the length of 4 documents is unknown" in note for note in found.notes)


def test_different_lengths_are_refused_with_both() -> None:
    other = [*BOB[:3], {**BOB[3], "length": 90}]
    message = r"document 'c' has a length of 100 in the judgements of ann and of 90 in those of bob"
    with pytest.raises(DataError, match=message):
        agree_assessors({"ann": ANN, "bob": other})


def test_highlights_beyond_the_end_are_refused() -> None:
    bare = row("1", "b", [50, 150])
    del bare["length"]
    message = "a highlight of bob in document 'b' of topic '1' ends at 150, beyond .* end at 100"
    with pytest.raises(DataError, match=message):
        agree_assessors({"ann": ANN, "bob": [BOB[0], bare]})


def test_grades_alone_are_compared_as_documents() -> None:
    found = agree_assessors({"ann": {"1": {"a": 2, "b": 0}}, "bob": {"1": {"a": 1, "b": 1}}})
    assert found.overall["level"].unique().to_list() == ["documents"]
    assert found.pairs.row(0)[3:8] == (2, 1, 0, 1, 0)
    assert any("only documents are compared" in note for note in found.notes)


def test_rel_says_which_grades_are_relevant() -> None:
    grades = {"ann": {"1": {"a": 2, "b": 0}}, "bob": {"1": {"a": 1, "b": 1}}}
    assert agree_assessors(grades, rel=2).pairs.row(0)[3:8] == (2, 0, 1, 0, 1)


def test_who_grades_documents_without_highlights_keeps_text_from_being_compared() -> None:
    found = agree_assessors({"ann": ANN, "bob": {"1": {"a": 1, "b": 0}}})
    assert found.overall["level"].unique().to_list() == ["documents"]
    assert any(note.startswith("bob judged documents without highlights") for note in found.notes)


def test_a_document_graded_relevant_without_highlights_is_compared_as_a_document_only() -> None:
    graded = [*BOB[:3], {**BOB[3], "grade": 1.0}]
    found = agree_assessors({"ann": ANN, "bob": graded})
    pairs = found.pairs.select("level", "documents", "neither").rows()
    assert pairs == [("characters", 3, 245), ("documents", 4, 0)]
    assert any(note.startswith("1 document that somebody graded relevant") for note in found.notes)


def test_nothing_in_common_is_refused_with_what_was_judged() -> None:
    message = "no document of a topic was judged by two assessors: ann judged a of topic 1; bob"
    with pytest.raises(DataError, match=message):
        agree_assessors({"ann": [row("1", "a")], "bob": [row("01", "a")]})


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"ann": ANN},
        ANN,
        [{**own, "assessor": "ann"} for own in ANN],
        foveal.Qrels.from_dicts(ANN),
    ],
)
def test_one_assessor_is_refused(given: Any) -> None:
    with pytest.raises(UsageError, match=r"'assessor'"):
        agree_assessors(given)


def test_no_assessors_are_refused() -> None:
    with pytest.raises(UsageError, match=r"^no assessors: agreement needs the judgements of two"):
        agree_assessors({})


def test_a_name_must_be_text() -> None:
    with pytest.raises(UsageError, match="an assessor's name must be text, got 1"):
        agree_assessors({1: ANN, 2: BOB})  # type: ignore[arg-type]  # wrong on purpose


def test_copies_are_noted() -> None:
    found = agree_assessors({"ann": ANN, "bob": ANN})
    assert value(found, "characters", "micro", "alpha") == 1.0
    assert (
        "ann and bob say the same of 4 documents that both judged: is one a copy of the other?"
        in (found.notes)
    )
    assert not any("copy" in note for note in both().notes)


def test_files_of_highlights_alone_are_noted() -> None:
    found = agree_assessors({"ann": ANN[:1], "bob": BOB[:2]})
    assert any(note.startswith("every document that ann and bob judged is") for note in found.notes)
    assert not any("every document" in note for note in both().notes)


def test_topics_without_a_number_are_counted() -> None:
    assert any(
        re.search(r"over characters, .*: α in 1 of 3 topics, κ in 1 of 3 topics, F1 in 1 of", note)
        for note in both().notes
    )


def test_one_topic_has_no_interval() -> None:
    found = agree_assessors({"ann": ANN[:2], "bob": BOB[:2]})
    assert found.intervals["low"].null_count() == found.intervals.height
    assert "one topic says nothing about others: there are no intervals" in found.notes


def test_pairs_that_share_nothing_are_counted() -> None:
    found = agree_assessors({"ann": ANN[:2], "bob": BOB, "cat": ANN[2:3]})
    assert found.pairs.filter(level="documents").select("first", "second").rows() == [
        ("ann", "bob"),
        ("bob", "cat"),
    ]
    assert "1 pair of assessors judged no document in common" in found.notes


def test_huge_documents_do_not_overflow() -> None:
    length = 9_000_000_000
    ann = [
        {"topic": "1", "doc": f"d{number}", "length": length, "highlights": [[0, length // 2]]}
        for number in range(50)
    ]
    bob = [{**own, "highlights": [[length // 4, length // 2]]} for own in ann]
    found = agree_assessors({"ann": ann, "bob": bob}).pairs.row(0, named=True)
    a, b, n = 50 * length // 4, 50 * length // 4, 50 * length
    assert (found["both"], found["only_first"], found["neither"]) == (a, b, n - a - b)
    exact = 1 - (2 * n - 1) * b / ((2 * a + b) * (2 * (n - a - b) + b))
    assert found["alpha"] == pytest.approx(exact, rel=1e-12)


RUNS = {
    name: [
        {"topic": own["topic"], "doc": own["doc"], "start": start, "end": end}
        for own in ANN
        for start, end in [spans]
    ]
    for name, spans in {"good": (0, 20), "fair": (10, 30), "poor": (80, 90)}.items()
}


def test_runs_are_ranked_by_either_assessor() -> None:
    found = both(runs=RUNS, measures=["charP", "charR"])
    assert found.rankings.select("measure", "first", "second", "topics").rows() == [
        ("charP", "ann", "bob", 2),
        ("charR", "ann", "bob", 2),
    ]
    kept = [
        foveal.Qrels.from_dicts([own for own in table if own["topic"] != "3"])
        for table in (ANN, BOB)
    ]
    scores = [foveal.evaluate(own, RUNS, "charP").mean() for own in kept]
    expected = {
        run: tuple(frame.filter(run=run)["charP"].item() for frame in scores) for run in RUNS
    }
    told = found.means.filter(measure="charP")
    assert {
        run: means for run, *means in told.select("run", "first_mean", "second_mean").rows()
    } == {run: pytest.approx(means) for run, means in expected.items()}
    by_ann, by_bob = zip(*expected.values(), strict=True)
    assert found.rankings["tau"][0] == pytest.approx(kendalltau(by_ann, by_bob).statistic)


def test_runs_are_ranked_by_less_where_less_is_better() -> None:
    """The best runs weigh more in tau_ap and rbo, and of ESL the best has the least."""
    documents = "abcdef"
    by = {
        "ann": {"1": {doc: int(doc == "a") for doc in documents}},
        "bob": {"1": {doc: int(doc == "b") for doc in documents}},
    }
    orders = ["abcdef", "bacdef", "cabdef", "cdabef", "cdefba"]
    runs = {order: {"1": {doc: 9.0 - place for place, doc in enumerate(order)}} for order in orders}
    agreed = agree_assessors(by, runs, "ESL(rels=1)")
    scores = {
        name: foveal.evaluate(own, runs, "ESL(rels=1)").overall["ESL"].to_numpy()
        for name, own in by.items()
    }
    merits = [-values for values in scores.values()]
    expected = [float(found(*merits)) for found in (tau_ap, rbo)]
    assert list(agreed.rankings.select("tau_ap", "rbo").row(0)) == pytest.approx(expected)
    assert expected != pytest.approx([float(found(*scores.values())) for found in (tau_ap, rbo)])
    assert agreed.means["first_mean"].to_list() == pytest.approx(scores["ann"].tolist())


def test_documents_that_one_alone_judged_do_not_rank_runs() -> None:
    more = [row("1", "z", [0, 100]), row("2", "y", [0, 100])]
    found = agree_assessors({"ann": [*ANN, *more], "bob": BOB}, RUNS)
    assert found.means.equals(both(runs=RUNS).means)
    assert found.rankings["measure"].to_list() == ["AiP"]


def test_measures_without_runs_and_a_single_run_are_refused() -> None:
    with pytest.raises(UsageError, match="give runs as well"):
        both(measures="AiP")
    with pytest.raises(UsageError, match="a single run cannot be ranked"):
        both(runs={"good": RUNS["good"]})


def test_runs_cannot_be_ranked_where_nobody_found_anything() -> None:
    with pytest.raises(DataError, match="runs cannot be ranked by their judgements"):
        agree_assessors({"ann": [row("1", "a")], "bob": [row("1", "a", [0, 5])]}, RUNS)


def test_a_result_sums_itself_up() -> None:
    assert repr(both()) == "<AssessorAgreement: 2 assessors, 4 documents, 3 topics>"
    assert "α 0.49 over the characters of 4 documents of 3 topics that ann and bob judged" in str(
        both()
    )


def test_entry_points_of_irrelevant_documents_do_not_count() -> None:
    ann, bob = ([*own[:3], {**own[3], "entry": 0}] for own in (ANN, BOB))
    assert agree_assessors({"ann": ann, "bob": bob}).entry.equals(both().entry)


def test_the_mean_of_a_single_topic_has_no_interval() -> None:
    found = agree_assessors({"ann": [ANN[0], ANN[3]], "bob": [BOB[0], BOB[3]]}).overall
    intervals = found.filter(level="characters").select("average", "low").rows()
    assert dict(intervals)["macro"] is None
    assert dict(intervals)["micro"] is not None
