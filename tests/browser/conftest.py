"""Pages in a real browser: the system's chromium, without a network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

import foveal
from foveal.studies import DemoWorld
from tests.browser.visiting import LOOKS, PATIENCE, Visit, visited
from tests.shared import installed_browser

ARGUMENTS = [
    "--no-sandbox",  # the tests may run as root, and the pages are our own
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--in-process-gpu",
    "--disable-sync",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]


# Of the package, not of the session: while playwright runs, other tests could start no event loop.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One browser for the tests of pages in a process."""
    path = installed_browser()
    assert path is not None, "no chromium on the PATH"
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as play:
        started = play.chromium.launch(executable_path=path, headless=True, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture(params=LOOKS, ids="-".join)
def visit(request: pytest.FixtureRequest, browser: Browser) -> Iterator[Visit]:
    """Opens a page light on a desk, or dark on a phone."""
    with visited(browser, *request.param) as opened:
        yield opened


@pytest.fixture
def visit_once(browser: Browser) -> Iterator[Visit]:
    """Opens a page where its look does not matter."""
    with visited(browser) as opened:
        yield opened


@pytest.fixture(scope="session")
def demo_page(whole_demo: DemoWorld, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the demo's fourteen runs."""
    path = tmp_path_factory.mktemp("report") / "demo.html"
    titles = {topic.id: topic.title for topic in whole_demo.topics}
    foveal.report(whole_demo.qrels, whole_demo.runs, task="ric", titles=titles).save(path)
    return path
