"""The adjudicator's page: layers, rulings by keys and buttons, entry points, its own log."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from foveal.assess import Assignment, EventKind, Role
from tests.browser.desks import Served, desk, drawn, saved, served
from tests.browser.visiting import LOOKS, violations
from tests.campaigns import TEXTS, act, plan
from tests.shared import needs_browser

pytestmark = [pytest.mark.slow, needs_browser()]

REGIONS = "#regions button"
TEXT = TEXTS["plain"]


def span(quote: str) -> dict[str, int]:
    start = TEXT.index(quote)
    return {"start": start, "stop": start + len(quote)}


def judged(place: Served) -> None:
    """Both marked the first sentence, ann the second as well, bob two others."""
    by_name = {
        "ann": ["Fish swim. Fish sleep at night."],
        "bob": ["Fish swim.", "Some birds swim too.", "The end."],
    }
    for name, quotes in by_name.items():
        log = [act("mark", assessor=name, **span(quote)) for quote in quotes]
        log += [act("entry", assessor=name, start=span(quotes[-1])["start"])]
        log += [act("done", assessor=name)]
        assert place.campaign.append(log)
    # Here they agree.
    place.campaign.append([act("done", assessor=name, doc="stones") for name in by_name])


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path, plan()) as found:
        judged(found)
        yield found


@pytest.fixture
def page(browser: Browser, place: Served) -> Iterator[Page]:
    with desk(browser, place, name="ada") as opened:
        expect(opened.locator(REGIONS)).to_have_count(4)
        yield opened


def told(page: Page) -> list[str]:
    return [text.replace("\n", " ") for text in page.locator(f"{REGIONS} .who").all_inner_texts()]


def test_layers_show_who_marked_what(page: Page) -> None:
    assert drawn(page, "by-all") == ["Fish swim."]
    assert drawn(page, "by-0") == ["Fish sleep at night."]
    assert drawn(page, "by-1") == ["Some birds swim too.", "The end."]
    assert [text[1:] for text in told(page)] == [
        "both · undecided",
        "only ann · undecided",
        "only bob · undecided",
        "only bob · undecided",
    ]
    assert page.locator(".legend li").all_inner_texts() == [
        "both",
        "only ann",
        "only bob",
        "accepted by you",
    ]
    lines = page.locator(".legend .sample").evaluate_all(
        "all => all.map(one => getComputedStyle(one).textDecorationStyle)"
    )
    assert len(set(lines[:3])) == 3, "by colour alone"
    assert page.locator("#documents button").count() == 1


def test_every_assessor_is_drawn_otherwise_and_a_fifth_is_named(
    browser: Browser, place: Served
) -> None:
    for name, quote in {"cat": "Birds", "dan": "fly", "eve": "far"}.items():
        place.campaign.add_person(name, Role.ASSESSOR)
        place.campaign.assign([Assignment("1", name, 0, 0)])
        mark = act("mark", assessor=name, **span(quote))
        place.campaign.append([mark, act("entry", assessor=name, start=0)])
        place.campaign.append([act("done", assessor=name)])
    with desk(browser, place, name="ada") as page:
        expect(page.locator(".legend li")).to_have_text(
            ["several", "only ann, only eve", "only bob", "only cat", "only dan", "accepted by you"]
        )
        lines = page.locator(".legend .sample").evaluate_all(
            """all => all.map(one => getComputedStyle(one)).map(
                look => `${look.textDecorationLine} ${look.textDecorationStyle}`)"""
        )
        assert len(set(lines[:5])) == 5, "by colour alone"


def test_rulings_by_keys_lead_from_region_to_region(page: Page, place: Served) -> None:
    page.keyboard.press("a")
    expect(page.locator("#said")).to_contain_text("accepted: both")
    expect(page.locator(REGIONS).nth(1)).to_have_attribute("aria-current", "true")
    page.keyboard.press("r")
    expect(page.locator("#said")).to_contain_text("rejected: only ann")
    page.keyboard.press("d")
    expect(page.locator(REGIONS).nth(3)).to_have_attribute("aria-current", "true")
    page.keyboard.press("a")
    # From the last on to what was left behind.
    expect(page.locator(REGIONS).nth(2)).to_have_attribute("aria-current", "true")
    page.keyboard.press("r")
    expect(page.locator("#said")).to_contain_text("all regions are decided")
    assert drawn(page, "rejected") == ["Fish sleep at night.", "Some birds swim too."]
    page.keyboard.press("Control+z")
    expect(page.locator(f"{REGIONS} .who").nth(2)).to_contain_text("undecided")
    saved(page)
    expected = tuple((one["start"], one["stop"]) for one in map(span, ("Fish swim.", "The end.")))
    assert place.judgement(name="ada").spans == expected
    kinds = [
        event.kind
        for event in place.events(EventKind.MARK, EventKind.UNMARK, EventKind.UNDO, name="ada")
    ]
    assert kinds == ["mark", "unmark", "mark", "unmark", "undo"]
    assert len(place.judgement(name="ann").spans) == 1, "the assessors' logs are theirs"


def test_all_that_everybody_marked_is_accepted_at_once_and_text_is_marked_anew(
    page: Page, place: Served
) -> None:
    page.keyboard.press("Shift+A")
    expect(page.locator("#said")).to_contain_text("accepted 1 region that everybody marked")
    page.keyboard.press("Shift+A")
    expect(page.locator("#said")).to_contain_text("nothing shared is undecided")
    # The region of ann's alone, from which only a blank parts it, joins.
    page.get_by_role("button", name="Accept", exact=True).click()
    page.get_by_role("button", name="Take the entry point of bob").click()
    expect(page.locator("#said")).to_have_text("entry point of bob taken")
    page.locator("#passages button.quote").first.click()
    for _ in range(2):
        page.keyboard.press("j")
    page.keyboard.press("h")
    page.keyboard.press("f")
    saved(page)
    found = place.judgement(name="ada")
    assert [TEXT[a:b] for a, b in found.spans] == [
        "Fish swim. Fish sleep at night.\n\nBirds fly far."
    ]
    assert found.entry == span("The end.")["start"]
    assert found.done
    page.reload()
    expect(page.locator(f"{REGIONS} .who").first).to_contain_text("both · accepted")
    expect(page.locator("#documents-count")).to_have_text("1 of 1 finished")


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
def test_every_look_keeps_the_rules_of_accessibility(
    browser: Browser, place: Served, scheme: Any, width: str
) -> None:
    with desk(browser, place, name="ada", scheme=scheme, width=width) as page:
        expect(page.locator(REGIONS)).to_have_count(4)
        page.keyboard.press("a")
        page.keyboard.press("r")
        expect(page.locator("#said")).to_contain_text("rejected")
        found = violations(page)
        if page.locator("#fold").is_visible():
            page.locator("#fold").click()
            found += violations(page)
        assert found == []
        saved(page)


def test_a_locked_topic_can_only_be_read(page: Page, place: Served) -> None:
    place.campaign.append([act("lock", assessor="", topic=None, doc=None)])
    saved(page)
    page.reload()
    expect(page.get_by_role("button", name="Reject")).to_be_disabled()
    page.keyboard.press("r")
    expect(page.locator("#said")).to_contain_text("locked")
    expect(page.get_by_role("button", name="Take the entry point of ann")).to_be_disabled()
    saved(page)
    assert not place.events(EventKind.UNMARK, name="ada")
