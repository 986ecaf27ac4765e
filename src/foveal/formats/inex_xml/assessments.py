"""INEX assessments in XML, read and written with the help of the offset index."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from foveal.errors import DataError, Problem, UsageError, counted
from foveal.files import Source
from foveal.formats._format import QrelsRows
from foveal.formats._inex_parts import NEEDS_INDEX, referenced_spans, without_index
from foveal.formats._lines import all_null
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
    """The files of assessments, as they are read; places refer to their row of `files`."""

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
        """Begin a topic or a file, or keep what was highlighted in it."""
        if name == "assessments":
            self._topic = self._needed(name, attributes, "topic", line)
        elif name == "file":
            self._in_file = True
            document = self._needed(name, attributes, "name", line)
            self.files.append((self._topic, document, line))
        elif self._in_file:
            self._take(name, attributes, line)

    def _take(self, name: str, attributes: Mapping[str, str], line: int) -> None:
        row = len(self.files) - 1
        if name == "best-entry-point":
            if path := self._needed(name, attributes, "path", line):
                self.entries.append((row, path, None, line))
        elif name == "passage":
            start, end = (self._needed(name, attributes, edge, line) for edge in ("start", "end"))
            if start and end:
                self.passages.append((row, start, end, line))
        elif name == "element":
            self.elements += 1

    def ended(self, name: str, text: str, line: int) -> None:
        """Leave a file."""
        if name == "file":
            self._in_file = False

    def _needed(
        self, name: str, attributes: Mapping[str, str], wanted: str, line: int
    ) -> str | None:
        value = attributes.get(wanted) or None
        if value is None:
            self.problems.append(Problem(line, f"<{name}> has no attribute {wanted}"))
        return value


def read_assessments(source: Source, elements: ElementLookup | None) -> QrelsRows:
    """The judgements in assessments: entry points and passages; their sizes are ignored."""
    found = _Assessments()
    visit(source, found)
    problems = found.problems
    schema = {c.TOPIC: pl.String, c.DOC: pl.String, c.LINE: pl.UInt32}
    documents = pl.DataFrame(found.files, schema=schema, orient="row")
    entry, lost_entries = _spans(found.entries, documents, elements)
    passages, lost_passages = _spans(found.passages, documents, elements)
    entries = np.full(documents.height, -1, dtype=np.int64)
    # Backwards, so that of two entry points the first is kept.
    entries[entry[c.JUDGED].to_numpy()[::-1]] = entry[c.START].to_numpy()[::-1]
    known = pl.Series(c.ENTRY, entries)
    documents = documents.with_columns(pl.select(pl.when(known >= 0).then(known)).to_series())
    judged = counted(found.elements, "element")
    note = f"ignored {judged} with an exhaustivity: the passages say what is relevant"
    return QrelsRows(
        documents=documents,
        passages=passages,
        problems=[*problems, *lost_entries, *lost_passages],
        notes=(note,) if found.elements else (),
    )


def _spans(
    places: list[tuple[int, str, str, int]] | list[tuple[int, str, None, int]],
    documents: pl.DataFrame,
    elements: ElementLookup | None,
) -> tuple[pl.DataFrame, list[Problem]]:
    """The row, start and end of each place, and a problem for each that cannot be found."""
    schema = {c.JUDGED: pl.UInt32, c.PATH: pl.String, c.PATH_END: pl.String, c.LINE: pl.UInt32}
    table = pl.DataFrame(places, schema=schema, orient="row")
    if table.is_empty():
        return pl.DataFrame(schema=c.PASSAGE_SCHEMA), []
    if elements is None:
        return pl.DataFrame(schema=c.PASSAGE_SCHEMA), [without_index(table[c.LINE])]
    references = table.with_columns(documents[c.DOC].gather(table[c.JUDGED]))
    spans, problems = referenced_spans(references, table[c.LINE], elements)
    found = pl.concat([table.select(c.JUDGED), spans], how="horizontal")
    return found.filter(pl.col(c.START) != c.UNMAPPED), problems


def write_qrels(qrels: Qrels, elements: ElementLookup | None = None) -> bytes:
    """Assessments: for each file its entry point, its passages and the elements that these touch."""
    if elements is None:
        raise UsageError(f"writing inex-xml {NEEDS_INDEX}")
    all_null(qrels.documents, [c.GRADE], "inex-xml")
    for name in (c.TOPIC, c.DOC):
        refuse_unwritable(qrels.documents[name], name)
    inside = pl.concat(
        [
            _entry_lines(qrels, elements),
            _passage_lines(qrels, elements),
            _element_lines(qrels, elements),
        ]
    )
    grouped = inside.group_by(c.JUDGED, maintain_order=True).agg(pl.col(c.TEXT).str.join(""))
    numbered = qrels.documents.with_row_index(c.JUDGED)
    files = numbered.join(grouped, on=c.JUDGED, how="left", maintain_order="left")
    begins = (pl.col(c.TOPIC) != pl.col(c.TOPIC).shift()).fill_null(value=True)
    topic = pl.concat_str(
        pl.lit('</assessments>\n<assessments pool="'),
        begins.cast(pl.Int64).cum_sum(),
        pl.lit('" topic='),
        attribute(c.TOPIC),
        pl.lit(' version="1">\n'),
    )
    rows = files.select(
        pl.concat_str(
            pl.when(begins).then(topic),
            pl.lit(" <file name="),
            attribute(c.DOC),
            pl.lit(">\n"),
            pl.col(c.TEXT),
            pl.lit(" </file>\n"),
            ignore_nulls=True,
        )
    ).to_series()
    body = "".join(rows.to_list()).removeprefix("</assessments>\n") + "</assessments>\n"
    if files.filter(begins).height > 1:
        # XML needs one root; the organisers wrote one file per topic instead.
        body = f"<inex-assessments>\n{body}</inex-assessments>\n"
    return (HEAD + body).encode()


def _entry_lines(qrels: Qrels, elements: ElementLookup) -> pl.DataFrame:
    known = qrels.documents.with_row_index(c.JUDGED).drop_nulls(c.ENTRY)
    places = known.select(
        c.JUDGED, c.DOC, pl.col(c.ENTRY).alias(c.START), pl.col(c.ENTRY).alias(c.END)
    )
    points = _points(places, elements)
    line = pl.concat_str(pl.lit("  <best-entry-point path="), attribute(c.PATH), pl.lit("/>\n"))
    return points.select(c.JUDGED, line.alias(c.TEXT))


def _passage_lines(qrels: Qrels, elements: ElementLookup) -> pl.DataFrame:
    names = qrels.documents[c.DOC].gather(qrels.passages[c.JUDGED])
    points = _points(qrels.passages.with_columns(names), elements)
    line = pl.concat_str(
        pl.lit("  <passage start="),
        attribute(c.PATH),
        pl.lit(" end="),
        attribute(c.PATH_END),
        pl.format(' size="{}"/>\n', pl.col(c.END) - pl.col(c.START)),
    )
    return points.select(c.JUDGED, line.alias(c.TEXT))


def _element_lines(qrels: Qrels, elements: ElementLookup) -> pl.DataFrame:
    """A line for each element of each file that holds highlighted text."""
    judged = qrels.passages[c.JUDGED].unique(maintain_order=True)
    owners = pl.DataFrame({c.JUDGED: judged, c.DOC: qrels.documents[c.DOC].gather(judged)})
    listed = elements.rows_of(owners[c.DOC].unique(maintain_order=True))
    held = owners.join(listed, on=c.DOC, maintain_order="left_right")
    highlights = Highlights.of(
        qrels.passages[c.JUDGED].to_numpy().astype(np.int64),
        qrels.passages[c.START].to_numpy(),
        qrels.passages[c.END].to_numpy(),
        qrels.documents.height,
    )
    found = highlights.count(
        held[c.JUDGED].to_numpy().astype(np.int64), held[c.START].to_numpy(), held[c.END].to_numpy()
    )
    touched = held.with_columns(pl.Series(c.STATED, found)).filter(pl.col(c.STATED) > 0)
    sizes = pl.format(
        f' exhaustivity="{EXHAUSTIVE}" size="{{}}" rsize="{{}}"/>\n',
        pl.col(c.END) - pl.col(c.START),
        c.STATED,
    )
    line = pl.concat_str(pl.lit("  <element path="), attribute(c.PATH), sizes)
    return touched.select(c.JUDGED, line.alias(c.TEXT))


def _points(places: pl.DataFrame, elements: ElementLookup) -> pl.DataFrame:
    """The places with the points in text nodes where they start and end."""
    points = elements.points(places.select(c.DOC, c.START, c.END))
    lost = places.filter(points[c.PATH].is_null() | points[c.PATH_END].is_null())
    if lost.height:
        raise DataError(
            f"{counted(lost.height, 'place')} outside the text that the index knows, first document"
            f" {lost[c.DOC][0]!r} at {lost[c.START][0]}: is it the index of this collection, and"
            " does it count characters?"
        )
    return pl.concat([places, points], how="horizontal")
