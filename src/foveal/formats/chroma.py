"""Chroma's chunking evaluation: a table of questions whose references are JSON."""

from __future__ import annotations

from typing import Any

from foveal.errors import BadInput, Problem
from foveal.files import Source
from foveal.formats._format import QrelsRows, ReadOptions, TopicsRows, qrels_format, topics_format
from foveal.formats._gold_rows import gold_rows, gold_topics, made_note, made_topics
from foveal.formats._json_tree import Node
from foveal.formats._json_values import DECODER
from foveal.formats._qrels_rows import other_length
from foveal.formats.csv import COMMA, header, records
from foveal.late import pl
from foveal.tables import aliases
from foveal.tables import columns as c

QUESTION, REFERENCES, CORPUS = "question", "references", "corpus_id"
CONTENT, START, END = "content", "start_index", "end_index"
LETTER = "c"


def _table(source: Source) -> tuple[pl.DataFrame, list[str]]:
    """Rows of the table, and an id for each."""
    # A question may begin with #; if it were skipped as a comment, all later ids would be wrong.
    problems: list[Problem] = []
    frame = records(source, COMMA, problems, comments=False)
    if problems:
        raise BadInput(source.name, problems)
    missing = [name for name in (QUESTION, REFERENCES, CORPUS) if name not in frame.columns]
    if missing:
        names = [name for name in frame.columns if name != c.LINE]
        reason = aliases.missing_columns(missing, names)
        raise BadInput(source.name, [Problem(source.head().number, reason)])
    return frame, made_topics(LETTER, frame.height)


def _references(text: str | None, line: int, problems: list[Problem]) -> list[Node]:
    """References of a question."""
    try:
        row = {REFERENCES: DECODER.decode(text or "null")}
    except (ValueError, RecursionError):
        problems.append(Problem(line, f"{REFERENCES} is not JSON"))
        return []
    return list(Node(row, problems, line=line).objects(REFERENCES))


def _span(reference: Node) -> dict[str, Any]:
    """Start and end of a reference; a problem if its content has another length."""
    start, end = (reference.offset(reference.item.get(name), name) for name in (START, END))
    content = reference.item.get(CONTENT)
    if start is not None and end is not None:
        if end < start:
            reference.refuse(f"{END} is before {START}: {end}, {start}")
        elif isinstance(content, str) and len(content) != end - start:
            reference.refuse(other_length(CONTENT, len(content), end - start))
    return {c.START: start, c.END: end}


_RECORD: dict[str, Any] = {
    "shape": "question,references,corpus_id in a header; references is a JSON list of"
    ' {"content": ..., "start_index": ..., "end_index": ...}',
    "examples": (
        'question,references,corpus_id\n"Where is Oslo?",'
        '"[{""content"": ""Norway"", ""start_index"": 11, ""end_index"": 17}]",atlas',
    ),
    "extensions": (".csv",),
    "recognises": lambda head: {QUESTION, REFERENCES} <= set(header(head, COMMA)),
    "gold": True,
}


@qrels_format(
    name="chroma",
    title="Chroma's questions with references",
    sentence="Questions with the spans that answer them, as chunking_evaluation has them; topics are"
    " called c000, c001, … by row. Only read.",
    **_RECORD,
)
def read_qrels(source: Source, options: ReadOptions) -> QrelsRows:
    """References of every question; one without any was judged, without highlights."""
    problems: list[Problem] = []
    frame, topics = _table(source)
    rows: list[dict[str, Any]] = []
    cells = frame.select(REFERENCES, CORPUS, c.LINE).iter_rows()
    for topic, (text, corpus, line) in zip(topics, cells, strict=True):
        if corpus is None:
            problems.append(Problem(line, f"no {CORPUS}"))
        document = {c.TOPIC: topic, c.DOC: corpus, c.LINE: line}
        spans = [_span(reference) for reference in _references(text, line, problems)]
        rows += [{**document, **span} for span in spans or [{c.START: 0, c.END: 0}]]
    return gold_rows(rows, source, options, problems, made_note(topics))


@topics_format(
    name="chroma",
    title="Chroma's questions",
    sentence="The questions of a table, called c000, c001, … by row.",
    **_RECORD,
)
def read_topics(source: Source, options: ReadOptions) -> TopicsRows:
    """Question of every row."""
    frame, topics = _table(source)
    return gold_topics(zip(topics, frame[QUESTION], frame[c.LINE], strict=True), [])
