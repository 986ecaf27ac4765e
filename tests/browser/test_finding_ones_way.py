"""Focus, narrow and low windows, and paper: nobody is left without the text or without a place."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.desks import desk, drawn, press, served
from tests.campaigns import plan
from tests.shared import needs_browser

pytestmark = [pytest.mark.slow, needs_browser()]


def test_what_has_the_focus_passes_it_on_when_it_goes_away(
    browser: Browser, tmp_path: Path
) -> None:
    with served(tmp_path, plan()) as place, desk(browser, place, "plain", name="bob") as page:
        expect(page.locator("#documents [aria-current]")).to_be_focused()
        press(page, "h", "j", "j", "h", "b")
        page.get_by_role("button", name="Remove the entry point").press("Enter")
        expect(page.locator("#entry h3")).to_be_focused()
        page.get_by_role("button", name="Remove highlight 1").press("Enter")
        expect(page.locator("#passages li")).to_have_count(1)
        expect(page.locator("#judged-title")).to_be_focused()
        # Whoever points at a topic reads on: letters would choose another topic.
        page.locator("#topic").dispatch_event("pointerdown")
        page.locator("#topic").select_option("2")
        expect(page.locator("#about .title")).to_have_text("birds")
        press(page, "j")
        assert drawn(page, "cursor") == ["Fish sleep at night."]
        page.set_viewport_size({"width": 390, "height": 800})
        page.locator("#fold").press("Enter")
        expect(page.locator("#unfold")).to_be_focused()
        page.locator("#unfold").press("Enter")
        expect(page.locator("#fold")).to_be_focused()


def test_what_is_said_twice_is_heard_twice(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path, plan()) as place, desk(browser, place) as page:
        for region, key in {"#said": "Shift+n", "#read": "k"}.items():
            heard = [_changes(page, region, key) for _ in range(3)]
            assert heard == [1, 1, 1], region


def _changes(page: Page, region: str, key: str) -> int:
    """How often a live region has other words after a key than before."""
    before = page.locator(region).text_content()
    press(page, key)
    return int(page.locator(region).text_content() != before)


def test_low_windows_and_paper_have_room_for_the_text(browser: Browser, tmp_path: Path) -> None:
    long = {"long": "A sentence of a long text, which goes on. " * 300}
    with served(tmp_path, plan(long)) as place, desk(browser, place, "long") as page:
        # A window of 1280 × 1024, at 400 %.
        page.set_viewport_size({"width": 320, "height": 256})
        press(page, *"jjjjjjjj")
        page.wait_for_function("() => scrollY > 100")
        assert _height_of_text(page) > 150
        expect(page.get_by_role("button", name="Highlight", exact=True)).to_be_in_viewport()
        page.emulate_media(media="print")
        for part in ("header", "footer", "aside"):
            expect(page.locator(part)).to_be_hidden()
        expect(page.locator("#place")).to_be_visible()


def _height_of_text(page: Page) -> float:
    """How much of the window neither the top nor the bar covers."""
    edges = page.evaluate("""[
      document.querySelector("header").getBoundingClientRect().bottom,
      document.querySelector("footer").getBoundingClientRect().top]""")
    return float(edges[1] - max(0, edges[0]))
