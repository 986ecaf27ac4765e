"""Pictures of pages in few colours, so that they are small."""

from __future__ import annotations

import base64
import struct
import zlib

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import BrowserContext

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

# Colours of surfaces, which are few, and of what is drawn in full.
EXACT = 64


def in_few_colours(context: BrowserContext, screenshot: bytes) -> bytes:
    """A browser's picture with a palette of 256 colours, which takes half the space."""
    # The content policies of our pages allow no such images, so a blank page decodes this one.
    blank = context.new_page()
    source = f"data:image/png;base64,{base64.b64encode(screenshot).decode()}"
    height, width, pixels = blank.evaluate(PIXELS, source)
    blank.close()
    values = np.frombuffer(base64.b64decode(pixels), np.uint8).reshape(height, width, 4)
    return _png(values[..., :3])


def _png(pixels: NDArray[np.uint8]) -> bytes:
    """A picture with a palette: its most frequent colours as they are, the others in steps."""
    height, width, _ = pixels.shape
    colours, colour_indices, counts = np.unique(
        pixels.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True
    )
    frequent = np.argsort(-counts, kind="stable")
    # In 32 steps a channel, so that the greys of letters leave places for other colours.
    coarse = (colours[frequent[EXACT:]] // 8 * 255.0 / 31).astype(np.uint8)
    steps, step_indices = np.unique(coarse, axis=0, return_inverse=True)
    weights = np.bincount(step_indices.reshape(-1), counts[frequent[EXACT:]], minlength=len(steps))
    palette = np.concatenate(
        [colours[frequent[:EXACT]], steps[np.argsort(-weights, kind="stable")[: 256 - EXACT]]]
    )
    distance = colours[:, None, :].astype(np.int32) - palette[None, :, :]
    nearest = np.square(distance).sum(axis=2).argmin(axis=1).astype(np.uint8)
    # Every row begins with the number of its filter: 0, as filters do not help palettes.
    rows = np.pad(nearest[colour_indices.reshape(height, width)], ((0, 0), (1, 0)))
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = {b"IHDR": header, b"PLTE": palette.tobytes(), b"IDAT": zlib.compress(rows.tobytes(), 9)}
    body = b"".join(_chunk(name, data) for name, data in parts.items())
    return b"\x89PNG\r\n\x1a\n" + body + _chunk(b"IEND", b"")


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
