"""A picture: marks and their size; it can be framed with a title and a source."""

from __future__ import annotations

from collections.abc import Sequence

from foveal.frozen import frozen
from foveal.rendering.drawing.labels import cut, wrapped
from foveal.rendering.drawing.marks import escaped, group, number, text
from foveal.rendering.drawing.style import DARK, FIGURE_TITLE, GAPS, LIGHT, PANEL_HEAD, figure_style

TITLE_LINE, HEAD_LINE, SOURCE_LINE = 20, 24, 16
# A caption needs room, even above a small picture.
MIN_WIDTH = 420
MARGIN = GAPS[2]


@frozen
class Picture:
    """Marks and their size in pixels."""

    width: float
    height: float
    marks: str

    def framed(self, caption: str, source: str = "") -> Picture:
        """The picture between its caption and a line with the source of the numbers."""
        width = max(self.width, MIN_WIDTH)
        title_lines = wrapped(caption, width, FIGURE_TITLE) or [""]
        source_lines = wrapped(source, width) if source else []
        top = TITLE_LINE * len(title_lines) + GAPS[1]
        source_y = top + self.height + GAPS[0]
        marks = [
            *_paragraph(title_lines, TITLE_LINE - GAPS[0] - 1, TITLE_LINE, "title"),
            group([self.marks], y=top),
            *_paragraph(source_lines, source_y + SOURCE_LINE - GAPS[0], SOURCE_LINE, "muted"),
        ]
        return Picture(width, source_y + SOURCE_LINE * len(source_lines), "".join(marks))

    def headed(self, heading: str) -> Picture:
        """The picture under its heading, among other pictures."""
        mark = text(0, HEAD_LINE - GAPS[1], cut(heading, self.width, PANEL_HEAD), "head")
        return Picture(self.width, self.height + HEAD_LINE, mark + group([self.marks], y=HEAD_LINE))

    def inline(self, name: str, title: str) -> str:
        """The picture inside a page, with colours from its style sheet."""
        return self._svg(
            f'aria-labelledby="{name}-title"><title id="{name}-title">{escaped(title)}</title>'
        )

    def small(self, title: str) -> str:
        """The picture as part of a line or a cell; it may appear many times on a page."""
        return self._svg(f'aria-label="{escaped(title)}">')

    def _svg(self, label: str) -> str:
        width, height = number(self.width), number(self.height)
        size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        return f'<svg class="fig" {size} role="img" {label}{self.marks}</svg>'

    def file(self, title: str, *, dark: bool = True) -> bytes:
        """The picture as a file; with `dark`, it is dark where the reader's system is."""
        width, height = self.width + 2 * MARGIN, self.height + 2 * MARGIN
        dark_style = f"@media (prefers-color-scheme:dark){{{figure_style(DARK)}}}" if dark else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="fig" role="img"'
            f' viewBox="0 0 {number(width)} {number(height)}" width="{number(width)}" height="{number(height)}">'
            f"<title>{escaped(title)}</title><style>{figure_style(LIGHT)}{dark_style}</style>"
            f'<rect class="paper" width="{number(width)}" height="{number(height)}"/>'
            f"{group([self.marks], x=MARGIN, y=MARGIN)}</svg>\n"
        ).encode()


def _paragraph(lines: Sequence[str], y: float, step: float, style: str) -> list[str]:
    return [text(0, y + step * row, line, style) for row, line in enumerate(lines)]


def grid(pictures: Sequence[Picture], *, columns: int = 2, gap: float = GAPS[3]) -> Picture:
    """Pictures in rows of `columns` each."""
    rows = [pictures[first : first + columns] for first in range(0, len(pictures), columns)]
    return stacked([_row(row, gap) for row in rows], gap=gap)


def stacked(pictures: Sequence[Picture], *, gap: float = GAPS[3]) -> Picture:
    """Pictures one below the other."""
    marks, y = [], 0.0
    for picture in pictures:
        marks.append(group([picture.marks], y=y))
        y += picture.height + gap
    return Picture(max(picture.width for picture in pictures), y - gap, "".join(marks))


def _row(pictures: Sequence[Picture], gap: float) -> Picture:
    marks, x = [], 0.0
    for picture in pictures:
        marks.append(group([picture.marks], x=x))
        x += picture.width + gap
    return Picture(x - gap, max(picture.height for picture in pictures), "".join(marks))
