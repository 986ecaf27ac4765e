"""An explanation in a terminal: brackets as well as colours, offsets in the margin."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from foveal.errors import counted
from foveal.late import pl
from foveal.rendering import PARAGRAPH, Table, aligned_table, legend, paragraph, printable, width_of
from foveal.rendering.drawing import LIGHT
from foveal.reports.explanation import explanation_tables as tables
from foveal.reports.explanation import sentences
from foveal.reports.explanation.explanation import Explanation
from foveal.tables import columns as c

BRACKETS = {c.FOUND: "[]", c.MISSED: "{}", c.WASTED: "()", c.OTHER: ("", "")}
# Of a long segment, so many characters are shown at each end.
SHOWN_ENDS = {c.FOUND: 400, c.MISSED: 400, c.WASTED: 200, c.OTHER: 60}
MIN_TEXT_WIDTH = 20

# A piece of a line: the kind of its text, which may be empty, and the text.
StyledText = tuple[str, str]
Line = Sequence[StyledText]
Paint = Callable[[str, str], str]

_CODES = {c.FOUND: "32", c.MISSED: "1;33", c.WASTED: "2", "head": "1"}


def plain(_: str, text: str) -> str:
    """Text without a colour."""
    return text


def coloured(kind: str, text: str) -> str:
    """Text in the colour of its kind, for a terminal."""
    return f"\x1b[{_CODES[kind]}m{text}\x1b[0m" if kind in _CODES else text


def coloured_html(kind: str, text: str) -> str:
    """Text on the background colour of its kind, as HTML."""
    background = {c.FOUND: LIGHT.found, c.MISSED: LIGHT.missed, c.WASTED: LIGHT.wasted}.get(kind)
    if background is None:
        return f"<b>{escape(text)}</b>" if kind == "head" else escape(text)
    return f'<span style="background:{background};color:{LIGHT.ink}">{escape(text)}</span>'


def full_text(explanation: Explanation, paint: Paint = plain, width: int | None = None) -> str:
    """The explanation as lines of text."""
    columns = PARAGRAPH if width is None else width
    lines = _overview(explanation) if explanation.topic is None else _topic(explanation, columns)
    return _painted((*lines, *_legend_lines(explanation)), paint)


def close_up(explanation: Explanation, paint: Paint = plain) -> str:
    """The summary of a topic and its documents in detail, without the table of all documents."""
    return _painted((*_summary_lines(explanation), *_documents(explanation, PARAGRAPH)), paint)


def _painted(lines: Iterable[Line], paint: Paint) -> str:
    return "\n".join("".join(paint(*piece) for piece in line).rstrip() for line in lines) + "\n"


def _overview(explanation: Explanation) -> Iterator[Line]:
    yield [("head", printable(sentences.title(explanation)))]
    yield []
    yield from _paragraph_lines(sentences.verdict(explanation))
    yield []
    if explanation.against is not None:
        yield [("head", sentences.differing_words(explanation))]
        yield []
        if tables.most_different(explanation).height:
            yield from _table_lines(tables.difference_table(explanation))
        yield from _paragraph_lines(["Look at one with --topic."])
        return
    count = explanation.topics[c.TOPIC].n_unique()
    yield from _table_lines(tables.topic_table(explanation, tables.MAX_TOPICS))
    hidden_count = count - tables.MAX_TOPICS
    left_out = f"{counted(hidden_count, 'better topic')} left out. " if hidden_count > 0 else ""
    yield from _paragraph_lines(
        [f"{left_out}Worst first by {explanation.measure_name}; look at one with --topic."]
    )


def _topic(explanation: Explanation, width: int) -> Iterator[Line]:
    yield from _summary_lines(explanation)
    yield from _table_lines(tables.document_table(explanation))
    hidden_count = tables.shown_documents(explanation)[1]
    if hidden_count:
        yield from _paragraph_lines([sentences.left_out_sentence(hidden_count)])
        yield []
    if explanation.against is not None and explanation.doc is None:
        yield from _table_lines(tables.side_by_side(explanation))
    yield from _documents(explanation, width)


def _summary_lines(explanation: Explanation) -> Iterator[Line]:
    yield [("head", printable(sentences.title(explanation)))]
    yield []
    yield from _paragraph_lines(sentences.verdict(explanation))
    failures = sentences.failures(explanation)
    if failures:
        yield []
        for failure in failures:
            yield from _lines(paragraph(f"- {failure}", indent="  "))
    yield []


def _documents(explanation: Explanation, width: int) -> Iterator[Line]:
    yield from _key_lines(explanation)
    for name in tables.shown_documents(explanation)[0]:
        yield []
        yield from _document_lines(explanation, name, width)


def _key_lines(explanation: Explanation) -> Iterator[Line]:
    """The meaning of brackets and columns."""
    samples = [(kind, kind.join(BRACKETS[kind])) for kind in (c.FOUND, c.MISSED, c.WASTED)]
    yield [piece for sample in samples for piece in (sample, ("", " "))]
    if explanation.against is not None:
        a, b = (printable(sentences.short(run)) for run in explanation.runs)
        yield [("", f"Column A has the rank in {a}, B the rank in {b}: [found] by one of them")]
        yield [("", "or by both, {missed} by both.")]


def _document_lines(explanation: Explanation, name: str, width: int) -> Iterator[Line]:
    yield [("head", printable(sentences.short(name)))]
    yield from _paragraph_lines([sentences.document_summary(explanation, name)])
    yield []
    yield from _text_lines(explanation, name, width)
    yield []
    for table in tables.result_tables(explanation, name):
        yield from _table_lines(table)
    rows = explanation.documents.filter(pl.col(c.DOC) == name).iter_rows(named=True)
    for row in rows:
        if explanation.against is not None:
            yield [("", printable(sentences.short(row[c.RUN])))]
        for line in sentences.workings(row, explanation.parameters):
            yield from _lines(paragraph(line, indent="  "))


def _text_lines(explanation: Explanation, name: str, width: int) -> Iterator[Line]:
    """The document, segment by segment; without its text, the length of each."""
    ranks = [c.RANK, *([c.AGAINST_RANK] if explanation.against is not None else [])]
    headers = ["rank"] if explanation.against is None else ["A", "B"]
    text = explanation.texts.get(name)
    segments = explanation.by_document.get(name)
    if segments is None:
        yield [("", "Nothing is known of its text.")]
        return
    yield [("", _margin("offset", headers))]
    text_width = max(width - len(_margin("", headers)), MIN_TEXT_WIDTH)
    for row in tables.text_segments(segments, text):
        kind = segment_kind(row)
        rank_texts = ["" if row[rank] is None else f"{row[rank]:,}" for rank in ranks]
        for offset, line in _segment_lines(row, text, kind, text_width):
            margin = _margin("" if offset is None else f"{offset:,}", rank_texts)
            yield [("", margin), (kind if offset is not None else "", line)]
            rank_texts = [""] * len(ranks)


def segment_kind(row: Mapping[str, Any]) -> str:
    """The kind of a segment; with two runs, found if either finds it, wasted if either reads it."""
    kinds = {row[c.KIND], row.get(c.AGAINST_KIND, row[c.KIND])}
    return next(kind for kind in (c.FOUND, c.MISSED, c.WASTED, c.OTHER) if kind in kinds)


def _segment_lines(
    row: Mapping[str, Any], text: str | None, kind: str, width: int
) -> Iterator[tuple[int | None, str]]:
    """The lines of a segment, each with its offset; the line for hidden text has none."""
    start, end, (opening, closing) = row[c.START], row[c.END], BRACKETS[kind]
    if text is None or start >= len(text):
        beyond = "" if text is None else " beyond the text"
        size = f"{counted(end - start, 'character')}{beyond}"
        yield start, f"{opening}{size}{closing}"
        return
    end_length = SHOWN_ENDS[kind]
    if end - start <= 2 * end_length + width:
        yield from _wrapped(start, text[start:end], width, opening, closing)
        return
    hidden_length = end - start - 2 * end_length
    yield from _wrapped(start, text[start : start + end_length], width, opening, "")
    yield None, f"… {counted(hidden_length, 'character')} …"
    yield from _wrapped(end - end_length, text[end - end_length : end], width, "", closing)


def _wrapped(
    start: int, text: str, width: int, opening: str, closing: str
) -> Iterator[tuple[int, str]]:
    """Text in lines that end after a word if possible, enclosed in brackets as a whole."""
    one_line = on_one_line(text)
    position = 0
    while True:
        free = width - (1 if position else len(opening))
        count = _fitting_length(one_line, position, free - len(closing))
        is_last = position + count >= len(one_line)
        line = one_line[position : position + count]
        yield start + position, f"{'' if position else opening}{line}{closing if is_last else ''}"
        position += count
        if is_last:
            return


def _fitting_length(text: str, position: int, width: int) -> int:
    """Number of characters from a position that fit into a line, up to the last blank if any."""
    line = text[position : position + width]
    if not line.isascii():
        used_width = 0
        for count, character in enumerate(line):
            used_width += width_of(character)
            if used_width > width:
                line = line[:count]
                break
    if position + len(line) >= len(text):
        return len(line)
    blank = line.rfind(" ")
    return blank + 1 if blank > 0 else max(len(line), 1)


def on_one_line(text: str) -> str:
    """Text of a document, safe for a terminal: blanks for line breaks, no control characters."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else " " if char.isspace() else "\N{REPLACEMENT CHARACTER}"
        for char in text
    )


def _margin(offset: str, rank_texts: Sequence[str]) -> str:
    return f"{offset:>9}  {'  '.join(f'{rank_text:>5}' for rank_text in rank_texts)}  "


def _paragraph_lines(texts: Sequence[str]) -> Iterator[Line]:
    for text in texts:
        yield from _lines(paragraph(text))


def _legend_lines(explanation: Explanation) -> Iterator[Line]:
    for table in legend(explanation.plain):
        yield []
        yield from _lines(aligned_table(table).rstrip("\n"))


def _table_lines(table: Table) -> Iterator[Line]:
    yield from _lines(aligned_table(table).rstrip("\n"))
    yield []


def _lines(text: str) -> Iterator[Line]:
    for line in text.split("\n"):
        yield [("", line)]
