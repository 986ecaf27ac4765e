"""Judging goes on whatever happens to the server: killed, out of disk, asked by many at once."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from foveal.assess import Campaign, EventKind
from tests.browser.desks import Served, desk, press, said, saved, served, show
from tests.campaigns import META, TEXTS, plan
from tests.shared import needs_browser

pytestmark = [pytest.mark.slow, needs_browser()]

KILLS = 5
# What browsers say by themselves about requests that fail.
FAILING = "Failed to load resource"

# Starts servers at once, because it has loaded all that they need: one for each line it reads.
FORKER = """
import os, signal, sys
import uvicorn
import foveal.assess.routes
from foveal.cli.assess.serve import command
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in sys.stdin:
    child = os.fork()
    if not child:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        command.main(sys.argv[1:], standalone_mode=False)
        os._exit(0)
    print(child, flush=True)
"""

# Remembers the acts that were made, those that were acknowledged, and all that the page has said.
WITNESS = """
window.made = [];
const store = Storage.prototype.setItem;
Storage.prototype.setItem = function (name, value) {
  if (name.startsWith("foveal:")) window.made.push(JSON.parse(value).id);
  store.call(this, name, value);
};
window.acknowledged = [];
window.sayings = [];
const real = window.fetch;
window.fetch = async (...given) => {
  const answer = await real(...given);
  if (given[1]?.method === "POST") {
    const body = await answer.clone().json();
    window.acknowledged.push(...body.acknowledged.map(one => one.id));
  }
  return answer;
};
addEventListener("DOMContentLoaded", () => {
  const said = document.getElementById("said");
  const watch = new MutationObserver(changes => window.sayings.push(
    ...changes.flatMap(change => [...change.addedNodes].map(node => node.data))));
  // The page that a link leads to first has none.
  if (said) watch.observe(said, {childList: true});
});
"""

CAUGHT_UP = """count =>
  window.sayings.filter(words => /^caught up: \\d+ acts? sent$/.test(words)).length === count"""

WORK = """() => {
  const keys = ["h", "j", "h", "b", "u", "h", "k", "u", "j"];
  let place = 0;
  window.work = setInterval(() => {
    const key = keys[place++ % keys.length];
    document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
  }, 25);
}"""


class Killable:
    """`foveal assess serve` on one port and one file, started again and again."""

    def __init__(self, path: Path, port: int) -> None:
        command = [sys.executable, "-c", FORKER, str(path), "--port", str(port), "--no-browser"]
        self._forker = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._child = 0

    def start(self) -> None:
        assert self._forker.stdin is not None
        assert self._forker.stdout is not None
        self._forker.stdin.write("\n")
        self._forker.stdin.flush()
        self._child = int(self._forker.stdout.readline())

    def kill(self) -> None:
        os.kill(self._child, signal.SIGKILL)

    def end(self) -> None:
        self.kill()
        self._forker.communicate(timeout=60)


@contextmanager
def killable(folder: Path) -> Iterator[tuple[Killable, Served]]:
    """A campaign and its server, which has been started."""
    path = folder / "killed.campaign"
    Campaign.create(path, plan()).connection.close()
    port = own_port()
    server = Killable(path, port)
    server.start()
    try:
        with Campaign.open(path) as campaign:
            place = Served(f"http://127.0.0.1:{port}", campaign, [])
            await_server(port)
            yield server, place
    finally:
        server.end()


def own_port() -> int:
    """A free port that nobody is given by chance while the server is down: those are above 32,768."""
    first = 20_000 + os.getpid() % 10_000
    for port in range(first, first + 100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port
    pytest.fail("no free port")


def await_server(port: int) -> None:
    for _ in range(3_000):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    pytest.fail("the server does not start")


def state(page: Page, kind: str) -> None:
    """Wait until the page says this about saving."""
    expect(page.locator("#state")).to_have_class(kind)


def acknowledged_ids(page: Page) -> set[str]:
    return set(page.evaluate("window.acknowledged"))


def test_nothing_is_lost_or_doubled_when_the_server_is_killed_again_and_again(
    browser: Browser, tmp_path: Path
) -> None:
    chance = random.Random(19)  # noqa: S311  # not for secrets
    with (
        killable(tmp_path) as (server, place),
        desk(browser, place, noise_about=FAILING, script=WITNESS) as page,
    ):
        page.evaluate(WORK)
        for count in range(1, KILLS + 1):
            page.wait_for_timeout(chance.uniform(0, 80))
            server.kill()
            # Acknowledged means on disk: nothing of it may be missing now.
            known = acknowledged_ids(page)
            assert known <= {event.id for event in place.events()}
            state(page, "offline")
            server.start()
            # By itself, although the assessor works on.
            page.wait_for_function(CAUGHT_UP, arg=count)
        page.evaluate("clearInterval(window.work)")
        saved(page)
        log = [event.id for event in place.events()]
        assert log == page.evaluate("window.made"), "lost, doubled or out of order"
        assert set(log) == acknowledged_ids(page)
        assert len(log) > 3 * KILLS
        assert_shown(page, place)


def assert_shown(page: Page, place: Served, name: str = "ann", doc: str = "plain") -> None:
    """The page shows what is on disk."""
    spans = place.judgement(doc, name=name).spans
    quotes = [" ".join(TEXTS[doc][a:b].split()) for a, b in spans]
    expect(page.locator("#passages button.quote")).to_have_text(quotes)


def test_tabs_and_assessors_at_once_overwrite_nothing(browser: Browser, tmp_path: Path) -> None:
    with (
        served(tmp_path, plan({}, **META)) as place,
        desk(browser, place, "plain") as one,
        desk(browser, place, "plain", name="bob") as bob,
    ):
        other = one.context.new_page()
        other.goto(one.url)
        expect(other.locator("#name")).to_have_text("plain")
        for page, keys in ((one, "h"), (bob, "jh"), (other, "jjh"), (bob, "jjh"), (one, "b")):
            press(page, *keys)
        for page in (one, other):
            saved(page)
            assert_shown(page, place)
            expect(page.locator("#entry")).to_contain_text("Fish swim.")
        saved(bob)
        assert_shown(bob, place, "bob")
        quotes = {
            name: [
                TEXTS["plain"][e.start : e.stop] for e in place.events(EventKind.MARK, name=name)
            ]
            for name in ("ann", "bob")
        }
        assert sorted(quotes["ann"]) == ["Birds fly far.", "Fish swim."]
        assert sorted(quotes["bob"]) == ["Fish sleep at night.", "Some birds swim too."]
        told = [told_log(page) for page in (one, other, bob)]
        assert [{event["assessor"] for event in log} for log in told] == [{"ann"}, {"ann"}, {"bob"}]
        # What one tab takes back, the other shows.
        press(other, "u")
        saved(other)
        expect(one.locator("#passages button.quote")).to_have_text(["Fish swim."])


def told_log(page: Page) -> list[dict[str, Any]]:
    """All that the server tells a page about events."""
    found: list[dict[str, Any]] = page.evaluate(
        "async () => (await (await fetch('api/events?after=0')).json()).events"
    )
    return found


def test_a_full_disk_is_said_and_nothing_is_lost(browser: Browser, tmp_path: Path) -> None:
    with (
        served(tmp_path, plan()) as place,
        desk(browser, place, "plain", noise_about=FAILING) as page,
    ):
        saved(page)
        before = len(place.events())
        place.on_server("PRAGMA max_page_count = 1")
        note = "no room " * 1_000
        page.locator("#note").fill(note)
        page.locator("#name").click()
        state(page, "full")
        page.keyboard.press("h")
        expect(page.locator("#state")).to_have_text(
            "the server's disk is full: 2 acts are kept in this browser"
        )
        assert len(place.events()) == before
        expect(page.locator("#passages button.quote")).to_have_text(["Fish swim."])
        # Another tab has the acts as well, if this one is closed.
        other = page.context.new_page()
        other.goto(page.url)
        expect(other.locator("#passages button.quote")).to_have_text(["Fish swim."])
        state(other, "full")
        place.on_server("PRAGMA max_page_count = 100000")
        for own in (page, other):
            saved(own)
            said(own, "caught up")
        assert place.judgement().note == note
        assert_shown(page, place)
        show(page, "odd")
        saved(page)
