"""Measures by their plain words, recall@5 for cR@5, where people read of them (task rag)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from textwrap import wrap
from typing import TYPE_CHECKING, Any, TypeVar

from foveal.late import pl
from foveal.measures import record_of
from foveal.rendering._table import Table
from foveal.rendering.forms.text import PARAGRAPH
from foveal.tables import columns

if TYPE_CHECKING:
    from foveal.analysis import Comparison, Gate

    Named = TypeVar("Named", Comparison, Gate)

# A sentence beside long names keeps this many columns.
NARROWEST = 30


def in_plain_words(result: Named) -> Named:
    """The result with its measures called by their plain words; itself if there are none."""
    plain = result.plain
    if not plain:
        return result
    values = {field.name: getattr(result, field.name) for field in fields(result)}
    said: dict[str, Any] = {
        name: _said(own, plain) for name, own in values.items() if isinstance(own, pl.DataFrame)
    }
    if "values" in values:
        names = [plain[name] for name in values["values"].measures]
        said["values"] = replace(values["values"], measures=names)
        said["groups"] = {name: in_plain_words(own) for name, own in values["groups"].items()}
    return replace(result, plain={}, **said)


def _said(frame: pl.DataFrame, plain: Mapping[str, str]) -> pl.DataFrame:
    """A frame with plain words for the names of measures, also at the beginning of demands."""
    name = pl.col(columns.MEASURE)
    if columns.DEMAND in frame.columns:
        rest = pl.col(columns.DEMAND).str.strip_prefix(name)
        frame = frame.with_columns(pl.concat_str(name.replace(plain), rest).alias(columns.DEMAND))
    named = {columns.MEASURE, columns.FIRST, columns.SECOND}.intersection(frame.columns)
    return frame.with_columns(pl.col(sorted(named)).replace(plain))


def legend(plain: Mapping[str, str]) -> Iterator[Table]:
    """What each measure tells, where it is called by a plain word."""
    if plain:
        rows = [[word, name, record_of(name).sentence] for name, word in plain.items()]
        header = [columns.MEASURE, "foveal's name", "what it tells"]
        yield Table(header, rows, len(header), plain=_folded([header, *rows]))


def _folded(rows: Sequence[Sequence[str]]) -> str:
    """A legend for a terminal: two names and a sentence, which goes on below itself."""
    first, second = (max(len(row[place]) for row in rows) for place in (0, 1))
    lines = []
    for word, name, sentence in rows:
        label = f"{word:<{first}}   {name:<{second}}   "
        rest = wrap(sentence, max(PARAGRAPH - len(label), NARROWEST))
        lines += [label + rest[0], *(" " * len(label) + more for more in rest[1:])]
    return "\n".join([lines[0], "─" * PARAGRAPH, *lines[1:]]) + "\n"
