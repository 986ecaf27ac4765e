"""Figures: their title, data and drawing, how they are saved, and the registry of their records."""

from __future__ import annotations

import importlib
import os
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from pathlib import PurePath
from types import ModuleType
from typing import Any

import numpy as np

from foveal.analysis import Comparison
from foveal.choices import Experiment, Form, Task
from foveal.errors import MissingExtra, UsageError
from foveal.files import write_bytes
from foveal.formats import rows_bytes
from foveal.frozen import frozen
from foveal.late import pl
from foveal.registry import Registry
from foveal.rendering._page_template import policy
from foveal.rendering._table import LARGEST, labels_table
from foveal.rendering.drawing import FIGURE_TITLE, Line, Picture, cut, figure_style, page_style
from foveal.rendering.forms import html
from foveal.rendering.plain_names import in_plain_words
from foveal.shown import Shown
from foveal.spans import Floats

# Pixels of a name in a title.
MAX_TITLE_NAME = 280
# Means that differ by less are equal: sums depend on the order of their terms.
EQUAL_MEANS = 1e-12
# Pixels of a PNG per point, so that it is sharp in print.
PNG_SCALE = 2.0
DATA_FORMS = {f".{form.value}": form for form in (Form.CSV, Form.TSV, Form.JSONL, Form.PARQUET)}
# Settings that a reader of a figure must know, in their order below the figure.
_SOURCE_SETTINGS = (
    *("task", "like", "topics", "assessors", "compared documents", "compared topics"),
    *("studied topics", "test", "correct"),
)
FIGURES: dict[str, Registry[FigureRecord]] = defaultdict(partial(Registry, "figure"))


@frozen(eq=False, repr=False)
class Figure:
    """A figure: its title states the finding; `draw` makes a picture of its data.

    `source` is the line below it with the settings of the numbers. A notebook shows the picture.
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
        return _WRITERS[suffix](self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the figure to a file: a picture, a page or the data, as the suffix says."""
        write_bytes(self.rendered(PurePath(path).suffix.lower()), path)

    def __repr__(self) -> str:
        return f"<Figure: {self.title}>"

    def _repr_svg_(self) -> str:
        """The picture for a notebook."""
        return _svg(self).decode()


def in_title(name: str) -> str:
    """Name of a run or topic, shortened for a title."""
    return cut(name, MAX_TITLE_NAME, FIGURE_TITLE)


def ties(values: Floats, best: float) -> int:
    """Number of values equal to the best: a title must not name one of several."""
    return int((np.abs(values - best) <= EQUAL_MEANS).sum())


def line_of(name: str, rows: pl.DataFrame, *columns: str) -> Line:
    """A line through rows, with dots: columns of x, y and, if known, the ends of error bars."""
    x, y, *bars = (rows[column].cast(pl.Float64).to_numpy() for column in columns)
    low, high = bars or (None, None)
    return Line(name, x, y, low, high, dots=True)


def source_of(settings: Mapping[str, str]) -> str:
    """The settings behind a figure, in one line."""
    return " · ".join(f"{name}: {settings[name]}" for name in _SOURCE_SETTINGS if name in settings)


def refuse_unless_drawable(suffix: str) -> None:
    """Refuse a suffix that no figure can have, or one whose converter is not installed."""
    if suffix in _CONVERTERS:
        _converter()
    elif suffix not in {*_WRITERS, *DATA_FORMS}:
        suffixes = ", ".join([*_WRITERS, *DATA_FORMS])
        target = f"as {suffix}" if suffix else "to a file without a suffix"
        raise UsageError(f"a figure cannot be written {target}: use {suffixes}")


def _converter() -> ModuleType:
    try:
        return importlib.import_module("vl_convert")
    except ImportError as error:
        raise MissingExtra("figures", "vl-convert-python") from error


def _svg(figure: Figure) -> bytes:
    return figure.picture().file(figure.title)


def _png(figure: Figure) -> bytes:
    data: bytes = _converter().svg_to_png(_for_converter(figure), scale=PNG_SCALE)
    return data


def _pdf(figure: Figure) -> bytes:
    data: bytes = _converter().svg_to_pdf(_for_converter(figure))
    return data


def _for_converter(figure: Figure) -> str:
    # Paper is light, and converters ignore what the reader's system prefers.
    return figure.picture().file(figure.title, dark=False).decode()


def _page(figure: Figure) -> bytes:
    """A page in one file: the figure, and its data as a table."""
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
        f"<details><summary>The data</summary>\n{_data_html(figure.data)}\n</details>\n"
        "</main></body>\n</html>\n"
    ).encode()


def _data_html(frame: pl.DataFrame) -> str:
    """The data as a table, or as tab-separated text if there are many."""
    if frame.height * frame.width > LARGEST:
        text = rows_bytes(frame, Form.TSV).decode()
        return f'<pre class="wide" tabindex="0">{escape(text)}</pre>'
    return html.table_html(labels_table(frame))


_CONVERTERS: dict[str, Callable[[Figure], bytes]] = {".png": _png, ".pdf": _pdf}
_WRITERS: dict[str, Callable[[Figure], bytes]] = {".svg": _svg, ".html": _page, **_CONVERTERS}


Build = Callable[..., Figure]


@frozen(eq=False)
class FigureRecord:
    """A figure that a type of result has; the kernel makes it from a result."""

    name: str
    sentence: str
    kernel: Build
    experiments: tuple[Experiment, ...] = ()
    """The experiments whose results have it; empty: every result has it."""

    measures: Callable[[Task], Sequence[str]] | None = None
    """The measures that `evaluate` scores for it if the caller names none."""

    is_offered: bool = True
    """Whether commands offer it as well as the library."""

    takes_runs: bool = False
    """Whether the caller may choose two runs to show."""


def figure_of(result: type | str, name: str, **fields: Any) -> Callable[[Build], Build]:
    """Register the decorated function as the kernel of a figure of a type of result."""
    result_name = result if isinstance(result, str) else result.__name__
    return FIGURES[result_name].registering(FigureRecord, name=name, **fields)


def figures_of(result: str, experiment: Experiment | None = None) -> Registry[FigureRecord]:
    """The figures of a type of result, named by its class, or of one experiment's results."""
    records = FIGURES[result].values() if result in FIGURES else ()
    has_all = experiment is None
    return Registry(
        "figure",
        (r for r in records if has_all or not r.experiments or experiment in r.experiments),
    )


def figure(result: Shown, name: str, *, runs: tuple[str, str] | None = None) -> Figure:
    """The figure of that name of a result; `save` draws it into a file.

    Figures are named as on the command line (`--figure`); an unknown name is answered with those
    that the result has. `runs` are the two that `differences` shows, by default the two best.

    >>> import foveal
    >>> qrels = {"1": {"a": 1}, "2": {"b": 1}}
    >>> runs = {"one": {"1": {"a": 2.0}, "2": {"b": 2.0}}, "two": {"1": {"a": 2.0}, "2": {"c": 1.0}}}
    >>> scores = foveal.evaluate(qrels, runs, "AP")
    >>> means = foveal.figure(foveal.compare(scores), "means")
    >>> means.data.select("run", "mean").rows()
    [('one', 1.0), ('two', 0.5)]
    >>> means.title
    'No difference shown between one and two: AP 1.000 and 0.500 (difference 0.500, 95 % -1.000 to 1.000)'
    >>> means.save("means.svg")  # doctest: +SKIP
    """
    result_name = type(result).__name__
    if result_name not in FIGURES:
        raise UsageError(
            f"there is no figure of {result_name}: give what evaluate, compare, agree, agree_assessors,"
            " fidelity or stability returned"
        )
    record = figures_of(result_name, getattr(result, "experiment", None)).named(name)
    if runs is not None:
        _refuse_runs(record, runs)
    run_pair = () if runs is None else (tuple(runs),)
    result_figure = record.kernel(result, *run_pair)
    if not isinstance(result, Comparison) or not result.plain:
        return result_figure
    # The data keep the names for programs.
    return replace(record.kernel(in_plain_words(result), *run_pair), data=result_figure.data)


def _refuse_runs(record: FigureRecord, runs: tuple[str, str]) -> None:
    if not record.takes_runs:
        raise UsageError(f"figure {record.name} shows all runs: only differences takes two of them")
    if len(set(runs)) != 2:
        raise UsageError(f"differences are between two runs: give two different names, got {runs}")
