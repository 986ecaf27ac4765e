"""Builds tables from rows of gold files, and makes ids for questions that have none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from foveal.errors import BadInput, Problem
from foveal.files import Source
from foveal.formats._format import QrelsRows, ReadOptions, TopicsRows
from foveal.formats._qrels_rows import QrelsTable, judged_rows
from foveal.late import pl
from foveal.tables import columns as c

MIN_DIGITS = 3
KEY = "key"


def made_topics(letter: str, count: int) -> list[str]:
    """Ids of topics in the order of the file: c000, c001, … with as many digits as needed."""
    digits = max(MIN_DIGITS, len(str(count - 1)))
    return [f"{letter}{number:0{digits}}" for number in range(count)]


def made_note(topics: Sequence[str]) -> tuple[str, ...]:
    """Note: the ids of topics were made."""
    if not topics:
        return ()
    names = topics[0] if len(topics) == 1 else f"{topics[0]} to {topics[-1]}"
    return (
        f"the questions have no identifiers: they are called {names} in the order of the file"
        " (`foveal convert` writes them out, foveal.read_topics has them with the questions)",
    )


def gold_rows(
    rows: list[dict[str, Any]],
    source: Source,
    options: ReadOptions,
    problems: list[Problem],
    notes: tuple[str, ...],
) -> QrelsRows:
    """Judgements from rows that are passages, or documents without highlights."""
    if problems:
        raise BadInput(source.name, problems)
    schema: dict[str, Any] = {
        name: c.DOCUMENT_SCHEMA.get(name, pl.Int64)
        for name in (c.TOPIC, c.DOC, c.START, c.END, c.LENGTH, c.LINE)
    }
    frame = pl.DataFrame(rows, schema={**schema, **c.ASSESSOR_SCHEMA}, orient="row")
    frame = frame.with_columns(pl.col(c.LINE).fill_null(1))
    return judged_rows(QrelsTable(frame, source, None, KEY), options, problems, notes=notes)


def gold_topics(
    rows: Iterable[tuple[str | None, str | None, int | None]], problems: list[Problem]
) -> TopicsRows:
    """Topics from rows of id, question and line."""
    schema: dict[str, Any] = {**c.TOPIC_SCHEMA, c.LINE: pl.UInt32}
    dicts = [{c.TOPIC: topic, c.TITLE: title, c.LINE: line or 1} for topic, title, line in rows]
    return TopicsRows(frame=pl.DataFrame(dicts, schema=schema, orient="row"), problems=problems)
