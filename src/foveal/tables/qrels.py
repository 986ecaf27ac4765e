"""Judgements: what is relevant, down to the character."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self, TypeAlias

import numpy as np

from foveal.choices import Assessors
from foveal.errors import BadInput, Problem, counted
from foveal.late import pl
from foveal.spans import Bools
from foveal.tables import _columns as c
from foveal.tables._aliases import OF_JUDGEMENTS
from foveal.tables._assessors import (
    assessors_known,
    marked_by_some,
    of_assessors,
    refuse_odd_assessors,
    refuse_without_assessors,
    taken_apart,
)
from foveal.tables._frames import Complaints, measured, typed
from foveal.tables._inputs import (
    Frame,
    JudgedDocument,
    NumbersByTopic,
    Row,
    Rows,
    as_frame,
    of_topics,
)
from foveal.tables._judgement_columns import JudgementColumns, content_hash
from foveal.tables._judgement_rules import broken_rules, ignored, oddities, refuse_silence
from foveal.tables._topic_set import ChosenTopics
from foveal.tables._united import disjoint, united_rows


@dataclass(frozen=True, eq=False, repr=False)
class Qrels:
    """Judgements: judged documents and their highlighted passages.

    `documents` has one row per topic and document: length, best entry point, grade and the
    relevant size its file states, each null where unknown. `passages` has the disjoint
    passages by row of `documents`, in order; overlapping ones are merged, touching ones stay
    apart. Both are frames, made of the columns in `judgements` when they are asked for. `notes`
    counts what was odd in the file without being wrong; `taken` are columns under the names of
    other tools, by those names; `assessors` says whose judgements these are, if several judged;
    `chosen` are the topics that alone count, and how often, if some were chosen.
    """

    judgements: JudgementColumns
    source: str = "qrels"
    notes: tuple[str, ...] = ()
    format: str = "table"
    taken: Mapping[str, str] = field(default_factory=dict)
    assessors: str = ""
    chosen: ChosenTopics | None = None

    @classmethod
    def of(
        cls,
        documents: pl.DataFrame | JudgementColumns,
        passages: pl.DataFrame | None = None,
        *,
        source: str = "qrels",
        format: str = "table",  # noqa: A002  # the field's name
        problems: Sequence[Problem] = (),
        notes: tuple[str, ...] = (),
        lengths_of: Callable[[pl.Series], pl.Series] | None = None,
        taken: Mapping[str, str] | None = None,
        assessors: str = Assessors.UNION,
    ) -> Self:
        """Judgements from document rows and passages that name their row.

        Everything wrong with them is raised at once. A document judged with text may be given
        several times: its passages are united. A document judged by grade alone may not.
        `problems` are those the reader has found; `lengths_of` fills in the lengths that the file
        does not state, and must know them all. `assessors` says whose judgements count if rows
        name several.
        """
        if isinstance(documents, JudgementColumns):
            refuse_without_assessors(assessors, source)
            return cls(documents, source, (*oddities(documents, 0), *notes), format)
        if passages is None:
            passages = pl.DataFrame(schema=c.PASSAGE_SCHEMA)
        complaints = Complaints(source, problems)
        schema = c.DOCUMENT_SCHEMA | (c.ASSESSOR_SCHEMA if assessors_known(documents) else {})
        table = typed(documents, schema, [c.TOPIC, c.DOC], complaints)
        if not table.height:
            complaints.refuse(table, "judgements")
        lines = table[c.LINE].gather(passages[c.JUDGED])
        spans = typed(passages, c.PASSAGE_SCHEMA, list(c.PASSAGE_SCHEMA), complaints, lines)
        complaints.add(broken_rules(table, spans))
        if c.ASSESSOR in table.columns:
            refuse_odd_assessors(table, complaints)
        united, spans, ununited = united_rows(table, spans)
        complaints.problems += ununited
        complaints.refuse(table, "judgements")
        # Where rows are passages, most documents have several.
        by_passage = c.START in documents.columns and c.HIGHLIGHTS not in documents.columns
        repeated, table = 0 if by_passage else table.height - united.height, united
        spans = disjoint(spans, table.height)
        if by_passage and assessors == Assessors.MAJORITY:
            notes = (*notes, *marked_by_some(table))
        table, spans, whose = of_assessors(table, spans, assessors, source)
        spans = disjoint(spans, table.height) if whose else spans
        judgements = JudgementColumns.of_frames(table, spans)
        notes = (*oddities(judgements, repeated), *notes)
        if lengths_of:
            table, differing = _with_lengths(table, measured(table, lengths_of, source))
            judgements, notes = JudgementColumns.of_frames(table, spans), notes + differing
        return cls(judgements, source, notes, format, taken or {}, whose)

    @classmethod
    def from_frame(cls, frame: Frame, *, assessors: str = Assessors.UNION) -> Self:
        """Judgements in a Polars, pandas or pyarrow frame.

        Columns: topic, doc, and any of grade, length, entry and `highlights`, a list of
        [start, end] pairs; or start and end, one row per passage. The names that other tools give
        them (qid, docno, label, query_id, start_index …) are known as well, see `taken`. If several
        people judged, the column `assessor` names them, and `assessors` says whose judgements
        count: `union`, `majority` (of those who judged the document) or a name.
        """
        return cls._of_table(frame, assessors)

    @classmethod
    def from_dicts(cls, rows: Rows, *, assessors: str = Assessors.UNION) -> Self:
        """Judgements in a list of dicts with the keys of `from_frame`."""
        return cls._of_table(rows, assessors)

    @classmethod
    def from_dict(cls, grades: NumbersByTopic) -> Self:
        """Judgements of whole documents in {topic: {document: grade}}."""
        return cls._of_topics(grades)

    @classmethod
    def by_assessor(cls, rows: Frame | Rows) -> dict[str, Self]:
        """The judgements of each assessor that rows name; everything is as in `from_frame`."""
        frame, taken = as_frame(rows, OF_JUDGEMENTS, "qrels")
        # Whatever is wrong with any of the rows is raised here.
        cls._of_table(frame)
        return {
            name: cls.of(documents, passages, notes=ignored(frame.columns), taken=taken)
            for name, documents, passages in taken_apart(*_rows_and_passages(frame))
        }

    @classmethod
    def coerced(cls, data: QrelsLike) -> Self:
        """Judgements as they are, or made from any of the forms above or from named tuples."""
        if isinstance(data, cls):
            return data
        if isinstance(data, Mapping):
            return cls._of_topics(data)
        return cls._of_table(data)

    @classmethod
    def _of_topics(cls, data: Mapping[str, object]) -> Self:
        none = pl.DataFrame(schema=c.PASSAGE_SCHEMA)
        return cls.of(of_topics(data, c.GRADE, "qrels"), none)

    @classmethod
    def _of_table(cls, data: object, assessors: str = Assessors.UNION) -> Self:
        frame, taken = as_frame(data, OF_JUDGEMENTS, "qrels")
        rows, passages = _rows_and_passages(frame)
        return cls.of(
            rows,
            passages,
            notes=ignored(frame.columns),
            taken=taken,
            assessors=assessors,
        )

    def __repr__(self) -> str:
        documents = counted(self.documents.height, "judged document")
        topics = counted(self.documents[c.TOPIC].n_unique(), "topic")
        return f"<Qrels: {documents}, {counted(self.passages.height, 'passage')}, {topics}>"

    @property
    def documents(self) -> pl.DataFrame:
        """A frame with a row per judged document."""
        return self.judgements.documents

    @property
    def passages(self) -> pl.DataFrame:
        """A frame with a row per passage."""
        return self.judgements.passages

    @property
    def has_highlights(self) -> bool:
        """Whether the judgements speak of text, not only of documents."""
        return self.judgements.has_highlights

    @cached_property
    def sha256(self) -> str:
        """A hash of what is judged, whatever the file's format and the order of its lines.

        Lengths are not part of it: they say something about documents, and may be looked up.
        """
        repeated = self.chosen.repeated if self.chosen else {}
        return content_hash(self.judgements, repeated)

    def with_frames(
        self,
        documents: pl.DataFrame,
        passages: pl.DataFrame | None = None,
        notes: tuple[str, ...] = (),
    ) -> Qrels:
        """The judgements with other documents, and other passages of them."""
        spans = self.passages if passages is None else passages
        return replace(self, judgements=JudgementColumns.of_frames(documents, spans), notes=notes)

    def with_lengths(self, lengths_of: Callable[[pl.Series], pl.Series]) -> Self:
        """The judgements with the lengths of documents that they do not state, where known."""
        names = self.documents[c.DOC].unique(maintain_order=True)
        known = pl.DataFrame({c.DOC: names, c.LENGTH: lengths_of(names)})
        table, differing = _with_lengths(self.documents, known)
        judgements = JudgementColumns.of_frames(table, self.passages)
        return replace(self, judgements=judgements, notes=self.notes + differing)

    def only(self, topics: Iterable[object] | None, *, source: str = "") -> Qrels:
        """The judgements of some topics; one listed twice counts twice, an unknown one is refused.

        None are all topics. `source` is the file in which they are listed.

        >>> import foveal
        >>> qrels = foveal.Qrels.from_dict({"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}})
        >>> qrels.only(["3", "1", "3"])
        <Qrels: 2 judged documents, 0 passages, 2 topics>
        """
        if topics is None:
            return self
        chosen = ChosenTopics.of(topics, self.judgements.topics, self.source, source)
        return replace(self, judgements=self.judgements.only(chosen.times), chosen=chosen)

    def keeping(self, passages: Bools, topics: Collection[str]) -> Qrels:
        """The judgements of some topics without the passages that are not marked.

        A document that lost a passage and stated its relevant size states that of what is left.
        """
        document, count = self.passages[c.JUDGED].to_numpy(), self.documents.height
        length = self.documents[c.LENGTH].gather(self.passages[c.JUDGED])
        size = (pl.min_horizontal(c.END, length) - pl.col(c.START)).clip(lower_bound=0)
        sizes = self.passages.select(size).to_series().to_numpy()
        left = pl.Series(np.bincount(document, sizes * passages, count).astype(np.int64))
        lost = pl.Series(np.bincount(document[~passages], minlength=count) > 0)
        stated = pl.when(pl.lit(lost) & (pl.col(c.STATED) > 0)).then(left).otherwise(c.STATED)
        studied = self.documents[c.TOPIC].is_in(list(topics)).to_numpy()
        whole = self.with_frames(
            self.documents.with_columns(stated.alias(c.STATED)), self.passages.filter(passages)
        )
        return whole.of_rows(studied)

    def of_rows(self, kept: Bools) -> Qrels:
        """The judgements of some documents, marked by row."""
        passages = self.passages.filter(kept[self.passages[c.JUDGED].to_numpy()])
        row = pl.Series(np.cumsum(kept) - kept, dtype=pl.UInt32).gather(passages[c.JUDGED])
        return self.with_frames(
            self.documents.filter(kept), passages.with_columns(row.alias(c.JUDGED))
        )

    def equals(self, other: Qrels) -> bool:
        """Whether two sets of judgements say the same in the same order."""
        kept = [name for name in c.DOCUMENT_SCHEMA if name not in {c.LINE, c.STATED}]
        return self.documents[kept].equals(other.documents[kept]) and self.passages.equals(
            other.passages
        )


# As wide as `RunLike`, for the same reasons.
QrelsLike: TypeAlias = Qrels | Frame | Row | Iterable[Row | JudgedDocument] | list[object]
"""Judgements: `Qrels`, a frame, a list of dicts, {topic: {document: grade}}, or named tuples."""


def _rows_and_passages(frame: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Document rows and passages of a frame with `highlights`, or with start and end."""
    frame = frame.drop(c.JUDGED, strict=False)
    refuse_silence(frame)
    numbered = frame.with_row_index(c.JUDGED)
    named = [name for name in (c.START, c.END) if name in frame.columns]
    if named and c.HIGHLIGHTS not in frame.columns:
        given = pl.any_horizontal(pl.col(name).is_not_null() for name in named)
        return frame, numbered.filter(given).select(c.JUDGED, *named)
    none = pl.DataFrame(schema=c.PASSAGE_SCHEMA)
    if c.HIGHLIGHTS not in frame.columns or frame[c.HIGHLIGHTS].dtype == pl.Null:
        return frame, none
    pairs = numbered.select(c.JUDGED, c.HIGHLIGHTS)
    try:
        # As floats, so that a fraction is found out instead of cut off.
        pairs = pairs.cast({c.HIGHLIGHTS: pl.List(pl.List(pl.Float64))})
    except pl.exceptions.PolarsError as error:
        reason = "highlights must be a list of pairs [start, end]"
        raise BadInput("qrels", [Problem(None, reason)]) from error
    pairs = pairs.explode(c.HIGHLIGHTS).drop_nulls()
    odd = pairs.filter(pl.col(c.HIGHLIGHTS).list.len() != 2)
    if odd.height:
        numbers = ", ".join(f"{number:g}" for number in odd[c.HIGHLIGHTS][0])
        reason = f"a highlight is [{numbers}], not a pair [start, end]"
        raise BadInput("qrels", [Problem(odd[c.JUDGED][0] + 1, reason)])
    start, end = (pl.col(c.HIGHLIGHTS).list.get(i) for i in (0, 1))
    return frame, pairs.select(c.JUDGED, start.alias(c.START), end.alias(c.END))


def _with_lengths(
    table: pl.DataFrame, lengths: pl.DataFrame
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The table with the lengths that are known, and a note if some were stated otherwise."""
    found = table.select(c.DOC).join(lengths, on=c.DOC, how="left", maintain_order="left")[c.LENGTH]
    differing = int((table[c.LENGTH] != found).sum())
    note = (
        f"{counted(differing, 'document')} with another length in the collection: the judgements'"
        " length is used"
    )
    known = pl.select(pl.coalesce(table[c.LENGTH], found)).to_series().alias(c.LENGTH)
    return table.with_columns(known), (note,) if differing else ()
