"""The page's own files, as the package has them."""

from __future__ import annotations

import hashlib
import re
from importlib.resources import files
from typing import NamedTuple

from foveal.rendering import page_style

_TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_NAME = re.compile(r"[a-z][a-z0-9_-]*\.(css|js|svg)")


class Static(NamedTuple):
    """A file, its type, and a tag that changes when it does."""

    body: bytes
    kind: str
    tag: str


def static(name: str) -> Static | None:
    """A style sheet or script of the page, if there is one of that name."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    # The colours and sizes that reports have.
    body = page_style().encode() if name == "tokens.css" else page_file(name)
    if body is None:
        return None
    return Static(body, _TYPES[match[1]], f'"{hashlib.sha256(body).hexdigest()[:32]}"')


def page_file(name: str) -> bytes | None:
    """The bytes of a file of the page, read anew each time: the package may have been upgraded."""
    place = files("foveal.assess").joinpath("page", name)
    return place.read_bytes() if place.is_file() else None
