"""The documentation as a site, in a real browser: found by searching, readable everywhere, alone."""

from __future__ import annotations

import fcntl
import functools
import http.server
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from tools.pages import DOCS
from tools.site import build

from tests.browser.visiting import LOOKS, WIDTHS, silent, tab, violations
from tests.shared import needs_browser

pytestmark = pytest.mark.slow

# One page of each kind: tables, long blocks, formulas, pictures, answers that unfold.
PAGES = [
    "",
    "tutorial/",
    "teach/1-by-hand/",
    "reference/measures/AiP/",
    "reference/commands/evaluate/",
]

# The theme's search box asks for the focus, and Chromium says so where an address names a heading.
OF_THE_THEME = "Autofocus processing was blocked because a document's URL has a fragment"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built once for all processes; strictly, so that a dead link is an error."""
    own = tmp_path_factory.getbasetemp()
    # One process alone has no folder that it shares with others of the same run.
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    place = shared / "site"
    with (shared / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not place.exists():
            build(place)
    return place


class Silent(http.server.SimpleHTTPRequestHandler):
    """A server that keeps no log."""

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    """Where the site is served."""
    handler = functools.partial(Silent, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_every_page_is_on_the_site_with_its_blocks_of_code(site: Path) -> None:
    for page in DOCS.rglob("*.md"):
        place = page.relative_to(DOCS).with_suffix("")
        place = place.parent if place.name in {"README", "index"} else place
        assert "```" not in (site / place / "index.html").read_text(encoding="utf-8"), page


def test_the_menu_leads_from_a_measure_to_its_family(site: Path) -> None:
    page = (site / "reference/measures/AiP/index.html").read_text(encoding="utf-8")
    menu = page.partition('data-md-type="navigation"')[2].partition("<article")[0]
    assert 'href="../iP/"' in menu
    # What is not shown is not sent with every page.
    assert 'href="../nDCG/"' not in menu
    assert 'href="../../"' in menu


@pytest.fixture
def visitor(browser: Browser, address: str) -> Iterator[Page]:
    """A page of the site; afterwards it must have been silent and alone."""
    with (
        tab(browser, "site", "light", "desk") as page,
        silent(page, (address, "data:", "blob:"), but=OF_THE_THEME),
    ):
        yield page


@needs_browser()
@pytest.mark.parametrize(
    ("word", "title"),
    [("AiP", "AiP: Average"), ("foveal gate", "foveal gate")],
)
def test_searching_finds_the_page_of_a_word_first(
    word: str, title: str, visitor: Page, address: str
) -> None:
    visitor.goto(address)
    visitor.get_by_role("button", name="Search").first.click()
    visitor.get_by_role("combobox", name="Search").fill(word)
    expect(visitor.get_by_role("option").first).to_contain_text(title)
    visitor.keyboard.press("Enter")
    expect(visitor.locator("article h1")).to_contain_text(title)


@needs_browser()
@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_pages_keep_their_width_and_the_rules_of_accessibility(
    scheme: Any, width: str, visitor: Page, address: str
) -> None:
    visitor.emulate_media(color_scheme=scheme)
    visitor.set_viewport_size({"width": WIDTHS[width], "height": 900})
    for place in PAGES:
        visitor.goto(f"{address}{place}")
        assert not visitor.evaluate("document.documentElement.scrollWidth > innerWidth"), place
        assert violations(visitor) == [], place
        background = visitor.evaluate("getComputedStyle(document.body).backgroundColor")
        light = sum(map(int, background.strip("rgba()").split(",")[:3])) > 384
        assert light is (scheme == "light")


@needs_browser()
def test_the_link_of_a_heading_is_one_sign_with_a_name(visitor: Page, address: str) -> None:
    visitor.goto(f"{address}teach/1-by-hand/#tasks")
    expect(visitor.locator("h2#tasks")).to_have_text("Tasks#")
    expect(visitor.locator("h2#tasks a")).to_have_accessible_name("Link to this section")


@needs_browser()
def test_formulas_are_drawn_by_the_browser(visitor: Page, address: str) -> None:
    visitor.goto(f"{address}reference/measures/AiP/")
    assert visitor.locator("article math").count() > 0
    assert "$$" not in visitor.locator("article").inner_text()


@needs_browser()
def test_pictures_and_drawings_follow_the_switch_from_light_to_dark(
    visitor: Page, address: str
) -> None:
    visitor.emulate_media(color_scheme="light")
    visitor.goto(address)
    picture = visitor.locator("article picture img")
    expect(picture).to_have_js_property("currentSrc", f"{address}images/report-light.png")
    visitor.get_by_title("Switch to dark").click()
    expect(picture).to_have_js_property("currentSrc", f"{address}images/report-dark.png")
    visitor.goto(f"{address}reference/figures/")
    drawing = visitor.locator("article img").first
    assert drawing.evaluate("own => getComputedStyle(own).colorScheme") == "dark"
