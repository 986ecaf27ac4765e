"""Documents cut into stretches, against sets of characters."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from foveal.spans import Layer, first_overlapping, layered, merged_neighbours
from tests.strategies import Span, span_lists

Spans = list[tuple[int, Span]]


def as_layer(spans: Spans) -> Layer:
    columns = [[doc, *span] for doc, span in spans]
    return Layer(*np.array(columns, dtype=np.int64).reshape(-1, 3).T)


@st.composite
def layers(draw: st.DrawFn, documents: int) -> Spans:
    """Disjoint spans of documents in any order, some of them empty."""
    found: Spans = []
    for doc in range(documents):
        edges = sorted(draw(st.lists(st.integers(0, 12), max_size=6)))
        found += [(doc, (a, b)) for a, b in zip(edges[::2], edges[1::2], strict=False)]
    return draw(st.permutations(found))


def covering(spans: Spans, doc: int, place: int) -> int:
    held = [n for n, (own, (a, b)) in enumerate(spans) if own == doc and a <= place < b]
    return held[0] if held else -1


@given(data=st.data(), lengths=st.lists(st.integers(0, 14), min_size=1, max_size=3))
def test_every_character_is_covered_by_what_holds_it(
    data: st.DataObject, lengths: list[int]
) -> None:
    drawn = [data.draw(layers(len(lengths))) for _ in range(2)]
    cut, covers = layered(np.array(lengths), *map(as_layer, drawn))
    seen = []
    for piece, (doc, start, end) in enumerate(zip(*cut, strict=True)):
        assert start < end
        for place in range(start, end):
            seen.append((int(doc), place))
            for spans, cover in zip(drawn, covers, strict=True):
                assert cover[piece] == covering(spans, doc, place)
    reach = [
        max([length, *(b for spans in drawn for own, (_, b) in spans if own == doc)])
        for doc, length in enumerate(lengths)
    ]
    assert seen == [(doc, place) for doc, length in enumerate(reach) for place in range(length)]


def test_neighbours_that_agree_are_one_piece() -> None:
    pieces = as_layer([(0, (0, 2)), (0, (2, 5)), (0, (5, 6)), (1, (6, 8)), (1, (9, 10))])
    joined, begins = merged_neighbours(pieces, np.array([1, 1, 2, 2, 2]))
    assert [*zip(*map(list, joined), strict=True)] == [(0, 0, 5), (0, 5, 6), (1, 6, 8), (1, 9, 10)]
    assert begins.tolist() == [True, False, True, True, True]


@given(one=span_lists(12), other=span_lists(12))
def test_the_first_span_that_has_text_of_another_is_found(
    one: list[Span], other: list[Span]
) -> None:
    def shares(mine: Span, yours: Span) -> bool:
        return mine == yours or bool(set(range(*mine)) & set(range(*yours)))

    found = first_overlapping(as_layer([(0, s) for s in one]), as_layer([(0, s) for s in other]))
    for span, place in zip(one, found.tolist(), strict=True):
        assert place == next((n for n, own in enumerate(other) if shares(span, own)), -1)
    elsewhere = first_overlapping(
        as_layer([(1, s) for s in one]), as_layer([(0, s) for s in other])
    )
    assert (elsewhere == -1).all()


def test_long_lists_are_compared_some_at_a_time() -> None:
    many = as_layer([(0, (place, place + 1)) for place in range(2500)])
    assert first_overlapping(many, many).tolist() == list(range(2500))
