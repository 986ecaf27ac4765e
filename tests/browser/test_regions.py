"""Regions that assessors marked, and the rulings on them, against sets of characters."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page

from foveal.assess import Event, EventKind
from foveal.assess.replay import effective, replayed
from tests.browser.modules import blank, with_modules
from tests.browser.test_replay import rows
from tests.examples import examples
from tests.logs import logs
from tests.shared import needs_browser

pytestmark = [pytest.mark.slow, needs_browser()]

NAMES = ("ann", "bob", "cat")
PLACES = st.integers(0, 12)
Layers = list[dict[str, Any]]


@st.composite
def layers(draw: st.DrawFn) -> Layers:
    """What up to three assessors marked: disjoint spans, in order, that do not touch."""
    found = []
    for name in NAMES[: draw(st.integers(0, 3))]:
        edges = sorted(draw(st.sets(PLACES, max_size=6)))
        spans = [list(pair) for pair in zip(edges[::2], edges[1::2], strict=False)]
        found.append({"assessor": name, "spans": spans})
    return found


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    with with_modules(browser) as context:
        opened = blank(context)
        opened.evaluate("async () => { window.regions = await import('/regions.js'); }")
        yield opened


def who_marked(found: Layers) -> dict[int, list[str]]:
    """By character, who marked it."""
    marked: dict[int, list[str]] = {}
    for layer in found:
        for start, stop in layer["spans"]:
            for place in range(start, stop):
                marked.setdefault(place, []).append(layer["assessor"])
    return marked


@given(many=st.lists(layers(), min_size=20, max_size=40))
@examples(20)
def test_regions_are_the_characters_by_who_marked_them(page: Page, many: list[Layers]) -> None:
    answers = page.evaluate("many => many.map(one => window.regions.regionsOf(one))", many)
    for found, regions in zip(many, answers, strict=True):
        told = {at: one["who"] for one in regions for at in range(one["start"], one["stop"])}
        assert told == who_marked(found)
        assert sum(one["stop"] - one["start"] for one in regions) == len(told)
        for one, other in pairwise(regions):
            assert one["stop"] <= other["start"]
            assert one["stop"] < other["start"] or one["who"] != other["who"]


RULED = """([logs, regions]) => logs.map(log => {
    const decided = window.regions.decidedSpans(log);
    const spans = window.replay.replayed(log).spans;
    return regions.map(([start, stop]) => window.regions.rulingOn({start, stop}, decided, spans));
})"""
REGIONS = [(0, 4), (4, 5), (1, 9), (9, 20)]


def ruling(log: list[Event], region: tuple[int, int]) -> str:
    """What is said of a region, by its characters."""
    own = set(range(*region))
    acts = [
        event for _, event in effective(log) if event.kind in {EventKind.MARK, EventKind.UNMARK}
    ]
    # To take an aspect away says nothing about the text.
    acts = [event for event in acts if event.kind is EventKind.MARK or event.value is None]
    touched = {at for one in acts for at in range(one.start or 0, one.stop or 0)}
    if not own <= touched:
        return ""
    kept = own & {at for a, b in replayed(log).spans for at in range(a, b)}
    return "accepted" if kept == own else "in part" if kept else "rejected"


@given(many=st.lists(logs(), min_size=15, max_size=25))
@examples(15)
def test_a_region_is_decided_when_own_acts_cover_it(page: Page, many: list[list[Event]]) -> None:
    page.evaluate("async () => { window.replay = await import('/replay.js'); }")
    answers = page.evaluate(RULED, [rows(many), REGIONS])
    for log, answer in zip(many, answers, strict=True):
        assert answer == [ruling(log, region) for region in REGIONS]


def test_the_next_region_without_a_ruling_is_looked_for_from_here_on(page: Page) -> None:
    ask = "([rulings, from]) => window.regions.nextUndecided(rulings, from)"
    rulings = ["", "accepted", "", "rejected"]
    assert [page.evaluate(ask, [rulings, at]) for at in range(4)] == [0, 2, 2, 0]
    assert page.evaluate(ask, [["accepted"], 0]) == -1
    assert page.evaluate(ask, [[], 0]) == -1


def test_regions_are_named_and_drawn_by_who_marked_them(page: Page) -> None:
    ask = """([who, names]) =>
        [window.regions.assessorsText(who, names.length), window.regions.layerOf(who, names)]"""
    two, three = ["ann", "bob"], ["ann", "bob", "cat"]
    assert page.evaluate(ask, [two, two]) == ["both", "by-all"]
    assert page.evaluate(ask, [["bob"], two]) == ["only bob", "by-1"]
    assert page.evaluate(ask, [three, three]) == ["all 3", "by-all"]
    assert page.evaluate(ask, [["ann", "cat"], three]) == ["ann and cat", "by-several"]
    assert page.evaluate(ask, [["ann"], ["ann"]]) == ["only ann", "by-0"]


def test_regions_of_blanks_need_no_ruling(page: Page) -> None:
    ask = """([layers, text]) =>
        window.regions.regionsOf(layers, (a, b) => !text.slice(a, b).trim())"""
    found = [{"assessor": "ann", "spans": [[0, 5]]}, {"assessor": "bob", "spans": [[0, 4]]}]
    regions = page.evaluate(ask, [found, "Fish swim"])
    assert regions == [{"start": 0, "stop": 4, "who": ["ann", "bob"]}]


def test_blanks_at_the_ends_of_a_region_are_left_out(page: Page) -> None:
    ask = """([layers, text]) =>
        window.regions.regionsOf(layers, (a, b) => !text.slice(a, b).trim())"""
    found = [{"assessor": "ann", "spans": [[0, 21]]}, {"assessor": "bob", "spans": [[11, 21]]}]
    regions = page.evaluate(ask, [found, "Fish swim. Birds fly."])
    assert regions == [
        {"start": 0, "stop": 10, "who": ["ann"]},
        {"start": 11, "stop": 21, "who": ["ann", "bob"]},
    ]
