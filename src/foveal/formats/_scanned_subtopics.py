"""Judgements by subtopic as columns, of lines that compiled code has read.

As in `_scanned`, a file is either read as the plain reader would read it, or not at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from foveal.formats._scanned import UNKNOWN, Lines
from foveal.spans import Segments
from foveal.tables import LARGEST_GRADE, AspectColumns, JudgementColumns, columns

if TYPE_CHECKING:
    from foveal.spans import Ints

POWERS_OF_TEN = 10 ** np.arange(1, 18)
BLANKS = np.frombuffer(b" \t", dtype=np.uint8)


def subtopic_judgements(lines: Lines) -> JudgementColumns | None:
    """Grades of whole documents by subtopic; None if topics are mixed or a pair is judged twice.

    Subtopics must be numbers, written in as few digits as can be.
    """
    topics, topic = lines.topics()
    given, grade, documents = lines.whole_numbers(0), lines.scores, lines.documents
    if (
        len(topic.first) != topic.topics
        or columns.ALL_TOPICS in topics
        or np.abs(grade).max(initial=0) > LARGEST_GRADE
        or not _are_plain(lines, documents.names.place.astype(np.int64), given)
    ):
        return None
    first_of = documents.first_rows(Segments(np.append(topic.first, topic.height)))
    is_first = first_of == np.arange(topic.height)
    row = (np.cumsum(is_first) - 1)[first_of]
    if (row[1:] < row[:-1]).any():
        order = np.argsort(row, kind="stable")
        row, given, grade = row[order], given[order], grade[order]
    names, aspect = _numbered(given)
    if _recurs(row, aspect, len(names)):
        return None
    begins = Segments.grouped(row, int(row[-1]) + 1).offsets[:-1]
    unsaid, none = np.full(len(begins), UNKNOWN), np.arange(0)
    nowhere = np.full(len(row), UNKNOWN)
    return JudgementColumns(
        topics,
        topic.rows[is_first],
        documents.taken(is_first),
        length=unsaid,
        entry=unsaid,
        # A document is as relevant as it is to any subtopic.
        grade=np.maximum.reduceat(grade, begins),
        stated=unsaid,
        line=lines.line[is_first],
        passage_row=none,
        passage_start=none,
        passage_end=none,
        aspects=AspectColumns(row, aspect, names, nowhere, nowhere, grade),
    )


def _are_plain(lines: Lines, place: Ints, given: Ints) -> bool:
    """Whether numbers are written without leading zeros, a single blank before the document."""
    digits = np.searchsorted(POWERS_OF_TEN, given, side="right") + 1
    before = place - digits - 2
    data = np.frombuffer(lines.data, dtype=np.uint8)
    return bool((before >= 0).all() and np.isin(data[before], BLANKS).all())


def _numbered(given: Ints) -> tuple[list[str], Ints]:
    """The names of subtopics by first appearance, and each one's number among them."""
    known, first, which = np.unique(given, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return [str(name) for name in known[order].tolist()], place[which]


def _recurs(row: Ints, aspect: Ints, aspects: int) -> bool:
    """Whether a document is judged twice for a subtopic; rows are in order."""
    key = row * aspects + aspect
    if not (key[1:] > key[:-1]).all():
        key = np.sort(key)
    return bool((key[1:] == key[:-1]).any())
