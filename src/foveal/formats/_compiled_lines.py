"""Reads lines of TREC's and INEX's text formats into columns with compiled code.

A file with any problem is left to the plain readers, which name the problem and its line: here a
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
    compiled_module,
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
# Small enough that several threads share even a small file.
PORTION = 4 << 20


@frozen(eq=False)
class CompiledLines:
    """Lines of a file without problems, scanned in blocks."""

    data: bytes
    blocks: list[Scanned]

    @classmethod
    def of(cls, source: Source, layout: LineLayout) -> CompiledLines | None:
        """All lines of a file; None if it has none, or some that only the plain reader can judge."""
        if not compiled_module():
            return None
        data = source.text()

        def scan(cut: tuple[int, int]) -> Scanned:
            return scan_block(data, *cut, layout, SEED)

        lines = cls(data, list(threaded(scan, pairwise(line_cuts(data, PORTION)))))
        return lines if lines.are_plain else None

    @property
    def are_plain(self) -> bool:
        """True if there are rows, and no line that only the plain reader can judge."""
        summaries = [block.summary for block in self.blocks]
        has_problems = any(block.problems or block.has_zero_byte for block in summaries)
        return not has_problems and any(block.rows for block in summaries)

    @property
    def tag(self) -> str:
        """Run tag of the last line."""
        tags = [block.tag for block in self.blocks if block.tag]
        return tags[-1].decode() if tags else ""

    def concat(self, columns: list[Column]) -> Column:
        """One column of the columns of all blocks."""
        return columns[0] if len(columns) == 1 else cast("Column", np.concatenate(columns))

    @cached_property
    def keys(self) -> Keys:
        """Key of topic and document of each row."""
        return self.concat([block.rows.key for block in self.blocks])

    @property
    def documents(self) -> Names:
        """The documents of all rows."""
        return self._names([block.documents for block in self.blocks], self.keys)

    def _names(self, blocks: list[NameBytes], key: Keys) -> Names:
        _, offset, length = zip(*blocks, strict=True)
        return Names((self.data, self.concat([*offset]), self.concat([*length])), key)

    @property
    def first_rows(self) -> list[int]:
        """First row of each block, and last the number of rows."""
        return [0, *accumulate(block.summary.rows for block in self.blocks)]

    def topics(self) -> tuple[list[str], TopicColumn]:
        """Names of the topics by first appearance, and the topic of each row by number."""
        key = self.concat([block.stretches.hash for block in self.blocks])
        names = self._names([block.topics for block in self.blocks], key)
        first_of = names.first_rows(Segments(np.array([0, len(names)])))
        is_first = first_of == np.arange(len(names))
        number = (np.cumsum(is_first) - 1)[first_of]
        bases = zip(self.blocks, self.first_rows, strict=False)
        first_row = self.concat([block.stretches.row + base for block, base in bases])
        # A topic that continues in the next block is one stretch of rows.
        is_start = np.append(True, number[1:] != number[:-1])
        first_row, number = first_row[is_start], number[is_start]
        distinct = names.take(is_first).strings()
        return distinct, TopicColumn(first_row, number, self.first_rows[-1], len(distinct))

    @property
    def line(self) -> Ints:
        """Physical line of each row."""
        bases = accumulate((block.summary.lines for block in self.blocks), initial=1)
        numbers = [
            base + block.skips.lines_before(np.arange(block.summary.rows))
            for block, base in zip(self.blocks, bases, strict=False)
        ]
        return self.concat(numbers).astype(np.uint32)

    def integers(self, column: int) -> Ints:
        """One of the columns of integers."""
        return self.concat([block.rows.integers[column] for block in self.blocks])

    @property
    def scores(self) -> Floats:
        """Scores or grades."""
        scores = (block.rows.score for block in self.blocks)
        return self.concat([score for score in scores if score is not None])

    @property
    def passages(self) -> tuple[Ints, Ints, Ints]:
        """Row, start and end of each passage."""
        passages = [block.passages for block in self.blocks]
        bases = zip(passages, self.first_rows, strict=False)
        return (
            self.concat([block.row + base for block, base in bases]),
            self.concat([block.start for block in passages]),
            self.concat([block.end for block in passages]),
        )

    @property
    def ranks(self) -> Ints | None:
        """Ranks, if all are integers."""
        ranks = [block.rows.rank for block in self.blocks if block.summary.rows]
        integers = [rank for rank in ranks if rank is not None]
        return self.concat(integers) if len(integers) == len(ranks) else None


def document_results(lines: CompiledLines) -> RunColumns | None:
    """Results of a run of whole documents; None if a document may be in it twice."""
    results = _results(lines)
    return None if _may_repeat(lines, results.topic) else results


def part_results(lines: CompiledLines) -> RunColumns | None:
    """Results of a run of parts; None if the end of a part is too large."""
    start, length = (lines.integers(column) for column in (0, 1))
    end = np.where(length >= 0, start + length, start)
    end[start == columns.UNMAPPED] = columns.UNMAPPED
    if end.max(initial=0) > LARGEST_OFFSET:
        return None
    return _results(lines, start, end)


def _results(
    lines: CompiledLines, start: Ints | None = None, end: Ints | None = None
) -> RunColumns:
    topics, topic = lines.topics()
    is_whole = None if start is None else np.zeros(len(start), dtype=bool)
    values = (lines.scores, lines.ranks, start, end, is_whole)
    return RunColumns(topics, topic, lines.documents, lines.line, *values)


def graded_judgements(lines: CompiledLines) -> QrelsColumns | None:
    """Judgements with grades only; None if a document may be judged twice."""
    topics, topic = lines.topics()
    if _may_repeat(lines, topic):
        return None
    return QrelsColumns.of_grades(topics, topic.rows, lines.documents, lines.scores, lines.line)


def text_judgements(lines: CompiledLines) -> QrelsColumns | None:
    """Judgements of text; None if a document may be judged twice or lacks its passages."""
    rsize, length, entry = (lines.integers(column) for column in range(3))
    row, start, end = lines.passages
    has_passages = np.bincount(row, minlength=len(rsize)) > 0
    lacks_passages = (entry != ABSENT) & ~has_passages & (rsize > 0)
    if lacks_passages.any() or end.max(initial=0) > LARGEST_OFFSET:
        return None
    topics, topic = lines.topics()
    if columns.ALL_TOPICS in topics or _may_repeat(lines, topic):
        return None
    entry, grade = np.maximum(entry, UNKNOWN), np.full(len(rsize), np.nan)
    documents = (lines.documents, length, entry, grade, rsize, lines.line)
    return QrelsColumns(topics, topic.rows, *documents, *united(row, start, end, len(rsize)))


def _may_repeat(lines: CompiledLines, topic: TopicColumn) -> bool:
    """False only if no two rows have the same topic and document."""
    if len(topic.first) == topic.topics:
        return bool(len(repeats(lines.keys, np.append(topic.first, topic.height))[0]))
    keys = np.sort(lines.keys)
    return bool(np.any(keys[1:] == keys[:-1]))
