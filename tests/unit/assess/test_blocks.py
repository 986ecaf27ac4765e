"""How texts are laid out, worked by hand."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from foveal.assess.blocks import blocks_of, element_blocks
from tests.element_tables import elements_of


def laid_out(markup: str) -> tuple[str, list[Any]]:
    """The kind of a document's layout and its nodes, with their text instead of offsets."""
    text = re.sub("<[^>]*>", "", markup)
    ((name, layout),) = element_blocks(elements_of({"d": markup.encode()}), [("d", text)])
    assert name == "d"
    found = json.loads(layout)
    return found["kind"], [quoted(node, text) for node in found["blocks"]]


def quoted(node: list[Any], text: str) -> Any:
    tag, start, end, *inside = node
    return (tag, [quoted(child, text) for child in inside[0]]) if inside else (tag, text[start:end])


def paragraphs(text: str) -> list[str]:
    found = json.loads(blocks_of(text))
    assert found["kind"] == "plain"
    assert {tag for tag, *_ in found["blocks"]} <= {"p"}
    return [text[start:end] for _, start, end in found["blocks"]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One\nline.\n\nTwo.", ["One\nline.", "Two."]),
        ("One.\r\n\r\nTwo.\r\n", ["One.", "Two."]),
        ("One.\r\nStill one.", ["One.\r\nStill one."]),
        ("One.\r\rTwo.\rStill two.", ["One.", "Two.\rStill two."]),
        ("One.\u2029Two.\u2028Still two.", ["One.", "Two.\u2028Still two."]),
        ("One.\n \t\n\n\nTwo. \n\n\n", ["One.", "Two."]),
        ("\n\nOne.", ["One."]),
        ("\n \n\x1f\n   One.\n  Indented.\n\n\tTwo.", ["   One.\n  Indented.", "\tTwo."]),
        ("# One\n\n# Two", ["# One", "# Two"]),
        ("\n \n", []),
        ("", []),
    ],
)
def test_paragraphs_end_at_blank_lines(text: str, expected: list[str]) -> None:
    assert paragraphs(text) == expected


def test_an_article_of_inex() -> None:
    markup = (
        "<article><name>A title</name><bdy>\n<sec><st>First</st><ip1>One <b>bold</b>.</ip1>"
        "<p>Two.</p><ss1><st>Inner</st><p>Three.</p></ss1></sec></bdy></article>"
    )
    inner = ("section", [("h3", "Inner"), ("p", "Three.")])
    section = ("section", [("h2", "First"), ("p", "One bold."), ("p", "Two."), inner])
    assert laid_out(markup) == ("elements", [("section", [("h1", "A title"), section])])


def test_a_name_is_a_title_only_at_the_top() -> None:
    assert laid_out("<a><name>T</name><p>By <name>Ann</name>.</p></a>") == (
        "elements",
        [("h1", "T"), ("p", "By Ann.")],
    )


def test_a_paragraph_with_a_list_inside_is_a_section() -> None:
    markup = "<p>Choose: <list><item>one</item> <item>two <p>or three</p></item></list> now</p>"
    items = [("li", "one"), ("li", [("p", "or three")])]
    assert laid_out(markup) == ("elements", [("section", [("ul", items)])])


def test_tables_keep_empty_cells_and_captions() -> None:
    markup = (
        "<div><table><caption>Sizes</caption>\n<row><header>a</header><cell/></row>"
        "<row><cell>1</cell><cell>2</cell></row></table></div>"
    )
    rows = [("tr", [("th", "a"), ("td", "")]), ("tr", [("td", "1"), ("td", "2")])]
    expected = ("section", [("p", "Sizes"), ("table", rows)])
    assert laid_out(markup) == ("elements", [expected])


def test_items_rows_and_cells_without_a_list_or_table_get_one() -> None:
    assert laid_out("<a><li>1</li> <li>2</li>x<li>3</li></a>")[1] == [
        ("ul", [("li", "1"), ("li", "2")]),
        ("ul", [("li", "3")]),
    ]
    assert laid_out("<a><td>1</td><td>2</td></a>")[1] == [
        ("table", [("tr", [("td", "1"), ("td", "2")])])
    ]
    assert laid_out("<a><ol>text<li>1</li></ol></a>")[1] == [("section", [("ol", [("li", "1")])])]


def test_headings_and_verbatim_text_hold_text_alone() -> None:
    assert laid_out("<a><h2>One <p>two</p></h2><pre>a\n\n<p>b</p></pre></a>")[1] == [
        ("h2", "One two"),
        ("pre", "a\n\nb"),
    ]


def test_text_beside_blocks_is_cut_at_blank_lines_but_not_inside_paragraphs() -> None:
    markup = "<DOC><HEADLINE>H</HEADLINE><TEXT>one\n\ntwo</TEXT><P>three\n\nfour</P></DOC>"
    assert laid_out(markup) == (
        "elements",
        [("h1", "H"), ("p", "one"), ("p", "two"), ("p", "three\n\nfour")],
    )


@pytest.mark.parametrize(
    "markup", ["<DOC><TEXT>one\n\ntwo</TEXT></DOC>", "<x>one\n\n<b>two</b></x>"]
)
def test_without_known_tags_it_is_plain_text(markup: str) -> None:
    assert laid_out(markup) == ("plain", [("p", "one"), ("p", "two")])


def test_a_document_that_the_index_lacks_is_plain_text() -> None:
    known = elements_of({"d": b"<p>x</p>"})
    found = dict(element_blocks(known, [("other", "one"), ("d", "x"), ("third", "")]))
    assert [json.loads(layout)["kind"] for layout in found.values()] == [
        "plain", "elements", "plain",
    ]  # fmt: skip
    assert list(found) == ["other", "d", "third"]


def test_depth_is_bounded() -> None:
    markup = "<sec>a" * 300 + "<p>end</p>" + "</sec>" * 300
    depth, nodes = 0, laid_out(markup)[1]
    while isinstance(nodes, list):
        depth, nodes = depth + 1, nodes[0][1]
    assert depth <= 25
