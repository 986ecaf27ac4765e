"""Judged documents found among returned ones by keys."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from foveal.spans import Ints
from foveal.tables import Keys, SeriesNames
from foveal.tables._names import SeriesLookup

TOPICS = 5
Document = tuple[int, str]
documents = st.tuples(st.integers(0, TOPICS - 1), st.text("ab", max_size=3))


class ByLength(SeriesNames):
    """Names whose hashes agree if they are equally long, unless another seed is tried."""

    def hashes(self, seed: int, begin: int = 0, end: int | None = None) -> Keys:
        lengths = self.column.str.len_bytes().to_numpy().astype(np.uint64)
        first = self.column.str.starts_with("a").to_numpy().astype(np.uint64)
        keys: Keys = (lengths + first * np.uint64(100 * seed)) << np.uint64(40)
        return keys[begin:end]


def columns_of(
    rows: list[Document], kind: type[SeriesNames] = SeriesNames
) -> tuple[Ints, SeriesNames]:
    topic = np.array([topic for topic, _ in rows], dtype=np.int64)
    return topic, kind(pl.Series([name for _, name in rows], dtype=pl.String))


def lookup_of(judged: list[Document], kind: type[SeriesNames] = SeriesNames) -> SeriesLookup:
    topic, names = columns_of(judged, kind)
    return SeriesLookup.of(topic, TOPICS, names)


def found(
    judged: list[Document], returned: list[Document], kind: type[SeriesNames] = SeriesNames
) -> dict[int, int]:
    at, row = lookup_of(judged, kind).found(*columns_of(returned, kind))
    return dict(zip(at.tolist(), row.tolist(), strict=True))


def expected(judged: list[Document], returned: list[Document]) -> dict[int, int]:
    return {at: judged.index(row) for at, row in enumerate(returned) if row in judged}


@given(st.lists(documents, unique=True), st.lists(documents))
def test_what_is_judged_is_found_and_nothing_else(
    judged: list[Document], returned: list[Document]
) -> None:
    assert found(judged, returned) == expected(judged, returned)


def test_names_decide_where_keys_agree() -> None:
    judged, returned = [(0, "a"), (0, "bb"), (1, "a")], [(0, "b"), (0, "bb"), (1, "b"), (1, "a")]
    assert found(judged, returned, ByLength) == {1: 1, 3: 2}


def test_judged_documents_whose_keys_agree_get_others() -> None:
    judged = [(0, "a"), (0, "b")]
    assert lookup_of(judged, ByLength).seed == 1
    assert found(judged, [(0, "b"), (0, "a")], ByLength) == {0: 1, 1: 0}
