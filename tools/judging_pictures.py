"""The pictures of judging in the browser: an assessor's desk, an adjudicator's, and a phone."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Page, expect

from tools.palette import in_few_colours

Links = dict[str, str]
PEOPLE = ("ann", "bob", "ada")
# A short document of ann's, and text about its topic in it.
TOPIC, DOC = "101", "A295"
RELEVANT = "In 1827 the lamp"
ENTRY = "The distant keeper and the reef"
SELECTED = "still ask about"
# Widens the selection to where a text is, as a mouse would that is dragged over it.
_SELECT = """words => {
  const root = document.querySelector("#place .text");
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let node;
  while ((node = walker.nextNode())) {
    const start = node.data.indexOf(words);
    if (start >= 0) {
      getSelection().setBaseAndExtent(node, start, node, start + words.length);
      return;
    }
  }
  throw new Error(`nothing says ${words}`);
}"""
# What was decided above what is undecided.
_SHOW_REJECTED = """() => {
  const [{ startContainer, startOffset, endContainer, endOffset }] = CSS.highlights.get("rejected");
  const range = document.createRange();
  range.setStart(startContainer, startOffset);
  range.setEnd(endContainer, endOffset);
  scrollBy({ top: range.getBoundingClientRect().top - innerHeight * 0.25 });
}"""


class View(NamedTuple):
    """Who looks at the page, and on how large a screen."""

    person: str
    width: int
    height: int


DESK, PHONE, ADJUDICATOR = View("bob", 1100, 760), View("bob", 390, 720), View("ada", 1100, 880)
READING = {"assess": DESK, "assess-phone": PHONE}
ADJUDICATING = "assess-adjudicate"
SCHEMES = ("light", "dark")


def judging_names() -> list[str]:
    """The names of the pictures."""
    return [f"{view}-{scheme}" for view in (*READING, ADJUDICATING) for scheme in SCHEMES]


def judging_pictures(browser: Browser, folder: Path) -> Iterator[tuple[str, bytes]]:
    """Each picture by its name, from a campaign that is made and served in a folder."""
    with _served(folder) as links:
        # Acts are kept by the campaign: the later pictures show the same state as the first.
        with _page(browser, links, DESK, "light") as page:
            _judge(page)
        for (name, view), scheme in product(READING.items(), SCHEMES):
            with _page(browser, links, view, scheme) as page:
                _select(page, SELECTED)
                yield f"{name}-{scheme}", _picture(page)
        with _page(browser, links, ADJUDICATOR, "light") as page:
            _adjudicate(page)
        for scheme in SCHEMES:
            with _page(browser, links, ADJUDICATOR, scheme) as page:
                page.evaluate(_SHOW_REJECTED)
                yield f"{ADJUDICATING}-{scheme}", _picture(page)


@contextmanager
def _served(folder: Path) -> Iterator[Links]:
    """The links into the campaign of `foveal assess try`, while it is served."""
    command = [sys.executable, "-m", "foveal", "assess", "try", "try", "--port", "0"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, encoding="utf-8") as server:
        links: Links = {}
        for line in server.stdout or ():
            name, *rest = line.rstrip("\n").split("\t")
            if name in PEOPLE:
                links[name] = rest[-1]
            if len(links) == len(PEOPLE):
                break
        try:
            yield links
        finally:
            server.send_signal(signal.SIGINT)


@contextmanager
def _page(browser: Browser, links: Links, view: View, scheme: Any) -> Iterator[Page]:
    """The page of a person; an assessor's shows the document of the pictures."""
    context = browser.new_context(
        viewport={"width": view.width, "height": view.height}, color_scheme=scheme,
        reduced_motion="reduce", locale="en-GB", timezone_id="UTC",
    )  # fmt: skip
    page = context.new_page()
    page.goto(links[view.person])
    expect(page.locator("#place .text")).to_be_visible()
    if view.person != ADJUDICATOR.person:
        page.goto(f"{page.url.partition('#')[0]}?#topic={TOPIC}&doc={DOC}")
        expect(page.locator("#name")).to_have_text(DOC)
    yield page
    context.close()


def _judge(page: Page) -> None:
    """Highlight a sentence and set the entry point."""
    _select(page, RELEVANT)
    page.keyboard.press("h")
    _select(page, ENTRY)
    page.keyboard.press("b")
    expect(page.locator("#said")).to_contain_text("entry point set")
    _saved(page)


def _adjudicate(page: Page) -> None:
    """Accept a region, reject the next, and go on."""
    for key in ("a", "r"):
        page.keyboard.press(key)
    expect(page.locator("#said")).to_contain_text("rejected")
    _saved(page)


def _select(page: Page, words: str) -> None:
    page.evaluate(_SELECT, words)
    # The page learns of it when it is idle.
    page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")


def _saved(page: Page) -> None:
    expect(page.locator("#state")).to_have_text("saved")


def _picture(page: Page) -> bytes:
    """A picture of the visible part of the page, in few colours."""
    _saved(page)
    page.evaluate("""() => {
      const { anchorNode } = getSelection();
      anchorNode?.parentElement.scrollIntoView({ block: "center" });
    }""")
    page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
    return in_few_colours(page.context, page.screenshot())
