"""The kit that figures are drawn with: scales, labels, marks, colours."""

from __future__ import annotations

import math
import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.rendering.drawing import (
    DARK,
    LIGHT,
    Band,
    Line,
    Linear,
    Log,
    Panel,
    Picture,
    Row,
    arrow,
    box,
    cells,
    classes,
    cut,
    figure_style,
    grid,
    heat,
    intervals,
    label_positions,
    lines,
    minimap,
    page_style,
    polyline,
    spread,
    stacked,
    text,
    width,
    wrapped,
)
from foveal.rendering.drawing.marks import group, number
from foveal.rendering.drawing.style import DASHES, Theme
from tests.examples import examples
from tests.pictures import Drawn

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])


def drawn(picture: Picture) -> Drawn:
    return Drawn.of(picture.file("a title"))


def labels(scale: Linear | Log | Band) -> list[str]:
    return [tick.label for tick in scale.ticks()]


def test_coordinates_have_one_decimal_and_no_sign_at_nothing() -> None:
    assert [number(value) for value in (1.04, 1.05001, -0.04, 3.0, 1e6)] == [
        "1", "1.1", "0", "3", "1000000",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("scale", "expected"),
    [
        (Linear(0, 1, 0, 100), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (Linear(0, 0.3, 0, 100, percent=True), ["0 %", "10 %", "20 %", "30 %"]),
        (Linear(-0.2, 0.2, 0, 100), ["−0.2", "−0.1", "0", "0.1", "0.2"]),
        (Linear(1, 91, 0, 100, integers=True), ["20", "40", "60", "80"]),
        (Linear(0, 5000, 0, 100), ["0", "1,000", "2,000", "3,000", "4,000", "5,000"]),
        (Log(0.001, 1, 0, 100), ["0.001", "0.01", "0.1", "1"]),
        (Log(500, 4000, 0, 100, tick_values=(500, 1000, 4000)), ["500", "1,000", "4,000"]),
        (Band(("a", "b"), 0, 100), ["a", "b"]),
    ],
)
def test_ticks_are_round_numbers(scale: Linear | Log | Band, expected: list[str]) -> None:
    assert labels(scale) == expected


@examples(50)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9), st.booleans())
def test_a_scale_around_values_holds_them_and_ends_at_ticks(
    values: list[float], zero: bool
) -> None:
    scale = Linear.around(values, 0, 100, zero=zero)
    assert ((scale.pixels(values) >= -0.01) & (scale.pixels(values) <= 100.01)).all()
    pixels = scale.pixels([tick.value for tick in scale.ticks()])
    assert pixels[0] == pytest.approx(0, abs=0.1)
    assert pixels[-1] == pytest.approx(100, abs=0.1)
    if zero:
        assert "0" in labels(scale)


def test_a_scale_stays_within_what_is_possible() -> None:
    scale = Linear.around([0.93, 0.999], 0, 100, within=(0, 1))
    assert scale.high == 1
    assert Linear.around([0.0, 0.0], 0, 100, within=(0, 1)).low == 0
    assert np.isfinite(Linear.around([math.nan], 0, 100).pixels([0.5])).all()


def test_values_are_placed_between_the_insets_of_an_axis() -> None:
    for scale in (Linear(0, 10, 100, 200, inset=10), Log(1, 100, 100, 200, inset=10)):
        low, high = (0, 10) if isinstance(scale, Linear) else (1, 100)
        assert scale.pixels([low, high]).tolist() == pytest.approx([110, 190])
    assert Linear(0, 10, 200, 100, inset=10).pixels([0, 10]).tolist() == [190, 110]


@examples(60)
@given(
    st.lists(st.floats(0, 300), min_size=1, max_size=12),
    st.sampled_from([8.0, 14.0, 60.0]),
)
def test_spread_labels_keep_their_order_a_gap_and_the_bounds(
    places: list[float], gap: float
) -> None:
    moved = spread(places, gap, 0, 300)
    free = min(gap, 300 / max(len(places) - 1, 1))
    order = sorted(range(len(places)), key=lambda place: places[place])
    found = [moved[place] for place in order]
    assert all(later - earlier >= free - 1e-6 for earlier, later in pairwise(found))
    assert min(found) >= -1e-6
    assert max(found) <= 300 + 1e-6


def test_labels_that_do_not_touch_stay_where_they_are() -> None:
    assert spread([10, 100, 50], 14, 0, 300) == [10, 100, 50]
    assert spread([50, 50], 14, 0, 300) == [43, 57]


@examples(60)
@given(st.text(max_size=60), st.floats(12, 200))
def test_a_text_is_cut_to_its_room_and_keeps_both_ends(words: str, room: float) -> None:
    short = cut(words, room)
    assert width(short) <= room
    if short != words:
        first, _, last = short.partition("…")
        assert words.startswith(first)
        assert words.endswith(last)


def test_a_text_that_fits_is_not_cut() -> None:
    assert cut("bm25", 200) == "bm25"
    assert cut("x" * 10_000, 100).count("…") == 1


def test_folded_lines_fit_and_keep_a_number_with_its_unit() -> None:
    lines_of = wrapped("one two three 20 % of four five", width("one two three"))
    assert (
        " ".join(lines_of).replace("\N{NO-BREAK SPACE}", " ") == "one two three 20 % of four five"
    )
    assert all(width(line) <= width("one two three") for line in lines_of)
    assert any("20\N{NO-BREAK SPACE}%" in line for line in lines_of)
    assert wrapped("y" * 99, 60) == [cut("y" * 99, 60)]


def test_names_are_placed_beside_their_dots_without_covering_each_other() -> None:
    dots = [(100.0, 100.0), (104.0, 101.0), (98.0, 104.0), (101.0, 97.0)]
    names = ["alpha", "beta", "gamma", "delta"]
    found = label_positions(dots, names, [], (0, 0, 300, 200))
    boxes = [(x, y - 11, x + width(name), y + 3) for (x, y), name in zip(found, names, strict=True)]
    for place, one in enumerate(boxes):
        for other in boxes[place + 1 :]:
            apart = (
                one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
            )
            assert apart
    assert all(left >= 0 and right <= 300 for left, _, right, _ in boxes)


def test_a_name_at_the_edge_goes_to_the_free_side() -> None:
    ((x, _),) = label_positions([(295.0, 50.0)], ["name"], [], (0, 0, 300, 100))
    assert x + width("name") <= 295


def test_lines_are_interrupted_where_nothing_is_known() -> None:
    assert 'd="M0 1M2 3L3 4"' in polyline([0, 1, 2, 3], [1, math.nan, 3, 4], "line")


def test_cells_of_a_class_are_one_path() -> None:
    path = cells(np.array([0.0, 10.0]), np.array([5.0, 5.0]), 10, np.array([2.0, 4.0]), "h1")
    assert path == '<path class="h1" d="M0 5h10v2h-10zM10 5h10v4h-10z"/>'


def test_an_arrow_has_its_tip_at_its_end() -> None:
    line, head = re.findall(r'd="([^"]*)"', arrow(0, 0, 0, 30, "line"))
    assert line == "M0 0L0 30"
    assert re.fullmatch(r"M-?3 24L0 30L-?3 24", head)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("a\"b'&c", "a&quot;b&#x27;&amp;c"),
        ("left\u202eright\u2066", "left�right�"),
        ("bell\x07\ufffe\ud800", "bell���"),
    ],
)
def test_every_text_is_escaped(name: str, shown: str) -> None:
    assert f">{shown}</text>" in text(0, 0, name)
    assert f'data-series="{shown}"' in group([], data={"series": name})
    assert f"<title>{shown}</title>" in box(0, 0, 1, 1, "h0", name)
    Drawn.of(Picture(10, 10, text(0, 0, name)).file(name))


def test_classes_of_heat_are_even_and_hold_both_ends() -> None:
    values = np.array([0.0, 0.05, 1 / 9, 0.5, 0.999, 1.0, np.nan, 2.0])
    assert classes(values, 0, 1).tolist() == [0, 0, 1, 4, 8, 8, -1, 8]


def test_a_heat_map_has_a_cell_for_each_known_value() -> None:
    values = np.array([[0.0, 1.0, np.nan], [0.5, 0.5, 1.0]])
    found = drawn(heat(values, ["a", "b"], ["1", "2", "3"], ends=(0, 1), cell=(20, 10)))
    by_class = {
        next(style for style in mark.style if style.startswith("h")): mark.places
        for mark in found.of_kind("path", "cell")
    }
    # Four corners for each cell, and one path for each class.
    assert {style: len(places) / 4 for style, places in by_class.items()} == {
        "h0": 1, "h4": 2, "h8": 2,
    }  # fmt: skip


def test_lines_have_their_names_and_the_rest_is_grey() -> None:
    many = [Line(f"run{n}", [0.0, 1.0], [1.0, n / 20]) for n in range(20)]
    found = drawn(
        lines(
            many,
            lambda start, stop: Linear(0, 1, start, stop),
            lambda start, stop: Linear(0, 1, start, stop),
            x_title="x",
            y_title="y",
        )
    )
    assert len(found.series()) == 20
    grey = [name for name, mark in found.series().items() if "rest" in mark.style]
    assert grey == [f"run{n}" for n in range(19, 7, -1)]
    named = [mark for mark in found.texts() if mark.words.startswith("run")]
    assert [mark.words for mark in named] == [f"run{n}" for n in range(8)]
    assert "12 more in grey" in found.words()
    # Names of lines that end higher are higher, and none covers another.
    heights = sorted(mark.y for mark in named)
    assert all(later - earlier >= 13.9 for earlier, later in pairwise(heights))
    assert [mark.y for mark in named] == sorted((mark.y for mark in named), reverse=True)


def test_a_line_that_runs_to_the_left_is_named_at_its_right_end() -> None:
    found = drawn(
        lines(
            [Line("a", [20.0, 100.0], [0.2, 0.9])],
            lambda left, right: Linear(20, 100, right, left),
            lambda start, stop: Linear(0, 1, start, stop),
            x_title="share",
            y_title="y",
        )
    )
    (name,) = (mark for mark in found.texts() if mark.words == "a")
    assert found.up()(name.y - 4) == pytest.approx(0.2, abs=0.01)
    assert found.across()(found.series()["a"].places[0][0]) == pytest.approx(20, abs=0.2)


def test_rows_have_their_dot_at_the_value_within_the_interval() -> None:
    rows = [Row("one", 0.4, 0.2, 0.7, "0.4"), Row("two", 0.3, None, None, "0.3", open=True)]
    found = drawn(intervals(rows, lambda start, stop: Linear(0, 1, start, stop), x_title="mean"))
    value = found.across()
    first, second = found.of_kind("circle")
    assert (value(first.x), value(second.x)) == pytest.approx((0.4, 0.3), abs=0.005)
    (span,) = found.of_kind("path", "span")
    assert [value(x) for x, _ in span.places] == pytest.approx([0.2, 0.7], abs=0.005)
    assert "open" in second.style


def test_the_map_of_a_document_shows_spans_in_their_places() -> None:
    found = drawn(minimap(1000, ([100, 999], [200, 1000]), ([0, 150], [50, 400]), [2, 1]))
    good = found.of_kind("rect", "fgood")
    axis = next(iter(found.of_kind("path", "axis"))).spans
    scale = (axis[2] - axis[0]) / 1000
    assert (good[0].spans[0] - axis[0]) / scale == pytest.approx(100, abs=1)
    # The shortest span is seen, and inside the document.
    assert good[1].spans[2] - good[1].spans[0] >= 1
    assert good[1].spans[2] <= axis[2] + 0.1
    later, first = (mark for mark in found.of_kind("rect") if mark.words.startswith("rank"))
    assert first.words == "rank 1: 150 to 400"
    assert "h8" in first.style
    assert "h8" not in later.style
    assert drawn(minimap(0, ([], []), ([], []), [])).words() == [
        "highlighted", "returned", "0", "0 characters",
    ]  # fmt: skip


def test_pictures_side_by_side_and_one_below_the_other_take_their_room() -> None:
    one, two = Picture(10, 20, ""), Picture(30, 5, "")
    assert (grid([one, two, one], gap=4).width, stacked([one, two], gap=4).height) == (44, 29)


def test_a_band_thins_its_names_until_they_can_be_read() -> None:
    names = tuple(f"topic-{n}" for n in range(200))
    panel = Panel(Band(names, 0, 600), Band(names, 0, 400))
    found = drawn(Picture(700, 700, "".join(panel.axes())))
    turned = [mark.x for mark in found.texts() if mark.turned]
    beside_rows = [mark.y for mark in found.texts() if not mark.turned]
    for places in (turned, beside_rows):
        assert 30 < len(places) < 100
        assert all(later - earlier >= 11 for earlier, later in pairwise(places))


def contrast(one: str, other: str) -> float:
    """The contrast of two colours, from 1 to 21, as WCAG defines it."""
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    shares = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@THEMES
def test_texts_and_lines_stand_out_from_the_paper(theme: Theme) -> None:
    # Names of lines are written in the colours of the lines.
    for colour in (theme.ink, theme.muted, theme.accent, theme.good, theme.bad, *theme.series):
        assert contrast(colour, theme.paper) >= 4.5
        assert contrast(colour, theme.raised) >= 4.5
    assert contrast(theme.rest, theme.paper) >= 3
    for behind in (theme.found, theme.missed, theme.wasted):
        assert contrast(theme.ink, behind) >= 4.5


@THEMES
def test_neighbours_in_heat_can_be_told_apart_and_their_numbers_read(theme: Theme) -> None:
    steps = [contrast(one, other) for one, other in pairwise(theme.heat)]
    assert all(step >= 1.08 for step in steps)
    light = [contrast(colour, theme.paper) for colour in theme.heat]
    assert light == sorted(light)
    for place, colour in enumerate(theme.heat):
        assert contrast(theme.paper if place >= 5 else theme.ink, colour) >= 4.5


def test_lines_are_told_apart_in_grey_by_their_dashes() -> None:
    assert len(set(DASHES)) == len(LIGHT.series) == len(DARK.series) == len(set(LIGHT.series))


@THEMES
def test_the_style_of_a_file_has_colours_and_that_of_a_page_variables(theme: Theme) -> None:
    assert "var(" not in figure_style(theme)
    assert theme.series[3] in figure_style(theme)
    assert "var(--s3)" in figure_style()
    assert f"--s3:{theme.series[3]}" in page_style()


def test_a_file_is_light_and_where_the_system_is_so_dark() -> None:
    picture = Picture(10, 10, "")
    assert "prefers-color-scheme:dark" in picture.file("t").decode()
    assert DARK.paper not in picture.file("t", dark=False).decode()
