"""What a figure is, and how it is saved."""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import PurePath
from types import ModuleType
from typing import Any

import polars as pl

from foveal.choices import Form
from foveal.errors import MissingExtra, UsageError
from foveal.files import write_bytes
from foveal.formats import rows_bytes
from foveal.rendering import html
from foveal.rendering._table import Table

# Pixels of a PNG per point, so that it is sharp in print.
SCALE = 2.0
DATA_FORMS = {f".{form.value}": form for form in (Form.CSV, Form.TSV, Form.JSONL, Form.PARQUET)}
# Nothing may be fetched; Vega compiles its expressions, so evaluation is allowed.
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline';"
    " img-src data:"
)


@dataclass(frozen=True, eq=False, repr=False)
class Figure:
    """A figure: its data as a table, and how Altair draws them; a notebook shows it drawn."""

    title: str
    data: pl.DataFrame
    draw: Callable[[Any, pl.DataFrame], Any]
    """Makes a chart with Altair (the first argument) of the data."""

    def specification(self) -> dict[str, Any]:
        """The figure in Vega-Lite."""
        chart = self.draw(_extra("altair"), self.data).properties(title=self.title)
        found: dict[str, Any] = chart.to_dict()
        return found

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

    def _repr_svg_(self) -> str | None:
        """What a notebook shows; without the extra that draws, nothing more than the title."""
        try:
            return self.rendered(".svg").decode()
        except MissingExtra:
            return None


def refuse_unless_drawable(suffix: str) -> None:
    """Refuse a suffix that no figure can have, or one whose library is not installed."""
    if suffix in _DRAWN:
        _extra("altair")
        _extra("vl_convert")
    elif suffix not in DATA_FORMS:
        known = ", ".join([*_DRAWN, *DATA_FORMS])
        what = f"as {suffix}" if suffix else "to a file without a suffix"
        raise UsageError(f"a figure cannot be written {what}: use {known}")


def values(alt: Any, frame: pl.DataFrame) -> Any:
    """A frame's rows as the data of a chart, however many."""
    return alt.InlineData(values=frame.to_dicts())


def words(*names: str) -> list[str]:
    """Columns as Altair takes names."""
    return [f"{name}:N" for name in names]


def numbers(*names: str) -> list[str]:
    """Columns as Altair takes numbers."""
    return [f"{name}:Q" for name in names]


def _extra(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingExtra("report", name.replace("_", "-")) from error


def _svg(figure: Figure) -> bytes:
    drawn: str = _extra("vl_convert").vegalite_to_svg(figure.specification())
    return drawn.encode()


def _png(figure: Figure) -> bytes:
    drawn: bytes = _extra("vl_convert").vegalite_to_png(figure.specification(), scale=SCALE)
    return drawn


def _page(figure: Figure) -> bytes:
    """A page that needs nothing else: the libraries, the figure, and its data as a table."""
    # A name such as </script> must not end the script; JSON may escape any character.
    safe = json.dumps(figure.specification()).replace("<", r"\u003c")
    libraries = _extra("vl_convert").javascript_bundle()
    frame = figure.data
    cells = [["" if cell is None else str(cell) for cell in row] for row in frame.iter_rows()]
    table = html.drawn(Table(frame.columns, cells, len(frame.columns)))
    return (
        '<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>{escape(figure.title)}</title><style>{html.STYLE}</style></head>\n<body>\n"
        '<div id="figure"></div>\n'
        f"<details><summary>The data</summary>\n{table}\n</details>\n"
        f"<script>{libraries}</script>\n"
        f'<script>vegaEmbed("#figure", {safe}, {{actions: false, renderer: "svg"}})</script>\n'
        "</body>\n</html>\n"
    ).encode()


_DRAWN: dict[str, Callable[[Figure], bytes]] = {".svg": _svg, ".png": _png, ".html": _page}
