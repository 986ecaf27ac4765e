"""Campaigns served for tests of the assessors' page, and the page as an assessor opens it."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn
from playwright.sync_api import Browser, Page, expect

from foveal.assess import Act, Campaign, Event, Judgement, Plan
from foveal.assess.server import app
from tests.browser.visiting import WIDTHS

# What a page may not read from outside, and what a test waits for.
PATIENCE = 5_000


@dataclass(frozen=True)
class Served:
    """A campaign that a server has open; the test has it open too."""

    origin: str
    campaign: Campaign

    def link(self, name: str = "ann") -> str:
        """The address that lets somebody in."""
        return f"{self.origin}/enter/{self.campaign.new_link(name)}"

    def judgement(self, doc: str = "plain", *, topic: str = "1", name: str = "ann") -> Judgement:
        """What is on disk."""
        return self.campaign.judgement(name, topic, doc)

    def events(self, *kinds: Act, doc: str | None = None, name: str = "ann") -> list[Event]:
        """The log of somebody, or the acts of some kinds."""
        found = self.campaign.events(assessor=name, doc=doc)
        return [event for event in found if not kinds or event.kind in kinds]


@contextmanager
def served(folder: Path, plan: Plan) -> Iterator[Served]:
    """A new campaign and its real server, on a thread of its own."""
    path = folder / "served.campaign"
    Campaign.create(path, plan).__exit__()
    listener = socket.create_server(("127.0.0.1", 0))
    origin = f"http://127.0.0.1:{listener.getsockname()[1]}"
    running: list[uvicorn.Server] = []

    async def run() -> None:
        # A campaign belongs to the thread that opened it.
        with Campaign.open(path) as campaign:
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
            yield Served(origin, campaign)
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
) -> Iterator[Page]:
    """The page of an assessor; afterwards it must have been silent, and in its width."""
    context = browser.new_context(
        color_scheme=scheme,
        viewport={"width": WIDTHS[width], "height": 900},
        reduced_motion="reduce",
        locale="en-GB",
        timezone_id="UTC",
    )
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    noise: list[str] = []
    page.on("console", lambda message: noise.append(message.text))
    page.on("pageerror", lambda error: noise.append(str(error)))
    page.on("dialog", lambda dialog: (noise.append(dialog.message), dialog.dismiss())[1])
    page.on(
        "request", lambda call: call.url.startswith(place.origin) or noise.append(call.url)
    )
    page.goto(place.link(name))
    page.wait_for_url("**/a/*/**")
    if doc is not None:
        show(page, doc)
    yield page
    assert not noise, noise
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth"), (
        "the page scrolls sideways"
    )
    context.close()


def show(page: Page, doc: str) -> None:
    """Open a document of the topic by its line in the list."""
    expect(page.locator("#place .text")).to_be_visible()
    fold = page.locator("#documents-fold")
    if page.locator("#fold").is_visible():
        page.locator("#fold").click()
    if fold.get_attribute("open") is None:
        fold.locator("summary").click()
    page.locator("#documents button", has_text=doc).first.click()
    expect(page.locator("#name")).to_have_text(doc)


def saved(page: Page) -> None:
    """Wait until the server has everything."""
    expect(page.locator("#state")).to_have_text("saved")
