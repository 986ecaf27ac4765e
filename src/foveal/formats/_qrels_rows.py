"""Judgements as rows: one per highlighted passage or judged document, or passages in lists."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import groupby

import numpy as np

from foveal.errors import BadInput, DataError, Problem, counted, listed, shortened
from foveal.files import Source
from foveal.formats._format import QrelsRows, ReadOptions, refuse_missing
from foveal.frozen import frozen
from foveal.late import pl
from foveal.spans import united
from foveal.tables import AspectColumns, NamedAspects, Qrels, aliases, placed_texts, texts_alone
from foveal.tables import columns as c

FACTS = (c.LENGTH, c.ENTRY, c.GRADE, c.STATED)
NAMES = (c.TOPIC, c.DOC, c.START, c.END, *FACTS, c.ASSESSOR, c.TEXT)
SPEAKS = (*c.SPEAKS_OF_RELEVANCE, c.START, c.END, c.TEXT)
RANKED = (c.RANK, c.SCORE)
# What else people call a text that is relevant.
QUOTES = {"quote", "answer", "evidence", "reference", "span", "excerpt", "ground_truth"}
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

    others: tuple[str, ...] = ()
    """What else the file has."""

    @property
    def filled(self) -> list[str]:
        """The columns that are not empty, and what else the file has."""
        frame = self.frame
        found = {name for name in frame.columns if frame[name].null_count() < frame.height}
        found |= {*self.others}
        others = sorted(found - {*NAMES, c.LINE})
        return [*(name for name in NAMES if name in found), *others]

    def refuse(self, reason: str) -> None:
        """Refuse the file for its columns."""
        raise BadInput(self.source.name, [Problem(self.line, reason)])


def judged_rows(
    rows: QrelsTable,
    reading: ReadOptions,
    problems: list[Problem],
    highlights: pl.DataFrame | None = None,
    notes: tuple[str, ...] = (),
    aspects: NamedAspects | None = None,
) -> QrelsRows:
    """The judgements in rows under any known names of columns.

    `problems` are those found so far; `highlights` has passages that are given in lists, `aspects`
    those that were taken from rows already.
    """
    frame, aliases_used = aliases.renamed(rows.frame, aliases.OF_JUDGEMENTS)
    if not problems:
        frame, ends = _with_ends(replace(rows, frame=frame))
        notes += ends
        _refuse_other_tables(replace(rows, frame=frame))
    frame, found = _placed(frame, reading, problems)
    problems += _silent(frame)
    passages = _passages(frame)
    if highlights is not None:
        passages = pl.concat([highlights, passages], how="diagonal_relaxed")
    named = _aspects(frame, problems) if aspects is None else aspects
    return QrelsRows(
        documents=frame,
        passages=passages,
        aspects=named.frame(frame),
        problems=problems,
        notes=(*notes, *found),
        aliases_used=aliases_used,
    )


def _aspects(frame: pl.DataFrame, problems: list[Problem]) -> NamedAspects:
    """The aspects in a column of lists, or of names joined by |."""
    named = NamedAspects()
    if c.ASPECTS not in frame.columns:
        return named
    for row, (line, own) in enumerate(frame.select(c.LINE, c.ASPECTS).iter_rows()):
        try:
            named.take(row, None, own)
        except ValueError as error:
            problems.append(Problem(line, str(error)))
    return named


def _with_ends(rows: QrelsTable) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The rows with ends of passages where these have texts or lengths instead.

    Elsewhere `length` is that of the document. It is not if it is always end - start, and it is
    not if there is a start and nothing that could be an end; unless a document has several rows,
    all of the same length.
    """
    frame, names = rows.frame, rows.filled
    if c.START not in names or (c.END not in names and aliases.renaming([c.END], names)):
        return frame, ()
    if c.END not in names and c.TEXT in names:
        return frame.with_columns((_whole(c.START) + _size_of_text()).alias(c.END)), ()
    if c.LENGTH not in names:
        return frame, ()
    if c.END not in names:
        return _with_passage_lengths(rows) if c.DOC in names else (frame, ())
    spans = frame.filter(pl.col(c.START).is_not_null())
    is_size = _whole(c.END) - _whole(c.START) == _whole(c.LENGTH)
    same = spans.select(is_size.all() & (_whole(c.START) > 0).any()).item()
    said = "length is end - start on every row, so it is that of the passage, not of the document"
    return (frame.drop(c.LENGTH), (said,)) if same else (frame, ())


def _whole(name: str) -> pl.Expr:
    """A column as whole numbers; what is none is found out later."""
    return pl.col(name).cast(pl.Int64, strict=False)


def _size_of_text() -> pl.Expr:
    return pl.col(c.TEXT).cast(pl.String).str.len_chars().cast(pl.Int64)


def _with_passage_lengths(rows: QrelsTable) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The rows with ends made of starts and lengths, unless these may be those of documents."""
    frame = rows.frame
    by_document = frame.group_by(c.DOC).agg(
        pl.len().alias(c.PASSAGES), pl.col(c.LENGTH).n_unique().alias(c.SIZE)
    )
    several = by_document.filter(pl.col(c.PASSAGES) > 1)
    if several.height and (several[c.SIZE] == 1).all():
        rows.refuse(
            f"no {rows.noun} 'end', and all rows of a document have the same length: if it is the"
            " document's, give end as well; if it is the passages', give end = start + length"
        )
    said = "start and length without end: end = start + length"
    end = (_whole(c.START) + _whole(c.LENGTH)).alias(c.END)
    return frame.with_columns(end).drop(c.LENGTH), (said,)


def has_qrels_columns(names: Collection[str]) -> bool:
    """Whether columns are those of judgements, not of a run; start and end alone could be either."""
    told = {*c.SPEAKS_OF_RELEVANCE, c.ASSESSOR}
    ranked = any(name in names for name in RANKED)
    # A run may have the lengths of its parts, and call its scores relevance.
    if ranked or c.START in {*names, *aliases.aliased([c.START], names)}:
        told -= {c.LENGTH}
    if not ranked:
        told |= {*aliases.aliased([c.GRADE], names).values()}
    return not told.isdisjoint(names)


def _refuse_other_tables(rows: QrelsTable) -> None:
    """Refuse rows without topics, documents or judgements."""
    names, edges = rows.filled, [c.START, c.END]
    if not rows.frame.height:
        return
    # An edge that is empty in all rows is missing there.
    present = [*names, *(name for name in edges if name in {*rows.frame.columns} - {*names})]
    refuse_missing(present, rows.source, rows.line, rows.noun)
    halves = [name for name in edges if name not in present]
    if len(halves) == 1:
        rows.refuse(aliases.missing_and_meant(halves, names, rows.noun))
    ranked = [name for name in RANKED if name in names]
    if ranked and not has_qrels_columns(names):
        rows.refuse(A_RUN.format(listed(ranked), "it" if len(ranked) == 1 else "them"))
    if not any(name in names for name in SPEAKS):
        quotes = [name for name in names if name.lower() in QUOTES]
        rows.refuse(
            f"no {rows.noun} says what is relevant: start and end, highlights, grade, or text (with"
            f" --docs DOCUMENTS) (found: {shortened(', '.join(names))})"
            + (f": rename {quotes[0]!r} to {c.TEXT!r}?" if quotes else "")
        )


def _placed(
    frame: pl.DataFrame, reading: ReadOptions, problems: list[Problem]
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The rows with the places of texts, which are found or verified in the documents."""
    if c.TEXT not in frame.columns or c.DOC not in frame.columns:
        return frame, ()
    if reading.docs is None:
        problems += _unverified(frame.filter(pl.col(c.TEXT).is_not_null()))
        return frame, ()
    placed, wrong, notes = placed_texts(frame, reading.docs, reading.copies)
    problems += wrong
    return placed, notes


def _unverified(rows: pl.DataFrame) -> list[Problem]:
    """What is wrong with texts without their documents: no place, or a place of another length."""
    absent = [pl.lit(None).alias(name) for name in (c.START, c.END) if name not in rows.columns]
    parts = rows.with_columns(absent).with_columns(
        pl.col(c.START, c.END).cast(pl.Int64, strict=False)
    )
    size, length = pl.col(c.END) - pl.col(c.START), _size_of_text()
    unplaced = parts.filter(pl.col(c.START).is_null() & pl.col(c.END).is_null())
    others = parts.filter(size != length).select(c.LINE, length.alias(c.LENGTH), size.alias(c.SIZE))
    return texts_alone(unplaced[c.LINE].to_list()) + [
        Problem(line, other_length(c.TEXT, characters, wanted))
        for line, characters, wanted in others.iter_rows()
    ]


def other_length(name: str, characters: int, wanted: int) -> str:
    """What to say of a text that is not as long as its span."""
    return f"{name} has {counted(characters, 'character')}, but end - start is {wanted:,}"


def _silent(frame: pl.DataFrame) -> list[Problem]:
    """A problem for every row that judges nothing."""
    says = [pl.col(name).is_not_null() for name in SPEAKS if name in frame.columns]
    silent = frame.filter(~pl.any_horizontal(says)) if says else frame
    return [Problem(line, NOTHING_JUDGED) for line in silent[c.LINE]]


def _passages(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows with a start or an end; one that is missing is found out later."""
    named = [name for name in (c.START, c.END) if name in frame.columns]
    if not named:
        return pl.DataFrame(schema=c.PASSAGE_SCHEMA)
    given = pl.any_horizontal(pl.col(name).is_not_null() for name in named)
    rows = frame.drop(c.JUDGED, strict=False).with_row_index(c.JUDGED)
    return rows.filter(given).select(c.JUDGED, *named)


def assessor_rows(tables: Mapping[str, Qrels]) -> pl.DataFrame:
    """The rows of several assessors, which name them; only columns that are not empty."""
    named = [
        long_rows(own).with_columns(pl.lit(name).alias(c.ASSESSOR)) for name, own in tables.items()
    ]
    rows = pl.concat(named, how="diagonal")
    return rows.select(name for name in NAMES if name in rows.columns)


def long_rows(qrels: Qrels) -> pl.DataFrame:
    """A row per passage, or per document without any; only columns that are not empty."""
    documents = qrels.documents.drop(c.LINE).with_row_index(c.JUDGED)
    rows = documents.join(qrels.passages, on=c.JUDGED, how="left", maintain_order="left")
    # An empty span says that a document was judged, where nothing else does.
    silent = pl.all_horizontal(pl.col(c.START, *FACTS).is_null())
    edges = [pl.when(silent).then(0).otherwise(name).alias(name) for name in (c.START, c.END)]
    # The size that is stated for all passages together is stated once.
    stated = pl.when(pl.col(c.JUDGED).is_first_distinct()).then(c.STATED).alias(c.STATED)
    rows = rows.with_columns(*edges, stated).select(c.TOPIC, c.DOC, c.START, c.END, *FACTS)
    return rows.select(name for name in rows.columns if rows[name].null_count() < rows.height)


def passages_in(rows: pl.DataFrame) -> pl.DataFrame | None:
    """The passages in the lists of a frame; None if it has none or some are not pairs of numbers."""
    if c.HIGHLIGHTS not in rows.columns:
        return None
    lists = rows.select(pl.int_range(pl.len(), dtype=pl.UInt32).alias(c.JUDGED), c.HIGHLIGHTS)
    try:
        # As floats, so that a fraction is found out instead of cut off.
        lists = lists.cast({c.HIGHLIGHTS: pl.List(pl.List(pl.Float64))})
    except pl.exceptions.PolarsError:
        return None
    pairs = lists.filter(pl.col(c.HIGHLIGHTS).list.len() > 0).explode(c.HIGHLIGHTS)
    pair = pl.col(c.HIGHLIGHTS).list
    if not pairs.select((pair.len() == 2).fill_null(value=False).all()).item():
        return None
    given = pairs.select(c.JUDGED, pair.get(0).alias(c.START), pair.get(1).alias(c.END))
    passages = given.with_columns(pl.col(c.START, c.END).cast(pl.Int64, strict=False))
    is_whole = given.select((pl.col(c.START, c.END) % 1 == 0).fill_null(value=False).all())
    return passages if all(is_whole.row(0)) and not sum(passages.null_count().row(0)) else None


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
