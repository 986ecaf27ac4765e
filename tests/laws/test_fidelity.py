"""What the fidelity lab must find on any judgements."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given

from foveal.elements import Elements
from foveal.studies import NOISES, PART_SETS, RANKINGS, DemoWorld, Fidelity, fidelity
from foveal.tables import EQUAL_WITHIN, Qrels
from tests.element_tables import elements_of
from tests.examples import examples
from tests.fidelity_worlds import LabWorld, lab_worlds

MEASURES = ["AgP", "AgPt", "AP", "gR@1", "gR@2", "gR@10", "gP@1"]
SETS = list(PART_SETS)
RANKED = [name for name, record in RANKINGS.items() if record.by_default]
RANKING_STEPS_KEPT = {
    ("R", "RI"), ("RS", "RSI"), ("R", "RI2"), ("RS", "RSI2"), ("RI2", "RI"), ("RSI2", "RSI"),
}  # fmt: skip
Judged = tuple[Qrels, Elements]


@pytest.fixture(scope="module")
def demo(whole_demo: DemoWorld) -> Judged:
    articles = {article.id: article.xml.encode() for article in whole_demo.articles}
    return whole_demo.qrels, elements_of(articles)


@pytest.fixture(scope="module")
def demo_found(demo: Judged) -> Fidelity:
    return fidelity(*demo, MEASURES)


def _scores(found: Fidelity) -> dict[tuple[str, str], float]:
    return {(run, measure): value for run, measure, value in found.scores.iter_rows()}


def _obeys(found: Fidelity) -> None:
    for pair in found.orderings.iter_rows(named=True):
        first, second = (pair[side].split(".") for side in ("first", "second"))
        steps_down = first[0] != second[0] or (first[1], second[1]) in RANKING_STEPS_KEPT
        if pair["measure"] == "AgP" and steps_down:
            assert pair["verdict"] != "violated", pair
            assert pair["worse"] == 0, pair
        if pair["measure"] == "AP" and first[0] != second[0]:
            assert pair["verdict"] == "not distinguished", pair
        assert (pair["p"] is None) or 0 < pair["p"] <= 1
        if pair["better"] + pair["worse"] == 0:
            assert pair["verdict"] == "not distinguished"
            assert pair["p"] is None


def _identities(scores: dict[tuple[str, str], float]) -> None:
    near = pytest.approx
    assert scores["S.R", "AgP"] == near(1, abs=1e-12)
    assert scores["S.RS", "AgP"] == near(1, abs=1e-12)
    assert scores["S.R", "AgPt"] == near(1, abs=1e-12)
    for name in SETS:
        assert scores[f"{name}.R", "AP"] == scores[f"{name}.RS", "AP"] == near(1, abs=1e-12)
        assert scores[f"{name}.RI", "AP"] == near(scores["S.RI", "AgP"], abs=1e-12)
        for ranked in RANKED:
            for measure in ("gR@1", "gR@2", "gR@10"):
                assert scores[f"{name}.{ranked}", measure] == scores[f"S.{ranked}", measure]


@examples(12)
@given(lab_worlds())
def test_identities_and_laws_on_any_world(world: LabWorld) -> None:
    found = fidelity(world.qrels, world.elements, MEASURES)
    assert found.verdicts["pairs"].to_list() == [36] * len(MEASURES)
    _identities(_scores(found))
    _obeys(found)


@examples(12)
@given(lab_worlds())
def test_more_text_first_is_punished_behind_an_intruder_by_agpt(world: LabWorld) -> None:
    found = fidelity(world.qrels, None, ["AgPt"])
    own = found.orderings.filter(first="S.RI", second="S.RSI").row(0, named=True)
    unequal = _topics_with_unequal_top_two(world.qrels)
    assert own["worse"] == unequal
    assert own["better"] == 0
    assert own["verdict"] == ("violated" if unequal else "not distinguished")


@examples(12)
@given(lab_worlds())
def test_an_intruder_after_the_first_document_upsets_no_measure(world: LabWorld) -> None:
    """Behind one, AgPt prefers the smaller of two perfect documents; around one it does not."""
    found = fidelity(world.qrels, world.elements, ["AgP", "AgPt"], rankings=list(RANKINGS))
    assert found.verdicts["pairs"].to_list() == [4 * 6 + 7 * 5] * 2
    _obeys(found)
    own = found.orderings.filter(measure="AgPt", first="S.RI2", second="S.RSI2").row(0, named=True)
    assert (own["better"], own["worse"]) == (_topics_with_unequal_top_two(world.qrels), 0)


@examples(12)
@given(lab_worlds())
def test_no_run_of_elements_reaches_more_than_the_best_one(world: LabWorld) -> None:
    best = fidelity(world.qrels, world.elements, ["AP"], best=True).best
    assert best["run"].to_list() == [
        "best-elements",
        "best-documents",
        *(f"{name}.R" for name in SETS),
    ]
    assert best["exact"].to_list() == [True, True] + [None] * len(SETS)
    share = dict(best.select("run", "share").iter_rows())
    assert share.pop("S.R") >= 1 - EQUAL_WITHIN
    assert max(share.values()) <= 1 + EQUAL_WITHIN
    assert share["SLD.R"] <= share["best-documents"] + EQUAL_WITHIN


def _topics_with_unequal_top_two(qrels: Qrels) -> int:
    size = qrels.passages.group_by("judged").agg((pl.col("end") - pl.col("start")).sum())
    sizes = qrels.documents.with_row_index("judged").join(size, on="judged")
    top = sizes.sort("end", descending=True).group_by("topic").agg(pl.col("end").head(2))
    return sum(len(pair) == 2 and pair[0] != pair[1] for pair in top["end"].to_list())


def test_identities_and_laws_on_the_demo(demo_found: Fidelity) -> None:
    assert demo_found.orderings.height == 36 * len(MEASURES)
    _identities(_scores(demo_found))
    _obeys(demo_found)
    own = demo_found.orderings.filter(measure="AgPt", first="S.RI", second="S.RSI")
    assert own["verdict"].to_list() == ["violated"]
    # On real text the covers are not only not violated: every one is told apart.
    kept = demo_found.verdicts.filter(measure="AgP")["kept"].item()
    assert kept >= 26


def test_the_highlights_have_a_perfect_curve_and_nothing_beats_it(demo_found: Fidelity) -> None:
    curves = demo_found.curves.pivot(on="run", index="level", values="value")
    assert curves["S.R"].to_list() == pytest.approx([1] * 11, abs=1e-12)
    for better, worse in [("S", "SL"), ("SL", "SLD"), ("S", "SS"), ("SS", "SST")]:
        assert (curves[f"{better}.R"] >= curves[f"{worse}.R"] - EQUAL_WITHIN).all()
    assert all(
        (curves[name].diff().drop_nulls() <= EQUAL_WITHIN).all() for name in curves.columns[1:]
    )


@examples(10)
@given(lab_worlds())
def test_what_only_spoils_never_helps(world: LabWorld) -> None:
    noises = ["pad", "drop", "shuffle"]
    found = fidelity(world.qrels, None, ["AgP", "AP"], noise=noises, samples=2, rng=1)
    rise = found.sensitivities.filter(pl.col("noise").is_in(["pad", "drop"]))["rise"]
    assert (rise <= EQUAL_WITHIN).all()
    clean = found.responses.filter(pl.col("strength") == 0)
    assert clean["value"].to_list() == pytest.approx([1] * clean.height, abs=1e-12)
    assert (found.responses["value"] <= 1 + EQUAL_WITHIN).all()


def test_every_noise_is_felt_by_agp_on_the_demo(demo: Judged) -> None:
    found = fidelity(*demo, ["AgP", "AP", "AgPt"], noise=list(NOISES), samples=3, rng=3)
    lost = found.sensitivities.filter(measure="AgP")
    assert lost["noise"].to_list() == list(NOISES)
    assert (lost["loss"] > 0.001).all()
    assert (lost["rise"] <= 0.002).all()
    blind = found.sensitivities.filter(pl.col("noise") != "shuffle", measure="AP")
    assert blind["loss"].to_list() == [0] * len(blind)
