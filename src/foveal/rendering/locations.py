"""An element's place, a fact on each line."""

from __future__ import annotations

from foveal.elements import Location


def draw(found: Location) -> str:
    """Document, path and span, and below them the text as it stands in the document."""
    lines = [f"doc     {found.doc}", f"path    {found.path}", f"start   {found.start}"]
    lines.append(f"end     {found.end}")
    shown = [] if found.text is None else ["", _printable(found.text)]
    return "\n".join([*lines, *shown]) + "\n"


def _printable(text: str) -> str:
    """Text from a file must not steer the terminal; its lines are left."""
    return "".join(
        sign if sign.isprintable() or sign in "\n\t" else "\N{REPLACEMENT CHARACTER}"
        for sign in text
    )
