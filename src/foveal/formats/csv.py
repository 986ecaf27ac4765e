"""Comma- and tab-separated values with a header: the columns of the run table."""

from __future__ import annotations

import csv
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

import polars as pl

from foveal.errors import Problem, counted
from foveal.files import safe_from_polars
from foveal.formats._misnamed import looks_like_header, misnamed, misnamed_note, refuse_missing
from foveal.formats._records import Reading, RunRows, run_format
from foveal.formats._run_rows import NAMES, run_columns, run_name, with_ranks_as_read
from foveal.tables import Run
from foveal.tables import columns as c

if TYPE_CHECKING:
    from collections.abc import Iterator

    from foveal.files import Head, Source

COMMA, TAB = ",", "\t"
COLUMN = "column"


def read_run(source: Source, reading: Reading, *, separator: str) -> RunRows:
    """The run in a table with a header; an empty field is an absent value."""
    data = b"".join(block.data for block in source.blocks()).replace(b"\r\n", b"\n")
    problems: list[Problem] = []
    frame = _quickly(data, separator)
    if frame is None:
        frame = _carefully(data.decode(), separator, problems)
    if not problems:
        refuse_missing(_names(frame), source, source.head().number, COLUMN)
    meant = misnamed(_names(frame))
    return RunRows(
        frame=frame.drop(meant),
        name=run_name(frame, source),
        problems=problems,
        notes=misnamed_note(meant, COLUMN),
    )


def _names(frame: pl.DataFrame) -> list[str]:
    return [name for name in frame.columns if name != c.LINE]


def write_run(run: Run, separator: str) -> bytes:
    """A header and a line per result."""
    frame = run_columns(with_ranks_as_read(run), run.name)
    return csv_bytes(frame, separator)


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
    right, all lines have all fields.
    """
    if any(odd in data for odd in (b'"', b"\r", b"\n\n", b"\n#")) or data[:1] in b"#\n":
        return None
    header, _, body = data.partition(b"\n")
    names = header.decode().split(separator)
    lines = body.count(b"\n")
    separators = body.count(separator.encode())
    if not lines or len(set(names)) < len(names) or separators != lines * (len(names) - 1):
        return None
    try:
        frame = pl.read_csv(
            safe_from_polars(body),
            has_header=False,
            separator=separator,
            quote_char=None,
            schema=dict.fromkeys(names, pl.String),
        )
    except pl.exceptions.PolarsError:
        return None
    if frame.height != lines:
        return None
    return frame.with_columns(pl.int_range(2, lines + 2, dtype=pl.UInt32).alias(c.LINE))


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
    return {c.TOPIC, c.DOC} <= set(names) or looks_like_header(names)


for name, separator, title in (
    ("csv", COMMA, "Comma-separated run"),
    ("tsv", TAB, "Tab-separated run"),
):
    run_format(
        name=name,
        title=title,
        sentence="A header and the columns of a run in any order; ranked by rank, else by score.",
        shape=separator.join([*NAMES, c.TAG]) + " in a header; topic and doc are needed",
        examples=(
            separator.join([c.TOPIC, c.DOC, c.START, c.END, c.SCORE]),
            separator.join(["51", "d1", "120", "480", "7.5"]),
        ),
        extensions=(f".{name}",),
        recognises=partial(_has_header, separator=separator),
        write=partial(write_run, separator=separator),
    )(partial(read_run, separator=separator))
