"""What a figure is, how it is saved, and the records that make one of a type of result."""

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
FIGURES: dict[str, Registry[FigureRecord]] = defaultdict(partial(Registry, "figure"))


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


def line_of(name: str, rows: pl.DataFrame, *columns: str) -> Line:
    """A line with dots through rows: columns with x, y and, if known, the ends of error bars."""
    x, y, *bars = (rows[column].cast(pl.Float64).to_numpy() for column in columns)
    low, high = bars or (None, None)
    return Line(name, x, y, low, high, dots=True)


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


Build = Callable[..., Figure]


@frozen(eq=False)
class FigureRecord:
    """A figure of a type of result; the kernel makes it of a result."""

    name: str
    sentence: str
    kernel: Build
    experiments: tuple[Experiment, ...] = ()
    """The experiments whose results have it; empty: every result has it."""

    measures: Callable[[Task], Sequence[str]] | None = None
    """The measures that `evaluate` scores for it where the caller names none."""

    offered: bool = True
    """Whether commands offer it, or the library alone."""

    takes_runs: bool = False
    """Whether it shows two runs, which can be chosen."""


def figure_of(result: type | str, name: str, **fields: Any) -> Callable[[Build], Build]:
    """Register the decorated function as what makes a figure of a type of result."""
    kind = result if isinstance(result, str) else result.__name__
    return FIGURES[kind].registering(FigureRecord, name=name, **fields)


def figures_of(result: str, experiment: Experiment | None = None) -> Registry[FigureRecord]:
    """The figures of a type of result, given by its name, or of one experiment's results."""
    own = FIGURES[result].values() if result in FIGURES else ()
    every = experiment is None
    return Registry(
        "figure",
        (one for one in own if every or not one.experiments or experiment in one.experiments),
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
    kind = type(result).__name__
    if kind not in FIGURES:
        raise UsageError(
            f"there is no figure of {kind}: give what evaluate, compare, agree, agree_assessors,"
            " fidelity or stability returned"
        )
    record = figures_of(kind, getattr(result, "experiment", None)).named(name)
    if runs is not None:
        _refuse_runs(record, runs)
    chosen = () if runs is None else (tuple(runs),)
    made = record.kernel(result, *chosen)
    if not isinstance(result, Comparison) or not result.plain:
        return made
    # The data keep the names that programs know.
    return replace(record.kernel(in_plain_words(result), *chosen), data=made.data)


def _refuse_runs(record: FigureRecord, runs: tuple[str, str]) -> None:
    if not record.takes_runs:
        raise UsageError(f"figure {record.name} shows all runs: only differences takes two of them")
    if len(set(runs)) != 2:
        raise UsageError(f"differences are between two runs: give two different names, got {runs}")
