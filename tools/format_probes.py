"""What a format can hold, found out by writing small tables in it and reading them back."""

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
class Held:
    """Whether a format can hold something, and if not, why or how."""

    what: str
    is_held: bool
    reason: str = ""


def _ranked(*parts: Row) -> list[Row]:
    """The results of a topic, the best first."""
    return [
        {"topic": PLAIN, "doc": doc, "rank": place, "score": 3.5 - place, **part}
        for place, (doc, part) in enumerate(zip((FIRST, SECOND), parts, strict=True), 1)
    ]


def _run(rows: list[Row], **more: Any) -> Run:
    own = RunRows(frame=pl.DataFrame(rows), name="mine", **more)
    return Run.of(own, origin=Origin(format="inex-xml"))


def _judged(*rows: Row) -> list[Row]:
    """The judgements of two documents."""
    docs = zip((FIRST, SECOND), rows, strict=True)
    return [{"topic": PLAIN, "doc": doc, **row} for doc, row in docs]


def _without(names: Collection[str], rows: list[Row]) -> list[Row]:
    return [{key: value for key, value in row.items() if key not in names} for row in rows]


def _with_blanks(rows: list[Row]) -> list[Row]:
    return [{**row, "topic": WITH_BLANKS} for row in rows]


# What a format may have no place for, because it ranks by line; then its own runs lack it.
LOST = ((), ("score",), ("rank",), ("rank", "score"))
# What a run can return. A format's own runs are those of the first kind that it can hold.
RETURNED: dict[str, list[Row]] = {
    "parts, each with a start and an end": _ranked(SPAN, OTHER),
    "whole documents": _ranked({}, {}),
    "entry points, without text": _ranked({"start": 8, "end": 8}, {"start": 0, "end": 0}),
    "elements whose offsets are unknown": _ranked({"start": -1, "end": -1}, OTHER),
    "whole documents beside parts": _ranked({"start": None, "end": None}, OTHER),
    "the texts of parts": _ranked({**SPAN, "text": "First bold words."}, {**OTHER, "text": "one"}),
}
# What else a run may have or lack, made of the runs that a format can hold.
ALONE = {"scores without ranks": "score", "ranks without scores": "rank"}
CHANGED: dict[str, Callable[[list[Row]], Run]] = {
    "scores without ranks": lambda rows: _run(_without(["rank"], rows)),
    "ranks without scores": lambda rows: _run(_without(["score"], rows)),
    "topics with blanks in their names": lambda rows: _run(_with_blanks(rows)),
    "what a submission says about itself": lambda rows: _run(rows, about=ABOUT),
}
PASSAGES: tuple[Row, Row] = ({"highlights": [[8, 25], [44, 51]]}, {"highlights": []})
MEASURED = ({**PASSAGES[0], "length": LENGTHS[FIRST]}, {**PASSAGES[1], "length": LENGTHS[SECOND]})
# What judgements can say. A format's own judgements are those of the last kind that it can hold.
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


def held_by_runs(known: RunFormat) -> list[Held]:
    """What a format can hold of a run."""
    lost = _lost(known)
    found = [_tried(known, what, run) for what, run in _runs(lost).items()]
    own = _without(lost, RETURNED[next(one.what for one in found if one.is_held)])
    return found + [
        Held(what, is_held=False) if ALONE.get(what) in lost else _tried(known, what, change(own))
        for what, change in CHANGED.items()
    ]


def _lost(known: RunFormat) -> tuple[str, ...]:
    """What a format has no place for: as little as possible, so that it can hold some run."""
    return next(
        lost
        for lost in LOST
        if any(_tried(known, what, run).is_held for what, run in _runs(lost).items())
    )


def held_by_qrels(known: QrelsFormat) -> list[Held]:
    """What a format can hold of judgements."""
    found = [_tried(known, what, qrels) for what, qrels in _qrels().items()]
    own = JUDGED[next(one.what for one in reversed(found) if one.is_held)]
    found.append(_tried(known, BLANKS, Qrels.from_dicts(_with_blanks(own))))
    return [*found, Held(ASSESSORS, known.write_assessors is not None, MERGED)]


def example(known: RunFormat | QrelsFormat) -> tuple[bytes, Table]:
    """A file that the format's writer wrote, and what its reader found in it, which is the same."""
    tables: list[Table] = (
        [*_runs(_lost(known)).values()]
        if isinstance(known, RunFormat)
        else [*reversed(_qrels().values())]
    )
    before = next(own for own in tables if _tried(known, "", own).is_held)
    data = written(known, before)
    return data, read_back(known, data)


@cache
def _runs(lost: tuple[str, ...]) -> dict[str, Run]:
    return {what: _run(_without(lost, rows)) for what, rows in RETURNED.items()}


@cache
def _qrels() -> dict[str, Qrels]:
    return {what: Qrels.from_dicts(rows) for what, rows in JUDGED.items()}


def _tried(known: Any, what: str, table: Table) -> Held:
    try:
        again = read_back(known, written(known, table))
    except FovealError as error:
        return Held(what, is_held=False, reason=str(error).partition("\n")[0])
    return Held(what, _is_kept(table, again))


def written(known: Any, table: Table) -> bytes:
    """A table as the format's writer writes it."""
    if isinstance(table, Run):
        data: bytes = known.write(table)
        return data
    judgements: bytes = known.written(table, ELEMENTS)
    return judgements


def read_back(known: Any, data: bytes) -> Table:
    """The table in some bytes; the elements of documents are given where paths need them."""
    elements = ELEMENTS if known.name == "inex-xml" and isinstance(known, QrelsFormat) else None
    source = held(data, f"example{known.extensions[0]}")
    if isinstance(known, RunFormat):
        return read_run(source, known.name)
    return read_qrels(source, known.name, elements=elements)


def _is_kept(before: Table, after: Table) -> bool:
    """Whether all came back; a rank, a score or a length may be new where there was none."""
    if isinstance(before, Run) and isinstance(after, Run):
        absent = [name for name in ("rank", "score") if before.frame[name].null_count()]
        frame = after.frame.with_columns(before.frame.get_column(name) for name in absent)
        return before.equals(after.with_frame(frame)) and before.about == after.about
    if not isinstance(before, Qrels) or not isinstance(after, Qrels):
        return False
    if not before.documents["length"].null_count():
        return before.equals(after)
    kept = ["topic", "doc", "grade", "entry"]
    return before.equals(after) or (
        before.documents[kept].equals(after.documents[kept])
        and before.passages.equals(after.passages)
        and before.judgements.aspects is None
    )
