"""Pages of explanations as readers use them: without scripts, by keyboard, in every look."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

import foveal
from foveal.studies import DemoWorld
from tests.browser.visiting import Visit, violations, visited
from tests.shared import needs_browser

pytestmark = [pytest.mark.slow, needs_browser()]

TEXT = "<script>alert(1)</script> \u202e\x1b[31m </mark> Once upon a time. " * 40
HOSTILE = '"><script>alert(2)</script>' + "x" * 300


@pytest.fixture(scope="session")
def pages(whole_demo: DemoWorld, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """All topics of a run; a topic of it; one against another run, with texts and names that attack."""
    folder = tmp_path_factory.mktemp("explained")
    one, two = whole_demo.runs[1:3]
    rows = [{"topic": "1", "doc": HOSTILE, "length": len(TEXT), "highlights": [[100, 900]]}]
    runs = [
        foveal.Run.from_dicts([{"topic": "1", "doc": HOSTILE, "start": start, "end": 1200}], name)
        for name, start in ((HOSTILE, 400), ("other", 50))
    ]
    topic = str(foveal.explain(whole_demo.qrels, one).topics["topic"][0])
    found = {
        "topics": foveal.explain(whole_demo.qrels, one),
        "topic": foveal.explain(whole_demo.qrels, one, topic=topic),
        "two": foveal.explain(whole_demo.qrels, one, topic=topic, against=two),
        "hostile": foveal.explain(
            foveal.Qrels.from_dicts(rows), runs[0], topic="1", docs={HOSTILE: TEXT}, against=runs[1]
        ),
    }
    for name, own in found.items():
        own.save(folder / f"{name}.html")
    return {name: folder / f"{name}.html" for name in found}


@pytest.mark.parametrize("name", ["topics", "topic", "two", "hostile"])
def test_every_look_keeps_the_rules_of_accessibility(
    visit: Visit, pages: dict[str, Path], name: str
) -> None:
    page = visit(pages[name])
    assert violations(page) == []


def test_hostile_text_stays_text(visit_once: Visit, pages: dict[str, Path]) -> None:
    page = visit_once(pages["hostile"])
    assert page.locator("script").count() == 0
    expect(page.locator(".read").first).to_contain_text("<script>alert(1)</script>")
    expect(page.locator("h1")).to_contain_text('"><script>alert(2)</script>')


def test_folded_text_opens_by_keyboard_without_scripts(
    browser: Browser, pages: dict[str, Path]
) -> None:
    with visited(browser, scripts=False) as visit:
        page = visit(pages["hostile"])
        folded = page.locator(".read details").first
        hidden = folded.evaluate("node => node.open")
        folded.locator("summary").press("Enter")
        assert (hidden, folded.evaluate("node => node.open")) == (False, True)


def test_the_name_of_a_document_leads_to_it(visit_once: Visit, pages: dict[str, Path]) -> None:
    page = visit_once(pages["topic"])
    link = page.locator("nav a").nth(3)
    name = link.inner_text()
    link.click()
    expect(page.locator("section:target h2")).to_have_text(name)
