"""Judging in a real browser: finishing, moving on, notes, keys, locks, two tabs, every look."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from foveal.assess import EventKind
from tests.browser.desks import desk, drawn, press, reload, said, saved, served, show, stored
from tests.browser.modules import blank, with_modules
from tests.browser.visiting import LOOKS, violations
from tests.campaigns import TEXTS, act, plan
from tests.shared import needs_browser

pytestmark = [pytest.mark.slow, needs_browser()]

GUIDE = """# What to highlight

Highlight **all text** that says
what fish do, with `**h**`.

- facts
- examples

1. read
2. highlight
"""


# What the corner says at each key.
WATCH_TYPING = """() => {
  window.states = [];
  document.activeElement.addEventListener("input", () =>
    window.states.push(document.getElementById("state").textContent));
}"""

# Whether the browser has a note as soon as its page goes away.
WRITE_AND_GO = """words => {
  const note = document.getElementById("note");
  note.value = words;
  note.dispatchEvent(new Event("input"));
  dispatchEvent(new Event("pagehide"));
  return Object.values(localStorage).join().includes(words);
}"""


def _name(page: Page, doc: str) -> None:
    expect(page.locator("#name")).to_have_text(doc)


def test_a_relevant_document_needs_an_entry_point_before_it_is_finished(
    browser: Browser, tmp_path: Path
) -> None:
    with served(tmp_path, plan()) as place, desk(browser, place) as page:
        _name(page, "plain")
        expect(page.locator("#progress")).to_have_text("0 of 3")
        press(page, "h", "f")
        said(page, "set an entry point first (b)")
        press(page, "j", "b", "f")
        said(page, "finished with 1 highlight")
        expect(page.locator("#progress")).to_have_text(re.compile("^1 of 3, about .* left$"))
        (done,) = stored(page, place, 1, EventKind.DONE)
        judgement = place.judgement()
        start = TEXTS["plain"].index("Fish sleep")
        assert (judgement.done, judgement.entry, done.doc) == (True, start, "plain")
        expect(page.locator("#entry .quote")).to_contain_text("Fish sleep at night.")
        # A change takes it back, and so does a second press.
        press(page, "h")
        expect(page.get_by_role("button", name="Finished", exact=True)).to_have_attribute(
            "aria-pressed", "false"
        )
        press(page, "f", "f")
        stored(page, place, 1, EventKind.UNDONE)
        page.get_by_role("button", name="Remove the entry point").click()
        stored(page, place, 1, EventKind.NO_ENTRY)
        assert place.judgement().entry is None


def test_documents_follow_one_another_until_all_is_done(browser: Browser, tmp_path: Path) -> None:
    """Bob has his own order of topic 1, then topic 2."""
    with served(tmp_path, plan()) as place, desk(browser, place, name="bob") as page:
        expect(page.locator("#progress")).to_have_text("0 of 4")
        press(page, "h", "x")
        said(page, "something is highlighted")
        press(page, "Shift+n")
        said(page, "this is the first document")
        press(page, "Control+z", "x")
        said(page, "document 2 of 3")
        press(page, "n")
        said(page, "document 3 of 3")
        press(page, "n")
        said(page, "topic 2: birds")
        expect(page.locator("#about h2")).to_have_text("birds")
        expect(page.locator("#topic")).to_have_value("2")
        press(page, "n")
        said(page, "this is the last document; 3 others are not finished yet")
        press(page, "Shift+n", "x")
        said(page, "topic 2: birds")
        press(page, "x")
        said(page, "this is the last document; 1 other is not finished yet")
        page.locator("#topic").select_option("1")
        said(page, "document 2 of 3")
        press(page, "f")
        said(page, "finished: all 4 documents are done. Thank you!")
        expect(page.locator("#progress")).to_have_text("4 of 4, all finished")


def test_progress_is_told_in_plain_words(browser: Browser) -> None:
    cases = {
        (12, 98, 10_800): "12 of 98, about 3 h left",
        (0, 1_234, None): "0 of 1,234",
        (1, 3, 20): "1 of 3, about 1 min left",
        (1, 3, 1_600): "1 of 3, about 25 min left",
        (3, 3, 0): "3 of 3, all finished",
        (0, 0, None): "no documents yet",
    }
    with with_modules(browser) as context:
        told = blank(context).evaluate(
            """async cases => { const { progressText } = await import("/acts.js");
            return cases.map(([done, all, secondsLeft]) => progressText({ done, all, secondsLeft })); }""",
            [list(case) for case in cases],
        )
    assert told == list(cases.values())


def test_a_document_outside_of_the_pool_is_found_added_and_judged(
    browser: Browser, tmp_path: Path
) -> None:
    with served(tmp_path, plan()) as place, desk(browser, place) as page:
        page.locator("#documents-fold summary").click()
        page.locator("#wanted").fill("no such name")
        page.locator("#wanted").press("Enter")
        said(page, "no other document has that in its name")
        page.locator("#wanted").fill("OUT")
        page.get_by_role("button", name="Find").click()
        page.locator("#results button", has_text="outside").click()
        _name(page, "outside")
        expect(page.locator("#documents button", has_text="outside")).to_contain_text("added")
        press(page, "j", "h")
        (mark,) = stored(page, place, 1, EventKind.MARK, doc="outside")
        quote = TEXTS["outside"][mark.start : mark.stop]
        assert quote == "It is about fish all the same."
        reload(page)
        _name(page, "outside")
        assert drawn(page, "marked") == [quote]


def test_notes_and_keywords_are_kept_and_shown(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path, plan()) as place, desk(browser, place) as page:
        _name(page, "plain")
        page.locator("#note").fill("<b>odd</b> h u x")
        press(page, "Escape")
        stored(page, place, 1, EventKind.NOTE)
        assert place.judgement().note == "<b>odd</b> h u x"
        press(page, "/")
        page.keyboard.type("FISH (swim")
        assert drawn(page, "keyword") == ["Fish", "Fish"]
        page.locator("#keywords").fill("FISH swim")
        press(page, "Enter")
        saved(page)
        keyword = place.events(EventKind.KEYWORD)[-1]
        assert (keyword.value, keyword.doc, keyword.topic) == ("FISH swim", None, "1")
        # A note is kept when another document is opened, and there in its own when one returns.
        page.locator("#note").fill("second thoughts")
        show(page, "stones")
        expect(page.locator("#note")).to_have_value("")
        assert drawn(page, "keyword") == ["fish"]
        show(page, "plain")
        expect(page.locator("#note")).to_have_value("second thoughts")
        stored(page, place, 2, EventKind.NOTE)
        # Another browser knows them as well.
        saved(page)
        page.evaluate("localStorage.clear()")
        reload(page)
        expect(page.locator("#keywords")).to_have_value("FISH swim")


def test_text_is_saved_while_the_cursor_is_still_in_its_field(
    browser: Browser, tmp_path: Path
) -> None:
    with served(tmp_path, plan()) as place, desk(browser, place) as page:
        _name(page, "plain")
        saved(page)
        written = {"note": "ask Zoë", "keywords": "fish"}
        for field, words in written.items():
            page.locator(f"#{field}").focus()
            page.evaluate(WATCH_TYPING)
            page.keyboard.type(words)
            assert "saved" not in page.evaluate("window.states")
            # No key, no click: a second is enough.
            saved(page)
            assert page.evaluate("document.activeElement.id") == field
        reload(page)
        for field, words in written.items():
            expect(page.locator(f"#{field}")).to_have_value(words)
        # A page that goes away does not wait for the second.
        assert page.evaluate(WRITE_AND_GO, "ask Zoë first")
        saved(page)
        assert place.judgement().note == "ask Zoë first"


@pytest.mark.parametrize("shown", ["0", "1"])
def test_pooled_text_is_shown_where_the_campaign_allows_it(
    shown: str, browser: Browser, tmp_path: Path
) -> None:
    world = plan(show_pool=shown, entry="none" if shown == "1" else "optional")
    with served(tmp_path, world) as place, desk(browser, place) as page:
        _name(page, "plain")
        assert drawn(page, "pooled") == []
        press(page, "p")
        if shown == "1":
            assert drawn(page, "pooled") == [TEXTS["plain"][:10]]
            press(page, "p")
            assert drawn(page, "pooled") == []
            stored(page, place, 1, EventKind.POOL_SHOWN)
            stored(page, place, 1, EventKind.POOL_HIDDEN)
            # No entry points in this campaign.
            expect(page.locator("[data-act=set-entry]")).to_have_count(0)
            press(page, "h", "f")
        else:
            expect(page.locator("#pool")).to_be_hidden()
            press(page, "h", "f")
            stored(page, place, 0, EventKind.POOL_SHOWN)
        stored(page, place, 1, EventKind.DONE)


def test_keys_act_only_where_and_while_they_should(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path, plan()) as place, desk(browser, place) as page:
        _name(page, "plain")
        press(page, "Alt+h", "Meta+h", "Control+h", "Control+f", "Escape")
        page.locator("#wanted").evaluate("node => node.closest('details').open = true")
        for field in ("#note", "#keywords", "#wanted"):
            page.locator(field).focus()
            press(page, "h", "f")
        page.locator("#topic").focus()
        press(page, "x")
        press(page, "Escape", "?")
        expect(page.locator("#help")).to_be_visible()
        press(page, "h")
        press(page, "Escape")
        expect(page.locator("#help")).to_be_hidden()
        page.get_by_label("Keyboard shortcuts").uncheck()
        page.locator("h1").click()
        press(page, "h", "x")
        reload(page)
        _name(page, "plain")
        expect(page.get_by_label("Keyboard shortcuts")).not_to_be_checked()
        press(page, "h")
        page.get_by_label("Keyboard shortcuts").check()
        press(page, "h")
        stored(page, place, 1, EventKind.MARK)
        stored(page, place, 0, EventKind.DONE)


def test_every_key_is_told_where_a_pointer_does_the_same(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path, plan(show_pool="1")) as place, desk(browser, place) as page:
        press(page, "b")
        expect(page.locator("#entry .remove")).to_be_visible()
        keys = page.locator("#key-list kbd").all_text_contents()
        told = page.locator("[title]:visible").evaluate_all("all => all.map(own => own.title)")
        # A press on the text drops what is selected.
        missing = [key for key in keys if not any(own.endswith(f"({key})") for own in told)]
        assert (len(keys), missing) == (21, ["Escape"])


# Counts what the page has asked the server and not heard of yet.
_ASKING = """
window.asking = 0;
window.heard = 0;
const ask = window.fetch;
window.fetch = async (...given) => {
  window.asking += 1;
  try { return await ask(...given); }
  finally { window.asking -= 1; window.heard = performance.now(); }
};
"""
_QUIET = "() => window.asking === 0 && performance.now() - window.heard > 300"


def test_a_locked_topic_can_be_read_alone(browser: Browser, tmp_path: Path) -> None:
    with (
        served(tmp_path, plan()) as place,
        desk(browser, place, noise_about="423 (Locked)", script=_ASKING) as page,
    ):
        press(page, "h")
        stored(page, place, 1, EventKind.MARK)
        place.campaign.append([act("lock", assessor="", topic="1", doc=None)])
        # The page learns of it from the first refusal.
        press(page, "j", "j", "h")
        expect(page.locator("#notice-refused")).to_contain_text("is locked")
        expect(page.locator("#notice-lock")).to_contain_text("This topic is locked")
        assert drawn(page, "marked") == ["Fish swim."]
        expect(page.get_by_role("button", name="Highlight", exact=True)).to_be_disabled()
        expect(page.locator("#passages .remove")).to_be_disabled()
        press(page, "f")
        said(page, "this topic is locked: you can read it")
        # What was refused is not lost: it is sent again once the topic is unlocked.
        place.campaign.append([act("unlock", assessor="", topic="1", doc=None)])
        page.get_by_role("button", name="Try again").click()
        stored(page, place, 2, EventKind.MARK)
        expect(page.locator("#notices > *")).to_have_count(0)
        expect(page.locator("#name")).to_be_focused()
        assert drawn(page, "marked") == ["Fish swim.", "Birds fly far."]
        # The page must learn of the second lock by a refusal, not by an answer that is under way.
        expect(page.get_by_role("button", name="Highlight", exact=True)).to_be_enabled()
        page.wait_for_function(_QUIET)
        place.campaign.append([act("lock", assessor="", topic="1", doc=None)])
        press(page, "b")
        page.get_by_role("button", name="Dismiss").click()
        expect(page.locator("#notice-refused")).to_have_count(0)
        expect(page.locator("#notice-lock")).to_contain_text("This topic is locked")
        page.wait_for_function(_QUIET)
        stored(page, place, 0, EventKind.DONE, EventKind.ENTRY)
        place.campaign.append([act("unlock", assessor="", topic="1", doc=None)])
        # In place of the fifteen seconds after which a page looks for news.
        page.evaluate("dispatchEvent(new Event('online'))")
        expect(page.locator("#notice-lock")).to_have_count(0)
        press(page, "b")
        stored(page, place, 1, EventKind.ENTRY)


def test_two_tabs_show_the_same(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path, plan()) as place, desk(browser, place) as page:
        _name(page, "plain")
        other = page.context.new_page()
        other.goto(page.url)
        _name(other, "plain")
        press(page, "h")
        expect(other.locator("#passages .quote")).to_have_text(["Fish swim."])
        press(other, "Shift+j", "h")
        expect(page.locator("#passages .quote")).to_have_text(["Fish swim.", "Birds fly far."])
        press(page, "b", "f")
        expect(other.locator("#progress")).to_have_text(re.compile("^1 of 3"))
        press(other, "Control+z")
        expect(page.locator("#progress")).to_have_text("0 of 3")
        assert drawn(page, "marked") == drawn(other, "marked") == ["Fish swim.", "Birds fly far."]
        # Also of a document that only the other tab has open.
        press(page, "f", "n")
        _name(page, "odd")
        expect(page.locator("#progress")).to_have_text(re.compile("^1 of 3"))
        press(other, "u")
        expect(page.locator("#progress")).to_have_text("0 of 3")
        other.locator("#keywords").fill("flew")
        other.locator("#keywords").press("Enter")
        saved(other)
        expect(page.locator("#keywords")).to_have_value("flew")
        assert drawn(page, "keyword") == ["flew"]


def test_time_away_is_noted(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path, plan()) as place, desk(browser, place) as page:
        _name(page, "plain")
        for state in ("hidden", "visible"):
            page.evaluate(
                """state => {
                Object.defineProperty(document, "visibilityState", {value: state, configurable: true});
                document.dispatchEvent(new Event("visibilitychange")); }""",
                state,
            )
        kinds = [event.kind for event in stored(page, place, 3)]
        assert kinds == [EventKind.OPEN, EventKind.LEAVE, EventKind.RETURN]
        assert len({event.tab for event in place.events()} - {""}) == 1


def test_a_document_that_cannot_be_fetched_leaves_the_open_one(
    browser: Browser, tmp_path: Path
) -> None:
    with (
        served(tmp_path, plan()) as place,
        desk(browser, place, noise_about="net::ERR_FAILED") as page,
    ):
        page.route("**/api/document?**", lambda route: route.abort())
        press(page, "n")
        said(page, "odd cannot be shown: the server does not answer: try again in a moment")
        _name(page, "plain")
        press(page, "h")
        assert stored(page, place, 1, EventKind.MARK)[0].doc == "plain"
        page.unroute("**/api/document?**")
        press(page, "n")
        _name(page, "odd")
        page.route("**/api/document?**", lambda route: route.abort())
        saved(page)
        page.reload()
        _name(page, "No document is open")
        expect(page.locator("#place")).to_contain_text("the server does not answer")


def test_a_browser_without_highlights_is_told_so(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path, plan()) as place:
        context = browser.new_context()
        context.add_init_script("delete globalThis.Highlight")
        page = context.new_page()
        page.goto(place.link())
        _name(page, "This browser cannot show the page")
        expect(page.locator("#place")).to_contain_text("CSS highlights")
        assert place.events() == []
        context.close()


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_every_look_keeps_the_rules_of_accessibility(
    scheme: str, width: str, browser: Browser, tmp_path: Path
) -> None:
    world = plan({"x" * 300: "<b>Long</b> names. " * 40}, guide=GUIDE, show_pool="1")
    with (
        served(tmp_path, world) as place,
        desk(browser, place, "x" * 300, scheme=scheme, width=width) as page,
    ):
        press(page, "h", "b", "j", "j", "h", "p", "f", "j", "e")
        if width == "phone":
            assert violations(page) == []
            page.get_by_role("button", name="Topic and notes").click()
        page.locator("#guide-fold summary").click()
        expect(page.locator("#guide h3")).to_have_text("What to highlight")
        expect(page.locator("#guide strong")).to_have_text("all text")
        expect(page.locator("#guide kbd")).to_have_text("**h**")
        expect(page.locator("#guide ul li, #guide ol li")).to_have_count(4)
        assert violations(page) == []
        if width == "desk":
            press(page, "?")
            assert violations(page) == []
