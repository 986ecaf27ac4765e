"""Says why a file is not recognised or not read, and what it looks like instead."""

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
from foveal.tables import QrelsColumns, RunColumns, aliases
from foveal.tables import columns as c

MAX_LINES = 1000
PASSAGE = re.compile(r"^[0-9]+:[0-9]+$")

A_RUN, JUDGEMENTS, TOPICS = "a run", "judgements", "topics"
FORMATS: dict[str, Registry[Any]] = {
    A_RUN: RUN_FORMATS,
    JUDGEMENTS: QRELS_FORMATS,
    TOPICS: TOPICS_FORMATS,
}
HTML_ROOTS = {"html", "head", "body", "title"}
SEPARATORS = {",": "commas", ";": "semicolons", "|": "vertical bars"}
MAX_COLUMNS = 8


def unrecognised(source: Source, head: Head, content: str) -> str:
    """Reason why a file is not recognised as a run, judgements or topics, and what to do."""
    reason = other_content(source, content) or _empty_reason(head) or _markup_reason(head, content)
    return reason or _line_reason(head) or _columns_reason(head, content)


def mistake_in(source: Source, record: Any, content: str) -> str | None:
    """Hint at what a file is instead, if its recognised format cannot read it; None if unclear."""
    return other_content(source, content) or _other_format(source, record, content)


def _other_format(source: Source, record: Any, content: str) -> str | None:
    """Hint at a format that must be named and reads the first lines, unlike the recognised one."""
    for other in FORMATS[content].values():
        if other.recognises is only_named and _reads(other, source) and not _reads(record, source):
            option = _option(content)
            return (
                f"this looks like {other.name}, which is read only if named: give {option} {other.name}"
                f" (in Python format={other.name!r})"
            )
    return None


def _reads(record: Any, source: Source) -> bool:
    """True if a format reads the first lines of a source without problems."""
    try:
        return not record.read(_beginning(source), ReadOptions()).problems
    except BadInput:
        return False


def other_content(source: Source, content: str) -> str | None:
    """Hint at the actual content of a file, if it is not a run, judgements or topics as expected."""
    head = source.head()
    for other_name, formats in FORMATS.items():
        if other_name == content:
            continue
        for record in by_certainty(formats.values()):
            if record.gold and record.name in FORMATS[content]:
                continue
            if record.recognises(head) and _is_sure(record, source, head):
                swapped = {other_name, content} == {A_RUN, JUDGEMENTS}
                hint = ": were they swapped? Judgements come first, then runs" if swapped else ""
                return f"this looks like {other_name} ({record.name}), not {content}{hint}"
    return None


def _is_sure(record: Any, source: Source, head: Head) -> bool:
    """True if a format recognises a file by its root or keys, or reads its first lines."""
    if record.gold or (head.root and not record.guesses):
        return True
    try:
        rows = record.read(_beginning(source) if record.is_text else source, ReadOptions())
    except BadInput:
        return False
    if rows.problems:
        return False
    # A JSON object of one kind may be readable as another; fields that only one kind has decide.
    if isinstance(rows, TopicsRows):
        return rows.frame[c.TITLE].null_count() < rows.frame.height
    return _are_judgements(rows) if isinstance(rows, QrelsRows) else _are_results(rows)


def _beginning(source: Source) -> Source:
    """The first lines of a source: all lines of a large file could give millions of problems."""
    # Two blocks: the end of an array may come alone, as a last line without a newline.
    blocks = source.blocks(HEAD_SIZE, unchecked=True)
    data = b"".join(block.data for block in islice(blocks, 2))
    return Source(source.name, source.path, io.BytesIO(data))


def _are_judgements(rows: QrelsRows) -> bool:
    """True if rows say what was judged; start and end alone could be those of a run."""
    frame = rows.documents
    if isinstance(frame, QrelsColumns):
        return True
    names = [name for name in (*c.RELEVANCE_COLUMNS, c.ASSESSOR) if name in frame.columns]
    return any(frame[name].null_count() < frame.height for name in names)


def _are_results(rows: RunRows) -> bool:
    """True if rows have ranks or scores, and no columns of judgements."""
    frame = rows.frame.frame if isinstance(rows.frame, RunColumns) else rows.frame
    ranks = [name for name in (c.RANK, c.SCORE) if name in frame.columns]
    qrels_names = {*rows.ignored, *frame.columns} & {*c.RELEVANCE_COLUMNS}
    if c.START in frame.columns and frame[c.START].null_count() < frame.height:
        # Beside a start, the length is that of a part.
        qrels_names.discard(c.LENGTH)
    # Judgements of six columns could be a TREC run whose tag is a number.
    return (
        any(frame[name].null_count() < frame.height for name in ranks)
        and not qrels_names
        and not rows.tag.isdigit()
    )


def _empty_reason(head: Head) -> str | None:
    if head.line or head.magic == PARQUET_MAGIC:
        return None
    return "nothing but blank lines and comments" if head.magic else "the file is empty"


def _markup_reason(head: Head, content: str) -> str | None:
    if head.root.lower() in HTML_ROOTS:
        return f"an HTML page, not {content}: perhaps an error or login page was saved as this file"
    if not head.root:
        return None
    roots = " or ".join(f"<{root}>" for root in _roots(content))
    return f"XML with the root <{shortened(head.root, 40)}>, not {content}, whose root is {roots}"


def _roots(content: str) -> Iterator[str]:
    """Names of the root elements of the formats in XML."""
    for record in FORMATS[content].values():
        if match := re.match(r"<([\w-]+)", record.shape):
            yield match[1]


def _line_reason(head: Head) -> str | None:
    """Reason why the first line has no fields."""
    line = head.line.strip()
    if "\0" in line:
        return "zero bytes: not a text file, or UTF-16 (`iconv -f UTF-16 -t UTF-8` converts it)"
    if line.startswith("["):
        return "a JSON array, but not of objects: every item must be an object with topic and doc"
    return None


def _columns_reason(head: Head, content: str) -> str:
    line, columns = head.line.strip(), width(head)
    if content == JUDGEMENTS and is_of_dynamic_domain(head):
        return (
            "this looks like judgements of TREC Dynamic Domain (topic, subtopic, doc, passage, grade),"
            " which grade passages without saying where they are: keep one line of topic, subtopic, doc"
            " and grade for each document of a subtopic (--qrels-format trec-subtopics); if these are"
            " INEX's, give --qrels-format inex"
        )
    records = [record for record in FORMATS[content].values() if record.guesses]
    shapes = ", ".join(
        f"{record.name} is `{record.shape}`"
        for record in sorted(records, key=lambda record: len(record.shape))
    )
    separator = max(SEPARATORS, key=line.count)
    if columns == 1 and separator in line:
        return f"fields separated by {SEPARATORS[separator]}: {_separation(content, separator, shapes)}"
    if columns > 1 and content != TOPICS:
        header = "a header, perhaps, and " if looks_like_header(line.split()) else ""
        long = content == A_RUN and columns > MAX_COLUMNS
        hint = "; --lenient ignores everything after the sixth column of a TREC run" if long else ""
        return f"{header}{counted(columns, 'column')}, which fit no format: {shapes}{hint}"
    parquet_hint = ", but as Parquet" if head.magic == PARQUET_MAGIC else ""
    names = ", ".join(sorted(FORMATS[content]))
    return f"not recognised as {content}{parquet_hint}: give {_option(content)}, one of {names}"


def _option(content: str) -> str:
    """Option that names the format of a file."""
    return "--qrels-format" if content == JUDGEMENTS else "--format"


def _separation(content: str, separator: str, shapes: str) -> str:
    """Advice how to separate the fields of a table."""
    if content != A_RUN:
        return f"separate them by blanks ({shapes})"
    if separator == ",":
        return "put a header on the first line (topic, doc and any of start, end, rank, score)"
    return "separate them by commas or tabs"


def content_of(source: Source) -> Content | None:
    """Content of a source as far as its first lines show it; None if it could be either."""
    head = source.head()
    qrels_record, run_record = _recognising(QRELS_FORMATS, head), _recognising(RUN_FORMATS, head)
    if qrels_record and qrels_record.names:
        return _content_of_columns(qrels_record.names(source))
    if qrels_record and not qrels_record.guesses:
        return Content.JUDGEMENTS
    is_run = head.root or (run_record and not run_record.guesses)
    return Content.RUN if is_run else _content_of_lines(source)


def _content_of_columns(names: Collection[str]) -> Content | None:
    """Content of rows with these columns; None for spans without rank, score or tag."""
    if has_qrels_columns(names):
        return Content.JUDGEMENTS
    run_names = {c.RANK, c.SCORE, c.TAG, c.RUN, *aliases.BY_COLUMN[c.SCORE]}
    has_start = c.START in names or aliases.alias_by_column([c.START], names)
    return None if has_start and run_names.isdisjoint(names) else Content.RUN


def _recognising(formats: Registry[AnyFormat], head: Head) -> AnyFormat | None:
    """First format that recognises a file."""
    records = (record for record in by_certainty(formats.values()) if record.recognises(head))
    return next(records, None)


def _content_of_lines(source: Source) -> Content:
    """Content of lines: judgements have 4 or 5 columns, or passages from the seventh on."""
    for fields in islice(_fields(source), MAX_LINES):
        if len(fields) in {4, 5} or any(PASSAGE.match(field) for field in fields[6:]):
            return Content.JUDGEMENTS
    return Content.RUN


def _fields(source: Source) -> Iterator[list[str]]:
    for _, line in source.numbered_lines(HEAD_SIZE):
        text = line.strip(" \t\r")
        if text and not text.startswith("#"):
            yield re.split(r"[ \t\r]+", text)
