"""Aliases of our columns in other tools, and columns that a user probably meant."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import Any

from foveal.errors import shortened
from foveal.late import pl
from foveal.tables import _columns as c

# The exact name wins, then the first alias that is present; identifiers come before texts.
BY_COLUMN = {
    c.TOPIC: ("query_id", "qid", "question_id", "query"),
    c.DOC: (
        "doc_id",
        # PyTerrier has both, and its docid is an internal number.
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
# Columns of results, and of judgements, that may have an alias.
RUN_FIELDS = (c.TOPIC, c.DOC, c.START, c.END, c.SCORE, c.TEXT)
QRELS_FIELDS = (c.TOPIC, c.DOC, c.START, c.END, c.GRADE, c.TEXT)
# Keys of a chunk's metadata in frameworks, and Haystack's names, which tables do not use.
METADATA = ("metadata", "meta")
HAYSTACK_ALIASES = {c.DOC: ("source_id", "file_name"), c.START: ("split_idx_start",)}
# Columns that metadata may have, and the types of their values.
_OFFSET = (int, float, str)
_METADATA_TYPES = {c.DOC: (str, int), c.START: _OFFSET, c.END: _OFFSET, c.TEXT: (str,)}
# Other names that people use, in lower case and without punctuation.
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
# Keys of a topic's hits, or of one of them, in the objects of frameworks.
HITS = {"documents", "sourcedocuments", "retrieveddocuments", "hits", "chunks", "nodes", "kwargs"}
# Offsets have too many names for a list: charStart, begin_offset, split_idx_start, from, end_pos.
_OFFSET_WORD = "(?:(?:char|character|chunk|span|split|node|byte|idx|index|offset|pos|position)s?)*"
_OFFSET_PATTERNS = {
    c.START: f"(?:text|passage)?{_OFFSET_WORD}(?:start|begin|from){_OFFSET_WORD}",
    c.END: f"(?:text|passage)?{_OFFSET_WORD}(?:end|stop|to){_OFFSET_WORD}",
}
_COLUMNS = {*c.RUN_COLUMNS, *c.JUDGEMENT_COLUMNS}
# Aliases of the columns of scores; the first that is present counts.
SCORE_ALIASES = {
    c.MEASURE: (c.MEASURE, "metric", "metricname"),
    c.TOPIC: (c.TOPIC, "qid", "queryid", "query", "topicid"),
    c.RUN: (c.RUN, "system", "model", "name", "runid", "method"),
    c.VALUE: (c.VALUE, c.SCORE, "result"),
}
# Headers of row names in R, pandas and others.
ROW_NAMES = ("", "rownames", "unnamed0")
SHOWN_NAMES = 12


def with_metadata(item: dict[str, Any]) -> dict[str, Any]:
    """Fill in the document, offsets and text that a row lacks from its metadata.

    >>> with_metadata({"page_content": "Two fish.", "metadata": {"source": "a", "page": 3}})
    {'page_content': 'Two fish.', 'source': 'a'}
    """
    metadata = [inner for name in METADATA if isinstance(inner := item.get(name), Mapping)]
    values: dict[str, Any] = {}
    for column, types in _METADATA_TYPES.items() if metadata else ():
        names = (column, *BY_COLUMN[column])
        if any(item.get(name) is not None for name in names):
            continue
        candidates = (
            (key, inner[key])
            for inner in metadata
            for key in (*names, *HAYSTACK_ALIASES.get(column, ()))
            if isinstance(inner.get(key), types) and not isinstance(inner[key], bool)
        )
        for key, value in islice(candidates, 1):
            values[key if key in names else column] = value
    if not values:
        return item
    return {**{key: item[key] for key in item if key not in METADATA}, **values}


def alias_by_column(columns: Iterable[str], names: Collection[str]) -> dict[str, str]:
    """The alias, by column, of each column that is present only under another name."""
    alias_of: dict[str, str] = {}
    for column in columns:
        unused = {*names} - {*alias_of.values()}
        candidates = [name for name in BY_COLUMN.get(column, ()) if name in unused]
        if column not in names and candidates:
            alias_of[column] = candidates[0]
    return alias_of


def score_columns(names: Sequence[str]) -> dict[str, str]:
    """A table's own name for each column of scores; a first column of row names is the topic."""
    by_spelling = {folded(name): name for name in reversed(names)} | {name: name for name in names}
    alias_of = {
        column: next((by_spelling[alias] for alias in spellings if alias in by_spelling), None)
        for column, spellings in SCORE_ALIASES.items()
    }
    if alias_of[c.TOPIC] is None and names and folded(names[0]) in ROW_NAMES:
        alias_of[c.TOPIC] = names[0]
    return {column: alias for column, alias in alias_of.items() if alias is not None}


def columns_setting(*aliases_used: Mapping[str, str]) -> dict[str, str]:
    """The setting that lists the aliases used in several tables, each once; empty without any."""
    pairs = dict.fromkeys(pair for alias_pairs in aliases_used for pair in alias_pairs.items())
    texts = [f"{alias} as {column}" for alias, column in pairs]
    return {"columns": ", ".join(texts)} if texts else {}


def columns_with_values(frame: pl.DataFrame) -> list[str]:
    """The columns with a value in any row; all columns of a table without rows."""
    return [
        name
        for name in frame.columns
        if not frame.height or frame[name].null_count() < frame.height
    ]


def renamed(
    frame: pl.DataFrame, columns: Iterable[str], kept_columns: Collection[str] = ()
) -> tuple[pl.DataFrame, dict[str, str]]:
    """Rename columns of other tools to ours; also return the aliases used.

    Columns without values are ignored; those in `kept_columns` keep their names.
    """
    names = [name for name in columns_with_values(frame) if name not in kept_columns]
    alias_of = alias_by_column(columns, names)
    aliases_used = {alias: column for column, alias in alias_of.items()}
    return frame.drop(alias_of, strict=False).rename(aliases_used), aliases_used


def missing_columns(missing: Sequence[str], names: Collection[str], noun: str = "column") -> str:
    """A sentence with the missing columns, those of the table, and those to rename."""
    plural = "" if len(missing) == 1 else "s"
    absent = f"no {noun}{plural} {' and '.join(map(repr, missing))}"
    first_names = ", ".join(list(names)[:SHOWN_NAMES]) or "none"
    ellipsis = ", …" if len(names) > SHOWN_NAMES else ""
    return f"{absent} (found: {shortened(first_names)}{ellipsis}){rename_question(missing, names)}"


def rename_question(missing: Iterable[str], names: Collection[str]) -> str:
    """A question whether to rename columns that look like the missing ones; empty if none does."""
    suggestions = [f"{alias!r} to {column!r}" for column, alias in _suggestions(missing, names)]
    return f": rename {' and '.join(suggestions)}?" if suggestions else ""


def reason_not_a_run(names: Collection[str], noun: str = "column") -> str | None:
    """The reason why columns are not those of a run: topic, doc, start or end is missing.

    A column that looks like the start or end of parts says that results are not whole documents.
    The length of a part, or its text, may replace its end.
    """
    columns = {*names, *alias_by_column(BY_COLUMN, names)}
    if c.START in columns and not columns.isdisjoint((c.LENGTH, c.TEXT)):
        columns.add(c.END)
    offsets = [c.START, c.END]
    has_parts = not columns.isdisjoint(offsets) or any(True for _ in _suggestions(offsets, names))
    missing = [name for name in (c.TOPIC, c.DOC, *offsets * has_parts) if name not in columns]
    if not missing:
        return None
    lists = [name for name in names if folded(name) in HITS]
    if lists and c.DOC in missing:
        return (
            f"no {noun} {c.DOC!r}, but {lists[0]!r}: give the hits of a topic as a list under"
            ' "results", as in {"topic": …, "results": [{"page_content": …, "metadata": {…}}, …]}'
        )
    lacks_topic_only = missing == [c.TOPIC] and not rename_question(missing, names)
    reason = missing_columns(missing, names, noun)
    return f"{reason}: every row needs the id of its question" if lacks_topic_only else reason


def suggested_columns(names: Collection[str]) -> dict[str, str]:
    """Ignored columns that look like a rank, score or text, each with that column."""
    columns = (c.RANK, c.SCORE) if c.START in names else (c.RANK, c.SCORE, c.TEXT)
    absent = [name for name in columns if name not in names]
    return {ignored: column for column, ignored in _suggestions(absent, names)}


def suggestion_notes(renames: dict[str, str], noun: str) -> tuple[str, ...]:
    """Note: ignored columns that look like columns of runs."""
    if not renames:
        return ()
    ignored, columns = (" and ".join(map(repr, names)) for names in (renames, renames.values()))
    plural, them = ("s", "them") if len(renames) > 1 else ("", "it")
    return (f"ignored {noun}{plural} {ignored}: rename {them} to {columns}?",)


def _suggestions(missing: Iterable[str], names: Collection[str]) -> Iterable[tuple[str, str]]:
    """Each missing column with a present one that looks like it."""
    by_spelling = {folded(name): name for name in reversed(list(names)) if name not in _COLUMNS}
    for name in missing:
        if name in _OFFSET_PATTERNS:
            # A name that is only spelled similarly, such as state, must not make a run be refused.
            similar = [text for text in by_spelling if re.fullmatch(_OFFSET_PATTERNS[name], text)]
        else:
            spellings = (name, *map(folded, BY_COLUMN.get(name, ())), *LOOK_ALIKES.get(name, ()))
            similar = [text for text in spellings if text in by_spelling]
            similar += get_close_matches(name, by_spelling, n=1, cutoff=0.75)
        if similar:
            yield name, by_spelling.pop(similar[0])


def is_run_column(name: str) -> bool:
    """Whether this is the name or an alias of a run's column."""
    spelling = folded(name)
    known_aliases = (
        alias
        for column in c.RUN_COLUMNS
        for alias in (*BY_COLUMN.get(column, ()), *LOOK_ALIKES.get(column, ()))
    )
    return spelling in {*c.RUN_COLUMNS, *map(folded, known_aliases)} or any(
        re.fullmatch(pattern, spelling) for pattern in _OFFSET_PATTERNS.values()
    )


def folded(name: str) -> str:
    """A name in lower case and without punctuation."""
    return re.sub(r"[^a-z0-9]", "", name.lower())
