"""The documentation is run: commands print what the pages say they print."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from tools.pages import EXAMPLE, has_outputs, with_outputs, with_printed
from tools.reference import MARKED, SECTIONS, filled

import foveal as library
from tests.cli.calling import foveal

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def _blocks(page: Path, language: str) -> list[str]:
    return re.findall(
        rf"^```{language}\n(.*?)^```", page.read_text(), flags=re.DOTALL | re.MULTILINE
    )


def _commands(block: str) -> list[tuple[str, str]]:
    """Each command of a block with what the page says it prints."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [(command, printed) for command, _, printed in (part.partition("\n") for part in parts)]


def _play(page: Path, folder: Path) -> None:
    for block in _blocks(page, "console"):
        for command, printed in _commands(block):
            assert command.startswith(("cat ", "foveal "))
            assert printed, f"{command} must show what it prints"
    text = page.read_text()
    anew = with_printed(text, folder, lambda words, there: foveal(*words, folder=there).out)
    assert anew == text, "stale: run `make docs`"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    """Plays a page's commands, once; gives the folder with the files that they made."""

    @cache
    def play(page: Path) -> Path:
        folder = tmp_path_factory.mktemp(page.stem)
        _play(page, folder)
        return folder

    return play


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_print_what_the_page_says(page: Path, played: Callable[[Path], Path]) -> None:
    assert played(page).is_dir()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples_run_and_print_what_the_page_says(
    page: Path, played: Callable[[Path], Path]
) -> None:
    text = page.read_text()
    anew = with_outputs(text, played(page))
    assert anew == text or not has_outputs(text), "stale: run `make docs`"


@pytest.mark.parametrize(
    ("page", "package"),
    [
        (page, found["needs"])
        for page in PAGES
        for found in EXAMPLE.finditer(page.read_text())
        if found["needs"]
    ],
    ids=lambda part: part if isinstance(part, str) else part.name,
)
def test_an_example_of_a_framework_runs_where_that_is_installed(
    page: Path, package: str, played: Callable[[Path], Path]
) -> None:
    if find_spec(package) is None:
        pytest.skip(f"no {package}: `make test-frameworks` runs its example on {page.name}")
    assert with_outputs(page.read_text(), played(page)) == page.read_text()


def test_an_example_is_left_alone_without_the_package_that_it_needs(tmp_path: Path) -> None:
    example = "```python needs={}\nprint(1)\n```\n"
    assert with_outputs(example.format("nonsense"), tmp_path) == example.format("nonsense")
    run = example.format("json") + "\n```text\n1\n```\n"
    assert with_outputs(example.format("json"), tmp_path) == run


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_is_made_from_records_is_what_they_say(page: Path) -> None:
    assert filled(page.read_text()) == page.read_text(), "stale: run `make docs`"


def test_every_section_that_is_made_from_records_is_on_a_page() -> None:
    found = [marked["section"] for page in PAGES for marked in MARKED.finditer(page.read_text())]
    assert sorted(found) == sorted(SECTIONS)


def test_the_library_offers_what_it_says() -> None:
    for name in library.__all__:
        assert getattr(library, name) is not None
    assert set(dir(library)) >= set(library.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        library.nonsense  # type: ignore[attr-defined]  # noqa: B018  # wrong on purpose
