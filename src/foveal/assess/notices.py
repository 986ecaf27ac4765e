"""Answers that are one sentence: small pages for people, small objects for programs."""

from __future__ import annotations

import json
from html import escape

from foveal.errors import harmless

JSON = "application/json"
HTML = "text/html; charset=utf-8"
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
{more}<link rel="stylesheet" href="/static/tokens.css">
<link rel="stylesheet" href="/static/notice.css">
</head>
<body>
<main>
<h1>{title}</h1>
<p>{sentence}</p>
</main>
</body>
</html>
"""


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
