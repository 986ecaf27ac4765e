"""What a figure is, and how it is saved."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Mapping
from html import escape
from pathlib import PurePath
from types import ModuleType

import numpy as np

from foveal.choices import Form
from foveal.errors import MissingExtra, UsageError
from foveal.files import write_bytes
from foveal.formats import rows_bytes
from foveal.frozen import frozen
from foveal.late import pl
from foveal.rendering import html
from foveal.rendering._pages import policy
from foveal.rendering._table import LARGEST, labels_table
from foveal.rendering.drawing import FIGURE_TITLE, Picture, cut, figure_style, page_style
from foveal.spans import Floats

# Pixels of a name in a title.
LONGEST_NAME = 280
# Means that differ by less are equal: the order of adding makes a difference.
TIED = 1e-12
# Pixels of a PNG per point, so that it is sharp in print.
SCALE = 2.0
DATA_FORMS = {f".{form.value}": form for form in (Form.CSV, Form.TSV, Form.JSONL, Form.PARQUET)}
# Settings that a reader of a figure must know, in the order of the line below it.
_TOLD = (
    *("task", "like", "topics", "assessors", "compared documents", "compared topics"),
    *("studied topics", "test", "correct"),
)


@frozen(eq=False, repr=False)
class Figure:
    """A figure: a title that says the finding, its data, and how they are drawn.

    `source` says below it what the numbers were made of. A notebook shows it drawn.
    """

    title: str
    data: pl.DataFrame
    draw: Callable[[], Picture]
    source: str = ""

    def picture(self) -> Picture:
        """The figure with its title and its source."""
        return self.draw().framed(self.title, self.source)

    def rendered(self, suffix: str) -> bytes:
        """The bytes of a file with that suffix: a picture, a page or the data."""
        refuse_unless_drawable(suffix)
        if suffix in DATA_FORMS:
            return rows_bytes(self.data, DATA_FORMS[suffix])
        return _DRAWN[suffix](self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the figure to a file: a picture, a page or the data, as the suffix says."""
        write_bytes(self.rendered(PurePath(path).suffix.lower()), path)

    def __repr__(self) -> str:
        return f"<Figure: {self.title}>"

    def _repr_svg_(self) -> str:
        """What a notebook shows."""
        return _svg(self).decode()


def in_title(name: str) -> str:
    """A run's or topic's name as a title holds it: not too long."""
    return cut(name, LONGEST_NAME, FIGURE_TITLE)


def as_good(values: Floats, best: float) -> int:
    """How many values are no worse than the best one: a title must not name one of several."""
    return int((np.abs(values - best) <= TIED).sum())


def source_of(settings: Mapping[str, str]) -> str:
    """What a figure's numbers were made of, in one line."""
    return " · ".join(f"{name}: {settings[name]}" for name in _TOLD if name in settings)


def refuse_unless_drawable(suffix: str) -> None:
    """Refuse a suffix that no figure can have, or one whose converter is not installed."""
    if suffix in _CONVERTED:
        _converter()
    elif suffix not in {*_DRAWN, *DATA_FORMS}:
        known = ", ".join([*_DRAWN, *DATA_FORMS])
        what = f"as {suffix}" if suffix else "to a file without a suffix"
        raise UsageError(f"a figure cannot be written {what}: use {known}")


def _converter() -> ModuleType:
    try:
        return importlib.import_module("vl_convert")
    except ImportError as error:
        raise MissingExtra("figures", "vl-convert-python") from error


def _svg(figure: Figure) -> bytes:
    return figure.picture().file(figure.title)


def _png(figure: Figure) -> bytes:
    drawn: bytes = _converter().svg_to_png(_for_converter(figure), scale=SCALE)
    return drawn


def _pdf(figure: Figure) -> bytes:
    drawn: bytes = _converter().svg_to_pdf(_for_converter(figure))
    return drawn


def _for_converter(figure: Figure) -> str:
    # Paper is light, and converters do not know what the reader's system prefers.
    return figure.picture().file(figure.title, dark=False).decode()


def _page(figure: Figure) -> bytes:
    """A page that needs nothing else: the figure, and its data as a table."""
    style = f"{page_style()}{figure_style()}{html.STYLE}"
    source = f"<figcaption>{escape(figure.source)}</figcaption>" if figure.source else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(style=style)}">'
        f"<title>{escape(figure.title)}</title><style>{style}</style></head>\n<body><main>\n"
        f"<h1>{escape(figure.title)}</h1>\n"
        f'<figure><div class="wide" tabindex="0">{figure.draw().inline("figure", figure.title)}</div>'
        f"{source}</figure>\n"
        f"<details><summary>The data</summary>\n{_data(figure.data)}\n</details>\n"
        "</main></body>\n</html>\n"
    ).encode()


def _data(frame: pl.DataFrame) -> str:
    """The data as a table, or as tab-separated text if they are many."""
    if frame.height * frame.width > LARGEST:
        told = rows_bytes(frame, Form.TSV).decode()
        return f'<pre class="wide" tabindex="0">{escape(told)}</pre>'
    return html.drawn(labels_table(frame))


_CONVERTED: dict[str, Callable[[Figure], bytes]] = {".png": _png, ".pdf": _pdf}
_DRAWN: dict[str, Callable[[Figure], bytes]] = {".svg": _svg, ".html": _page, **_CONVERTED}
