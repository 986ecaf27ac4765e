"""Figures as they are drawn: what a reader sees is what the data say.

Pictures are read back from their files: places of marks become values by the names of the ticks.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli import small_world
from tests.cli.small_world import QRELS, RUNS, asked, called
from tests.pictures import Drawn, Mark

COMPARE = ("compare", QRELS, *RUNS, "-m", "AiP")
# Coordinates have one decimal, and the axes are at least 200 pixels long.
NEAR = 0.002

Row = dict[str, str]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_world.write_articles(small_world.write(tmp_path_factory.mktemp("drawn")))


def drawing(world: Path, figure: str, *words: str) -> tuple[Drawn, list[Row]]:
    """A figure as a picture and as data."""
    for ending in ("csv", "svg"):
        called(world, *words, "--figure", figure, "-o", f"f.{ending}")
    rows = list(csv.DictReader((world / "f.csv").read_text().splitlines()))
    return Drawn.of((world / "f.svg").read_bytes()), rows


def title(picture: Drawn) -> str:
    words = " ".join(mark.words for mark in picture.texts("title"))
    return words.replace("\N{NO-BREAK SPACE}", " ")


def values(
    mark: Mark, x: Callable[[float], float], y: Callable[[float], float]
) -> list[tuple[float, float]]:
    """What a line shows, point by point."""
    return [(x(across), y(up)) for across, up in mark.places]


def holds(shown: list[tuple[float, float]], expected: list[tuple[float, float]]) -> None:
    """Points are where they should be, up to the width of a line."""
    assert len(shown) == len(expected)
    for (x, y), (there, height) in zip(shown, expected, strict=True):
        assert x == pytest.approx(there, rel=0.005, abs=5 * NEAR)
        assert y == pytest.approx(height, rel=0.005, abs=5 * NEAR)


def test_dots_of_means_are_within_bars_from_the_lower_to_the_upper_bound(world: Path) -> None:
    picture, rows = drawing(world, "means", *COMPARE)
    value = picture.across()
    dots = [mark for mark in picture.of_kind("circle") if mark.words]
    bars = {round(mark.places[0][1], 1): mark for mark in picture.of_kind("path", "span")}
    assert len(rows) == len(dots) == len(bars) == len(RUNS)
    for row, dot in zip(rows, dots, strict=True):
        assert dot.words.startswith(f"{row['run']}: ")
        assert value(dot.x) == pytest.approx(float(row["mean"]), abs=NEAR)
        (left, _), (right, _) = bars[round(dot.y, 1)].places
        assert value(left) == pytest.approx(float(row["low"]), abs=NEAR)
        assert value(right) == pytest.approx(float(row["high"]), abs=NEAR)
        (name,) = (mark for mark in picture.texts("muted") if mark.words == row["run"])
        assert abs(name.y - 4 - dot.y) < 1


def test_runs_that_cannot_be_told_apart_from_the_best_have_filled_dots(world: Path) -> None:
    picture, _ = drawing(world, "means", *COMPARE)
    _, pairs = drawing(world, "matrix", *COMPARE)
    best = pairs[0]["better"]
    worse = {
        row["worse"] for row in pairs if row["better"] == best and row["significant"] == "true"
    }
    dots = {mark.words.partition(":")[0]: mark for mark in picture.of_kind("circle") if mark.words}
    assert {run for run, mark in dots.items() if "open" in mark.style} == worse
    alike = len(RUNS) - 1 - len(worse)
    assert 0 < alike < len(RUNS) - 1
    top = [best, *(run for run in dots if run not in {best, *worse})]
    assert len(top) == 1 + alike <= 4
    named = " and ".join([", ".join(top[:-1]), top[-1]])
    assert title(picture).startswith(f"No single winner: {named} share the top (AiP 0.")


def test_cells_of_the_matrix_are_dark_where_the_run_of_the_row_is_better(world: Path) -> None:
    picture, rows = drawing(world, "matrix", *COMPARE)
    names = {mark.words: mark.y - 4 for mark in picture.texts("muted", anchor="end")}
    ranks = {mark.words: mark.x for mark in picture.texts("muted", anchor="middle")}
    shown = {}
    for style, verdict in (("h7", "true"), ("h2", "false")):
        (cells,) = picture.of_kind("path", "cell", style)
        corners = [cells.places[place : place + 4] for place in range(0, len(cells.places), 4)]
        for corner in corners:
            middle = [sum(place[axis] for place in corner) / 4 for axis in (0, 1)]
            column = min(ranks, key=lambda rank: abs(ranks[rank] - middle[0]))
            row = min(names, key=lambda name: abs(names[name] - middle[1]))
            shown[row, column] = verdict
    assert shown == {
        (f"{row['better_rank']} {row['better']}", row["worse_rank"]): row["significant"]
        for row in rows
    }
    dark = sum(row["significant"] == "true" for row in rows)
    assert f"significantly better: {dark} of 10 pairs" in picture.words()
    assert f"not: {10 - dark}" in picture.words()
    assert title(picture) == f"Of 10 pairs of runs, AiP tells apart {dark} ({10 * dark} %)"


def test_bars_of_differences_reach_from_nothing_to_the_difference(world: Path) -> None:
    picture, rows = drawing(world, "differences", *COMPARE)
    value = picture.up()
    heights = []
    for style, sign in (("f0", 1), ("f1", -1)):
        (bars,) = picture.of_kind("path", style)
        corners = [bars.places[place : place + 4] for place in range(0, len(bars.places), 4)]
        for corner in corners:
            top, bottom = (value(edge(y for _, y in corner)) for edge in (min, max))
            reached, zero = (top, bottom) if sign > 0 else (bottom, top)
            assert zero == pytest.approx(0, abs=0.005)
            heights.append(reached)
    expected = [float(row["difference"]) for row in rows if float(row["difference"])]
    assert heights == pytest.approx(expected, abs=0.005)
    one, other = rows[0]["better"], rows[0]["worse"]
    won, lost = (sum(sign * height > 0 for height in expected) for sign in (1, -1))
    assert (
        f"{one} against {other} by AiP: better on {won} of {len(rows)} topics, worse on {lost}"
        in title(picture)
    )
    assert {f"{one} scores more", f"{other} scores more"} <= set(picture.words())


@pytest.mark.parametrize("alpha", ["0.05", "0.3"])
def test_a_line_across_the_p_values_is_drawn_at_alpha(world: Path, alpha: str) -> None:
    picture, rows = drawing(world, "p-values", *COMPARE, "--alpha", alpha)
    p = picture.up(log=True)
    (rule,) = picture.of_kind("path", "mark")
    assert p(rule.places[0][1]) == pytest.approx(float(alpha), rel=0.02)
    assert f"α = {alpha}" in picture.words()
    line = picture.series()["AiP"]
    for (_, y), row in zip(line.places, rows, strict=True):
        assert p(y) == pytest.approx(max(float(row["p"]), 1e-4), rel=0.02)
    below = sum(float(row["p"]) <= float(alpha) for row in rows)
    told = f"AiP has p ≤ {alpha} for {below} of 10 pairs of runs"
    # Holm's correction raises p, which the figure shows as it was found.
    assert title(picture) == f"{told}, before correction"
    plain, _ = drawing(world, "p-values", *COMPARE, "--alpha", alpha, "--correct", "none")
    assert title(plain) == told


def test_dots_of_the_scatter_lie_at_their_means_and_on_the_line_if_ranked_alike(
    world: Path,
) -> None:
    picture, rows = drawing(world, "scatter", "agree", QRELS, *RUNS, *asked("AiP", "charP"))
    x, y = picture.across(), picture.up()
    dots = {mark.words.partition(":")[0]: mark for mark in picture.of_kind("circle")}
    line = next(mark for mark in picture.of_kind("path", "mark") if len(mark.places) == len(rows))
    assert len(dots) == len(rows)
    for row in rows:
        dot = dots[row["run"]]
        assert x(dot.x) == pytest.approx(float(row["first_mean"]), abs=NEAR)
        assert y(dot.y) == pytest.approx(float(row["second_mean"]), abs=NEAR)
        on_line = any(abs(dot.x - a) + abs(dot.y - b) < 0.3 for a, b in line.places)
        assert on_line == (row["first_rank"] == row["second_rank"])
        assert row["run"] in picture.words()
    assert {row["first_rank"] == row["second_rank"] for row in rows} == {True, False}
    assert re.search(
        r"AiP and charP rank 5 runs with τ = 0\.\d\d; \S+ moves furthest", title(picture)
    )


@pytest.mark.parametrize("experiment", ["pool", "topics", "error-rate"])
def test_lines_and_bars_of_stability_are_where_their_rows_say(world: Path, experiment: str) -> None:
    words = ("stability", experiment, QRELS, *RUNS, "-m", "AiP", "--samples", "4")
    picture, rows = drawing(world, "curves", *words, "--levels", "60,20")
    x, y = picture.across(), picture.up()
    scale = 100 if experiment == "error-rate" else 1
    column = "rate" if experiment == "error-rate" else "mean"
    middle = {float(row["level"]): scale * float(row[column]) for row in rows}
    ends = {
        float(row["level"]): (scale * float(row["low"]), scale * float(row["high"])) for row in rows
    }
    if experiment != "error-rate":
        # All judgements rank the runs as they are ranked.
        middle[100], ends[100] = 1.0, (1.0, 1.0)
    shown = dict(values(picture.series()["AiP"], x, y))
    assert sorted(shown) == pytest.approx(sorted(middle), abs=0.3)
    for level, own in middle.items():
        nearest = min(shown, key=lambda place: abs(place - level))
        assert shown[nearest] == pytest.approx(own, abs=0.003 * scale)
    bars = sorted(values(mark, x, y) for mark in picture.of_kind("path", "thin"))
    for ((level, low), (_, high)), (_, expected_ends) in zip(
        bars, sorted(ends.items()), strict=True
    ):
        assert (low, high) == pytest.approx(expected_ends, abs=0.005 * scale), level
    assert ("5 %" if scale > 1 else "0.9") in picture.words()
    assert max(float(mark.words.removesuffix(" %")) for mark in picture.texts("muted", anchor="end")) <= (
        100 if scale > 1 else 1
    )  # fmt: skip


def test_points_of_depths_are_where_their_rows_say(world: Path) -> None:
    words = ("stability", "depth", QRELS, *RUNS, "-m", "AiP", "--depths", "1,4,30")
    picture, rows = drawing(world, "depths", *words)
    shown = values(picture.series()["AiP"], picture.across(log=True), picture.up())
    expected = sorted((float(row["depth"]), float(row["tau"])) for row in rows)
    holds(shown, expected)


def test_points_of_swaps_are_where_their_rows_say(world: Path) -> None:
    words = ("stability", "swap", QRELS, *RUNS, *asked("AiP", "charP"), "--levels", "40")
    picture, rows = drawing(world, "swaps", *words, "--samples", "3")
    panels = picture.panels()
    assert set(panels) == {"AiP", "charP"}
    for measure, panel in panels.items():
        own = [row for row in rows if row["measure"] == measure and row["rate"]]
        shown = values(panel.series()["40 % of topics"], panel.across(), panel.up())
        expected = sorted((float(row["low"]), 100 * float(row["rate"])) for row in own)
        for (x, y), (low, rate) in zip(shown, expected, strict=True):
            assert x == pytest.approx(low, abs=NEAR)
            assert y == pytest.approx(rate, abs=0.5)
        assert "5 %" in panel.words()


def test_arrows_of_the_lattice_fall_and_look_as_their_verdict(world: Path) -> None:
    picture, rows = drawing(world, "lattice", "fidelity", QRELS, "-m", "AgPt")
    names = {mark.words: (mark.x, mark.y - 4) for mark in picture.texts(anchor="middle")}
    arrows = [mark for mark in picture.of_kind("path", "arrow") if len(mark.places) == 2]
    heads = [mark for mark in picture.of_kind("path", "arrow") if len(mark.places) == 3]
    assert len(arrows) == len(heads) == len(rows) == 12
    looks = {"kept": "good", "violated": "bad", "not distinguished": "rest"}
    for row, arrow, head in zip(rows, arrows, heads, strict=True):
        assert looks[row["verdict"]] in arrow.style
        (_, top), (_, bottom) = start, end = arrow.places
        assert bottom > top
        assert head.places[1] == end
        # It leaves the better run and stops at the worse one: no other name is nearer.
        for place, run in ((start, row["first"]), (end, row["second"])):
            distances = {
                name: abs(x - place[0]) / 3 + abs(y - place[1]) for name, (x, y) in names.items()
            }
            assert min(distances, key=lambda name: distances[name]) == run
    for word in looks:
        count = sum(row["verdict"] == word for row in rows)
        assert f"{word}: {count}" in picture.words()
    assert title(picture).startswith("AgPt keeps ")


def test_curves_of_part_sets_and_responses_are_where_their_rows_say(world: Path) -> None:
    picture, rows = drawing(world, "curves", "fidelity", QRELS, "-m", "AgP")
    for run in {row["run"] for row in rows}:
        shown = values(picture.series()[run], picture.across(), picture.up())
        holds(shown, [(float(r["level"]), float(r["value"])) for r in rows if r["run"] == run])
    picture, rows = drawing(world, "responses", "fidelity", QRELS, "-m", "AgP", "--samples", "2")
    panels = picture.panels()
    assert len(panels) == 4
    panel = panels["parts dropped"]
    shown = values(panel.series()["AgP"], panel.across(), panel.up())
    own = [row for row in rows if row["noise"] == "drop"]
    holds(shown, [(float(row["strength"]), float(row["value"])) for row in own])


def test_curves_of_runs_are_where_their_rows_say_and_the_best_is_named_first(world: Path) -> None:
    picture, rows = drawing(world, "curves-11", "evaluate", QRELS, *RUNS)
    assert len(picture.series()) == len(RUNS)
    means = {}
    for run, line in picture.series().items():
        own = [(float(r["recall"]), float(r["precision"])) for r in rows if r["run"] == run]
        holds(values(line, picture.across(), picture.up()), own)
        means[run] = sum(height for _, height in own) / len(own)
    best = max(means, key=lambda run: means[run])
    assert title(picture).startswith(f"{best} is the most precise of 5 runs: {means[best]:.4f} on")
    assert {run for run in means if run in picture.words()} == set(means)


def test_cells_of_topics_are_darker_where_scores_are_higher(world: Path) -> None:
    picture, rows = drawing(world, "topics", "evaluate", QRELS, *RUNS, "-m", "AiP")
    runs = list(dict.fromkeys(row["run"] for row in rows))
    topics = list(dict.fromkeys(row["topic"] for row in rows))
    most = max(float(row["value"]) for row in rows)
    # The colours end at the next round number, so that low scores are not all pale.
    end = next(end for end in (0.1, 0.2, 0.5, 1.0) if end >= most)
    assert f"{end:g}" in picture.words()
    expected: dict[int, int] = {}
    for row in rows:
        heat = min(int(9 * float(row["value"]) / end), 8)
        expected[heat] = expected.get(heat, 0) + 1
    paths = picture.of_kind("path", "cell")
    shown = {
        int(next(style for style in mark.style if style[1:].isdigit())[1:]): len(mark.places) // 4
        for mark in paths
    }
    assert shown == expected
    # The cell of the best run on the easiest topic is on the left, on top.
    corners = [place for mark in paths for place in mark.places]
    left, top = min(x for x, _ in corners), min(y for _, y in corners)
    first = min(int(9 * float(rows[0]["value"]) / end), 8)
    (own,) = (mark for mark in paths if f"h{first}" in mark.style)
    assert (left, top) in own.places
    names = [mark.words for mark in picture.texts("muted", anchor="end") if not mark.turned]
    assert names[: len(runs)] == runs
    assert f"Topic {topics[-1]} is the hardest of {len(topics)}" in title(picture)


def test_recall_over_budgets_has_intervals_and_names_its_budgets(world: Path) -> None:
    words = ("compare", QRELS, *RUNS, "--budgets", "20,40,80", "--task", "rag")
    picture, rows = drawing(world, "budget", *words)
    x, y = picture.across(log=True), picture.up()
    assert {"20", "40", "80"} <= {mark.words for mark in picture.texts("muted", anchor="middle")}
    for run, line in picture.series().items():
        own = [row for row in rows if row["run"] == run]
        for (_, height), row in zip(values(line, x, y), own, strict=True):
            assert height == pytest.approx(float(row["recall"]), abs=5 * NEAR)
    bars = [values(mark, x, y) for mark in picture.of_kind("path", "thin")]
    assert sorted(high - low for (_, low), (_, high) in bars) == pytest.approx(
        sorted(float(row["high"]) - float(row["low"]) for row in rows), abs=5 * NEAR
    )
