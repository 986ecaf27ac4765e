"""Pools by hand: what the depth counts, who takes turns, in which order, what is noted."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from typing import Any

import pytest

import foveal
from foveal.errors import BadInput, DataError, UnknownLength, UsageError
from foveal.tables import Run
from tests.inex import inex_run

Parts = list[tuple[str, int | None, int | None]]


def run(*parts: tuple[str, int | None, int | None], topic: str = "1") -> Run:
    return inex_run(
        [{"topic": topic, "doc": doc, "start": start, "end": end} for doc, start, end in parts]
    )


def docs(pool: foveal.Pool) -> list[str]:
    return pool.frame["doc"].to_list()


def passages(pool: foveal.Pool) -> dict[str, list[list[int]]]:
    return dict(pool.frame.select("doc", "passages").iter_rows())


ONE = run(("a", 0, 10), ("b", 0, 10), ("a", 50, 60), ("c", 0, 10))
TWO = run(("c", 5, 20), ("d", 0, 5), ("d", 5, 10), ("b", None, None))


def test_documents_count_by_first_appearance_and_keep_all_their_parts() -> None:
    pool = foveal.pool([ONE], depth=2)
    assert passages(pool) == {"a": [[0, 10], [50, 60]], "b": [[0, 10]]}


def test_results_keep_only_the_parts_among_them() -> None:
    pool = foveal.pool([ONE], depth=2, unit="results")
    assert passages(pool) == {"a": [[0, 10]], "b": [[0, 10]]}


def test_the_part_in_which_the_characters_end_is_cut_there() -> None:
    pool = foveal.pool([ONE], depth=23, unit="characters")
    assert passages(pool) == {"a": [[0, 10], [50, 53]], "b": [[0, 10]]}
    assert docs(foveal.pool([ONE], depth=30, unit="characters")) == ["a", "b"]
    assert docs(foveal.pool([ONE], depth=10**30, unit="characters")) == ["a", "b", "c"]
    assert foveal.pool([ONE], depth=1).settings["depth"] == "1 document"


def test_text_that_is_returned_again_is_not_read_again() -> None:
    again = run(("a", 0, 10), ("a", 5, 15), ("b", 0, 3))
    assert docs(foveal.pool([again], depth=15, unit="characters")) == ["a"]
    assert passages(foveal.pool([again], depth=16, unit="characters"))["b"] == [[0, 1]]


def test_an_element_of_unknown_place_costs_what_it_costs_in_scores() -> None:
    unmapped = run(("a", -1, -1), ("b", 0, 10))
    assert docs(foveal.pool([unmapped], depth=18, unit="characters")) == ["a"]
    pool = foveal.pool([unmapped], depth=19, unit="characters")
    assert passages(pool) == {"a": [], "b": [[0, 1]]}
    assert pool.notes == (
        "run: 1 result of unknown place: the documents are pooled, without a passage, and each costs"
        " 18 characters",
    )


def test_overlapping_passages_are_merged_and_touching_ones_stay_apart() -> None:
    pool = foveal.pool([ONE, TWO])
    assert passages(pool) == {
        "a": [[0, 10], [50, 60]],
        "b": [[0, 10]],
        "c": [[0, 20]],
        "d": [[0, 5], [5, 10]],
    }


def test_a_whole_document_and_an_entry_point_add_no_passage() -> None:
    assert passages(foveal.pool([run(("a", None, None), ("b", 7, 7))])) == {"a": [], "b": []}


def test_priority_goes_by_runs_then_by_the_sum_of_ranks_then_by_name() -> None:
    # b is 2nd and 3rd, c is 3rd and 1st; a is 1st, d is 2nd.
    pool = foveal.pool([ONE, TWO])
    assert docs(pool) == ["c", "b", "a", "d"]
    assert pool.frame["runs"].to_list() == [2, 2, 1, 1]
    assert pool.frame["best_rank"].to_list() == [1, 2, 1, 2]
    assert pool.frame["place"].to_list() == [1, 2, 3, 4]


def test_only_what_is_within_the_depth_counts_as_returned() -> None:
    pool = foveal.pool([ONE, TWO], depth=1)
    assert docs(pool) == ["a", "c"]
    assert pool.frame["runs"].to_list() == [1, 1]
    assert passages(pool)["c"] == [[5, 20]]


def test_runs_take_turns_in_the_order_given() -> None:
    assert sorted(docs(foveal.pool([ONE, TWO], documents=3))) == ["a", "b", "c"]
    assert sorted(docs(foveal.pool([TWO, ONE], documents=3))) == ["a", "c", "d"]


def test_a_run_that_has_no_new_document_is_skipped() -> None:
    short = run(("a", 0, 5))
    pool = foveal.pool([short, ONE], documents=3)
    assert sorted(docs(pool)) == ["a", "b", "c"]
    assert foveal.pool([short, ONE], documents=4).notes == ("1 topic with fewer than 4 documents",)


def test_turns_give_as_many_documents_that_are_not_judged() -> None:
    pool = foveal.pool([ONE], documents=2, judged={"1": {"a": 0}})
    assert docs(pool) == ["b", "c"]
    # Ranks are those of the run, the judged document among them.
    assert pool.frame["best_rank"].to_list() == [2, 3]


def test_what_is_judged_for_its_topic_is_left_out() -> None:
    pool = foveal.pool([ONE, TWO], judged={"1": {"a": 0, "d": 2}, "2": {"b": 1}})
    assert docs(pool) == ["c", "b"]
    assert pool.judged.to_dicts() == [{"topic": "1", "judged": 2}]
    assert "2 documents were left out as judged already." in str(pool).replace("\n", " ")


def test_judgements_of_other_documents_are_noted() -> None:
    (note,) = foveal.pool([ONE], judged={"1": {"x": 1}}).notes
    assert note.startswith("no document of the runs is judged for its topic")
    every = foveal.pool([ONE], judged={"1": {"a": 1, "b": 0, "c": 1}})
    assert every.notes == ("the pool is empty: every document is judged already",)
    assert every.frame.is_empty()
    assert "No document is left to be judged." in str(every)


def test_topics_are_in_the_order_of_their_names_and_missing_ones_are_noted() -> None:
    pool = foveal.pool([run(("a", 0, 5), topic="2"), run(("a", 0, 5), topic="10")])
    assert pool.frame["topic"].to_list() == ["10", "2"]
    assert pool.notes == ("2 runs (run, run): no results for 1 of 2 topics",)


def test_every_random_order_is_equally_likely() -> None:
    results = {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    seen = Counter("".join(docs(foveal.pool(results, order="random", rng=s))) for s in range(240))
    assert set(seen) == {"".join(order) for order in permutations("abc")}
    assert all(20 <= count <= 60 for count in seen.values()), seen


def test_a_random_order_keeps_to_itself_when_documents_leave() -> None:
    results = {str(topic): {f"d{n}": 1.0 / n for n in range(1, 20)} for topic in range(3)}
    whole = foveal.pool(results, order="random", rng=5)
    judged = {"1": {"d3": 1, "d7": 0}}
    left = foveal.pool(results, order="random", rng=5, judged=judged)
    kept = list(whole.frame.select("topic", "doc").iter_rows())
    expected = [(topic, doc) for topic, doc in kept if doc not in judged.get(topic, {})]
    assert list(left.frame.select("topic", "doc").iter_rows()) == expected
    orders = [whole.frame.filter(topic=str(topic))["doc"].to_list() for topic in range(3)]
    assert orders[0] != orders[1] != orders[2]


def test_settings_say_how_the_pool_was_made() -> None:
    assert foveal.pool([ONE, TWO], depth=9, unit="results").settings == {
        "runs": "2", "depth": "9 results", "order": "priority",
    }  # fmt: skip
    assert foveal.pool([ONE], documents=2, order="random", rng=4).settings == {
        "runs": "1", "documents": "2", "order": "random", "seed": "4",
    }  # fmt: skip


SENSELESS: dict[str, tuple[dict[str, Any], str]] = {
    "both": ({"depth": 3, "documents": 4}, "give --depth K or --documents N, not both"),
    "turns of results": (
        {"documents": 4, "unit": "results"},
        "--documents N counts documents: leave out --unit results",
    ),
    "characters": (
        {"unit": "characters"},
        "--unit characters has no default depth: give --depth K",
    ),
    "none": ({"depth": 0}, "depth must be a whole number, 1 or more, got 0"),
    "no documents": ({"documents": 0}, "documents must be a whole number, 1 or more, got 0"),
    "unit": ({"unit": "words"}, "unit must be documents, results or characters, got 'words'"),
    "order": ({"order": "best"}, "order must be priority, random or depth, got 'best'"),
}


@pytest.mark.parametrize("case", SENSELESS)
def test_choices_that_make_no_sense_are_refused(case: str) -> None:
    choices, message = SENSELESS[case]
    with pytest.raises(UsageError) as refused:
        foveal.pool([ONE], **choices)
    assert str(refused.value).startswith(message)


def test_characters_cannot_be_counted_in_a_run_of_entry_points() -> None:
    points = run(("a", 3, 3), ("b", 9, 9), ("c", 0, 5))
    with pytest.raises(DataError, match=r"entry points \(2 of 3 results have no text\)"):
        foveal.pool([points], depth=10, unit="characters")
    assert docs(foveal.pool([points])) == ["a", "b", "c"]
    few = foveal.pool([run(("a", 3, 3), ("c", 0, 5))], depth=10, unit="characters")
    assert few.notes == ("run: 1 result without text, which costs no characters",)


def test_characters_need_the_length_of_whole_documents() -> None:
    with pytest.raises(UnknownLength) as refused:
        foveal.pool({"1": {"a": 2.0, "b": 1.0}}, depth=10, unit="characters")
    assert str(refused.value) == (
        "run 'run1' returns 2 whole documents of unknown length, first 'a': give start and end in the"
        " run, the collection's offset index (--elements INDEX) or its texts (--docs DOCUMENTS,"
        " in Python docs=)"
    )


def test_results_known_by_their_text_are_noted_or_refused() -> None:
    unplaced = [{"topic": "1", "doc": "a", "text": "x"}, {"topic": "1", "doc": "a", "text": "y"}]
    assert foveal.pool(unplaced).notes == (
        "run1: 2 results of unknown place (--docs DOCUMENTS finds texts): the documents are pooled,"
        " without a passage",
    )
    with pytest.raises(BadInput, match="give --docs DOCUMENTS"):
        foveal.pool(unplaced, depth=5, unit="characters")
