"""Pehcevski & Thom 2007, Tables 1 and 2: what does not depend on their collection, and what a

program of others makes of the same runs on judgements that we have.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.calling import foveal
from tests.element_tables import elements_of
from tests.shared import needs, shared

from foveal.formats import read_qrels
from foveal.studies import PART_SETS, DemoWorld, Fidelity, fidelity

DATA = shared("data", "inex")
QRELS = DATA / "inex2009-2010.qrels.gz"
with_data = needs(DATA)

# The rows of Table 2, in its order.
PAIRS = [
    "S.R",
    "SL.R",
    "S.R",
    "SS.R",
    "S.R",
    "S.RS",
    "S.R",
    "S.RI",
    "SL.R",
    "SLD.R",
    "SL.R",
    "SL.RS",
    "SL.R",
    "SL.RI",
    "SS.R",
    "SST.R",
    "SS.R",
    "SS.RS",
    "SS.R",
    "SS.RI",
    "S.RS",
    "SL.RS",
    "S.RS",
    "SS.RS",
    "S.RS",
    "S.RSI",
    "S.RI",
    "SL.RI",
    "S.RI",
    "SS.RI",
    "S.RI",
    "S.RSI",
    "SLD.R",
    "SLD.RS",
    "SLD.R",
    "SLD.RI",
    "SL.RS",
    "SLD.RS",
    "SL.RS",
    "SL.RSI",
    "SL.RI",
    "SLD.RI",
    "SL.RI",
    "SL.RSI",
    "SST.R",
    "SST.RS",
    "SST.R",
    "SST.RI",
    "SS.RS",
    "SST.RS",
    "SS.RS",
    "SS.RSI",
    "SS.RI",
    "SST.RI",
    "SS.RI",
    "SS.RSI",
    "S.RSI",
    "SL.RSI",
    "S.RSI",
    "SS.RSI",
    "SLD.RS",
    "SLD.RSI",
    "SLD.RI",
    "SLD.RSI",
    "SL.RSI",
    "SLD.RSI",
    "SST.RS",
    "SST.RSI",
    "SST.RI",
    "SST.RSI",
    "SS.RSI",
    "SST.RSI",
]


@pytest.fixture(scope="module")
def found(whole_demo: DemoWorld) -> Fidelity:
    articles = {article.id: article.xml.encode() for article in whole_demo.articles}
    return fidelity(whole_demo.qrels, elements_of(articles))


def test_the_36_expected_orderings_are_those_of_table_2(found: Fidelity) -> None:
    published = set(zip(PAIRS[::2], PAIRS[1::2], strict=True))
    assert len(published) == 36
    own = found.orderings.filter(measure="AgP").select("first", "second").rows()
    assert len(own) == 36
    assert set(own) == published


def test_table_1_has_the_shape_of_the_published_one(found: Fidelity) -> None:
    value = {(run, measure): value for run, measure, value in found.scores.iter_rows()}
    assert found.measures == [
        "gP@1", "gP@2", "gP@10", "gR@1", "gR@2", "gR@10", "AgP", "gRt@1", "gRt@2", "gRt@10",
        "AgPt", "AP",
    ]  # fmt: skip
    for name in PART_SETS:
        inserted, swapped = f"{name}.RI", f"{name}.RSI"
        assert value[inserted, "gP@1"] == value[swapped, "gR@1"] == value[swapped, "gRt@1"] == 0
        # An intruder moves everything down by one rank.
        assert value[inserted, "gP@2"] == pytest.approx(value[f"{name}.R", "gP@1"] / 2)
        assert value[swapped, "gP@2"] == pytest.approx(value[f"{name}.RS", "gP@1"] / 2)
        assert value[inserted, "gR@2"] == value[f"{name}.R", "gR@1"]
        assert value[inserted, "gRt@2"] == value[f"{name}.R", "gRt@1"]
        assert value[swapped, "gRt@2"] == value[f"{name}.RS", "gRt@1"]
        # A swap within the first two is seen at rank 1 only.
        for measure in ("gP@2", "gP@10", "gR@2", "gR@10", "gRt@2", "gRt@10"):
            assert value[f"{name}.RS", measure] == pytest.approx(value[f"{name}.R", measure])
    # The published 0.2403 of S.RS must be a misprint: text recall does not see the parts.
    for ranked in ("R", "RS", "RI", "RSI"):
        for measure in ("gRt@1", "gRt@2", "gRt@10"):
            assert len({value[f"{name}.{ranked}", measure] for name in PART_SETS}) == 1


@with_data
def test_the_official_program_scores_the_runs_of_real_judgements_like_us(tmp_path: Path) -> None:
    """inex_eval 3.1 with β = 1: MAgP is 1 for the highlights and 0.5969538 for whole documents."""
    found = fidelity(read_qrels(QRELS))
    value = {(run, measure): value for run, measure, value in found.scores.iter_rows()}
    assert value["S.R", "AgP"] == pytest.approx(1, abs=1e-12)
    assert value["SLD.R", "AgP"] == pytest.approx(0.5969538, abs=5e-8)
    assert value["S.RI", "AgP"] == pytest.approx(value["S.RI", "AP"], abs=1e-12)
    saved = foveal("fidelity", str(QRELS), "-m", "AgP", "--save-runs", str(tmp_path))
    assert saved.code == 0, saved.err
    assert "120 of 120 topics have no judged document without highlights" in saved.err
    files = [str(tmp_path / f"{name}.fol") for name in ("S.R", "SLD.R", "SLD.RI")]
    scored = foveal(
        "evaluate", str(QRELS), *files, "--task", "ric", "--like", "inex_eval",
        "-m", "AgP(beta=1)", "--to", "csv",
    )  # fmt: skip
    assert scored.code == 0, scored.err
    values = [float(line.split(",")[-1]) for line in scored.out.splitlines()[1:]]
    assert values == pytest.approx([1, value["SLD.R", "AgP"], value["SLD.RI", "AgP"]], abs=1e-12)


@with_data
def test_the_laws_hold_on_real_judgements() -> None:
    found = fidelity(read_qrels(QRELS), None, ["AgP", "AgPt", "AP"])
    counts = {row["measure"]: row for row in found.verdicts.iter_rows(named=True)}
    assert counts["AgP"]["violated"] == 0
    assert counts["AP"]["not_distinguished"] == 8
    own = found.orderings.filter(measure="AgPt", first="S.RI", second="S.RSI")
    assert own["verdict"].to_list() == ["violated"]
