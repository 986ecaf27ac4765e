"""Acts on their way to the server: nothing is lost, doubled or reordered, and all is said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, Page, Route

from tests.browser.modules import HOME, blank, with_modules
from tests.shared import needs_browser

pytestmark = [pytest.mark.slow, needs_browser()]

START = """async ([assessor, number]) => {
    const {Outbox, sender} = await import('/outbox.js');
    window.heard = [];
    window.box = new Outbox({
      campaign: "fish:1", assessor, tab: crypto.randomUUID(), send: sender("api/events"),
      changed: news => window.heard.push(news),
    });
    window.box.start(number);
}"""
PUT = """values => values.map(
    value => window.box.put({topic: "1", doc: "d", kind: "note", value}).id)"""
NOW = "dispatchEvent(new Event('online'))"


class Desk:
    """A server of one person that can be told to fail."""

    def __init__(self) -> None:
        self.log: dict[str, dict[str, Any]] = {}
        self.failing: int | str = 0
        self.largest = 1_000_000
        self.refusing: dict[str, tuple[int, str]] = {}
        self.asked: list[list[str]] = []
        self.drops_answers = False
        self.says_nothing = False

    def answer(self, route: Route) -> None:
        sent = route.request.post_data or "{}"
        if self.failing == "away":
            route.abort()
        elif self.failing:
            route.fulfill(status=int(self.failing), json={"error": "no"})
        elif len(sent) > self.largest:
            route.fulfill(status=413, json={"error": "too large"})
        else:
            self.take(route, json.loads(sent))

    def take(self, route: Route, body: dict[str, Any]) -> None:
        self.asked.append([event["value"] for event in body.get("events", [])])
        acknowledged, refused = [], []
        for event in body.get("events", []):
            if event["value"] in self.refusing:
                status, error = self.refusing[event["value"]]
                refused.append({"id": event["id"], "status": status, "error": error})
                continue
            stored = {"number": len(self.log) + 1, "assessor": "ann", **event}
            number = self.log.setdefault(event["id"], stored)["number"]
            acknowledged.append({"id": event["id"], "number": number})
        if self.drops_answers:
            route.abort()
            return
        after = int(body.get("after", route.request.url.rpartition("=")[2]))
        news = [event for event in self.log.values() if event["number"] > after]
        reply = {"acknowledged": acknowledged, "refused": refused}
        if self.says_nothing:
            reply, news = {"acknowledged": []}, []
        route.fulfill(
            status=refused[0]["status"] if refused else 200,
            json={**(reply if "events" in body else {}), "events": news, "number": len(self.log)},
        )

    @property
    def values(self) -> list[str]:
        return [event["value"] for event in self.log.values()]


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def context(browser: Browser, desk: Desk) -> Iterator[BrowserContext]:
    with with_modules(browser) as opened:
        opened.route(f"{HOME}api/**", desk.answer)
        yield opened


def tab(context: BrowserContext, assessor: str = "ann", number: int = 0) -> Page:
    page = blank(context)
    page.evaluate(START, [assessor, number])
    wait(page, "window.heard.length > 0")
    return page


def wait(page: Page, condition: str) -> None:
    page.wait_for_function(condition)


def state(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate("window.box.state")
    return found


def wait_for(page: Page, kind: str) -> str:
    """The words of a state, once it is there."""
    wait(page, f"window.box.state.kind === '{kind}'")
    return str(state(page)["text"])


def said(page: Page) -> list[str]:
    found: list[str] = page.evaluate("window.heard.map(news => news.said).filter(Boolean)")
    return found


def test_acts_are_sent_in_order_and_forgotten_when_acknowledged(
    context: BrowserContext, desk: Desk
) -> None:
    page = tab(context)
    page.evaluate("const now = Date.now(); let tick = 9; Date.now = () => now - 1000 * tick++;")
    page.evaluate(PUT, list("abcdefghijklm"))
    assert state(page)["kind"] == "saving"
    assert wait_for(page, "saved") == "saved"
    assert desk.values == list("abcdefghijklm")
    assert page.evaluate("localStorage.length") == 0
    assert [one["value"] for one in page.evaluate("window.box.log('1', 'd', [])")] == desk.values
    assert page.evaluate("window.box.pending('1', 'd')") == []
    assert said(page) == []


def test_acts_wait_for_a_server_that_is_away_and_it_is_said_when_they_are_sent(
    context: BrowserContext, desk: Desk
) -> None:
    page = tab(context)
    desk.failing = "away"
    page.evaluate(PUT, ["a"])
    wait_for(page, "offline")
    page.evaluate(PUT, ["b", "c"])
    words = state(page)["text"]
    assert words.startswith("offline since ")
    assert words.endswith(", 3 acts are kept in this browser")
    assert len(page.evaluate("window.box.pending('1', 'd')")) == 3
    desk.failing = 0
    assert wait_for(page, "saved") == "saved"
    assert said(page) == ["caught up: 3 acts sent"]
    assert desk.values == ["a", "b", "c"]


def test_a_lost_answer_doubles_nothing(context: BrowserContext, desk: Desk) -> None:
    page = tab(context)
    desk.drops_answers = True
    page.evaluate(PUT, ["a", "b"])
    wait_for(page, "offline")
    assert desk.values == ["a", "b"]
    desk.drops_answers = False
    page.evaluate(NOW)
    wait_for(page, "saved")
    assert desk.values == ["a", "b"]
    assert said(page) == ["caught up: 2 acts sent"]


def test_what_a_closed_tab_left_is_sent_by_the_next_one_of_the_same_person(
    context: BrowserContext, desk: Desk
) -> None:
    desk.failing = "away"
    first = tab(context)
    first.evaluate(PUT, ["a", "b"])
    wait_for(first, "offline")
    first.close()
    desk.failing = 0
    tab(context, assessor="ann:0")
    assert desk.values == []
    second = tab(context)
    second.evaluate(PUT, ["c"])
    wait_for(second, "saved")
    assert desk.values == ["a", "b", "c"]


def test_an_ended_link_keeps_the_acts_and_says_what_to_do(
    context: BrowserContext, desk: Desk
) -> None:
    page = tab(context)
    desk.failing = 403
    page.evaluate(PUT, ["a"])
    assert wait_for(page, "ended") == (
        "your link has ended: ask the organiser for a new one; 1 act is kept in this browser"
    )
    page.reload()
    desk.failing = 0
    page.evaluate(START, ["ann", 0])
    wait_for(page, "saved")
    assert desk.values == ["a"]


def test_a_full_disk_is_named_and_outlived(context: BrowserContext, desk: Desk) -> None:
    page = tab(context)
    desk.failing = 507
    page.evaluate(PUT, ["a", "b"])
    words = "the server's disk is full: 2 acts are kept in this browser"
    assert wait_for(page, "full") == words
    desk.failing = 500
    page.evaluate(NOW)
    words = "the server has a problem (no): 2 acts are kept in this browser"
    assert wait_for(page, "broken") == words
    desk.failing = 0
    page.evaluate(NOW)
    wait_for(page, "saved")
    assert desk.values == ["a", "b"]


def test_a_refused_act_is_shown_until_it_is_dismissed_and_does_not_stop_others(
    context: BrowserContext, desk: Desk
) -> None:
    page = tab(context)
    desk.refusing = {"bad": (423, "topic '1' is locked")}
    page.evaluate(PUT, ["a", "bad", "b"])
    assert wait_for(page, "refused") == "refused: topic '1' is locked"
    assert desk.values == ["a", "b"]
    assert page.evaluate("window.heard.some(news => news.reread)")
    page.reload()
    page.evaluate(START, ["ann", 2])
    other = tab(context)
    (refusal,) = page.evaluate("window.box.refused")
    assert (refusal["status"], refusal["event"]["value"]) == (423, "bad")
    # Again, and it is still refused: it is kept all the same, once.
    page.evaluate("window.box.retry()")
    wait_for(page, "refused")
    assert [one["event"]["value"] for one in page.evaluate("window.box.refused")] == ["bad"]
    page.evaluate("window.box.dismiss()")
    assert wait_for(page, "saved") == "saved"
    wait(other, "window.heard.at(-1).state.kind === 'saved'")
    assert other.evaluate("window.box.refused") == []


def test_requests_are_as_small_as_the_server_wants_them(
    context: BrowserContext, desk: Desk
) -> None:
    page = tab(context)
    values = [f"{place:03d}" for place in range(230)]
    page.evaluate(PUT, values)
    wait_for(page, "saved")
    assert max(map(len, desk.asked)) == 100
    desk.asked.clear()
    long = [letter * 9_000 for letter in "abcdefgh"]
    desk.largest = 30_000
    page.evaluate(PUT, [*long, "x" * 40_000, "last"])
    wait_for(page, "refused")
    assert desk.values == [*values, *long, "last"]
    assert page.evaluate("window.box.refused.map(one => one.status)") == [413]
    desk.largest = 1_000_000
    desk.asked.clear()
    page.evaluate(PUT, ["y" * 9_000] * 90)
    wait(page, "window.box.state.unsent === 0")
    assert max(sum(map(len, sent)) for sent in desk.asked) < 500_000


def test_a_browser_that_stores_nothing_warns_before_it_is_closed(
    context: BrowserContext, desk: Desk
) -> None:
    page = blank(context)
    page.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('full'); }; }")
    page.evaluate(START, ["ann", 0])
    desk.failing = "away"
    page.evaluate(PUT, ["a"])
    assert wait_for(page, "offline").endswith(
        ", 1 act is kept only in this page, because the browser stores nothing; do not close it"
    )
    warned: list[str] = []

    def stay(dialog: Dialog) -> None:
        warned.append(dialog.type)
        dialog.dismiss()

    page.on("dialog", stay)
    page.mouse.click(5, 5)  # browsers warn only on pages that somebody has used
    page.close(run_before_unload=True)
    wait(page, "true")
    desk.failing = 0
    page.evaluate(NOW)
    wait_for(page, "saved")
    assert warned == ["beforeunload"]
    assert desk.values == ["a"]


def test_tabs_of_one_person_see_each_others_acts_and_send_each_once(
    context: BrowserContext, desk: Desk
) -> None:
    one, other = tab(context), tab(context)
    one.evaluate(PUT, ["a", "b"])
    other.evaluate(PUT, ["c"])
    for page in (one, other):
        wait(page, "window.box.log('1', 'd', []).filter(event => event.number).length === 3")
        wait_for(page, "saved")
    assert sorted(desk.values) == ["a", "b", "c"]
    assert sorted(value for sent in desk.asked for value in sent) == ["a", "b", "c"]


def test_acts_of_another_device_arrive_by_themselves(context: BrowserContext, desk: Desk) -> None:
    page = blank(context)
    page.clock.install()
    page.evaluate(START, ["ann", 0])
    wait(page, "window.heard.length > 0")
    desk.log["far"] = {"id": "far", "number": 1, "topic": "1", "doc": "d", "value": "z"}
    page.clock.run_for(16_000)
    wait(page, "window.box.log('1', 'd', []).length === 1")
    # The organiser went back to an older copy: what the page knows may not be there any more.
    desk.log.clear()
    page.clock.run_for(16_000)
    wait(page, "window.heard.at(-1).reread")
    assert page.evaluate("window.box.log('1', 'd', [])") == []
    assert said(page)[-1].startswith("the server has an older copy of the campaign now")


def test_answers_that_say_nothing_are_not_asked_for_without_a_pause(
    context: BrowserContext, desk: Desk
) -> None:
    page = tab(context)
    desk.says_nothing = True
    page.evaluate(PUT, ["a"])
    words = "the server does not say what it did: 1 act is kept in this browser"
    assert wait_for(page, "broken") == words
    assert len(desk.asked) < 5
    desk.says_nothing = False
    wait_for(page, "saved")
    assert desk.values == ["a"]


def test_a_fault_of_the_page_does_not_end_the_sending(browser: Browser, desk: Desk) -> None:
    with with_modules(browser, noise_about="a fault") as context:
        context.route(f"{HOME}api/**", desk.answer)
        page = tab(context)
        page.evaluate("() => { window.heard.push = () => { throw new Error('a fault'); }; }")
        assert (
            page.evaluate(
                """() => { try { window.box.put({topic: "1", doc: "d", kind: "note", value: "a"}); }
            catch (error) { return error.message; } }"""
            )
            == "a fault"
        )
        wait(page, "window.box.state.kind === 'saved'")
        page.evaluate("() => { delete window.heard.push; }")
        page.evaluate(PUT, ["b"])
        wait(page, "window.box.state.kind === 'saved'")
    assert desk.values == ["a", "b"]
