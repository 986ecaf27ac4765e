"""Files whose columns have other names than those of a run."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from foveal.errors import BadInput, Problem
from foveal.tables import OTHER_NAMES, bare, missing_and_meant
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.files import Source

REQUIRED = (c.TOPIC, c.DOC)


def refuse_missing(found: Collection[str], source: Source, line: int | None, noun: str) -> None:
    """Refuse a table that lacks a column that every run has, or one end of its parts."""
    halves = (c.START, c.END)
    wanted = [*REQUIRED, *(halves if any(name in found for name in halves) else ())]
    missing = [name for name in wanted if name not in found]
    if missing:
        raise BadInput(source.name, [Problem(line, missing_and_meant(missing, found, noun))])


def looks_like_header(names: Iterable[str]) -> bool:
    """Whether fields are names of columns, at least one of them known, if only by another name."""
    fields = [name.strip() for name in names]
    known = {*OTHER_NAMES, *(name for others in OTHER_NAMES.values() for name in others)}
    return (
        len(fields) > 1
        and all(re.fullmatch(r"[^\W\d][\w .-]*", name) for name in fields)
        and any(bare(name) in known for name in fields)
    )
