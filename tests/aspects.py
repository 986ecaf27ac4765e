"""Judgements that name aspects, made of any that do not: what laws over all measures are tried on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from foveal.tables import AspectColumns, Qrels

NAMES = ["a", "b", "c", "d"]
WHOLE = -1


def with_aspects(qrels: Qrels, *, whole: bool = False) -> Qrels:
    """The judgements with aspects of passages, which depend on their offsets alone.

    Documents that are relevant by their grade alone have some as a whole, which depend on their
    name; with `whole`, all that are relevant have.
    """
    judgements = qrels.judgements
    entries = set[tuple[int, int, int, int]]()
    rows, starts, ends = (
        column.tolist()
        for column in (judgements.passage_row, judgements.passage_start, judgements.passage_end)
    )
    if not whole:
        for row, start, end in zip(rows, starts, ends, strict=True):
            entries |= {(row, aspect, start, end) for aspect in _chosen(start + 2 * end)}
    relevant = {*rows} if whole else set()
    relevant |= {*np.flatnonzero(judgements.grade > 0).tolist()} - ({*rows} - relevant)
    for row in relevant:
        number = sum(judgements.names.at(row).encode())
        entries |= {(row, aspect, WHOLE, WHOLE) for aspect in _chosen(number)}
    columns = np.array(sorted(entries), dtype=np.int64).reshape(-1, 4).T
    aspects = AspectColumns(
        row=columns[0],
        aspect=columns[1],
        names=NAMES,
        start=columns[2],
        end=columns[3],
        grade=np.ones(columns.shape[1]),
    )
    return replace(qrels, judgements=replace(judgements, aspects=aspects))


def _chosen(number: int) -> set[int]:
    """One aspect, or two."""
    return {number % 4, number // 4 % 4}
