"""Reads and writes pools as `foveal pool` does: a line for each document."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

import numpy as np

from foveal.choices import Form
from foveal.errors import BadInput, Problem, value_text
from foveal.files import Source, write_bytes
from foveal.formats._json_values import identifiers, objects, whole_numbers
from foveal.formats._tables import rows_bytes
from foveal.late import pl
from foveal.spans import LARGEST_OFFSET
from foveal.tables import Pool, passage_lists
from foveal.tables import columns as c

Path = str | os.PathLike[str]

SHAPE = (
    '{"topic": ..., "doc": ..., "place": 1, "runs": 1, "best_rank": 1, "passages": [[start, end],'
    " ...]}, as `foveal pool RUN... -o FILE.jsonl` writes"
)
NUMBERS = (c.PLACE, c.RUNS, c.BEST_RANK)


def write_pool(pool: Pool, target: Path | BinaryIO) -> None:
    r"""Write a pool to a path or stream, a line of JSON for each document.

    >>> import foveal, io
    >>> foveal.write_pool(foveal.pool({"1": {"a": 2.0}}), written := io.BytesIO())
    >>> written.getvalue()
    b'{"topic":"1","doc":"a","place":1,"runs":1,"best_rank":1,"passages":[]}\n'
    """
    write_bytes(rows_bytes(pool.frame, Form.JSONL), target)


def read_pool(path: Path) -> Pool:
    """Read the pool in a file (`-`: standard input) that `foveal pool` has written.

    All problems are raised at once. Documents are in the order of their places, which must count
    from 1 in each topic; topics are in the order of their names.
    """
    with Source.of(path) as source:
        problems: list[Problem] = []
        items = list(objects(source, problems))
        lines, rows = [line for line, _ in items], [row for _, row in items]
        frame = _frame(rows, lines, problems)
        problems += _broken_rules(frame, lines)
        if not rows and not problems:
            problems.append(Problem(None, "no documents"))
        if problems:
            error = BadInput(source.name, sorted(problems, key=lambda p: p.line or 0), SHAPE)
            error.quote(source.lines({problem.line for problem in problems if problem.line}))
            raise error
    ordered = frame.sort(c.TOPIC, c.PLACE)
    judged = ordered.select(pl.col(c.TOPIC).unique(maintain_order=True), pl.lit(0).alias(c.JUDGED))
    return Pool(ordered, judged.cast({c.JUDGED: pl.Int64}))


def _frame(
    rows: Sequence[dict[str, Any]], lines: Sequence[int], problems: list[Problem]
) -> pl.DataFrame:
    """Columns of a pool; a value that is missing or of a wrong type is a problem."""

    def values(name: str) -> list[Any]:
        return [row.get(name) for row in rows]

    columns = [identifiers(name, values(name), lines, problems) for name in (c.TOPIC, c.DOC)]
    for name in NUMBERS:
        columns.append(whole_numbers(name, values(name), lines, problems))
        pairs = zip(lines, values(name), strict=True)
        problems += [Problem(line, f"no {name}") for line, value in pairs if value is None]
    passages = []
    for line, value in zip(lines, values(c.PASSAGES), strict=True):
        reason = _passages_problem(value)
        passages.append([] if reason else value)
        problems += [Problem(line, reason)] if reason else []
    row = np.repeat(np.arange(len(rows)), list(map(len, passages)))
    spans = np.array([pair for pairs in passages for pair in pairs], dtype=np.int64).reshape(-1, 2)
    return pl.DataFrame([*columns, passage_lists(row, spans[:, 0], spans[:, 1], len(rows))])


def _passages_problem(value: object) -> str:
    """Reason why passages are invalid; empty if they are disjoint and in order."""
    if value is None:
        return f"no {c.PASSAGES}"
    if not isinstance(value, list):
        return f"{c.PASSAGES} is {value_text(value)}, not a list"
    previous_end = 0
    for pair in value:
        is_pair = isinstance(pair, list) and [type(number) for number in pair] == [int, int]
        if not is_pair:
            return f"{c.PASSAGES} must be pairs [start, end] of whole numbers"
        start, end = pair
        if not previous_end <= start < end <= LARGEST_OFFSET:
            return (
                f"passage [{start}, {end}]: passages must have text, be in order and not overlap,"
                f" and end by {LARGEST_OFFSET:,}"
            )
        previous_end = end
    return ""


def _broken_rules(frame: pl.DataFrame, lines: Sequence[int]) -> Iterator[Problem]:
    """Problems: numbers below 1, repeated documents, places that are repeated or missing."""
    numbered = frame.with_columns(pl.Series(c.LINE, lines, dtype=pl.Int64))
    for name in NUMBERS:
        too_low = numbered.filter(pl.col(name) < 1)
        for line, value in too_low.select(c.LINE, name).iter_rows():
            yield Problem(line, f"{name} must be 1 or more, got {value}")
    rows = numbered.drop_nulls([c.TOPIC, c.DOC, c.PLACE])
    repeated = rows.filter(~pl.struct(c.TOPIC, c.DOC).is_first_distinct())
    for line, topic, doc in repeated.select(c.LINE, c.TOPIC, c.DOC).iter_rows():
        yield Problem(line, f"document {doc!r} of topic {topic!r} is given twice")
    if rows.height < frame.height or repeated.height:
        return
    expected = pl.int_range(1, pl.len() + 1).over(c.TOPIC)
    number = pl.col(c.PLACE)
    misplaced = rows.sort(c.TOPIC, c.PLACE).filter((number != expected) & (number > 0))
    for line, topic, place in misplaced.group_by(c.TOPIC, maintain_order=True).first().select(
        c.LINE, c.TOPIC, c.PLACE
    ).iter_rows():  # fmt: skip
        yield Problem(
            line,
            f"place {place} of topic {topic!r} is given twice, or one before it is missing: places"
            " count from 1",
        )
