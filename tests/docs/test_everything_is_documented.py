"""Everything that exists has its place on a page, and nothing is documented that does not exist.

What exists is asked of the program; what is documented is read from the pages, as a reader would see it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
import tools.docs
import tools.picture
from tools.command_pages import contexts, page_of
from tools.environment import BY_LIBRARIES, extras, variables
from tools.exit_codes import INTERRUPTED
from tools.format_pages import CONTENTS, formats
from tools.making import DRAWINGS
from tools.pages import DOCS, ROOT, pages

import foveal
from foveal import errors
from foveal.analysis import TESTS
from foveal.choices import Answers, Like, Overlap, Task
from foveal.cli._main import BUG, cli
from foveal.cli._options import Name
from foveal.measures import DOCUMENT_SCORES, REGISTRY
from foveal.rendering import FIGURES
from foveal.rules import RULES
from foveal.studies import NOISES, PART_SETS, RANKINGS
from foveal.trec_eval.arguments import LONG

FENCE = re.compile(r"^ *```.*?^ *```$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`([^`\n]+)`")
OPTION = re.compile(r"(?<![\w-])--?[A-Za-z][\w-]*")
COMMANDS = {name: (command, context) for name, command, context in contexts()}
TREC_EVAL = "foveal trec_eval"
# Other programs of which the pages speak.
OTHERS = re.compile(r"(?:python3? -m (?!foveal)|make |pip |git |pytest |uv |dask )")
# Pictures that no script makes, and what they are copies of.
COPIES = {"icon.svg": ROOT / "src/foveal/assess/page/icon.svg"}


def text_of(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def below(page: str, heading: str) -> str:
    """What a page says under a heading, up to the next one of the same level or a higher one."""
    level = heading.split(maxsplit=1)[0]
    rest = text_of(page).partition(f"\n{heading}\n")[2]
    assert rest, f"{page} has no heading {heading}"
    return re.split(rf"\n#{{1,{len(level)}}} ", rest)[0]


def first_cells(text: str) -> list[str]:
    """The first cells of the rows of all tables, without their heads, as they are seen."""
    rows = re.findall(r"^\| (.*?) \| ", text, re.MULTILINE)
    cells = [re.sub(r"\[(.*?)\]\([^)]*\)", r"\1", row) for row in rows]
    return [
        cell
        for place, cell in enumerate(cells)
        if "---" not in (cell, *cells[place + 1 : place + 2])
    ]


def names_in(page: str, heading: str) -> list[str]:
    """The code in the first cells of the tables under a heading."""
    return [code for cell in first_cells(below(page, heading)) for code in CODE.findall(cell)]


def headings(page: str, level: str) -> list[str]:
    return re.findall(rf"^{level} (.*)$", FENCE.sub("", text_of(page)), re.MULTILINE)


def titles(folder: str) -> list[str]:
    """The titles of all pages in a folder, but for its list."""
    found = sorted((DOCS / folder).glob("*.md"))
    return [
        headings(str(page.relative_to(DOCS)), "#")[0] for page in found if page.name != "README.md"
    ]


def made(page: str, section: str) -> list[str]:
    """The code in the first cells of a table that is made from records."""
    found = re.search(
        rf"<!-- make docs: {section} -->\n(.*?)<!-- end -->", text_of(page), re.DOTALL
    )
    assert found, f"{page} has no section {section}"
    return [code for cell in first_cells(found[1]) for code in CODE.findall(cell)]


def error_names() -> list[str]:
    own = (name for name in vars(errors).values() if inspect.isclass(name))
    return [name.__name__ for name in own if issubclass(name, errors.FovealError)]


def exit_codes() -> set[str]:
    own = {getattr(errors, name).exit_code for name in error_names()}
    return {str(code) for code in own | {0, BUG, INTERRUPTED, click.UsageError.exit_code}}


def drawn() -> list[str]:
    """Every figure that a command has an option for, with its experiment."""
    return [
        f"{name.removeprefix('foveal ')} {experiment}".strip() + f": {record.name}"
        for name, (command, _) in COMMANDS.items()
        for own in command.params
        if own.name == "figure" and isinstance(own.type, Name)
        for record in own.type.registry().values()
        for experiment in record.experiments or [""]
    ]


def of_content(content: str) -> Callable[[], list[str]]:
    return lambda: [name for name, own in formats().items() if content in own]


def table_of(content: str) -> Callable[[], list[str]]:
    return lambda: made("formats.md", f"formats of {content}")


Names = Callable[[], list[str] | set[str]]
# What exists, and what is documented.
KINDS: dict[str, tuple[Names, Names]] = {
    "commands": (lambda: list(COMMANDS), lambda: titles("reference/commands")),
    "commands in the list": (
        lambda: list(COMMANDS),
        lambda: [
            code
            for cell in first_cells(text_of("reference/commands/README.md"))
            for code in CODE.findall(cell)
            if code.startswith("foveal ")
        ],
    ),
    "commands in the entry page": (
        lambda: list(COMMANDS),
        lambda: names_in("reference.md", "## Commands"),
    ),
    "measures": (
        lambda: [*REGISTRY, *(f"S={name}" for name in DOCUMENT_SCORES)],
        lambda: [title.partition(": ")[0] for title in titles("reference/measures")],
    ),
    "formats": (lambda: list(formats()), lambda: titles("reference/formats")),
    **{
        f"formats of {content}": (of_content(content), table_of(content))
        for content in CONTENTS
    },
    "formats in the entry page": (
        lambda: list(formats()),
        lambda: names_in("reference.md", "## Formats"),
    ),
    "rules": (
        lambda: sorted(RULES),
        lambda: sorted(headings("reference/rules.md", "###")),
    ),
    "rules in the entry page": (lambda: set(RULES), lambda: set(names_in("reference.md", "## Rules"))),
    "figures": (
        drawn,
        lambda: [name for name in headings("reference/figures.md", "##") if ": " in name],
    ),
    "errors": (
        lambda: sorted(set(error_names()) - {"FovealError"}),
        lambda: sorted(headings("reference/errors.md", "###")),
    ),
    "exit codes": (
        exit_codes,
        lambda: set(names_in("reference/errors.md", "## Exit codes")),
    ),
    "exit codes in the entry page": (
        exit_codes,
        lambda: set(names_in("reference.md", "## Errors and exit codes")),
    ),
    "variables": (
        lambda: variables() | BY_LIBRARIES,
        lambda: {
            name
            for heading in ("## When you use foveal", "## When you work on it")
            for name in names_in("reference/environment.md", heading)
        },
    ),
    "extras": (
        lambda: list(extras()),
        lambda: names_in("reference/environment.md", "## Extras"),
    ),
    "public names": (
        lambda: set(foveal.__all__),
        lambda: set(re.findall(r"`foveal\.(\w+)`", below("reference.md", "## The library"))),
    ),
    "tasks": (lambda: [*Task], lambda: names_in("reference.md", "## Tasks")),
    "overlap policies": (lambda: [*Overlap], lambda: names_in("reference.md", "## Overlap")),
    "sources of defaults": (lambda: [*Like], lambda: names_in("reference.md", "## Whose defaults")),
    "significance tests": (
        lambda: set(TESTS),
        lambda: set(made("comparing.md", "significance tests")),
    ),
    "part sets": (lambda: list(PART_SETS), lambda: made("fidelity.md", "part sets")),
    "rankings": (lambda: list(RANKINGS), lambda: made("fidelity.md", "rankings")),
    "noises": (lambda: list(NOISES), lambda: made("fidelity.md", "noises")),
    "kinds of answers": (lambda: [*Answers], lambda: made("measures.md", "kinds of answers")),
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_what_exists_is_documented_and_nothing_else(kind: str) -> None:
    exist, documented = KINDS[kind]
    assert sorted(documented()) == sorted(exist()), kind


def offered(name: str) -> set[str]:
    """The options that a command's help shows, in all their spellings."""
    command, context = COMMANDS[name]
    if name == TREC_EVAL:
        long = {f"--{word.rstrip('=')}" for word in LONG}
        return {"--as", *long, *LONG.values()}
    spelled = {
        name
        for own in command.params
        if isinstance(own, click.Option) and own.get_help_record(context)
        for name in (*own.opts, *own.secondary_opts)
    }
    return spelled.union(command.get_help_option_names(context))


def understood(name: str) -> set[str]:
    """The options of a command, those among them that only `evaluate --help` shows."""
    hidden = (own for own in COMMANDS[name][0].params if getattr(own, "hidden", False))
    return offered(name).union(*(own.opts for own in hidden))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_documented_and_no_other(name: str) -> None:
    text = below(page_of(name), "## Options")
    typed = first_cells(text)
    if name == TREC_EVAL:
        typed.append(text.partition("For scripts")[2])
    documented = {
        option for cell in typed for code in CODE.findall(cell) for option in OPTION.findall(code)
    }
    assert documented == offered(name)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_word_of_an_option_is_documented(name: str) -> None:
    command, context = COMMANDS[name]
    rows = re.findall(r"^\| (.*?) \| (.*) \|$", text_of(page_of(name)), re.MULTILINE)
    for own in command.params:
        is_shown = isinstance(own, click.Option) and own.get_help_record(context)
        if isinstance(own.type, click.Choice) and is_shown:
            (rest,) = (rest for first, rest in rows if f"`{own.opts[-1]}`" in first)
            assert set(own.type.choices) <= set(CODE.findall(rest.split(" | ")[1]))


def typed_in_prose() -> Iterator[tuple[Path, str]]:
    """Every piece of code in the sentences of every page, but for that of other programs."""
    for page in (ROOT / "CONTRIBUTING.md", *pages()):
        for code in CODE.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
            if not OTHERS.match(code):
                yield page, code


def test_no_page_speaks_of_a_command_or_an_option_that_does_not_exist() -> None:
    known = {"--version", *cli.params[0].opts}.union(*map(offered, COMMANDS))
    for page, code in typed_in_prose():
        own = known
        if found := re.match(r"foveal ([a-z_]\S*)(?: ([a-z][\w-]*))?", code):
            name = f"foveal {found[1]}"
            assert name in COMMANDS, f"{page}: {code}"
            if isinstance(COMMANDS[name][0], click.Group) and f"{name} {found[2]}" in COMMANDS:
                name = f"{name} {found[2]}"
            own = understood(name)
        for option in re.findall(r"(?<![\w-])--[A-Za-z][\w-]*", code):
            assert option in own, f"{page}: {code}"


def test_no_page_speaks_of_a_name_that_the_library_does_not_have() -> None:
    for page, code in typed_in_prose():
        for name in re.findall(r"\bfoveal\.([A-Za-z_]\w*)", code):
            assert hasattr(foveal, name), f"{page}: {code}"


def test_every_figure_is_offered_by_a_command_or_by_the_library_alone() -> None:
    named = {name.partition(": ")[2] for name in drawn()}
    records = {
        record.name for own in FIGURES.values() for record in own.values() if record.is_offered
    }
    assert named == records


def test_every_picture_is_made_by_a_script() -> None:
    images = DOCS / "images"
    found = {str(path.relative_to(images)) for path in images.rglob("*") if path.is_file()}
    drawings = {
        str((DOCS / folder / name).relative_to(images))
        for folder, own in DRAWINGS.items()
        for name in own
    }
    assert found == {*tools.picture.names(), *drawings, *COPIES}


@pytest.mark.parametrize("name", COPIES)
def test_a_picture_that_is_a_copy_is_the_same(name: str) -> None:
    assert (DOCS / "images" / name).read_bytes() == COPIES[name].read_bytes()


def test_every_picture_is_shown_on_a_page() -> None:
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages())
    for name in {*tools.picture.names(), *(name for own in DRAWINGS.values() for name in own)}:
        assert f"/{name}" in text, name
