"""Comma- and tab-separated values with a header: the columns of a run or of judgements."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from foveal.errors import BadInput, Problem, counted
from foveal.files import BYTE_ORDER_MARK, Head, Source, count_byte, refuse_columns, safe_from_polars
from foveal.formats._format import (
    QrelsRows,
    ReadOptions,
    RunRows,
    looks_like_header,
    qrels_format,
    refuse_other_than_run,
    run_format,
)
from foveal.formats._qrels_rows import NAMES as QRELS_NAMES
from foveal.formats._qrels_rows import QrelsTable, assessor_rows, judged_rows, long_rows
from foveal.formats._run_rows import NAMES, constant, run_columns
from foveal.late import pl
from foveal.tables import Qrels, Run, aliases
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.elements import ElementLookup

    Types = dict[str, type[pl.DataType]]

COMMA, TAB = ",", "\t"
COLUMN = "column"
# Small blocks reuse the same memory, which is faster than new memory.
BLOCK_SIZE = 1 << 20
NUMBERS = (c.START, c.END, c.RANK, c.SCORE)
# For each name of a column of numbers, the column of runs with the same type of values.
SAME_TYPE = {alias: column for column in NUMBERS for alias in aliases.BY_COLUMN.get(column, ())}
SAME_TYPE |= {c.LENGTH: c.END, **{name: name for name in NUMBERS}}


def read_run(source: Source, options: ReadOptions, *, separator: str) -> RunRows:
    """Run in a table with a header."""
    problems: list[Problem] = []
    frame = records(source, separator, problems)
    if not problems:
        names = [name for name in frame.columns if name != c.LINE]
        refuse_other_than_run(names, source, source.head().number, COLUMN)
    frame, aliases_used = aliases.renamed(frame, aliases.RUN_FIELDS, options.extra_columns)
    name, tag = constant(frame, c.RUN), constant(frame, c.TAG)
    return RunRows(frame=frame, name=name, tag=tag, problems=problems, aliases_used=aliases_used)


def read_qrels(source: Source, options: ReadOptions, *, separator: str) -> QrelsRows:
    """Judgements in a table with a header."""
    problems: list[Problem] = []
    frame = records(source, separator, problems)
    return judged_rows(QrelsTable(frame, source, source.head().number, COLUMN), options, problems)


def records(
    source: Source,
    separator: str,
    problems: list[Problem],
    *,
    comments: bool = True,
    all_text: bool = False,
) -> pl.DataFrame:
    """Columns under a header, as text or numbers; an empty field is an absent value.

    Without comments, a line that begins with # is a record like any other. With `all_text`, even
    the columns that have numbers in runs are text.
    """
    head = source.head()
    if reason := refuse_columns(1 + head.line.count(separator)):
        raise BadInput(source.name, [Problem(head.number, reason)])
    data = b"".join(block.data for block in source.blocks(BLOCK_SIZE))
    # Inside quotes, a line end may be part of a name and stays.
    if b"\r" in data and b'"' not in data:
        data = data.replace(b"\r\n", b"\n")
    frame = None if all_text else _read_fast(data, separator)
    if frame is None:
        return _read_any(_Lines(data.decode(), comments=comments), separator, problems)
    return frame


def write_run(run: Run, separator: str) -> bytes:
    """Header and a line per result."""
    return csv_bytes(run_columns(run), separator)


def write_qrels(qrels: Qrels, elements: ElementLookup | None = None, *, separator: str) -> bytes:
    """Header and a line per passage."""
    return csv_bytes(long_rows(qrels), separator)


def write_assessors(tables: Mapping[str, Qrels], separator: str) -> bytes:
    """The same for several assessors, with a column of their names."""
    return csv_bytes(assessor_rows(tables), separator)


def csv_bytes(frame: pl.DataFrame, separator: str) -> bytes:
    """Table as text; numbers are read back exactly."""
    # An unquoted # at the start of a line would be a comment.
    is_comment = frame.to_series().cast(pl.String).str.starts_with("#").any()
    text: str = frame.write_csv(
        separator=separator, quote_style="non_numeric" if is_comment else "necessary"
    )
    return text.encode()


def _read_fast(data: bytes, separator: str) -> pl.DataFrame | None:
    """Frame of a text without quotes, comments and blank lines; None for other texts.

    Polars fills missing fields with nulls and refuses extra ones. If the number of separators is
    right, no field is missing, and no line is blank.
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
    numbers = {name: c.RUN_SCHEMA[SAME_TYPE[name]] for name in names if name in SAME_TYPE}
    # Polars skips blanks before a number; here a field with blanks is no number.
    has_no_blanks = not any(blank in data for blank in (b" ", b"\t") if blank != separator.encode())
    frame = _parsed(data, separator, texts | numbers) if has_no_blanks else None
    if frame is None or not _are_finite(frame):
        frame = _parsed(data, separator, texts)
    if frame is None or frame.height != lines or _may_have_comments(frame.to_series(), separator):
        return None
    return frame.with_columns(pl.int_range(2, lines + 2, dtype=pl.UInt32).alias(c.LINE))


def _parsed(data: bytes, separator: str, schema: Types) -> pl.DataFrame | None:
    """Columns of a text whose first line is a header; None if a value is not of its type."""
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
    names = {c.SCORE, *aliases.BY_COLUMN[c.SCORE]} & {*frame.columns}
    return all(frame[name].is_finite().all() for name in names)


def _may_have_comments(first: pl.Series, separator: str) -> bool:
    """True if lines may be comments, or blank because they have only tabs."""
    if separator == TAB and first.null_count():
        return True
    # In a column of numbers, a comment would have been refused.
    return first.dtype == pl.String and first.str.starts_with("#").any()


def _read_any(text_lines: _Lines, separator: str, problems: list[Problem]) -> pl.DataFrame:
    """Frame of any lines, read record by record; records of another width go to `problems`."""
    # Python's limit for the size of a field holds for the whole process, and documents are larger.
    limit = csv.field_size_limit(max(csv.field_size_limit(), text_lines.size))
    try:
        numbered_records = iter(list(_records(text_lines, separator, problems)))
    finally:
        csv.field_size_limit(limit)
    first_line, names = next(numbered_records, (1, []))
    repeated = {name for name in names if names.count(name) > 1}
    problems += [Problem(first_line, f"column {name!r} occurs twice") for name in sorted(repeated)]
    lines: list[int] = []
    rows: list[list[str | None]] = []
    for line, fields in numbered_records:
        if len(fields) == len(names):
            lines.append(line)
            rows.append([field or None for field in fields])
        else:
            reason = f"{counted(len(fields), 'column')}, expected {len(names)}"
            problems.append(Problem(line, reason))
    if repeated:
        return pl.DataFrame(schema={c.TOPIC: pl.String, c.DOC: pl.String, c.LINE: pl.UInt32})
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    return frame.with_columns(pl.Series(c.LINE, lines, dtype=pl.UInt32))


def _records(
    lines: _Lines, separator: str, problems: list[Problem]
) -> Iterator[tuple[int, list[str]]]:
    """Records with the lines on which they begin."""
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
    """Lines of a text without blank lines and comments, except those inside a record."""

    def __init__(self, text: str, *, comments: bool = True) -> None:
        self.size = len(text)
        self._skipped = "#" if comments else "\n"
        self._rest = zip(count(1), text.removesuffix("\n").split("\n"), strict=False)
        self.between_records = True
        self.record_line = 1

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        for number, line in self._rest:
            if self.between_records and (not line.strip() or line.startswith(self._skipped)):
                continue
            if self.between_records:
                self.record_line = number
            self.between_records = False
            return line + "\n"
        raise StopIteration


def header(head: Head, separator: str) -> list[str]:
    """Fields of the first line; empty if it cannot be split into fields."""
    try:
        (names,) = csv.reader([head.line.rstrip("\r")], delimiter=separator, strict=True)
    except (csv.Error, ValueError):
        return []
    return names


def _column_names(source: Source, separator: str) -> list[str]:
    return header(source.head(), separator)


def _has_header(head: Head, separator: str) -> bool:
    """True if the first line has names of columns, even wrong ones: the reader suggests others."""
    names = header(head, separator)
    columns = {*names, *aliases.alias_by_column(aliases.RUN_FIELDS, names)}
    return {c.TOPIC, c.DOC} <= columns or looks_like_header(names)


for name, separator, title in (("csv", COMMA, "Comma-separated"), ("tsv", TAB, "Tab-separated")):
    run_format(
        name=name,
        title=f"{title} run",
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
    qrels_format(
        name=name,
        title=f"{title} judgements",
        sentence="A header and a row per passage (start, end), or per document with its grade; the"
        " columns in any order.",
        shape=separator.join(QRELS_NAMES) + " in a header; topic, doc and start, end or grade are"
        " needed",
        examples=(
            separator.join([c.TOPIC, c.DOC, c.START, c.END]),
            separator.join(["51", "d1", "120", "480"]),
        ),
        extensions=(f".{name}",),
        recognises=partial(_has_header, separator=separator),
        write=partial(write_qrels, separator=separator),
        write_assessors=partial(write_assessors, separator=separator),
        names=partial(_column_names, separator=separator),
    )(partial(read_qrels, separator=separator))
