"""Every layout shows every character of its text once, in order."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from foveal.assess.blocks import blocks_of, element_blocks
from tests.element_tables import elements_of

TAGS = [
    *("article", "bdy", "sec", "p", "ip1", "title", "name", "b", "x:p", "list", "ol", "item", "table"),
    *("row", "cell", "th", "header", "entry", "pre", "h4", "caption", "unknown"),
]  # fmt: skip
PIECES = [
    "a",
    "bc ",
    "\n",
    "\n\n",
    "\n \n",
    " ",
    "\u2029",
    "\N{GRINNING FACE}",
    "e\u0301",
    "\u0085",
]
LINES = {"p", "pre", "h1", "h2", "h3", "h4", "h5", "h6"}
SHOWN = LINES | {"ul", "ol", "li", "table", "tr", "td", "th", "section"}
HELD = {"ul": {"li"}, "ol": {"li"}, "table": {"tr"}, "tr": {"td", "th"}}


def _element(tag: str, content: list[str]) -> str:
    return f"<{tag}>{''.join(content)}</{tag}>"


content = st.recursive(
    st.sampled_from(PIECES),
    lambda inner: st.builds(_element, st.sampled_from(TAGS), st.lists(inner, max_size=4)),
    max_leaves=25,
)
documents = st.builds(_element, st.sampled_from(TAGS), st.lists(content, max_size=5)).map(
    lambda markup: markup.replace(">", ' xmlns:x="urn:x">', 1)
)


def shown(nodes: list[Any], text: str, start: int, end: int, around: str = "") -> str:
    """The text as a page shows it: text nodes between elements, and what is in these."""
    pieces, reached = [], start
    for tag, a, b, *inside in nodes:
        assert tag in SHOWN
        assert around not in LINES, f"{tag} inside {around}"
        assert reached <= a <= b <= end, "out of order, overlapping or outside"
        holders = {holder for holder, held in HELD.items() if tag in held}
        assert not holders or around in holders, f"{tag} inside {around}"
        assert around not in HELD or tag in HELD[around], f"{tag} inside {around}"
        assert tag in {"td", "th"} or text[a:b].strip(), "nothing to see"
        pieces += [text[reached:a], shown(inside[0] if inside else [], text, a, b, tag)]
        reached = b
    own = [text[reached:end]]
    if around in HELD:
        assert not "".join([*pieces[::2], *own]).strip(), f"text of its own in {around}"
    return "".join([*pieces, *own])


@given(documents)
def test_elements(markup: str) -> None:
    text = re.sub("<[^>]*>", "", markup)
    ((_, layout),) = element_blocks(elements_of({"d": markup.encode()}), [("d", text)])
    assert shown(json.loads(layout)["blocks"], text, 0, len(text)) == text


@given(st.lists(st.sampled_from([*PIECES, "\r\n", "\r", "\t"])).map("".join) | st.text())
def test_paragraphs_of_plain_text_have_all_that_is_visible(text: str) -> None:
    blocks = json.loads(blocks_of(text))["blocks"]
    assert shown(blocks, text, 0, len(text)) == text
    assert all(tag == "p" and text[start:end].strip() for tag, start, end in blocks)
    edges = [0, *(edge for _, start, end in blocks for edge in (start, end)), len(text)]
    assert not "".join(text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)).strip()
