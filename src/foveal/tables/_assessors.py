"""Judgements of several assessors made into one: their union, their majority, or one of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from foveal.choices import Assessors
from foveal.errors import Problem, UsageError, and_list, counted
from foveal.late import pl
from foveal.spans import majority
from foveal.tables import _columns as c
from foveal.tables._frames import ProblemList

SHOWN_NAMES = 10


def assessors_known(documents: pl.DataFrame) -> bool:
    """Whether rows say who judged."""
    return c.ASSESSOR in documents.columns and documents[c.ASSESSOR].null_count() < documents.height


def rows_by_assessor(
    documents: object, passages: pl.DataFrame | None, aspects: pl.DataFrame | None = None
) -> Iterator[tuple[str, pl.DataFrame, pl.DataFrame, pl.DataFrame | None]]:
    """Each assessor that rows name, in order of appearance, with the rows, passages and aspects.

    Yields nothing if no row names an assessor.
    """
    if isinstance(documents, pl.DataFrame) and assessors_known(documents):
        spans = pl.DataFrame(schema=c.PASSAGE_SCHEMA) if passages is None else passages
        assessor = documents[c.ASSESSOR].cast(pl.String)
        for name in assessor.drop_nulls().unique(maintain_order=True).to_list():
            own = (assessor == name).fill_null(value=False)
            entries = None if aspects is None else _of_rows(aspects, own)
            yield name, documents.filter(own), _of_rows(spans, own), entries


def _of_rows(entries: pl.DataFrame, own: pl.Series) -> pl.DataFrame:
    """The passages or aspects of some rows, which they name by their new numbers."""
    kept = entries.filter(own.gather(entries[c.JUDGED]))
    row = (own.cum_sum() - 1).gather(kept[c.JUDGED])
    return kept.with_columns(row.cast(pl.UInt32).alias(c.JUDGED))


def refuse_odd_assessors(table: pl.DataFrame, complaints: ProblemList) -> None:
    """Take down rows without an assessor, assessors named like a choice, and differing lengths."""
    name, line = table[c.ASSESSOR], table[c.LINE]
    missing = "assessor is missing on this line but present on others"
    complaints.add([Problem(at, missing) for at in line.filter(name.is_null()).to_list()])
    taken = table.filter(name.is_in([word.value for word in Assessors])).select(c.LINE, c.ASSESSOR)
    complaints.add(
        Problem(at, f"an assessor cannot be called {word!r}, which --assessors uses: rename")
        for at, word in taken.iter_rows()
    )
    known = table.drop_nulls(c.LENGTH)
    other = known[c.LENGTH] != known.select(pl.first(c.LENGTH).over(c.TOPIC, c.DOC)).to_series()
    complaints.add(
        Problem(
            at, f"document {document!r} of topic {topic!r} has another length on an earlier line"
        )
        for at, topic, document in known.filter(other).select(c.LINE, c.TOPIC, c.DOC).iter_rows()
    )


def of_assessors(
    table: pl.DataFrame, passages: pl.DataFrame, wanted: str, source: str
) -> tuple[pl.DataFrame, pl.DataFrame, str]:
    """One row per topic and document, its passages, and whose judgements they are.

    Given are a row per topic, document and assessor, and passages that are disjoint for each of
    these rows. With one assessor there is nothing to say.
    """
    if c.ASSESSOR not in table.columns:
        refuse_without_assessors(wanted, source)
        return table, passages, ""
    names = table[c.ASSESSOR].unique(maintain_order=True).to_list()
    several = len(names) > 1
    if wanted not in [*Assessors]:
        found = _of_one(table, passages, wanted, names, source)
        return *found, f"{wanted} (of {len(names)})" if several else ""
    if several:
        table, passages = _merged(table, passages, Assessors(wanted))
    table = table.drop(c.ASSESSOR, strict=False)
    return table, passages, f"{wanted} of {len(names)}" if several else ""


def marked_by_some(table: pl.DataFrame) -> tuple[str, ...]:
    """A note if documents have passages of some assessors alone, where rows are passages."""
    if c.ASSESSOR not in table.columns:
        return ()
    every = table[c.ASSESSOR].n_unique()
    judges = table.group_by(c.TOPIC, c.DOC).agg(pl.col(c.ASSESSOR).n_unique())
    few = int((judges[c.ASSESSOR] < every).sum())
    told = (
        f"{counted(few, 'document')} without a row of each of the {every} assessors: those without one"
        " do not count there (start = end says that nothing was marked)"
    )
    return (told,) if few else ()


def refuse_without_assessors(wanted: str, source: str) -> None:
    """Raise if a choice among assessors was made where none is named."""
    if wanted != Assessors.UNION:
        raise UsageError(
            f"{source} names no assessors (column or key 'assessor'), so assessors must be"
            f" {Assessors.UNION}, got {wanted!r}"
        )


def _of_one(
    table: pl.DataFrame, passages: pl.DataFrame, wanted: str, names: list[str], source: str
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The judgements of one assessor."""
    if wanted not in names:
        more = ", …" if len(names) > SHOWN_NAMES else ""
        raise UsageError(
            f"assessors must be {and_list([*Assessors]).replace(' and ', ', ')} or an assessor in"
            f" {source} ({', '.join(sorted(names)[:SHOWN_NAMES])}{more}), got {wanted!r}"
        )
    own = table[c.ASSESSOR] == wanted
    return table.filter(own).drop(c.ASSESSOR), _of_rows(passages, own)


def _merged(
    table: pl.DataFrame, passages: pl.DataFrame, how: Assessors
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The union of all judgements of a document, or what more than half of its assessors say.

    The same holds for grades: the highest one, or the highest that more than half of those who
    graded the document gave or exceeded. The entry point is the first one given, or such a middle
    one. Sizes that files state are those of one assessor, so they are left out.
    """
    by_majority = how is Assessors.MAJORITY
    grade, entry = pl.col(c.GRADE), pl.col(c.ENTRY)
    groups = (
        table.with_row_index(c.JUDGED)
        .group_by(c.TOPIC, c.DOC, maintain_order=True)
        .agg(
            pl.col(c.LENGTH).drop_nulls().first(),
            _middle(entry) if by_majority else entry.drop_nulls().first(),
            _middle(grade) if by_majority else grade.max(),
            pl.lit(None, dtype=c.DOCUMENT_SCHEMA[c.STATED]).alias(c.STATED),
            pl.col(c.LINE).first(),
            pl.col(c.JUDGED),
        )
    )
    row = np.empty(table.height, dtype=np.int64)
    judges = groups[c.JUDGED].list.len().to_numpy().astype(np.int64)
    row[groups[c.JUDGED].explode().to_numpy()] = np.repeat(np.arange(groups.height), judges)
    document = row[passages[c.JUDGED].to_numpy()]
    start, end = passages[c.START].to_numpy(), passages[c.END].to_numpy()
    if by_majority:
        document, start, end = majority(document, start, end, judges)
    spans = pl.DataFrame({c.JUDGED: document, c.START: start, c.END: end}, schema=c.PASSAGE_SCHEMA)
    return groups.select([*c.DOCUMENT_SCHEMA]), spans


def _middle(column: pl.Expr) -> pl.Expr:
    """The middle of the values, the lower one of two."""
    ordered = column.drop_nulls().sort()
    return ordered.get((ordered.len().cast(pl.Int64) - 1) // 2, null_on_oob=True)
