"""A few XML documents and their elements, for whatever speaks of paths."""

from __future__ import annotations

from tests.element_tables import elements_of

ARTICLES = {
    "9996": (
        "<article><name>On &amp; on</name><bdy>\n"
        "<sec><p>First <b>bold</b> words.</p></sec><!-- aside -->"
        "<sec><p>Second,<!-- a comment --> then more.</p><figure/></sec>\n"
        "<sec>Third \N{GRINNING FACE}</sec></bdy></article>"
    ),
    "22478": "<article><bdy><sec>one</sec><sec><p>two</p> three</sec></bdy></article>",
    "empty": "<article><name/></article>",
}
ELEMENTS = elements_of({name: text.encode() for name, text in ARTICLES.items()})
# The text of the first: "On & on" 0-7, newline, "First bold words." 8-25, "Second, then more." 25-43,
# newline, "Third 😀" 44-51; that of the second: "one" 0-3, "two" 3-6, " three" 6-12.
LENGTHS = {"9996": 51, "22478": 12, "empty": 0}
