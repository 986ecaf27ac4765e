"""The pages of the reference: every one says the same things in the same order, and they are true."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import click
import pytest
from tools import choice_tables, command_pages, format_pages
from tools.command_pages import MORE, contexts
from tools.error_examples import EXAMPLES
from tools.exit_codes import exit_codes
from tools.figure_pages import offered
from tools.figures import ALL
from tools.format_fields import (
    FIELDS,
    OTHERWISE,
    RECOGNISED,
    RECOGNISED_OTHERWISE,
    fields_of,
    recognised_by,
)
from tools.format_pages import CONTENTS, formats
from tools.format_probes import example
from tools.making import DRAWINGS, block, prose
from tools.pages import DOCS
from tools.rule_pages import BESIDES, GIVEN

from foveal import errors
from foveal.choices import Like, Overlap, Task
from foveal.cli import _main
from foveal.conventions import Choices
from foveal.formats import QrelsFormat, RunFormat
from foveal.formats._format import by_certainty, only_named
from foveal.rules import RULES
from foveal.rules.repair import Change
from tests.held import held

COMMANDS = {name: (command, context) for name, command, context in contexts()}
LARGEST_DRAWING = 60_000


def headings(page: str, level: str = "##") -> list[str]:
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(
        rf"^{level} (.*)$",
        re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE),
        re.MULTILINE,
    )


def is_subsequence(some: list[str], order: tuple[str, ...]) -> bool:
    return some == [heading for heading in order if heading in some]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_of_a_command_keeps_the_order_of_its_headings(name: str) -> None:
    page = command_pages.page_of(name)
    assert headings(page, "#") == [name]
    found = headings(page)
    assert is_subsequence(found, command_pages.HEADINGS)
    assert {"Usage", "Options", "Exit codes", "Read more"} <= set(found)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_of_a_command_has_every_example_of_its_help(name: str) -> None:
    command, _ = COMMANDS[name]
    text = (DOCS / command_pages.page_of(name)).read_text(encoding="utf-8")
    for line in command_pages.examples_in(command).splitlines():
        if line.startswith("foveal "):
            assert line in text


@pytest.mark.parametrize("name", MORE)
def test_pages_to_read_more_are_about_the_command(name: str) -> None:
    for page in MORE[name]:
        text = (DOCS / page).read_text(encoding="utf-8")
        assert name in text, page


def test_options_are_listed_as_help_describes_them() -> None:
    """Three of them by hand: words with a default in the help, a number, a flag."""
    page = (DOCS / "reference/commands/evaluate.md").read_text(encoding="utf-8")
    assert "| `--topics` | Average over every judged topic" in page
    assert "| `judged`, `retrieved` | `judged` |" in page
    assert "| `--depth N` | Classical measures look only at" in page
    assert "first N documents of a topic. | 1 or more |  |" in page
    assert "| `--per-topic` | Show every topic, not just the means. |  |  |" in page


@pytest.mark.parametrize("name", formats())
def test_the_page_of_a_format_keeps_the_order_of_its_headings(name: str) -> None:
    assert headings(format_pages.page_of(name), "#") == [name]
    assert headings(format_pages.page_of(name)) == list(format_pages.HEADINGS)


def test_no_field_is_described_that_is_not_there() -> None:
    own = [
        (name, content, known) for name, of in formats().items() for content, known in of.items()
    ]
    used = {field for _, content, known in own for field in fields_of(known, content)}
    assert used >= set(FIELDS)
    assert {(name, content, field) for name, content, known in own for field in fields_of(known, content)} >= set(OTHERWISE)  # fmt: skip


@pytest.mark.parametrize("name", formats())
def test_a_format_is_recognised_as_its_page_says(name: str) -> None:
    for content, known in formats()[name].items():
        is_named = known.recognises is only_named
        said = recognised_by(known, content)
        assert bool(said) or is_named
        if isinstance(known, RunFormat | QrelsFormat) and known.is_written:
            data = example(known)[0]
        else:
            data = known.examples[0].encode()
        source = held(data)
        tried = by_certainty(CONTENTS[content].values())
        first = next(one.name for one in tried if one.recognises(source.head()))
        assert (first == name) is not is_named


def test_no_format_is_said_to_be_recognised_that_is_not_there() -> None:
    there = {(name, content) for name, own in formats().items() for content in own}
    assert {name for name, _ in there} >= set(RECOGNISED)
    assert there >= set(RECOGNISED_OTHERWISE)


def test_every_figure_of_a_command_is_drawn() -> None:
    assert [(one.command, one.figure) for one in ALL] == list(offered())


def test_drawings_are_what_the_commands_draw() -> None:
    """In one test, as all of them need the same files."""
    for folder, drawings in DRAWINGS.items():
        for name, draw in drawings.items():
            kept = (DOCS / folder / name).read_bytes()
            assert draw() == kept, f"{name} is stale: run `make docs`"
            assert len(kept) < LARGEST_DRAWING
            assert b"prefers-color-scheme:dark" in kept


@pytest.mark.parametrize("folder", DRAWINGS)
def test_a_folder_of_drawings_has_no_other_files(folder: str) -> None:
    assert {path.name for path in (DOCS / folder).iterdir()} == set(DRAWINGS[folder])


def test_the_page_of_the_rules_explains_every_change_of_repair() -> None:
    source = Path(inspect.getfile(Change)).read_text(encoding="utf-8")
    noted = set(re.findall(r'^ +"([a-z-]+)",$|record\("([a-z-]+)"', source, re.MULTILINE))
    named = {name for pair in noted for name in pair if name}
    assert named - set(RULES) == set(BESIDES)


def test_the_page_of_the_rules_says_what_a_rule_needs() -> None:
    assert {need for rule in RULES.values() for need in rule.needs} == set(GIVEN)


def test_the_tree_of_errors_has_no_others() -> None:
    tree = set(re.findall(r"[├└]── (\w+)", errors.__doc__ or ""))
    assert tree <= {own.__name__ for own in EXAMPLES}


def test_exit_codes_are_those_of_the_errors_and_of_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def left(error: BaseException) -> int:
        def fail(**_: object) -> None:
            raise error

        monkeypatch.setattr(_main.cli, "main", fail)
        return _main._exit_code([])

    raised = [EOFError(), KeyboardInterrupt(), click.UsageError(""), errors.MissingFile("")]
    assert {left(error) for error in raised} <= set(exit_codes())
    assert {own.exit_code for own in EXAMPLES} <= set(exit_codes())
    assert set(exit_codes()) - {own.exit_code for own in EXAMPLES} == {0, 70, 130}


def test_what_a_source_changes_is_what_it_decides() -> None:
    assert choice_tables.changes_of(Like.LEGALBENCHRAG) == ["`--overlap repeat`."]
    assert Choices(like=Like.LEGALBENCHRAG).conventions(Task.FOCUSED).overlap is Overlap.REPEAT


def test_prose_is_not_taken_for_markup() -> None:
    assert prose("give -o FILE, or *.fol {a} <b>") == "give `-o FILE`, or \\*.fol \\{a\\} &lt;b>"
    assert prose("`--x` is --x") == "`--x` is `--x`"
    assert prose("well-known x-y") == "well-known x-y"
    assert list(block("a\nb\n")) == ["```text", "a", "b", "```", ""]
