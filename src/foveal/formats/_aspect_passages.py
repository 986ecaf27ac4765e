"""The passages of judgements as they are written together with their aspects."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from foveal.errors import DataError
from foveal.spans import united
from foveal.tables import Qrels

if TYPE_CHECKING:
    from foveal.tables import AspectColumns

Graded = dict[str, float]
Passage = tuple[int, int, Graded]


def needed_aspects(qrels: Qrels, name: str) -> AspectColumns:
    """The aspects of judgements; refused where a format needs them and there are none."""
    aspects = qrels.judgements.aspects
    if aspects is None:
        raise DataError(f"{name} needs aspects, and these judgements name none: use jsonl")
    return aspects


def passages_with_aspects(qrels: Qrels) -> tuple[list[list[Passage]], list[Graded]]:
    """The passages of each document with the aspects and grades of each, and its own aspects.

    Passages are as they were before overlapping ones were merged; those without aspects come last.
    """
    judgements, documents = qrels.judgements, len(qrels.judgements.topic)
    aspects = needed_aspects(qrels, "this format")
    entries = aspects.by_row(documents)
    passages: list[list[Passage]] = []
    whole: list[Graded] = []
    for own in entries:
        parts = [
            (start, end, {name: grade for name, _, _, grade in group})
            for (start, end), group in groupby(own, key=lambda entry: entry[1:3])
        ]
        passages.append([part for part in parts if part[0] >= 0])
        whole.append(next((graded for start, _, graded in parts if start < 0), {}))
    placed = np.flatnonzero(~aspects.is_whole)
    made = united(aspects.row[placed], aspects.start[placed], aspects.end[placed], documents)
    known = {*zip(*(column.tolist() for column in made), strict=True)}
    for row, start, end in zip(
        judgements.passage_row.tolist(),
        judgements.passage_start.tolist(),
        judgements.passage_end.tolist(),
        strict=True,
    ):
        if (row, start, end) not in known:
            passages[row].append((start, end, {}))
    return passages, whole
