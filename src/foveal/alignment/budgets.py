"""Lists that are read until a budget of characters or tokens is spent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from foveal.errors import DataError
from foveal.frozen import frozen
from foveal.spans import Bools, Highlights, Ints, Segments, affordable, totals
from foveal.tables import columns

if TYPE_CHECKING:
    from foveal.alignment.placed_parts import PlacedParts

NO_TOKENS = (
    "a budget of tokens needs a tokenizer and the texts of the documents: give --tokens"
    " tokenizer.json and --docs DOCUMENTS (in Python foveal.count_tokens(run, docs, tokenizer))"
)


@frozen
class Budget:
    """An amount of text: characters, or tokens of the parts' texts, each tokenised alone.

    With `whole_parts`, reading stops before the first part that does not fit; without, within it.
    """

    amount: int
    in_tokens: bool = False
    whole_parts: bool = False


def text_within(parts: PlacedParts, budget: Budget) -> tuple[Ints, Ints]:
    """The text read within a budget: characters for each topic, and of each piece."""
    parts.refuse_unknown_lengths()
    if budget.in_tokens:
        return _text_within_tokens(parts, budget.amount, whole_parts=budget.whole_parts)
    if budget.whole_parts:
        return _whole_parts(parts, parts.read <= budget.amount)
    # Most lists are longer than most budgets: skip the parts that start beyond it.
    is_started = parts.read - parts.part_size < budget.amount
    pieces, unmapped = parts.pieces, np.flatnonzero(parts.part_unmapped & is_started)
    piece = np.flatnonzero(is_started[pieces.part])
    part = np.concatenate([pieces.part[piece], unmapped])
    size = np.concatenate([pieces.size[piece], np.full(len(unmapped), columns.UNMAPPED_SIZE)])
    order = np.argsort(part, kind="stable")
    characters = np.empty_like(size)
    characters[order] = affordable(parts.part_topic[part[order]], size[order], budget.amount)
    read = totals(parts.part_topic[part], characters, len(parts.topics))
    piece_read = np.zeros_like(pieces.size)
    piece_read[piece] = characters[: len(piece)]
    return read, piece_read


def _whole_parts(parts: PlacedParts, fits: Bools) -> tuple[Ints, Ints]:
    """The text read if only the parts that fit are read, which are the first of each topic."""
    read = totals(parts.part_topic, parts.part_size * fits, len(parts.topics))
    return read, parts.pieces.size * fits[parts.pieces.part]


def _text_within_tokens(parts: PlacedParts, budget: int, *, whole_parts: bool) -> tuple[Ints, Ints]:
    part, end, costs = parts.tokens
    segments = Segments.grouped(parts.part_topic[part], len(parts.topics))
    affordable_token = segments.running(costs) <= budget
    cost = totals(part, costs, len(parts.part_size))
    fits = parts.part_segments.running(cost) <= budget
    if whole_parts:
        return _whole_parts(parts, fits)
    read_end = np.where(fits, np.iinfo(np.int64).max, 0)
    partly_read = np.flatnonzero(affordable_token & (costs > 0) & ~fits[part])
    np.maximum.at(read_end, part[partly_read], end[partly_read])
    pieces = parts.pieces
    piece_read = np.clip(read_end[pieces.part] - pieces.start, 0, pieces.size)
    return totals(parts.part_topic[pieces.part], piece_read, len(parts.topics)), piece_read


def tokens_of(parts: PlacedParts) -> tuple[Ints, Ints, Ints]:
    """The tokens of all parts in reading order: part, end in the document, and cost.

    A token costs nothing if none of its characters is read, because they were read before.
    """
    if parts.run.tokens is None:
        raise DataError(NO_TOKENS)
    if parts.part_unmapped.any():
        raise DataError("a budget of tokens needs the place of every part, but some have none (-1)")
    names = parts.document_names.take(parts.part_document).strings()
    count, start, end = parts.run.tokens(names, parts.part_start, parts.part_end)
    part = np.repeat(np.arange(len(count)), count)
    pieces = parts.pieces
    read_text = Highlights.of(pieces.part, pieces.start, pieces.end, len(count))
    is_read = (read_text.count(part, start, end) > 0) | (start == end)
    return part, end, is_read.astype(np.int64)
