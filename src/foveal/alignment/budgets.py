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
    """How much is read: characters, or tokens of the parts' texts, each tokenised alone.

    With `whole`, reading stops before the first part that does not fit; without, within it.
    """

    amount: int
    in_tokens: bool = False
    whole: bool = False


def spent(laid: PlacedParts, budget: Budget) -> tuple[Ints, Ints]:
    """How much is read with a budget: characters for each topic, and of each piece."""
    laid.refuse_unknown()
    if budget.in_tokens:
        return _spent_tokens(laid, budget.amount, whole=budget.whole)
    if budget.whole:
        return _whole_parts(laid, laid.read <= budget.amount)
    # Most lists are longer than most budgets: parts that begin beyond it cost nothing here.
    begins = laid.read - laid.part_size < budget.amount
    pieces, unmapped = laid.pieces, np.flatnonzero(laid.part_unmapped & begins)
    piece = np.flatnonzero(begins[pieces.part])
    part = np.concatenate([pieces.part[piece], unmapped])
    size = np.concatenate([pieces.size[piece], np.full(len(unmapped), columns.UNMAPPED_SIZE)])
    order = np.argsort(part, kind="stable")
    taken = np.empty_like(size)
    taken[order] = affordable(laid.part_topic[part[order]], size[order], budget.amount)
    read = totals(laid.part_topic[part], taken, len(laid.topics))
    of_piece = np.zeros_like(pieces.size)
    of_piece[piece] = taken[: len(piece)]
    return read, of_piece


def _whole_parts(laid: PlacedParts, fits: Bools) -> tuple[Ints, Ints]:
    """What is read if only the parts that fit are read, which are the first of each topic."""
    read = totals(laid.part_topic, laid.part_size * fits, len(laid.topics))
    return read, laid.pieces.size * fits[laid.pieces.part]


def _spent_tokens(laid: PlacedParts, budget: int, *, whole: bool) -> tuple[Ints, Ints]:
    part, end, costs = laid.tokens
    # Running sums over the tokens of each topic; a part without tokens has what came before it.
    segments = Segments.grouped(laid.part_topic[part], len(laid.topics))
    affordable_token = segments.running(costs) <= budget
    cost = totals(part, costs, len(laid.part_size))
    fits = laid.part_segments.running(cost) <= budget
    if whole:
        return _whole_parts(laid, fits)
    reach = np.where(fits, np.iinfo(np.int64).max, 0)
    bought = np.flatnonzero(affordable_token & (costs > 0) & ~fits[part])
    np.maximum.at(reach, part[bought], end[bought])
    pieces = laid.pieces
    taken = np.clip(reach[pieces.part] - pieces.start, 0, pieces.size)
    return totals(laid.part_topic[pieces.part], taken, len(laid.topics)), taken


def tokens_of(laid: PlacedParts) -> tuple[Ints, Ints, Ints]:
    """The tokens of all parts in reading order: part, end in the document, and cost.

    A token costs nothing if none of its characters is read, because they were read before.
    """
    if laid.run.tokens is None:
        raise DataError(NO_TOKENS)
    if laid.part_unmapped.any():
        raise DataError("a budget of tokens needs the place of every part, but some have none (-1)")
    names = laid.document_names.take(laid.part_document).strings()
    count, start, end = laid.run.tokens(names, laid.part_start, laid.part_end)
    part = np.repeat(np.arange(len(count)), count)
    pieces = laid.pieces
    text = Highlights.of(pieces.part, pieces.start, pieces.end, len(count))
    is_read = (text.count(part, start, end) > 0) | (start == end)
    return part, end, is_read.astype(np.int64)
