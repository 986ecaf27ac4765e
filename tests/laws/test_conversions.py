"""There and back again: what one format holds, another does not lose."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.formats import RUN_FORMATS, RunFormat, read_run
from foveal.rules import as_elements
from foveal.tables import Run
from tests.articles import ELEMENTS, LENGTHS
from tests.examples import examples
from tests.held import held

WITH_PATHS = [known for known in RUN_FORMATS.values() if known.write_paths]
LISTED = ELEMENTS.listed(pl.Series(list(LENGTHS))).rows()
# Every example is written and read; its few results come from three short articles.
few = examples(50)


@st.composite
def runs(draw: st.DrawFn, *, elements: bool) -> Run:
    """Runs of elements, or of any spans in known documents."""
    rows: list[dict[str, Any]] = []
    for number in range(draw(st.integers(1, 6))):
        if elements:
            name, _, start, end = draw(st.sampled_from(LISTED))
        else:
            name = draw(st.sampled_from(sorted(LENGTHS)))
            edge = st.integers(0, LENGTHS[name])
            start, end = sorted(draw(st.tuples(edge, edge)))
        rows.append({"doc": name, "start": start, "end": end, "rank": number + 1})
    topics = st.sampled_from(["1", "2"])
    frame = pl.DataFrame([{"topic": draw(topics), **row, "score": 1.0} for row in rows])
    return Run.of(frame, name="mine", lengths_of=ELEMENTS.lengths)


def again(known: RunFormat, data: bytes) -> Run:
    return read_run(held(data), known.name, elements=ELEMENTS)


def parts(run: Run) -> list[tuple[Any, ...]]:
    return run.frame.select("topic", "doc", "start", "end").rows()


@pytest.mark.parametrize("known", WITH_PATHS, ids=lambda known: known.name)
@few
@given(run=runs(elements=True))
def test_elements_come_back_from_their_paths(known: RunFormat, run: Run) -> None:
    named, grown = as_elements(run, ELEMENTS)
    assert grown == 0
    assert known.write_paths
    assert parts(again(known, known.write_paths(named))) == parts(run)


@pytest.mark.parametrize("known", WITH_PATHS, ids=lambda known: known.name)
@few
@given(run=runs(elements=False))
def test_what_grew_to_an_element_grows_no_more(known: RunFormat, run: Run) -> None:
    widened, grown = as_elements(run, ELEMENTS)
    assert known.write_paths
    back = again(known, known.write_paths(widened))
    assert parts(back) == parts(widened)
    assert as_elements(back, ELEMENTS)[1] == 0
    around = [
        (before, after)
        for before, after in zip(parts(run), parts(widened), strict=True)
        if before != after
    ]
    assert len(around) == grown
    assert all(b[2] >= a[2] and b[3] <= a[3] for b, a in around)


@pytest.mark.parametrize("known", WITH_PATHS, ids=lambda known: known.name)
@few
@given(run=runs(elements=False))
def test_a_range_between_points_is_the_span(known: RunFormat, run: Run) -> None:
    points = ELEMENTS.points(run.frame.select("doc", "start", "end"))
    rows = run.frame.with_columns(points).filter(pl.col("path").is_not_null())
    if known.name == "inex":
        lines = [
            f"{row['topic']} Q0 {row['doc']} 1 1 mine {row['path']} {row['path_end']}\n"
            for row in rows.to_dicts()
        ]
        text = "".join(lines)
    else:
        results = "".join(
            f"<topic topic-id='{row['topic']}'><result><file>{row['doc']}</file>"
            f"<passage start='{row['path']}' end='{row['path_end']} '/></result></topic>\n"
            for row in rows.to_dicts()
        )
        text = f"<inex-submission>{results}</inex-submission>"
    if rows.height:
        assert (
            parts(again(known, text.encode())) == rows.select("topic", "doc", "start", "end").rows()
        )
