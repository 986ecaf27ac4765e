"""Judgements: what is relevant, down to the character."""

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
    with_names,
)
from foveal.tables._assessors import (
    assessors_known,
    marked_by_some,
    of_assessors,
    refuse_odd_assessors,
    refuse_without_assessors,
)
from foveal.tables._frames import ProblemList, measured
from foveal.tables._inputs import Frame, JudgedDocument, NumbersByTopic, Row, Rows, of_topics
from foveal.tables._qrels_columns import (
    QrelsColumns,
    broken_rules,
    content_hash,
    disjoint,
    oddities,
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
    apart. Both are frames, made of the columns in `judgements` when they are asked for; what these
    say of aspects is in `judgements.aspects`. `notes`
    counts what was odd in the file without being wrong; `aliases_used` are columns under the names
    of other tools, by those names; `assessors` says whose judgements these are, if several judged;
    `chosen` are the topics that alone count, and how often, if some were chosen.
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
        """The judgements in the rows of a reader; everything wrong with them is raised at once.

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
            return cls(documents, source, (*oddities(documents, 0), *notes), format)
        if passages is None:
            passages = pl.DataFrame(schema=c.PASSAGE_SCHEMA)
        complaints = ProblemList(source, rows.problems)
        schema = c.DOCUMENT_SCHEMA | (c.ASSESSOR_SCHEMA if assessors_known(documents) else {})
        table = complaints.typed(documents, schema, [c.TOPIC, c.DOC])
        if not table.height:
            complaints.refuse(table, "judgements")
        lines = table[c.LINE].gather(passages[c.JUDGED])
        spans = complaints.typed(passages, c.PASSAGE_SCHEMA, list(c.PASSAGE_SCHEMA), lines)
        complaints.add(broken_rules(table, spans))
        if c.ASSESSOR in table.columns:
            refuse_odd_assessors(table, complaints)
        named_aspects = _named_aspects(aspects, table, complaints)
        united, spans, ununited = united_rows(table, spans, aspects)
        complaints.problems += ununited
        complaints.refuse(table, "judgements")
        # Where rows are passages or aspects, most documents have several.
        by_passage = c.START in documents.columns and c.HIGHLIGHTS not in documents.columns
        by_row = by_passage or named_aspects is not None
        repeated, table = 0 if by_row else table.height - united.height, united
        spans = disjoint(spans, table.height)
        if by_passage and assessors == Assessors.MAJORITY:
            notes = (*notes, *marked_by_some(table))
        table, spans, whose = of_assessors(table, spans, assessors, source)
        spans = disjoint(spans, table.height) if whose else spans
        numbered = None
        if named_aspects is not None:
            numbered = numbered_aspects(named_aspects, table, assessors)
            table = with_aspect_grades(table, spans, numbered)
        judgements = QrelsColumns.of_frames(table, spans, numbered)
        notes = (*oddities(judgements, repeated), *notes)
        if lengths_of:
            lengths = measured(table, lengths_of, complaints)
            complaints.refuse(table, "judgements")
            table, differing = _with_lengths(table, lengths)
            judgements = QrelsColumns.of_frames(table, spans, numbered)
            notes += differing
        return cls(judgements, source, notes, format, rows.aliases_used, whose)

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
        count: `union`, `majority` (of those who judged the document) or a name. `docs`
        (`foveal.read_documents`) tell where passages are of which the column `text` has the words,
        and `copies` whether text that occurs several times is refused or taken to be the `first`.
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
        """The judgements of each assessor that rows name; everything is as in `from_frame`."""
        all_rows = QrelsRows.of(rows)
        # Whatever is wrong with any of the rows is raised here.
        cls.of(all_rows)
        return {name: cls.of(own_rows) for name, own_rows in all_rows.by_assessor().items()}

    @classmethod
    def coerced(
        cls, data: QrelsLike, docs: TextLookup | None = None, copies: Copies | str = Copies.REFUSE
    ) -> Self:
        """Judgements as they are, or made from any of the forms above or from named tuples.

        With `docs`, the lengths of documents are known as well.
        """
        refuse_wrong_docs(docs)
        if isinstance(data, cls):
            found = data
        elif isinstance(data, Mapping):
            found = cls._of_topics(data)
        else:
            return cls._of_table(data, docs=docs, copies=copies)
        return found if docs is None else found.with_lengths(docs.judged_lengths)

    @classmethod
    def _of_topics(cls, data: Mapping[str, object]) -> Self:
        return cls.of(QrelsRows(documents=of_topics(data, c.GRADE, "qrels")))

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
        """The judgements with other facts about their documents, and other passages of them."""
        spans = self.passages if passages is None else passages
        judgements = QrelsColumns.of_frames(documents, spans, self.judgements.aspects)
        return replace(self, judgements=judgements, notes=notes)

    def with_lengths(self, lengths_of: Callable[[pl.Series], pl.Series]) -> Self:
        """The judgements with the lengths of documents that they do not state, where known."""
        names = self.documents[c.DOC].unique(maintain_order=True)
        known = pl.DataFrame({c.DOC: names, c.LENGTH: lengths_of(names)})
        table, differing = _with_lengths(self.documents, known)
        judgements = QrelsColumns.of_frames(table, self.passages, self.judgements.aspects)
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

        A document that lost a passage and stated its relevant size states that of what is left. The
        aspects of a lost passage are lost.
        """
        document, count = self.passages[c.JUDGED].to_numpy(), self.documents.height
        length = self.documents[c.LENGTH].gather(self.passages[c.JUDGED])
        size = (pl.min_horizontal(c.END, length) - pl.col(c.START)).clip(lower_bound=0)
        sizes = self.passages.select(size).to_series().to_numpy()
        left = pl.Series(np.bincount(document, sizes * passages, count).astype(np.int64))
        lost = pl.Series(np.bincount(document[~passages], minlength=count) > 0)
        stated = pl.when(pl.lit(lost) & (pl.col(c.STATED) > 0)).then(left).otherwise(c.STATED)
        studied = self.documents[c.TOPIC].is_in(list(topics)).to_numpy()
        judgements = QrelsColumns.of_frames(
            self.documents.with_columns(stated.alias(c.STATED)),
            self.passages.filter(passages),
            self._aspects_within(passages),
        )
        return replace(self, judgements=judgements, notes=()).of_rows(studied)

    def _aspects_within(self, passages: Bools) -> AspectColumns | None:
        """The aspects of whole documents, and those of some passages."""
        own = self.judgements
        if own.aspects is None:
            return None
        highlights = Highlights.of(
            own.passage_row, own.passage_start, own.passage_end, len(own.topic)
        )
        return own.aspects.where(np.append(passages, True)[own.aspects.passage_places(highlights)])

    def of_rows(self, kept: Bools) -> Qrels:
        """The judgements of some documents, marked by row."""
        passages = self.passages.filter(kept[self.passages[c.JUDGED].to_numpy()])
        row = pl.Series(np.cumsum(kept) - kept, dtype=pl.UInt32).gather(passages[c.JUDGED])
        aspects = self.judgements.aspects
        judgements = QrelsColumns.of_frames(
            self.documents.filter(kept),
            passages.with_columns(row.alias(c.JUDGED)),
            None if aspects is None else aspects.of_rows(kept),
        )
        return replace(self, judgements=judgements, notes=())

    def equals(self, other: Qrels) -> bool:
        """Whether two sets of judgements say the same in the same order."""
        kept = [name for name in c.DOCUMENT_SCHEMA if name not in {c.LINE, c.STATED}]
        return (
            self.documents[kept].equals(other.documents[kept])
            and self.passages.equals(other.passages)
            and same_aspects(self.judgements.aspects, other.judgements.aspects)
        )


# As wide as `RunLike`, for the same reasons.
QrelsLike: TypeAlias = Qrels | Frame | Row | Iterable[Row | JudgedDocument] | list[object]
"""Judgements: `Qrels`, a frame, a list of dicts, {topic: {document: grade}}, or named tuples."""


def _named_aspects(
    aspects: pl.DataFrame | None, table: pl.DataFrame, complaints: ProblemList
) -> pl.DataFrame | None:
    """The aspects with the names of their documents, if there are any.

    What is wrong with them is taken down.
    """
    if aspects is None or not aspects.height:
        return None
    lines = table[c.LINE].gather(aspects[c.JUDGED])
    entries = complaints.typed(aspects, c.ASPECT_SCHEMA, [c.JUDGED, c.ASPECT], lines)
    named = with_names(entries, table)
    complaints.add(aspect_problems(named))
    return named


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
