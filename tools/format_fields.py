"""Sentences about the fields of the formats, and how each format is recognised."""

from __future__ import annotations

import re

from foveal.formats import Format

# Words in the shape of a format that are no fields.
WORDS = frozenset(
    [
        "a",
        "and",
        "any",
        "are",
        "by",
        "columns",
        "elements",
        "header",
        "in",
        "index",
        "instead",
        "is",
        "joined",
        "json",
        "list",
        "needed",
        "of",
        "or",
        "separated",
        "tab",
        "tabs",
        "then",
        "with",
        "number:",
        "topic:",
    ]
)
WORD = re.compile(r"[A-Za-z][\w:-]*")
KEY = re.compile(r'"(\w+)":')
RUNS, JUDGEMENTS, TOPICS = "runs", "judgements", "topics"
# What a field is, in every content that has it.
FIELDS = {
    "topic": "the topic's identifier, kept as text: `051` is not `51`",
    "doc": "the document's identifier",
    "start": "the offset of the first character, counted from 0",
    "end": "the offset after the last character",
    "rank": "the place in the topic's ranking, from 1",
    "score": "the score, higher is better",
    "text": "the part's own text, by which `--docs` verifies or finds the offsets",
    "tag": "what trec_eval calls the run; elsewhere it is called like its file",
    "run": "the name of the run, instead of its file's",
    "results": "the topic's results in the order of the list, each an object",
    "Q0": "a column that TREC's programs expect; its value is ignored",
    "iter": "a column that trec_eval ignores, as foveal does",
    "pmid": "the document's identifier",
    "offset": "the offset of the first character, counted from 0",
    "length": "the document's length in characters",
    "paths": "instead of offset and length: an element, or the first and last element of a passage",
    "entry": "the offset of the best entry point",
    "grade": "how relevant the document is; 0 is not relevant",
    "rel_chars": "how many characters are highlighted, as the file states it",
    "assessor": "who judged; without it there is one assessor",
    "highlights": "the highlighted passages, each `[start, end]` or an object with `aspects`",
    "aspects": "the aspects that a document or passage is about: names, in JSON also with grades",
    "subtopic": "the aspect that the grade is for",
    "rel-chars": "how many characters are highlighted",
    "doc-chars": "the document's length in characters",
    "bep": "the offset of the best entry point; -1 if there is none",
    "offset:length": "a highlighted passage; as many as there are",
    "title": "the topic's title, or a question",
    "description": "the topic in a sentence",
    "narrative": "what counts as relevant",
    "inex-submission": "the submission; further attributes and elements say who made it and how",
    "run-id": "the name of the run",
    "topic-id": "the topic's identifier",
    "result": "one result",
    "file": "the document's identifier",
    "path": "the path of an element",
    "passage": "a passage, from one element or point to another",
    "fol": "a part as file, offset and length",
    "rsv": "the score, higher is better",
    "assessments": "the assessments of one topic",
    "name": "the document's identifier",
    "best-entry-point": "where a reader should begin",
    "inex_topic": "a topic",
    "topic_id": "the topic's identifier",
    "id": "the identifier of the topic or question",
    "top": "a topic",
    "num": "the topic's identifier",
    "desc": "the topic in a sentence",
    "narr": "what counts as relevant",
    "question": "the question, which is the topic's title",
    "references": "the spans that answer it, as a JSON list",
    "corpus_id": "the document's identifier",
    "content": "the text of a span",
    "start_index": "the offset of its first character",
    "end_index": "the offset after its last character",
    "parameters": "the parameters of a search; all but the queries are ignored",
    "number": "the topic's identifier",
    "tests": "the questions of the benchmark",
    "query": "the question, which is the topic's title",
    "snippets": "the spans that answer it",
    "file_path": "the document's identifier",
    "span": "start and end of a span",
    "version": "the version of the dataset; ignored",
    "data": "the articles",
    "paragraphs": "the paragraphs, each a document",
    "context": "the text of the document",
    "qas": "the questions about a paragraph",
    "answers": "the answers to a question; an empty list judges that there is none",
    "answer_start": "the offset of the answer's first character",
}
# Where the same word means something else.
OTHERWISE = {
    ("inex", RUNS, "length"): "the part's length in characters; without it, the offset is an entry point",
    ("inex-xml", RUNS, "length"): "the part's length in characters",
    ("inex-xml", RUNS, "topic"): "the results of a topic",
    ("inex-xml", RUNS, "start"): "the first element or point of a passage",
    ("inex-xml", RUNS, "end"): "the last element or point of a passage",
    ("inex-xml", JUDGEMENTS, "start"): "the first element or point of a passage",
    ("inex-xml", JUDGEMENTS, "end"): "the last element or point of a passage",
    ("inex-xml", JUDGEMENTS, "file"): "a judged document",
    ("inex-xml", JUDGEMENTS, "passage"): "a highlighted passage",
    ("inex-xml", TOPICS, "topic"): "a topic",
    ("trecgen", RUNS, "length"): "the part's length",
    ("trecgen", JUDGEMENTS, "length"): "the passage's length",
    ("squad", JUDGEMENTS, "title"): "the article's title, from which documents are named",
    ("indri", TOPICS, "query"): "a topic",
    ("indri", TOPICS, "text"): "the query, operators included, which is the topic's title",
    ("squad", TOPICS, "title"): "the article's title, from which documents are named",
    ("squad", JUDGEMENTS, "text"): "the answer's text, which gives its length",
    ("squad", TOPICS, "text"): "the answer's text, which gives its length",
}  # fmt: skip
# Columns that are read, but neither in the shape nor in an example.
ALSO_READ = {
    ("csv", JUDGEMENTS): ("aspects",),
    ("tsv", JUDGEMENTS): ("aspects",),
    ("parquet", JUDGEMENTS): ("aspects", "assessor", "text"),
}
# How the first lines of a file tell its format.
RECOGNISED = {
    "chroma": "the first line is a header with the columns `question` and `references`",
    "csv": "the first line is a header with known column names, separated by commas",
    "inex": "the first line has seven or eight fields",
    "inex-xml": "the first element is `inex-submission`",
    "jsonl": "the file begins with an object of JSON, or with a list of objects",
    "legalbenchrag": "the file begins with an object that has the keys `tests` and `snippets`",
    "parquet": "the first four bytes are those of Parquet",
    "squad": "the file begins with an object that has the keys `data` and `paragraphs`",
    "trec": "the first line has six fields",
    "trec-subtopics": "a document recurs in a topic under different values in column 2; otherwise it"
    " has to be named",
    "tsv": "the first line is a header with known column names, separated by tabs",
}
RECOGNISED_OTHERWISE = {
    ("inex", JUDGEMENTS): "the first line has five fields or more",
    ("inex-xml", JUDGEMENTS): "the first element is `assessments`",
    ("inex-xml", TOPICS): "the first element is `inex_topic`, `topic` or a list of topics",
    ("trec", JUDGEMENTS): "the first line has four fields",
    ("indri", TOPICS): "the first element is `parameters`",
    ("trec", TOPICS): "the first element is `top`",
    ("tsv", TOPICS): "the first line has a tab",
}


def fields_of(format_: Format, content: str) -> list[str]:
    """The fields of a format, in the order of its shape and of its examples."""
    names = [word for word in WORD.findall(format_.shape) if word.lower() not in WORDS]
    names += [key for example in format_.examples for key in KEY.findall(example)]
    names += ALSO_READ.get((format_.name, content), ())
    # Names of aspects in examples are values.
    return [name for name in dict.fromkeys(names) if name not in {"price", "colour"}]


def field_sentence(format_: Format, content: str, field: str) -> str:
    """The sentence about a field of a format."""
    return OTHERWISE.get((format_.name, content, field)) or FIELDS[field]


def recognised_by(format_: Format, content: str) -> str:
    """The sentence about how a format differs from others; empty if it cannot be recognised."""
    return RECOGNISED_OTHERWISE.get((format_.name, content)) or RECOGNISED.get(format_.name, "")
