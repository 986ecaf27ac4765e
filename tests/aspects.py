"""Judgements whose documents have aspects as a whole, made of any that name none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from foveal.tables import AspectColumns, Qrels

NAMES = ["a", "b", "c", "d"]


def with_document_aspects(qrels: Qrels) -> Qrels:
    """The judgements with one or two aspects of each relevant document, which its name chooses."""
    judged = qrels.judgements
    relevant = {*judged.passage_row.tolist(), *np.flatnonzero(judged.grade > 0).tolist()}
    entries = set[tuple[int, int]]()
    for row in relevant:
        number = sum(judged.names.name_at(row).encode())
        entries |= {(row, number % 4), (row, number // 4 % 4)}
    row, aspect = np.array(sorted(entries), dtype=np.int64).reshape(-1, 2).T
    nowhere = np.full(len(row), -1)
    aspects = AspectColumns(row, aspect, NAMES, nowhere, nowhere, np.ones(len(row)))
    return replace(qrels, judgements=replace(judged, aspects=aspects))
