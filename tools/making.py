"""What the documentation takes from the program: sections of pages, and whole pages.

A page names a section between two marks, and whatever is between them is made anew. A whole page is made
of nothing else, and its folder has no other pages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

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

    def made(found: re.Match[str]) -> str:
        lines = "\n".join(SECTIONS[found["section"]]()).rstrip("\n")
        return f"{found['begin']}\n{lines}\n\n{found['end']}"

    return MARKED.sub(made, page)


def write_whole_pages() -> None:
    """Write the pages of every folder that is made, and remove those that are no longer."""
    for folder, make in WHOLE_PAGES.items():
        made = dict(make())
        for page in (DOCS / folder).glob("*.md"):
            if str(page.relative_to(DOCS)) not in made:
                page.unlink()
        for name, text in made.items():
            (DOCS / name).parent.mkdir(parents=True, exist_ok=True)
            (DOCS / name).write_text(f"{MADE}\n\n{text}", encoding="utf-8")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The lines of a table."""
    for row in (header, ["---"] * len(header), *rows):
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"


def code(text: str) -> str:
    """A text as it is typed."""
    return f"`{text}`" if text else ""
