"""The best runs of elements and of whole documents, by hand."""

from __future__ import annotations

from doctest import DocTestFinder, DocTestRunner
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import foveal
from foveal.collection import build_index
from foveal.elements import Elements
from foveal.studies import best_runs, fidelity
from foveal.tables import Run
from tests.element_tables import elements_of


def _judged(*documents: tuple[str, str, list[list[int]]]) -> list[dict[str, Any]]:
    return [
        {"topic": topic, "doc": doc, "length": 10, "highlights": spans}
        for topic, doc, spans in documents
    ]


@pytest.fixture
def elements() -> Elements:
    return elements_of(
        {
            "d1": b"<a>0<p>12</p>3<p>4<b>5</b></p>6789</a>",
            "d2": b"<a>0123456789</a>",
            "d3": b"<a>0123456789</a>",
        }
    )


BEST = {
    "elements inside and around": (b"<a>0<p>12</p>3<p>4<b>5</b></p>6789</a>", [[1, 5]], [(1, 3), (4, 6)]),
    "one element rather than its parts": (b"<a>0<s><p>12</p><p>34</p></s>5</a>", [[1, 5]], [(1, 5)]),
    "of equal spans the outermost": (b"<a>0<s><p>12</p></s>3</a>", [[1, 3]], [(1, 3)]),
    "text that is not highlighted where it costs less": (b"<a><p>0123</p>4567<p>8</p></a>", [[1, 4], [8, 9]], [(0, 4), (8, 9)]),
    "the whole document where all is relevant": (b"<a>0<p>1</p>2</a>", [[0, 3]], [(0, 3)]),
}  # fmt: skip


@pytest.mark.parametrize("case", BEST)
def test_the_best_elements_by_hand(case: str) -> None:
    xml, spans, expected = BEST[case]
    elements = elements_of({"d": xml})
    length = int(elements.nesting.length[0])
    rows = [{"topic": "1", "doc": "d", "length": length, "highlights": spans}]
    best, whole = best_runs(rows, elements)
    assert best.frame.select("start", "end").rows() == expected
    assert whole.frame.select("start", "end").rows() == [(0, length)]


def test_the_best_runs_rank_by_how_well_documents_fit(elements: Elements) -> None:
    rows = _judged(("1", "d1", [[1, 3]]), ("1", "d2", [[0, 8]]), ("1", "d3", []))
    best, whole = best_runs(rows, elements)
    assert best.frame.select("doc", "start", "end").rows() == [("d1", 1, 3), ("d2", 0, 10)]
    assert whole.frame["doc"].to_list() == ["d2", "d1"]
    found = fidelity(rows, elements, "AgP", best=True)
    # d1 is perfect, d2 has an F of 8/9; whole, d1 has one of 1/3.
    assert found.best["value"][:2].to_list() == pytest.approx(
        [(1 + (1 + 8 / 9) / 2) / 2, (8 / 9 + (8 / 9 + 1 / 3) / 2) / 2]
    )
    assert [run.name for run in found.best_runs] == ["best-elements", "best-documents"]
    assert "exact for AgP with S=F" in found.notes[-1]
    assert fidelity(rows, elements, "AgP").best.height == 0


def test_a_document_in_which_no_element_helps_keeps_its_rank() -> None:
    elements = elements_of({"d1": b"<a>01</a>", "d2": b"<a>0123456789</a>"})
    rows = [
        {"topic": "1", "doc": "d1", "length": 20, "highlights": [[5, 9]]},
        {"topic": "1", "doc": "d2", "length": 10, "highlights": [[0, 9]]},
    ]
    best, _ = best_runs(rows, elements)
    assert best.frame.select("doc", "start", "end").rows() == [("d2", 0, 10), ("d1", 0, 0)]


def test_where_text_counts_every_time_the_best_runs_are_only_bounds(elements: Elements) -> None:
    rows = _judged(("1", "d1", [[1, 5]]), ("1", "d2", []))
    found = fidelity(rows, elements, "AgP", best=True, like="legalbenchrag")
    assert found.best["exact"][:2].to_list() == [False, False]
    assert "are bounds: where text counts every time" in found.notes[-1]
    best, _ = found.best_runs
    parts = best.frame.select("topic", "doc", "start", "end")
    twice = Run.from_frame(pl.concat([parts, parts]), name="twice")
    scores = foveal.evaluate(rows, [best, twice], "AgP", task="ric", like="legalbenchrag")
    one, two = scores.rows(per_topic=False)["value"]
    assert two > one


def test_the_example_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.xml").write_text("<a>0<p>12</p>3<p>4<b>5</b></p>6789</a>")
    build_index(["a.xml"], "INDEX")
    (example,) = DocTestFinder().find(best_runs, globs={"best_runs": best_runs})
    assert example.examples
    assert DocTestRunner(verbose=False).run(example).failed == 0
