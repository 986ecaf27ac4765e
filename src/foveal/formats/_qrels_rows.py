"""Reads and writes judgements as rows: one per passage or judged document, or with lists."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import groupby

import numpy as np

from foveal.errors import BadInput, DataError, Problem, and_list, counted, shortened
from foveal.files import Source
from foveal.formats._format import QrelsRows, ReadOptions, refuse_missing
from foveal.frozen import frozen
from foveal.late import pl
from foveal.spans import united
from foveal.tables import AspectColumns, NamedAspects, Qrels, aliases, missing_offsets, placed_texts
from foveal.tables import columns as c

FACTS = (c.LENGTH, c.ENTRY, c.GRADE, c.STATED)
NAMES = (c.TOPIC, c.DOC, c.START, c.END, *FACTS, c.ASSESSOR, c.TEXT)
JUDGING_COLUMNS = (*c.RELEVANCE_COLUMNS, c.START, c.END, c.TEXT)
RANKING_COLUMNS = (c.RANK, c.SCORE)
# Other names that people give a column of relevant texts.
QUOTE_NAMES = {"quote", "answer", "evidence", "reference", "span", "excerpt", "ground_truth"}
NOTHING_JUDGED = (
    "no grade, length or highlights, and no start and end: nothing is judged (start = end judges a"
    " document without highlighting text)"
)
A_RUN = (
    "{} but no grades or highlights: this is a run (if the rows are judgements, remove {} or give"
    " grades)"
)
Graded = dict[str, float]
Passage = tuple[int, int, Graded]


@frozen
class QrelsTable:
    """Rows of a file of judgements, their source, and the word for its columns."""

    frame: pl.DataFrame
    source: Source
    line: int | None
    noun: str
    """`column`, or `key` in JSON."""

    other_columns: tuple[str, ...] = ()
    """Other columns of the file."""

    @property
    def nonempty(self) -> list[str]:
        """Columns that are not empty, and the other columns of the file."""
        frame = self.frame
        names = {name for name in frame.columns if frame[name].null_count() < frame.height}
        names |= {*self.other_columns}
        unknown_columns = sorted(names - {*NAMES, c.LINE})
        return [*(name for name in NAMES if name in names), *unknown_columns]

    def refuse(self, reason: str) -> None:
        """Refuse the file for its columns."""
        raise BadInput(self.source.name, [Problem(self.line, reason)])


def judged_rows(
    table: QrelsTable,
    options: ReadOptions,
    problems: list[Problem],
    highlights: pl.DataFrame | None = None,
    notes: tuple[str, ...] = (),
    aspects: NamedAspects | None = None,
) -> QrelsRows:
    """Judgements from rows whose columns have any known names.

    `problems` are those so far; `highlights` has passages that are given in lists, `aspects` those
    that were already read from the rows.
    """
    frame, aliases_used = aliases.renamed(table.frame, aliases.QRELS_FIELDS)
    if not problems:
        frame, end_notes = _with_ends(replace(table, frame=frame))
        notes += end_notes
        _refuse_other_tables(replace(table, frame=frame))
    frame, text_notes = _with_text_spans(frame, options, problems)
    problems += _nothing_judged(frame)
    passages = _passages(frame)
    if highlights is not None:
        passages = pl.concat([highlights, passages], how="diagonal_relaxed")
    named_aspects = _aspects(frame, problems) if aspects is None else aspects
    return QrelsRows(
        documents=frame,
        passages=passages,
        aspects=named_aspects.frame(frame),
        problems=problems,
        notes=(*notes, *text_notes),
        aliases_used=aliases_used,
    )


def _aspects(frame: pl.DataFrame, problems: list[Problem]) -> NamedAspects:
    """Aspects in a column of lists, or of names joined by |."""
    aspects = NamedAspects()
    if c.ASPECTS not in frame.columns:
        return aspects
    for row, (line, names) in enumerate(frame.select(c.LINE, c.ASPECTS).iter_rows()):
        try:
            aspects.take(row, None, names)
        except ValueError as error:
            problems.append(Problem(line, str(error)))
    return aspects


def _with_ends(table: QrelsTable) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The rows with ends of passages that have texts or lengths instead, and notes.

    Usually `length` is that of the document. It is that of the passage if it is always end - start,
    or if there is a start and nothing that could be an end; unless a document has several rows, all
    of the same length.
    """
    frame, names = table.frame, table.nonempty
    if c.START not in names or (c.END not in names and aliases.rename_question([c.END], names)):
        return frame, ()
    if c.END not in names and c.TEXT in names:
        return frame.with_columns((_integers(c.START) + _size_of_text()).alias(c.END)), ()
    if c.LENGTH not in names:
        return frame, ()
    if c.END not in names:
        return _with_ends_of_lengths(table) if c.DOC in names else (frame, ())
    spans = frame.filter(pl.col(c.START).is_not_null())
    is_size = _integers(c.END) - _integers(c.START) == _integers(c.LENGTH)
    are_sizes = spans.select(is_size.all() & (_integers(c.START) > 0).any()).item()
    note = "length is end - start on every row, so it is that of the passage, not of the document"
    return (frame.drop(c.LENGTH), (note,)) if are_sizes else (frame, ())


def _integers(name: str) -> pl.Expr:
    """Column as integers; values that are none become problems later."""
    return pl.col(name).cast(pl.Int64, strict=False)


def _size_of_text() -> pl.Expr:
    return pl.col(c.TEXT).cast(pl.String).str.len_chars().cast(pl.Int64)


def _with_ends_of_lengths(table: QrelsTable) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The rows with ends made of starts and lengths, unless lengths may be those of documents."""
    frame = table.frame
    by_document = frame.group_by(c.DOC).agg(
        pl.len().alias(c.PASSAGES), pl.col(c.LENGTH).n_unique().alias(c.SIZE)
    )
    several = by_document.filter(pl.col(c.PASSAGES) > 1)
    if several.height and (several[c.SIZE] == 1).all():
        table.refuse(
            f"no {table.noun} 'end', and all rows of a document have the same length: if it is the"
            " document's, give end as well; if it is the passages', give end = start + length"
        )
    note = "start and length without end: end = start + length"
    end = (_integers(c.START) + _integers(c.LENGTH)).alias(c.END)
    return frame.with_columns(end).drop(c.LENGTH), (note,)


def has_qrels_columns(names: Collection[str]) -> bool:
    """True if columns are those of judgements; start and end alone could be a run's."""
    qrels_names = {*c.RELEVANCE_COLUMNS, c.ASSESSOR}
    is_ranked = any(name in names for name in RANKING_COLUMNS)
    # A run may have the lengths of its parts, and call its scores relevance.
    if is_ranked or c.START in {*names, *aliases.alias_by_column([c.START], names)}:
        qrels_names -= {c.LENGTH}
    if not is_ranked:
        qrels_names |= {*aliases.alias_by_column([c.GRADE], names).values()}
    return not qrels_names.isdisjoint(names)


def _refuse_other_tables(table: QrelsTable) -> None:
    """Refuse rows without topics, documents or judgements."""
    names, edges = table.nonempty, [c.START, c.END]
    if not table.frame.height:
        return
    # A start or end that is empty in all rows is a problem of the rows, not a missing column.
    present = [*names, *(name for name in edges if name in {*table.frame.columns} - {*names})]
    refuse_missing(present, table.source, table.line, table.noun)
    halves = [name for name in edges if name not in present]
    if len(halves) == 1:
        table.refuse(aliases.missing_columns(halves, names, table.noun))
    ranked = [name for name in RANKING_COLUMNS if name in names]
    if ranked and not has_qrels_columns(names):
        table.refuse(A_RUN.format(and_list(ranked), "it" if len(ranked) == 1 else "them"))
    if not any(name in names for name in JUDGING_COLUMNS):
        quotes = [name for name in names if name.lower() in QUOTE_NAMES]
        table.refuse(
            f"no {table.noun} says what is relevant: start and end, highlights, grade, or text (with"
            f" --docs DOCUMENTS) (found: {shortened(', '.join(names))})"
            + (f": rename {quotes[0]!r} to {c.TEXT!r}?" if quotes else "")
        )


def _with_text_spans(
    frame: pl.DataFrame, options: ReadOptions, problems: list[Problem]
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The rows with spans of their texts, found or verified in the documents, and notes."""
    if c.TEXT not in frame.columns or c.DOC not in frame.columns:
        return frame, ()
    if options.docs is None:
        problems += _problems_of_texts(frame.filter(pl.col(c.TEXT).is_not_null()))
        return frame, ()
    placed, text_problems, notes = placed_texts(frame, options.docs, options.copies)
    problems += text_problems
    return placed, notes


def _problems_of_texts(rows: pl.DataFrame) -> list[Problem]:
    """Problems of judged texts, if no documents are given: no span, or one that is not as long."""
    nulls = [pl.lit(None).alias(name) for name in (c.START, c.END) if name not in rows.columns]
    parts = rows.with_columns(nulls).with_columns(
        pl.col(c.START, c.END).cast(pl.Int64, strict=False)
    )
    size, length = pl.col(c.END) - pl.col(c.START), _size_of_text()
    unplaced = parts.filter(pl.col(c.START).is_null() & pl.col(c.END).is_null())
    misfit = parts.filter(size != length).select(c.LINE, length.alias(c.LENGTH), size.alias(c.SIZE))
    return missing_offsets(unplaced[c.LINE].to_list()) + [
        Problem(line, other_length(c.TEXT, characters, span_size))
        for line, characters, span_size in misfit.iter_rows()
    ]


def other_length(name: str, characters: int, size: int) -> str:
    """Problem: a text is not as long as its span."""
    return f"{name} has {counted(characters, 'character')}, but end - start is {size:,}"


def _nothing_judged(frame: pl.DataFrame) -> list[Problem]:
    """Problem for each row that judges nothing."""
    judged = [pl.col(name).is_not_null() for name in JUDGING_COLUMNS if name in frame.columns]
    empty = frame.filter(~pl.any_horizontal(judged)) if judged else frame
    return [Problem(line, NOTHING_JUDGED) for line in empty[c.LINE]]


def _passages(frame: pl.DataFrame) -> pl.DataFrame:
    """Passages of the rows with a start or an end; a missing one becomes a problem later."""
    names = [name for name in (c.START, c.END) if name in frame.columns]
    if not names:
        return pl.DataFrame(schema=c.PASSAGE_SCHEMA)
    has_span = pl.any_horizontal(pl.col(name).is_not_null() for name in names)
    rows = frame.drop(c.JUDGED, strict=False).with_row_index(c.JUDGED)
    return rows.filter(has_span).select(c.JUDGED, *names)


def assessor_rows(tables: Mapping[str, Qrels]) -> pl.DataFrame:
    """Rows of several assessors, with their names; only columns that are not empty."""
    frames = [
        long_rows(qrels).with_columns(pl.lit(name).alias(c.ASSESSOR))
        for name, qrels in tables.items()
    ]
    rows = pl.concat(frames, how="diagonal")
    return rows.select(name for name in NAMES if name in rows.columns)


def long_rows(qrels: Qrels) -> pl.DataFrame:
    """Row per passage, or per document without any; only columns that are not empty."""
    documents = qrels.documents.drop(c.LINE).with_row_index(c.JUDGED)
    rows = documents.join(qrels.passages, on=c.JUDGED, how="left", maintain_order="left")
    # An empty span marks a document as judged if nothing else in its row does.
    says_nothing = pl.all_horizontal(pl.col(c.START, *FACTS).is_null())
    edges = [pl.when(says_nothing).then(0).otherwise(name).alias(name) for name in (c.START, c.END)]
    # The stated size of all passages together is written once, with the first.
    stated_size = pl.when(pl.col(c.JUDGED).is_first_distinct()).then(c.STATED).alias(c.STATED)
    rows = rows.with_columns(*edges, stated_size).select(c.TOPIC, c.DOC, c.START, c.END, *FACTS)
    return rows.select(name for name in rows.columns if rows[name].null_count() < rows.height)


def passages_in(rows: pl.DataFrame) -> pl.DataFrame | None:
    """Passages in the lists of a frame; None without lists, or if an item is no pair of integers."""
    if c.HIGHLIGHTS not in rows.columns:
        return None
    lists = rows.select(pl.int_range(pl.len(), dtype=pl.UInt32).alias(c.JUDGED), c.HIGHLIGHTS)
    try:
        # As floats, so that a fraction is noticed instead of cut off.
        lists = lists.cast({c.HIGHLIGHTS: pl.List(pl.List(pl.Float64))})
    except pl.exceptions.PolarsError:
        return None
    pairs = lists.filter(pl.col(c.HIGHLIGHTS).list.len() > 0).explode(c.HIGHLIGHTS)
    pair = pl.col(c.HIGHLIGHTS).list
    if not pairs.select((pair.len() == 2).fill_null(value=False).all()).item():
        return None
    bounds = pairs.select(c.JUDGED, pair.get(0).alias(c.START), pair.get(1).alias(c.END))
    passages = bounds.with_columns(pl.col(c.START, c.END).cast(pl.Int64, strict=False))
    is_integer = bounds.select((pl.col(c.START, c.END) % 1 == 0).fill_null(value=False).all())
    return passages if all(is_integer.row(0)) and not sum(passages.null_count().row(0)) else None


def required_aspects(qrels: Qrels, format_name: str) -> AspectColumns:
    """Aspects of judgements, which a format needs; refused if there are none."""
    aspects = qrels.judgements.aspects
    if aspects is None:
        raise DataError(f"{format_name} needs aspects, and these judgements name none: use jsonl")
    return aspects


def passages_with_aspects(qrels: Qrels) -> tuple[list[list[Passage]], list[Graded]]:
    """Passages of each document with their aspects, and the aspects of each whole document.

    Passages are as they were before overlapping ones were merged; those without aspects are last.
    """
    judgements, count = qrels.judgements, len(qrels.judgements.topic)
    aspects = judgements.aspects or AspectColumns.of_frame(pl.DataFrame(schema=c.ASPECT_SCHEMA))
    entries = aspects.by_row(count)
    passages: list[list[Passage]] = []
    document_aspects: list[Graded] = []
    for document_entries in entries:
        parts = [
            (start, end, {name: grade for name, _, _, grade in group})
            for (start, end), group in groupby(document_entries, key=lambda entry: entry[1:3])
        ]
        passages.append([part for part in parts if part[0] >= 0])
        document_aspects.append(next((graded for start, _, graded in parts if start < 0), {}))
    rows = np.flatnonzero(~aspects.is_whole)
    merged = united(aspects.row[rows], aspects.start[rows], aspects.end[rows], count)
    merged_passages = {*zip(*(column.tolist() for column in merged), strict=True)}
    columns = (judgements.passage_row, judgements.passage_start, judgements.passage_end)
    for row, start, end in zip(*(column.tolist() for column in columns), strict=True):
        if (row, start, end) not in merged_passages:
            passages[row].append((start, end, {}))
    return passages, document_aspects


def lines_with_aspects(qrels: Qrels, assessor: str | None = None) -> bytes:
    """Judgements as lines of JSON: highlights with aspects are objects, others are pairs."""
    documents = qrels.documents.drop(c.LINE).with_columns(pl.lit(assessor).alias(c.ASSESSOR))
    has_highlights = qrels.passages.height or documents[c.GRADE].null_count()
    lines = []
    rows = zip(documents.iter_rows(named=True), *passages_with_aspects(qrels), strict=True)
    for row, passages, document_aspects in rows:
        fields = {name: value for name, value in row.items() if value is not None}
        if has_highlights:
            fields[c.HIGHLIGHTS] = [_highlight(*passage) for passage in passages]
        if document_aspects:
            fields[c.ASPECTS] = _names(document_aspects)
        lines.append(json.dumps(fields, ensure_ascii=False) + "\n")
    return "".join(lines).encode()


def _highlight(start: int, end: int, aspects: Graded) -> dict[str, object] | list[int]:
    pair = {c.START: start, c.END: end}
    return {**pair, c.ASPECTS: _names(aspects)} if aspects else [start, end]


def _names(aspects: Graded) -> Graded | list[str]:
    """Names of aspects, with their grades if one is not 1."""
    return aspects if any(grade != 1 for grade in aspects.values()) else list(aspects)
