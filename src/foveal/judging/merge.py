"""Several assessors' judgements as one: what anyone, all, or more than half of them highlighted."""

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
    the middle one, the lower of two; where no text is left there is none. A grade is the highest
    (union), the lowest (intersection) or the middle one. Text has an aspect if as many gave it that
    aspect as must have highlighted it.
    """
    way = chosen(Merging, how)
    if not tables:
        raise UsageError("no judgements to merge: give those of one assessor or more, by name")
    documents, passages = _side_by_side(list(tables.values()))
    by = Assessors.MAJORITY if way is Merging.MAJORITY else Assessors.UNION
    source = next(iter(tables.values())).source
    found = Qrels.of(QrelsRows(documents=documents, passages=passages), source=source, assessors=by)
    if way is Merging.INTERSECTION:
        found = _of_all(found, documents, passages)
    found = _with_aspects(found, list(tables.values()), way)
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


def _with_aspects(found: Qrels, tables: list[Qrels], way: Merging) -> Qrels:
    """The judgements with the aspects that enough of each document's judges gave its text."""
    named = [_named(own) for own in tables if own.judgements.aspects is not None]
    if not named:
        return found
    keys = [c.TOPIC, c.DOC]
    rows = found.documents.select(keys).with_row_index(c.JUDGED)
    judged = pl.concat(own.documents.select(keys) for own in tables).join(rows, on=keys)
    judges = np.bincount(judged[c.JUDGED].to_numpy(), minlength=rows.height)
    given = pl.concat(named).join(rows, on=keys, maintain_order="left")
    # Each aspect of a document is voted upon as if it were a document of its own.
    places = given.select(c.JUDGED, c.ASPECT).unique(maintain_order=True).with_row_index(c.ROW)
    given = given.join(places, on=[c.JUDGED, c.ASPECT], maintain_order="left")
    least = {
        Merging.UNION: np.ones_like(judges),
        Merging.INTERSECTION: judges,
        Merging.MAJORITY: judges // 2 + 1,
    }[way]
    place, start, end = chosen_by(
        given[c.ROW].to_numpy().astype(np.int64),
        given[c.START].to_numpy(),
        given[c.END].to_numpy(),
        least[places[c.JUDGED].to_numpy()],
    )
    spans = pl.DataFrame({c.START: start, c.END: end, c.GRADE: np.ones(len(start))})
    frame = places.drop(c.ROW)[place].hstack(spans)
    frame = frame.sort(c.JUDGED, c.START, c.END, maintain_order=True)
    aspects = AspectColumns.of_frame(frame) if frame.height else None
    return replace(found, judgements=replace(found.judgements, aspects=aspects))


def _named(qrels: Qrels) -> pl.DataFrame:
    """The passages of each aspect of a document, disjoint; aspects of whole documents are refused."""
    aspects = qrels.judgements.aspects
    if aspects is None or aspects.is_whole.any() or (aspects.grade != 1).any():
        raise UsageError(
            f"{qrels.source}: aspects of whole documents, or with grades, cannot be merged: give aspects"
            " of highlighted text"
        )
    key, group = np.unique(aspects.row * len(aspects.names) + aspects.aspect, return_inverse=True)
    place, start, end = united(group, aspects.start, aspects.end, len(key))
    row, aspect = np.divmod(key[place], len(aspects.names))
    spans = pl.DataFrame({c.START: start, c.END: end})
    names = pl.Series(c.ASPECT, aspects.names).gather(aspect)
    return spans.with_columns(names).hstack(qrels.documents.select(c.TOPIC, c.DOC)[row])


def _with_entries_in_relevant_text(qrels: Qrels) -> Qrels:
    """The judgements without entry points of documents in which nothing is highlighted."""
    filled = qrels.passages.filter(pl.col(c.END) > pl.col(c.START))[c.JUDGED].to_numpy()
    relevant = pl.lit(pl.Series(np.bincount(filled, minlength=qrels.documents.height) > 0))
    entry = pl.when(relevant).then(c.ENTRY).alias(c.ENTRY)
    return qrels.with_frames(qrels.documents.with_columns(entry), notes=qrels.notes)
