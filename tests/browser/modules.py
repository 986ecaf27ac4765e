"""Modules of the assessors' page in a browser, without a server."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Route

from tests.browser.visiting import PATIENCE

# Never asked for: the browser's requests are answered here. Locks and UUIDs need https.
HOME = "https://desk.test/"


@contextmanager
def with_modules(browser: Browser, noise_about: str = "nothing") -> Iterator[BrowserContext]:
    """A context whose pages can import our modules, and must be silent but for some noise."""
    context = browser.new_context(locale="en-GB", timezone_id="UTC")
    context.set_default_timeout(PATIENCE)
    noise: list[str] = []

    def heard(message: ConsoleMessage) -> None:
        # Browsers report every failed request by themselves, and some tests make them fail.
        if not message.text.startswith("Failed to load resource"):
            noise.append(message.text)

    context.on("console", heard)
    context.on("weberror", lambda error: noise.append(str(error.error)))
    context.route("**/*", _answer)
    yield context
    context.close()
    assert not [words for words in noise if noise_about not in words]


def blank(context: BrowserContext) -> Page:
    """A new tab with an empty page."""
    page = context.new_page()
    page.goto(HOME)
    return page


def _answer(route: Route) -> None:
    name = route.request.url.removeprefix(HOME)
    if not name.endswith(".js"):
        route.fulfill(content_type="text/html", body="<!doctype html><title>modules</title>")
        return
    text = files("foveal.assess").joinpath("page", name).read_text(encoding="utf-8")
    route.fulfill(content_type="text/javascript", body=text)
