"""Why a file is not recognised: what it looks like instead, and what to do about it."""

from __future__ import annotations

import io
import re
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any

from foveal.choices import Content
from foveal.errors import BadInput, counted, shortened
from foveal.files import HEAD_SIZE, PARQUET_MAGIC, Head, Source
from foveal.formats._format import (
    QRELS_FORMATS,
    RUN_FORMATS,
    TOPICS_FORMATS,
    AnyFormat,
    QrelsRows,
    ReadOptions,
    RunRows,
    TopicsRows,
    by_certainty,
    is_of_dynamic_domain,
    looks_like_header,
    only_named,
    width,
)
from foveal.formats._qrels_rows import has_qrels_columns
from foveal.registry import Registry
from foveal.tables import ALIASES, QrelsColumns, RunColumns, aliased
from foveal.tables import columns as c

LOOKED_AT = 1000
PASSAGE = re.compile(r"^[0-9]+:[0-9]+$")

A_RUN, JUDGEMENTS, TOPICS = "a run", "judgements", "topics"
FORMATS: dict[str, Registry[Any]] = {
    A_RUN: RUN_FORMATS,
    JUDGEMENTS: QRELS_FORMATS,
    TOPICS: TOPICS_FORMATS,
}
HTML_ROOTS = {"html", "head", "body", "title"}
SEPARATORS = {",": "commas", ";": "semicolons", "|": "vertical bars"}
MOST_COLUMNS = 8


def diagnosed(source: Source, head: Head, content: str) -> str:
    """Why a file is not recognised as a run, judgements or topics, and what to do."""
    found = other_content(source, content) or _nothing(head) or _markup(head, content)
    return found or _not_lines(head) or _lines(head, content)


def mistaken(source: Source, chosen: Any, content: str) -> str | None:
    """What a file looks like that the format chosen by its columns cannot read."""
    return other_content(source, content) or _if_named(source, chosen, content)


def _if_named(source: Source, chosen: Any, content: str) -> str | None:
    """Which format that is taken only if named reads the first lines, where the chosen one does not."""
    for known in FORMATS[content].values():
        if known.recognises is only_named and _reads(known, source) and not _reads(chosen, source):
            option = _option(content)
            return (
                f"this looks like {known.name}, which is read only if named: give {option} {known.name}"
                f" (in Python format={known.name!r})"
            )
    return None


def _reads(known: Any, source: Source) -> bool:
    """Whether a format reads the first lines of a source as they are."""
    try:
        return not known.read(_beginning(source), ReadOptions()).problems
    except BadInput:
        return False


def other_content(source: Source, content: str) -> str | None:
    """What a file looks like if not what was asked for: a run, judgements or topics."""
    head = source.head()
    for other, formats in FORMATS.items():
        if other == content:
            continue
        for known in by_certainty(formats.values()):
            if known.gold and known.name in FORMATS[content]:
                continue
            if known.recognises(head) and _is_sure(known, source, head):
                swapped = {other, content} == {A_RUN, JUDGEMENTS}
                hint = ": were they swapped? Judgements come first, then runs" if swapped else ""
                return f"this looks like {other} ({known.name}), not {content}{hint}"
    return None


def _is_sure(known: Any, source: Source, head: Head) -> bool:
    """Whether a format recognises a file by its root or keys, or reads its first lines as they are."""
    if known.gold or (head.root and not known.guesses):
        return True
    try:
        rows = known.read(_beginning(source) if known.is_text else source, ReadOptions())
    except BadInput:
        return False
    if rows.problems:
        return False
    # JSON objects of one kind can be read as another; only fields of one kind decide.
    if isinstance(rows, TopicsRows):
        return rows.frame[c.TITLE].null_count() < rows.frame.height
    return _is_judged(rows) if isinstance(rows, QrelsRows) else _is_run(rows)


def _beginning(source: Source) -> Source:
    """The first lines of a source: all lines of a large file could be millions of problems."""
    # A small file may end with a line of its own without a newline, the end of an array.
    blocks = source.blocks(HEAD_SIZE, unchecked=True)
    data = b"".join(block.data for block in islice(blocks, 2))
    return Source(source.name, source.path, io.BytesIO(data))


def _is_judged(rows: QrelsRows) -> bool:
    """Whether rows say what was judged; start and end alone could be those of a run."""
    frame = rows.documents
    if isinstance(frame, QrelsColumns):
        return True
    says = [name for name in (*c.SPEAKS_OF_RELEVANCE, c.ASSESSOR) if name in frame.columns]
    return any(frame[name].null_count() < frame.height for name in says)


def _is_run(rows: RunRows) -> bool:
    """Whether rows have ranks or scores, and no columns of judgements."""
    frame = rows.frame.frame if isinstance(rows.frame, RunColumns) else rows.frame
    ranks = [name for name in (c.RANK, c.SCORE) if name in frame.columns]
    judges = {*rows.ignored, *frame.columns} & {*c.SPEAKS_OF_RELEVANCE}
    if c.START in frame.columns and frame[c.START].null_count() < frame.height:
        # It is the length of a part.
        judges.discard(c.LENGTH)
    # Judgements of six columns could be a TREC run whose tag is a number.
    return (
        any(frame[name].null_count() < frame.height for name in ranks)
        and not judges
        and not rows.tag.isdigit()
    )


def _nothing(head: Head) -> str | None:
    if head.line or head.magic == PARQUET_MAGIC:
        return None
    return "nothing but blank lines and comments" if head.magic else "the file is empty"


def _markup(head: Head, content: str) -> str | None:
    if head.root.lower() in HTML_ROOTS:
        return f"an HTML page, not {content}: perhaps an error or login page was saved as this file"
    if not head.root:
        return None
    known = " or ".join(f"<{root}>" for root in _roots(content))
    return f"XML with the root <{shortened(head.root, 40)}>, not {content}, whose root is {known}"


def _roots(content: str) -> Iterator[str]:
    """The roots of the formats in XML."""
    for known in FORMATS[content].values():
        if found := re.match(r"<([\w-]+)", known.shape):
            yield found[1]


def _not_lines(head: Head) -> str | None:
    """Why a file has no lines of fields."""
    line = head.line.strip()
    if "\0" in line:
        return "zero bytes: not a text file, or UTF-16 (`iconv -f UTF-16 -t UTF-8` converts it)"
    if line.startswith("["):
        return "a JSON array, but not of objects: every item must be an object with topic and doc"
    return None


def _lines(head: Head, content: str) -> str:
    line, columns = head.line.strip(), width(head)
    if content == JUDGEMENTS and is_of_dynamic_domain(head):
        return (
            "this looks like judgements of TREC Dynamic Domain (topic, subtopic, doc, passage, grade),"
            " which grade passages without saying where they are: keep one line of topic, subtopic, doc"
            " and grade for each document of a subtopic (--qrels-format trec-subtopics); if these are"
            " INEX's, give --qrels-format inex"
        )
    known = [one for one in FORMATS[content].values() if one.guesses]
    shapes = ", ".join(
        f"{one.name} is `{one.shape}`" for one in sorted(known, key=lambda one: len(one.shape))
    )
    separator = max(SEPARATORS, key=line.count)
    if columns == 1 and separator in line:
        return (
            f"fields separated by {SEPARATORS[separator]}: {_instead(content, separator, shapes)}"
        )
    if columns > 1 and content != TOPICS:
        header = "a header, perhaps, and " if looks_like_header(line.split()) else ""
        long = content == A_RUN and columns > MOST_COLUMNS
        hint = "; --lenient ignores everything after the sixth column of a TREC run" if long else ""
        return f"{header}{counted(columns, 'column')}, which fit no format: {shapes}{hint}"
    seen = ", but as Parquet" if head.magic == PARQUET_MAGIC else ""
    names = ", ".join(sorted(FORMATS[content]))
    return f"not recognised as {content}{seen}: give {_option(content)}, one of {names}"


def _option(content: str) -> str:
    """The option that names the format of a file."""
    return "--qrels-format" if content == JUDGEMENTS else "--format"


def _instead(content: str, separator: str, shapes: str) -> str:
    """How to separate the fields of a table."""
    if content != A_RUN:
        return f"separate them by blanks ({shapes})"
    if separator == ",":
        return "put a header on the first line (topic, doc and any of start, end, rank, score)"
    return "separate them by commas or tabs"


def content_of(source: Source) -> Content | None:
    """What a source holds, as far as its first lines show; None if it could be either."""
    head = source.head()
    judged, returned = _first(QRELS_FORMATS, head), _first(RUN_FORMATS, head)
    if judged and judged.names:
        return _content_of_names(judged.names(source))
    if judged and not judged.guesses:
        return Content.JUDGEMENTS
    is_run = head.root or (returned and not returned.guesses)
    return Content.RUN if is_run else _content_of_words(source)


def _content_of_names(names: Collection[str]) -> Content | None:
    """What rows with these columns are; passages without a rank, a score or a tag could be either."""
    if has_qrels_columns(names):
        return Content.JUDGEMENTS
    said_by_runs = {c.RANK, c.SCORE, c.TAG, c.RUN, *ALIASES[c.SCORE]}
    placed = c.START in names or aliased([c.START], names)
    return None if placed and said_by_runs.isdisjoint(names) else Content.RUN


def _first(formats: Registry[AnyFormat], head: Head) -> AnyFormat | None:
    """The format that recognises a file."""
    known = (known for known in by_certainty(formats.values()) if known.recognises(head))
    return next(known, None)


def _content_of_words(source: Source) -> Content:
    """Judgements have four or five columns, or passages from the seventh on; all else is a run."""
    for fields in islice(_fields(source), LOOKED_AT):
        if len(fields) in {4, 5} or any(PASSAGE.match(field) for field in fields[6:]):
            return Content.JUDGEMENTS
    return Content.RUN


def _fields(source: Source) -> Iterator[list[str]]:
    for block in source.blocks(HEAD_SIZE):
        for line in block.data.decode().split("\n"):
            text = line.strip(" \t\r")
            if text and not text.startswith("#"):
                yield re.split(r"[ \t\r]+", text)
