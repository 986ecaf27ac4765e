"""The passages of judgements as they are written together with their aspects."""

from __future__ import annotations

import json
from itertools import groupby

import numpy as np

from foveal.errors import DataError
from foveal.late import pl
from foveal.spans import united
from foveal.tables import AspectColumns, Qrels
from foveal.tables import columns as c

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
    aspects = judgements.aspects or AspectColumns.of_frame(pl.DataFrame(schema=c.ASPECT_SCHEMA))
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


def lines_with_aspects(qrels: Qrels, assessor: str | None = None) -> bytes:
    """Judgements in JSON Lines: highlights with aspects are objects, others are pairs."""
    documents = qrels.documents.drop(c.LINE).with_columns(pl.lit(assessor).alias(c.ASSESSOR))
    of_text = qrels.passages.height or documents[c.GRADE].null_count()
    lines = []
    rows = zip(documents.iter_rows(named=True), *passages_with_aspects(qrels), strict=True)
    for row, passages, whole in rows:
        said = {name: value for name, value in row.items() if value is not None}
        if of_text:
            said[c.HIGHLIGHTS] = [_highlight(*passage) for passage in passages]
        if whole:
            said[c.ASPECTS] = _names(whole)
        lines.append(json.dumps(said, ensure_ascii=False) + "\n")
    return "".join(lines).encode()


def _highlight(start: int, end: int, aspects: Graded) -> dict[str, object] | list[int]:
    pair = {c.START: start, c.END: end}
    return {**pair, c.ASPECTS: _names(aspects)} if aspects else [start, end]


def _names(aspects: Graded) -> Graded | list[str]:
    """The names of aspects, with their grades where one is stated."""
    return aspects if any(grade != 1 for grade in aspects.values()) else list(aspects)
