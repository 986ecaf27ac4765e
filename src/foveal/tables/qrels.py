"""Judgements: relevant documents and passages, exact to the character."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import Self, TypeAlias

import numpy as np

from foveal.choices import Assessors, Copies
from foveal.errors import counted
from foveal.frozen import frozen
from foveal.late import pl
from foveal.spans import Bools, Highlights
from foveal.tables import _columns as c
from foveal.tables._aspects import (
    AspectColumns,
    aspect_problems,
    numbered_aspects,
    same_aspects,
    with_aspect_grades,
    with_row_columns,
)
from foveal.tables._assessors import (
    add_assessor_problems,
    has_assessors,
    merge_assessors,
    missing_row_notes,
    refuse_without_assessors,
)
from foveal.tables._frames import ProblemList, length_table
from foveal.tables._inputs import Frame, JudgedDocument, NumbersByTopic, Row, Rows, frame_of_topics
from foveal.tables._qrels_columns import (
    QrelsColumns,
    broken_rules,
    content_hash,
    merged_passages,
    qrels_notes,
    united_rows,
)
from foveal.tables._qrels_inputs import QrelsRows
from foveal.tables._text_lookup import KnownDocuments, TextLookup, refuse_wrong_docs
from foveal.tables._topic_set import ChosenTopics


@frozen(eq=False, repr=False)
class Qrels:
    """Judgements: judged documents and their highlighted passages.

    `documents` has one row per topic and document: length, best entry point, grade and the
    relevant size its file states, each null where unknown. `passages` has the disjoint
    passages by row of `documents`, in order; overlapping ones are merged, touching ones stay
    apart. Both are frames, made from the columns in `judgements` at their first use; aspects are in
    `judgements.aspects`. `notes` report irregularities of the file that are no errors;
    `aliases_used` are columns under the names of other tools, by those names; `assessors` says whose
    judgements these are, if several judged; `chosen` are the only topics that count, and how often,
    if topics were chosen.
    """

    judgements: QrelsColumns
    source: str = "qrels"
    notes: tuple[str, ...] = ()
    format: str = "table"
    aliases_used: Mapping[str, str] = field(default_factory=dict)
    assessors: str = ""
    chosen: ChosenTopics | None = None

    @classmethod
    def of(
        cls,
        rows: QrelsRows,
        *,
        source: str = "qrels",
        format: str = "table",  # noqa: A002  # the field's name
        lengths_of: KnownDocuments | None = None,
        assessors: str = Assessors.UNION,
    ) -> Self:
        """The judgements in the rows of a reader; all their problems are raised at once.

        A document judged with text may be given several times: its passages are united. A document
        judged by grade alone may not. `lengths_of` fills in the lengths that the file does not
        state, and must know them all. `assessors` says whose judgements count if rows name several.
        """
        documents, passages, aspects, notes = (
            rows.documents,
            rows.passages,
            rows.aspects,
            rows.notes,
        )
        if isinstance(documents, QrelsColumns):
            refuse_without_assessors(assessors, source)
            return cls(documents, source, (*qrels_notes(documents, 0), *notes), format)
        if passages is None:
            passages = pl.DataFrame(schema=c.PASSAGE_SCHEMA)
        problem_list = ProblemList(source, rows.problems)
        schema = c.DOCUMENT_SCHEMA | (c.ASSESSOR_SCHEMA if has_assessors(documents) else {})
        table = problem_list.typed(documents, schema, [c.TOPIC, c.DOC])
        if not table.height:
            problem_list.refuse(table, "judgements")
        lines = table[c.LINE].gather(passages[c.JUDGED])
        spans = problem_list.typed(passages, c.PASSAGE_SCHEMA, list(c.PASSAGE_SCHEMA), lines)
        problem_list.add(broken_rules(table, spans))
        if c.ASSESSOR in table.columns:
            add_assessor_problems(table, problem_list)
        named_aspects = _named_aspects(aspects, table, problem_list)
        united, spans, problems = united_rows(table, spans, aspects)
        problem_list.problems += problems
        problem_list.refuse(table, "judgements")
        # If rows are passages or aspects, most documents have several.
        by_passage = c.START in documents.columns and c.HIGHLIGHTS not in documents.columns
        by_row = by_passage or named_aspects is not None
        repeated, table = 0 if by_row else table.height - united.height, united
        spans = merged_passages(spans, table.height)
        if by_passage and assessors == Assessors.MAJORITY:
            notes = (*notes, *missing_row_notes(table))
        table, spans, assessors_used = merge_assessors(table, spans, assessors, source)
        spans = merged_passages(spans, table.height) if assessors_used else spans
        numbered = None
        if named_aspects is not None:
            numbered = numbered_aspects(named_aspects, table, assessors)
            table = with_aspect_grades(table, spans, numbered)
        judgements = QrelsColumns.of_frames(table, spans, numbered)
        notes = (*qrels_notes(judgements, repeated), *notes)
        if lengths_of:
            lengths = length_table(table, lengths_of, problem_list)
            problem_list.refuse(table, "judgements")
            table, length_notes = _with_lengths(table, lengths)
            judgements = QrelsColumns.of_frames(table, spans, numbered)
            notes += length_notes
        return cls(judgements, source, notes, format, rows.aliases_used, assessors_used)

    @classmethod
    def from_frame(
        cls,
        frame: Frame,
        *,
        assessors: str = Assessors.UNION,
        docs: TextLookup | None = None,
        copies: Copies | str = Copies.REFUSE,
    ) -> Self:
        """Judgements in a Polars, pandas or pyarrow frame.

        Columns: topic, doc, and any of grade, length, entry and `highlights`, a list of
        [start, end] pairs; or start and end, one row per passage. `aspects` names the aspects of
        the document or passage in a list, or with grades {name: grade}; a highlight with aspects is
        {"start": …, "end": …, "aspects": …}. The names that other tools give
        them (qid, docno, label, query_id, start_index …) are known as well, see `aliases_used`. If several
        people judged, the column `assessor` names them, and `assessors` says whose judgements
        count: `union`, `majority` (of those who judged the document) or a name. In `docs`
        (`foveal.read_documents`) passages are looked up by the column `text`, and `copies` says
        whether text that occurs several times is refused or means the `first` occurrence.
        """
        return cls._of_table(frame, assessors, docs, copies)

    @classmethod
    def from_dicts(
        cls,
        rows: Rows,
        *,
        assessors: str = Assessors.UNION,
        docs: TextLookup | None = None,
        copies: Copies | str = Copies.REFUSE,
    ) -> Self:
        """Judgements in a list of dicts with the keys of `from_frame`.

        >>> import foveal
        >>> docs = foveal.read_documents({"a": "One fish. Two fish."})
        >>> rows = [{"topic": "1", "doc": "a", "text": "Two fish."}]
        >>> foveal.Qrels.from_dicts(rows, docs=docs).passages.select("start", "end").row(0)
        (10, 19)
        """
        return cls._of_table(rows, assessors, docs, copies)

    @classmethod
    def from_dict(cls, grades: NumbersByTopic) -> Self:
        """Judgements of whole documents in {topic: {document: grade}}."""
        return cls._of_topics(grades)

    @classmethod
    def by_assessor(cls, rows: Frame | Rows) -> dict[str, Self]:
        """The judgements of each assessor named in the rows; columns are as in `from_frame`."""
        all_rows = QrelsRows.of(rows)
        # Problems of any row are raised here.
        cls.of(all_rows)
        return {name: cls.of(own_rows) for name, own_rows in all_rows.by_assessor().items()}

    @classmethod
    def coerced(
        cls, data: QrelsLike, docs: TextLookup | None = None, copies: Copies | str = Copies.REFUSE
    ) -> Self:
        """Judgements as they are, or made from any of the forms above or from named tuples.

        With `docs`, missing lengths of documents are looked up as well.
        """
        refuse_wrong_docs(docs)
        if isinstance(data, cls):
            qrels = data
        elif isinstance(data, Mapping):
            qrels = cls._of_topics(data)
        else:
            return cls._of_table(data, docs=docs, copies=copies)
        return qrels if docs is None else qrels.with_lengths(docs.judged_lengths)

    @classmethod
    def _of_topics(cls, data: Mapping[str, object]) -> Self:
        judgements = QrelsColumns.of_topics(data)
        frame = frame_of_topics(data, c.GRADE, "qrels") if judgements is None else judgements
        return cls.of(QrelsRows(documents=frame))

    @classmethod
    def _of_table(
        cls,
        data: object,
        assessors: str = Assessors.UNION,
        docs: TextLookup | None = None,
        copies: Copies | str = Copies.REFUSE,
    ) -> Self:
        qrels = cls.of(QrelsRows.of(data, docs, copies), assessors=assessors)
        return qrels if docs is None else qrels.with_lengths(docs.judged_lengths)

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
        """Whether the judgements are of text: any has passages, or all state a relevant size."""
        return self.judgements.has_highlights

    @cached_property
    def sha256(self) -> str:
        """A hash of the judgements, independent of the file's format and the order of its lines.

        Lengths are not part of it: they are facts about documents, and may be looked up.
        """
        repeated = self.chosen.repeated if self.chosen else {}
        return content_hash(self.judgements, repeated)

    def with_frames(
        self,
        documents: pl.DataFrame,
        passages: pl.DataFrame | None = None,
        notes: tuple[str, ...] = (),
    ) -> Qrels:
        """The judgements with other frames of documents and passages, and the same aspects."""
        spans = self.passages if passages is None else passages
        judgements = QrelsColumns.of_frames(documents, spans, self.judgements.aspects)
        return replace(self, judgements=judgements, notes=notes)

    def with_lengths(self, lengths_of: Callable[[pl.Series], pl.Series]) -> Self:
        """The judgements with missing lengths of documents looked up, as far as they are known."""
        names = self.documents[c.DOC].unique(maintain_order=True)
        lengths = pl.DataFrame({c.DOC: names, c.LENGTH: lengths_of(names)})
        table, length_notes = _with_lengths(self.documents, lengths)
        judgements = QrelsColumns.of_frames(table, self.passages, self.judgements.aspects)
        return replace(self, judgements=judgements, notes=self.notes + length_notes)

    def only(self, topics: Iterable[object] | None, *, source: str = "") -> Qrels:
        """The judgements of the given topics; one listed twice counts twice, an unknown one is refused.

        `None` means all topics. `source` is the file in which they are listed.

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
        """The judgements of the given topics with only the passages of the mask.

        If a document with a stated relevant size loses a passage, the size becomes that of the
        remaining passages. The aspects of a lost passage are lost.
        """
        document, count = self.passages[c.JUDGED].to_numpy(), self.documents.height
        length = self.documents[c.LENGTH].gather(self.passages[c.JUDGED])
        size = (pl.min_horizontal(c.END, length) - pl.col(c.START)).clip(lower_bound=0)
        sizes = self.passages.select(size).to_series().to_numpy()
        total = pl.Series(np.bincount(document, sizes * passages, count).astype(np.int64))
        has_lost = pl.Series(np.bincount(document[~passages], minlength=count) > 0)
        stated_size = (
            pl.when(pl.lit(has_lost) & (pl.col(c.STATED) > 0)).then(total).otherwise(c.STATED)
        )
        is_kept = self.documents[c.TOPIC].is_in(list(topics)).to_numpy()
        judgements = QrelsColumns.of_frames(
            self.documents.with_columns(stated_size.alias(c.STATED)),
            self.passages.filter(passages),
            self._aspects_within(passages),
        )
        return replace(self, judgements=judgements, notes=()).of_rows(is_kept)

    def _aspects_within(self, passages: Bools) -> AspectColumns | None:
        """The aspects of whole documents, and those of the passages of the mask."""
        columns, aspects = self.judgements, self.judgements.aspects
        if aspects is None:
            return None
        highlights = Highlights.of(
            columns.passage_row, columns.passage_start, columns.passage_end, len(columns.topic)
        )
        return aspects.where(np.append(passages, True)[aspects.highlight_indices(highlights)])

    def of_rows(self, keep: Bools) -> Qrels:
        """The judgements of the documents to keep, a mask by row."""
        passages = self.passages.filter(keep[self.passages[c.JUDGED].to_numpy()])
        index = pl.Series(np.cumsum(keep) - keep, dtype=pl.UInt32).gather(passages[c.JUDGED])
        aspects = self.judgements.aspects
        judgements = QrelsColumns.of_frames(
            self.documents.filter(keep),
            passages.with_columns(index.alias(c.JUDGED)),
            None if aspects is None else aspects.of_rows(keep),
        )
        return replace(self, judgements=judgements, notes=())

    def equals(self, other: Qrels) -> bool:
        """Whether two sets of judgements are equal and in the same order."""
        columns = [name for name in c.DOCUMENT_SCHEMA if name not in {c.LINE, c.STATED}]
        return (
            self.documents[columns].equals(other.documents[columns])
            and self.passages.equals(other.passages)
            and same_aspects(self.judgements.aspects, other.judgements.aspects)
        )


# As wide as `RunLike`, for the same reasons.
QrelsLike: TypeAlias = Qrels | Frame | Row | Iterable[Row | JudgedDocument] | list[object]
"""Judgements: `Qrels`, a frame, a list of dicts, {topic: {document: grade}}, or named tuples."""


def _named_aspects(
    aspects: pl.DataFrame | None, table: pl.DataFrame, problem_list: ProblemList
) -> pl.DataFrame | None:
    """The aspects with the names of their documents, if there are any; problems are collected."""
    if aspects is None or not aspects.height:
        return None
    lines = table[c.LINE].gather(aspects[c.JUDGED])
    entries = problem_list.typed(aspects, c.ASPECT_SCHEMA, [c.JUDGED, c.ASPECT], lines)
    named_aspects = with_row_columns(entries, table)
    problem_list.add(aspect_problems(named_aspects))
    return named_aspects


def _with_lengths(table: pl.DataFrame, index: pl.DataFrame) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The table with missing lengths from an index, and a note if stated lengths differ."""
    indexed = table.select(c.DOC).join(index, on=c.DOC, how="left", maintain_order="left")[c.LENGTH]
    differing = int((table[c.LENGTH] != indexed).sum())
    note = (
        f"{counted(differing, 'document')} with another length in the collection: the judgements'"
        " length is used"
    )
    merged_lengths = pl.select(pl.coalesce(table[c.LENGTH], indexed)).to_series().alias(c.LENGTH)
    return table.with_columns(merged_lengths), (note,) if differing else ()
