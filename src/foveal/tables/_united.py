"""Rows about the same document made one, and its passages made disjoint."""

from __future__ import annotations

import numpy as np

from foveal.errors import Problem
from foveal.late import pl
from foveal.spans import united
from foveal.tables import _columns as c
from foveal.tables._identity import may_repeat


def united_rows(
    table: pl.DataFrame, passages: pl.DataFrame, aspects: pl.DataFrame | None = None
) -> tuple[pl.DataFrame, pl.DataFrame, list[Problem]]:
    """One row per topic, document and assessor; a problem where rows of a document cannot be united.

    Rows that speak of text or of aspects can be.
    """
    if not may_repeat(table):
        return table, passages, []
    keys = [name for name in (c.TOPIC, c.DOC, c.ASSESSOR) if name in table.columns]
    hint = (
        ""
        if c.ASSESSOR in keys
        else " (by several people? name them in 'assessor'; leave out irrelevant passages)"
    )
    first = table.select(pl.struct(keys).is_first_distinct()).to_series()
    spoken = passages.group_by(c.JUDGED).agg(pl.concat_list(c.START, c.END).alias(c.HIGHLIGHTS))
    rows = table.with_row_index(c.JUDGED).join(
        spoken, on=c.JUDGED, how="left", maintain_order="left"
    )
    # A column, because an expression would look into all passages again for every document.
    says_text = pl.any_horizontal(pl.col(c.LENGTH, c.STATED, c.HIGHLIGHTS).is_not_null())
    if aspects is not None and aspects.height:
        says_text |= pl.col(c.JUDGED).is_in(aspects[c.JUDGED].to_list())
    rows = rows.with_columns(says_text.alias(c.TEXTUAL))
    lengths, grades = (pl.col(name).drop_nulls().n_unique() for name in (c.LENGTH, c.GRADE))
    # A line given twice states its relevant size once; the parts of a document add up.
    stated = pl.col(c.STATED).filter(pl.struct(c.STATED, c.HIGHLIGHTS).is_first_distinct()).sum()
    # Looking for such lines is slow, and only INEX's judgements state sizes.
    stated = stated if table[c.STATED].count() else pl.first(c.STATED)
    groups = rows.group_by(keys, maintain_order=True).agg(
        pl.col(c.JUDGED, c.LINE),
        pl.col(c.LENGTH, c.GRADE, c.ENTRY).drop_nulls().first(),
        pl.when(~pl.col(c.TEXTUAL).any())
        .then(pl.lit("is judged twice"))
        .when(lengths > 1)
        .then(pl.lit("is judged twice with different lengths"))
        .when(grades > 1)
        .then(pl.lit(f"is judged twice with different grades{hint}"))
        .alias(c.PROBLEM),
        pl.when(pl.col(c.STATED).is_not_null().any()).then(stated),
    )
    repeated = groups.filter(pl.col(c.JUDGED).list.len() > 1)
    problems = [
        Problem(line, f"document {document!r} of topic {topic!r} {reason}")
        for line, document, topic, reason in repeated.drop_nulls(c.PROBLEM)
        .select(pl.col(c.LINE).list.get(1), c.DOC, c.TOPIC, c.PROBLEM)
        .iter_rows()
    ]
    row_of = groups.with_row_index(c.ROW).select(c.ROW, c.JUDGED).explode(c.JUDGED)
    passages = passages.with_columns(
        pl.col(c.JUDGED).replace_strict(row_of[c.JUDGED], row_of[c.ROW], return_dtype=pl.UInt32)
    )
    kept = groups.select(c.STATED, c.ENTRY, c.LENGTH, c.GRADE)
    return table.filter(first).with_columns(kept.get_columns()), passages, problems


def disjoint(passages: pl.DataFrame, documents: int) -> pl.DataFrame:
    """The passages of each of some documents, overlapping ones merged, in order."""
    if not passages.height:
        return passages
    judged, start, end = united(
        passages[c.JUDGED].to_numpy().astype(np.int64),
        passages[c.START].to_numpy(),
        passages[c.END].to_numpy(),
        documents,
    )
    return pl.DataFrame({c.JUDGED: judged, c.START: start, c.END: end}, schema=c.PASSAGE_SCHEMA)
