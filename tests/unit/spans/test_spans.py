"""Span arithmetic against sets of characters."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from foveal.spans import (
    LARGEST_OFFSET,
    Axis,
    Highlights,
    Ints,
    fresh_pieces,
    gaps,
    greedily_disjoint,
    merged,
    overlaps_earlier,
    united,
)
from tests.strategies import LONGEST, Span, span_lists

DocumentSpan = tuple[int, int, int]
COUNT = 3


document_spans = st.lists(
    st.tuples(st.integers(0, COUNT - 1), st.integers(0, LONGEST), st.integers(0, LONGEST)).map(
        lambda drawn: (drawn[0], min(drawn[1:]), max(drawn[1:]))
    ),
    max_size=12,
)


def ints(values: list[int]) -> Ints:
    return np.array(values, dtype=np.int64)


def columns(spans: list[Span]) -> tuple[Ints, Ints]:
    return ints([start for start, _ in spans]), ints([end for _, end in spans])


def triple(spans: list[DocumentSpan]) -> tuple[Ints, Ints, Ints]:
    return ints([s[0] for s in spans]), ints([s[1] for s in spans]), ints([s[2] for s in spans])


def text(spans: list[Span]) -> set[int]:
    return {place for start, end in spans for place in range(start, end)}


def of_document(spans: list[DocumentSpan], document: int) -> list[Span]:
    return [(start, end) for owner, start, end in spans if owner == document]


def rows(*arrays: Ints) -> list[tuple[int, ...]]:
    return list(zip(*(array.tolist() for array in arrays), strict=True))


def apart(spans: list[Span]) -> list[Span]:
    """The union of spans, cut only where two of them touch without overlapping."""
    inside = text(spans)
    joints = {
        place
        for place in inside
        if not any(start < place < end for start, end in spans) or place - 1 not in inside
    }
    pieces: list[Span] = []
    for place in sorted(inside):
        if place in joints:
            pieces.append((place, place + 1))
        else:
            pieces[-1] = (pieces[-1][0], place + 1)
    return pieces


@given(span_lists())
@example([(0, 5), (5, 8)])
@example([(0, 5), (5, 8), (4, 6)])
@example([(3, 3)])
def test_merged_spans_are_the_union_and_touching_ones_stay_apart(spans: list[Span]) -> None:
    assert rows(*merged(*columns(spans))) == apart(spans)


@given(document_spans)
def test_united_spans_are_the_union_within_each_document(spans: list[DocumentSpan]) -> None:
    expected = [
        (document, *span)
        for document in range(COUNT)
        for span in apart(of_document(spans, document))
    ]
    assert rows(*united(*triple(spans), COUNT)) == expected


@given(span_lists())
@example([(0, 10), (2, 4), (1, 12)])
def test_fresh_pieces_show_each_character_where_it_is_first_read(spans: list[Span]) -> None:
    span, start, end = fresh_pieces(*columns(spans))
    found = rows(span, start, end)
    assert found == sorted(found)
    assert all(first < last for _, first, last in found)
    seen: set[int] = set()
    for number, (first, last) in enumerate(spans):
        fresh = sorted(set(range(first, last)) - seen)
        pieces = [(a, b) for owner, a, b in found if owner == number]
        assert sorted(place for a, b in pieces for place in range(a, b)) == fresh
        seen |= set(fresh)


@given(span_lists())
def test_a_span_overlaps_earlier_ones_if_they_share_a_character(spans: list[Span]) -> None:
    expected = [bool(text([span]) & text(spans[:place])) for place, span in enumerate(spans)]
    assert overlaps_earlier(*columns(spans)).tolist() == expected


@given(span_lists())
@example([(0, 4), (3, 8), (7, 12), (11, 16)])
def test_a_span_is_dropped_if_it_overlaps_an_earlier_one_that_remains(spans: list[Span]) -> None:
    taken: set[int] = set()
    expected = []
    for span in spans:
        remains = not text([span]) & taken
        expected.append(remains)
        if remains:
            taken |= text([span])
    assert greedily_disjoint(*columns(spans)).tolist() == expected


def test_a_long_chain_of_overlaps_is_settled_one_by_one() -> None:
    start = np.arange(1000, dtype=np.int64)
    assert greedily_disjoint(start, start + 2).tolist() == [True, False] * 500


@given(document_spans, st.lists(st.integers(0, LONGEST), min_size=COUNT, max_size=COUNT))
def test_gaps_are_what_disjoint_spans_leave_of_their_documents(
    spans: list[DocumentSpan], lengths: list[int]
) -> None:
    document, start, end = united(*triple(spans), COUNT)
    found = rows(*gaps(document, start, end, ints(lengths)))
    assert found == sorted(found)
    assert all(first < last for _, first, last in found)
    for number, length in enumerate(lengths):
        left = sorted(set(range(length)) - text(of_document(spans, number)))
        places = [place for owner, a, b in found if owner == number for place in range(a, b)]
        assert places == left


@given(document_spans, document_spans)
def test_highlighted_characters_are_counted_in_any_span(
    passages: list[DocumentSpan], asked: list[DocumentSpan]
) -> None:
    highlights = Highlights.of(*united(*triple(passages), COUNT), COUNT)
    expected = [
        len(text(of_document(passages, document)) & set(range(start, end)))
        for document, start, end in asked
    ]
    assert highlights.count(*triple(asked)).tolist() == expected


@given(
    document_spans,
    st.lists(
        st.tuples(st.integers(0, COUNT - 1), st.integers(0, LONGEST), st.integers(1, 60)),
        max_size=8,
    ),
)
def test_highlighted_characters_are_met_before_the_nth_that_is_not(
    passages: list[DocumentSpan], asked: list[DocumentSpan]
) -> None:
    """Capped, as the caller does, by what is highlighted until the document's end."""
    highlights = Highlights.of(*united(*triple(passages), COUNT), COUNT)
    document, start, nth = triple(asked)
    met = highlights.highlighted_before_irrelevant(document, start, nth)
    left = highlights.count(document, start, np.full(len(asked), 10 * LONGEST, dtype=np.int64))
    expected = []
    for number, first, wanted in asked:
        highlighted = text(of_document(passages, number))
        irrelevant = found = 0
        for place in range(first, 10 * LONGEST):
            found += place in highlighted
            irrelevant += place not in highlighted
            if irrelevant == wanted:
                break
        expected.append(found)
    assert np.minimum(met, left).tolist() == expected


@given(document_spans)
def test_documents_never_meet_on_the_axis(spans: list[DocumentSpan]) -> None:
    document, start, end = triple(spans)
    axis = Axis.of_ends(document, end, COUNT)
    first, last = axis.span_positions(document, start, end)
    assert (last - first).tolist() == (end - start).tolist()
    for one in range(len(spans)):
        for other in range(one):
            if document[one] != document[other]:
                assert last[one] < first[other] or last[other] < first[one]


@pytest.mark.parametrize("count", [0, 1, 5])
def test_no_spans_at_all_are_no_special_case(count: int) -> None:
    none = ints([])
    assert rows(*merged(none, none)) == []
    assert rows(*united(none, none, none, count)) == []
    assert rows(*fresh_pieces(none, none)) == []
    assert overlaps_earlier(none, none).tolist() == []
    assert greedily_disjoint(none, none).tolist() == []
    assert rows(*gaps(none, none, none, ints([2] * count))) == [(i, 0, 2) for i in range(count)]
    assert Highlights.of(none, none, none, count).count(none, none, none).tolist() == []


def test_offsets_as_large_as_allowed_are_counted_exactly() -> None:
    count = 2000
    document = np.arange(count, dtype=np.int64)
    start = np.full(count, LARGEST_OFFSET - 3, dtype=np.int64)
    end = np.full(count, LARGEST_OFFSET, dtype=np.int64)
    highlights = Highlights.of(document, start, end, count)
    zero = np.zeros(count, dtype=np.int64)
    assert set(highlights.count(document, zero, end - 1).tolist()) == {2}
    assert highlights.count(document, zero, end).sum() == 3 * count
    assert rows(*united(document, start, end, count)) == rows(document, start, end)


def test_the_caller_s_arrays_are_left_alone() -> None:
    start, end = columns([(5, 9), (0, 6), (3, 3)])
    kept = start.copy(), end.copy()
    for function in (merged, fresh_pieces, overlaps_earlier, greedily_disjoint):
        function(start, end)
    united(ints([0, 0, 0]), start, end, 1)
    assert (start.tolist(), end.tolist()) == (kept[0].tolist(), kept[1].tolist())


@given(document_spans, document_spans)
def test_what_spans_share_with_single_highlights_is_what_both_hold(
    judged: list[DocumentSpan], spans: list[DocumentSpan]
) -> None:
    highlights = list(rows(*united(*triple(judged), COUNT)))
    found = Highlights.of(*triple(highlights), COUNT).overlaps(*triple(spans))  # type: ignore[arg-type]  # triples all
    expected = [
        (number, place, len(text([span[1:]]) & text([highlight[1:]])))  # type: ignore[list-item]  # pairs
        for number, span in enumerate(spans)
        for place, highlight in enumerate(highlights)
        if span[0] == highlight[0] and text([span[1:]]) & text([highlight[1:]])  # type: ignore[list-item]  # pairs
    ]
    shared = [row for row in rows(*found) if row[2]]
    assert shared == expected
    assert all(row[2] >= 0 for row in rows(*found))


@given(st.lists(span_lists(), min_size=1, max_size=5), st.data())
def test_text_in_common_is_the_intersection_of_sets(
    drawn: list[list[Span]], data: st.DataObject
) -> None:
    flat = [(place, *span) for place, own in enumerate(drawn) for span in own]
    document, start, end = np.array(flat, dtype=np.int64).reshape(-1, 3).T
    highlights = Highlights.of(*united(document, start, end, len(drawn)), len(drawn))
    sets = [{at for first, last in own for at in range(first, last)} for own in drawn]
    assert highlights.sizes().tolist() == [len(own) for own in sets]
    places = st.integers(0, len(drawn) - 1)
    pairs = data.draw(st.lists(st.tuples(places, places), max_size=6))
    one, other = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    assert highlights.common_characters(one, other).tolist() == [
        len(sets[first] & sets[second]) for first, second in pairs
    ]
