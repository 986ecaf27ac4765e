"""Answers of one sentence, as small pages or objects, and the page's own files."""

from __future__ import annotations

import hashlib
import json
import re
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

from foveal.errors import harmless
from foveal.rendering import page_style

_OWN = files("foveal.web").joinpath("page")
_PAGE = _OWN.joinpath("notice.html").read_text(encoding="utf-8")
_TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_NAME = re.compile(r"[a-z][a-z0-9_-]*\.(css|js|svg)")


def is_api(path: str) -> bool:
    """Whether an address is for programs, as `/a/1/api/…` is."""
    return path.startswith("/a/") and "/api/" in path


def refusal(sentence: str, path: str) -> tuple[str, bytes]:
    """The type and the bytes of an answer that says why a request to an address is refused."""
    if is_api(path):
        said = json.dumps({"error": sentence}, ensure_ascii=False, separators=(",", ":"))
        return "application/json", said.encode()
    said = escape(harmless(sentence[:1].upper() + sentence[1:]))
    page = _PAGE.format(title="This page cannot be shown", sentence=f"{said}.", more="")
    return "text/html; charset=utf-8", page.encode()


def welcome(name: str, address: str) -> bytes:
    """The page that a link opens, which goes on to the assessor's own.

    A redirect would not do: after a click in a mail, the browser sends no strict cookie along one.
    """
    more = f'<meta http-equiv="refresh" content="0; url={escape(address)}">\n'
    link = f'<a href="{escape(address)}">Go on to the documents</a>'
    title = f"Judging as {escape(harmless(name))}"
    return _PAGE.format(title=title, sentence=link, more=more).encode()


class Static(NamedTuple):
    """A file, its type, and a tag that changes when it does."""

    body: bytes
    kind: str
    tag: str


def static(page: Traversable, name: str) -> Static | None:
    """A style sheet or script of the page in a folder, if there is one of that name."""
    match = _NAME.fullmatch(name)
    if match is None:
        return None
    # The colours and sizes that reports have.
    body = page_style().encode() if name == "tokens.css" else page_file(page, name)
    if body is None:
        return None
    return Static(body, _TYPES[match[1]], f'"{hashlib.sha256(body).hexdigest()[:32]}"')


def page_file(page: Traversable, name: str) -> bytes | None:
    """The bytes of a file of the page, or of ours.

    It is read anew each time: the package may have been upgraded.
    """
    places = (folder.joinpath(name) for folder in (page, _OWN))
    return next((place.read_bytes() for place in places if place.is_file()), None)
