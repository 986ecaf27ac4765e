"""Judged documents found among returned ones by keys."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.alignment import lookup as _lookup
from foveal.alignment.lookup import DocumentLookup, Keys
from foveal.spans import Ints

TOPICS = 5
Document = tuple[int, str]
documents = st.tuples(st.integers(0, TOPICS - 1), st.text("ab", max_size=3))


def columns_of(rows: list[Document]) -> tuple[Ints, pl.Series]:
    topic = np.array([topic for topic, _ in rows], dtype=np.int64)
    return topic, pl.Series([name for _, name in rows], dtype=pl.String)


def lookup_of(judged: list[Document]) -> DocumentLookup:
    topic, names = columns_of(judged)
    return DocumentLookup.of(topic, TOPICS, names)


def found(judged: list[Document], returned: list[Document]) -> dict[int, int]:
    at, row = lookup_of(judged).found(*columns_of(returned))
    return dict(zip(at.tolist(), row.tolist(), strict=True))


def expected(judged: list[Document], returned: list[Document]) -> dict[int, int]:
    return {at: judged.index(row) for at, row in enumerate(returned) if row in judged}


@given(st.lists(documents, unique=True), st.lists(documents))
def test_what_is_judged_is_found_and_nothing_else(
    judged: list[Document], returned: list[Document]
) -> None:
    assert found(judged, returned) == expected(judged, returned)


def by_length(topic: Ints, topics: int, names: pl.Series, seed: int) -> Keys:
    """Keys that agree for names of equal length, unless another seed is tried."""
    lengths = names.str.len_bytes().to_numpy().astype(np.uint64)
    first = names.str.starts_with("a").to_numpy().astype(np.uint64)
    return lengths * np.uint64(TOPICS) + topic.astype(np.uint64) + first * np.uint64(100 * seed)


def test_names_decide_where_keys_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_lookup, "_keys", by_length)
    judged, returned = [(0, "a"), (0, "bb"), (1, "a")], [(0, "b"), (0, "bb"), (1, "b"), (1, "a")]
    assert found(judged, returned) == {1: 1, 3: 2}


def test_judged_documents_whose_keys_agree_get_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_lookup, "_keys", by_length)
    judged = [(0, "a"), (0, "b")]
    assert lookup_of(judged).seed == 1
    assert found(judged, [(0, "b"), (0, "a")]) == {0: 1, 1: 0}
