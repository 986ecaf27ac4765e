"""Lines of TREC's and INEX's text formats as columns, read by compiled code.

Whatever is odd about a file is left to the plain readers, which say what is wrong and where: here a
file is either read as they would read it, or not at all.
"""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate, pairwise
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from foveal.compiled import (
    ABSENT,
    Keys,
    LineLayout,
    NameBytes,
    Scanned,
    compiled,
    repeats,
    scan_block,
)
from foveal.files import Source, line_cuts
from foveal.frozen import frozen
from foveal.spans import LARGEST_OFFSET, Floats, Ints, Segments, united
from foveal.tables import SEED, Names, QrelsColumns, RunColumns, TopicColumn, columns
from foveal.work import threaded

Column = TypeVar("Column", bound="NDArray[np.generic]")
UNKNOWN = -1
# Small enough that several threads share the lines of a small file, too.
PORTION = 4 << 20


@frozen(eq=False)
class CompiledLines:
    """The lines of a file, scanned in blocks; none of them has a problem."""

    data: bytes
    blocks: list[Scanned]

    @classmethod
    def of(cls, source: Source, layout: LineLayout) -> CompiledLines | None:
        """All lines of a file; None if there are none, or some that the plain reader must see."""
        if not compiled():
            return None
        data = source.text()

        def scanned(cut: tuple[int, int]) -> Scanned:
            return scan_block(data, *cut, layout, SEED)

        lines = cls(data, list(threaded(scanned, pairwise(line_cuts(data, PORTION)))))
        return lines if lines.are_plain else None

    @property
    def are_plain(self) -> bool:
        """Whether there is nothing that only the plain reader can judge."""
        found = [block.summary for block in self.blocks]
        odd = any(block.problems or block.has_zero_byte for block in found)
        return not odd and any(block.rows for block in found)

    @property
    def tag(self) -> str:
        """The run tag of the last line."""
        tags = [block.tag for block in self.blocks if block.tag]
        return tags[-1].decode() if tags else ""

    def joined(self, parts: list[Column]) -> Column:
        """A column of all blocks."""
        return parts[0] if len(parts) == 1 else cast("Column", np.concatenate(parts))

    @cached_property
    def keys(self) -> Keys:
        """A key of topic and document for all rows."""
        return self.joined([block.rows.key for block in self.blocks])

    @property
    def documents(self) -> Names:
        """The documents of all rows."""
        return self._names([block.documents for block in self.blocks], self.keys)

    def _names(self, blocks: list[NameBytes], key: Keys) -> Names:
        _, offset, length = zip(*blocks, strict=True)
        return Names((self.data, self.joined([*offset]), self.joined([*length])), key)

    @property
    def first_rows(self) -> list[int]:
        """The first row of each block, and the number of rows."""
        return [0, *accumulate(block.summary.rows for block in self.blocks)]

    def topics(self) -> tuple[list[str], TopicColumn]:
        """The topics' names by first appearance, and each row's topic by number."""
        key = self.joined([block.stretches.hash for block in self.blocks])
        names = self._names([block.topics for block in self.blocks], key)
        first_of = names.first_rows(Segments(np.array([0, len(names)])))
        is_first = first_of == np.arange(len(names))
        number = (np.cumsum(is_first) - 1)[first_of]
        bases = zip(self.blocks, self.first_rows, strict=False)
        first = self.joined([block.stretches.row + base for block, base in bases])
        # A topic that goes on from one block to the next is one stretch.
        opens = np.append(True, number[1:] != number[:-1])
        first, number = first[opens], number[opens]
        distinct = names.take(is_first).strings()
        return distinct, TopicColumn(first, number, self.first_rows[-1], len(distinct))

    @property
    def line(self) -> Ints:
        """The physical line of each row."""
        bases = accumulate((block.summary.lines for block in self.blocks), initial=1)
        numbers = [
            base + block.skips.lines_before(np.arange(block.summary.rows))
            for block, base in zip(self.blocks, bases, strict=False)
        ]
        return self.joined(numbers).astype(np.uint32)

    def whole_numbers(self, place: int) -> Ints:
        """One of the columns of whole numbers."""
        return self.joined([block.rows.integers[place] for block in self.blocks])

    @property
    def scores(self) -> Floats:
        """The scores or grades."""
        return self.joined(
            [block.rows.score for block in self.blocks if block.rows.score is not None]
        )

    @property
    def passages(self) -> tuple[Ints, Ints, Ints]:
        """Row, start and end of the passages of all rows."""
        found = [block.passages for block in self.blocks]
        bases = zip(found, self.first_rows, strict=False)
        return (
            self.joined([own.row + base for own, base in bases]),
            self.joined([own.start for own in found]),
            self.joined([own.end for own in found]),
        )

    @property
    def ranks(self) -> Ints | None:
        """The ranks, if all are whole numbers."""
        ranks = [block.rows.rank for block in self.blocks if block.summary.rows]
        known = [rank for rank in ranks if rank is not None]
        return self.joined(known) if len(known) == len(ranks) else None


def document_results(lines: CompiledLines) -> RunColumns | None:
    """The results of a run of whole documents; None if one may be in it twice."""
    results = _results(lines)
    return None if _may_repeat(lines, results.topic) else results


def part_results(lines: CompiledLines) -> RunColumns | None:
    """The results of a run of parts; None if one ends too far."""
    start, length = (lines.whole_numbers(place) for place in (0, 1))
    end = np.where(length >= 0, start + length, start)
    unmapped = start == columns.UNMAPPED
    end[unmapped] = columns.UNMAPPED
    if end.max(initial=0) > LARGEST_OFFSET:
        return None
    return _results(lines, start, end)


def _results(
    lines: CompiledLines, start: Ints | None = None, end: Ints | None = None
) -> RunColumns:
    topics, topic = lines.topics()
    return RunColumns(
        topics=topics,
        topic=topic,
        documents=lines.documents,
        score=lines.scores,
        rank=lines.ranks,
        start=start,
        end=end,
        whole=None if start is None else np.zeros(len(start), dtype=bool),
        line=lines.line,
    )


def graded_judgements(lines: CompiledLines) -> QrelsColumns | None:
    """Judgements that are grades alone; None if a document may be judged twice."""
    grade, none = lines.scores, np.arange(0)
    if np.abs(grade).max(initial=0) > columns.LARGEST_GRADE:
        return None
    unsaid = np.full(len(grade), UNKNOWN)
    return _judgements(lines, unsaid, unsaid, grade, unsaid, (none, none, none))


def text_judgements(lines: CompiledLines) -> QrelsColumns | None:
    """Judgements of text; None if a document may be judged twice or lacks its passages."""
    stated, length, entry = (lines.whole_numbers(place) for place in range(3))
    row, start, end = lines.passages
    has_passages = np.bincount(row, minlength=len(stated)) > 0
    is_bare = (entry != ABSENT) & ~has_passages & (stated > 0)
    if is_bare.any() or end.max(initial=0) > LARGEST_OFFSET:
        return None
    entry, grade = np.maximum(entry, UNKNOWN), np.full(len(stated), np.nan)
    passages = united(row, start, end, len(stated))
    return _judgements(lines, length, entry, grade, stated, passages)


def _judgements(
    lines: CompiledLines,
    length: Ints,
    entry: Ints,
    grade: Floats,
    stated: Ints,
    passages: tuple[Ints, Ints, Ints],
) -> QrelsColumns | None:
    topics, topic = lines.topics()
    if columns.ALL_TOPICS in topics or _may_repeat(lines, topic):
        return None
    return QrelsColumns(
        topics, topic.rows, lines.documents, length, entry, grade, stated, lines.line, *passages
    )


def _may_repeat(lines: CompiledLines, topic: TopicColumn) -> bool:
    """Whether two rows may speak of the same document of the same topic; if not, none do."""
    if len(topic.first) == topic.topics:
        return bool(len(repeats(lines.keys, np.append(topic.first, topic.height))[0]))
    keys = np.sort(lines.keys)
    return bool(np.any(keys[1:] == keys[:-1]))
