"""A page for each format: what it holds, its fields, and files that were written and read back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.articles import ELEMENTS
from tests.held import held

from foveal.formats import (
    QRELS_FORMATS,
    RUN_FORMATS,
    TOPICS_FORMATS,
    Format,
    QrelsFormat,
    RunFormat,
    read_assessors,
    read_topics,
)
from foveal.formats._format import only_named
from foveal.tables import Run
from tools.format_fields import JUDGEMENTS, RUNS, TOPICS, field_sentence, fields_of, recognised_by
from tools.format_probes import Held, Table, example, held_by_qrels, held_by_runs
from tools.making import Lines, Page, aligned, block, code, page_text, prose, table, whole_pages

FOLDER = "reference/formats"
HEADINGS = (
    "What it holds", "A line or record", "How it is recognised", "Fields", "What it can hold",
    "Example",
)  # fmt: skip
CONTENTS: dict[str, Any] = {
    RUNS: RUN_FORMATS,
    JUDGEMENTS: QRELS_FORMATS,
    TOPICS: TOPICS_FORMATS,
}
OPTIONS = {RUNS: "--format", JUDGEMENTS: "--qrels-format"}
NAMED = "never recognised by their content: name the format"
ONLY_READ = "Only read; `foveal convert` writes the judgements in another format."
GUESSED = "The format is tried after those that can be told for sure."
# Columns of what was read, in the order in which a reader looks for them.
COLUMNS = (
    "topic", "doc", "start", "end", "rank", "score", "length", "entry", "grade", "highlights",
    "aspects", "title", "assessor",
)  # fmt: skip


def formats() -> dict[str, dict[str, Format]]:
    """Every format by its name, and under it what it can hold."""
    names = sorted({name for known in CONTENTS.values() for name in known})
    return {
        name: {content: known[name] for content, known in CONTENTS.items() if name in known}
        for name in names
    }


def page_of(name: str) -> str:
    """The page of a format, as seen from `docs`."""
    return f"{FOLDER}/{name}.md"


@whole_pages(FOLDER)
def pages() -> Iterator[Page]:
    """A page for each format."""
    for name, own in formats().items():
        yield page_of(name), page_text(_page(name, own))


def _page(name: str, own: dict[str, Format]) -> Lines:
    sections = {
        "What it holds": _holds(own),
        "A line or record": _shapes(own),
        "How it is recognised": _recognised(own),
        "Fields": _fields(own),
        "What it can hold": _can_hold(own),
        "Example": _examples(own),
    }
    titles = dict.fromkeys(known.title for known in own.values())
    yield from [f"# {name}", "", f"{', '.join(titles)}.", ""]
    yield from ["[Formats](../../formats.md) says what all formats have in common.", ""]
    for heading in HEADINGS:
        yield from [f"## {heading}", "", *sections[heading], ""]


def _holds(own: dict[str, Format]) -> Lines:
    return table(
        ["content", "what a file holds", "read", "written", "endings"],
        (
            [
                content, prose(known.sentence), "yes", "yes" if known.is_written else "no",
                ", ".join(map(code, known.extensions)),
            ]
            for content, known in own.items()
        ),
    )  # fmt: skip


def _shapes(own: dict[str, Format]) -> Lines:
    """The shape and the examples of each content; gold files have one of both."""
    shown: dict[tuple[str, ...], list[str]] = {}
    for content, known in own.items():
        shown.setdefault((known.shape, *known.examples), []).append(content)
    for (shape, *examples), contents in shown.items():
        yield from [f"**{' and '.join(contents).capitalize()}**", "", *block(shape)]
        if examples:
            yield from ["For example:", "", *block("\n".join(examples))]


def _recognised(own: dict[str, Format]) -> Lines:
    for content, known in own.items():
        by = recognised_by(known, content)
        if known.recognises is only_named and not by:
            how = f"{NAMED} (`{OPTIONS[content]} {known.name}`)."
        else:
            how = f"recognised by their content: {by}."
        guessed = f" {GUESSED}" if known.guesses else ""
        yield f"* **{content.capitalize()}** are {how}{guessed}"


def _fields(own: dict[str, Format]) -> Lines:
    """Each field with what it is; contents that agree on that share a row."""
    rows: dict[tuple[str, str], list[str]] = {}
    for content, known in own.items():
        for field in fields_of(known, content):
            rows.setdefault((field, field_sentence(known, content, field)), []).append(content)
    return table(
        ["field", "in", "what it is"],
        ([code(field), ", ".join(where), said] for (field, said), where in rows.items()),
    )


def _can_hold(own: dict[str, Format]) -> Lines:
    if any(known.is_written for known in own.values()):
        yield from ["Found out by writing small files and reading them back.", ""]
    for content, known in own.items():
        yield from [f"**{content.capitalize()}**", ""]
        if not known.is_written:
            yield from ["Only read." if content == TOPICS else ONLY_READ, ""]
            continue
        found = held_by_runs(known) if isinstance(known, RunFormat) else _held(known)
        yield from table(["what", "held"], ([one.what, _verdict(one)] for one in found))
        yield ""


def _held(known: Format) -> list[Held]:
    return held_by_qrels(known) if isinstance(known, QrelsFormat) else []


def _verdict(one: Held) -> str:
    if one.is_held:
        return "yes"
    return f"no: {prose(one.reason)}" if one.reason else "no: it is left out"


def _examples(own: dict[str, Format]) -> Lines:
    for content, known in own.items():
        yield from [f"**{content.capitalize()}**", ""]
        if isinstance(known, (RunFormat, QrelsFormat)) and known.is_written:
            data, read = example(known)
            if known.is_text:
                yield from ["A file that foveal wrote:", "", *block(data.decode())]
                yield from ["What it read back, which is the same:", ""]
            else:
                yield from ["What foveal wrote and read back, which is the same:", ""]
            yield from block(_shown(_rows(read)))
        else:
            yield from ["What foveal reads in the example above:", ""]
            yield from block(_shown(_read_example(known)))


def _read_example(known: Format) -> list[dict[str, Any]]:
    """The rows in the first example of a format that is only read."""
    source = held(known.examples[0].encode(), f"example{known.extensions[0]}")
    if not isinstance(known, QrelsFormat):
        return read_topics(source, known.name).frame.to_dicts()
    by = read_assessors(source, known.name, elements=ELEMENTS if known.name == "inex-xml" else None)
    return [{**row, "assessor": name} for name, qrels in by.items() for row in _rows(qrels)]


def _rows(read: Table) -> list[dict[str, Any]]:
    """The results, or the judged documents as JSON has them."""
    if isinstance(read, Run):
        return read.frame.to_dicts()
    written = QRELS_FORMATS["jsonl"].written(read, None).decode()
    return [json.loads(line) for line in written.splitlines()]


def _shown(rows: list[dict[str, Any]]) -> str:
    """Rows as a table of text, without columns that are empty."""
    names = [name for name in COLUMNS if any(row.get(name) is not None for row in rows)]
    return aligned([names, *([_cell(row.get(name)) for name in names] for row in rows)])


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return json.dumps(value) if isinstance(value, list) else str(value)
