"""Columns of a run under other names: what is missing, and what was probably meant."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches

from foveal.errors import shortened
from foveal.tables import _columns as c

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


def missing_and_meant(missing: Sequence[str], found: Collection[str], noun: str = "column") -> str:
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


def _meant(missing: Iterable[str], found: Collection[str]) -> Iterable[tuple[str, str]]:
    """Each missing column for which another one was probably meant, and the other one."""
    known = {bare(name): name for name in reversed(list(found)) if name not in c.RUN_COLUMNS}
    for name in missing:
        alike = [other for other in (name, *OTHER_NAMES.get(name, ())) if other in known]
        alike += get_close_matches(name, known, n=1, cutoff=0.75)
        if alike:
            yield name, known.pop(alike[0])


def bare(name: str) -> str:
    """A name in lower case and without marks between its words."""
    return re.sub(r"[^a-z0-9]", "", name.lower())
