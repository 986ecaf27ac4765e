"""Elements against what lxml says of the same documents, and reverse look-ups against loops."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.elements.resolution import Unresolved
from tests.element_tables import elements_of
from tests.examples import examples
from tests.oracles.xml_twin import Seen, seen
from tests.xml_strategies import documents

# Every test runs with both scanners.
pytestmark = pytest.mark.usefixtures("scanner")

# A document has some eight elements, and every one of them is looked at.
few = examples(50)
REFERENCES = {"doc": pl.String, "path": pl.String, "path_end": pl.String}


@few
@given(st.lists(documents(), min_size=1, max_size=3))
def test_every_element_has_the_span_and_path_that_lxml_sees(found: list[bytes]) -> None:
    named = {f"d{number}": document for number, document in enumerate(found)}
    expected = [
        (name, element.path, element.start, element.end)
        for name, document in named.items()
        for element in seen(document)
    ]
    elements = elements_of(named)
    assert elements.rows_of(pl.Series(list(named))).rows() == expected
    lengths = [seen(document)[0].end for document in found]
    assert elements.lengths(pl.Series(list(named))).to_list() == lengths
    asked = pl.DataFrame(
        [(name, path, None) for name, path, _, _ in expected], schema=REFERENCES, orient="row"
    )
    resolved = elements.spans(asked)
    assert resolved.rows() == [(start, end, None) for _, _, start, end in expected]


@few
@given(documents())
def test_text_nodes_and_points_are_those_of_xpath(document: bytes) -> None:
    asked, expected = [], []
    for element in seen(document):
        for number, (start, end) in enumerate(element.texts, 1):
            path = f"{element.path}/text()[{number}]"
            asked += [path, f"{path}.0", f"{path}.{end - start}", f"{path}.{end - start + 1}"]
            expected += [
                (start, end, None), (start, start, None), (end, end, None),
                (None, None, Unresolved.NO_CHARACTER),
            ]  # fmt: skip
        asked.append(f"{element.path}/text()[{len(element.texts) + 1}]")
        expected.append((None, None, Unresolved.NO_TEXT))
    frame = pl.DataFrame({"doc": "d", "path": asked, "path_end": None}, schema=REFERENCES)
    assert elements_of({"d": document}).spans(frame).rows() == expected


@few
@given(documents(), st.data())
def test_reverse_look_ups_are_what_loops_find(document: bytes, data: st.DataObject) -> None:
    known = seen(document)
    length = known[0].end
    offset = st.integers(0, length + 1)
    spans = data.draw(st.lists(st.tuples(offset, offset).map(sorted), min_size=1, max_size=5))
    frame = pl.DataFrame(
        {"doc": "d", "start": [s for s, _ in spans], "end": [e for _, e in spans]},
        schema={"doc": pl.String, "start": pl.Int64, "end": pl.Int64},
    )
    elements = elements_of({"other": b"<r>text<p>more</p></r>", "d": document})
    around = [_smallest(known, start, end, length) for start, end in spans]
    assert elements.smallest_containing(frame).rows() == around
    for found, twin in (
        (elements.largest_inside(frame), _largest),
        (elements.leaves_inside(frame), _leaves),
    ):
        expected = [
            (row, *_told(element))
            for row, (start, end) in enumerate(spans)
            for element in twin(known, start, end)
        ]
        assert found.rows() == expected


@few
@given(st.lists(documents(), min_size=1, max_size=3), st.data())
def test_the_points_of_spans_lead_back_to_them(found: list[bytes], data: st.DataObject) -> None:
    named = {f"d{number}": document for number, document in enumerate(found)}
    rows = []
    for name, document in named.items():
        offset = st.integers(0, seen(document)[0].end)
        rows += [(name, *sorted(data.draw(st.tuples(offset, offset)))) for _ in range(4)]
    spans = pl.DataFrame(
        rows, schema={"doc": pl.String, "start": pl.Int64, "end": pl.Int64}, orient="row"
    )
    elements = elements_of(named)
    points = elements.points(spans)
    back = elements.spans(spans.select("doc").with_columns(points))
    has_text = elements.lengths(spans["doc"]) > 0
    assert back.filter(has_text).rows() == [
        (*row[1:], None) for row in spans.filter(has_text).rows()
    ]
    assert points.filter(~has_text)["path"].null_count() == int((~has_text).sum())


def _told(element: Seen) -> tuple[str, int, int]:
    return element.path, element.start, element.end


def _smallest(
    known: list[Seen], start: int, end: int, length: int
) -> tuple[str | None, int | None, int | None]:
    if start == end:
        start, end = (start - 1, end) if start == length else (start, end + 1)
    around = [e for e in known if start >= 0 and e.start <= start and end <= e.end]
    if not around:
        return None, None, None
    # Document order: of equal spans the first is the outermost.
    return _told(min(around, key=lambda e: e.end - e.start))


def _inside(known: list[Seen], start: int, end: int) -> list[Seen]:
    return [e for e in known if start <= e.start < e.end <= end]


def _largest(known: list[Seen], start: int, end: int) -> list[Seen]:
    inside = _inside(known, start, end)
    return [e for e in inside if not any(e.path.startswith(other.path + "/") for other in inside)]


def _leaves(known: list[Seen], start: int, end: int) -> list[Seen]:
    return [e for e in _inside(known, start, end) if e.is_leaf]
