"""Figures as they are drawn: what the marks of a picture show.

Marks carry their values as labels for readers who cannot see (`aria-label`); a mark that is drawn
elsewhere than the data say is labelled with where it is drawn.
"""

from __future__ import annotations

import csv
import html
import re
from pathlib import Path

import pytest

from tests.cli import small_world
from tests.cli.small_world import QRELS, RUNS, asked, called

pytest.importorskip("altair", reason="draws figures (extra `report`)")

COMPARE = ("compare", QRELS, *RUNS, "-m", "AiP")
LABEL = re.compile(r'<\w+ aria-label="([^"]*)"[^>]*aria-roledescription="([^"]*)"([^>]*)>')

Mark = dict[str, str]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_world.write(tmp_path_factory.mktemp("drawn"))


class Drawing:
    """A figure as data and as a picture."""

    def __init__(self, world: Path, figure: str, *words: str) -> None:
        for ending in ("csv", "svg"):
            called(world, *words, "--figure", figure, "-o", f"f.{ending}")
        self.picture = (world / "f.svg").read_text()
        self.rows = list(csv.DictReader((world / "f.csv").read_text().splitlines()))

    def marks(self, kind: str) -> list[Mark]:
        """What the marks of a kind say, with how they are painted under `paint`."""
        found = []
        for label, role, paint in LABEL.findall(self.picture):
            if role == kind:
                pairs = (part.partition(": ") for part in html.unescape(label).split("; "))
                found.append({key: value for key, _, value in pairs} | {"paint": paint})
        return found


def near(text: str, number: str) -> bool:
    """Whether a label says a number, of which it has twelve digits."""
    return float(text) == pytest.approx(float(number), rel=1e-9, abs=1e-12)


def test_bars_of_means_reach_from_the_lower_to_the_upper_bound(world: Path) -> None:
    drawn = Drawing(world, "means", *COMPARE)
    bars = {mark["run"]: mark for mark in drawn.marks("rule mark")}
    points = {mark["run"]: mark for mark in drawn.marks("point")}
    assert len(drawn.rows) == len(bars) == len(points) == len(RUNS)
    for row in drawn.rows:
        # Both ends lie on the axis of the mean.
        assert near(bars[row["run"]]["mean"], row["low"])
        assert near(bars[row["run"]]["high"], row["high"])
        assert near(points[row["run"]]["mean"], row["mean"])


def test_cells_of_the_matrix_are_dark_where_the_run_of_the_row_is_better(world: Path) -> None:
    drawn = Drawing(world, "matrix", *COMPARE)
    cells = {(mark["better"], mark["worse"]): mark for mark in drawn.marks("rect mark")}
    assert len(cells) == len(drawn.rows) == 10
    dark = set()
    for row in drawn.rows:
        cell = cells[row["better"], row["worse"]]
        assert cell["row"] == f"{row['better_rank']} {row['better']}"
        assert cell["than rank"] == row["worse_rank"]
        assert cell["significantly better"] == row["significant"]
        dark.add((row["significant"], re.findall(r'fill="(#\w+)"', cell["paint"])[0]))
    assert dark == {("true", "#2a5d8f"), ("false", "#dde3ea")}


def test_bars_of_differences_are_titled_by_their_runs(world: Path) -> None:
    drawn = Drawing(world, "differences", *COMPARE)
    bars = drawn.marks("bar")
    assert [mark["topic"] for mark in bars] == [row["topic"] for row in drawn.rows]
    for mark, row in zip(bars, drawn.rows, strict=True):
        assert near(mark["difference"].replace("\N{MINUS SIGN}", "-"), row["difference"])
    first = drawn.rows[0]
    assert f"AiP: {first['better']} less {first['worse']}" in drawn.picture


@pytest.mark.parametrize("alpha", ["0.05", "0.3"])
def test_a_line_across_the_p_values_is_drawn_at_alpha(world: Path, alpha: str) -> None:
    (rule,) = Drawing(world, "p-values", *COMPARE, "--alpha", alpha).marks("rule mark")
    assert rule["p"] == alpha


def test_points_of_the_scatter_are_labelled_by_the_measures_of_their_axes(world: Path) -> None:
    drawn = Drawing(world, "scatter", "agree", QRELS, *RUNS, *asked("AiP", "charP"))
    points = {mark["run"]: mark for mark in drawn.marks("point")}
    assert len(points) == len(drawn.rows)
    for row in drawn.rows:
        assert near(points[row["run"]]["AiP"], row["first_mean"])
        assert near(points[row["run"]]["charP"], row["second_mean"])


def test_bars_of_stability_reach_from_low_to_high(world: Path) -> None:
    words = ("stability", "pool", QRELS, *RUNS, "-m", "AiP", "--samples", "4", "--levels", "60,20")
    drawn = Drawing(world, "curves", *words)
    bars = {mark["level"]: mark for mark in drawn.marks("rule mark")}
    assert list(bars) == ["60", "20"]
    for row in drawn.rows:
        assert near(bars[row["level"]]["low"], row["low"])
        assert near(bars[row["level"]]["high"], row["high"])
        assert near(bars[row["level"]]["share of the passages, %"], row["level"])


def test_cells_of_the_plane_have_passages_across_and_topics_up(world: Path) -> None:
    words = ("stability", "plane", QRELS, *RUNS, "-m", "AiP", "--samples", "4", "--levels", "50,20")
    drawn = Drawing(world, "plane", *words)
    cells = {
        (mark["share of the topics, %"], mark["share of the passages, %"]): mark
        for mark in drawn.marks("rect mark")
    }
    assert len(cells) == len(drawn.rows) == 9
    for row in drawn.rows:
        assert near(cells[row["topics"], row["passages"]]["mean τ"], row["tau"])


def test_curves_start_at_no_recall(world: Path) -> None:
    drawn = Drawing(world, "curves-11", "evaluate", QRELS, *RUNS)
    starts = {mark["run"]: mark for mark in drawn.marks("line mark")}
    assert len(starts) == len(RUNS)
    for row in drawn.rows:
        if float(row["recall"]) == 0:
            assert near(starts[row["run"]]["recall"], "0")
            assert near(starts[row["run"]]["precision"], row["precision"])
