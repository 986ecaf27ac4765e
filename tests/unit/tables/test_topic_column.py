"""The topic of every row, told stretch by stretch, and what is found by hashes."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.tables import TopicColumn, _names, _order, columns
from foveal.tables._names import may_repeat, section_starts

topics = st.lists(st.integers(0, 3), max_size=12)


@pytest.fixture(autouse=True)
def tiny_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of three rows, so that a few rows have several borders."""
    for module in (_names, _order):
        monkeypatch.setattr(module, "BLOCK", 3)


def column_of(numbers: list[int]) -> TopicColumn:
    return TopicColumn.of(np.array(numbers, dtype=np.int64), 4)


@given(topics)
def test_every_row_keeps_its_topic(numbers: list[int]) -> None:
    column = column_of(numbers)
    assert column.rows.tolist() == numbers
    for begin in range(len(numbers) + 1):
        for end in range(begin, len(numbers) + 1):
            assert column.between(begin, end).tolist() == numbers[begin:end]
    assert column.counts.tolist() == [numbers.count(topic) for topic in range(4)]
    assert column.is_ordered == (numbers == sorted(numbers))


@given(topics, st.sets(st.integers(0, 3)))
def test_only_drops_whole_sections(numbers: list[int], wanted: set[int]) -> None:
    column = column_of(numbers)
    kept = np.isin(column.topic, list(wanted))
    assert column.only(kept).rows.tolist() == [number for number in numbers if number in wanted]


@given(st.lists(st.integers(0, 3), max_size=4))
def test_sections_begin_where_a_name_differs_from_the_previous_one(order: list[int]) -> None:
    numbers = [number for number in order for _ in range(11)]
    names = pl.Series([str(number) for number in numbers], dtype=pl.String)
    expected = [row for row, number in enumerate(numbers) if row == 0 or numbers[row - 1] != number]
    assert section_starts(names).tolist() == expected


def test_where_hardly_any_topics_stand_together_every_row_is_a_stretch() -> None:
    names = pl.Series(["a", "b"] * 10 + ["c", "c"])
    assert section_starts(names).tolist() == list(range(22))


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), max_size=9), st.booleans())
def test_a_repeated_document_is_never_missed(rows: list[tuple[int, int]], grouped: bool) -> None:
    if grouped:
        rows = sorted(rows, key=lambda row: row[0])
    table = pl.DataFrame(
        {columns.TOPIC: [f"t{t}" for t, _ in rows], columns.DOC: [f"d{d}" for _, d in rows]},
        schema={columns.TOPIC: pl.String, columns.DOC: pl.String},
    )
    assert may_repeat(table) == (len(set(rows)) < len(rows))
