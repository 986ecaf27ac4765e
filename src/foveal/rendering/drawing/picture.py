"""A picture: marks of a known size, with a title that says the finding."""

from __future__ import annotations

from collections.abc import Sequence

from foveal.frozen import frozen
from foveal.rendering.drawing.labels import cut, folded
from foveal.rendering.drawing.marks import group, number, text, written
from foveal.rendering.drawing.style import (
    DARK,
    FIGURE_TITLE,
    LIGHT,
    PANEL_HEAD,
    SPACES,
    figure_style,
)

TITLE_LINE, HEAD_LINE, SOURCE_LINE = 20, 24, 16
# A caption needs room, even above a small picture.
NARROWEST = 420
MARGIN = SPACES[2]


@frozen
class Picture:
    """Marks and the pixels that they take."""

    width: float
    height: float
    marks: str

    def framed(self, caption: str, source: str = "") -> Picture:
        """The picture under its caption and above a line that says where the numbers are from."""
        wide = max(self.width, NARROWEST)
        heads = folded(caption, wide, FIGURE_TITLE) or [""]
        foot = folded(source, wide) if source else []
        top = TITLE_LINE * len(heads) + SPACES[1]
        below = top + self.height + SPACES[0]
        marks = [
            *_paragraph(heads, TITLE_LINE - SPACES[0] - 1, TITLE_LINE, "title"),
            group([self.marks], y=top),
            *_paragraph(foot, below + SOURCE_LINE - SPACES[0], SOURCE_LINE, "muted"),
        ]
        return Picture(wide, below + SOURCE_LINE * len(foot), "".join(marks))

    def headed(self, words: str) -> Picture:
        """The picture under a line that names it among others."""
        head = text(0, HEAD_LINE - SPACES[1], cut(words, self.width, PANEL_HEAD), "head")
        return Picture(self.width, self.height + HEAD_LINE, head + group([self.marks], y=HEAD_LINE))

    def inline(self, name: str, title: str) -> str:
        """The picture inside a page, whose style sheet gives the colours."""
        return self._svg(
            f'aria-labelledby="{name}-title"><title id="{name}-title">{written(title)}</title>'
        )

    def small(self, title: str) -> str:
        """The picture as part of a line or a cell; it may appear many times on a page."""
        return self._svg(f'aria-label="{written(title)}">')

    def _svg(self, label: str) -> str:
        wide, high = number(self.width), number(self.height)
        size = f'viewBox="0 0 {wide} {high}" width="{wide}" height="{high}"'
        return f'<svg class="fig" {size} role="img" {label}{self.marks}</svg>'

    def file(self, title: str, *, dark: bool = True) -> bytes:
        """The picture as a file of its own, light or, where the reader's system is `dark`, dark."""
        wide, high = self.width + 2 * MARGIN, self.height + 2 * MARGIN
        night = f"@media (prefers-color-scheme:dark){{{figure_style(DARK)}}}" if dark else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="fig" role="img"'
            f' viewBox="0 0 {number(wide)} {number(high)}" width="{number(wide)}" height="{number(high)}">'
            f"<title>{written(title)}</title><style>{figure_style(LIGHT)}{night}</style>"
            f'<rect class="paper" width="{number(wide)}" height="{number(high)}"/>'
            f"{group([self.marks], x=MARGIN, y=MARGIN)}</svg>\n"
        ).encode()


def _paragraph(lines: Sequence[str], y: float, step: float, style: str) -> list[str]:
    return [text(0, y + step * row, line, style) for row, line in enumerate(lines)]


def beside(pictures: Sequence[Picture], *, across: int = 2, gap: float = SPACES[3]) -> Picture:
    """Pictures in rows of so many."""
    rows = [pictures[first : first + across] for first in range(0, len(pictures), across)]
    return stacked([_row(row, gap) for row in rows], gap=gap)


def stacked(pictures: Sequence[Picture], *, gap: float = SPACES[3]) -> Picture:
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
