"""Judged documents of long runs, met block by block."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.alignment import PreparedQrels, align
from foveal.alignment import graded_lists as _graded
from foveal.choices import Task
from foveal.conventions import Choices
from foveal.tables import Qrels, Run

TOPICS, DOCUMENTS = "abc", [f"d{number}" for number in range(6)]
Rows = list[tuple[str, str]]

rows = st.lists(
    st.tuples(st.sampled_from(TOPICS), st.sampled_from(DOCUMENTS)),
    min_size=1, max_size=18, unique=True,
)  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def tiny_blocks() -> Iterator[None]:
    """Blocks of three rows, so that a few rows have several borders."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_graded, "BLOCK", 3)
        yield


@given(judged=rows, returned=rows, grouped=st.booleans())
def test_every_judged_document_has_its_rank_and_grade(
    judged: Rows, returned: Rows, grouped: bool
) -> None:
    if grouped:
        returned.sort(key=lambda row: row[0])
    grades = {row: float(place + 1) for place, row in enumerate(judged)}
    qrels = Qrels.from_dicts([{"topic": t, "doc": d, "grade": g} for (t, d), g in grades.items()])
    run = Run.from_dicts([{"topic": topic, "doc": document} for topic, document in returned])
    decided = Choices().conventions(Task.DOCUMENT)
    aligned = align(run, PreparedQrels.of(qrels, decided), decided)
    lists = aligned.graded
    names = [aligned.qrels.topics[aligned.topics[place]] for place in lists.topic]
    found = list(zip(names, lists.rank.tolist(), lists.grade.tolist(), strict=True))
    expected = [
        (topic, rank, grades[topic, document])
        for topic in TOPICS
        for rank, document in enumerate((d for t, d in returned if t == topic), start=1)
        if (topic, document) in grades
    ]
    assert found == expected
