"""Campaigns served for tests of the assessors' page, and the page as an assessor opens it."""

from __future__ import annotations

import asyncio
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from playwright.sync_api import Browser, Page, expect

from foveal.assess import Campaign, CampaignContents, Event, EventKind, Judgement
from foveal.assess.routes import app
from tests.browser.visiting import PATIENCE, WIDTHS, assert_in_width, new_context, silent, tab

# Milliseconds.
STEP = 15


@dataclass(frozen=True)
class Served:
    """A campaign that a server has open; the test has it open too."""

    origin: str
    campaign: Campaign
    running: list[tuple[asyncio.AbstractEventLoop, Campaign]]

    def on_server(self, statement: str) -> None:
        """Run a statement on the server's own connection, which belongs to its thread."""

        async def run() -> None:
            self.running[0][1].connection.execute(statement).fetchall()

        asyncio.run_coroutine_threadsafe(run(), self.running[0][0]).result(PATIENCE / 1000)

    def link(self, name: str = "ann") -> str:
        """The address that lets somebody in."""
        return f"{self.origin}/enter/{self.campaign.new_link(name)}"

    def judgement(self, doc: str = "plain", *, topic: str = "1", name: str = "ann") -> Judgement:
        """What is on disk."""
        return self.campaign.judgement(name, topic, doc)

    def events(self, *kinds: EventKind, doc: str | None = None, name: str = "ann") -> list[Event]:
        """The log of somebody, or the acts of some kinds."""
        found = self.campaign.events(assessor=name, doc=doc)
        return [event for event in found if not kinds or event.kind in kinds]


@contextmanager
def served(folder: Path, plan: CampaignContents) -> Iterator[Served]:
    """A new campaign and its real server, on a thread of its own."""
    path = folder / "served.campaign"
    Campaign.create(path, plan).connection.close()
    listener = socket.create_server(("127.0.0.1", 0))
    origin = f"http://127.0.0.1:{listener.getsockname()[1]}"
    running: list[uvicorn.Server] = []
    known: list[tuple[asyncio.AbstractEventLoop, Campaign]] = []

    async def run() -> None:
        # A campaign belongs to the thread that opened it.
        with Campaign.open(path) as campaign:
            known.append((asyncio.get_running_loop(), campaign))
            config = uvicorn.Config(
                app(campaign, origin=origin), http="h11", ws="none", lifespan="off",
                log_config=None, access_log=False, timeout_graceful_shutdown=1,
            )  # fmt: skip
            running.append(uvicorn.Server(config))
            await running[0].serve(sockets=[listener])

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    try:
        with Campaign.open(path) as campaign:
            yield Served(origin, campaign, known)
    finally:
        for server in running:
            server.should_exit = True
        thread.join(10)
        listener.close()


@contextmanager
def desk(
    browser: Browser,
    place: Served,
    doc: str | None = None,
    *,
    name: str = "ann",
    scheme: Any = "light",
    width: str = "desk",
    noise_about: str = "nothing",
    script: str = "",
) -> Iterator[Page]:
    """The page of an assessor; afterwards it must have been silent, and in its width.

    Browsers report answers such as 423 by themselves: `noise_about` is what they may say.
    `script` runs before the page's own.
    """
    with (
        _tab(browser, scheme, width, script) as page,
        silent(page, place.origin, but=noise_about),
    ):
        page.goto(place.link(name))
        expect(page.locator("#place .text")).to_be_visible()
        if doc is not None:
            show(page, doc)
        yield page
        assert_in_width(page)


@contextmanager
def _tab(browser: Browser, scheme: Any, width: str, script: str) -> Iterator[Page]:
    if not script:
        with tab(browser, "desk", scheme, width, has_touch=width == "phone") as page:
            yield page
        return
    context = new_context(browser, viewport={"width": WIDTHS[width], "height": 900})
    context.add_init_script(script)
    yield context.new_page()
    context.close()


def show(page: Page, doc: str) -> None:
    """Open a document of the topic by its line in the list."""
    fold = page.locator("#documents-fold")
    if page.locator("#fold").is_visible():
        page.locator("#fold").click()
    if fold.get_attribute("open") is None:
        fold.locator("summary").click()
    page.locator("#documents button", has_text=doc).first.click()
    expect(page.locator("#name")).to_have_text(doc)


def saved(page: Page) -> None:
    """Wait until the server has everything that the page has done so far."""
    expect(page.locator("#state")).to_have_text("saved")


def reload(page: Page) -> None:
    """Load the page anew once all is saved: until then the browser would ask."""
    saved(page)
    page.reload()
    expect(page.locator("#place .text")).to_be_visible()


def stored(
    page: Page, place: Served, count: int, *kinds: EventKind, doc: str | None = None
) -> list[Event]:
    """So many acts of ann's, once they are on disk; fails if there are more or fewer."""
    for _ in range(PATIENCE // STEP):
        if len(place.events(*kinds, doc=doc)) >= count:
            break
        page.wait_for_timeout(STEP)
    found = place.events(*kinds, doc=doc)
    assert len(found) == count, [event.kind.value for event in place.events()]
    return found


def units(text: str) -> int:
    """How long the browser takes a text to be."""
    return len(text.encode("utf-16-le")) // 2


# A text node of the document and an offset in it, for an offset in UTF-16 units of the whole.
_FIND = """
const root = document.querySelector("#place .text");
const find = (unit, isEnd) => {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let node, left = unit;
  while ((node = walker.nextNode())) {
    if (left < node.length || (isEnd && left === node.length)) return [node, left];
    left -= node.length;
  }
  throw new Error(`nothing at ${unit}`);
};
"""
_SELECT = f"""async ([start, stop]) => {{ {_FIND}
  getSelection().setBaseAndExtent(...find(start, false), ...find(stop, true));
  const told = getSelection().getRangeAt(0).toString();
  await new Promise(done => requestAnimationFrame(() => setTimeout(done)));
  return told; }}"""
_PLACE = f"""([unit, isEnd]) => {{ {_FIND}
  const [node, offset] = find(unit, isEnd);
  const range = document.createRange();
  range.setStart(node, isEnd ? offset - 1 : offset);
  range.setEnd(node, isEnd ? offset : offset + 1);
  node.parentElement.scrollIntoView({{block: "center"}});
  const box = range.getBoundingClientRect();
  return [isEnd ? box.right - 1 : box.left + 1, (box.top + box.bottom) / 2]; }}"""
_DRAWN = """name => [...CSS.highlights.get(name)].map(own => {
  const range = document.createRange();
  range.setStart(own.startContainer, own.startOffset);
  range.setEnd(own.endContainer, own.endOffset);
  return range.toString(); })"""


def select(page: Page, start: int, stop: int) -> str:
    """Select from one UTF-16 unit to another; what the browser says is selected."""
    return str(page.evaluate(_SELECT, [start, stop]))


def drag(page: Page, start: int, stop: int) -> None:
    """Select with the mouse from before one UTF-16 unit to behind another."""
    first = page.evaluate(_PLACE, [start, False])
    last = page.evaluate(_PLACE, [stop, True])
    page.mouse.move(*first)
    page.mouse.down()
    page.mouse.move(*last, steps=4)
    page.mouse.up()


def tap(page: Page, unit: int) -> None:
    """Touch the text at a UTF-16 unit."""
    page.touchscreen.tap(*page.evaluate(_PLACE, [unit, False]))


def drawn(page: Page, layer: str) -> list[str]:
    """What a layer highlights."""
    return list(page.evaluate(_DRAWN, layer))


def press(page: Page, *keys: str) -> None:
    """Press keys, one after another."""
    for key in keys:
        page.keyboard.press(key)


def said(page: Page, words: str | re.Pattern[str]) -> None:
    """Wait until the page says so."""
    expect(page.locator("#said")).to_contain_text(words)
