"""Make the pictures of the README, a report in light and dark: `make picture`.

The demo's world is made in a temporary folder, and its report opened in the system's chromium.
"""

from __future__ import annotations

import base64
import struct
import subprocess
import sys
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Browser, sync_playwright
from tests.shared import BROWSERS, installed_browser

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
# The browser may run as root, and the page is our own.
ARGUMENTS = ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND"]
WIDTH, HEIGHT, BELOW = 1000, 900, 12
LAST_FIGURE = "#curves svg"
# A browser decodes its own picture: red, green, blue and opacity of every pixel, row by row.
PIXELS = """async source => {
  const picture = new Image();
  picture.src = source;
  await picture.decode();
  const canvas = new OffscreenCanvas(picture.width, picture.height);
  const context = canvas.getContext("2d");
  context.drawImage(picture, 0, 0);
  const bytes = context.getImageData(0, 0, picture.width, picture.height).data;
  const parts = [];
  for (let at = 0; at < bytes.length; at += 32768)
    parts.push(String.fromCharCode(...bytes.subarray(at, at + 32768)));
  return [picture.height, picture.width, btoa(parts.join(""))];
}"""


def main() -> None:
    """Make the pictures anew and say how large they are."""
    path = installed_browser()
    if path is None:
        sys.exit(f"no chromium on the PATH: install one of {', '.join(BROWSERS)}")
    IMAGES.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder, sync_playwright() as play:
        _demo(Path(folder))
        browser = play.chromium.launch(executable_path=path, args=ARGUMENTS)
        for scheme in ("light", "dark"):
            data = _picture(browser, Path(folder) / "demo" / "report.html", scheme)
            file = IMAGES / f"report-{scheme}.png"
            file.write_bytes(data)
            print(f"{file.relative_to(ROOT)}: {len(data):,} bytes")


def _demo(folder: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "foveal", "demo", "demo"],
        cwd=folder, check=True, capture_output=True,
    )  # fmt: skip


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
    shown = opened.screenshot(
        full_page=True, clip={"x": 0, "y": 0, "width": WIDTH, "height": until}
    )
    # The report's content policy allows no images, so another page decodes this one.
    blank = context.new_page()
    source = f"data:image/png;base64,{base64.b64encode(shown).decode()}"
    height, width, pixels = blank.evaluate(PIXELS, source)
    context.close()
    values = np.frombuffer(base64.b64decode(pixels), np.uint8).reshape(height, width, 4)
    return _png(values[..., :3])


def _png(pixels: NDArray[np.uint8]) -> bytes:
    """A picture with a palette of 256 colours, the most frequent, which takes half the space."""
    height, width, _ = pixels.shape
    # In 32 steps a channel, so that the greys of letters leave places for other colours.
    coarse = (pixels.reshape(-1, 3) // 8 * 255.0 / 31).astype(np.uint8)
    colours, places, times = np.unique(coarse, axis=0, return_inverse=True, return_counts=True)
    palette = colours[np.argsort(-times)[:256]]
    away = colours[:, None, :].astype(int) - palette[None, :, :]
    nearest = np.square(away).sum(axis=2).argmin(axis=1).astype(np.uint8)
    # Every row begins with the number of its filter: 0, as filters do not help palettes.
    rows = np.pad(nearest[places.reshape(height, width)], ((0, 0), (1, 0)))
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = {b"IHDR": header, b"PLTE": palette.tobytes(), b"IDAT": zlib.compress(rows.tobytes(), 9)}
    body = b"".join(_chunk(name, data) for name, data in parts.items())
    return b"\x89PNG\r\n\x1a\n" + body + _chunk(b"IEND", b"")


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


if __name__ == "__main__":
    main()
