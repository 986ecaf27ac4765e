"""The examples of pages that need a framework, with the frameworks that they need."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from tools.pages import DOCS, EXAMPLE, prepare, with_outputs, with_printed

from tests.cli.calling import foveal

PAGES = ["rag.md", "from/chunk-scorers.md"]


def needed(page: str) -> list[str]:
    text = (DOCS / page).read_text(encoding="utf-8")
    return [found["needs"] for found in EXAMPLE.finditer(text) if found["needs"]]


@pytest.mark.parametrize("package", ["langchain_core", "llama_index", "haystack", "chonkie"])
def test_every_framework_has_an_example_and_is_here(package: str) -> None:
    assert package in needed("rag.md")
    assert find_spec(package)


@pytest.mark.parametrize("page", PAGES)
def test_every_example_prints_what_the_page_says(page: str, tmp_path: Path) -> None:
    assert all(find_spec(package) for package in needed(page))
    text = (DOCS / page).read_text(encoding="utf-8")
    prepare(text, tmp_path)
    played = with_printed(text, tmp_path, lambda words, there, _: foveal(*words, folder=there).out)
    assert with_outputs(played, tmp_path) == text
