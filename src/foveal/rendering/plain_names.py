"""Plain names of measures for readers in task rag: recall@5 for cR@5."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from textwrap import wrap
from typing import TYPE_CHECKING, Any, TypeVar

from foveal.late import pl
from foveal.measures import record_of
from foveal.rendering._table import Table
from foveal.rendering.forms.text import PARAGRAPH
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.analysis import Comparison, Gate

    ResultT = TypeVar("ResultT", Comparison, Gate)

# However long the names are, the sentence keeps this many columns.
MIN_SENTENCE_WIDTH = 30


def in_plain_words(result: ResultT) -> ResultT:
    """The result with the plain names of its measures; the result itself if they have none."""
    plain = result.plain
    if not plain:
        return result
    values = {field.name: getattr(result, field.name) for field in fields(result)}
    update: dict[str, Any] = {
        name: _with_plain_names(value, plain)
        for name, value in values.items()
        if isinstance(value, pl.DataFrame)
    }
    if "values" in values:
        names = [plain[name] for name in values["values"].measures]
        update["values"] = replace(values["values"], measures=names)
        update["groups"] = {name: in_plain_words(group) for name, group in values["groups"].items()}
    return replace(result, plain={}, **update)


def _with_plain_names(frame: pl.DataFrame, plain: Mapping[str, str]) -> pl.DataFrame:
    """A frame with plain names of measures, also at the beginning of demands."""
    name = pl.col(c.MEASURE)
    if c.DEMAND in frame.columns:
        rest = pl.col(c.DEMAND).str.strip_prefix(name)
        frame = frame.with_columns(pl.concat_str(name.replace(plain), rest).alias(c.DEMAND))
    name_columns = {c.MEASURE, c.FIRST, c.SECOND}.intersection(frame.columns)
    return frame.with_columns(pl.col(sorted(name_columns)).replace(plain))


def legend(plain: Mapping[str, str]) -> Iterator[Table]:
    """The meaning of each measure that has a plain name."""
    if plain:
        rows = [[word, name, record_of(name).sentence] for name, word in plain.items()]
        header = [c.MEASURE, "foveal's name", "what it tells"]
        yield Table(header, rows, len(header), terminal_text=_terminal_legend([header, *rows]))


def _terminal_legend(rows: Sequence[Sequence[str]]) -> str:
    """A legend for a terminal: two names and a sentence, which is wrapped in its column."""
    word_width, name_width = (max(len(row[column]) for row in rows) for column in (0, 1))
    lines = []
    for word, name, sentence in rows:
        label = f"{word:<{word_width}}   {name:<{name_width}}   "
        wrapped = wrap(sentence, max(PARAGRAPH - len(label), MIN_SENTENCE_WIDTH))
        lines += [label + wrapped[0], *(" " * len(label) + line for line in wrapped[1:])]
    return "\n".join([lines[0], "─" * PARAGRAPH, *lines[1:]]) + "\n"
