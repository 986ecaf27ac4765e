"""Lines of fields separated by blanks, as a frame with physical line numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from foveal.errors import BadInput, Problem, counted, shortened
from foveal.files import safe_from_polars
from foveal.formats._separators import NEWLINE, RETURN, regular
from foveal.frozen import frozen
from foveal.late import pl
from foveal.spans import LARGEST_OFFSET
from foveal.tables import columns as c
from foveal.work import threaded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foveal.files import Block, Source

TO_BLANKS = bytes.maketrans(b"\t\r", b"  ")


@frozen
class Layout:
    """The fields of a line, in order; those named "" are skipped.

    Lines have at least `least` fields. Fields in `numbers` must be finite numbers. The rank may be
    any text, because other programs ignore it. With `rest`, the last field takes all that follow.
    """

    names: tuple[str, ...]
    least: int
    numbers: tuple[str, ...] = ()
    rest: bool = False

    @property
    def expected(self) -> str:
        """How many columns a line may have, in words."""
        if self.rest:
            return f"at least {self.least}"
        return " or ".join(str(width) for width in range(self.least, len(self.names) + 1))

    @property
    def kept(self) -> list[str]:
        """The columns of the frame."""
        return [name for name in self.names if name and name != c.TAG]

    @property
    def types(self) -> dict[str, type[pl.DataType]]:
        """The columns that are not text."""
        types: dict[str, type[pl.DataType]] = dict.fromkeys(self.numbers, pl.Float64)
        if c.RANK in self.names:
            types[c.RANK] = pl.Int64
        return types

    def schema(self, *, typed: bool) -> dict[str, type[pl.DataType]]:
        """The types in which to parse: numbers as such, or all as text."""
        schema: dict[str, type[pl.DataType]] = {
            name or f"field {place}": pl.String for place, name in enumerate(self.names)
        }
        return schema | self.types if typed else schema


@frozen
class Fields:
    """The lines of a file that have the right number of fields, and what is wrong with the others.

    `frame` has the layout's columns and the line, but no rank unless every line has one. `tag`
    is the run tag if all lines agree, `last_tag` the one of the last line.
    """

    frame: pl.DataFrame
    problems: list[Problem]
    tag: str | None
    last_tag: str | None


def fields(source: Source, layout: Layout) -> Fields:
    """Read all lines of a file into columns."""
    is_regular = not layout.rest

    def read(block: Block) -> tuple[pl.DataFrame, list[Problem], list[str]]:
        nonlocal is_regular
        problems: list[Problem] = []
        frame = _quickly(block, layout) if is_regular else None
        if frame is None:
            is_regular = False
            frame, problems = _carefully(block, layout)
        frame, odd = _with_numbers(frame, layout)
        tags = _some_tags(frame, layout)
        return frame.select(*layout.kept, c.LINE), problems + odd, tags

    blocks = list(threaded(read, source.blocks()))
    table = pl.concat([frame for frame, _, _ in blocks] or [_no_lines(layout)], rechunk=False)
    if c.RANK in layout.names and table[c.RANK].null_count():
        table = table.drop(c.RANK)
    problems = [problem for _, found, _ in blocks for problem in found]
    tags = [tag for _, _, found in blocks for tag in found]
    return Fields(
        table, problems, tags[0] if len(set(tags)) == 1 else None, tags[-1] if tags else None
    )


def refuse(source: Source, problems: Sequence[Problem]) -> None:
    """Raise the problems of a file, sorted by line, if there are any."""
    if problems:
        raise BadInput(source.name, sorted(problems, key=lambda problem: problem.line or 0))


def problems_where(
    bad: pl.Series, lines: pl.Series, column: pl.Series, reason: str
) -> list[Problem]:
    """A problem for each bad row; `{}` in the reason is replaced by its value."""
    if not bad.any():
        return []
    rows = bad.fill_null(value=False).arg_true()
    values = column.gather(rows).cast(pl.String).to_list()
    return [
        Problem(line, reason.format(repr(shortened(value, 40))))
        for line, value in zip(lines.gather(rows).to_list(), values, strict=True)
    ]


def offsets(
    column: pl.Series, lines: pl.Series, *, skipped: pl.Series | None = None
) -> tuple[pl.Series, list[Problem]]:
    """Text as offsets, null where skipped, and a problem for each line without a valid offset."""
    if skipped is not None:
        column = column.set(skipped, None)
    name = column.name
    is_whole = column.str.contains(r"^-?[0-9]+$")
    number = column.cast(pl.Int64, strict=False)
    # What does not fit 64 bits is beyond every bound, whatever its sign.
    outside = is_whole & (number.is_null() | (number < 0) | (number > LARGEST_OFFSET))
    problems = problems_where(~is_whole, lines, column, name + " is {}, not a whole number")
    if outside.any():
        negative = column.str.starts_with("-")
        limit = f" is {{}}, must be at most {LARGEST_OFFSET:,}"
        problems += problems_where(
            outside & negative, lines, column, name + " is {}, must not be negative"
        )
        problems += problems_where(outside & ~negative, lines, column, name + limit)
    return number, problems


def _quickly(block: Block, layout: Layout) -> pl.DataFrame | None:
    """The frame of a block whose fields are all separated by single characters, else None.

    Polars fills missing fields with nulls and refuses extra ones. So the frame is right if it has
    as many rows as the block has lines, and no nulls; for that, Polars must parse all columns.
    """
    frame = _parsed(_blanks_for_tabs(block.data), " ", layout, block.first_line)
    if frame is None or frame.height != block.lines:
        return None
    # The line's number comes first.
    required = frame.columns[1 : layout.least + 1]
    if any(frame[name].null_count() for name in required):
        return None
    if frame[required[0]].str.starts_with("#").any():
        return None
    return frame


def _blanks_for_tabs(data: bytes) -> bytes:
    """The block with blanks instead of tabs, and without carriage returns at the ends of lines."""
    if b"\r" in data:
        array = np.frombuffer(data, dtype=np.uint8)
        returns = np.flatnonzero(array == RETURN)
        ends_lines = bool(np.all(array[returns + 1] == NEWLINE))
        return data.translate(TO_BLANKS, b"\r" if ends_lines else b"")
    return data.replace(b"\t", b" ")


def _carefully(block: Block, layout: Layout) -> tuple[pl.DataFrame, list[Problem]]:
    """The frame of any block, and a problem for each line with too few or too many fields."""
    lines = regular(block.data, layout.least, len(layout.names), rest=layout.rest)
    frame = _parsed(lines.data, "\t", layout) if lines.data else None
    if frame is None:
        frame = pl.DataFrame(schema=layout.schema(typed=True))
    problems = [
        Problem(line, f"{counted(width, 'column')}, expected {layout.expected}")
        for line, width in zip(
            (lines.odd + block.first_line).tolist(), lines.odd_width.tolist(), strict=True
        )
    ]
    number = pl.Series(c.LINE, lines.line + block.first_line, dtype=pl.UInt32)
    return frame.rechunk().with_columns(number), problems


def _parsed(
    data: bytes, separator: str, layout: Layout, first_line: int = 0
) -> pl.DataFrame | None:
    """The columns of a block, as text if a number is invalid, and the line."""
    for typed in (True, False):
        try:
            return pl.read_csv(
                safe_from_polars(data),
                has_header=False,
                separator=separator,
                quote_char=None,
                schema=layout.schema(typed=typed),
                # Polars counts columns in the first line, which may be a short one.
                missing_columns="insert",
                row_index_name=c.LINE,
                row_index_offset=first_line,
            )
        except pl.exceptions.PolarsError:
            continue
    return None


def _with_numbers(frame: pl.DataFrame, layout: Layout) -> tuple[pl.DataFrame, list[Problem]]:
    """The frame with its numbers as numbers, and a problem for each invalid one."""
    problems: list[Problem] = []
    for name in layout.numbers:
        number = frame[name].cast(pl.Float64, strict=False)
        bad = ~number.is_finite().fill_null(value=False)
        if bad.any():
            reason = name + " is {}, not a finite number" + _hint(frame[name].filter(bad), name)
            problems += problems_where(bad, frame[c.LINE], frame[name], reason)
    typed = [pl.col(name).cast(dtype, strict=False) for name, dtype in layout.types.items()]
    return frame.with_columns(typed), problems


def _hint(column: pl.Series, name: str) -> str:
    """A hint at why texts are not numbers."""
    texts = column.cast(pl.String)
    if texts.str.contains(r"^-?[0-9]+,[0-9]+$").any():
        return " (write a decimal point, not a comma)"
    return " (remove the header)" if (texts == name).any() else ""


def _some_tags(frame: pl.DataFrame, layout: Layout) -> list[str]:
    """One tag if all are the same, else two of them, the last line's at the end."""
    if c.TAG not in layout.names:
        return []
    tags = frame[c.TAG].drop_nulls()
    if layout.rest:
        tags = tags.str.extract(r"^([^ ]*)")
    last = tags.tail(1)
    return [*tags.filter(tags != last).head(1), *last]


def _no_lines(layout: Layout) -> pl.DataFrame:
    schema = layout.schema(typed=True) | {c.LINE: pl.UInt32}
    return pl.DataFrame(schema=schema).select(*layout.kept, c.LINE)
