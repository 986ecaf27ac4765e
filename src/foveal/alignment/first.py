"""Every character of a run where it is first read: what is found, and which passages it is from."""

from __future__ import annotations

from functools import cached_property
from typing import Self

import numpy as np

from foveal.alignment.parts import LaidParts
from foveal.alignment.policies import Parts, Pieces, first_read
from foveal.frozen import frozen
from foveal.spans import Ints, totals


@frozen(eq=False)
class FirstReading:
    """The text that each ranked part reads for the first time, as pieces by part and place.

    No character occurs twice, whatever the overlap policy says of text that is returned again. A
    whole document of unknown length ends at LARGEST_OFFSET.
    """

    laid: LaidParts
    pieces: Pieces

    @classmethod
    def of(cls, laid: LaidParts) -> Self:
        """The pieces of some parts; the judgements must have highlights."""
        laid.judged.need_highlights()
        parts = Parts(laid.part_document, laid.part_start, laid.part_end)
        return cls(laid, first_read(parts))

    @cached_property
    def document(self) -> Ints:
        """The document of each piece, among those that were returned."""
        return self.laid.part_document[self.pieces.part]

    @cached_property
    def rank(self) -> Ints:
        """The rank at which each piece is read."""
        return self.laid.part_segments.nth[self.pieces.part]

    @cached_property
    def document_found(self) -> Ints:
        """The highlighted characters that were read of each document."""
        piece, _, common = self.shared
        return totals(self.document[piece], common, len(self.laid.document_row))

    @cached_property
    def document_read(self) -> Ints:
        """The characters that were read of each document, each once.

        An element of unknown place has as many as its size; those of a whole document of unknown
        length are not known.
        """
        sizes = totals(self.document, self.pieces.size, len(self.laid.document_row))
        return sizes + self.laid.document_unmapped

    @cached_property
    def shared(self) -> tuple[Ints, Ints, Ints]:
        """How much each piece shares with each passage: (piece, passage, characters)."""
        row = self.laid.document_row[self.document]
        piece = np.flatnonzero(row >= 0)
        own, passage, common = self.laid.judged.highlights.shared(
            row[piece], self.pieces.start[piece], self.pieces.end[piece]
        )
        return piece[own], passage, common
