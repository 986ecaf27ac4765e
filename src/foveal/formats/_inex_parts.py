"""Reads parts as INEX writes them: offsets with lengths, or element paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from foveal.errors import DataError, Problem, counted
from foveal.formats._plain_lines import offsets
from foveal.frozen import frozen
from foveal.late import pl
from foveal.tables import Run
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.elements import ElementLookup

NEEDS_INDEX = (
    "needs the collection's offset index: make one with `foveal index COLLECTION -o INDEX` and give"
    " --elements INDEX"
)


EXPECTED = (
    "paths in the collection that INDEX was made from (`foveal locate INDEX DOC PATH` tries one)"
)


@frozen
class Misplaced(Problem):
    """An element path that leads nowhere, on a line that is otherwise valid."""

    hides_line: ClassVar[bool] = False


def with_spans(
    frame: pl.DataFrame, elements: ElementLookup | None
) -> tuple[pl.DataFrame, pl.Series | None, list[Problem]]:
    """The frame with start and end, the path of each part that is one element, and problems.

    The frame has doc, line, offset and length; the last two hold an offset and a length, one path,
    or the paths at the start and end of a passage. An offset alone is an entry point; without
    either, the part is a whole document.
    """
    offset, size, lines = frame[c.OFFSET], frame[c.LENGTH], frame[c.LINE]
    is_path = offset.str.starts_with("/").fill_null(value=False)
    unmapped = offset.is_in(["X", str(c.UNMAPPED)]).fill_null(value=False) | is_path
    is_document = offset.is_null()
    start, start_problems = offsets(offset, lines, skipped=unmapped | is_document)
    length, length_problems = offsets(size, lines, skipped=unmapped | size.is_null())
    start = pl.select(pl.when(unmapped).then(c.UNMAPPED).otherwise(start)).to_series()
    parts = frame.drop(c.OFFSET, c.LENGTH).with_columns(
        start.alias(c.START), (start + length.fill_null(0)).alias(c.END)
    )
    problems = [*start_problems, *length_problems]
    if not is_path.any():
        return parts, None, problems
    if elements is None:
        return parts, None, [*problems, without_index(lines.filter(is_path))]
    rows = is_path.arg_true()
    references = pl.DataFrame({c.DOC: frame[c.DOC], c.PATH: offset, c.PATH_END: size})[rows]
    spans, path_problems = referenced_spans(references, lines.gather(rows), elements)
    for name in (c.START, c.END):
        parts = parts.with_columns(parts[name].scatter(rows, spans[name]))
    paths = pl.select(pl.when(is_path & size.is_null()).then(offset)).to_series()
    return parts, paths, problems + path_problems


def referenced_spans(
    references: pl.DataFrame, lines: pl.Series, elements: ElementLookup
) -> tuple[pl.DataFrame, list[Problem]]:
    """Start and end of each reference (doc, path, path_end); -1 and a problem if unresolved."""
    from foveal.elements import explained  # noqa: PLC0415  # few runs name elements

    spans = elements.spans(references)
    rows = spans[c.PROBLEM].is_not_null().arg_true()
    reasons = explained(references[rows], elements) if len(rows) else []
    problems: list[Problem] = [
        Misplaced(line, reason)
        for line, reason in zip(lines.gather(rows).to_list(), reasons, strict=True)
    ]
    return spans.select(pl.col(c.START, c.END).fill_null(c.UNMAPPED)), problems


def refuse_other_parts(run: Run) -> None:
    """Refuse to write paths for a run with parts that have text but no path."""
    parts = run.frame.filter(pl.col(c.END) > pl.col(c.START))
    count = parts[c.PATH].null_count() if run.results.has_paths else parts.height
    if count or not run.results.has_paths:
        parts_text = counted(count, "part")
        raise DataError(
            f"run {run.name!r} has {parts_text} without an element path: write offsets, or let `foveal"
            " convert --paths` look for elements"
        )


def without_index(lines: pl.Series) -> Problem:
    """One problem for all lines with an element path; they lack only the index."""
    count_text = f" ({counted(len(lines), 'line')} like this)" if len(lines) > 1 else ""
    return Misplaced(lines[0], f"an element path{count_text} {NEEDS_INDEX}")
