"""Make the pictures of the documentation, in light and dark: `make picture`.

The worlds of `foveal demo` and `foveal assess try` are made in a temporary folder, and what they show
is opened in the system's chromium.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, sync_playwright
from tests.shared import BROWSERS, installed_browser

from tools.judging_pictures import SCHEMES, judging_names, judging_pictures
from tools.palette import in_few_colours

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
# The browser may run as root, and the pages are our own.
ARGUMENTS = ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
WIDTH, HEIGHT, BELOW = 1000, 900, 12
LAST_FIGURE = "#curves svg"
REPORT = "report"


def names() -> list[str]:
    """The files that are made."""
    reports = [f"{REPORT}-{scheme}" for scheme in SCHEMES]
    return [f"{name}.png" for name in (*reports, *judging_names())]


def main() -> None:
    """Make the pictures anew and say how large they are."""
    path = installed_browser()
    if path is None:
        sys.exit(f"no chromium on the PATH: install one of {', '.join(BROWSERS)}")
    IMAGES.mkdir(exist_ok=True)
    written = []
    with TemporaryDirectory() as folder, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=path, args=ARGUMENTS)
        for make in (_report_pictures, judging_pictures):
            for name, data in make(browser, Path(folder)):
                file = IMAGES / f"{name}.png"
                file.write_bytes(data)
                written.append(file.name)
                print(f"{file.relative_to(ROOT)}: {len(data):,} bytes")
    if sorted(written) != sorted(names()):
        sys.exit(f"these pictures were to be made: {', '.join(names())}")


def _report_pictures(browser: Browser, folder: Path) -> Iterator[tuple[str, bytes]]:
    subprocess.run(
        [sys.executable, "-m", "foveal", "demo", "demo"],
        cwd=folder, check=True, capture_output=True,
    )  # fmt: skip
    for scheme in SCHEMES:
        yield f"{REPORT}-{scheme}", _picture(browser, folder / "demo" / "report.html", scheme)


def _picture(browser: Browser, page: Path, scheme: str) -> bytes:
    """The page from its top to the first figure, in few colours."""
    context = browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    opened = context.new_page()
    opened.goto(page.as_uri())
    box = opened.locator(LAST_FIGURE).first.bounding_box()
    if box is None:
        sys.exit(f"no {LAST_FIGURE} on the page")
    until = box["y"] + box["height"] + BELOW
    screenshot = opened.screenshot(
        full_page=True, clip={"x": 0, "y": 0, "width": WIDTH, "height": until}
    )
    data = in_few_colours(context, screenshot)
    context.close()
    return data


if __name__ == "__main__":
    main()
