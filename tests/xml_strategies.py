"""XML for Hypothesis: every kind of markup that could make a counter of characters stumble."""

from __future__ import annotations

from hypothesis import strategies as st

TAGS = ["sec", "p", "b", "x:p", "b.2"]
PIECES = [
    "a",
    "bc ",
    "\n  ",
    "\r\n",
    "\r",
    "&amp;",
    "&lt;",
    "&#65;",
    "&#x1F600;",
    "&#13;",
    "&word;",
    "&nested;",
    "\N{GRINNING FACE}",
    "naïve",
    "e\N{COMBINING ACUTE ACCENT}",
    ">",
    "<![CDATA[<p>&amp;]]>",
    "<![CDATA[]]>",
    "<!-- <p> a comment -->",
    "<?php echo '<p>' ?>",
    "",
]
DTD = '<!DOCTYPE article [<!ENTITY word "some words"><!ENTITY nested "&word; &amp; more">]>'
ATTRIBUTES = ["", " a='1'", ' a="x > y" b="&lt;/p&gt;"', ' xml:lang="en"']


def _element(tag: str, attributes: str, content: list[str]) -> str:
    if not content:
        return f"<{tag}{attributes}/>"
    return f"<{tag}{attributes}>{''.join(content)}</{tag}>"


@st.composite
def documents(draw: st.DrawFn) -> bytes:
    """A well-formed document."""
    content = st.recursive(
        st.sampled_from(PIECES),
        lambda inner: st.builds(
            _element,
            st.sampled_from(TAGS),
            st.sampled_from(ATTRIBUTES),
            st.lists(inner, max_size=4),
        ),
        max_leaves=20,
    )
    root = _element("article", ' xmlns:x="urn:x"', draw(st.lists(content, max_size=6)) or [""])
    before = draw(st.sampled_from(["", "\n<!-- before -->\n", "<?pi?>\r\n"]))
    after = draw(st.sampled_from(["", "\n", "\r\n<!-- after --> "]))
    declared = draw(st.sampled_from(['<?xml version="1.0"?>', "", "\N{BYTE ORDER MARK}"]))
    return f"{declared}{before}{DTD}{root}{after}".encode()
