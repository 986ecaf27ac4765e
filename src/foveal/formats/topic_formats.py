"""Reads topics: INEX's XML, TREC's tags, Indri's queries, JSON lines, tab-separated titles."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeGuard

from foveal.errors import Problem, counted, value_text
from foveal.formats._format import ReadOptions, TopicsRows, is_json, topics_format
from foveal.formats._json_values import identifiers, is_unicode, objects
from foveal.formats._xml import visit
from foveal.late import html, pl
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.files import Source

# In lower case: in 2002 they began with capitals.
ROOTS = {
    *("inex_topic", "inex-topic", "topic"),
    *("inex_topics", "inex-topics", "inex-topic-file", "topics"),
}
TOPIC_TAGS = {"inex_topic", "inex-topic", "topic"}
IDENTIFIERS = ("topic_id", "topic-id", "id")
TEXT_COLUMNS = [name for name in c.TOPIC_COLUMNS if name != c.TOPIC]
# Every other field becomes a column; a real file has about ten.
MAX_FIELDS = 100
# TREC's tags, the column of each, and the word that may come before the text.
TREC_FIELDS = {
    "num": (c.TOPIC, "number"),
    "title": (c.TITLE, "topic"),
    "desc": (c.DESCRIPTION, "description"),
    "narr": (c.NARRATIVE, "narrative"),
    # Of the first years only.
    **{
        tag: (tag, word)
        for tag, word in {
            "con": r"concept(\(s\)|s)?",
            "dom": "domain",
            "def": r"definition(\(s\)|s)?",
            "fac": r"factor(\(s\)|s)?",
            "nat": "nationality",
            "smry": "summary",
            "time": "time",
        }.items()
    },
}
TAG = re.compile(r"<(/?[a-zA-Z]+)>")
BLANKS = " \t\r\n"

Row = dict[str, Any]


def _table(rows: list[Row], problems: list[Problem]) -> TopicsRows:
    """Topics from rows with line numbers; other fields than foveal's become columns, too."""
    schema: dict[str, type[pl.DataType]] = {**c.TOPIC_SCHEMA, c.LINE: pl.UInt32}
    fields = dict.fromkeys(name for row in rows for name in row if name not in schema)
    if len(fields) > MAX_FIELDS:
        reason = f"topics have {len(fields):,} different fields, at most {MAX_FIELDS} are read"
        problems.append(Problem(None, reason))
        fields = {}
    schema |= dict.fromkeys(fields, pl.String)
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    reported_lines = {problem.line for problem in problems}
    problems += [
        Problem(row[c.LINE], "a topic without an identifier")
        for row in rows
        if not row.get(c.TOPIC) and row[c.LINE] not in reported_lines
    ]
    return TopicsRows(frame=frame, problems=problems)


class _Fields:
    """Names of all elements except topics and the roots around them."""

    def __contains__(self, name: object) -> bool:
        return str(name).lower() not in ROOTS


class _InexTopics:
    """Collects INEX topics from XML; a title may contain XML."""

    texts: ClassVar[Container[str]] = _Fields()

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.problems: list[Problem] = []
        self._is_open = False

    def started(self, name: str, attributes: Mapping[str, str], line: int) -> None:
        """Start a topic."""
        if name.lower() in TOPIC_TAGS and not self._is_open:
            topic = next((attributes[key] for key in IDENTIFIERS if attributes.get(key)), None)
            self._is_open = True
            self.rows.append({c.TOPIC: topic, c.LINE: line})
            for key, value in attributes.items():
                if key not in IDENTIFIERS:
                    self._keep(key, value)

    def ended(self, name: str, text: str, line: int) -> None:
        """Keep a field, the first of its name, or end the topic."""
        if name.lower() in TOPIC_TAGS:
            self._is_open = False
        elif self._is_open:
            self._keep(name, text)

    def _keep(self, name: str, text: str) -> None:
        """Keep a field under its name of 2004: in 2002 it was Query-Type."""
        if text:
            self.rows[-1].setdefault(name.lower().replace("-", "_"), _on_one_line(text))


class _IndriQueries:
    """Collects the queries in a file of Indri's parameters."""

    texts: ClassVar[Mapping[str, str]] = {"number": c.TOPIC, "text": c.TITLE}

    def __init__(self) -> None:
        self.rows: list[Row] = []

    def started(self, name: str, attributes: Mapping[str, str], line: int) -> None:
        """Start a query."""
        if name == "query":
            self.rows.append({c.LINE: line})

    def ended(self, name: str, text: str, line: int) -> None:
        """Keep the number or the text of a query."""
        if self.rows and text and name in self.texts:
            self.rows[-1].setdefault(self.texts[name], _on_one_line(text))


def _tagged(source: Source) -> Iterator[tuple[int, str, str]]:
    """Line, tag and the text after it on the line; the text before the first tag has an empty tag."""
    for number, line in source.numbered_lines():
        first_text, *rest = TAG.split(line)
        yield number, "", first_text
        for tag, text in zip(rest[::2], rest[1::2], strict=True):
            yield number, tag.lower(), text


def _trec_row(texts_by_tag: Row) -> Row:
    """Fields of a topic without their labels, such as `Number:`."""
    row: Row = {c.LINE: texts_by_tag.pop(c.LINE)}
    for tag, texts in texts_by_tag.items():
        name, word = TREC_FIELDS.get(tag, (tag, ""))
        text = html.unescape(_on_one_line(" ".join(texts)))
        if word:
            text = re.sub(rf"^{word}:\s*", "", text, flags=re.IGNORECASE)
        if text:
            row.setdefault(name, text)
    return row


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


@topics_format(
    name="inex-xml",
    title="INEX topics",
    sentence="XML of 2002-2010: title, castitle, phrasetitle, mmtitle, description, narrative, and"
    " every other field or attribute, such as query_type.",
    shape='<inex_topic topic_id="..."> or <topic id="..."> with <title>, <description>, <narrative>',
    examples=('<topic id="2009001" ct_no="6"><title>Nobel prize</title></topic>',),
    extensions=(".xml",),
    recognises=lambda head: head.root.lower() in ROOTS,
)
def read_inex(source: Source, options: ReadOptions) -> TopicsRows:
    """Topics in one or several XML documents."""
    topics = _InexTopics()
    visit(source, topics)
    return _table(topics.rows, topics.problems)


@topics_format(
    name="trec",
    title="TREC topics",
    sentence="Fields after tags that need not be closed: num, title, desc, narr, and others such as"
    " con, dom, head.",
    shape="<top> <num> Number: ... <title> Topic: ... <desc> ... <narr> ... </top>",
    examples=("<top> <num> Number: 301 <title> International Organized Crime </top>",),
    extensions=(".trec",),
    recognises=lambda head: head.root.lower() == "top",
)
def read_trec(source: Source, options: ReadOptions) -> TopicsRows:
    """Topics between <top> and </top>; other tags need not be closed."""
    rows: list[Row] = []
    problems: list[Problem] = []
    field: str | None = None
    for number, tag, text in _tagged(source):
        if tag == "top":
            rows.append({c.LINE: number})
        if tag:
            is_field = not tag.startswith("/") and tag not in {"top", c.TOPIC, c.LINE}
            field = tag if is_field else None
        if not rows and (field in TREC_FIELDS or text.strip(BLANKS)):
            problems.append(Problem(number, "text before the first <top>"))
        elif rows and field:
            rows[-1].setdefault(field, []).append(text)
    return _table([_trec_row(row) for row in rows], problems)


@topics_format(
    name="indri",
    title="Indri queries",
    sentence="XML of parameters; the text of a query, operators included, is the title of its topic.",
    shape="<parameters> with <query> <number>...</number> <text>...</text> </query>",
    examples=(
        "<parameters><query><number>301</number><text>#combine(organized crime)</text></query></parameters>",
    ),
    extensions=(".xml",),
    recognises=lambda head: head.root == "parameters",
)
def read_indri(source: Source, options: ReadOptions) -> TopicsRows:
    """Queries of a file of parameters."""
    queries = _IndriQueries()
    visit(source, queries)
    return _table(queries.rows, [])


@topics_format(
    name="jsonl",
    title="JSON Lines topics",
    sentence="One object per topic; the title may also be called query. Other keys that hold text or"
    " numbers are kept.",
    shape='{"topic": ..., "title": ..., "description": ..., "narrative": ...}',
    examples=('{"topic": "51", "title": "airbus subsidies"}',),
    extensions=(".jsonl", ".ndjson"),
    recognises=is_json,
)
def read_jsonl(source: Source, options: ReadOptions) -> TopicsRows:
    """Topics in objects, one each; the title may also be called `query`."""
    problems: list[Problem] = []
    rows: list[Row] = []
    for line, item in objects(source, problems):
        if item.get(c.TITLE) is None:
            item[c.TITLE] = item.pop("query", None)
        item[c.LINE] = line
        rows.append(item)
        problems += [
            Problem(line, f"{name} is {value_text(item[name])}, not text")
            for name in TEXT_COLUMNS
            if item.get(name) is not None and not _is_text(item[name])
        ]
    lines = [row[c.LINE] for row in rows]
    names = identifiers(c.TOPIC, [row.get(c.TOPIC) for row in rows], lines, problems)
    texts = [
        {name: text for name, value in row.items() if (text := _as_text(value))}
        | {c.TOPIC: topic, c.LINE: row[c.LINE]}
        for row, topic in zip(rows, names, strict=True)
    ]
    return _table(texts, problems)


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and is_unicode(value)


def _as_text(value: object) -> str | None:
    """Text as it is, a number or a Boolean as in JSON; None for other values."""
    if isinstance(value, int | float):
        return json.dumps(value)
    return value if _is_text(value) else None


@topics_format(
    name="tsv",
    title="Tab-separated topics",
    sentence="A topic, a tab and its title; or columns under a header that begins with topic.",
    shape="topic, tab, title",
    examples=("51\tairbus subsidies",),
    extensions=(".tsv",),
    recognises=lambda head: "\t" in head.line,
    guesses=True,
)
def read_tsv(source: Source, options: ReadOptions) -> TopicsRows:
    """Topics in lines of an id, a tab and a title, or under a header with column names."""
    problems: list[Problem] = []
    rows: list[Row] = []
    names = [c.TOPIC, c.TITLE]
    for number, line in source.numbered_lines():
        fields = line.strip("\r").split("\t")
        if not line.strip(BLANKS) or line.startswith("#"):
            continue
        if not rows and fields[0] == c.TOPIC:
            names = [name.strip(BLANKS) for name in fields]
            continue
        if len(fields) != len(names):
            reason = f"{counted(len(fields), 'column')}, expected {len(names)}: {', '.join(names)}"
            problems.append(Problem(number, reason))
            continue
        cells = dict(zip(names, fields, strict=True))
        texts = {name: text.strip(BLANKS) or None for name, text in cells.items() if name}
        rows.append({**texts, c.LINE: number})
    return _table(rows, problems)
