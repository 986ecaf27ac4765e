"""Columns of a run under other names: what is missing, what was found, what was probably meant."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from foveal.errors import BadInput, Problem, shortened
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.files import Source

REQUIRED = (c.TOPIC, c.DOC)
# What else people call the columns, in lower case and without marks between words.
OTHER_NAMES = {
    c.TOPIC: ("qid", "queryid", "topicid", "query", "question", "questionid", "q"),
    c.DOC: ("docno", "docid", "document", "documentid", "corpusid", "did", "file", "pid", "id"),
    c.START: ("begin", "from", "startchar", "charstart", "startoffset", "startindex", "offset"),
    c.END: ("stop", "to", "endchar", "charend", "endoffset", "endindex"),
    c.RANK: ("position", "pos"),
    c.SCORE: ("rsv", "similarity", "sim", "relevance", "value"),
}
SHOWN_NAMES = 12


def refuse_missing(found: Collection[str], source: Source, line: int | None, noun: str) -> None:
    """Refuse a table that lacks a column that every run has, or one end of its parts."""
    halves = (c.START, c.END)
    wanted = [*REQUIRED, *(halves if any(name in found for name in halves) else ())]
    missing = [name for name in wanted if name not in found]
    if missing:
        raise BadInput(source.name, [Problem(line, missing_columns(missing, found, noun))])


def missing_columns(missing: Sequence[str], found: Collection[str], noun: str = "column") -> str:
    """Which columns are missing, which were probably meant, and which there are."""
    names = " and ".join(map(repr, missing))
    what = f"no {noun} {names}" if len(missing) == 1 else f"no {noun}s {names}"
    meant = [f"{theirs!r} to {ours!r}" for ours, theirs in _meant(missing, found)]
    question = f": rename {' and '.join(meant)}?" if meant else ""
    shown = ", ".join(list(found)[:SHOWN_NAMES]) or "none"
    more = ", …" if len(found) > SHOWN_NAMES else ""
    return f"{what} (found: {shortened(shown)}{more}){question}"


def misnamed(found: Collection[str]) -> dict[str, str]:
    """Ignored columns that were probably meant as a missing one, and as which."""
    absent = [name for name in OTHER_NAMES if name not in found]
    return {theirs: ours for ours, theirs in _meant(absent, found)}


def misnamed_note(meant: dict[str, str], noun: str) -> tuple[str, ...]:
    """A note about ignored columns that were probably meant as others."""
    if not meant:
        return ()
    theirs, ours = (" and ".join(map(repr, names)) for names in (meant, meant.values()))
    plural, them = ("s", "them") if len(meant) > 1 else ("", "it")
    return (f"ignored {noun}{plural} {theirs}: rename {them} to {ours}?",)


def looks_like_header(names: Iterable[str]) -> bool:
    """Whether fields are names of columns, at least one of them known, if only by another name."""
    fields = [name.strip() for name in names]
    known = {*OTHER_NAMES, *(name for others in OTHER_NAMES.values() for name in others)}
    return (
        len(fields) > 1
        and all(re.fullmatch(r"[^\W\d][\w .-]*", name) for name in fields)
        and any(_bare(name) in known for name in fields)
    )


def _meant(missing: Iterable[str], found: Collection[str]) -> Iterable[tuple[str, str]]:
    """Each missing column for which another one was probably meant, and the other one."""
    bare = {_bare(name): name for name in reversed(list(found)) if name not in c.RUN_SCHEMA}
    for name in missing:
        alike = [other for other in (name, *OTHER_NAMES.get(name, ())) if other in bare]
        alike += get_close_matches(name, bare, n=1, cutoff=0.75)
        if alike:
            yield name, bare.pop(alike[0])


def _bare(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
