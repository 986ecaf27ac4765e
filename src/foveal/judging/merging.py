"""Several assessors' judgements as one: what anyone, all, or more than half of them highlighted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from foveal.choices import Assessors, Merging, chosen
from foveal.errors import UsageError
from foveal.late import pl
from foveal.spans import Ints, chosen_by
from foveal.tables import Qrels
from foveal.tables import columns as c


def merged(tables: Mapping[str, Qrels], how: Merging | str) -> Qrels:
    """The judgements of assessors, by name, as one: a row per document that any of them judged.

    Only those who judged a document count. An entry point is the first one given, or by majority
    the middle one, the lower of two; where no text is left there is none. A grade is the highest
    (union), the lowest (intersection) or the middle one.
    """
    way = chosen(Merging, how)
    if not tables:
        raise UsageError("no judgements to merge: give those of one assessor or more, by name")
    documents, passages = _side_by_side(list(tables.values()))
    by = Assessors.MAJORITY if way is Merging.MAJORITY else Assessors.UNION
    source = next(iter(tables.values())).source
    found = Qrels.of(documents, passages, source=source, assessors=by)
    if way is Merging.INTERSECTION:
        found = _of_all(found, documents, passages)
    told = f"{way} of {len(tables)}" if len(tables) > 1 else ""
    return replace(_with_entries_in_relevant_text(found), assessors=told)


def _side_by_side(tables: list[Qrels]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """All rows, with the number of their assessor, and all passages, with the number of their row."""
    rows = np.cumsum([0, *(own.documents.height for own in tables)]).tolist()
    documents = pl.concat(
        # Numbers, because a name may be a word that means something here, such as union.
        own.documents.with_columns(pl.lit(str(number)).alias(c.ASSESSOR))
        for number, own in enumerate(tables)
    )
    passages = pl.concat(
        own.passages.with_columns((pl.col(c.JUDGED) + first).cast(pl.UInt32))
        for own, first in zip(tables, rows, strict=False)
    )
    return documents, passages


def _of_all(united: Qrels, documents: pl.DataFrame, passages: pl.DataFrame) -> Qrels:
    """What all judges of each document say, given what any of them says."""
    keys = [c.TOPIC, c.DOC]
    places = united.documents.select(keys).with_row_index(c.ROW)
    judged = documents.join(places, on=keys, how="left", maintain_order="left")
    place: Ints = judged[c.ROW].to_numpy().astype(np.int64)
    judges = np.bincount(place, minlength=places.height)
    row, start, end = chosen_by(
        place[passages[c.JUDGED].to_numpy()],
        passages[c.START].to_numpy(),
        passages[c.END].to_numpy(),
        judges,
    )
    spans = pl.DataFrame({c.JUDGED: row, c.START: start, c.END: end}, schema=c.PASSAGE_SCHEMA)
    grades = judged.group_by(c.ROW).agg(pl.col(c.GRADE).min()).sort(c.ROW)
    return united.with_frames(
        united.documents.with_columns(grades[c.GRADE]), spans, notes=united.notes
    )


def _with_entries_in_relevant_text(qrels: Qrels) -> Qrels:
    """The judgements without entry points of documents in which nothing is highlighted."""
    filled = qrels.passages.filter(pl.col(c.END) > pl.col(c.START))[c.JUDGED].to_numpy()
    relevant = pl.lit(pl.Series(np.bincount(filled, minlength=qrels.documents.height) > 0))
    entry = pl.when(relevant).then(c.ENTRY).alias(c.ENTRY)
    return qrels.with_frames(qrels.documents.with_columns(entry), notes=qrels.notes)
