"""Who judges what, worked by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.assess import Assignment, assignment_lines
from foveal.assess.new_campaign import assign_topics, refuse_names
from foveal.errors import UsageError


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_large_topics_are_given_out_first_to_whoever_has_least() -> None:
    rows = assign_topics({"1": 10, "2": 30, "3": 20, "4": 10}, ["ann", "bob"], double=0, rng=rng())
    assert rows == [
        Assignment("1", "bob", 0, 1),
        Assignment("2", "ann", 0, 1),
        Assignment("3", "bob", 0, 1),
        Assignment("4", "ann", 0, 1),
    ]


def test_a_second_assessor_is_another_one_in_another_order() -> None:
    rows = assign_topics({"1": 5, "2": 5}, ["ann", "bob", "cy"], double=1, rng=rng())
    assert [(row.topic, row.assessor, row.main) for row in rows] == [
        ("1", "bob", 1), ("2", "ann", 1), ("1", "ann", 0), ("2", "cy", 0),
    ]  # fmt: skip
    assert [row.order_seed > 0 for row in rows] == [False, False, True, True]


@given(
    sizes=st.lists(st.integers(1, 200), min_size=1, max_size=30),
    people=st.integers(2, 6),
    double=st.floats(0, 1),
    seed=st.integers(0, 9),
)
def test_totals_differ_by_the_largest_topic_at_most(
    sizes: list[int], people: int, double: float, seed: int
) -> None:
    topics = {str(topic): size for topic, size in enumerate(sizes)}
    names = [f"a{number}" for number in range(people)]
    rows = assign_topics(topics, names, double=double, rng=rng(seed))
    totals = {
        name: sum(topics[row.topic] for row in rows if row.assessor == name) for name in names
    }
    assert max(totals.values()) - min(totals.values()) <= max(sizes)
    assert sorted(row.topic for row in rows if row.main) == sorted(topics)
    seconds = [row.topic for row in rows if not row.main]
    assert (
        len(seconds) == len(set(seconds)) == (max(1, round(double * len(topics))) if double else 0)
    )
    assert len({(row.topic, row.assessor) for row in rows}) == len(rows)


def test_three_who_judge_three_topics_twice_are_each_the_main_assessor_of_one() -> None:
    rows = assign_topics({"1": 1, "2": 1, "3": 1}, ["ann", "bob", "cy"], double=1, rng=rng())
    assert Counter(row.assessor for row in rows if row.main) == {"ann": 1, "bob": 1, "cy": 1}
    assert Counter(row.assessor for row in rows) == {"ann": 2, "bob": 2, "cy": 2}


def test_main_topics_are_shared_where_all_are_judged_twice() -> None:
    rows = assign_topics({str(topic): 5 for topic in range(8)}, ["ann", "bob"], double=1, rng=rng())
    assert Counter(row.assessor for row in rows if row.main) == {"ann": 4, "bob": 4}


def test_any_share_is_at_least_one_topic_and_the_seed_chooses_it() -> None:
    topics = {str(topic): 5 for topic in range(40)}

    def doubled(share: float, seed: int) -> list[str]:
        rows = assign_topics(topics, ["ann", "bob"], double=share, rng=rng(seed))
        return [row.topic for row in rows if not row.main]

    assert len(doubled(0.001, 0)) == 1
    assert len(doubled(0.2, 0)) == 8
    assert len(doubled(1, 0)) == 40
    assert doubled(0, 0) == []
    assert doubled(0.2, 0) == doubled(0.2, 0) != doubled(0.2, 1)


def test_a_name_that_ends_in_nul_is_drawn_whole() -> None:
    rows = assign_topics({"a\0": 1}, ["ann", "bob"], double=1, rng=rng())
    assert {row.topic for row in rows} == {"a\0"}


def test_what_everybody_is_to_do_is_told() -> None:
    rows = [
        Assignment("1", "ann", 0, 1),
        Assignment("1", "bob", 7, 0),
        Assignment("2", "bob", 0, 1),
    ]
    assert assignment_lines(rows, {"1": 1, "2": 2000}, ["ann", "bob", "cy"]) == [
        "ann: 1 document of 1 topic",
        "bob: 2,001 documents of 2 topics, 1 of them as the second assessor",
        "cy: 0 documents of 0 topics",
    ]


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        ([""], "must not be empty"),
        ([" "], "must not be empty"),
        (["ann "], "begin or end with a blank, got 'ann '"),
        (["a" * 101], "at most 100 characters, got 101: aaa"),
        (["a\x1b[31m"], r"must be printable, got 'a\\x1b"),
        (["a\u202eb"], "must be printable"),
        (["ann", "bob", "ann"], "assessor 'ann' is named twice"),
        (["Jos\u00e9", "Jose\u0301"], "is named twice"),
        *(
            ([word], f"'{word}' cannot be the name of an assessor: .*--from {word}`")
            for word in ("adjudicated", "union", "intersection", "majority", "main", "each")
        ),
    ],
)
def test_names_that_cannot_be_are_refused(names: list[str], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        refuse_names(names)


def test_other_names_are_fine() -> None:
    refuse_names(["ann", "Ann", "Zoë O'Hara", "山田", "a" * 100, "<b>", "mainly"])
