"""Probes of what a format can hold: small tables are written in it and read back."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from typing import Any

import polars as pl
from tests.articles import ELEMENTS, LENGTHS
from tests.held import held

from foveal.errors import FovealError
from foveal.formats import QrelsFormat, RunFormat, read_qrels, read_run
from foveal.tables import Origin, Qrels, Run, RunRows

Row = dict[str, Any]
# Two documents whose elements are known, so that every format can name their parts.
FIRST, SECOND = "9996", "22478"
SPAN, OTHER = {"start": 8, "end": 25}, {"start": 0, "end": 3}
PLAIN, WITH_BLANKS = "101", "tea pot"
ABOUT = {"task": "Focused", "participant-id": "12"}
Table = Run | Qrels


@dataclass(frozen=True)
class Probe:
    """Result of a probe: whether a format can hold some content, and if not, why."""

    content: str
    is_held: bool
    reason: str = ""


def _ranked(*parts: Row) -> list[Row]:
    """The results of a topic, the best first."""
    return [
        {"topic": PLAIN, "doc": doc, "rank": rank, "score": 3.5 - rank, **part}
        for rank, (doc, part) in enumerate(zip((FIRST, SECOND), parts, strict=True), 1)
    ]


def _run(rows: list[Row], **run_fields: Any) -> Run:
    rows_read = RunRows(frame=pl.DataFrame(rows), name="mine", **run_fields)
    return Run.of(rows_read, origin=Origin(format="inex-xml"))


def _judged(*rows: Row) -> list[Row]:
    """The judgements of two documents."""
    docs = zip((FIRST, SECOND), rows, strict=True)
    return [{"topic": PLAIN, "doc": doc, **row} for doc, row in docs]


def _without(names: Collection[str], rows: list[Row]) -> list[Row]:
    return [{key: value for key, value in row.items() if key not in names} for row in rows]


def _with_blanks(rows: list[Row]) -> list[Row]:
    return [{**row, "topic": WITH_BLANKS} for row in rows]


# Columns that a format may have no place for, because it ranks by line.
LOST = ((), ("score",), ("rank",), ("rank", "score"))
# Contents of runs. A format's example is the first of them that it can hold.
RETURNED: dict[str, list[Row]] = {
    "parts, each with a start and an end": _ranked(SPAN, OTHER),
    "whole documents": _ranked({}, {}),
    "entry points, without text": _ranked({"start": 8, "end": 8}, {"start": 0, "end": 0}),
    "elements whose offsets are unknown": _ranked({"start": -1, "end": -1}, OTHER),
    "whole documents beside parts": _ranked({"start": None, "end": None}, OTHER),
    "the texts of parts": _ranked({**SPAN, "text": "First bold words."}, {**OTHER, "text": "one"}),
}
# Further contents, made from the example that a format can hold.
ALONE = {"scores without ranks": "score", "ranks without scores": "rank"}
CHANGED: dict[str, Callable[[list[Row]], Run]] = {
    "scores without ranks": lambda rows: _run(_without(["rank"], rows)),
    "ranks without scores": lambda rows: _run(_without(["score"], rows)),
    "topics with blanks in their names": lambda rows: _run(_with_blanks(rows)),
    "what a submission says about itself": lambda rows: _run(rows, about=ABOUT),
}
PASSAGES: tuple[Row, Row] = ({"highlights": [[8, 25], [44, 51]]}, {"highlights": []})
MEASURED = ({**PASSAGES[0], "length": LENGTHS[FIRST]}, {**PASSAGES[1], "length": LENGTHS[SECOND]})
# Contents of judgements. A format's example is the last of them that it can hold.
JUDGED: dict[str, list[Row]] = {
    "grades of whole documents": _judged({"grade": 2}, {"grade": 0}),
    "grades beside passages": _judged({**PASSAGES[0], "grade": 2}, {**PASSAGES[1], "grade": 0}),
    "aspects of whole documents": _judged({"aspects": ["price"]}, {"aspects": ["price", "colour"]}),
    "grades of aspects": _judged({"aspects": {"price": 2}}, {"aspects": {"price": 1, "colour": 3}}),
    "aspects of passages": _judged(
        {"highlights": [{"start": 8, "end": 25, "aspects": ["price"]}]},
        {"highlights": [{"start": 0, "end": 3, "aspects": ["price", "colour"]}]},
    ),
    "passages in documents of unknown length": _judged(*PASSAGES),
    "passages in documents of known length": _judged(*MEASURED),
    "best entry points": _judged({**MEASURED[0], "entry": 8}, MEASURED[1]),
}
BLANKS = "topics with blanks in their names"
ASSESSORS = "judgements of several people, with their names"
MERGED = "they are merged into one, as --assessors says"


def probe_runs(format_: RunFormat) -> list[Probe]:
    """Probe which contents of runs a format can hold."""
    lost_columns = _lost_columns(format_)
    probes = [_probe(format_, content, run) for content, run in _runs(lost_columns).items()]
    rows = _without(
        lost_columns, RETURNED[next(probe.content for probe in probes if probe.is_held)]
    )
    return probes + [
        Probe(content, is_held=False)
        if ALONE.get(content) in lost_columns
        else _probe(format_, content, change(rows))
        for content, change in CHANGED.items()
    ]


def _lost_columns(format_: RunFormat) -> tuple[str, ...]:
    """The columns that a format has no place for: the fewest with which it can hold a run."""
    return next(
        lost_columns
        for lost_columns in LOST
        if any(
            _probe(format_, content, run).is_held for content, run in _runs(lost_columns).items()
        )
    )


def probe_qrels(format_: QrelsFormat) -> list[Probe]:
    """Probe which contents of judgements a format can hold."""
    probes = [_probe(format_, content, qrels) for content, qrels in _qrels().items()]
    rows = JUDGED[next(probe.content for probe in reversed(probes) if probe.is_held)]
    probes.append(_probe(format_, BLANKS, Qrels.from_dicts(_with_blanks(rows))))
    return [*probes, Probe(ASSESSORS, format_.write_assessors is not None, MERGED)]


def example(format_: RunFormat | QrelsFormat) -> tuple[bytes, Table]:
    """A file that the format's writer wrote, and the table that its reader read, which is the same."""
    tables: list[Table] = (
        [*_runs(_lost_columns(format_)).values()]
        if isinstance(format_, RunFormat)
        else [*reversed(_qrels().values())]
    )
    table = next(table for table in tables if _probe(format_, "", table).is_held)
    data = write(format_, table)
    return data, read_back(format_, data)


@cache
def _runs(lost_columns: tuple[str, ...]) -> dict[str, Run]:
    return {content: _run(_without(lost_columns, rows)) for content, rows in RETURNED.items()}


@cache
def _qrels() -> dict[str, Qrels]:
    return {content: Qrels.from_dicts(rows) for content, rows in JUDGED.items()}


def _probe(format_: Any, content: str, table: Table) -> Probe:
    try:
        read_table = read_back(format_, write(format_, table))
    except FovealError as error:
        return Probe(content, is_held=False, reason=str(error).partition("\n")[0])
    return Probe(content, _is_unchanged(table, read_table))


def write(format_: Any, table: Table) -> bytes:
    """A table as the format's writer writes it."""
    if isinstance(table, Run):
        data: bytes = format_.write(table)
        return data
    judgements: bytes = format_.written(table, ELEMENTS)
    return judgements


def read_back(format_: Any, data: bytes) -> Table:
    """The table in some bytes; the elements of documents are given where paths need them."""
    elements = ELEMENTS if format_.name == "inex-xml" and isinstance(format_, QrelsFormat) else None
    source = held(data, f"example{format_.extensions[0]}")
    if isinstance(format_, RunFormat):
        return read_run(source, format_.name)
    return read_qrels(source, format_.name, elements=elements)


def _is_unchanged(written: Table, read: Table) -> bool:
    """True if all came back; a missing rank, score or length may have a value now."""
    if isinstance(written, Run) and isinstance(read, Run):
        missing = [name for name in ("rank", "score") if written.frame[name].null_count()]
        frame = read.frame.with_columns(written.frame.get_column(name) for name in missing)
        return written.equals(read.with_frame(frame)) and written.about == read.about
    if not isinstance(written, Qrels) or not isinstance(read, Qrels):
        return False
    if not written.documents["length"].null_count():
        return written.equals(read)
    columns = ["topic", "doc", "grade", "entry"]
    return written.equals(read) or (
        written.documents[columns].equals(read.documents[columns])
        and written.passages.equals(read.passages)
        and written.judgements.aspects is None
    )
