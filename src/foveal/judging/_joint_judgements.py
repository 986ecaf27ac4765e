"""Judgements of several assessors on the documents that at least two of them judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from foveal.errors import SHOWN_NAMES, DataError, shortened_list
from foveal.frozen import frozen
from foveal.late import pl
from foveal.spans import Bools, Highlights, Ints, Segments
from foveal.tables import Qrels, numbered
from foveal.tables import columns as c

UNKNOWN = -1


@frozen(eq=False)
class JointJudgements:
    """Judgements of all assessors, by topic and document, and the pairs of rows about one document.

    Rows are sorted by topic, document and assessor. `length` and `entry` are -1 where unknown;
    `relevant` is by highlights or by grade; `without_text` by grade alone. `first` and
    `second` are the rows of each pair, `common_characters` the size of the text that both highlighted,
    and `assessor_count` the number of assessors who judged the pair's document.
    """

    assessors: list[str]
    topics: list[str]
    documents: pl.DataFrame
    topic: Ints
    assessor: Ints
    unit: Ints
    length: Ints
    entry: Ints
    highlighted: Ints
    relevant: Bools
    without_text: Bools
    first: Ints
    second: Ints
    common_characters: Ints
    assessor_count: Ints
    documents_only: list[str]
    """Assessors who call documents relevant but never highlight text."""

    relevant_only: list[str]
    """Assessors without any irrelevant document."""

    left_out: tuple[int, int]
    """Numbers of documents that only one assessor judged, and of topics that have no others."""

    @classmethod
    def of(cls, tables: Mapping[str, Qrels], *, rel: float) -> JointJudgements:
        """The joint judgements of assessors, keyed by name; grades from `rel` on are relevant."""
        names = list(tables)
        all_rows = _rows(tables.values())
        assessor_count = pl.len().over(c.TOPIC, c.DOC)
        rows = all_rows.filter(assessor_count >= 2).sort(c.TOPIC, c.DOC, c.ASSESSOR)
        if not rows.height:
            raise _no_joint_documents(tables)
        lengths = _lengths(rows, names)
        highlights = _highlights(tables.values(), rows, all_rows.height)
        _refuse_past_end(highlights.axis.length, lengths, rows, names)
        unit, segments = _units(rows)
        later_rows = segments.entry_count[unit] - segments.nth
        first = np.repeat(np.arange(rows.height), later_rows)
        second = first + Segments.sized(later_rows).nth
        topics = rows[c.TOPIC].unique(maintain_order=True).to_list()
        is_relevant_grade = (rows[c.GRADE] >= rel).fill_null(value=False).to_numpy()
        highlighted = highlights.sizes()
        single = all_rows.filter(assessor_count == 1)
        return cls(
            assessors=names,
            topics=topics,
            documents=rows.select(c.TOPIC, c.DOC),
            topic=numbered(rows[c.TOPIC]),
            assessor=rows[c.ASSESSOR].to_numpy(),
            unit=unit,
            length=lengths,
            entry=rows[c.ENTRY].fill_null(UNKNOWN).to_numpy(),
            highlighted=highlighted,
            relevant=is_relevant_grade | (highlighted > 0),
            without_text=is_relevant_grade & (highlighted == 0),
            first=first,
            second=second,
            common_characters=highlights.common_characters(first, second),
            assessor_count=segments.entry_count[unit[first]],
            documents_only=[name for name, qrels in tables.items() if _no_highlights(qrels, rel)],
            relevant_only=[name for name, qrels in tables.items() if _all_relevant(qrels, rel)],
            left_out=(single.height, all_rows[c.TOPIC].n_unique() - len(topics)),
        )

    @property
    def pair(self) -> Ints:
        """The assessors of each pair of rows as one number, in the order of the assessors."""
        return self.assessor[self.first] * len(self.assessors) + self.assessor[self.second]

    def assessors_of(self, pair: Ints) -> tuple[Ints, Ints]:
        """The two assessors of pairs."""
        return pair // len(self.assessors), pair % len(self.assessors)

    @property
    def has_text(self) -> bool:
        """Whether text can be compared: there are highlights, and every assessor highlights."""
        return bool(self.highlighted.any()) and not self.documents_only

    @property
    def text_pairs(self) -> Bools:
        """Mask of the pairs on documents that no assessor called relevant without highlights."""
        is_excluded = np.bincount(self.unit[self.without_text], minlength=self.unit[-1] + 1) > 0
        return ~is_excluded[self.unit[self.first]]


def _rows(tables: Iterable[Qrels]) -> pl.DataFrame:
    """All judged documents of all assessors, one assessor after the other, with row numbers."""
    names = [c.TOPIC, c.DOC, c.LENGTH, c.ENTRY, c.GRADE]
    frames = [
        qrels.documents.select(*names, pl.lit(number, dtype=pl.Int64).alias(c.ASSESSOR))
        for number, qrels in enumerate(tables)
    ]
    return pl.concat(frames).with_row_index(c.ROW)


def _highlights(tables: Iterable[Qrels], rows: pl.DataFrame, count: int) -> Highlights:
    """The highlights of the given rows, of `count` rows in all tables."""
    judgements = [qrels.judgements for qrels in tables]
    first_rows = np.cumsum([0, *(len(columns.topic) for columns in judgements)])
    row, start, end = (
        np.concatenate(arrays)
        for arrays in zip(
            *(
                (columns.passage_row + first_row, columns.passage_start, columns.passage_end)
                for columns, first_row in zip(judgements, first_rows, strict=False)
            ),
            strict=True,
        )
    )
    new_row = np.full(count, UNKNOWN, dtype=np.int64)
    new_row[rows[c.ROW].to_numpy()] = np.arange(rows.height)
    # Passages are sorted within their rows; a stable sort keeps this order.
    order = np.argsort(new_row[row], kind="stable")
    order = order[new_row[row[order]] != UNKNOWN]
    return Highlights.of(new_row[row[order]], start[order], end[order], rows.height)


def _lengths(rows: pl.DataFrame, names: Sequence[str]) -> Ints:
    """Length of each row's document, from any assessor; different lengths are refused."""
    low, high = (rows.select(of(c.LENGTH).over(c.DOC)).to_series() for of in (pl.min, pl.max))
    if (low != high).any():
        document = rows.filter(low != high)[c.DOC][0]
        stated_lengths = rows.filter(pl.col(c.DOC) == document).drop_nulls(c.LENGTH)
        different = stated_lengths.unique(c.LENGTH, keep="first", maintain_order=True).head(2)
        (first, size), (second, other_size) = different.select(c.ASSESSOR, c.LENGTH).iter_rows()
        raise DataError(
            f"document {document!r} has a length of {size} in the judgements of {names[first]} and of"
            f" {other_size} in those of {names[second]}: offsets in different texts cannot be compared"
        )
    return low.fill_null(UNKNOWN).to_numpy()


def _refuse_past_end(ends: Ints, lengths: Ints, rows: pl.DataFrame, names: Sequence[str]) -> None:
    past_end = np.flatnonzero((lengths != UNKNOWN) & (ends > lengths))
    if len(past_end):
        row = int(past_end[0])
        topic, document, assessor = rows.select(c.TOPIC, c.DOC, c.ASSESSOR).row(row)
        raise DataError(
            f"a highlight of {names[assessor]} in document {document!r} of topic {topic!r} ends at"
            f" {ends[row]}, beyond the document's end at {lengths[row]}"
        )


def _units(rows: pl.DataFrame) -> tuple[Ints, Segments]:
    """Unit (topic and document) of each row, and the rows of each unit as segments."""
    differs = pl.any_horizontal(pl.col(name) != pl.col(name).shift() for name in (c.TOPIC, c.DOC))
    is_first_row = rows.select(differs.fill_null(value=False)).to_series().to_numpy()
    unit = np.cumsum(is_first_row)
    return unit, Segments.grouped(unit, int(unit[-1]) + 1)


def _no_highlights(qrels: Qrels, rel: float) -> bool:
    """Whether an assessor calls documents relevant but never highlights text."""
    judgements = qrels.judgements
    return not len(judgements.passage_row) and bool((judgements.grade >= rel).any())


def _all_relevant(qrels: Qrels, rel: float) -> bool:
    judgements = qrels.judgements
    is_highlighted = np.bincount(judgements.passage_row, minlength=len(judgements.topic)) > 0
    return bool((is_highlighted | (judgements.grade >= rel)).all())


def _no_joint_documents(tables: Mapping[str, Qrels]) -> DataError:
    phrases = [
        f"{name} judged {_names(qrels.documents[c.DOC])} of {_topics(qrels.documents[c.TOPIC])}"
        for name, qrels in tables.items()
    ]
    return DataError(
        f"no document of a topic was judged by two assessors: {'; '.join(phrases[:SHOWN_NAMES])}"
    )


def _topics(names: pl.Series) -> str:
    return f"{'topics' if names.n_unique() > 1 else 'topic'} {_names(names)}"


def _names(names: pl.Series) -> str:
    """The first few distinct names, and the number of the others."""
    return shortened_list(names.unique(maintain_order=True).to_list())
