"""Judgements by subtopic as columns, of lines that compiled code has read.

As in `_scanned`, a file is either read as the plain reader would read it, or not at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from foveal.files import FileNames, NamesInBytes, Scanned
from foveal.formats._scanned import UNKNOWN, Lines
from foveal.frozen import frozen
from foveal.spans import Segments, distinct
from foveal.tables import LARGEST_GRADE, AspectColumns, JudgementColumns, columns
from foveal.work import threaded

if TYPE_CHECKING:
    from foveal.spans import Ints
    from foveal.tables import TopicColumn

BLANK, TAB = b" \t"


@frozen(eq=False)
class _Documents:
    """Lines about one document that follow each other, of which there may be several stretches.

    `opens` has the first row of each stretch, `number` its document; documents are numbered by first
    appearance, in the stretches at the places `first`.
    """

    opens: Ints
    names: FileNames
    first: Ints
    number: Ints


def subtopic_judgements(lines: Lines) -> JudgementColumns | None:
    """Grades of whole documents by subtopic; None if topics are mixed or a pair is judged twice.

    Subtopics must be numbers, written in as few digits as can be.
    """
    topics, topic = lines.topics()
    if (
        len(topic.first) != topic.topics
        or columns.ALL_TOPICS in topics
        or not all(threaded(_is_plain, lines.blocks))
    ):
        return None
    documents = _documents(lines, topic)
    aspects = _aspects(lines, documents)
    if aspects is None:
        return None
    begins = np.append(0, np.flatnonzero(aspects.row[1:] != aspects.row[:-1]) + 1)
    unsaid, none = np.full(len(documents.first), UNKNOWN), np.arange(0)
    rows = documents.opens[documents.first]
    return JudgementColumns(
        topics,
        topic.segments.holding(rows),
        documents.names.taken(documents.first),
        length=unsaid,
        entry=unsaid,
        # A document is as relevant as it is to any subtopic.
        grade=np.maximum.reduceat(aspects.grade, begins),
        stated=unsaid,
        line=lines.lines_of(_by_block(lines, rows)),
        passage_row=none,
        passage_start=none,
        passage_end=none,
        aspects=aspects,
    )


def _aspects(lines: Lines, documents: _Documents) -> AspectColumns | None:
    """The subtopics of documents by row; None if a pair is judged twice or a grade is too large."""
    number, given, grade = documents.number, lines.whole_numbers(0), lines.scores
    row = np.repeat(number, np.diff(documents.opens, append=len(given)))
    if (number[1:] < number[:-1]).any():
        order = np.argsort(row, kind="stable")
        row, given, grade = row[order], given[order], grade[order]
    names, aspect = _numbered(given)
    if _recurs(row, aspect, len(names)) or max(grade.max(), -grade.min()) > LARGEST_GRADE:
        return None
    # A view of a single number: millions of lines say the same.
    nowhere = np.broadcast_to(np.int64(UNKNOWN), len(row))
    return AspectColumns(row, aspect, names, nowhere, nowhere, grade)


def _is_plain(block: Scanned) -> bool:
    """Whether numbers are written without leading zeros, a single blank before the document."""
    given = block.rows.integers[0]
    before, power = block.rows.place.astype(np.int64) + (block.begin - 3), 10
    while power <= given.max(initial=0):
        before -= given >= power
        power *= 10
    if (before < 0).any():
        return False
    found = np.frombuffer(block.data, dtype=np.uint8)[before]
    return bool(((found == BLANK) | (found == TAB)).all())


def _documents(lines: Lines, topic: TopicColumn) -> _Documents:
    """The documents that lines are about, given that topics are not mixed."""
    found = list(threaded(_opening, lines.blocks))
    opens = lines.joined([rows + base for rows, base in zip(found, lines.first_rows, strict=False)])
    blocks = list(zip(lines.blocks, found, strict=True))
    names = [block.documents(rows) for block, rows in blocks]
    documents = FileNames(
        NamesInBytes(
            lines.data,
            lines.joined([own.place for own in names]),
            lines.joined([own.length for own in names]),
        ),
        lines.joined([block.rows.key[rows] for block, rows in blocks]),
    )
    offsets = np.searchsorted(opens, np.append(topic.first, topic.height))
    first_of = documents.first_rows(Segments(offsets))
    is_first = first_of == np.arange(len(first_of))
    number = (np.cumsum(is_first) - 1)[first_of]
    return _Documents(opens, documents, np.flatnonzero(is_first), number)


def _opening(block: Scanned) -> Ints:
    """The rows of a block that are about another document, or topic, than the row before."""
    key, names = block.rows.key, block.documents(slice(None))
    opens = np.ones(len(key), dtype=bool)
    opens[1:] = key[1:] != key[:-1]
    opens[1:] |= ~_part(names, slice(1, None)).equal(_part(names, slice(None, -1)))
    opens[block.stretches.row] = True
    return np.flatnonzero(opens)


def _part(names: NamesInBytes, rows: slice) -> NamesInBytes:
    return NamesInBytes(names.data, names.place[rows], names.length[rows])


def _by_block(lines: Lines, rows: Ints) -> list[Ints]:
    """Some rows, given in order, as rows of each block."""
    bases = lines.first_rows
    return [
        own - base
        for own, base in zip(
            np.split(rows, np.searchsorted(rows, bases[1:-1])), bases, strict=False
        )
    ]


def _numbered(given: Ints) -> tuple[list[str], Ints]:
    """The names of subtopics by first appearance, and each one's number among them."""
    known, number = distinct(given)
    head, first = 1000, np.arange(0)
    # All of them mostly appear early.
    while len(first) < len(known):
        first = np.unique(number[:head], return_index=True)[1]
        head *= 10
    order = np.argsort(first)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    names = [str(name) for name in known[order].tolist()]
    return names, number if (np.diff(order) == 1).all() else place[number]


def _recurs(row: Ints, aspect: Ints, aspects: int) -> bool:
    """Whether a document is judged twice for a subtopic; rows are in order."""
    if not ((row[1:] == row[:-1]) & (aspect[1:] <= aspect[:-1])).any():
        return False
    key = np.sort(row * aspects + aspect)
    return bool((key[1:] == key[:-1]).any())
