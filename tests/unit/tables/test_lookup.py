"""Judged documents found among returned ones by keys."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.compiled import Keys, NameBytes, hash_names
from foveal.spans import Ints, Segments
from foveal.tables import SEED, Lookup, Names, _names

TOPICS = ["1", "2", "3", "4", "5"]
Document = tuple[int, str]
documents = st.tuples(st.integers(0, len(TOPICS) - 1), st.text("ab", max_size=3))


def by_length(names: NameBytes, start: Keys | int) -> Keys:
    """Hashes that agree for names of one topic that are equally long."""
    return hash_names(names, start) if isinstance(start, int) else start + names[2]


class EqualFromSeed:
    """Hashes that all agree, unless another seed is tried."""

    seed = SEED

    def __call__(self, names: NameBytes, start: Keys | int) -> Keys:
        if isinstance(start, int):
            self.seed = start
        hashes = hash_names(names, start)
        return np.ones_like(hashes) if self.seed == SEED else hashes


def columns_of(rows: list[Document]) -> tuple[Ints, Names]:
    topic = np.array([topic for topic, _ in rows], dtype=np.int64)
    return topic, Names(pl.Series([name for _, name in rows], dtype=pl.String))


def lookup_of(judged: list[Document]) -> Lookup:
    topic, names = columns_of(judged)
    return Lookup.of(names, topic, TOPICS)


def found(judged: list[Document], returned: list[Document]) -> dict[int, int]:
    rows, judged_rows = lookup_of(judged).rows_of(*columns_of(returned))
    return dict(zip(rows.tolist(), judged_rows.tolist(), strict=True))


def expected(judged: list[Document], returned: list[Document]) -> dict[int, int]:
    return {row: judged.index(pair) for row, pair in enumerate(returned) if pair in judged}


@given(st.lists(documents, unique=True), st.lists(documents))
def test_what_is_judged_is_found_and_nothing_else(
    judged: list[Document], returned: list[Document]
) -> None:
    assert found(judged, returned) == expected(judged, returned)


def test_nothing_is_found_for_an_unjudged_topic() -> None:
    for judged in ([], [(4, "a"), (0, "")]):
        rows, _ = lookup_of(judged).rows_of(np.array([-1, -1]), columns_of([(4, "a"), (4, "")])[1])
        assert rows.tolist() == []


def test_names_decide_where_keys_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_names, "hash_names", by_length)
    judged, returned = [(0, "a"), (0, "bb"), (1, "a")], [(0, "b"), (0, "bb"), (1, "b"), (1, "a")]
    assert found(judged, returned) == {1: 1, 3: 2}


def test_judged_documents_whose_keys_agree_get_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_names, "hash_names", EqualFromSeed())
    judged = [(0, "a"), (0, "b")]
    assert lookup_of(judged).seed == (SEED + 1) % 2**64
    assert found(judged, [(0, "b"), (0, "a"), (1, "a")]) == {0: 1, 1: 0}
    # Keys that a file brings are those of the first seed.
    topic, names = columns_of([(0, "b"), (0, "a"), (1, "a")])
    rows, row = lookup_of(judged).rows_of(topic, Names(names.bytes, np.ones(3, np.uint64)))
    assert (rows.tolist(), row.tolist()) == ([0, 1], [1, 0])


@pytest.mark.parametrize("key", [None, np.ones(4, np.uint64)], ids=["column", "file"])
def test_first_rows_are_right_where_keys_agree(
    monkeypatch: pytest.MonkeyPatch, key: Keys | None
) -> None:
    monkeypatch.setattr(_names, "hash_names", EqualFromSeed())
    _, names = columns_of([(0, name) for name in "abba"])
    both = Segments(np.array([0, 2, 4]))
    assert Names(names.bytes, key).first_rows(both).tolist() == [0, 1, 2, 3]
    assert Names(names.source, key).first_rows(Segments(np.array([0, 4]))).tolist() == [0, 1, 1, 0]


def test_long_lists_are_looked_up_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_names, "LOOKUP_SIZE", 2)
    judged = [(0, "a"), (1, "bb"), (4, "")]
    returned = [(0, "b"), (0, "a"), (1, "bb"), (4, ""), (4, "a")]
    assert found(judged, returned) == expected(judged, returned)
