"""Responses of one sentence, as small pages or JSON objects, and the files of the page."""

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

_NOTICE_FOLDER = files("foveal.web").joinpath("page")
_NOTICE = _NOTICE_FOLDER.joinpath("notice.html").read_text(encoding="utf-8")
_TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_FILE_NAME = re.compile(r"[a-z][a-z0-9_-]*\.(css|js|svg)")


def is_api(path: str) -> bool:
    """True for an address of the JSON interface, such as `/a/1/api/…`."""
    return path.startswith("/a/") and "/api/" in path


def refusal(sentence: str, path: str) -> tuple[str, bytes]:
    """Content type and body of a refusal: JSON for the interface, else a page."""
    if is_api(path):
        payload = json.dumps({"error": sentence}, ensure_ascii=False, separators=(",", ":"))
        return "application/json", payload.encode()
    text = escape(harmless(sentence[:1].upper() + sentence[1:]))
    page = _NOTICE.format(title="This page cannot be shown", sentence=f"{text}.", refresh="")
    return "text/html; charset=utf-8", page.encode()


def welcome(name: str, address: str) -> bytes:
    """The page that a link opens, which goes on to the assessor's page.

    A redirect would not do: after a click in a mail, the browser omits strict cookies in a redirect.
    """
    refresh = f'<meta http-equiv="refresh" content="0; url={escape(address)}">\n'
    link = f'<a href="{escape(address)}">Go on to the documents</a>'
    title = f"Judging as {escape(harmless(name))}"
    return _NOTICE.format(title=title, sentence=link, refresh=refresh).encode()


class StaticFile(NamedTuple):
    """A file, its content type, and an ETag that changes with its content."""

    body: bytes
    content_type: str
    tag: str


def static(page: Traversable, name: str) -> StaticFile | None:
    """A style sheet or script of the page in a folder, or None if it has none of that name."""
    match = _FILE_NAME.fullmatch(name)
    if match is None:
        return None
    # The same colours and sizes as in reports.
    body = page_style().encode() if name == "tokens.css" else page_file(page, name)
    if body is None:
        return None
    return StaticFile(body, _TYPES[match[1]], f'"{hashlib.sha256(body).hexdigest()[:32]}"')


def page_file(page: Traversable, name: str) -> bytes | None:
    """The content of a file of the page, or of the notices.

    It is read again for each request: the package may have been upgraded.
    """
    paths = (folder.joinpath(name) for folder in (page, _NOTICE_FOLDER))
    return next((path.read_bytes() for path in paths if path.is_file()), None)
