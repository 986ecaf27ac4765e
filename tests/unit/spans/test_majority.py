"""The majority of spans against sets of characters."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from foveal.spans import majority, united
from tests.strategies import LONGEST, Span, span_lists

# For each document, the spans of each of its judges.
Judged = list[list[list[Span]]]
judged_documents = st.lists(
    st.lists(span_lists(maximum=3), min_size=1, max_size=4), min_size=1, max_size=3
)


def expected(judges: list[list[Span]]) -> list[Span]:
    """Characters that more than half chose; a passage goes on where more than half go on."""

    def wanted(votes: int) -> bool:
        return votes > len(judges) / 2

    pieces: list[Span] = []
    for place in range(LONGEST):
        if not wanted(sum(any(a <= place < b for a, b in spans) for spans in judges)):
            continue
        if wanted(sum(any(a < place < b for a, b in spans) for spans in judges)):
            pieces[-1] = (pieces[-1][0], place + 1)
        else:
            pieces.append((place, place + 1))
    return pieces


def found(documents: Judged) -> list[tuple[int, int, int]]:
    lists = [(place, spans) for place, judges in enumerate(documents) for spans in judges]
    rows = [(row, *span) for row, (_, spans) in enumerate(lists) for span in spans]
    judge, start, end = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    judge, start, end = united(judge, start, end, len(lists))
    document = np.array([place for place, _ in lists])[judge]
    judges = np.array([len(judges) for judges in documents])
    arrays = majority(document, start, end, judges)
    return list(zip(*(array.tolist() for array in arrays), strict=True))


@given(judged_documents)
@example([[[(0, 5), (5, 8)]]])
@example([[[(0, 5), (5, 8)], [(0, 8)], [(0, 5), (5, 8)]]])
@example([[[(0, 8)], [(4, 12)], []]])
@example([[[(0, 4)], [(4, 8)]], [[(1, 2)]]])
@example([[[], []]])
def test_the_majority_is_what_more_than_half_of_the_judges_chose(documents: Judged) -> None:
    # Each judge's overlapping spans are one to begin with.
    plain = [[[(a, b) for _, a, b in found([[spans]])] for spans in judges] for judges in documents]
    wanted = [(place, *span) for place, judges in enumerate(plain) for span in expected(judges)]
    assert found(plain) == wanted
