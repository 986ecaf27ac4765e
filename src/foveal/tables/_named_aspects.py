"""Aspects as rows name them, in the objects of Python and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from numbers import Integral, Real

from foveal.errors import INT64, kind
from foveal.frozen import frozen
from foveal.late import pl
from foveal.tables import _columns as c

SEPARATOR = "|"


@frozen
class NamedAspects:
    """Aspects taken from rows: those of passages in lists, and those of the rows themselves."""

    of_passages: list[tuple[int, str, int | None, int | None, float | None]] = field(
        default_factory=list
    )
    of_rows: list[tuple[int, str, float | None]] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.of_passages or self.of_rows)

    def take(self, row: int, highlights: object, aspects: object) -> object:
        """Take the aspects of a row and its highlights, and give the highlights as pairs.

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

        Where `rows` have a start and an end, their aspects are those of this passage.
        """
        if not self:
            return None
        of_rows = pl.DataFrame(
            self.of_rows, {name: c.ASPECT_SCHEMA[name] for name in OF_ROW}, orient="row"
        )
        if rows is not None and {c.START, c.END} <= {*rows.columns}:
            spans = rows.select(pl.col(c.START, c.END).cast(pl.Int64, strict=False))
            of_rows = of_rows.with_columns(spans[of_rows[c.JUDGED].to_list()])
        of_passages = pl.DataFrame(self.of_passages, c.ASPECT_SCHEMA, orient="row")
        return pl.concat([of_passages, of_rows], how="diagonal")


OF_ROW = (c.JUDGED, c.ASPECT, c.GRADE)


def names_aspects(highlights: object, aspects: object) -> bool:
    """Whether a row names aspects, or has highlights in objects."""
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
        f"aspects is {kind(aspects)}, must be a list of names or an object of names and grades"
    )


def _name(name: object) -> str:
    if isinstance(name, str) and name and name == name.encode(errors="replace").decode():
        return name
    if isinstance(name, Integral) and not isinstance(name, bool):
        return str(name)
    raise ValueError(f"an aspect is {kind(name)}, must be a name")


def _grade(name: object, grade: object) -> float | None:
    if grade is None:
        return None
    if (
        isinstance(grade, bool)
        or not isinstance(grade, Real)
        or not abs(float(grade)) < float("inf")
    ):
        raise ValueError(f"the grade of aspect {name!r} is {kind(grade)}, must be a finite number")
    return float(grade)


def _offset(value: object) -> int | None:
    """A whole number; what is none is found out where passages are read."""
    if isinstance(value, bool) or not isinstance(value, Integral | float):
        return None
    return int(value) if value == value // 1 and int(value) in INT64 else None
