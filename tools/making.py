"""Parts of the documentation that are generated: sections of pages, whole pages, and drawings.

A page names a section between two marks, and whatever is between them is made anew. A whole page is made
of nothing else, and its folder has no other pages; the same holds for drawings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import zip_longest

from tools.pages import DOCS

MARKED = re.compile(
    r"(?P<begin><!-- make docs: (?P<section>[a-z ]+) -->\n).*?(?P<end><!-- end -->\n)", re.DOTALL
)
MADE = "<!-- Made by `make docs` from the program's records: change those, not this page. -->"

Lines = Iterable[str]
# The path of a page, as seen from `docs`, and its text.
Page = tuple[str, str]
SECTIONS: dict[str, Callable[[], Lines]] = {}
WHOLE_PAGES: dict[str, Callable[[], Iterator[Page]]] = {}
# The drawings of a folder of `docs`: each name with what draws it.
Drawings = dict[str, Callable[[], bytes]]
DRAWINGS: dict[str, Drawings] = {}


def section(name: str) -> Callable[[Callable[[], Lines]], Callable[[], Lines]]:
    """Register the decorated function as what makes a section."""

    def register(make: Callable[[], Lines]) -> Callable[[], Lines]:
        SECTIONS[name] = make
        return make

    return register


def whole_pages(
    folder: str,
) -> Callable[[Callable[[], Iterator[Page]]], Callable[[], Iterator[Page]]]:
    """Register the decorated function as what makes all pages of a folder of `docs`."""

    def register(make: Callable[[], Iterator[Page]]) -> Callable[[], Iterator[Page]]:
        WHOLE_PAGES[folder] = make
        return make

    return register


def filled(page: str) -> str:
    """A page with all its sections made anew."""

    def with_lines(match: re.Match[str]) -> str:
        lines = "\n".join(SECTIONS[match["section"]]()).rstrip("\n")
        return f"{match['begin']}\n{lines}\n\n{match['end']}"

    return MARKED.sub(with_lines, page)


def write_whole_pages() -> None:
    """Write the pages of every folder that is made, and remove those that are no longer."""
    for folder, make in WHOLE_PAGES.items():
        texts = dict(make())
        for page in (DOCS / folder).glob("*.md"):
            if str(page.relative_to(DOCS)) not in texts:
                page.unlink()
        for name, text in texts.items():
            (DOCS / name).parent.mkdir(parents=True, exist_ok=True)
            (DOCS / name).write_text(f"{MADE}\n\n{text}", encoding="utf-8")


def write_drawings() -> None:
    """Draw everything that is drawn by the program, and remove what no longer is."""
    for folder, drawings in DRAWINGS.items():
        (DOCS / folder).mkdir(parents=True, exist_ok=True)
        for file in (DOCS / folder).iterdir():
            if file.name not in drawings:
                file.unlink()
        for name, draw in drawings.items():
            (DOCS / folder / name).write_bytes(draw())


def page_text(lines: Lines) -> str:
    """A page of lines, with never more than one blank line."""
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip("\n") + "\n"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The lines of a table."""
    for row in (header, ["---"] * len(header), *rows):
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"


def aligned(rows: Sequence[Sequence[str]]) -> str:
    """Rows as lines of plain text, in columns two blanks apart; a row may have fewer cells."""
    widths = [max(map(len, column)) for column in zip_longest(*rows, fillvalue="")]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False))
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def code(text: str) -> str:
    """A text as it is typed."""
    return f"`{text}`" if text else ""


def block(text: str) -> Iterator[str]:
    """The lines of a block of plain text."""
    yield from ["```text", *text.rstrip("\n").split("\n"), "```", ""]


# What is code already, and options of a command with the word for their value.
_TYPED = re.compile(r"(`[^`]*`|(?<![\w-])--?[A-Za-z][\w-]*(?: [A-Z]{2,}\b)?)")


def prose(text: str) -> str:
    """Plain text as Markdown: options look like code, and nothing in it is taken for markup."""
    parts = _TYPED.split(text)
    for index, part in enumerate(parts):
        if index % 2:
            parts[index] = part if part.startswith("`") else code(part)
        else:
            parts[index] = re.sub(r"([*{}])", r"\\\1", part).replace("<", "&lt;")
    return "".join(parts)
