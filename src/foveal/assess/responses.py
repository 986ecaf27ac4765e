"""Answers of one sentence, as small pages or objects, and the page's own files."""

from __future__ import annotations

import hashlib
import json
import re
from html import escape
from importlib.resources import files
from typing import NamedTuple

from foveal.errors import harmless
from foveal.rendering import page_style

JSON = "application/json"
HTML = "text/html; charset=utf-8"
_PAGE = files("foveal.assess").joinpath("page", "notice.html").read_text(encoding="utf-8")
_TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_NAME = re.compile(r"[a-z][a-z0-9_-]*\.(css|js|svg)")


def refusal(sentence: str, *, as_json: bool) -> tuple[str, bytes]:
    """The type and the bytes of an answer that says why a request is refused."""
    if as_json:
        return JSON, json_bytes({"error": sentence})
    said = escape(harmless(sentence[:1].upper() + sentence[1:]))
    return HTML, _PAGE.format(
        title="This page cannot be shown", sentence=f"{said}.", more=""
    ).encode()


def welcome(name: str, address: str) -> bytes:
    """The page that a link opens, which goes on to the assessor's own.

    A redirect would not do: after a click in a mail, the browser sends no strict cookie along one.
    """
    more = f'<meta http-equiv="refresh" content="0; url={escape(address)}">\n'
    link = f'<a href="{escape(address)}">Go on to the documents</a>'
    return _PAGE.format(
        title=f"Judging as {escape(harmless(name))}", sentence=link, more=more
    ).encode()


def json_bytes(value: object) -> bytes:
    """A value as JSON in UTF-8."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


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
