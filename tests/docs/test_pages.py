"""The documentation is run: commands print what the pages say they print."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest
from tools.docs import run_typed
from tools.making import MADE, MARKED, SECTIONS, WHOLE_PAGES, filled
from tools.pages import (
    DOCS,
    EXAMPLE,
    EXAMPLES,
    ROOT,
    commands,
    has_outputs,
    pages,
    place_of_files,
    prepare,
    with_outputs,
    with_place_of_files,
    with_printed,
    worlds,
)

import foveal as library
from foveal.rules import RULES

PAGES = pages()
TOP_PAGES = [ROOT / "CONTRIBUTING.md", *PAGES]
FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>[^\n]*)\n(?P<code>.*?)^ *```$", re.DOTALL | re.MULTILINE
)
# A page shows the first lines of a longer file.
LONGEST_LISTING, MOST_LINES_OF_DATA = 10, 20


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def pages_with(needle: str) -> pytest.MarkDecorator:
    """The mark of tests of the pages in which a pattern is found."""
    found = [
        page for page in PAGES if re.search(needle, page.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    return pytest.mark.parametrize("page", found, ids=name_of)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    """Plays a page's commands, once; gives the folder with the files that they made."""

    @cache
    def play(page: Path) -> Path:
        folder = tmp_path_factory.mktemp(page.stem)
        text = page.read_text(encoding="utf-8")
        prepare(text, folder)
        assert with_printed(text, folder, run_typed) == text, "stale: run `make docs`"
        return folder

    return play


@pages_with("^```(console|python)$")
def test_commands_and_examples_print_what_the_page_says(
    page: Path, played: Callable[[Path], Path]
) -> None:
    text = page.read_text(encoding="utf-8")
    anew = with_outputs(text, played(page))
    assert anew == text or not has_outputs(text), "stale: run `make docs`"


@pytest.mark.parametrize(
    ("page", "package"),
    dict.fromkeys(
        (page, found["needs"])
        for page in PAGES
        for found in EXAMPLE.finditer(page.read_text(encoding="utf-8"))
        if found["needs"]
    ),
    ids=lambda part: part if isinstance(part, str) else part.name,
)
def test_an_example_of_a_framework_runs_where_that_is_installed(
    page: Path, package: str, played: Callable[[Path], Path]
) -> None:
    if find_spec(package) is None:
        pytest.skip(f"no {package} here to run its example on {page.name}: see CONTRIBUTING.md")
    assert with_outputs(page.read_text(encoding="utf-8"), played(page)) == page.read_text(
        encoding="utf-8"
    )


def test_an_example_is_left_alone_without_the_package_that_it_needs(tmp_path: Path) -> None:
    example = "```python needs={}\nprint(1)\n```\n"
    assert with_outputs(example.format("nonsense"), tmp_path) == example.format("nonsense")
    run = example.format("json") + "\n```text\n1\n```\n"
    assert with_outputs(example.format("json"), tmp_path) == run


def test_what_an_example_registers_is_forgotten_after_its_page(tmp_path: Path) -> None:
    example = """```python
from foveal.rules import RULES, rule


@rule("mine", "Nothing is wrong.", "note")
def mine(results: object) -> list[object]:
    return []


print("mine" in RULES, len(RULES))
```
"""
    assert f"True {len(RULES) + 1}\n" in with_outputs(example, tmp_path)
    assert "mine" not in RULES


def test_a_command_may_go_on_in_the_next_line_and_use_a_shell(tmp_path: Path) -> None:
    page = "```console\n$ foveal \\\n  formats\nold\n$ echo a | tr a b\n```\n"
    printed = with_printed(page, tmp_path, lambda words, *_: f"{words}\n")
    assert printed == "```console\n$ foveal \\\n  formats\n['formats']\n$ echo a | tr a b\nb\n```\n"


def test_a_pattern_is_replaced_by_files_as_in_a_shell(tmp_path: Path) -> None:
    for name in ("b-2.run", "b-1.run", "a.run"):
        (tmp_path / name).touch()
    page = "```console\n$ foveal evaluate b-*.run {a,c}.run -m '*'\n```\n"
    printed = with_printed(page, tmp_path, lambda words, *_: f"{words}\n")
    assert "['evaluate', 'b-1.run', 'b-2.run', 'a.run', 'c.run', '-m', '*']" in printed


def test_what_a_command_prints_goes_through_its_pipe(tmp_path: Path) -> None:
    page = "```console\n$ foveal measures 'a | b' | tr a-z A-Z | head -c 8\n```\n"
    printed = with_printed(page, tmp_path, lambda words, *_: f"{words[1]}\nmore")
    assert (
        printed == "```console\n$ foveal measures 'a | b' | tr a-z A-Z | head -c 8\nA | B\nMO```\n"
    )


def test_remarks_go_through_a_pipe_as_well(tmp_path: Path) -> None:
    page = "```console\n$ foveal check a b 2>&1 | head -n 2\n```\n"
    printed = with_printed(page, tmp_path, lambda words, _, remarks: f"{words}\n{remarks}\n2\n")
    assert "\n['check', 'a', 'b']\nTrue\n```" in printed


def test_a_command_shows_its_remarks_where_the_page_asks_for_them(tmp_path: Path) -> None:
    page = "```console\n$ foveal evaluate a b\n$ foveal evaluate a b 2>&1\n```\n"
    printed = with_printed(page, tmp_path, lambda words, _, remarks: f"{words} {remarks}\n")
    assert re.findall(r"^\[.*", printed, re.MULTILINE) == [
        "['evaluate', 'a', 'b'] False",
        "['evaluate', 'a', 'b'] True",
    ]
    said = run_typed(["evaluate", "a", "b"], tmp_path, True)
    assert said == "foveal: a: no such file or folder\n"


def test_a_command_that_fails_without_a_word_is_no_example(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="exit code 3"):
        with_printed("```console\n$ exit 3\n```\n", tmp_path, run_typed)


def test_links_and_pictures_lead_somewhere() -> None:
    for page in PAGES:
        text = FENCE.sub("", page.read_text(encoding="utf-8"))
        targets = re.findall(r"\]\((?!http)([^)#]+)(?:#[^)]*)?\)", text)
        targets += re.findall(r'(?:src|srcset|href)="(?!http)([^"#]+)"', text)
        for target in targets:
            assert (page.parent / target).exists(), f"{page}: {target}"


@pages_with("<!-- make docs: ")
def test_what_is_made_from_records_is_what_they_say(page: Path) -> None:
    assert filled(page.read_text(encoding="utf-8")) == page.read_text(encoding="utf-8"), (
        "stale: run `make docs`"
    )


@pytest.mark.parametrize("folder", WHOLE_PAGES)
def test_pages_that_are_made_whole_are_what_the_records_say(folder: str) -> None:
    found = {
        str(page.relative_to(DOCS)): page.read_text(encoding="utf-8")
        for page in (DOCS / folder).glob("*.md")
    }
    made = {name: f"{MADE}\n\n{text}" for name, text in WHOLE_PAGES[folder]()}
    assert sorted(found) == sorted(made), "stale: run `make docs`"
    for name, text in made.items():
        assert found[name] == text, f"{name} is stale: run `make docs`"


def test_every_section_that_is_made_from_records_is_on_a_page() -> None:
    found = [
        marked["section"]
        for page in PAGES
        for marked in MARKED.finditer(page.read_text(encoding="utf-8"))
    ]
    assert sorted(found) == sorted(SECTIONS)


def test_every_example_world_is_used_and_every_one_named_exists() -> None:
    named = {name for page in PAGES for name, _ in worlds(page.read_text(encoding="utf-8"))}
    assert named - {"demo"} == {path.name for path in EXAMPLES.iterdir()}


@pages_with("^<!-- examples: ")
def test_a_page_tells_where_its_example_files_are(page: Path) -> None:
    if page.is_relative_to(DOCS):
        assert with_place_of_files(page.read_text(encoding="utf-8")) == page.read_text(
            encoding="utf-8"
        ), "stale: run `make docs`"


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ("demo", "The commands run beside `foveal-demo`, which `foveal demo` writes."),
        (
            "gate",
            "The files are in `docs/examples/gate`; the commands run in a copy of that folder.",
        ),
        (
            "rag, gate",
            "The files are in `docs/examples/rag` and `docs/examples/gate`; the commands run in a"
            " folder with copies of all these files.",
        ),
        (
            "gate, demo",
            "The files are in `docs/examples/gate`; the commands run in a copy of that folder,"
            " beside `foveal-demo`, which `foveal demo` writes.",
        ),
        (
            "rag in help, demo",
            "The commands run beside a copy of `docs/examples/rag` named `help` and beside"
            " `foveal-demo`, which `foveal demo` writes.",
        ),
    ],
)
def test_the_place_of_example_files_is_one_line_for_readers(names: str, told: str) -> None:
    assert place_of_files(names) == f"*{told}*"
    marked = f"# Title\n\n<!-- examples: {names} -->\n\nText.\n"
    once = with_place_of_files(marked)
    assert once == marked.replace("Text.", f"*{told}*\n\nText.")
    assert with_place_of_files(once) == once


def test_a_page_shows_only_the_first_lines_of_long_files() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for typed in commands(text):
            for file in re.findall(r"^cat (\S+)$", typed):
                _, _, shown = text.partition(f"$ {typed}\n")
                lines = re.split(r"^(?:\$ |```)", shown, flags=re.MULTILINE)[0].count("\n")
                assert lines <= LONGEST_LISTING, (
                    f"{page}: {file}: show its first lines with head -n 3"
                )


@pages_with("^```console")
def test_a_page_does_not_begin_with_data(page: Path) -> None:
    """Before its first command of ours, a page shows a few lines of files at most."""
    first = page.read_text(encoding="utf-8").partition("$ foveal ")[0]
    shown = "".join(found["code"] for found in FENCE.finditer(f"{first}\n```"))
    assert shown.count("\n") <= MOST_LINES_OF_DATA, "show the first lines of files with head -n 2"


def test_every_column_of_a_table_has_a_head() -> None:
    """Screen readers say it before each cell."""
    for page in PAGES:
        for head in re.findall(
            r"^(\|.*\|) *\n\|(?: *:?-+:? *\|)+ *$", page.read_text(encoding="utf-8"), re.MULTILINE
        ):
            assert all(cell.strip() for cell in head.strip("| ").split("|")), f"{page}: {head}"
            assert not re.search(r"^\| *\||\| *\|$", head), f"{page}: {head}"


def test_the_library_offers_what_it_says() -> None:
    for name in library.__all__:
        assert getattr(library, name) is not None
    assert set(dir(library)) >= set(library.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        library.nonsense  # type: ignore[attr-defined]  # noqa: B018  # wrong on purpose
