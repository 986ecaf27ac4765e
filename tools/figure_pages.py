"""The page of the figures: each with what it shows, how to read it, and how it was drawn."""

from __future__ import annotations

import re
from html import unescape
from itertools import groupby

import click

from foveal.rendering import FigureRecord
from tools.command_pages import contexts
from tools.command_pages import page_of as page_of_command
from tools.figures import ALL, CONVERTED, FOLDER, Drawing
from tools.making import Lines, block, code, prose, table
from tools.pages import DOCS

# The longest command that is shown in one line.
WIDE = 90
TITLE = re.compile(r"<title>(.*?)</title>")


def offered() -> dict[tuple[str, str], FigureRecord]:
    """Every figure that a command offers, by the names of both; of an experiment, with its name."""
    return {
        (f"{name.removeprefix('foveal ')} {experiment}".strip(), record.name): record
        for name, command, _ in contexts()
        for option in command.params
        if option.name == "figure"
        for record in _registry(option).values()
        for experiment in record.experiments or ("",)
    }


def _registry(option: click.Parameter) -> dict[str, FigureRecord]:
    registry: dict[str, FigureRecord] = option.type.registry()  # type: ignore[attr-defined]  # of names
    return registry


def figures_page() -> Lines:
    """Every figure, by command."""
    records = offered()
    yield from ["# Figures", ""]
    yield "`--figure NAME -o FILE` draws one of these instead of printing a table; `FILE` ends in `.svg`, `.html`,"
    yield "`.png` or `.pdf`, or in `.csv` or another ending of tables for the numbers alone"
    yield "([more about that](../seeing.md#a-figure)). In Python, `foveal.figure(result, name)` makes the same"
    yield "figure. The title of a figure says what was found."
    yield ""
    yield "The pictures were drawn by the commands shown, in the folder that `foveal demo` makes. Its runs were"
    yield "first converted to offsets:"
    yield from ["", *block(CONVERTED)]
    yield "`ann.qrels` is `demo.qrels`; `bob.qrels` is the same with some passages longer, shorter or missing, as a"
    yield "second person might judge."
    yield ""
    rows = [
        [
            f"[{code(f'foveal {name}')}]({_page(name)})",
            ", ".join(_link(drawing) for drawing in drawings),
        ]
        for name, drawings in groupby(ALL, lambda drawing: drawing.command)
    ]
    yield from table(["command", "figures"], rows)
    for drawing in ALL:
        record = records[drawing.command, drawing.figure]
        yield from ["", f"## {drawing.command}: {drawing.figure}", "", prose(record.sentence), ""]
        yield from [f"![{_finding(drawing.name)}](../{FOLDER}/{drawing.name})", ""]
        yield from [f"**What to look for:** {drawing.look}", "", *block(_wrapped(drawing.typed))]


def _page(command: str) -> str:
    """The page of a command, which may name its experiment."""
    names = {name for name, _, _ in contexts()}
    name = f"foveal {command}"
    return page_of_command(name if name in names else name.rpartition(" ")[0]).removeprefix(
        "reference/"
    )


def _link(drawing: Drawing) -> str:
    return f"[{code(drawing.figure)}](#{anchor(drawing.command, drawing.figure)})"


def anchor(command: str, figure: str) -> str:
    """Where on the page a figure is."""
    return f"{command}-{figure}".replace(" ", "-")


def _wrapped(typed: str) -> str:
    """A long command goes on in a second line."""
    return typed if len(typed) < WIDE else typed.replace(" --figure", " \\\n    --figure")


def _finding(name: str) -> str:
    """The title of a picture, which states its finding, as the text for those who cannot see it."""
    match = TITLE.search((DOCS / FOLDER / name).read_text(encoding="utf-8"))
    return unescape(match[1]).replace("[", "(").replace("]", ")") if match else name
