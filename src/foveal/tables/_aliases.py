"""What retrieval frameworks and other tools call our columns, and what a user probably meant."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import Any

from foveal.errors import shortened
from foveal.late import pl
from foveal.tables import _columns as c

# The exact name wins, then the first of these that is there; identifiers come before texts.
BY_COLUMN = {
    c.TOPIC: ("query_id", "qid", "question_id", "query"),
    c.DOC: (
        "doc_id",
        # PyTerrier has both, and its docid is a number of its own.
        "docno",
        "docid",
        "document_id",
        "document",
        "source",
        "file_path",
        "filename",
        "ref_doc_id",
    ),
    c.START: ("start_index", "start_char_idx", "start_char", "begin", "offset"),
    c.END: ("end_index", "end_char_idx", "end_char"),
    c.TEXT: ("content", "page_content", "chunk", "passage"),
    c.GRADE: ("label", "relevance"),
    c.SCORE: ("similarity", "distance"),
    c.TITLE: ("query", "text"),
}
# What a result may have under another name, and a judgement.
OF_RUNS = (c.TOPIC, c.DOC, c.START, c.END, c.SCORE, c.TEXT)
OF_JUDGEMENTS = (c.TOPIC, c.DOC, c.START, c.END, c.GRADE, c.TEXT)
# Where frameworks keep what they know of a chunk, and Haystack's names, which are in no table.
METADATA = ("metadata", "meta")
OF_HAYSTACK = {c.DOC: ("source_id", "file_name"), c.START: ("split_idx_start",)}
# What is looked for there, and the kinds of values that it has.
_OFFSET = (int, float, str)
_INSIDE = {c.DOC: (str, int), c.START: _OFFSET, c.END: _OFFSET, c.TEXT: (str,)}
# What else people call the columns, in lower case and without marks between words.
LOOK_ALIKES = {
    c.TOPIC: ("queryid", "topicid", "topicno", "question", "questionid", "q"),
    c.DOC: (
        *("docid", "documentid", "corpusid", "did", "file", "filepath", "pid", "passageid"),
        *("article", "id"),
    ),
    c.RANK: ("position", "pos"),
    c.SCORE: ("rsv", "sim", "relevance", "value"),
    c.GRADE: ("rel", "judgement", "judgment"),
    c.TEXT: ("body", "chunktext", "passagetext", "snippet", "contents", "textcontent"),
}
# What holds the hits of a topic, or one of them, where frameworks write their own objects.
HITS = {"documents", "sourcedocuments", "retrieveddocuments", "hits", "chunks", "nodes", "kwargs"}
# Offsets have too many names for a list: charStart, begin_offset, split_idx_start, from, end_pos.
_PLACE = "(?:(?:char|character|chunk|span|split|node|byte|idx|index|offset|pos|position)s?)*"
_OFFSETS = {
    c.START: f"(?:text|passage)?{_PLACE}(?:start|begin|from){_PLACE}",
    c.END: f"(?:text|passage)?{_PLACE}(?:end|stop|to){_PLACE}",
}
_OURS = {*c.RUN_COLUMNS, *c.JUDGEMENT_COLUMNS}
# What other tools call the columns of scores; the first that is there counts.
OF_SCORES = {
    c.MEASURE: (c.MEASURE, "metric", "metricname"),
    c.TOPIC: (c.TOPIC, "qid", "queryid", "query", "topicid"),
    c.RUN: (c.RUN, "system", "model", "name", "runid", "method"),
    c.VALUE: (c.VALUE, c.SCORE, "result"),
}
# What R, pandas and others put over the names of rows.
ROW_NAMES = ("", "rownames", "unnamed0")
SHOWN_NAMES = 12


def unfolded(item: dict[str, Any]) -> dict[str, Any]:
    """A row with the document, offsets and text of its metadata, where it does not say so itself.

    >>> unfolded({"page_content": "Two fish.", "metadata": {"source": "a", "page": 3}})
    {'page_content': 'Two fish.', 'source': 'a'}
    """
    inside = [inner for name in METADATA if isinstance(inner := item.get(name), Mapping)]
    found: dict[str, Any] = {}
    for ours, kinds in _INSIDE.items() if inside else ():
        names = (ours, *BY_COLUMN[ours])
        if any(item.get(name) is not None for name in names):
            continue
        told = (
            (key, inner[key])
            for inner in inside
            for key in (*names, *OF_HAYSTACK.get(ours, ()))
            if isinstance(inner.get(key), kinds) and not isinstance(inner[key], bool)
        )
        for key, value in islice(told, 1):
            found[key if key in names else ours] = value
    if not found:
        return item
    return {**{key: item[key] for key in item if key not in METADATA}, **found}


def aliased(wanted: Iterable[str], found: Collection[str]) -> dict[str, str]:
    """Their name of each wanted column that is there under another name, by our name."""
    taken: dict[str, str] = {}
    for ours in wanted:
        free = {*found} - {*taken.values()}
        theirs = [name for name in BY_COLUMN.get(ours, ()) if name in free]
        if ours not in found and theirs:
            taken[ours] = theirs[0]
    return taken


def scores_called(names: Sequence[str]) -> dict[str, str]:
    """The alias of each column of scores that is there, by our name; a first column of row names is the topic."""
    spelled = {bare(name): name for name in reversed(names)} | {name: name for name in names}
    aliases = {
        column: next((spelled[alias] for alias in others if alias in spelled), None)
        for column, others in OF_SCORES.items()
    }
    if aliases[c.TOPIC] is None and names and bare(names[0]) in ROW_NAMES:
        aliases[c.TOPIC] = names[0]
    return {column: alias for column, alias in aliases.items() if alias is not None}


def columns_setting(*taken: Mapping[str, str]) -> dict[str, str]:
    """The setting that says what was taken for what in some tables, each once; none if nothing was."""
    pairs = dict.fromkeys(pair for names in taken for pair in names.items())
    return {"columns": ", ".join(f"{theirs} as {ours}" for theirs, ours in pairs)} if pairs else {}


def filled(frame: pl.DataFrame) -> list[str]:
    """The columns that have values; if there are no rows, all."""
    return [
        name
        for name in frame.columns
        if not frame.height or frame[name].null_count() < frame.height
    ]


def renamed(
    frame: pl.DataFrame, wanted: Iterable[str], also: Collection[str] = ()
) -> tuple[pl.DataFrame, dict[str, str]]:
    """The frame with columns of other tools under our names, and which were taken for which.

    A column of ours without values does not count as one; those in `also` keep their names.
    """
    taken = aliased(wanted, [name for name in filled(frame) if name not in also])
    theirs = {name: ours for ours, name in taken.items()}
    return frame.drop(taken, strict=False).rename(theirs), theirs


def missing_and_meant(missing: Sequence[str], found: Collection[str], noun: str = "column") -> str:
    """Which columns are missing, which were probably meant, and which there are."""
    names = " and ".join(map(repr, missing))
    what = f"no {noun} {names}" if len(missing) == 1 else f"no {noun}s {names}"
    shown = ", ".join(list(found)[:SHOWN_NAMES]) or "none"
    more = ", …" if len(found) > SHOWN_NAMES else ""
    return f"{what} (found: {shortened(shown)}{more}){renaming(missing, found)}"


def renaming(missing: Iterable[str], found: Collection[str]) -> str:
    """A question about the columns that were probably meant; nothing if none looks like it."""
    meant = [f"{theirs!r} to {ours!r}" for ours, theirs in _meant(missing, found)]
    return f": rename {' and '.join(meant)}?" if meant else ""


def not_a_run(found: Collection[str], noun: str = "column") -> str | None:
    """Why columns are not those of a run: topic or doc is missing, or where a part starts or ends.

    A column that looks like the start or end of parts says that results are not whole documents.
    The length of a part, or its text, may take the place of its end.
    """
    known = {*found, *aliased(BY_COLUMN, found)}
    if c.START in known and not known.isdisjoint((c.LENGTH, c.TEXT)):
        known.add(c.END)
    halves = [c.START, c.END]
    has_parts = not known.isdisjoint(halves) or any(True for _ in _meant(halves, found))
    missing = [name for name in (c.TOPIC, c.DOC, *halves * has_parts) if name not in known]
    if not missing:
        return None
    lists = [name for name in found if bare(name) in HITS]
    if lists and c.DOC in missing:
        return (
            f"no {noun} {c.DOC!r}, but {lists[0]!r}: give the hits of a topic as a list under"
            ' "results", as in {"topic": …, "results": [{"page_content": …, "metadata": {…}}, …]}'
        )
    is_bare = missing == [c.TOPIC] and not renaming(missing, found)
    told = missing_and_meant(missing, found, noun)
    return f"{told}: every row needs the id of its question" if is_bare else told


def misnamed(found: Collection[str]) -> dict[str, str]:
    """Ignored columns that were probably meant as a rank, a score or a text, and as which."""
    wanted = (c.RANK, c.SCORE) if c.START in found else (c.RANK, c.SCORE, c.TEXT)
    absent = [name for name in wanted if name not in found]
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
    known = {bare(name): name for name in reversed(list(found)) if name not in _OURS}
    for name in missing:
        if name in _OFFSETS:
            # A name that is only spelled alike, such as state, is no reason to refuse a run.
            alike = [other for other in known if re.fullmatch(_OFFSETS[name], other)]
        else:
            others = (name, *map(bare, BY_COLUMN.get(name, ())), *LOOK_ALIKES.get(name, ()))
            alike = [other for other in others if other in known]
            alike += get_close_matches(name, known, n=1, cutoff=0.75)
        if alike:
            yield name, known.pop(alike[0])


def is_known(name: str) -> bool:
    """Whether this is the name of a run's column, or what somebody calls one."""
    spelled = bare(name)
    others = (
        other
        for ours in c.RUN_COLUMNS
        for other in (*BY_COLUMN.get(ours, ()), *LOOK_ALIKES.get(ours, ()))
    )
    return spelled in {*c.RUN_COLUMNS, *map(bare, others)} or any(
        re.fullmatch(pattern, spelled) for pattern in _OFFSETS.values()
    )


def bare(name: str) -> str:
    """A name in lower case and without marks between its words."""
    return re.sub(r"[^a-z0-9]", "", name.lower())
