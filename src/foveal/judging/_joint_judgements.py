"""What several assessors judged, side by side: the documents that at least two of them judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from foveal.errors import SHOWN_NAMES, DataError, some
from foveal.frozen import frozen
from foveal.late import pl
from foveal.spans import Bools, Highlights, Ints, Segments
from foveal.tables import Qrels, numbered
from foveal.tables import columns as c

UNKNOWN = -1


@frozen(eq=False)
class JointJudgements:
    """Judgements of all assessors, by topic and document, and the pairs of rows about one document.

    Rows are numbered by topic, document and assessor. `length` and `entry` are -1 where unknown;
    `relevant` is by highlights or by grade; `wordless` rows are relevant without highlights.
    `first` and `second` are the rows of each pair, `common` is the text that both highlighted, and
    `judges` how many assessors judged the pair's document.
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
    wordless: Bools
    first: Ints
    second: Ints
    common: Ints
    judges: Ints
    documents_only: list[str]
    """Assessors who call documents relevant and highlight nothing anywhere."""

    relevant_only: list[str]
    """Assessors of whom no irrelevant document is known."""

    left_out: tuple[int, int]
    """Documents that one assessor alone judged, and topics without any others."""

    @classmethod
    def of(cls, tables: Mapping[str, Qrels], *, rel: float) -> JointJudgements:
        """The judgements of assessors, by name; grades from `rel` on are relevant."""
        names = list(tables)
        every = _rows(tables.values())
        judges = pl.len().over(c.TOPIC, c.DOC)
        kept = every.filter(judges >= 2).sort(c.TOPIC, c.DOC, c.ASSESSOR)
        if not kept.height:
            raise _nothing_shared(tables)
        lengths = _lengths(kept, names)
        highlights = _highlights(tables.values(), kept, every.height)
        _refuse_past_end(highlights.axis.length, lengths, kept, names)
        unit, segments = _units(kept)
        after = segments.held[unit] - segments.nth
        first = np.repeat(np.arange(kept.height), after)
        second = first + Segments.sized(after).nth
        topics = kept[c.TOPIC].unique(maintain_order=True).to_list()
        graded = (kept[c.GRADE] >= rel).fill_null(value=False).to_numpy()
        highlighted = highlights.sizes()
        alone = every.filter(judges == 1)
        return cls(
            assessors=names,
            topics=topics,
            documents=kept.select(c.TOPIC, c.DOC),
            topic=numbered(kept[c.TOPIC]),
            assessor=kept[c.ASSESSOR].to_numpy(),
            unit=unit,
            length=lengths,
            entry=kept[c.ENTRY].fill_null(UNKNOWN).to_numpy(),
            highlighted=highlighted,
            relevant=graded | (highlighted > 0),
            wordless=graded & (highlighted == 0),
            first=first,
            second=second,
            common=highlights.in_common(first, second),
            judges=segments.held[unit[first]],
            documents_only=[name for name, own in tables.items() if _judged_without_text(own, rel)],
            relevant_only=[name for name, own in tables.items() if _found_all_relevant(own, rel)],
            left_out=(alone.height, every[c.TOPIC].n_unique() - len(topics)),
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
        """Whether text can be compared: some is highlighted, and every assessor highlights."""
        return bool(self.highlighted.any()) and not self.documents_only

    @property
    def with_text(self) -> Bools:
        """Which pairs are about documents that nobody called relevant without highlights."""
        odd = np.bincount(self.unit[self.wordless], minlength=self.unit[-1] + 1) > 0
        return ~odd[self.unit[self.first]]


def _rows(tables: Iterable[Qrels]) -> pl.DataFrame:
    """All judged documents of all assessors, numbered one assessor after the other."""
    wanted = [c.TOPIC, c.DOC, c.LENGTH, c.ENTRY, c.GRADE]
    frames = [
        qrels.documents.select(*wanted, pl.lit(number, dtype=pl.Int64).alias(c.ASSESSOR))
        for number, qrels in enumerate(tables)
    ]
    return pl.concat(frames).with_row_index(c.ROW)


def _highlights(tables: Iterable[Qrels], kept: pl.DataFrame, count: int) -> Highlights:
    """The highlights of the rows that are kept."""
    judgements = [qrels.judgements for qrels in tables]
    before = np.cumsum([0, *(len(own.topic) for own in judgements)])
    row, start, end = (
        np.concatenate(columns)
        for columns in zip(
            *(
                (own.passage_row + first, own.passage_start, own.passage_end)
                for own, first in zip(judgements, before, strict=False)
            ),
            strict=True,
        )
    )
    place = np.full(count, UNKNOWN, dtype=np.int64)
    place[kept[c.ROW].to_numpy()] = np.arange(kept.height)
    # Passages are in order within their rows, and a stable sort leaves them so.
    order = np.argsort(place[row], kind="stable")
    order = order[place[row[order]] != UNKNOWN]
    return Highlights.of(place[row[order]], start[order], end[order], kept.height)


def _lengths(kept: pl.DataFrame, names: Sequence[str]) -> Ints:
    """The length of each row's document, whoever states it; a document has one length."""
    least, most = (kept.select(of(c.LENGTH).over(c.DOC)).to_series() for of in (pl.min, pl.max))
    if (least != most).any():
        document = kept.filter(least != most)[c.DOC][0]
        own = kept.filter(pl.col(c.DOC) == document).drop_nulls(c.LENGTH)
        stated = own.unique(c.LENGTH, keep="first", maintain_order=True).head(2)
        (one, size), (two, other) = stated.select(c.ASSESSOR, c.LENGTH).iter_rows()
        raise DataError(
            f"document {document!r} has a length of {size} in the judgements of {names[one]} and of"
            f" {other} in those of {names[two]}: offsets in different texts cannot be compared"
        )
    return least.fill_null(UNKNOWN).to_numpy()


def _refuse_past_end(ends: Ints, lengths: Ints, kept: pl.DataFrame, names: Sequence[str]) -> None:
    past = np.flatnonzero((lengths != UNKNOWN) & (ends > lengths))
    if len(past):
        at = int(past[0])
        topic, document, assessor = kept.select(c.TOPIC, c.DOC, c.ASSESSOR).row(at)
        raise DataError(
            f"a highlight of {names[assessor]} in document {document!r} of topic {topic!r} ends at"
            f" {ends[at]}, beyond the document's end at {lengths[at]}"
        )


def _units(kept: pl.DataFrame) -> tuple[Ints, Segments]:
    """The number of each row's topic and document, and the rows of each."""
    other = pl.any_horizontal(pl.col(name) != pl.col(name).shift() for name in (c.TOPIC, c.DOC))
    changes = kept.select(other.fill_null(value=False)).to_series().to_numpy()
    unit = np.cumsum(changes)
    return unit, Segments.grouped(unit, int(unit[-1]) + 1)


def _judged_without_text(qrels: Qrels, rel: float) -> bool:
    """Whether an assessor calls documents relevant and highlights nothing anywhere."""
    own = qrels.judgements
    return not len(own.passage_row) and bool((own.grade >= rel).any())


def _found_all_relevant(qrels: Qrels, rel: float) -> bool:
    own = qrels.judgements
    marked = np.bincount(own.passage_row, minlength=len(own.topic)) > 0
    return bool((marked | (own.grade >= rel)).all())


def _nothing_shared(tables: Mapping[str, Qrels]) -> DataError:
    judged = [
        f"{name} judged {_some(own.documents[c.DOC])} of {_topics(own.documents[c.TOPIC])}"
        for name, own in tables.items()
    ]
    return DataError(
        f"no document of a topic was judged by two assessors: {'; '.join(judged[:SHOWN_NAMES])}"
    )


def _topics(names: pl.Series) -> str:
    return f"{'topics' if names.n_unique() > 1 else 'topic'} {_some(names)}"


def _some(names: pl.Series) -> str:
    """The first few different names, and how many more there are."""
    return some(names.unique(maintain_order=True).to_list())
