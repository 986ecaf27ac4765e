"""Comma- and tab-separated values with a header: the columns of the run table."""

from __future__ import annotations

import csv
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from foveal.errors import Problem, counted
from foveal.files import BYTE_ORDER_MARK, count_byte, safe_from_polars
from foveal.formats._misnamed import looks_like_header, refuse_missing
from foveal.formats._records import Reading, RunRows, run_format
from foveal.formats._run_rows import NAMES, run_columns, run_name
from foveal.late import pl
from foveal.tables import ALIASES, OF_RUNS, Run, aliased, renamed
from foveal.tables import columns as c

if TYPE_CHECKING:
    from collections.abc import Iterator

    from foveal.files import Head, Source

    Types = dict[str, type[pl.DataType]]

COMMA, TAB = ",", "\t"
COLUMN = "column"
# Memory that is used again and again is faster than new memory.
BLOCK_SIZE = 1 << 20
NUMBERS = (c.START, c.END, c.RANK, c.SCORE)
# The column of ours that says of which type the values of another tool's column are.
LIKE = {theirs: ours for ours in NUMBERS for theirs in ALIASES.get(ours, ())}
LIKE |= {c.LENGTH: c.END, **{name: name for name in NUMBERS}}


def read_run(source: Source, reading: Reading, *, separator: str) -> RunRows:
    """The run in a table with a header; an empty field is an absent value."""
    data = b"".join(block.data for block in source.blocks(BLOCK_SIZE))
    # Inside quotes it may be part of a name, which the careful reader knows.
    if b"\r" in data and b'"' not in data:
        data = data.replace(b"\r\n", b"\n")
    problems: list[Problem] = []
    frame = _quickly(data, separator)
    if frame is None:
        frame = _carefully(data.decode(), separator, problems)
    if not problems:
        names = [name for name in frame.columns if name != c.LINE]
        refuse_missing(names, source, source.head().number, COLUMN)
    frame, taken = renamed(frame, OF_RUNS)
    return RunRows(frame=frame, name=run_name(frame, source), problems=problems, taken=taken)


def write_run(run: Run, separator: str) -> bytes:
    """A header and a line per result."""
    return csv_bytes(run_columns(run), separator)


def csv_bytes(frame: pl.DataFrame, separator: str) -> bytes:
    """A table as text; numbers are read back exactly."""
    # An unquoted # at the start of a line would be a comment.
    is_comment = frame.to_series().cast(pl.String).str.starts_with("#").any()
    text: str = frame.write_csv(
        separator=separator, quote_style="non_numeric" if is_comment else "necessary"
    )
    return text.encode()


def _quickly(data: bytes, separator: str) -> pl.DataFrame | None:
    """The frame of a text without quotes, comments and blank lines, else None.

    Polars fills missing fields with nulls and refuses extra ones, so if the number of separators is
    right, all lines have all fields, and none is blank.
    """
    if b'"' in data or b"\r" in data or data[:1] in b"#\n":
        return None
    end = data.find(b"\n")
    # Polars would skip a byte-order mark here too.
    if data.startswith(BYTE_ORDER_MARK, end + 1):
        return None
    names = data[:end].decode().split(separator)
    lines = count_byte(data, ord("\n")) - 1
    separators = count_byte(data, ord(separator)) - (len(names) - 1)
    expected = lines * (len(names) - 1)
    if not lines or not expected or len(set(names)) < len(names) or separators != expected:
        return None
    texts: Types = dict.fromkeys(names, pl.String)
    numbers = {name: c.RUN_SCHEMA[LIKE[name]] for name in names if name in LIKE}
    # Polars skips blanks before a number, which is not one with them.
    is_plain = not any(blank in data for blank in (b" ", b"\t") if blank != separator.encode())
    frame = _parsed(data, separator, texts | numbers) if is_plain else None
    if frame is None or not _are_finite(frame):
        frame = _parsed(data, separator, texts)
    if frame is None or frame.height != lines or _has_odd_lines(frame.to_series(), separator):
        return None
    return frame.with_columns(pl.int_range(2, lines + 2, dtype=pl.UInt32).alias(c.LINE))


def _parsed(data: bytes, separator: str, schema: Types) -> pl.DataFrame | None:
    """The columns of a text whose first line is a header; None if a value is not of its type."""
    try:
        return pl.read_csv(
            safe_from_polars(data),
            has_header=False,
            skip_lines=1,
            separator=separator,
            quote_char=None,
            schema=schema,
        )
    except pl.exceptions.PolarsError:
        return None


def _are_finite(frame: pl.DataFrame) -> bool:
    return all(
        frame[name].is_finite().all()
        for name in (c.SCORE, *ALIASES[c.SCORE])
        if name in frame.columns
    )


def _has_odd_lines(first: pl.Series, separator: str) -> bool:
    """Whether lines may be comments, or blank because they have nothing but tabs."""
    if separator == TAB and first.null_count():
        return True
    # Where the first column is one of numbers, a comment is not a number.
    return first.dtype == pl.String and first.str.starts_with("#").any()


def _carefully(text: str, separator: str, problems: list[Problem]) -> pl.DataFrame:
    """The frame of any text, record by record; records of another width go to `problems`."""
    records = _records(text, separator, problems)
    first_line, names = next(records, (1, []))
    twice = {name for name in names if names.count(name) > 1}
    problems += [Problem(first_line, f"column {name!r} occurs twice") for name in sorted(twice)]
    lines: list[int] = []
    rows: list[list[str | None]] = []
    for line, record in records:
        if len(record) == len(names):
            lines.append(line)
            rows.append([field or None for field in record])
        else:
            problems.append(
                Problem(line, f"{counted(len(record), 'column')}, expected {len(names)}")
            )
    if twice:
        return pl.DataFrame(schema={c.TOPIC: pl.String, c.DOC: pl.String})
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    return frame.with_columns(pl.Series(c.LINE, lines, dtype=pl.UInt32))


def _records(text: str, separator: str, problems: list[Problem]) -> Iterator[tuple[int, list[str]]]:
    """The records with the lines on which they begin; blank lines and comments are skipped."""
    lines = _Lines(text)
    reader = csv.reader(lines, delimiter=separator, strict=True)
    while True:
        lines.between_records = True
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problems.append(Problem(lines.record_line, f"broken quotes: {error}"))
            return
        yield lines.record_line, record


class _Lines:
    """The lines of a text without blank lines and comments, which are kept inside a record."""

    def __init__(self, text: str) -> None:
        self._rest = zip(count(1), text.removesuffix("\n").split("\n"), strict=False)
        self.between_records = True
        self.record_line = 1

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        for number, line in self._rest:
            if self.between_records and (not line.strip() or line.startswith("#")):
                continue
            if self.between_records:
                self.record_line = number
            self.between_records = False
            return line + "\n"
        raise StopIteration


def _has_header(head: Head, separator: str) -> bool:
    """Whether the first line names columns, even wrong ones: the reader says which are meant."""
    try:
        (names,) = csv.reader([head.line.rstrip("\r")], delimiter=separator, strict=True)
    except (csv.Error, ValueError):
        return False
    known = {*names, *aliased(OF_RUNS, names)}
    return {c.TOPIC, c.DOC} <= known or looks_like_header(names)


for name, separator, title in (
    ("csv", COMMA, "Comma-separated run"),
    ("tsv", TAB, "Tab-separated run"),
):
    run_format(
        name=name,
        title=title,
        sentence="A header and the columns of a run in any order; ranked by rank, else by score.",
        shape=separator.join([*NAMES, c.TEXT, c.TAG]) + " in a header; topic and doc are needed",
        examples=(
            separator.join([c.TOPIC, c.DOC, c.START, c.END, c.SCORE]),
            separator.join(["51", "d1", "120", "480", "7.5"]),
        ),
        extensions=(f".{name}",),
        recognises=partial(_has_header, separator=separator),
        write=partial(write_run, separator=separator),
    )(partial(read_run, separator=separator))
