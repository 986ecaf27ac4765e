"""Reads and writes INEX assessments in XML, with the help of the offset index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from foveal.errors import DataError, Problem, UsageError, counted
from foveal.files import Source
from foveal.formats._format import QrelsRows
from foveal.formats._inex_parts import NEEDS_INDEX, referenced_spans, without_index
from foveal.formats._plain_lines import refuse_values
from foveal.formats._xml import attribute, refuse_unwritable, visit
from foveal.late import pl
from foveal.spans import Highlights
from foveal.tables import Qrels
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.elements import ElementLookup

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
# Since 2006 every element with highlighted text counts as fully exhaustive.
EXHAUSTIVE = 2


class _Assessments:
    """Collects files with their entry points and passages, which have the file's row in `files`."""

    texts: ClassVar[frozenset[str]] = frozenset()

    def __init__(self) -> None:
        self.files: list[tuple[str | None, str | None, int]] = []
        self.entries: list[tuple[int, str, None, int]] = []
        self.passages: list[tuple[int, str, str, int]] = []
        self.elements = 0
        self.problems: list[Problem] = []
        self._topic: str | None = None
        self._in_file = False

    def started(self, name: str, attributes: Mapping[str, str], line: int) -> None:
        """Start a topic or a file, or keep an entry point or a passage."""
        if name == "assessments":
            self._topic = self._value(name, attributes, "topic", line)
        elif name == "file":
            self._in_file = True
            document = self._value(name, attributes, "name", line)
            self.files.append((self._topic, document, line))
        elif self._in_file:
            self._keep_child(name, attributes, line)

    def _keep_child(self, name: str, attributes: Mapping[str, str], line: int) -> None:
        row = len(self.files) - 1
        if name == "best-entry-point":
            if path := self._value(name, attributes, "path", line):
                self.entries.append((row, path, None, line))
        elif name == "passage":
            start, end = (self._value(name, attributes, edge, line) for edge in ("start", "end"))
            if start and end:
                self.passages.append((row, start, end, line))
        elif name == "element":
            self.elements += 1

    def ended(self, name: str, text: str, line: int) -> None:
        """End a file."""
        if name == "file":
            self._in_file = False

    def _value(self, name: str, attributes: Mapping[str, str], key: str, line: int) -> str | None:
        value = attributes.get(key) or None
        if value is None:
            self.problems.append(Problem(line, f"<{name}> has no attribute {key}"))
        return value


def read_assessments(source: Source, elements: ElementLookup | None) -> QrelsRows:
    """Judgements in assessments: entry points and passages; their sizes are ignored."""
    assessments = _Assessments()
    visit(source, assessments)
    problems = assessments.problems
    schema = {c.TOPIC: pl.String, c.DOC: pl.String, c.LINE: pl.UInt32}
    documents = pl.DataFrame(assessments.files, schema=schema, orient="row")
    entry, entry_problems = _spans(assessments.entries, documents, elements)
    passages, passage_problems = _spans(assessments.passages, documents, elements)
    entries = np.full(documents.height, -1, dtype=np.int64)
    # Backwards, so that the first of two entry points wins.
    entries[entry[c.JUDGED].to_numpy()[::-1]] = entry[c.START].to_numpy()[::-1]
    column = pl.Series(c.ENTRY, entries)
    documents = documents.with_columns(pl.select(pl.when(column >= 0).then(column)).to_series())
    count_text = counted(assessments.elements, "element")
    note = f"ignored {count_text} with an exhaustivity: the passages say what is relevant"
    return QrelsRows(
        documents=documents,
        passages=passages,
        problems=[*problems, *entry_problems, *passage_problems],
        notes=(note,) if assessments.elements else (),
    )


def _spans(
    paths: list[tuple[int, str, str, int]] | list[tuple[int, str, None, int]],
    documents: pl.DataFrame,
    elements: ElementLookup | None,
) -> tuple[pl.DataFrame, list[Problem]]:
    """Row, start and end of each path or pair of paths, and a problem for each unresolved one."""
    schema = {c.JUDGED: pl.UInt32, c.PATH: pl.String, c.PATH_END: pl.String, c.LINE: pl.UInt32}
    table = pl.DataFrame(paths, schema=schema, orient="row")
    if table.is_empty():
        return pl.DataFrame(schema=c.PASSAGE_SCHEMA), []
    if elements is None:
        return pl.DataFrame(schema=c.PASSAGE_SCHEMA), [without_index(table[c.LINE])]
    references = table.with_columns(documents[c.DOC].gather(table[c.JUDGED]))
    spans, problems = referenced_spans(references, table[c.LINE], elements)
    rows = pl.concat([table.select(c.JUDGED), spans], how="horizontal")
    return rows.filter(pl.col(c.START) != c.UNMAPPED), problems


def write_qrels(qrels: Qrels, elements: ElementLookup | None = None) -> bytes:
    """Assessments: for each file its entry point, its passages and the elements that overlap them."""
    if elements is None:
        raise UsageError(f"writing inex-xml {NEEDS_INDEX}")
    refuse_values(qrels.documents, [c.GRADE], "inex-xml")
    for name in (c.TOPIC, c.DOC):
        refuse_unwritable(qrels.documents[name], name)
    kinds = (_entry_lines, _passage_lines, _element_lines)
    lines = pl.concat([lines_of_kind(qrels, elements) for lines_of_kind in kinds])
    grouped = lines.group_by(c.JUDGED, maintain_order=True).agg(pl.col(c.TEXT).str.join(""))
    documents = qrels.documents.with_row_index(c.JUDGED)
    files = documents.join(grouped, on=c.JUDGED, how="left", maintain_order="left")
    is_first = (pl.col(c.TOPIC) != pl.col(c.TOPIC).shift()).fill_null(value=True)
    number = is_first.cast(pl.Int64).cum_sum()
    opening = '</assessments>\n<assessments pool="{}" topic={} version="1">\n'
    topic = pl.when(is_first).then(pl.format(opening, number, attribute(c.TOPIC)))
    file = pl.format(" <file name={}>\n", attribute(c.DOC))
    parts = [topic, file, pl.col(c.TEXT), pl.lit(" </file>\n")]
    rows = files.select(pl.concat_str(parts, ignore_nulls=True)).to_series()
    text = "".join(rows.to_list()).removeprefix("</assessments>\n") + "</assessments>\n"
    if files.filter(is_first).height > 1:
        # XML needs one root; the organisers wrote one file per topic instead.
        text = f"<inex-assessments>\n{text}</inex-assessments>\n"
    return (HEAD + text).encode()


def _entry_lines(qrels: Qrels, elements: ElementLookup) -> pl.DataFrame:
    documents = qrels.documents.with_row_index(c.JUDGED).drop_nulls(c.ENTRY)
    spans = documents.select(
        c.JUDGED, c.DOC, pl.col(c.ENTRY).alias(c.START), pl.col(c.ENTRY).alias(c.END)
    )
    points = _points(spans, elements)
    line = pl.concat_str(pl.lit("  <best-entry-point path="), attribute(c.PATH), pl.lit("/>\n"))
    return points.select(c.JUDGED, line.alias(c.TEXT))


def _passage_lines(qrels: Qrels, elements: ElementLookup) -> pl.DataFrame:
    docs = qrels.documents[c.DOC].gather(qrels.passages[c.JUDGED])
    points = _points(qrels.passages.with_columns(docs), elements)
    edges, size = (attribute(c.PATH), attribute(c.PATH_END)), pl.col(c.END) - pl.col(c.START)
    line = pl.format('  <passage start={} end={} size="{}"/>\n', *edges, size)
    return points.select(c.JUDGED, line.alias(c.TEXT))


def _element_lines(qrels: Qrels, elements: ElementLookup) -> pl.DataFrame:
    """Line for each element of each file that has highlighted text."""
    indices = qrels.passages[c.JUDGED].unique(maintain_order=True)
    files = pl.DataFrame({c.JUDGED: indices, c.DOC: qrels.documents[c.DOC].gather(indices)})
    elements_of_docs = elements.rows_of(files[c.DOC].unique(maintain_order=True))
    rows = files.join(elements_of_docs, on=c.DOC, maintain_order="left_right")
    row, start, end = (qrels.passages[name].to_numpy() for name in (c.JUDGED, c.START, c.END))
    highlights = Highlights.of(row.astype(np.int64), start, end, qrels.documents.height)
    sizes = highlights.count(
        rows[c.JUDGED].to_numpy().astype(np.int64), rows[c.START].to_numpy(), rows[c.END].to_numpy()
    )
    highlighted = rows.with_columns(pl.Series(c.STATED, sizes)).filter(pl.col(c.STATED) > 0)
    template = f'  <element path={{}} exhaustivity="{EXHAUSTIVE}" size="{{}}" rsize="{{}}"/>\n'
    line = pl.format(template, attribute(c.PATH), pl.col(c.END) - pl.col(c.START), c.STATED)
    return highlighted.select(c.JUDGED, line.alias(c.TEXT))


def _points(spans: pl.DataFrame, elements: ElementLookup) -> pl.DataFrame:
    """The spans with the points in text nodes where they start and end."""
    points = elements.points(spans.select(c.DOC, c.START, c.END))
    outside = spans.filter(points[c.PATH].is_null() | points[c.PATH_END].is_null())
    if outside.height:
        raise DataError(
            f"{counted(outside.height, 'place')} outside the text that the index knows, first document"
            f" {outside[c.DOC][0]!r} at {outside[c.START][0]}: is it the index of this collection, and"
            " does it count characters?"
        )
    return pl.concat([spans, points], how="horizontal")
