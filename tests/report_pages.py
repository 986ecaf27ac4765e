"""Reports as pages read back: their data, their tables, their sentences."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lxml import etree, html


@dataclass(frozen=True, eq=False)
class ReadPage:
    """A page as a reader has it."""

    root: html.HtmlElement

    @classmethod
    def of(cls, page: bytes) -> ReadPage:
        """The page in some bytes."""
        return cls(html.document_fromstring(page))

    @cached_property
    def figures(self) -> dict[str, Any]:
        """The numbers that are shown under the pointer."""
        found: dict[str, Any] = json.loads(self.root.get_element_by_id("data").text)["figures"]
        return found

    @property
    def sections(self) -> list[str]:
        """The names of the sections."""
        return [str(found.get("id")) for found in self.root.iter("section")]

    def words(self, section: str) -> str:
        """All text of a section."""
        return " ".join(self.root.get_element_by_id(section).text_content().split())

    def board(self) -> dict[str, dict[str, tuple[str, float]]]:
        """By run and head of the leaderboard, the number as shown and as sorted."""
        table = self.root.get_element_by_id("board")
        heads = [_text(head) for head in table.iterfind("thead//th")]
        found = {}
        for row in table.iterfind("tbody/tr"):
            cells = dict(zip(heads, row, strict=True))
            found[_text(cells["run"])] = {
                head: (_text(cell), float(cell.get("data-value") or "nan"))
                for head, cell in cells.items()
                if "data-value" in cell.attrib
            }
        return found

    def tables(self, place: str) -> list[list[dict[str, str]]]:
        """The rows of the tables in a section or figure, also of those that are plain text."""
        return list(self._tables(self.root.get_element_by_id(place)))

    def _tables(self, place: html.HtmlElement) -> Iterator[list[dict[str, str]]]:
        for found in place.iter("table", "pre"):
            if found.tag == "pre":
                lines = [line.split("\t") for line in (found.text or "").split("\n")]
            else:
                lines = [[_text(cell) for cell in row] for row in found.iter("tr")]
            head, *rows = lines
            yield [dict(zip(head, row, strict=True)) for row in rows]


def _text(element: etree._Element) -> str:
    return "".join(map(str, element.itertext()))
