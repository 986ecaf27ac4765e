"""Judgements from callers, made into frames of documents, passages and aspects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain
from numbers import Integral, Real
from typing import Self

from foveal.choices import Copies
from foveal.errors import INT64, BadInput, Problem, value_text
from foveal.frozen import frozen
from foveal.late import pl
from foveal.tables import _columns as c
from foveal.tables._aliases import QRELS_FIELDS
from foveal.tables._assessors import rows_by_assessor
from foveal.tables._inputs import Frame, as_frame
from foveal.tables._qrels_columns import QrelsColumns, ignored_notes, require_relevance
from foveal.tables._text_lookup import TextLookup, missing_offsets, placed_texts, refuse_wrong_docs

SOURCE = "qrels"
AS_ASPECTS = "documents recur under different values of iteration, so it is read as the aspect"

SWAPPED = (
    "the judgements have ranks and neither grades nor lengths, as a run has: were judgements and runs"
    " swapped? Judgements come first"
)
SEPARATOR = "|"
ROW_ASPECT_COLUMNS = (c.JUDGED, c.ASPECT, c.GRADE)


@frozen(kw_only=True)
class QrelsRows:
    """Judgements as a reader gives them: documents, passages with their document's row, problems.

    Documents and passages are in frames that are still to be checked, or in columns that need no
    check. `aspects` have their document's row as passages do, but no start and end if they belong to
    the whole document; `aliases_used` are columns under the names of other tools, by those names.
    `format` is the actual format of the lines, if it is not the expected one.
    """

    documents: pl.DataFrame | QrelsColumns
    passages: pl.DataFrame | None = None
    aspects: pl.DataFrame | None = None
    problems: Sequence[Problem] = ()
    notes: tuple[str, ...] = ()
    aliases_used: Mapping[str, str] = field(default_factory=dict)
    format: str = ""

    @classmethod
    def of(
        cls, data: object, docs: TextLookup | None = None, copies: Copies | str = Copies.REFUSE
    ) -> Self:
        """The rows of a frame, of dicts or of named tuples; texts are looked up in `docs`."""
        data, aspects = _of_dicts(data)
        frame, aliases_used = as_frame(data, QRELS_FIELDS, SOURCE)
        if aspects is None:
            frame, aspects = _of_columns(frame)
        frame = frame.drop(c.JUDGED, strict=False)
        if aspects is None and _has_subtopics(frame):
            entries = frame.with_row_index(c.JUDGED).rename({c.ITERATION: c.ASPECT})
            documents = frame.drop(c.GRADE, c.ITERATION)
            entries = entries.select(c.JUDGED, pl.col(c.ASPECT).cast(pl.String), c.GRADE)
            return cls(
                documents=documents,
                passages=_passages(documents),
                aspects=entries,
                notes=(AS_ASPECTS, *ignored_notes(documents.columns)),
                aliases_used=aliases_used,
            )
        frame, notes = _with_offsets(frame, docs, copies)
        if c.RANK in frame.columns and {*c.RELEVANCE_COLUMNS}.isdisjoint(frame.columns):
            notes += (SWAPPED,)
        require_relevance(frame)
        passage_rows = frame if c.HIGHLIGHTS not in frame.columns else None
        return cls(
            documents=frame,
            passages=_passages(frame),
            aspects=None if aspects is None else aspects.frame(passage_rows),
            notes=(*notes, *ignored_notes(frame.columns)),
            aliases_used=aliases_used,
        )

    def by_assessor(self) -> dict[str, QrelsRows]:
        """The rows of each assessor."""
        by_assessor = rows_by_assessor(self.documents, self.passages, self.aspects)
        return {
            name: replace(self, documents=rows, passages=passages, aspects=aspects)
            for name, rows, passages, aspects in by_assessor
        }


def _with_offsets(
    frame: pl.DataFrame, docs: TextLookup | None, copies: Copies | str
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The rows with the offsets of their texts; rows with nothing but text need documents."""
    refuse_wrong_docs(docs)
    if c.HIGHLIGHTS in frame.columns or not {c.DOC, c.TEXT} <= {*frame.columns}:
        return frame, ()
    if frame[c.TEXT].dtype.is_nested() or frame[c.TEXT].dtype == pl.Object:
        raise BadInput(SOURCE, [Problem(None, "the column 'text' does not hold text")])
    if docs is None:
        columns = [name for name in (*c.RELEVANCE_COLUMNS, c.START, c.END) if name in frame.columns]
        mask = pl.col(c.TEXT).is_not_null() & pl.all_horizontal(
            pl.lit(value=True), *(pl.col(name).is_null() for name in columns)
        )
        problems = missing_offsets([row + 1 for row in frame.select(mask.arg_true()).to_series()])
        notes: tuple[str, ...] = ()
    else:
        frame, problems, notes = placed_texts(frame, docs, copies)
    if problems:
        raise BadInput(SOURCE, problems)
    return frame, notes


def _has_subtopics(frame: pl.DataFrame) -> bool:
    """Whether a document of a topic recurs under different values of `iteration`, with a grade each.

    ir_measures puts the subtopic there; elsewhere the column has no meaning.
    """
    if not {c.TOPIC, c.DOC, c.GRADE, c.ITERATION} <= {*frame.columns}:
        return False
    if not {c.START, c.END, c.HIGHLIGHTS, c.ASSESSOR}.isdisjoint(frame.columns):
        return False
    values = frame.group_by(c.TOPIC, c.DOC).agg(pl.col(c.ITERATION).n_unique())
    return bool((values[c.ITERATION] > 1).any())


def _of_dicts(data: object) -> tuple[object, NamedAspects | None]:
    """Dicts without their aspects, and the aspects; other tables unchanged."""
    if not isinstance(data, Iterable) or isinstance(data, str | bytes | Mapping | Frame):
        return data, None
    rows = data if isinstance(data, list) else list(data)
    # Most rows are dicts without either key, which this check finds quickly.
    keys = {c.ASPECTS, c.HIGHLIGHTS}
    is_plain = {*map(type, rows)} == {dict} and keys.isdisjoint(chain.from_iterable(rows))
    if is_plain or not any(_has_aspects(row) for row in rows):
        return rows, None
    aspects = NamedAspects()
    plain: list[object] = []
    for index, row in enumerate(rows):
        if not isinstance(row, Mapping):
            plain.append(row)
            continue
        pairs = _as_pairs(aspects, index, row.get(c.HIGHLIGHTS), row.get(c.ASPECTS))
        # A row with aspects judges its document, even without any other value.
        plain_row = {**row, c.ASPECTS: True if row.get(c.ASPECTS) is not None else None}
        plain.append({**plain_row, c.HIGHLIGHTS: pairs} if c.HIGHLIGHTS in row else plain_row)
    return plain, aspects


def _has_aspects(row: object) -> bool:
    return isinstance(row, Mapping) and may_have_aspects(row.get(c.HIGHLIGHTS), row.get(c.ASPECTS))


def _of_columns(frame: pl.DataFrame) -> tuple[pl.DataFrame, NamedAspects | None]:
    """A frame without its aspects, and the aspects."""

    def values(name: str) -> list[object]:
        return frame[name].to_list() if name in frame.columns else [None] * frame.height

    dtype = frame.schema.get(c.HIGHLIGHTS)
    is_plain = not (isinstance(dtype, pl.List) and isinstance(dtype.inner, pl.Struct))
    if is_plain and c.ASPECTS not in frame.columns:
        return frame, None
    aspects = NamedAspects()
    rows = zip(values(c.HIGHLIGHTS), values(c.ASPECTS), strict=True)
    pairs = [_as_pairs(aspects, index, *row) for index, row in enumerate(rows)]
    if c.ASPECTS in frame.columns:
        frame = frame.with_columns(pl.col(c.ASPECTS).is_not_null().replace(old=False, new=None))
    return (frame if is_plain else frame.with_columns(pl.Series(c.HIGHLIGHTS, pairs))), aspects


def _as_pairs(aspects: NamedAspects, row: int, highlights: object, row_aspects: object) -> object:
    try:
        return aspects.take(row, highlights, row_aspects)
    except ValueError as error:
        raise BadInput(SOURCE, [Problem(row + 1, str(error))]) from error


def _passages(frame: pl.DataFrame) -> pl.DataFrame:
    """The passages of a frame with `highlights`, or with start and end."""
    rows = frame.with_row_index(c.JUDGED)
    offsets = [name for name in (c.START, c.END) if name in frame.columns]
    if offsets and c.HIGHLIGHTS not in frame.columns:
        has_offset = pl.any_horizontal(pl.col(name).is_not_null() for name in offsets)
        return rows.filter(has_offset).select(c.JUDGED, *offsets)
    if c.HIGHLIGHTS not in frame.columns or frame[c.HIGHLIGHTS].dtype == pl.Null:
        return pl.DataFrame(schema=c.PASSAGE_SCHEMA)
    pairs = rows.select(c.JUDGED, c.HIGHLIGHTS)
    try:
        # As floats, so that fractions are reported instead of truncated.
        pairs = pairs.cast({c.HIGHLIGHTS: pl.List(pl.List(pl.Float64))})
    except pl.exceptions.PolarsError as error:
        reason = "highlights must be a list of pairs [start, end]"
        raise BadInput(SOURCE, [Problem(None, reason)]) from error
    pairs = pairs.explode(c.HIGHLIGHTS).drop_nulls()
    invalid_pairs = pairs.filter(pl.col(c.HIGHLIGHTS).list.len() != 2)
    if invalid_pairs.height:
        numbers = ", ".join(f"{number:g}" for number in invalid_pairs[c.HIGHLIGHTS][0])
        reason = f"a highlight is [{numbers}], not a pair [start, end]"
        raise BadInput(SOURCE, [Problem(invalid_pairs[c.JUDGED][0] + 1, reason)])
    start, end = (pl.col(c.HIGHLIGHTS).list.get(i) for i in (0, 1))
    return pairs.select(c.JUDGED, start.alias(c.START), end.alias(c.END))


@frozen
class NamedAspects:
    """Aspects collected from rows: those of highlights, and those of the rows themselves."""

    of_passages: list[tuple[int, str, int | None, int | None, float | None]] = field(
        default_factory=list
    )
    of_rows: list[tuple[int, str, float | None]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.of_passages or self.of_rows)

    def take(self, row: int, highlights: object, aspects: object) -> object:
        """Collect the aspects of a row and its highlights; return the highlights as pairs.

        Raises ValueError with the reason if aspects cannot be read; highlights that are not a list
        are returned as they are.
        """
        self.of_rows.extend((row, name, grade) for name, grade in _graded(aspects))
        if not isinstance(highlights, Sequence) or isinstance(highlights, str):
            return highlights
        return [self._pair(row, item) for item in highlights]

    def _pair(self, row: int, item: object) -> object:
        if not isinstance(item, Mapping):
            return item
        if c.START not in item or c.END not in item:
            raise ValueError("a highlight must have start and end")
        start, end = item[c.START], item[c.END]
        self.of_passages.extend(
            (row, name, _offset(start), _offset(end), grade)
            for name, grade in _graded(item.get(c.ASPECTS))
        )
        return [start, end]

    def frame(self, rows: pl.DataFrame | None = None) -> pl.DataFrame | None:
        """A frame with a row per aspect and passage; None if no aspects are named.

        If `rows` have a start and an end, their aspects belong to this passage.
        """
        if not self:
            return None
        of_rows = pl.DataFrame(
            self.of_rows, {name: c.ASPECT_SCHEMA[name] for name in ROW_ASPECT_COLUMNS}, orient="row"
        )
        if rows is not None and {c.START, c.END} <= {*rows.columns}:
            spans = rows.select(pl.col(c.START, c.END).cast(pl.Int64, strict=False))
            of_rows = of_rows.with_columns(spans[of_rows[c.JUDGED].to_list()])
        of_passages = pl.DataFrame(self.of_passages, c.ASPECT_SCHEMA, orient="row")
        return pl.concat([of_passages, of_rows], how="diagonal")


def may_have_aspects(highlights: object, aspects: object) -> bool:
    """Whether a row has aspects, or highlights that are objects."""
    if aspects is not None:
        return True
    if not isinstance(highlights, Sequence):
        return False
    return any(isinstance(item, Mapping) for item in highlights)


def _graded(aspects: object) -> Iterable[tuple[str, float | None]]:
    """Names and their grades: a list of names, an object of names and grades, or names joined by |."""
    if aspects is None:
        return []
    if isinstance(aspects, str):
        aspects = [name.strip() for name in aspects.split(SEPARATOR)]
    if isinstance(aspects, Mapping):
        return [(_name(name), _grade(name, grade)) for name, grade in aspects.items()]
    if isinstance(aspects, Sequence):
        return [(_name(name), None) for name in aspects]
    raise ValueError(
        f"aspects is {value_text(aspects)}, must be a list of names or an object of names and grades"
    )


def _name(name: object) -> str:
    if isinstance(name, str) and name and name == name.encode(errors="replace").decode():
        return name
    if isinstance(name, Integral) and not isinstance(name, bool):
        return str(name)
    raise ValueError(f"an aspect is {value_text(name)}, must be a name")


def _grade(name: object, grade: object) -> float | None:
    if grade is None:
        return None
    if (
        isinstance(grade, bool)
        or not isinstance(grade, Real)
        or not abs(float(grade)) < float("inf")
    ):
        raise ValueError(
            f"the grade of aspect {name!r} is {value_text(grade)}, must be a finite number"
        )
    return float(grade)


def _offset(value: object) -> int | None:
    """An integer; None for other values, which are refused when passages are read."""
    if isinstance(value, bool) or not isinstance(value, Integral | float):
        return None
    return int(value) if value == value // 1 and int(value) in INT64 else None
