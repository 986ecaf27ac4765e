"""Opening a page as a reader does, and what every visit asks of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from playwright.sync_api import Browser, Dialog, Page, Request

WIDTHS = {"desk": 1200, "phone": 390}
LOOKS = [(scheme, width) for scheme in ("light", "dark") for width in WIDTHS]
# Each colour and each width once: enough for what does not depend on both.
TWO_LOOKS = [("light", "desk"), ("dark", "phone")]

# How many milliseconds anything may take: a test that passes does not wait, and machines are busy.
PATIENCE = 30_000

Visit: TypeAlias = Callable[[Path], Page]


@contextmanager
def visited(
    browser: Browser, scheme: Any = "light", width: str = "desk", *, scripts: bool = True
) -> Iterator[Visit]:
    """A way to open pages; afterwards they must have been silent, alone, and in their width."""
    context = browser.new_context(
        color_scheme=scheme,
        viewport={"width": WIDTHS[width], "height": 900},
        reduced_motion="reduce",
        locale="en-GB",
        timezone_id="UTC",
        java_script_enabled=scripts,
    )
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    noise: list[str] = []
    listen(page, ("file:", "data:"), noise)

    def opened(path: Path) -> Page:
        page.goto(path.as_uri(), wait_until="load")
        return page

    yield opened
    assert not noise
    assert not page.evaluate("document.documentElement.scrollWidth > innerWidth"), (
        "the page scrolls sideways"
    )
    context.close()


def listen(page: Page, own: str | tuple[str, ...], noise: list[str]) -> None:
    """Note what a page writes to its console, asks somebody, or fetches from elsewhere.

    Addresses that begin with `own` are its own.
    """
    page.on("console", lambda message: noise.append(message.text))
    page.on("pageerror", lambda error: noise.append(str(error)))

    def dismissed(dialog: Dialog) -> None:
        noise.append(dialog.message)
        dialog.dismiss()

    def asked(call: Request) -> None:
        if not call.url.startswith(own):
            noise.append(call.url)

    page.on("dialog", dismissed)
    page.on("request", asked)
