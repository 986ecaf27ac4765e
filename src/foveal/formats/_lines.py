"""Lines of fields separated by blanks: read as a frame with physical line numbers, and written."""

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
# Polars makes several copies of a block: small ones are made where earlier ones have been.
BLOCK_SIZE = 2 << 20
# At the start of a line, readers take # for a comment and U+FEFF for a byte-order mark.
UNWRITABLE = r"[ \t\r\n]|^$"
UNWRITABLE_FIRST = r"^[#\x{feff}]"


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


@frozen
class LineFields:
    """The lines of a file that have the right number of fields, and what is wrong with the others.

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

    # Without lines, there are still columns.
    blocks = list(threaded(read, source.blocks(BLOCK_SIZE))) or [read(Block(b"", 1, 0))]
    table = pl.concat([frame for frame, _, _ in blocks], rechunk=False)
    if c.RANK in layout.names and table[c.RANK].null_count():
        table = table.drop(c.RANK)
    problems = [problem for _, found, _ in blocks for problem in found]
    tags = [tag for _, _, found in blocks for tag in found]
    return LineFields(table, problems, tags[-1] if tags else "")


def _split(block: Block, layout: Layout) -> tuple[pl.DataFrame, list[Problem]]:
    """The columns of a block and its lines' numbers, and what is wrong with lines and numbers."""
    data = block.data.translate(TO_BLANKS)
    while b"  " in data:
        data = data.replace(b"  ", b" ")
    text = pl.Series(c.TEXT, [data.decode()]).str.split("\n").explode().str.strip_chars(" ")
    with_data = (text != "") & ~text.str.starts_with("#")
    lines = text.to_frame().with_row_index(c.LINE, block.first_line).filter(with_data)
    width = lines[c.TEXT].str.count_matches(" ", literal=True) + 1
    fits = (width >= layout.least) & ((width <= len(layout.names)) | layout.rest)
    problems = [
        Problem(line, f"{counted(columns, 'column')}, expected {layout.expected}")
        for line, columns in zip(lines[c.LINE].filter(~fits), width.filter(~fits), strict=True)
    ]
    lines = lines.filter(fits)
    # The last field has all the rest of its line.
    words = lines[c.TEXT].str.splitn(" ", len(layout.names)).struct.unnest()
    named = [word.alias(name) for name, word in zip(layout.names, words, strict=True) if name]
    frame = pl.DataFrame([*named, lines[c.LINE]])
    for name in layout.numbers:
        texts, number = frame[name], frame[name].cast(pl.Float64, strict=False)
        bad = ~number.is_finite().fill_null(value=False)
        reason = name + " is {}, not a finite number" + _hint(texts.filter(bad), name)
        problems += problems_where(bad, frame[c.LINE], texts, reason)
        frame = frame.with_columns(number)
    if c.RANK in layout.names:
        frame = frame.with_columns(pl.col(c.RANK).cast(pl.Int64, strict=False))
    return frame, problems


def _hint(texts: pl.Series, name: str) -> str:
    """A hint at why texts are not numbers."""
    if texts.str.contains(r"^-?[0-9]+,[0-9]+$").any():
        return " (write a decimal point, not a comma)"
    return " (remove the header)" if (texts == name).any() else ""


def refuse(source: Source, problems: Sequence[Problem]) -> None:
    """Raise the problems of a file, sorted by line, if there are any."""
    if problems:
        raise BadInput(source.name, sorted(problems, key=lambda problem: problem.line or 0))


def problems_where(
    bad: pl.Series, lines: pl.Series, column: pl.Series, reason: str
) -> list[Problem]:
    """A problem for each bad row; `{}` in the reason is replaced by its text."""
    return [
        Problem(line, reason.format(repr(shortened(text, 40))))
        for line, text in zip(lines.filter(bad), column.filter(bad), strict=True)
    ]


def offsets(
    column: pl.Series, lines: pl.Series, *, skipped: pl.Series | None = None
) -> tuple[pl.Series, list[Problem]]:
    """Text as offsets, null where skipped, and a problem for each line without a valid offset."""
    if skipped is not None:
        column = column.set(skipped, None)
    number = column.cast(pl.Int64, strict=False)
    is_whole, has_sign = column.str.contains(r"^-?[0-9]+$"), column.str.starts_with("-")
    # What does not fit 64 bits is beyond every bound, whatever its sign.
    outside = is_whole & ~number.is_between(0, LARGEST_OFFSET).fill_null(value=False)
    wrong = {
        "not a whole number": ~is_whole,
        "must not be negative": outside & has_sign,
        f"must be at most {LARGEST_OFFSET:,}": outside & ~has_sign,
    }
    return number, [
        problem
        for reason, bad in wrong.items()
        for problem in problems_where(bad, lines, column, f"{column.name} is {{}}, {reason}")
    ]


def word_lines(fields: pl.DataFrame) -> bytes:
    """A line per row; identifiers that would be read back differently are refused."""
    first = fields.columns[0]
    for name, dtype in fields.schema.items():
        if dtype == pl.String and name in {c.TOPIC, c.ASPECT, c.DOC, c.TAG}:
            pattern = f"{UNWRITABLE}|{UNWRITABLE_FIRST}" if name == first else UNWRITABLE
            bad = fields[name].filter(fields[name].str.contains(pattern))
            if len(bad):
                raise DataError(
                    f"{name} {bad[0]!r} is not a single word, which this format needs: use jsonl or"
                    " csv"
                )
    text: str = fields.write_csv(separator=" ", include_header=False, quote_style="never")
    return text.encode()


def none_null(frame: pl.DataFrame, names: Sequence[str], what: str) -> None:
    """Refuse a table that lacks a value that every line of the format needs."""
    for name in names:
        missing = frame.filter(pl.col(name).is_null())
        if missing.height:
            where = f"topic {missing[c.TOPIC][0]!r}, document {missing[c.DOC][0]!r}"
            rows = counted(missing.height, "row")
            raise DataError(f"{what} needs {name}; {rows} without it, first {where}: use jsonl")


def all_null(frame: pl.DataFrame, names: Sequence[str], what: str) -> None:
    """Refuse a table with values that the format cannot hold."""
    for name in names:
        if frame[name].null_count() < frame.height:
            raise DataError(f"{what} cannot hold {name}: use jsonl")


def exact(column: str) -> pl.Expr:
    """Numbers as text that reads back exactly, whole ones without a point."""
    number = pl.col(column)
    # Beyond 2^53 a whole number written out would show digits that a double does not have.
    is_whole = (number == number.round()) & (number.abs() < 2.0**53)
    is_negative_zero = (number == 0) & number.cast(pl.String).str.starts_with("-")
    whole = number.cast(pl.Int64, strict=False).cast(pl.String)
    text = pl.when(is_whole & ~is_negative_zero).then(whole).otherwise(number.cast(pl.String))
    return text.alias(column)
