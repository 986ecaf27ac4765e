"""Files whose columns have other names than those of a run."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from foveal.errors import BadInput, Problem
from foveal.tables import columns as c
from foveal.tables import is_known, not_a_run

if TYPE_CHECKING:
    from foveal.files import Source


def refuse_missing(found: Collection[str], source: Source, line: int | None, noun: str) -> None:
    """Refuse a table that lacks a column that every run has, or one end of its parts."""
    if reason := not_a_run(found, noun):
        raise BadInput(source.name, [Problem(line, reason)])


def refuse_other_than_run(
    found: Collection[str], source: Source, line: int | None, noun: str
) -> None:
    """Refuse a table of judgements, and one that lacks what every run has."""
    if c.HIGHLIGHTS in found and {c.START, c.RANK, c.SCORE}.isdisjoint(found):
        reason = f"{noun} {c.HIGHLIGHTS!r} belongs to judgements: were the files swapped?"
        raise BadInput(source.name, [Problem(line, reason)])
    refuse_missing(found, source, line, noun)


def looks_like_header(names: Iterable[str]) -> bool:
    """Whether fields are names of columns, at least one of them known, if only by another name."""
    fields = [name.strip() for name in names]
    return (
        len(fields) > 1
        and all(re.fullmatch(r"[^\W\d][\w .-]*", name) for name in fields)
        and any(map(is_known, fields))
    )
