"""Opening a page as a reader does, and what every visit asks of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Dialog, Page, Request

WIDTHS = {"desk": 1200, "phone": 390}
# Each colour and each width once: colours do not depend on the width.
LOOKS = [("light", "desk"), ("dark", "phone")]

# How many milliseconds anything may take: a test that passes does not wait, and machines are busy.
PATIENCE = 30_000

Visit: TypeAlias = Callable[[Path], Page]


# Pages that no test has open: a new one starts three processes of the browser, an old one none.
_FREE: WeakKeyDictionary[Browser, dict[tuple[Any, ...], Page]] = WeakKeyDictionary()


@contextmanager
def tab(browser: Browser, kind: str, scheme: Any, width: str, **options: bool) -> Iterator[Page]:
    """A page that knows nobody yet; after a test that fails it is not used again.

    Pages of one `kind` come from one place, so the browser stays in one process.
    """
    free, key = _FREE.setdefault(browser, {}), (kind, *options.items())
    page = free.pop(key, None) or new_context(browser, **options).new_page()
    page.emulate_media(media="null", color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": WIDTHS[width], "height": 900})
    yield page
    for other in page.context.pages:
        if other is not page:
            other.close()
    if key in free:
        page.context.close()
        return
    page.unroute_all()
    page.mouse.move(0, 0)
    # An empty page of the same origin: what a page stored when it was left can be taken away too.
    page.evaluate("location.replace('about:blank')")
    page.wait_for_url("about:blank")
    page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.context.clear_cookies()
    free[key] = page


def new_context(browser: Browser, **options: Any) -> BrowserContext:
    """A visitor without a past."""
    context = browser.new_context(
        reduced_motion="reduce", locale="en-GB", timezone_id="UTC", **options
    )
    context.set_default_timeout(PATIENCE)
    return context


@contextmanager
def visited(
    browser: Browser, scheme: Any = "light", width: str = "desk", *, scripts: bool = True
) -> Iterator[Visit]:
    """A way to open pages; afterwards they must have been silent, alone, and in their width."""
    with (
        tab(browser, "file", scheme, width, java_script_enabled=scripts) as page,
        silent(page, ("file:", "data:")),
    ):

        def opened(path: Path) -> Page:
            page.goto(path.as_uri(), wait_until="load")
            return page

        yield opened
        assert_in_width(page)


def assert_in_width(page: Page) -> None:
    """Nobody has to scroll sideways."""
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth"), (
        "the page scrolls sideways"
    )


def violations(page: Page) -> list[tuple[str, list[str]]]:
    """The rules of accessibility that a page breaks, and where."""
    # Axe would otherwise also describe every element that keeps a rule.
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return [(one["id"], [node["html"][:90] for node in one["nodes"]]) for one in found]


@contextmanager
def silent(page: Page, own: str | tuple[str, ...], but: str = "nothing") -> Iterator[None]:
    """A page that writes nothing to its console, asks nobody, and fetches nothing from elsewhere.

    Addresses that begin with `own` are its own; what it says about `but` is allowed.
    """
    noise: list[str] = []

    def dismissed(dialog: Dialog) -> None:
        noise.append(dialog.message)
        dialog.dismiss()

    def asked(call: Request) -> None:
        if not call.url.startswith(own):
            noise.append(call.url)

    listeners: dict[Any, Callable[[Any], None]] = {
        "console": lambda message: noise.append(message.text),
        "pageerror": lambda error: noise.append(str(error)),
        "dialog": dismissed,
        "request": asked,
    }
    for event, listener in listeners.items():
        page.on(event, listener)
    yield
    for event, listener in listeners.items():
        page.remove_listener(event, listener)
    assert not [words for words in noise if but not in words]
