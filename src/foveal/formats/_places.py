"""The places of a run's parts as INEX writes them: offsets with lengths, or element paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foveal.errors import DataError, Problem, shortened
from foveal.formats._fields import offsets
from foveal.late import pl
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.elements import ElementLookup
    from foveal.tables import Run

NEEDS_INDEX = "it needs the collection's offset index (--elements INDEX)"


def with_spans(
    frame: pl.DataFrame, elements: ElementLookup | None
) -> tuple[pl.DataFrame, pl.Series | None, list[Problem]]:
    """The frame with start and end; the path of each part that is one element; all problems.

    It comes with document, line, offset and length, which hold an offset and a length, one path, or
    the paths between which a range lies. An offset alone is an entry point; without either the part
    is a whole document.
    """
    place, size, lines = frame[c.OFFSET], frame[c.LENGTH], frame[c.LINE]
    is_path = place.str.starts_with("/").fill_null(value=False)
    unmapped = place.is_in(["X", str(c.UNMAPPED)]).fill_null(value=False) | is_path
    whole = place.is_null()
    start, bad_starts = offsets(place, lines, skipped=unmapped | whole)
    length, bad_lengths = offsets(size, lines, skipped=unmapped | size.is_null())
    start = pl.select(pl.when(unmapped).then(c.UNMAPPED).otherwise(start)).to_series()
    parts = frame.drop(c.OFFSET, c.LENGTH).with_columns(
        start.alias(c.START),
        (start + length.fill_null(0)).alias(c.END),
    )
    problems = [*bad_starts, *bad_lengths]
    if not is_path.any():
        return parts, None, problems
    if elements is None:
        return parts, None, [*problems, _without_index(lines.filter(is_path))]
    rows = is_path.arg_true()
    references = pl.DataFrame({c.DOC: frame[c.DOC], c.PATH: place, c.PATH_END: size})[rows]
    spans, unresolved = referenced_spans(references, lines.gather(rows), elements)
    for name in (c.START, c.END):
        parts = parts.with_columns(parts[name].scatter(rows, spans[name]))
    paths = pl.select(pl.when(is_path & size.is_null()).then(place)).to_series()
    return parts, paths, problems + unresolved


def referenced_spans(
    references: pl.DataFrame, lines: pl.Series, elements: ElementLookup
) -> tuple[pl.DataFrame, list[Problem]]:
    """Start and end of each reference (doc, path, path_end), -1 and a problem if it has none."""
    spans = elements.spans(references)
    bad = spans[c.PROBLEM].is_not_null()
    rows = bad.arg_true()
    problems = [
        Problem(line, f"{reason}: {shortened(' '.join(filter(None, reference)), 200)}")
        for line, reason, reference in zip(
            lines.gather(rows).to_list(),
            spans[c.PROBLEM].gather(rows).to_list(),
            references.select(c.DOC, c.PATH, c.PATH_END)[rows].rows(),
            strict=True,
        )
    ]
    return spans.select(pl.col(c.START, c.END).fill_null(c.UNMAPPED)), problems


def refuse_other_parts(run: Run) -> None:
    """Refuse to write by paths a run with parts that have text but no path."""
    parts = run.frame.filter(pl.col(c.END) > pl.col(c.START))
    others = parts[c.PATH].null_count() if run.has_paths else parts.height
    if others or not run.has_paths:
        raise DataError(
            f"run {run.name!r} has {others} parts that are not known as elements: write offsets, or"
            " use `foveal convert --paths`"
        )


def _without_index(lines: pl.Series) -> Problem:
    """One problem for all lines with an element path: no line of them is wrong in itself."""
    others = f" ({len(lines)} lines have one)" if len(lines) > 1 else ""
    return Problem(lines[0], f"an element path{others}: {NEEDS_INDEX}")
