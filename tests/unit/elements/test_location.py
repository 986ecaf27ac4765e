from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from foveal.collection import build_index, open_index
from foveal.elements import explained
from tests.articles import ARTICLES, ELEMENTS

BDY = "/article[1]/bdy[1]"
SEC = f"{BDY}/sec[2]"


def references(*rows: tuple[str, str, str | None]) -> pl.DataFrame:
    return pl.DataFrame(
        rows, schema=dict.fromkeys(("doc", "path", "path_end"), pl.String), orient="row"
    )


@pytest.mark.parametrize(
    ("path", "path_end", "sentence"),
    [
        (
            f"{BDY}/sec[9]/p[1]",
            None,
            f"document '9996' has no element {BDY}/sec[9]/p[1]: the path is right up to {BDY},"
            " which has no sec[9]",
        ),
        (
            f"{SEC}/p[1]/text()[1].3",
            f"{SEC}/p[7]/text()[1].3",
            f"document '9996' has no element {SEC}/p[7]/text()[1].3, the end of the passage:"
            f" the path is right up to {SEC}, which has no p[7]",
        ),
        (
            f"{BDY}/sec[9]",
            SEC,
            f"document '9996' has no element {BDY}/sec[9], the start of the passage: the path is"
            f" right up to {BDY}, which has no sec[9]",
        ),
        (
            "/book[1]",
            "/book[2]",
            "document '9996' has no element /book[1], the start of the passage: the root is"
            " /article[1]; document '9996' has no element /book[2], the end of the passage: the root"
            " is /article[1]",
        ),
        (
            f"{SEC}/p[1]/text()[8]",
            None,
            f"document '9996' has no text node {SEC}/p[1]/text()[8]: the path is right up to"
            f" {SEC}/p[1], which has no text()[8]",
        ),
        (
            f"{SEC}/p[1]/text()[1].99",
            SEC,
            f"document '9996' has no character {SEC}/p[1]/text()[1].99, the start of the passage:"
            " the text node has 7 characters",
        ),
        ("article", None, "'article' is not a path of elements such as /article[1]/sec[2]"),
        (
            "/article[1]",
            "x",
            "'x', the end of the passage, is not a path of elements such as /article[1]/sec[2]",
        ),
        (
            SEC,
            "/article[1]/name[1]",
            "the passage ends before it starts: /article[1]/bdy[1]/sec[2] to /article[1]/name[1] in"
            " document '9996'",
        ),
    ],
)
def test_the_broken_end_is_named_with_what_is_right_of_its_path(
    path: str, path_end: str | None, sentence: str
) -> None:
    assert explained(references(("9996", path, path_end)), ELEMENTS) == [sentence]


def test_an_index_on_disk_gives_the_same_sentences(tmp_path: Path) -> None:
    for name, text in ARTICLES.items():
        (tmp_path / f"{name}.xml").write_text(text)
    build_index([str(tmp_path)], tmp_path.parent / "INDEX")
    asked = references(
        ("9996", f"{BDY}/sec[9]", None),
        ("nobody", "/article[1]", None),
        ("22478", "/article[1]/name[1]", f"{BDY}/sec[1]"),
        ("empty", "/book", None),
    )
    found = explained(asked, open_index(tmp_path.parent / "INDEX"))
    assert found == explained(asked, ELEMENTS)
    assert found[1] == "document 'nobody' is not in the index"
    assert found[3].endswith("it has no elements with text")


def test_after_the_first_thousand_the_reason_is_enough() -> None:
    found = explained(
        references(*[("9996", f"/article[1]/p[{n}]", None) for n in range(1, 1002)]), ELEMENTS
    )
    assert found[-1] == "no such element: /article[1]/p[1001] in document '9996'"
    assert found[-2].endswith("which has no p[1000]")
