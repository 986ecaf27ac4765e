"""The examples of the page for RAG, with the frameworks that they need."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from tools.pages import EXAMPLE, prepare, with_outputs, with_printed

from tests.cli.calling import foveal

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "rag.md").read_text(encoding="utf-8")
NEEDED = [found["needs"] for found in EXAMPLE.finditer(PAGE) if found["needs"]]


@pytest.mark.parametrize("package", ["langchain_core", "llama_index", "haystack", "chonkie"])
def test_every_framework_has_an_example_and_is_here(package: str) -> None:
    assert package in NEEDED
    assert find_spec(package)


def test_every_example_prints_what_the_page_says(tmp_path: Path) -> None:
    prepare(PAGE, tmp_path)
    played = with_printed(PAGE, tmp_path, lambda words, there, _: foveal(*words, folder=there).out)
    assert with_outputs(played, tmp_path) == PAGE
