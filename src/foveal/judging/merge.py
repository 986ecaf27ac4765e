"""Merge judgements of assessors: text that any, all or more than half of them highlighted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from foveal.choices import Assessors, Merging, chosen
from foveal.errors import UsageError
from foveal.late import pl
from foveal.spans import Ints, chosen_by, united
from foveal.tables import AspectColumns, Qrels, QrelsRows
from foveal.tables import columns as c


def merged(tables: Mapping[str, Qrels], how: Merging | str) -> Qrels:
    """The judgements of assessors, by name, as one: a row per document that any of them judged.

    Only those who judged a document count. An entry point is the first one given, or by majority
    the middle one, the lower of two; a document without text has none. A grade is the highest
    (union), the lowest (intersection) or the middle one. Text has an aspect if as many gave it that
    aspect as must have highlighted it.
    """
    merging = chosen(Merging, how)
    if not tables:
        raise UsageError("no judgements to merge: give those of one assessor or more, by name")
    documents, passages = _all_rows(list(tables.values()))
    assessors = Assessors.MAJORITY if merging is Merging.MAJORITY else Assessors.UNION
    source = next(iter(tables.values())).source
    qrels = Qrels.of(
        QrelsRows(documents=documents, passages=passages), source=source, assessors=assessors
    )
    if merging is Merging.INTERSECTION:
        qrels = _intersection(qrels, documents, passages)
    qrels = _with_aspects(qrels, list(tables.values()), merging)
    description = f"{merging} of {len(tables)}" if len(tables) > 1 else ""
    return replace(_without_irrelevant_entries(qrels), assessors=description)


def _all_rows(tables: list[Qrels]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """All rows, with the number of their assessor, and all passages, with the number of their row."""
    first_rows = np.cumsum([0, *(qrels.documents.height for qrels in tables)]).tolist()
    documents = pl.concat(
        # Numbers, because `Qrels.of` would treat some names, such as union, as rules of merging.
        qrels.documents.with_columns(pl.lit(str(number)).alias(c.ASSESSOR))
        for number, qrels in enumerate(tables)
    )
    passages = pl.concat(
        qrels.passages.with_columns((pl.col(c.JUDGED) + first_row).cast(pl.UInt32))
        for qrels, first_row in zip(tables, first_rows, strict=False)
    )
    return documents, passages


def _intersection(united: Qrels, documents: pl.DataFrame, passages: pl.DataFrame) -> Qrels:
    """Reduce the union to text that all assessors of a document highlighted, and to lowest grades."""
    keys = [c.TOPIC, c.DOC]
    rows = united.documents.select(keys).with_row_index(c.ROW)
    judgements = documents.join(rows, on=keys, how="left", maintain_order="left")
    judgement_row: Ints = judgements[c.ROW].to_numpy().astype(np.int64)
    assessor_count = np.bincount(judgement_row, minlength=rows.height)
    row, start, end = chosen_by(
        judgement_row[passages[c.JUDGED].to_numpy()],
        passages[c.START].to_numpy(),
        passages[c.END].to_numpy(),
        assessor_count,
    )
    spans = pl.DataFrame({c.JUDGED: row, c.START: start, c.END: end}, schema=c.PASSAGE_SCHEMA)
    grades = judgements.group_by(c.ROW).agg(pl.col(c.GRADE).min()).sort(c.ROW)
    return united.with_frames(
        united.documents.with_columns(grades[c.GRADE]), spans, notes=united.notes
    )


def _with_aspects(qrels: Qrels, tables: list[Qrels], merging: Merging) -> Qrels:
    """The judgements with the aspects that enough assessors of each document gave to its text."""
    frames = [_aspect_passages(table) for table in tables if table.judgements.aspects is not None]
    if not frames:
        return qrels
    keys = [c.TOPIC, c.DOC]
    rows = qrels.documents.select(keys).with_row_index(c.JUDGED)
    judged = pl.concat(table.documents.select(keys) for table in tables).join(rows, on=keys)
    assessor_count = np.bincount(judged[c.JUDGED].to_numpy(), minlength=rows.height)
    passages = pl.concat(frames).join(rows, on=keys, maintain_order="left")
    # Votes on each aspect of a document are counted as if it were a separate document.
    groups = passages.select(c.JUDGED, c.ASPECT).unique(maintain_order=True).with_row_index(c.ROW)
    passages = passages.join(groups, on=[c.JUDGED, c.ASPECT], maintain_order="left")
    min_votes = {
        Merging.UNION: np.ones_like(assessor_count),
        Merging.INTERSECTION: assessor_count,
        Merging.MAJORITY: assessor_count // 2 + 1,
    }[merging]
    group, start, end = chosen_by(
        passages[c.ROW].to_numpy().astype(np.int64),
        passages[c.START].to_numpy(),
        passages[c.END].to_numpy(),
        min_votes[groups[c.JUDGED].to_numpy()],
    )
    spans = pl.DataFrame({c.START: start, c.END: end, c.GRADE: np.ones(len(start))})
    frame = groups.drop(c.ROW)[group].hstack(spans)
    frame = frame.sort(c.JUDGED, c.START, c.END, maintain_order=True)
    aspects = AspectColumns.of_frame(frame) if frame.height else None
    return replace(qrels, judgements=replace(qrels.judgements, aspects=aspects))


def _aspect_passages(qrels: Qrels) -> pl.DataFrame:
    """The passages of each aspect of a document, disjoint; aspects of whole documents are refused."""
    aspects = qrels.judgements.aspects
    if aspects is None or aspects.is_whole.any() or (aspects.grade != 1).any():
        raise UsageError(
            f"{qrels.source}: aspects of whole documents, or with grades, cannot be merged: give aspects"
            " of highlighted text"
        )
    key, group = np.unique(aspects.row * len(aspects.names) + aspects.aspect, return_inverse=True)
    key_index, start, end = united(group, aspects.start, aspects.end, len(key))
    row, aspect = np.divmod(key[key_index], len(aspects.names))
    spans = pl.DataFrame({c.START: start, c.END: end})
    names = pl.Series(c.ASPECT, aspects.names).gather(aspect)
    return spans.with_columns(names).hstack(qrels.documents.select(c.TOPIC, c.DOC)[row])


def _without_irrelevant_entries(qrels: Qrels) -> Qrels:
    """The judgements without entry points in documents that have no highlights."""
    rows = qrels.passages.filter(pl.col(c.END) > pl.col(c.START))[c.JUDGED].to_numpy()
    relevant = pl.lit(pl.Series(np.bincount(rows, minlength=qrels.documents.height) > 0))
    entry = pl.when(relevant).then(c.ENTRY).alias(c.ENTRY)
    return qrels.with_frames(qrels.documents.with_columns(entry), notes=qrels.notes)
