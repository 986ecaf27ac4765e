"""LegalBench-RAG's benchmarks: questions with snippets of files, in one JSON document."""

from __future__ import annotations

from typing import Any

from foveal.errors import Problem, counted, value_text
from foveal.files import Source
from foveal.formats._format import QrelsRows, ReadOptions, TopicsRows, qrels_format, topics_format
from foveal.formats._gold_rows import gold_rows, gold_topics, made_note, made_topics
from foveal.formats._json_tree import Node, has_keys, json_tree, located
from foveal.formats._qrels_rows import other_length
from foveal.tables import columns as c

TESTS, QUERY, SNIPPETS = "tests", "query", "snippets"
FILE, SPAN, ANSWER = "file_path", "span", "answer"
LETTER = "l"


def _tests(source: Source, problems: list[Problem]) -> tuple[list[Node], list[str]]:
    """Tests of a benchmark, and an id for each."""
    tests = list(json_tree(source, problems).objects(TESTS))
    return located(tests, source, QUERY), made_topics(LETTER, len(tests))


def _row(snippet: Node) -> dict[str, Any]:
    """Document and span of a snippet."""
    span = snippet.item.get(SPAN)
    if not isinstance(span, list) or len(span) != 2:
        snippet.refuse(f"{SPAN} is {value_text(span)}, not a pair [start, end]")
        span = [0, 0]
    start, end = (snippet.offset(value, SPAN) for value in span)
    answer = snippet.item.get(ANSWER)
    if start is not None and end is not None:
        if end < start:
            snippet.refuse(f"{SPAN} ends before it starts: {start}, {end}")
        elif isinstance(answer, str) and len(answer) != end - start:
            snippet.refuse(other_length(ANSWER, len(answer), end - start))
    return {c.DOC: snippet.name(FILE), c.START: start, c.END: end, c.LINE: snippet.line}


_RECORD: dict[str, Any] = {
    "shape": '{"tests": [{"query": ..., "snippets": [{"file_path": ..., "span": [start, end]}]}]}',
    "examples": (
        '{"tests": [{"query": "May it be assigned?",'
        ' "snippets": [{"file_path": "nda.txt", "span": [120, 480]}]}]}',
    ),
    "extensions": (".json",),
    "recognises": lambda head: has_keys(head, TESTS, SNIPPETS),
    "gold": True,
}


@qrels_format(
    name="legalbenchrag",
    title="LegalBench-RAG benchmark",
    sentence="Questions with the spans that answer them; topics are called l000, l001, … by place."
    " Only read.",
    **_RECORD,
)
def read_qrels(source: Source, options: ReadOptions) -> QrelsRows:
    """Snippets of every test."""
    problems: list[Problem] = []
    tests, topics = _tests(source, problems)
    rows: list[dict[str, Any]] = []
    empty = 0
    for topic, test in zip(topics, tests, strict=True):
        snippets = [{c.TOPIC: topic, **_row(snippet)} for snippet in test.objects(SNIPPETS)]
        empty += not snippets
        rows += snippets
    notes = made_note(topics)
    if empty:
        notes += (f"left out {counted(empty, 'question')} without snippets",)
    return gold_rows(rows, source, options, problems, notes)


@topics_format(
    name="legalbenchrag",
    title="LegalBench-RAG questions",
    sentence="The questions of a benchmark, called l000, l001, … by place.",
    **_RECORD,
)
def read_topics(source: Source, options: ReadOptions) -> TopicsRows:
    """Question of every test."""
    problems: list[Problem] = []
    tests, topics = _tests(source, problems)
    rows = [(topic, test.text(QUERY), test.line) for topic, test in zip(topics, tests, strict=True)]
    return gold_topics(rows, problems)
