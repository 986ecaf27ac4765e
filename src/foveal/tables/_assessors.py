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

MAX_NAMES = 10


def has_assessors(documents: pl.DataFrame) -> bool:
    """Whether any row names an assessor."""
    return c.ASSESSOR in documents.columns and documents[c.ASSESSOR].null_count() < documents.height


def rows_by_assessor(
    documents: object, passages: pl.DataFrame | None, aspects: pl.DataFrame | None = None
) -> Iterator[tuple[str, pl.DataFrame, pl.DataFrame, pl.DataFrame | None]]:
    """Each assessor with their rows, passages and aspects, in order of appearance.

    Yields nothing if no row names an assessor.
    """
    if isinstance(documents, pl.DataFrame) and has_assessors(documents):
        spans = pl.DataFrame(schema=c.PASSAGE_SCHEMA) if passages is None else passages
        assessor = documents[c.ASSESSOR].cast(pl.String)
        for name in assessor.drop_nulls().unique(maintain_order=True).to_list():
            is_own = (assessor == name).fill_null(value=False)
            entries = None if aspects is None else _of_rows(aspects, is_own)
            yield name, documents.filter(is_own), _of_rows(spans, is_own), entries


def _of_rows(entries: pl.DataFrame, keep: pl.Series) -> pl.DataFrame:
    """The passages or aspects of the rows to keep, with the new indices of these rows."""
    rows = entries.filter(keep.gather(entries[c.JUDGED]))
    index = (keep.cum_sum() - 1).gather(rows[c.JUDGED])
    return rows.with_columns(index.cast(pl.UInt32).alias(c.JUDGED))


def add_assessor_problems(table: pl.DataFrame, problem_list: ProblemList) -> None:
    """Add problems: missing assessors, assessors named like a choice, and differing lengths."""
    names, lines = table[c.ASSESSOR], table[c.LINE]
    reason = "assessor is missing on this line but present on others"
    problem_list.add([Problem(line, reason) for line in lines.filter(names.is_null()).to_list()])
    clash = table.filter(names.is_in([word.value for word in Assessors])).select(c.LINE, c.ASSESSOR)
    problem_list.add(
        Problem(line, f"an assessor cannot be called {word!r}, which --assessors uses: rename")
        for line, word in clash.iter_rows()
    )
    rows = table.drop_nulls(c.LENGTH)
    differs = rows[c.LENGTH] != rows.select(pl.first(c.LENGTH).over(c.TOPIC, c.DOC)).to_series()
    problem_list.add(
        Problem(
            line, f"document {document!r} of topic {topic!r} has another length on an earlier line"
        )
        for line, topic, document in rows.filter(differs).select(c.LINE, c.TOPIC, c.DOC).iter_rows()
    )


def merge_assessors(
    table: pl.DataFrame, passages: pl.DataFrame, assessors: str, source: str
) -> tuple[pl.DataFrame, pl.DataFrame, str]:
    """One row per topic and document, its passages, and whose judgements they are.

    The table has a row per topic, document and assessor, and the passages of each row are disjoint.
    With a single assessor, the text about whose judgements they are is empty.
    """
    if c.ASSESSOR not in table.columns:
        refuse_without_assessors(assessors, source)
        return table, passages, ""
    names = table[c.ASSESSOR].unique(maintain_order=True).to_list()
    has_several = len(names) > 1
    if assessors not in [*Assessors]:
        judgements = _of_one_assessor(table, passages, assessors, names, source)
        return *judgements, f"{assessors} (of {len(names)})" if has_several else ""
    if has_several:
        table, passages = _merged(table, passages, Assessors(assessors))
    table = table.drop(c.ASSESSOR, strict=False)
    return table, passages, f"{assessors} of {len(names)}" if has_several else ""


def missing_row_notes(table: pl.DataFrame) -> tuple[str, ...]:
    """Note: documents without rows of every assessor, where rows are passages."""
    if c.ASSESSOR not in table.columns:
        return ()
    assessor_count = table[c.ASSESSOR].n_unique()
    by_document = table.group_by(c.TOPIC, c.DOC).agg(pl.col(c.ASSESSOR).n_unique())
    incomplete = int((by_document[c.ASSESSOR] < assessor_count).sum())
    note = (
        f"{counted(incomplete, 'document')} without a row of each of the {assessor_count} assessors: those without one"
        " do not count there (start = end says that nothing was marked)"
    )
    return (note,) if incomplete else ()


def refuse_without_assessors(assessors: str, source: str) -> None:
    """Raise if assessors were chosen but no row names one."""
    if assessors != Assessors.UNION:
        raise UsageError(
            f"{source} names no assessors (column or key 'assessor'), so assessors must be"
            f" {Assessors.UNION}, got {assessors!r}"
        )


def _of_one_assessor(
    table: pl.DataFrame, passages: pl.DataFrame, assessor: str, names: list[str], source: str
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The judgements of one assessor."""
    if assessor not in names:
        ellipsis = ", …" if len(names) > MAX_NAMES else ""
        raise UsageError(
            f"assessors must be {and_list([*Assessors]).replace(' and ', ', ')} or an assessor in"
            f" {source} ({', '.join(sorted(names)[:MAX_NAMES])}{ellipsis}), got {assessor!r}"
        )
    is_own = table[c.ASSESSOR] == assessor
    return table.filter(is_own).drop(c.ASSESSOR), _of_rows(passages, is_own)


def _merged(
    table: pl.DataFrame, passages: pl.DataFrame, rule: Assessors
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The union of all judgements of a document, or what more than half of its assessors say.

    The same holds for grades: the highest one, or the highest that more than half of those who
    graded the document gave or exceeded. The entry point is the first one given, or such a middle
    one. Sizes that files state are those of one assessor, so they are left out.
    """
    by_majority = rule is Assessors.MAJORITY
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
    assessor_count = groups[c.JUDGED].list.len().to_numpy().astype(np.int64)
    row[groups[c.JUDGED].explode().to_numpy()] = np.repeat(np.arange(groups.height), assessor_count)
    document = row[passages[c.JUDGED].to_numpy()]
    start, end = passages[c.START].to_numpy(), passages[c.END].to_numpy()
    if by_majority:
        document, start, end = majority(document, start, end, assessor_count)
    spans = pl.DataFrame({c.JUDGED: document, c.START: start, c.END: end}, schema=c.PASSAGE_SCHEMA)
    return groups.select([*c.DOCUMENT_SCHEMA]), spans


def _middle(column: pl.Expr) -> pl.Expr:
    """The middle of the values, the lower one of two."""
    ordered = column.drop_nulls().sort()
    return ordered.get((ordered.len().cast(pl.Int64) - 1) // 2, null_on_oob=True)
