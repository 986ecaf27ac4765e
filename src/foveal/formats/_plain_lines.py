"""Reads and writes lines of fields that are separated by blanks."""

from __future__ import annotations

from collections.abc import Sequence

from foveal.errors import BadInput, DataError, Problem, counted, shortened
from foveal.files import Block, Source
from foveal.frozen import frozen
from foveal.late import pl
from foveal.spans import LARGEST_OFFSET
from foveal.tables import columns as c
from foveal.work import threaded

TO_BLANKS = bytes.maketrans(b"\t\r", b"  ")
# Polars copies a block several times; copies of small blocks reuse the memory of earlier ones.
BLOCK_SIZE = 2 << 20
# At the start of a line, readers take # for a comment and U+FEFF for a byte-order mark.
UNWRITABLE = r"[ \t\r\n]|^$"
UNWRITABLE_FIRST = r"^[#\x{feff}]"


@frozen
class Layout:
    """Fields of a line, in order; those named "" are skipped.

    Lines have at least `minimum` fields. Fields in `numbers` must be finite numbers. The rank may
    be any text, because other programs ignore it. With `rest`, the last field takes all that follow.
    """

    names: tuple[str, ...]
    minimum: int
    numbers: tuple[str, ...] = ()
    rest: bool = False

    @property
    def expected(self) -> str:
        """Phrase for the number of columns that a line may have."""
        if self.rest:
            return f"at least {self.minimum}"
        return " or ".join(str(width) for width in range(self.minimum, len(self.names) + 1))


@frozen
class LineFields:
    """Lines of a file with the right number of fields, and the problems of the others.

    `frame` has the layout's columns and the line, but no rank unless every line has one. `tag`
    is the run tag of the last line.
    """

    frame: pl.DataFrame
    problems: list[Problem]
    tag: str


def fields(source: Source, layout: Layout) -> LineFields:
    """Read all lines of a file into columns."""

    def read(block: Block) -> tuple[pl.DataFrame, list[Problem], list[str]]:
        frame, problems = _split(block, layout)
        tags = [*frame[c.TAG].tail(1)] if c.TAG in layout.names else []
        return frame.drop(c.TAG, strict=False), problems, tags

    # A file without lines has columns all the same.
    blocks = list(threaded(read, source.blocks(BLOCK_SIZE))) or [read(Block(b"", 1, 0))]
    table = pl.concat([frame for frame, _, _ in blocks], rechunk=False)
    if c.RANK in layout.names and table[c.RANK].null_count():
        table = table.drop(c.RANK)
    problems = [problem for _, block_problems, _ in blocks for problem in block_problems]
    tags = [tag for _, _, block_tags in blocks for tag in block_tags]
    return LineFields(table, problems, tags[-1] if tags else "")


def _split(block: Block, layout: Layout) -> tuple[pl.DataFrame, list[Problem]]:
    """Columns of a block with the numbers of its lines, and the problems of lines and numbers."""
    data = block.data.translate(TO_BLANKS)
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    text = pl.Series(c.TEXT, [data.decode()]).str.split("\n").explode().str.strip_chars(" ")
    has_data = (text != "") & ~text.str.starts_with("#")
    lines = text.to_frame().with_row_index(c.LINE, block.first_line).filter(has_data)
    width = lines[c.TEXT].str.count_matches(" ", literal=True) + 1
    fits = (width >= layout.minimum) & ((width <= len(layout.names)) | layout.rest)
    problems = [
        Problem(line, f"{counted(count, 'column')}, expected {layout.expected}")
        for line, count in zip(lines[c.LINE].filter(~fits), width.filter(~fits), strict=True)
    ]
    lines = lines.filter(fits)
    # The last field has the rest of its line.
    words = lines[c.TEXT].str.splitn(" ", len(layout.names)).struct.unnest()
    series = [word.alias(name) for name, word in zip(layout.names, words, strict=True) if name]
    frame = pl.DataFrame([*series, lines[c.LINE]])
    for name in layout.numbers:
        texts, number = frame[name], frame[name].cast(pl.Float64, strict=False)
        is_invalid = ~number.is_finite().fill_null(value=False)
        reason = name + " is {}, not a finite number" + _hint(texts.filter(is_invalid), name)
        problems += problems_where(is_invalid, frame[c.LINE], texts, reason)
        frame = frame.with_columns(number)
    if c.RANK in layout.names:
        frame = frame.with_columns(pl.col(c.RANK).cast(pl.Int64, strict=False))
    return frame, problems


def _hint(texts: pl.Series, name: str) -> str:
    """Hint why texts are not numbers."""
    if texts.str.contains(r"^-?[0-9]+,[0-9]+$").any():
        return " (write a decimal point, not a comma)"
    return " (remove the header)" if (texts == name).any() else ""


def refuse(source: Source, problems: Sequence[Problem]) -> None:
    """Raise the problems of a file, sorted by line, if there are any."""
    if problems:
        raise BadInput(source.name, sorted(problems, key=lambda problem: problem.line or 0))


def problems_where(
    is_invalid: pl.Series, lines: pl.Series, column: pl.Series, reason: str
) -> list[Problem]:
    """Problem for each invalid row; `{}` in the reason is replaced by its text."""
    return [
        Problem(line, reason.format(repr(shortened(text, 40))))
        for line, text in zip(lines.filter(is_invalid), column.filter(is_invalid), strict=True)
    ]


def offsets(
    column: pl.Series, lines: pl.Series, *, skipped: pl.Series | None = None
) -> tuple[pl.Series, list[Problem]]:
    """Text as offsets, null where skipped, and a problem for each line without a valid offset."""
    if skipped is not None:
        column = column.set(skipped, None)
    number = column.cast(pl.Int64, strict=False)
    is_integer, has_sign = column.str.contains(r"^-?[0-9]+$"), column.str.starts_with("-")
    # An integer that does not fit 64 bits is out of bounds, whatever its sign.
    outside = is_integer & ~number.is_between(0, LARGEST_OFFSET).fill_null(value=False)
    invalid = {
        "not a whole number": ~is_integer,
        "must not be negative": outside & has_sign,
        f"must be at most {LARGEST_OFFSET:,}": outside & ~has_sign,
    }
    return number, [
        problem
        for reason, is_invalid in invalid.items()
        for problem in problems_where(is_invalid, lines, column, f"{column.name} is {{}}, {reason}")
    ]


def word_lines(fields: pl.DataFrame) -> bytes:
    """Line for each row; identifiers that would be read back differently are refused."""
    first = fields.columns[0]
    for name, dtype in fields.schema.items():
        if dtype == pl.String and name in {c.TOPIC, c.ASPECT, c.DOC, c.TAG}:
            pattern = f"{UNWRITABLE}|{UNWRITABLE_FIRST}" if name == first else UNWRITABLE
            invalid = fields[name].filter(fields[name].str.contains(pattern))
            if len(invalid):
                raise DataError(
                    f"{name} {invalid[0]!r} is not a single word, which this format needs: use jsonl or"
                    " csv"
                )
    text: str = fields.write_csv(separator=" ", include_header=False, quote_style="never")
    return text.encode()


def refuse_nulls(frame: pl.DataFrame, names: Sequence[str], format_name: str) -> None:
    """Refuse a table that lacks a value that every line of the format needs."""
    for name in names:
        missing = frame.filter(pl.col(name).is_null())
        if missing.height:
            row = f"topic {missing[c.TOPIC][0]!r}, document {missing[c.DOC][0]!r}"
            rows = counted(missing.height, "row")
            raise DataError(
                f"{format_name} needs {name}; {rows} without it, first {row}: use jsonl"
            )


def refuse_values(frame: pl.DataFrame, names: Sequence[str], format_name: str) -> None:
    """Refuse a table with values that the format cannot hold."""
    for name in names:
        if frame[name].null_count() < frame.height:
            raise DataError(f"{format_name} cannot hold {name}: use jsonl")


def exact(column: str) -> pl.Expr:
    """Numbers as text that reads back exactly, whole ones without a point."""
    number = pl.col(column)
    # Beyond 2^53 a whole number written out would show digits that a double does not have.
    is_integer = (number == number.round()) & (number.abs() < 2.0**53)
    is_negative_zero = (number == 0) & number.cast(pl.String).str.starts_with("-")
    integer = number.cast(pl.Int64, strict=False).cast(pl.String)
    text = pl.when(is_integer & ~is_negative_zero).then(integer).otherwise(number.cast(pl.String))
    return text.alias(column)
