"""Highlighted text as it is read, character after character."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from foveal.frozen import frozen
from foveal.spans import Segments, totals

if TYPE_CHECKING:
    from foveal.alignment.judged import Judged
    from foveal.alignment.parts import LaidParts
    from foveal.spans import Floats, Ints


@frozen(eq=False)
class Stretches:
    """Highlighted characters that are found one after the other, by topic and reading order.

    `read` is how many characters of the topic's list are read before a stretch, `found` how many of
    these are highlighted and new, `size` how many characters it has. It goes on over the end of a
    part if the next part begins with highlighted text. `highlighted` is Trel of each topic.
    """

    topic: Ints
    read: Ints
    found: Ints
    size: Ints
    highlighted: Ints

    @classmethod
    def of(cls, laid: LaidParts, judged: Judged, topics: Ints) -> Self:
        """The stretches of a run, for one sample of the judgements after the other."""
        judged.need_highlights()
        topic, read, size = _within_pieces(laid, judged)
        opens = np.ones(len(topic), dtype=bool)
        opens[1:] = (topic[1:] != topic[:-1]) | (read[1:] != read[:-1] + size[:-1])
        size = totals(np.cumsum(opens) - 1, size, int(opens.sum()))
        topic, read = topic[opens], read[opens]
        found = Segments.grouped(topic, len(topics)).running(size) - size
        return cls(topic, read, found, size, judged.topic_highlighted[topics])

    def total(self, values: Floats) -> Floats:
        """The sum over each topic's stretches."""
        return totals(self.topic, values, len(self.highlighted))


def _within_pieces(laid: LaidParts, judged: Judged) -> tuple[Ints, Ints, Ints]:
    """The highlighted text of each piece: topic, characters read before it, its own characters."""
    pieces, piece = laid.pieces, laid.relevant_pieces
    before_part = laid.read - laid.part_size
    of_part = Segments.grouped(pieces.part, len(before_part))
    before = before_part[pieces.part] + of_part.running(pieces.size) - pieces.size
    sample = np.repeat(np.arange(judged.samples), len(piece))
    piece = np.tile(piece, judged.samples)
    document = laid.part_document[pieces.part[piece]]
    row = laid.document_row[document] + sample * judged.documents
    span, offset, size = judged.highlights.stretches(row, pieces.start[piece], pieces.end[piece])
    topic = laid.document_topic[document] + sample * len(laid.topics)
    return topic[span], before[piece[span]] + offset, size
