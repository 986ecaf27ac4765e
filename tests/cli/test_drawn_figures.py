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
    return small_world.write_articles(small_world.write(tmp_path_factory.mktemp("drawn")))


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
    said = float(text.replace("\N{MINUS SIGN}", "-"))
    return said == pytest.approx(float(number), rel=1e-9, abs=1e-12)


def points_are_where_their_rows_say(drawn: Drawing, *key: str, **axes: str) -> None:
    """Hold points against rows of the same `key`; `axes` gives the title of each axis's column."""
    points = {tuple(point[name] for name in key): point for point in drawn.marks("point")}
    assert len(points) == len(drawn.rows) > 1
    for row in drawn.rows:
        point = points[tuple(row[name].removesuffix(".0") for name in key)]
        assert all(near(point[title], row[column]) for column, title in axes.items())


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
        assert near(mark["difference"], row["difference"])
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


def test_bars_of_error_rates_reach_from_low_to_high_around_their_point(world: Path) -> None:
    words = ("stability", "error-rate", QRELS, *RUNS, "-m", "AiP", "--samples", "4")
    drawn = Drawing(world, "curves", *words, "--levels", "60,30")
    bars, points = (
        {mark["level"]: mark for mark in drawn.marks(kind)} for kind in ("rule mark", "point")
    )
    assert list(bars) == list(points) == ["60", "30"]
    for row in drawn.rows:
        assert near(bars[row["level"]]["low"], row["low"])
        assert near(bars[row["level"]]["high"], row["high"])
        assert near(points[row["level"]]["error rate"], row["rate"])
        assert near(points[row["level"]]["share of the topics, %"], row["level"])


def test_points_of_stability_are_the_means(world: Path) -> None:
    words = ("stability", "topics", QRELS, *RUNS, "-m", "AiP", "--samples", "4")
    drawn = Drawing(world, "curves", *words, "--levels", "60,30")
    points = {mark["level"]: mark for mark in drawn.marks("point")}
    assert len(points) == 2
    assert all(near(points[row["level"]]["mean τ"], row["mean"]) for row in drawn.rows)


def test_points_of_depths_and_swaps_are_where_their_rows_say(world: Path) -> None:
    words = ("stability", "depth", QRELS, *RUNS, "-m", "AiP", "--depths", "1,4")
    drawn = Drawing(world, "depths", *words)
    points_are_where_their_rows_say(drawn, "depth", depth="parts of each run", tau="τ")
    words = ("stability", "swap", QRELS, *RUNS, "-m", "AiP", "--levels", "40", "--samples", "3")
    drawn = Drawing(world, "swaps", *words)
    drawn.rows = [row for row in drawn.rows if row["rate"]]
    assert any(float(row["rate"]) not in {0, 1} or row["pairs"] != "1" for row in drawn.rows)
    points_are_where_their_rows_say(
        drawn, "low", low="difference of means, at least", rate="swap rate"
    )


def test_lines_of_the_lattice_fall_and_look_as_their_verdict(world: Path) -> None:
    drawn = Drawing(world, "lattice", "fidelity", QRELS, "-m", "AgPt")
    lines = {(mark["first"], mark["second"]): mark for mark in drawn.marks("rule mark")}
    names = {mark["run"]: mark for mark in drawn.marks("text mark")}
    assert len(lines) == len(drawn.rows) == 12
    looks = set()
    for row in drawn.rows:
        line = lines[row["first"], row["second"]]
        for end, x, y in (("first", "x", "y"), ("second", "x2", "y2")):
            place = names[row[end]]
            assert near(line[x], row[x])
            assert near(line[y], row[y])
            assert (place["x"], place["y"]) == (line[x], line[y])
        # Downwards on the screen: its y grows.
        assert float(re.findall(r' y2="([^"]*)"', line["paint"])[0]) > 0
        (colour,) = re.findall(r'stroke="(#\w+)"', line["paint"])
        (dashes,) = re.findall(r'stroke-dasharray="([^"]*)"', line["paint"])
        looks.add((row["verdict"], colour, dashes))
    assert looks == {
        ("kept", "#2a5d8f", "1,0"),
        ("violated", "#d1495b", "6,3"),
        ("not distinguished", "#b4bbc4", "1,0"),
    }


def test_curves_of_part_sets_and_responses_are_where_their_rows_say(world: Path) -> None:
    curves = Drawing(world, "curves", "fidelity", QRELS, "-m", "AgP")
    points_are_where_their_rows_say(
        curves, "run", "level", level="generalized recall", value="generalized precision"
    )
    drawn = Drawing(world, "responses", "fidelity", QRELS, "-m", "AgP", "--samples", "2")
    dropped = [row for row in drawn.rows if row["noise"] == "drop"]
    points = [mark for mark in drawn.marks("point") if "share of the parts" in mark]
    assert len(points) == len(dropped) == 8
    for point, row in zip(points, dropped, strict=True):
        assert near(point["share of the parts"], row["strength"])
        assert near(point["score"], row["value"])


def test_the_line_of_p_values_starts_at_the_largest(world: Path) -> None:
    drawn = Drawing(world, "p-values", *COMPARE)
    (line,) = drawn.marks("line mark")
    assert near(line["pairs, by decreasing p"], "1")
    assert near(line["p"], drawn.rows[0]["p"])


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
