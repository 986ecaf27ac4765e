"""Whatever the topics and the assessors are, the work is given out fairly."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from foveal.assess.planning import assigned

worlds = st.dictionaries(st.text(max_size=3), st.integers(1, 50), min_size=1, max_size=12)


@given(worlds, st.integers(2, 4), st.floats(0, 1), st.integers(0, 5))
def test_work_is_given_out_fairly(
    documents: dict[str, int], people: int, double: float, seed: int
) -> None:
    names = [f"n{number}" for number in range(people)]
    rows = assigned(documents, names, double=double, rng=np.random.default_rng(seed))
    again = assigned(documents, names, double=double, rng=np.random.default_rng(seed))
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
    load = Counter(dict.fromkeys(names, 0))
    for row in main:
        load[row.assessor] += documents[row.topic]
    # Nobody is ahead by more than one topic.
    assert max(load.values()) - min(load.values()) <= max(documents.values())
