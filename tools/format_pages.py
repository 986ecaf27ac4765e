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
from tools.format_probes import Probe, Table, example, probe_qrels, probe_runs
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
    """Every format by its name and its content, such as runs or topics."""
    names = sorted({name for by_name in CONTENTS.values() for name in by_name})
    return {
        name: {content: by_name[name] for content, by_name in CONTENTS.items() if name in by_name}
        for name in names
    }


def page_of(name: str) -> str:
    """The page of a format, as seen from `docs`."""
    return f"{FOLDER}/{name}.md"


@whole_pages(FOLDER)
def pages() -> Iterator[Page]:
    """A page for each format."""
    for name, by_content in formats().items():
        yield page_of(name), page_text(_page(name, by_content))


def _page(name: str, by_content: dict[str, Format]) -> Lines:
    sections = {
        "What it holds": _holds(by_content),
        "A line or record": _shapes(by_content),
        "How it is recognised": _recognised(by_content),
        "Fields": _fields(by_content),
        "What it can hold": _can_hold(by_content),
        "Example": _examples(by_content),
    }
    titles = dict.fromkeys(format_.title for format_ in by_content.values())
    yield from [f"# {name}", "", f"{', '.join(titles)}.", ""]
    yield from ["[Formats](../../formats.md) says what all formats have in common.", ""]
    for heading in HEADINGS:
        yield from [f"## {heading}", "", *sections[heading], ""]


def _holds(by_content: dict[str, Format]) -> Lines:
    return table(
        ["content", "what a file holds", "read", "written", "endings"],
        (
            [
                content, prose(format_.sentence), "yes", "yes" if format_.is_written else "no",
                ", ".join(map(code, format_.extensions)),
            ]
            for content, format_ in by_content.items()
        ),
    )  # fmt: skip


def _shapes(by_content: dict[str, Format]) -> Lines:
    """The shape and the examples of each content; gold files have one of both."""
    contents_by_shape: dict[tuple[str, ...], list[str]] = {}
    for content, format_ in by_content.items():
        contents_by_shape.setdefault((format_.shape, *format_.examples), []).append(content)
    for (shape, *examples), contents in contents_by_shape.items():
        yield from [f"**{' and '.join(contents).capitalize()}**", "", *block(shape)]
        if examples:
            yield from ["For example:", "", *block("\n".join(examples))]


def _recognised(by_content: dict[str, Format]) -> Lines:
    for content, format_ in by_content.items():
        by = recognised_by(format_, content)
        if format_.recognises is only_named and not by:
            recognition = f"{NAMED} (`{OPTIONS[content]} {format_.name}`)."
        else:
            recognition = f"recognised by their content: {by}."
        guessed = f" {GUESSED}" if format_.guesses else ""
        yield f"* **{content.capitalize()}** are {recognition}{guessed}"


def _fields(by_content: dict[str, Format]) -> Lines:
    """Each field with what it is; contents that agree on that share a row."""
    rows: dict[tuple[str, str], list[str]] = {}
    for content, format_ in by_content.items():
        for field in fields_of(format_, content):
            rows.setdefault((field, field_sentence(format_, content, field)), []).append(content)
    return table(
        ["field", "in", "what it is"],
        (
            [code(field), ", ".join(contents), sentence]
            for (field, sentence), contents in rows.items()
        ),
    )


def _can_hold(by_content: dict[str, Format]) -> Lines:
    if any(format_.is_written for format_ in by_content.values()):
        yield from ["Found out by writing small files and reading them back.", ""]
    for content, format_ in by_content.items():
        yield from [f"**{content.capitalize()}**", ""]
        if not format_.is_written:
            yield from ["Only read." if content == TOPICS else ONLY_READ, ""]
            continue
        probes = probe_runs(format_) if isinstance(format_, RunFormat) else _probes(format_)
        yield from table(["what", "held"], ([probe.content, _verdict(probe)] for probe in probes))
        yield ""


def _probes(format_: Format) -> list[Probe]:
    return probe_qrels(format_) if isinstance(format_, QrelsFormat) else []


def _verdict(probe: Probe) -> str:
    if probe.is_held:
        return "yes"
    return f"no: {prose(probe.reason)}" if probe.reason else "no: it is left out"


def _examples(by_content: dict[str, Format]) -> Lines:
    for content, format_ in by_content.items():
        yield from [f"**{content.capitalize()}**", ""]
        if isinstance(format_, (RunFormat, QrelsFormat)) and format_.is_written:
            data, read = example(format_)
            if format_.is_text:
                yield from ["A file that foveal wrote:", "", *block(data.decode())]
                yield from ["What it read back, which is the same:", ""]
            else:
                yield from ["What foveal wrote and read back, which is the same:", ""]
            yield from block(_row_lines(_rows(read)))
        else:
            yield from ["What foveal reads in the example above:", ""]
            yield from block(_row_lines(_read_example(format_)))


def _read_example(format_: Format) -> list[dict[str, Any]]:
    """The rows in the first example of a format that is only read."""
    source = held(format_.examples[0].encode(), f"example{format_.extensions[0]}")
    if not isinstance(format_, QrelsFormat):
        return read_topics(source, format_.name).frame.to_dicts()
    by_assessor = read_assessors(
        source, format_.name, elements=ELEMENTS if format_.name == "inex-xml" else None
    )
    return [
        {**row, "assessor": name} for name, qrels in by_assessor.items() for row in _rows(qrels)
    ]


def _rows(read: Table) -> list[dict[str, Any]]:
    """The results, or the judged documents as JSON has them."""
    if isinstance(read, Run):
        return read.frame.to_dicts()
    written = QRELS_FORMATS["jsonl"].written(read, None).decode()
    return [json.loads(line) for line in written.splitlines()]


def _row_lines(rows: list[dict[str, Any]]) -> str:
    """Rows as a table of text, without columns that are empty."""
    names = [name for name in COLUMNS if any(row.get(name) is not None for row in rows)]
    return aligned([names, *([_cell(row.get(name)) for name in names] for row in rows)])


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return json.dumps(value) if isinstance(value, list) else str(value)
