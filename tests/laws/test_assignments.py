"""Whatever the topics and the assessors are, the work is given out fairly."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from foveal.assess import Assignment
from foveal.assess.new_campaign import assign_topics

worlds = st.dictionaries(st.text(max_size=3), st.integers(1, 50), min_size=1, max_size=12)


@given(worlds, st.integers(2, 4), st.floats(0, 1), st.integers(0, 5))
def test_work_is_given_out_fairly(
    documents: dict[str, int], people: int, double: float, seed: int
) -> None:
    names = [f"n{number}" for number in range(people)]
    rows = assign_topics(documents, names, double=double, rng=np.random.default_rng(seed))
    again = assign_topics(documents, names, double=double, rng=np.random.default_rng(seed))
    assert rows == again
    main = [row for row in rows if row.main]
    second = [row for row in rows if not row.main]
    assert sorted(row.topic for row in main) == sorted(documents)
    assert all(row.order_seed == 0 for row in main)
    assert all(0 < row.order_seed < 2**31 for row in second)
    assert len({(row.topic, row.assessor) for row in rows}) == len(rows)
    assert len({row.topic for row in second}) == len(second)
    assert (len(second) > 0) == (double > 0)
    assert abs(len(second) - double * len(documents)) <= 1
    # Nobody is ahead by more than one topic, nor main assessor of more than two topics above others.
    assert spread(rows, documents, names) <= max(documents.values())
    assert spread(main, documents, names) <= max(documents.values()) * (1 if people == 2 else 2)


@given(st.integers(1, 12), st.integers(2, 6), st.integers(0, 5))
def test_equal_topics_that_are_all_judged_twice_are_shared_equally(
    topics: int, people: int, seed: int
) -> None:
    documents = {str(topic): 7 for topic in range(topics)}
    names = [f"n{number}" for number in range(people)]
    rows = assign_topics(documents, names, double=1.0, rng=np.random.default_rng(seed))
    assert spread(rows, documents, names) <= 7
    assert spread([row for row in rows if row.main], documents, names) <= 7


def spread(rows: list[Assignment], documents: dict[str, int], names: list[str]) -> int:
    """Documents that the busiest assessor has beyond the least busy one."""
    load = Counter(dict.fromkeys(names, 0))
    for row in rows:
        load[row.assessor] += documents[row.topic]
    return max(load.values()) - min(load.values())
