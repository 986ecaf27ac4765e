"""SQuAD's files, versions 1 and 2: paragraphs with questions and answers, in one JSON document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from foveal.errors import Problem, shortened
from foveal.files import Source
from foveal.formats._format import QrelsRows, ReadOptions, TopicsRows, qrels_format, topics_format
from foveal.formats._gold_rows import gold_rows, gold_topics
from foveal.formats._json_tree import Node, has_keys, json_tree, located
from foveal.tables import columns as c

DATA, TITLE, PARAGRAPHS, CONTEXT, QUESTIONS = "data", "title", "paragraphs", "context", "qas"
ID, QUESTION, IMPOSSIBLE = "id", "question", "is_impossible"
ANSWERS, START, TEXT = "answers", "answer_start", "text"
# A question without an answer was judged, too, by this assessor.
FIRST_ASSESSOR = "1"


def _questions(source: Source, problems: list[Problem]) -> list[tuple[str, str, Node]]:
    """Each question with the name and the text of its document."""
    documents: list[tuple[str, str]] = []
    nodes: list[Node] = []
    numbers: Counter[str] = Counter()
    for index, article in enumerate(json_tree(source, problems).objects(DATA)):
        title = article.item.get(TITLE)
        name = title if isinstance(title, str) and title else str(index)
        for paragraph in article.objects(PARAGRAPHS):
            context = paragraph.text(CONTEXT) or ""
            questions = list(paragraph.objects(QUESTIONS))
            nodes += questions
            # Articles of the same title may come more than once.
            documents += [(f"{name}#{numbers[name]}", context)] * len(questions)
            numbers[name] += 1
    nodes = located(nodes, source, QUESTION)
    return [(*document, node) for document, node in zip(documents, nodes, strict=True)]


def _rows(question: Node, document: str, context: str) -> Iterator[dict[str, Any]]:
    """Row for each answer, numbered by assessor; for a question without answers, one without span."""
    topic, line = question.name(ID), question.line
    row = {c.TOPIC: topic, c.DOC: document, c.LENGTH: len(context), c.LINE: line}
    answers = [] if question.item.get(IMPOSSIBLE) is True else list(question.objects(ANSWERS))
    if not answers:
        yield {**row, c.ASSESSOR: FIRST_ASSESSOR}
    for number, node in enumerate(answers, 1):
        answer = replace(node, line=line)
        start, text = answer.offset(answer.item.get(START), START), answer.text(TEXT)
        if start is None or text is None:
            continue
        if context[start : start + len(text)] != text:
            short_text = shortened(text, 40)
            answer.refuse(f"{short_text!r} is not at character {start:,} of the context")
        span = {c.START: start, c.END: start + len(text)}
        yield {**row, **span, c.ASSESSOR: str(number)}


_RECORD: dict[str, Any] = {
    "shape": '{"data": [{"title": ..., "paragraphs": [{"context": ..., "qas": [{"id": ...,'
    ' "question": ..., "answers": [{"answer_start": ..., "text": ...}]}]}]}]}',
    "examples": (
        '{"version": "1.1", "data": [{"title": "Oslo", "paragraphs": [{"context": "Oslo is in Norway.",'
        ' "qas": [{"id": "q1", "question": "Where is Oslo?",'
        ' "answers": [{"answer_start": 11, "text": "Norway"}]}]}]}]}',
    ),
    "extensions": (".json",),
    "recognises": lambda head: has_keys(head, DATA, PARAGRAPHS),
    "gold": True,
}


@qrels_format(
    name="squad",
    title="SQuAD questions with answers",
    sentence="Versions 1 and 2. Documents are the paragraphs, called title#0, title#1, …; the answers"
    " to a question are those of assessors 1, 2, … Only read.",
    **_RECORD,
)
def read_qrels(source: Source, options: ReadOptions) -> QrelsRows:
    """Answers to every question; one without any was judged, without highlights."""
    problems: list[Problem] = []
    questions = _questions(source, problems)
    rows = [row for name, context, node in questions for row in _rows(node, name, context)]
    return gold_rows(rows, source, options, problems, ())


@topics_format(
    name="squad",
    title="SQuAD questions",
    sentence="The questions of a file in SQuAD's format.",
    **_RECORD,
)
def read_topics(source: Source, options: ReadOptions) -> TopicsRows:
    """Every question with its id."""
    problems: list[Problem] = []
    questions = _questions(source, problems)
    rows = [(node.name(ID), node.text(QUESTION), node.line) for _, _, node in questions]
    return gold_topics(rows, problems)
