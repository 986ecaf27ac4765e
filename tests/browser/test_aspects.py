"""Aspects of highlights in a real browser: named, chosen, removed, exported and scored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from foveal.assess import EventKind
from tests.browser.desks import desk, drawn, press, reload, said, saved, served, show, stored
from tests.browser.visiting import violations
from tests.campaigns import ODD, TEXTS, act, plan
from tests.cli.calling import foveal
from tests.shared import needs_browser

pytestmark = [pytest.mark.slow, needs_browser()]

PLAIN = TEXTS["plain"]
HOSTILE = "<img src=x onerror=alert(1)> \u202egnp"


def write(page: Page, words: str) -> None:
    """Ask for an aspect and name it."""
    press(page, "t")
    page.keyboard.type(words)
    press(page, "Enter")


def offered(page: Page) -> list[str]:
    return page.locator("#aspect-list [role=option]").all_text_contents()


def listed(page: Page) -> list[str]:
    """The aspects beside the highlights, in order."""
    return page.locator("#passages .aspect-name").all_text_contents()


def test_two_aspects_are_highlighted_exported_and_scored(browser: Browser, tmp_path: Path) -> None:
    with (
        served(tmp_path, plan(entry="none", snap="sentence")) as place,
        desk(browser, place, "plain") as page,
    ):
        # "n" right after: the name is of the document that was open.
        write(page, "swimming")
        press(page, "j")
        write(page, "sleeping")
        press(page, "f", "n")
        expect(page.locator("#name")).to_have_text("odd")
        write(page, "swim")
        said(page, "aspect “swimming” of")
        press(page, "f", "n")
        expect(page.locator("#name")).to_have_text("stones")
        press(page, "x")
        said(page, "all 3 documents are finished")
        saved(page)
        assert place.judgement().aspects == (("swimming", ((0, 10),)), ("sleeping", ((11, 31),)))
        words = ("assess", "export", "served.campaign", "-o", "gold.jsonl")
        assert foveal(*words, folder=tmp_path).code == 0
    # The run has "odd", nothing of "stones", and of "plain" what has one of its two aspects.
    results = [("odd", 0, len(ODD)), ("stones", 0, 9), ("plain", 0, 10)]
    lines = [
        {"topic": "1", "doc": doc, "start": start, "end": end, "rank": rank}
        for rank, (doc, start, end) in enumerate(results, 1)
    ]
    (tmp_path / "run.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    scored = ("gold.jsonl", "run.jsonl", "-m", "StRecall@5", "-m", "alpha_nDCG@10")
    answer = foveal("evaluate", *scored, folder=tmp_path)
    # One of two aspects. Gains 1, 0, 1/2 at ranks 1, 2, 3; best: 2 by "plain", then 1/2 by "odd":
    # (1 + 1/2 / log2(4)) / (2 + 1/2 / log2(3)).
    assert answer.out.splitlines()[-1].split() == ["run", "0.5000", "0.5398"], answer.err


def test_names_are_completed_chosen_and_remembered(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path, plan(snap="sentence")) as place, desk(browser, place, "plain") as page:
        write(page, "Price")
        write(page, HOSTILE)
        press(page, "t")
        assert offered(page) == [HOSTILE, "Price"]
        expect(page.locator("#aspect-quote")).to_have_text("“Fish swim.”")
        page.keyboard.type("pr")
        # The rest is selected, so that typing goes on.
        expect(page.locator("#aspect-name")).to_have_value("price")
        assert offered(page) == ["Price"]
        page.keyboard.type("icy?")
        expect(page.locator("#aspect-name")).to_have_value("pricy?")
        # Capitals do not make another aspect.
        press(page, "Escape")
        write(page, "pri")
        said(page, "that has the aspect “Price” already")
        press(page, "t", "ArrowUp")
        expect(page.locator("#aspect-name")).to_have_value("Price")
        option = page.locator("#aspect-list [aria-selected=true]")
        focus = page.locator("#aspect-name").get_attribute("aria-activedescendant")
        assert option.get_attribute("id") == focus
        press(page, "Enter")
        said(page, "that has the aspect “Price” already")
        reload(page)
        show(page, "stones")
        press(page, "t")
        page.get_by_role("option", name="Price").click()
        stored(page, place, 3, EventKind.MARK)
        assert place.judgement("stones").aspects == (("Price", ((0, 17),)),)


def test_an_aspect_is_removed_and_the_highlight_stays(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path, plan(snap="sentence")) as place, desk(browser, place, "plain") as page:
        press(page, "e", "h")
        # At the cursor is the highlight of two sentences; what is selected is less.
        write(page, "both")
        press(page, "k", "e", "Shift+e")
        write(page, "first")
        expect(page.locator("#passages .aspect-name")).to_have_count(2)
        assert listed(page) == ["both", "first (in part)"]
        press(page, "k")
        expect(page.locator("#read")).to_have_text("highlighted, aspects both, first: Fish swim.")
        page.get_by_role("button", name="first (in part)").click()
        assert drawn(page, "pending") == ["Fish swim."]
        page.get_by_role("button", name="Remove aspect both from highlight 1").click()
        said(page, "aspect “both” removed, the highlight stays")
        stored(page, place, 1, EventKind.UNMARK)
        assert place.judgement().spans == ((0, 31),)
        assert place.judgement().aspects == (("first", ((0, 10),)),)
        press(page, "Control+z")
        said(page, "undone: removing the aspect “both” from “Fish swim. Fish sleep at night.”")
        assert listed(page) == ["both", "first (in part)"]


def test_nothing_is_named_unless_it_is_wanted(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path, plan()) as place, desk(browser, place, "plain") as page:
        press(page, "t")
        assert drawn(page, "pending") == ["Fish swim."]
        page.keyboard.type("hfx?")
        expect(page.locator("#aspect-name")).to_have_value("hfx?")
        press(page, "Escape")
        expect(page.locator("#aspect")).to_be_hidden()
        assert (drawn(page, "pending"), drawn(page, "cursor")) == ([], ["Fish swim."])
        # What was selected before stays so.
        press(page, "e", "t", "Escape")
        assert drawn(page, "pending") == ["Fish swim. Fish sleep at night."]
        press(page, "t", "Space", "Enter")
        expect(page.locator("#aspect")).to_be_visible()
        page.get_by_role("button", name="Cancel").click()
        place.campaign.append([act("lock", assessor="", topic="1", doc=None)])
        reload(page)
        press(page, "t")
        said(page, "this topic is locked")
        expect(page.locator("#aspect")).to_be_hidden()
        assert place.events(EventKind.MARK) == []


def test_the_chooser_and_the_list_have_no_findings(browser: Browser, tmp_path: Path) -> None:
    long = "where fish live at night when the water is cold " + "w" * 100
    with served(tmp_path, plan()) as place:
        marks = [act("mark", start=0, stop=10, value=name) for name in ("a", HOSTILE, long)]
        place.campaign.append(marks)
        with desk(browser, place, "plain", width="phone") as page:
            page.locator("#fold").click()
            assert violations(page) == []
            page.locator("#unfold").click()
            page.emulate_media(color_scheme="dark")
            page.get_by_role("button", name="Aspect", exact=True).tap()
            press(page, "ArrowDown")
            assert violations(page) == []
            box = page.locator("#aspect").bounding_box()
            assert box is not None
            assert 0 <= box["x"] < box["x"] + box["width"] <= 390
            press(page, "Escape")
