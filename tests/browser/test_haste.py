"""Keys that come faster than the page and the server can answer."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser, Page, expect

from foveal.assess import EventKind
from tests.browser.desks import (
    Served,
    desk,
    drawn,
    press,
    reload,
    said,
    saved,
    served,
    show,
    stored,
)
from tests.campaigns import POOL, TEXTS, plan
from tests.shared import needs_browser

pytestmark = [pytest.mark.slow, needs_browser()]

PLAIN = TEXTS["plain"]
# Digests and frames that take their time.
SLOW = """
const digest = crypto.subtle.digest.bind(crypto.subtle);
crypto.subtle.digest = async (...given) => {
  await new Promise((done) => setTimeout(done, 100));
  return digest(...given);
};
requestAnimationFrame = (work) => setTimeout(work, 200);
"""
KEYS = [
    *"hhhhhuuubbjjjkkeeeffnx", "Shift+b", "Shift+j", "Shift+k", "Shift+e", "Shift+n",
    *["Control+z"] * 4, *["Control+Shift+z"] * 4,
]  # fmt: skip


def test_keys_act_in_the_order_in_which_they_were_pressed(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path, plan()) as place, desk(browser, place, script=SLOW) as page:
        press(page, "h", "j", "j", "h", "Shift+j", "e", "u")
        said(page, "nothing is highlighted there")
        quotes = [PLAIN[mark.start : mark.stop] for mark in stored(page, place, 2, EventKind.MARK)]
        assert quotes == ["Fish swim.", "Birds fly far."]
        # Out of a document while its last line is brought into sight: the next is shorter.
        press(page, "Shift+j", "n", "n")
        expect(page.locator("#name")).to_have_text("stones")
        page.wait_for_timeout(250)


def test_a_key_is_about_what_is_selected_whenever_the_browser_tells(
    browser: Browser, tmp_path: Path
) -> None:
    blanks = {"blanks": "Begin here." + " " * 20_000 + "End here."}
    with served(tmp_path, plan(blanks)) as place, desk(browser, place, "plain") as page:
        page.evaluate("""() => {
          const [node] = document.querySelector("#place .b-p").childNodes;
          getSelection().setBaseAndExtent(node, 11, node, 21);
          document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "h", bubbles: true})); }""")
        (mark,) = stored(page, place, 1, EventKind.MARK)
        assert PLAIN[mark.start : mark.stop] == "Fish sleep"
        # Where nothing can be read the cursor does not stop.
        show(page, "blanks")
        press(page, "j", "h")
        said(page, "highlighted 9 characters: “End here.”")
        press(page, "k", "h", "Control+a", "u")
        stored(page, place, 3, EventKind.MARK)
        stored(page, place, 1, EventKind.UNMARK)
        assert place.judgement("blanks").spans == ()


def test_a_storm_of_keys_in_two_tabs_leaves_what_the_log_says(
    browser: Browser, tmp_path: Path
) -> None:
    chance = Random(3)  # noqa: S311  # not for secrets
    with served(tmp_path, plan(snap="sentence")) as place, desk(browser, place) as page:
        other = page.context.new_page()
        other.goto(page.url)
        expect(other.locator("#place .text")).to_be_visible()
        for _ in range(2):
            for _ in range(40):
                press(chance.choice([page, other]), chance.choice(KEYS))
            for tab in (page, other):
                press(tab, "Escape")
            _settle([page, other], place)
            for tab in (page, other):
                _shows_the_log(tab, place)
        reload(page)
        _shows_the_log(page, place)


# By the page's own clock, however busy the machine is.
_IDLE = """() => new Promise(done => setTimeout(() => requestIdleCallback(done), 150))"""


def _settle(tabs: list[Page], place: Served) -> None:
    """Wait until no key that was pressed is still waiting for its turn."""
    count = -1
    while (now := len(place.events())) != count:
        count = now
        for tab in tabs:
            tab.evaluate(_IDLE)
            saved(tab)


def _shows_the_log(page: Page, place: Served) -> None:
    doc = page.locator("#name").inner_text()
    judgement = place.judgement(doc)
    count = sum(place.judgement(one).done for one in POOL["1"])
    expect(page.locator("#progress")).to_contain_text(f"{count} of 3")
    finish = page.locator("[data-act=finish]")
    expect(finish).to_have_attribute("aria-pressed", str(judgement.done).lower())
    expect(page.locator("#entry .quote")).to_have_count(int(judgement.entry is not None))
    expect(page.locator("#passages li")).to_have_count(len(judgement.spans))
    expect(page.locator("#notice-refused")).to_have_count(0)
    assert drawn(page, "marked") == [TEXTS[doc][start:stop] for start, stop in judgement.spans]
