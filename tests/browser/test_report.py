"""The report as readers use it: sorting, ticking, pointing; by keyboard, on paper, without scripts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.visiting import Visit, visited
from tests.shared import needs_browser

pytestmark = [pytest.mark.slow, needs_browser()]

BOARD = "#board tbody tr"
AP = "AgP"


def _figures(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(page.locator("#data").inner_text())["figures"]
    return found


def _column(page: Page, name: str) -> list[str]:
    """The cells below a head of the leaderboard."""
    heads = [text.strip() for text in page.locator("#board thead th").all_inner_texts()]
    place = next(at for at, head in enumerate(heads, start=1) if head == name)
    return page.locator(f"{BOARD} :nth-child({place})").all_inner_texts()


def _head(page: Page, name: str) -> Locator:
    return page.get_by_role("columnheader", name=name, exact=True)


def test_every_look_keeps_the_rules_of_accessibility(visit: Visit, demo_page: Path) -> None:
    page = visit(demo_page)
    for details in page.locator("details").all():
        details.evaluate("node => node.open = true")
    found = Axe().run(page).response["violations"]
    assert not [(one["id"], [node["html"][:80] for node in one["nodes"]]) for one in found]


def test_the_leaderboard_sorts_when_a_head_is_pressed(visit: Visit, demo_page: Path) -> None:
    page = visit(demo_page)
    head = _head(page, AP)
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "descending")
    falling = list(map(float, _column(page, AP)))
    assert falling == sorted(falling, reverse=True)
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "ascending")
    assert list(map(float, _column(page, AP))) == falling[::-1]
    assert page.locator("[aria-sort]").count() == 1


def test_the_leaderboard_sorts_by_keyboard_alone(visit: Visit, demo_page: Path) -> None:
    page = visit(demo_page)
    runs = _column(page, "run")
    button = _head(page, "run").get_by_role("button")
    for _ in range(100):
        page.keyboard.press("Tab")
        if button.evaluate("node => node === document.activeElement"):
            break
    page.keyboard.press("Enter")
    expect(_head(page, "run")).to_have_attribute("aria-sort", "ascending")
    assert _column(page, "run") == sorted(runs) != runs
    page.keyboard.press("Space")
    expect(_head(page, "run")).to_have_attribute("aria-sort", "descending")
    assert _column(page, "run") == sorted(runs, reverse=True)


def _name(page: Page, figure: str, run: str) -> Locator:
    return page.locator(f'#{figure} g.name[data-series="{run}"] text')


def test_a_ticked_run_has_its_name_in_the_curves(visit: Visit, demo_page: Path) -> None:
    page = visit(demo_page)
    runs = _column(page, "run")
    first, last = runs[0], runs[-1]
    for figure in ("curves-figure", "reading-figure"):
        expect(_name(page, figure, first)).to_have_text(first)
        expect(_name(page, figure, last)).to_have_count(0)
    page.get_by_label(f"show {last} in the curves").check()
    page.get_by_label(f"show {first} in the curves").uncheck()
    for figure in ("curves-figure", "reading-figure"):
        expect(_name(page, figure, last)).to_have_text(last)
        expect(_name(page, figure, first)).to_have_count(0)
        lines = page.locator(f'#{figure} g.series[data-series="{first}"] path')
        expect(lines).to_have_class("line rest")
    page.get_by_label(f"show {first} in the curves").press("Space")
    expect(_name(page, "curves-figure", first)).to_have_text(first)


def _place(page: Page, figure: str, x: float, y: float) -> tuple[float, float]:
    """Where a place of a drawing is on the screen."""
    panel = page.locator(f"#{figure} :is(g.panel, g.cells)")
    panel.scroll_into_view_if_needed()
    found = panel.evaluate(
        """(panel, [x, y]) => {
        const there = new DOMPoint(x, y).matrixTransform(panel.getScreenCTM());
        return [there.x, there.y];}""",
        [x, y],
    )
    return found[0], found[1]


@pytest.mark.parametrize("figure", ["curves-figure", "reading-figure"])
def test_the_line_under_the_pointer_is_named_with_its_value(
    figure: str, visit_once: Visit, demo_page: Path
) -> None:
    page = visit_once(demo_page)
    known = _figures(page)[figure]
    drawn = page.locator(f"#{figure} g.panel")
    left, right, bottom, top = map(float, (drawn.get_attribute("data-ends") or "").split())
    low, high = map(float, (drawn.get_attribute("data-values") or "").split())
    level = len(known["levels"]) // 2
    for at in (0, 5):
        value = known["values"][at][level]
        x = left + (right - left) * level / (len(known["levels"]) - 1)
        y = bottom + (top - bottom) * (value - low) / (high - low)
        page.mouse.move(*_place(page, figure, x, y))
        told = f"{known['runs'][at]}: {value:.4f} at {known['across']} {known['levels'][level]}"
        expect(page.locator(f"#{figure} output")).to_have_text(told)
    page.mouse.move(0, 0)
    expect(page.locator(f"#{figure} output")).to_have_text("")


def test_the_cell_under_the_pointer_is_named_with_its_value(
    visit_once: Visit, demo_page: Path
) -> None:
    page = visit_once(demo_page)
    known = _figures(page)["topics-figure"]
    drawn = page.locator("#topics-figure g.cells")
    left, top, wide, high = map(float, (drawn.get_attribute("data-cells") or "").split())
    for row, column in ((0, 0), (5, 7), (13, 29)):
        place = _place(
            page, "topics-figure", left + wide * (column + 0.5), top + high * (row + 0.5)
        )
        page.mouse.move(*place)
        value = known["values"][row * len(known["columns"]) + column]
        told = f"{known['rows'][row]}, topic {known['columns'][column]}: {value:.4f}"
        expect(page.locator("#topics-figure output")).to_have_text(told)


def test_without_scripts_all_is_readable_and_nothing_pretends_to_work(
    browser: Browser, demo_page: Path
) -> None:
    with visited(browser, scripts=False) as visit:
        page = visit(demo_page)
        expect(page.locator(BOARD)).to_have_count(14)
        assert _column(page, "run")[0] == "ideal"
        expect(page.locator("#curves-figure svg path.s1")).to_be_visible()
        expect(page.get_by_role("checkbox")).to_have_count(0)
        for button in page.locator("#board button").all():
            expect(button).to_be_disabled()
        page.locator("#curves-figure summary").click()
        expect(page.locator("#curves-figure details pre")).to_be_visible()


def test_a_handler_in_the_markup_is_blocked(browser: Browser, demo_page: Path) -> None:
    context = browser.new_context()
    page = context.new_page()
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text))
    page.goto(demo_page.as_uri())
    page.evaluate(
        """() => { document.body.insertAdjacentHTML(
        "beforeend", "<img src=x onerror='window.ran = 1'><button onclick='window.ran = 2'>x</button>") }"""
    )
    page.locator("button", has_text="x").last.click()
    page.evaluate(
        """() => { const own = document.createElement("script");
        own.textContent = "window.ran = 3"; document.body.append(own) }"""
    )
    assert page.evaluate("window.ran") is None
    assert len([text for text in refused if "Content Security Policy" in text]) >= 3
    context.close()


def test_the_page_prints(visit_once: Visit, demo_page: Path) -> None:
    printed = visit_once(demo_page).pdf(format="A4")
    assert printed.startswith(b"%PDF")
    # Pages with everything on them: an empty or a cut page is smaller.
    assert 5 <= printed.count(b"/Type /Page\n") <= 25
