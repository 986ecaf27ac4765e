"""A picture: marks of a known size, with a title that says the finding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

from foveal.rendering.drawing.labels import width as text_width
from foveal.rendering.drawing.marks import group, number, text, written
from foveal.rendering.drawing.tokens import DARK, LIGHT, SPACES, figure_style

TITLE_SIZE, TITLE_LINE, SOURCE_LINE = 15, 20, 16
MARGIN = SPACES[2]


@dataclass(frozen=True)
class Picture:
    """Marks of a known size; `caption` and `source` frame them when they are drawn."""

    width: float
    height: float
    marks: str

    def framed(self, caption: str, source: str = "") -> Picture:
        """The picture under its caption and above a line that says where the numbers are from."""
        letters = max(int(self.width / text_width("n", TITLE_SIZE)), 20)
        heads = wrap(caption, letters) or [""]
        foot = wrap(source, max(int(self.width / text_width("n")), 20)) if source else []
        top = TITLE_LINE * len(heads) + SPACES[1]
        marks = [
            *(
                text(0, TITLE_LINE * (row + 1) - SPACES[0], line, "title")
                for row, line in enumerate(heads)
            ),
            group([self.marks], y=top),
            *(
                text(0, top + self.height + SOURCE_LINE * (row + 1), line, "muted")
                for row, line in enumerate(foot)
            ),
        ]
        return Picture(
            self.width, top + self.height + SOURCE_LINE * len(foot) + SPACES[0], "".join(marks)
        )

    def inline(self, name: str, title: str) -> str:
        """The picture inside a page, whose style sheet gives the colours."""
        return (
            f'<svg class="fig" viewBox="0 0 {number(self.width)} {number(self.height)}"'
            f' width="{number(self.width)}" height="{number(self.height)}"'
            f' role="img" aria-labelledby="{name}-title"><title id="{name}-title">{written(title)}</title>'
            f"{self.marks}</svg>"
        )

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
