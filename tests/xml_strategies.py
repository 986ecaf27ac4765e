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
ENTITIES = ["&word;", "&nested;"]
DTD = '<!DOCTYPE article [<!ENTITY word "some words"><!ENTITY nested "&word; &amp; more">]>'
ATTRIBUTES = ["", " a='1'", ' a="x > y" b="&lt;/p&gt;"', ' xml:lang="en"']

DECLARATIONS = [
    '<?xml version="1.0"?>',
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    "",
    "\N{BYTE ORDER MARK}",
]
DAMAGE = [
    b"<", b">", b"</", b"/>", b"&", b"&x;", b"<p>", b"</p>", b"<!--", b"-->", b"]]>", b"<![CDATA[",
    b"<?", b"?>", b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\r", b"\n", b"'", b'"', b"=",
    b"<!DOCTYPE article>", b'<?xml version="1.0"?>', b'<?xml version="1.0" encoding="latin-1"?>',
    b"<a id='1'/>",
]  # fmt: skip


def _element(tag: str, attributes: str, content: list[str]) -> str:
    if not content:
        return f"<{tag}{attributes}/>"
    return f"<{tag}{attributes}>{''.join(content)}</{tag}>"


@st.composite
def documents(draw: st.DrawFn, *, ids: bool = False) -> bytes:
    """A well-formed document; with `ids`, its root has an id."""
    declares = draw(st.booleans())
    content = st.recursive(
        st.sampled_from([*PIECES, *ENTITIES] if declares else PIECES),
        lambda inner: st.builds(
            _element,
            st.sampled_from(TAGS),
            st.sampled_from(ATTRIBUTES),
            st.lists(inner, max_size=4),
        ),
        max_leaves=20,
    )
    inside = draw(st.lists(content, max_size=6)) or [""]
    number = f' id="{draw(st.integers(0, 99))}"' if ids else ""
    root = _element("article", f' xmlns:x="urn:x"{number}', inside)
    before = draw(st.sampled_from(["", "\n<!-- before -->\n", "<?pi?>\r\n"]))
    after = draw(st.sampled_from(["", "\n", "\r\n<!-- after --> "]))
    declared = draw(st.sampled_from(DECLARATIONS))
    return f"{declared}{before}{DTD if declares else ''}{root}{after}".encode()


@st.composite
def damaged(draw: st.DrawFn, found: st.SearchStrategy[bytes]) -> bytes:
    """A document with a few stretches replaced, removed or put in."""
    data = draw(found)
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(data)))
        end = draw(st.integers(start, min(len(data), start + 6)))
        data = data[:start] + draw(st.sampled_from(DAMAGE) | st.binary(max_size=2)) + data[end:]
    return data
