from __future__ import annotations

import polars as pl
import pytest

from foveal.elements import Elements
from foveal.elements.resolution import Unresolved
from tests.element_tables import elements_of

DOCUMENTS = {
    "one": b"<a>x<b>yy</b>z<!-- c -->w<b/><c>q<b>e</b></c></a>",
    "void": b"<r/>",
    "same": b"<a><b><c>text</c></b><c/></a>",
}


@pytest.fixture
def elements() -> Elements:
    return elements_of(DOCUMENTS)


def _spans(elements: Elements, *asked: tuple[str | None, ...]) -> list[tuple[object, ...]]:
    rows = [(*row, None)[:3] for row in asked]
    frame = pl.DataFrame(
        rows, schema={"doc": pl.String, "path": pl.String, "path_end": pl.String}, orient="row"
    )
    return elements.spans(frame).rows()


def test_steps_without_a_number_are_the_first(elements: Elements) -> None:
    ways = ["/a/b", "/a[1]/b", "/a/b[1]", "/a[01]/b[001]", " /a/b "]
    assert set(_spans(elements, *(("one", way) for way in ways))) == {(1, 3, None)}


def test_a_range_goes_from_the_start_of_one_to_the_end_of_the_other(elements: Elements) -> None:
    assert _spans(
        elements,
        ("one", "/a/b", "/a/c/b"),
        ("one", "/a/text()[3].1", "/a/c/text().1"),
        ("one", "/a/text()[2].0", "/a/text()[2].0"),
        ("one", "/a/c", "/a"),
        ("one", "/a/b", None),
    ) == [(1, 7, None), (5, 6, None), (3, 3, None), (5, 7, None), (1, 3, None)]


@pytest.mark.parametrize(
    ("reference", "problem"),
    [
        (("nobody", "/a"), Unresolved.NO_DOCUMENT),
        ((None, "/a"), Unresolved.NO_DOCUMENT),
        (("one", None), Unresolved.NO_PATH),
        (("one", ""), Unresolved.NO_PATH),
        (("one", "/"), Unresolved.NO_PATH),
        (("one", "a"), Unresolved.NO_PATH),
        (("one", "//b"), Unresolved.NO_PATH),
        (("one", "/a/"), Unresolved.NO_PATH),
        (("one", "/a/@id"), Unresolved.NO_PATH),
        (("one", "/a/*[1]"), Unresolved.NO_PATH),
        (("one", "/a/b[last()]"), Unresolved.NO_PATH),
        (("one", "/a/b[-1]"), Unresolved.NO_PATH),
        (("one", "/a/b[9999999999]"), Unresolved.NO_PATH),
        (("one", "/a/b[\N{ARABIC-INDIC DIGIT ONE}]"), Unresolved.NO_PATH),
        (("one", "/text()[1]"), Unresolved.NO_PATH),
        (("one", "/a/text()[1]/b"), Unresolved.NO_PATH),
        (("one", "/a.5/text()"), Unresolved.NO_ELEMENT),
        (("one", "/a/b[0]"), Unresolved.NO_ELEMENT),
        (("one", "/A"), Unresolved.NO_ELEMENT),
        (("one", "/a" * 3000), Unresolved.NO_ELEMENT),
        (("void", "/r/text()"), Unresolved.NO_TEXT),
        (("one", "/a/text()[0].1"), Unresolved.NO_TEXT),
        (("one", "/a/text()[1].2"), Unresolved.NO_CHARACTER),
        (("one", "/a/text()[1].999999999999999999"), Unresolved.NO_CHARACTER),
        (("one", "/a/c", "/a/b"), Unresolved.BACKWARDS),
        (("one", "/a/b", "nonsense"), Unresolved.NO_PATH),
        (("one", "/a/b[7]", "nonsense"), Unresolved.NO_ELEMENT),
    ],
)
def test_what_has_no_span_says_why(
    elements: Elements, reference: tuple[str | None, ...], problem: Unresolved
) -> None:
    assert _spans(elements, reference) == [(None, None, problem)]


def test_spans_beside_their_documents_meet_nothing_of_the_neighbours(elements: Elements) -> None:
    spans = pl.DataFrame(
        {"doc": ["void", "same", "same"], "start": [-9, -9, 99], "end": [9, 4, 120]}
    )
    assert elements.largest_inside(spans).rows() == [(1, "/a[1]", 0, 4)]
    assert elements.leaves_inside(spans).rows() == [(1, "/a[1]/b[1]/c[1]", 0, 4)]
    assert elements.smallest_containing(spans)["path"].to_list() == [None, None, None]


def test_of_equal_spans_the_outermost_is_the_answer(elements: Elements) -> None:
    spans = pl.DataFrame({"doc": ["same", "same"], "start": [1, 4], "end": [2, 4]})
    assert elements.smallest_containing(spans)["path"].to_list() == ["/a[1]", "/a[1]"]


def test_nulls_among_spans_are_no_spans(elements: Elements) -> None:
    spans = pl.DataFrame({"doc": ["same", None], "start": [None, 0], "end": [2, 1]})
    assert elements.smallest_containing(spans).rows() == [(None, None, None)] * 2
    assert elements.largest_inside(spans).height == 0


def test_joined_tables_answer_like_one() -> None:
    parts = [elements_of({name: document}) for name, document in DOCUMENTS.items()]
    whole, joined = elements_of(DOCUMENTS), Elements.concatenated(parts)
    documents = pl.Series(list(DOCUMENTS))
    assert joined.rows_of(documents).equals(whole.rows_of(documents))
    asked = ("one", "/a/text()[3]")
    assert _spans(joined, asked) == _spans(whole, asked) == [(4, 5, None)]
