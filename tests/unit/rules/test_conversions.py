from __future__ import annotations

import polars as pl
import pytest

from foveal.errors import BadInput
from foveal.rules import as_documents, as_elements, graded_by_text, with_scores
from foveal.rules.conversions import normalised_paths
from foveal.tables import Origin, Qrels, Run, RunRows, refuse_unplaced
from tests.articles import ELEMENTS


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("/article", "/article[1]"),
        ("/article[1]/sec[2]", "/article[1]/sec[2]"),
        ("/article/bdy/sec[02]/p", "/article[1]/bdy[1]/sec[2]/p[1]"),
        ("/article/p/text()", "/article[1]/p[1]/text()[1]"),
        ("/article/p/text().5", "/article[1]/p[1]/text()[1].5"),
        ("/article/p/text()[3].57", "/article[1]/p[1]/text()[3].57"),
        ("/x:a/b.2", "/x:a[1]/b.2[1]"),
        (" /article[1]\n", "/article[1]"),
        (None, None),
    ],
)
def test_every_step_of_a_path_gets_its_number(path: str | None, written: str | None) -> None:
    assert normalised_paths(pl.Series([path], dtype=pl.String)).to_list() == [written]


def test_parts_become_the_smallest_elements_around_them() -> None:
    rows = [("9996", 8, 25), ("9996", 9, 12), ("9996", 20, 30), ("9996", 9, 9), ("22478", -1, -1)]
    run = Run.from_dicts(
        [{"topic": "1", "doc": doc, "start": start, "end": end} for doc, start, end in rows]
    )
    widened, grown = as_elements(run, ELEMENTS)
    assert grown == 2
    assert widened.frame.select("start", "end", "path").rows() == [
        (8, 25, "/article[1]/bdy[1]/sec[1]"),
        (8, 25, "/article[1]/bdy[1]/sec[1]"),
        (7, 51, "/article[1]/bdy[1]"),
        (9, 9, None),
        (-1, -1, None),
    ]


def test_parts_outside_of_all_elements_are_refused() -> None:
    run = Run.from_dicts([{"topic": "1", "doc": "9996", "start": 40, "end": 60}])
    with pytest.raises(
        BadInput, match="run:1: no element of document '9996' contains characters 40 to 60"
    ):
        as_elements(run, ELEMENTS)


def part(doc: str, start: int | None = 0, end: int | None = 9, **more: object) -> dict[str, object]:
    return {"topic": "1", "doc": doc, "start": start, "end": end, **more}


def test_documents_are_ranked_where_their_first_part_is() -> None:
    rows = [part("b", -1, -1), part("a", 3, 3), part("b"), part("c"), part("a")]
    run = as_documents(
        Run.of(RunRows(frame=pl.DataFrame(rows), name="run"), origin=Origin(format="inex"))
    )
    assert run.whole_documents_only
    assert run.frame["doc"].to_list() == ["b", "a", "c"]
    assert run.frame["score"].null_count() == run.frame["rank"].null_count() == 3
    assert not run.notes


@pytest.mark.parametrize(
    ("scores", "written"),
    [
        ([5.0, 4.0, 4.0, -1.0], [5.0, 4.0, -1.0]),
        ([5.0, 4.0, 3.0, 4.0], [1.0, 1 / 2, 1 / 3]),
        ([5.0, 4.0, 3.0, 4.5], [1.0, 1 / 2, 1 / 3]),
        ([1 + 2e-9, 1 + 1e-9, 0.0, 0.5], [1.0, 1 / 2, 1 / 3]),
        ([1e300, 1e299, 0.0, 0.5], [1.0, 1 / 2, 1 / 3]),
    ],
)
def test_documents_keep_scores_that_rank_them_without_ties(
    scores: list[float], written: list[float]
) -> None:
    names = ["a", "b", "a", "c"]
    rows = [
        part(doc, score=own, rank=n)
        for n, (doc, own) in enumerate(zip(names, scores, strict=True), 5)
    ]
    run = as_documents(Run.from_dicts(rows))
    assert run.frame.select("doc", "rank").rows() == [("a", 1), ("b", 2), ("c", 3)]
    assert run.frame["score"].to_list() == written
    note = "scores are 1/rank, because the scores of the first parts alone do not give this ranking"
    assert run.notes == (() if written[0] > 1 else (note,))


def test_texts_and_paths_of_parts_are_not_those_of_documents() -> None:
    rows = [{"topic": "1", "doc": "a", "text": "one"}, {"topic": "1", "doc": "a", "text": "two"}]
    run = as_documents(Run.from_dicts(rows))
    refuse_unplaced(run)
    assert (run.whole_documents_only, run.frame.height) == (True, 1)
    assert {"text", "path"}.isdisjoint(run.frame.columns)


def test_scores_fall_with_the_place() -> None:
    rows = [{"topic": "1", "doc": "a", "rank": 9}, {"topic": "1", "doc": "b", "rank": 3}]
    run = with_scores(Run.from_dicts(rows))
    assert run.frame["score"].to_list() == [0.5, 1.0]
    scored = run.with_frame(run.frame.with_columns(pl.Series("score", [4.0, 3.0])))
    assert with_scores(scored) is scored


def test_highlights_become_grades_by_their_number_of_characters() -> None:
    judged = {"topic": "1", "length": 900}
    qrels = Qrels.from_dicts(
        [
            {**judged, "doc": "a", "highlights": [[0, 200], [300, 400]]},
            {**judged, "doc": "b", "highlights": [[0, 299]]},
            {**judged, "doc": "c", "highlights": []},
        ]
    )
    graded = graded_by_text(qrels, 300)
    assert graded.documents["grade"].to_list() == [1.0, 0.0, 0.0]
    assert not graded.has_highlights
