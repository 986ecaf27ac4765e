"""The fidelity lab on small judgements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import ttest_rel

import foveal
from foveal.elements import Elements
from foveal.errors import BadInput, DataError, NoHighlights, UnknownLength, UsageError
from foveal.rendering import figure
from foveal.spans import Ints, moved
from foveal.studies import (
    NOISES,
    PART_SETS,
    RANKINGS,
    Fidelity,
    LabDocuments,
    Parts,
    fidelity,
    part_set,
    ranking,
)
from foveal.tables import Qrels
from tests.element_tables import elements_of

XML = {
    "d1": b"<a>0<p>12</p>3<p>4<b>5</b></p>6789</a>",
    "d2": b"<a>0123456789</a>",
    "d3": b"<a>0123456789</a>",
}


def _judged(*documents: tuple[str, str, list[list[int]]], **others: Any) -> list[dict[str, Any]]:
    return [
        {"topic": topic, "doc": doc, "length": 10, "highlights": spans, **others}
        for topic, doc, spans in documents
    ]


TWO = _judged(("1", "d1", [[1, 5]]), ("1", "d2", [[0, 8]]), ("1", "d3", []))


@pytest.fixture
def elements() -> Elements:
    return elements_of(XML)


def _run(found: Fidelity, name: str) -> list[tuple[str, int, int]]:
    run = next(run for run in found.runs if run.name == name)
    return run.frame.select("doc", "start", "end").rows()


def test_rankings_by_hand(elements: Elements) -> None:
    found = fidelity(TWO, elements, "AgP")
    assert _run(found, "S.R") == [("d2", 0, 8), ("d1", 1, 5)]
    assert _run(found, "S.RS") == [("d1", 1, 5), ("d2", 0, 8)]
    assert _run(found, "S.RI") == [("d3", 0, 10), ("d2", 0, 8), ("d1", 1, 5)]
    assert _run(found, "S.RSI") == [("d3", 0, 10), ("d1", 1, 5), ("d2", 0, 8)]
    assert _run(found, "SLD.RSI") == [("d3", 0, 10), ("d1", 0, 10), ("d2", 0, 10)]


def test_the_intruder_comes_second_where_that_is_asked_for(elements: Elements) -> None:
    found = fidelity(TWO, elements, "AgP", rankings=["RSI2", "R", "RI2"])
    assert found.settings["rankings"] == "R RI2 RSI2"
    assert _run(found, "S.RI2") == [("d2", 0, 8), ("d3", 0, 10), ("d1", 1, 5)]
    assert _run(found, "S.RSI2") == [("d1", 1, 5), ("d3", 0, 10), ("d2", 0, 8)]
    assert [run.name for run in found.runs[:3]] == ["S.R", "S.RI2", "S.RSI2"]
    pairs = found.orderings.select("first", "second").rows()
    assert ("S.R", "S.RI2") in pairs
    assert ("S.RI2", "S.RSI2") in pairs
    # RS, which lies between, is not tried, but R is not just better than RSI2 as RI2 is better.
    assert ("S.R", "S.RSI2") not in pairs


def test_the_intruder_follows_a_single_relevant_document() -> None:
    rows = _judged(("1", "d1", [[1, 5]]), ("1", "d2", []))
    found = fidelity(rows, None, "AgP", rankings=["RI2", "RSI2"])
    assert _run(found, "S.RSI2") == _run(found, "S.RI2") == [("d1", 1, 5), ("d2", 0, 10)]
    # The curves are of the best ranking that is tried.
    assert found.curves["run"].unique(maintain_order=True).to_list() == ["S.RI2", "SLD.RI2"]


def test_a_document_without_parts_keeps_its_rank(elements: Elements) -> None:
    found = fidelity(TWO, elements, ["AgP", "gR@1"])
    assert _run(found, "SS.R") == [("d2", 0, 0), ("d1", 1, 3)]
    assert "SS has no parts in 1 of 2 relevant documents, which keep their rank" in found.notes[0]


def test_equal_documents_rank_as_the_judgements_list_them() -> None:
    rows = _judged(("1", "d2", [[0, 4]]), ("1", "d1", [[2, 6]]), ("1", "d3", [[0, 4]]))
    found = fidelity(rows, None, "AgP")
    assert [doc for doc, _, _ in _run(found, "S.R")] == ["d2", "d1", "d3"]
    assert [doc for doc, _, _ in _run(found, "S.RS")] == ["d1", "d2", "d3"]


def test_one_relevant_document_cannot_be_swapped() -> None:
    found = fidelity(_judged(("1", "d1", [[1, 5]]), ("1", "d2", [])), None, "AgP")
    assert _run(found, "S.RS") == _run(found, "S.R")
    assert _run(found, "S.RSI") == _run(found, "S.RI")


def test_an_intruder_is_made_up_where_nobody_judged_one() -> None:
    rows = [
        {"topic": "1", "doc": doc, "length": length, "highlights": [[0, 2]]}
        for doc, length in (("made-up-1", 3), ("b", 20), ("c", 7), ("d", 10))
    ]
    found = fidelity(rows, None, "AgP")
    assert _run(found, "S.RI")[0] == ("made-up-made-up-1", 0, 8)
    assert "1 of 1 topic has no judged document without highlights to insert" in found.notes[1]


def test_without_elements_the_other_part_sets_are_tried() -> None:
    found = fidelity(TWO)
    assert found.settings["part sets"] == "S SLD"
    assert {run.name for run in found.runs} == {
        f"{name}.{ranked}" for name in ("S", "SLD") for ranked in ("R", "RS", "RI", "RSI")
    }
    # S is still expected to be better than SLD, though SL, which lies between, is left out.
    assert ("S.R", "SLD.R") in found.orderings.select("first", "second").rows()
    assert found.verdicts["pairs"].unique().to_list() == [12]
    assert "SL, SS, SST need an offset index" in found.notes[0]


def test_the_measures_are_the_papers_unless_others_are_asked_for() -> None:
    found = fidelity(TWO)
    assert found.measures == [
        "gP@1", "gP@2", "gP@10", "gR@1", "gR@2", "gR@10", "AgP", "gRt@1", "gRt@2", "gRt@10",
        "AgPt", "AP",
    ]  # fmt: skip
    assert found.shown == ("AgP", "AgPt", "AP")
    assert fidelity(TWO, None, ["MAiP", "P@1"]).shown == ("AiP", "P@1")


def test_orderings_by_hand() -> None:
    found = fidelity(TWO, None, ["AgP", "AP"]).orderings
    own = found.filter(measure="AgP", first="S.R", second="SLD.R").row(0, named=True)
    # Documents whole: F is 16/18 and 8/14; gP 8/9 and (8/9 + 4/7)/2; AgP their mean.
    expected = (8 / 9 + (8 / 9 + 4 / 7) / 2) / 2
    assert own["difference"] == pytest.approx(100 * (1 - expected))
    assert (own["better"], own["equal"], own["worse"]) == (1, 0, 0)
    assert own["p"] is None  # a single topic has no spread
    assert own["verdict"] == "kept"
    same = found.filter(measure="AP", first="S.R", second="SLD.R").row(0, named=True)
    assert (same["difference"], same["p"], same["verdict"]) == (0, None, "not distinguished")


def test_less_is_better_for_some_measures() -> None:
    found = fidelity(TWO, None, ["ESL"]).orderings.filter(first="S.R", second="S.RI")
    own = found.row(0, named=True)
    assert own["difference"] == -100
    assert (own["better"], own["verdict"]) == (1, "kept")


def test_p_is_that_of_scipy() -> None:
    rows = [
        row
        for topic in range(6)
        for row in _judged(
            (str(topic), "d1", [[0, 2 + topic]]),
            (str(topic), "d2", [[3, 9]]),
            (str(topic), "d3", []),
        )
    ]
    found = fidelity(rows, None, "AgP")
    scores = foveal.evaluate(rows, list(found.runs), "AgP", task="ric").per_topic()
    by_run = {name: own["value"].to_list() for (name,), own in scores.group_by("run")}
    tested = 0
    for pair in found.orderings.drop_nulls("p").iter_rows(named=True):
        expected = ttest_rel(by_run[pair["first"]], by_run[pair["second"]]).pvalue
        assert pair["p"] == pytest.approx(expected, rel=1e-9)
        tested += 1
    assert tested > 5


def test_grades_that_contradict_highlights_are_set_aside() -> None:
    rows = [
        {"topic": "1", "doc": "d1", "length": 10, "highlights": [[1, 5]], "grade": 0},
        {"topic": "1", "doc": "d2", "length": 10, "highlights": [], "grade": 2},
        {"topic": "2", "doc": "d2", "length": 10, "highlights": [], "grade": 1},
    ]
    found = fidelity(rows, None, ["AP"])
    values = dict(found.scores.select("run", "value").rows())
    assert values["S.R"] == 1
    assert values["S.RI"] == 0.5
    ignored = "grades that contradict the highlights of their document are ignored: 3"
    assert any(ignored in note for note in found.notes)
    assert any("left out 1 topic with nothing relevant: 2" in note for note in found.notes)


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        (_judged(("1", "d1", [])), NoHighlights, "have no highlights"),
        (_judged(("1", "zz", [[0, 3]])), DataError, "1 document with highlights missing from the offset index, first 'zz'"),
        ([{"topic": "1", "doc": "d1", "length": 5, "highlights": [[0, 3]]}], DataError,
         r"first 'd1' \(10 and 5 characters\)"),
        (_judged(("1", "d1", [[5, 20]])), BadInput, "goes beyond the end"),
    ],
)  # fmt: skip
def test_judgements_that_cannot_be_used(
    rows: list[dict[str, Any]], error: type[Exception], message: str, elements: Elements
) -> None:
    with pytest.raises(error, match=message):
        fidelity(rows, elements)


def test_lengths_come_from_the_elements_where_the_judgements_have_none(elements: Elements) -> None:
    rows = [{key: row[key] for key in row if key != "length"} for row in TWO]
    found = fidelity(rows, elements, ["AgP", "AiP"])
    assert _run(found, "SLD.RI") == [("d3", 0, 10), ("d2", 0, 10), ("d1", 0, 10)]
    with pytest.raises(UnknownLength):
        fidelity(rows, None, ["AgP"])


def test_highlights_beyond_the_elements_are_noted(elements: Elements) -> None:
    rows = [{"topic": "1", "doc": "d1", "length": 20, "highlights": [[5, 15]]}]
    found = fidelity(rows, elements, "AgP")
    assert _run(found, "SL.R") == [("d1", 0, 0)]
    assert any("1 judged document shorter in the offset index" in note for note in found.notes)


def test_noise_where_overlap_is_refused() -> None:
    rows = _judged(("1", "d1", [[1, 3], [5, 6]]), ("1", "d2", []))
    found = fidelity(rows, None, "AgP", like="inex_eval", noise=["pad", "shift"])
    assert found.responses.height == 16


def test_refused_words() -> None:
    with pytest.raises(
        UsageError, match=r"must be an offset index, opened with foveal.open_index, got 'wiki"
    ):
        fidelity(TWO, "wikipedia.index")  # type: ignore[arg-type]  # what people may try
    with pytest.raises(UsageError, match="unknown noise 'thunder': choose from drop, pad, shift"):
        fidelity(TWO, noise="thunder")
    with pytest.raises(UsageError, match="samples must be a whole number, 1 or more, got 0"):
        fidelity(TWO, noise="drop", samples=0)
    with pytest.raises(
        UsageError, match=r"unknown ranking 'RI3' \(did you mean RI\?\): choose from R,"
    ):
        fidelity(TWO, rankings=["R", "RI3"])
    with pytest.raises(UsageError, match=r"needs the elements.*\(--elements INDEX\)"):
        fidelity(TWO, best=True)
    with pytest.raises(UsageError, match="not a mean over topics"):
        fidelity(TWO, None, ["AgP", "NumRet"])


@pytest.fixture
def added() -> Iterator[None]:
    """A sixth part set and a fifth ranking, as a researcher would write them in a file."""

    @part_set(name="SH", title="first halves", below=("S",))
    def first_halves(ground: LabDocuments) -> Parts:
        """The first half of every passage."""
        spans = ground.passages
        return Parts(spans.document, spans.start, (spans.start + spans.end) // 2)

    @ranking(name="RR", title="reversed", below=("RS",))
    def reversed_ranking(ground: LabDocuments) -> Ints:
        """Least highlighted text first."""
        return ground.relevant[
            np.lexsort((-ground.places(ground.relevant), ground.topic[ground.relevant]))
        ]

    yield
    del PART_SETS["SH"], RANKINGS["RR"]


@pytest.mark.usefixtures("added")
def test_a_researcher_adds_a_part_set_and_a_ranking(elements: Elements) -> None:
    found = fidelity(TWO, elements, ["AgP"])
    assert len(found.runs) == 30
    # Set covers 5 × 5 rankings, ranking covers 5 × 6 sets.
    assert found.orderings.height == 5 * 5 + 5 * 6
    assert _run(found, "SH.RR") == [("d1", 1, 3), ("d2", 0, 4)]
    kept = found.orderings.filter(first="S.R", second="SH.R")["verdict"].to_list()
    assert kept == ["kept"]
    assert figure(found, "lattice").data.height == 55


def test_moved_boundaries_stay_inside_the_document_and_never_cross() -> None:
    def of(*numbers: int) -> Ints:
        return np.array(numbers, dtype=np.int64)

    start, end = moved(
        of(5, 5, 5, 5), of(8, 8, 8, 8), of(-9, 2, 2, 0), of(9, -2, 0, 90), of(10, 10, 10, -1)
    )
    assert list(zip(start.tolist(), end.tolist(), strict=True)) == [
        (0, 10),
        (7, 7),
        (7, 8),
        (5, 98),
    ]


def test_noise_by_hand() -> None:
    found = fidelity(TWO, None, ["AgP", "charR", "gR@10"], noise=["pad", "drop"], samples=2)
    value = {
        (name, measure, strength): value
        for name, measure, strength, value, _ in found.responses.iter_rows()
    }
    # 10 characters on either side is all of every document: F is that of whole documents.
    assert value["pad", "AgP", 10] == pytest.approx((8 / 9 + (8 / 9 + 4 / 7) / 2) / 2)
    assert value["pad", "charR", 10] == 1
    assert value["drop", "AgP", 1] == 0
    assert value["drop", "gR@10", 1] == 1
    assert found.settings["noise"] == "pad drop"
    assert found.responses.filter(noise="pad")["spread"].to_list() == [0] * 3 * 8


def test_the_spread_of_a_response_is_the_deviation_of_its_samples() -> None:
    one, two = (
        fidelity(TWO, None, ["AgP"], noise=["drop"], samples=samples).responses
        for samples in (1, 2)
    )
    assert set(one["spread"]) == {0}
    # The first of two samples is the only one of one, and the second follows from their mean.
    second = 2 * two["value"] - one["value"]
    deviation = (one["value"] - second).abs() / 2**0.5
    assert two["spread"].to_list() == pytest.approx(deviation.to_list())
    assert (two["spread"] > 0).any()


def test_without_noise_the_run_is_the_perfect_one() -> None:
    found = fidelity(TWO, None, ["charF", "SetP"], noise=list(NOISES), samples=1)
    clean = found.responses.filter(pl.col("strength") == 0)
    # To shuffle means to mix in documents without highlights, which sets of results hold already.
    assert clean.filter(pl.col("noise") != "shuffle")["value"].to_list() == [1] * 6
    assert (clean.filter(noise="shuffle")["value"] < 1).all()


def test_what_a_noise_draws_does_not_depend_on_the_others() -> None:
    def tried(*names: str) -> pl.DataFrame:
        found = fidelity(TWO, None, ["AgP"], noise=names, samples=3)
        return found.responses.filter(noise="shuffle")

    alone = tried("shuffle")
    assert alone.equals(tried(*NOISES))
    assert alone.equals(tried("shuffle", "drop"))


def test_the_same_seed_draws_the_same_noise() -> None:
    def tried(seed: int) -> pl.DataFrame:
        return fidelity(
            TWO, None, ["AgP", "AiP"], noise=list(NOISES), samples=3, rng=seed
        ).responses

    first = tried(1)
    assert first.equals(tried(1))
    assert not first.equals(tried(2))


def test_in_the_lattice_better_runs_stand_above(elements: Elements) -> None:
    data = figure(fidelity(TWO, elements, ["AgP"]), "lattice").data
    assert data.height == 36
    assert (data["y"] > data["y2"]).all()
    assert data.select("x", "y", "first").unique().height == data["first"].n_unique()


def test_runs_in_every_ranking_have_places_of_their_own_in_the_lattice(elements: Elements) -> None:
    data = figure(fidelity(TWO, elements, ["AgP"], rankings=list(RANKINGS)), "lattice").data
    assert (data["y"] > data["y2"]).all()
    ends = data.select("second", "x2", "y2").rename({"second": "first", "x2": "x", "y2": "y"})
    places = pl.concat([data.select("first", "x", "y"), ends]).unique()
    assert (
        places.height == places["first"].n_unique() == places.select("x", "y").unique().height == 30
    )


def test_responses_need_noise() -> None:
    with pytest.raises(UsageError, match="--noise"):
        figure(fidelity(TWO), "responses")


def test_judgements_may_be_any_table() -> None:
    qrels = Qrels.from_dicts(TWO)
    assert fidelity(qrels).scores.equals(fidelity(TWO).scores)
