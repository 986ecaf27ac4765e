"""Judgements as tables: what callers give, as frames of documents, passages and aspects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Self

from foveal.choices import Copies
from foveal.errors import BadInput, Problem
from foveal.frozen import frozen
from foveal.late import pl
from foveal.tables import _columns as c
from foveal.tables._aliases import OF_JUDGEMENTS
from foveal.tables._inputs import Frame, as_frame
from foveal.tables._judgement_rules import refuse_silence
from foveal.tables._named_aspects import NamedAspects, names_aspects
from foveal.tables._texts import TextLookup, placed_texts, refuse_other_docs, texts_alone

SOURCE = "qrels"
AS_ASPECTS = "documents recur under different values of iteration, so it is read as the aspect"

SWAPPED = (
    "the judgements have ranks and neither grades nor lengths, as a run has: were judgements and runs"
    " swapped? Judgements come first"
)


@frozen
class JudgedFrames:
    """Frames that are still to be checked; passages and aspects name the row of their document.

    `taken` are columns under the names of other tools, by those names; `notes` say what else was
    made of the columns.
    """

    documents: pl.DataFrame
    passages: pl.DataFrame
    aspects: pl.DataFrame | None
    taken: Mapping[str, str]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        data: object,
        docs: TextLookup | None = None,
        copies: Copies | str = Copies.REFUSE,
    ) -> Self:
        """The frames of a frame, of dicts or of named tuples; `docs` tell where texts are."""
        data, aspects = _of_dicts(data)
        frame, taken = as_frame(data, OF_JUDGEMENTS, SOURCE)
        if aspects is None:
            frame, aspects = _of_columns(frame)
        frame = frame.drop(c.JUDGED, strict=False)
        if aspects is None and _has_subtopics(frame):
            entries = frame.with_row_index(c.JUDGED).rename({c.ITERATION: c.ASPECT})
            documents = frame.drop(c.GRADE, c.ITERATION)
            entries = entries.select(c.JUDGED, pl.col(c.ASPECT).cast(pl.String), c.GRADE)
            return cls(documents, _passages(documents), entries, taken, (AS_ASPECTS,))
        frame, notes = _placed(frame, docs, copies)
        if c.RANK in frame.columns and {*c.SPEAKS_OF_RELEVANCE}.isdisjoint(frame.columns):
            notes += (SWAPPED,)
        refuse_silence(frame)
        in_rows = frame if c.HIGHLIGHTS not in frame.columns else None
        found = None if aspects is None else aspects.frame(in_rows)
        return cls(frame, _passages(frame), found, taken, notes)


def _placed(
    frame: pl.DataFrame, docs: TextLookup | None, copies: Copies | str
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The rows with the places of texts, if documents are given; a text alone needs these."""
    refuse_other_docs(docs)
    if c.HIGHLIGHTS in frame.columns or not {c.DOC, c.TEXT} <= {*frame.columns}:
        return frame, ()
    if frame[c.TEXT].dtype.is_nested() or frame[c.TEXT].dtype == pl.Object:
        raise BadInput(SOURCE, [Problem(None, "the column 'text' does not hold text")])
    if docs is None:
        told = [name for name in (*c.SPEAKS_OF_RELEVANCE, c.START, c.END) if name in frame.columns]
        alone = pl.col(c.TEXT).is_not_null() & pl.all_horizontal(
            pl.lit(value=True), *(pl.col(name).is_null() for name in told)
        )
        problems = texts_alone([row + 1 for row in frame.select(alone.arg_true()).to_series()])
        notes: tuple[str, ...] = ()
    else:
        frame, problems, notes = placed_texts(frame, docs, copies)
    if problems:
        raise BadInput(SOURCE, problems)
    return frame, notes


def _has_subtopics(frame: pl.DataFrame) -> bool:
    """Whether a document of a topic recurs under different values of `iteration`, with a grade each.

    ir_measures names the subtopic there; elsewhere it means nothing.
    """
    if not {c.TOPIC, c.DOC, c.GRADE, c.ITERATION} <= {*frame.columns}:
        return False
    if not {c.START, c.END, c.HIGHLIGHTS, c.ASSESSOR}.isdisjoint(frame.columns):
        return False
    values = frame.group_by(c.TOPIC, c.DOC).agg(pl.col(c.ITERATION).n_unique())
    return bool((values[c.ITERATION] > 1).any())


def _of_dicts(data: object) -> tuple[object, NamedAspects | None]:
    """Dicts without their aspects, and these; other tables as they are."""
    if not isinstance(data, Iterable) or isinstance(data, str | bytes | Mapping | Frame):
        return data, None
    rows = data if isinstance(data, list) else list(data)
    # Most rows are dicts without either key, and then nothing else is looked at.
    keys = {c.ASPECTS, c.HIGHLIGHTS}
    is_plain = {*map(type, rows)} == {dict} and keys.isdisjoint(chain.from_iterable(rows))
    if is_plain or not any(_has_aspects(row) for row in rows):
        return rows, None
    aspects = NamedAspects()
    plain: list[object] = []
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            plain.append(row)
            continue
        pairs = _taken(aspects, number, row.get(c.HIGHLIGHTS), row.get(c.ASPECTS))
        # That a row has aspects says that its document was judged.
        own = {**row, c.ASPECTS: True if row.get(c.ASPECTS) is not None else None}
        plain.append({**own, c.HIGHLIGHTS: pairs} if c.HIGHLIGHTS in row else own)
    return plain, aspects


def _has_aspects(row: object) -> bool:
    return isinstance(row, Mapping) and names_aspects(row.get(c.HIGHLIGHTS), row.get(c.ASPECTS))


def _of_columns(frame: pl.DataFrame) -> tuple[pl.DataFrame, NamedAspects | None]:
    """A frame without its aspects, and these."""

    def values(name: str) -> list[object]:
        return frame[name].to_list() if name in frame.columns else [None] * frame.height

    is_plain = c.HIGHLIGHTS not in frame.columns or not _holds_objects(frame[c.HIGHLIGHTS].dtype)
    if is_plain and c.ASPECTS not in frame.columns:
        return frame, None
    aspects = NamedAspects()
    rows = zip(values(c.HIGHLIGHTS), values(c.ASPECTS), strict=True)
    pairs = [_taken(aspects, number, *row) for number, row in enumerate(rows)]
    if c.ASPECTS in frame.columns:
        frame = frame.with_columns(pl.col(c.ASPECTS).is_not_null().replace(old=False, new=None))
    return (frame if is_plain else frame.with_columns(pl.Series(c.HIGHLIGHTS, pairs))), aspects


def _holds_objects(dtype: pl.DataType) -> bool:
    return isinstance(dtype, pl.List) and isinstance(dtype.inner, pl.Struct)


def _taken(aspects: NamedAspects, row: int, highlights: object, named: object) -> object:
    try:
        return aspects.take(row, highlights, named)
    except ValueError as error:
        raise BadInput(SOURCE, [Problem(row + 1, str(error))]) from error


def _passages(frame: pl.DataFrame) -> pl.DataFrame:
    """The passages of a frame with `highlights`, or with start and end."""
    numbered = frame.with_row_index(c.JUDGED)
    named = [name for name in (c.START, c.END) if name in frame.columns]
    if named and c.HIGHLIGHTS not in frame.columns:
        given = pl.any_horizontal(pl.col(name).is_not_null() for name in named)
        return numbered.filter(given).select(c.JUDGED, *named)
    if c.HIGHLIGHTS not in frame.columns or frame[c.HIGHLIGHTS].dtype == pl.Null:
        return pl.DataFrame(schema=c.PASSAGE_SCHEMA)
    pairs = numbered.select(c.JUDGED, c.HIGHLIGHTS)
    try:
        # As floats, so that a fraction is found out instead of cut off.
        pairs = pairs.cast({c.HIGHLIGHTS: pl.List(pl.List(pl.Float64))})
    except pl.exceptions.PolarsError as error:
        reason = "highlights must be a list of pairs [start, end]"
        raise BadInput(SOURCE, [Problem(None, reason)]) from error
    pairs = pairs.explode(c.HIGHLIGHTS).drop_nulls()
    odd = pairs.filter(pl.col(c.HIGHLIGHTS).list.len() != 2)
    if odd.height:
        numbers = ", ".join(f"{number:g}" for number in odd[c.HIGHLIGHTS][0])
        reason = f"a highlight is [{numbers}], not a pair [start, end]"
        raise BadInput(SOURCE, [Problem(odd[c.JUDGED][0] + 1, reason)])
    start, end = (pl.col(c.HIGHLIGHTS).list.get(i) for i in (0, 1))
    return pairs.select(c.JUDGED, start.alias(c.START), end.alias(c.END))
