"""An explanation in a terminal: brackets say what colours say, offsets are in the margin."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from foveal.errors import counted
from foveal.late import pl
from foveal.rendering import (
    PARAGRAPH,
    Table,
    aligned_table,
    columns_of,
    legend,
    paragraph,
    printable,
)
from foveal.rendering.drawing import LIGHT
from foveal.reports.explanation import explanation_tables as _shown
from foveal.reports.explanation import sentences
from foveal.reports.explanation.explanation import Explanation
from foveal.tables import columns as c

BRACKETS = {c.FOUND: "[]", c.MISSED: "{}", c.WASTED: "()", c.OTHER: ("", "")}
# So much of a stretch is shown at its beginning and at its end if it is longer than both.
ENDS = {c.FOUND: 400, c.MISSED: 400, c.WASTED: 200, c.OTHER: 60}
LEAST_ROOM = 20

# A piece of a line: what kind of text it is, or nothing, and the words.
Piece = tuple[str, str]
Line = Sequence[Piece]
Paint = Callable[[str, str], str]

_CODES = {c.FOUND: "32", c.MISSED: "1;33", c.WASTED: "2", "head": "1"}


def plain(_: str, words: str) -> str:
    """Words as they are."""
    return words


def in_terminal(kind: str, words: str) -> str:
    """Words in the colour of their kind."""
    return f"\x1b[{_CODES[kind]}m{words}\x1b[0m" if kind in _CODES else words


def in_notebook(kind: str, words: str) -> str:
    """Words on the ground of their kind, as HTML."""
    ground = {c.FOUND: LIGHT.found, c.MISSED: LIGHT.missed, c.WASTED: LIGHT.wasted}.get(kind)
    if ground is None:
        return f"<b>{escape(words)}</b>" if kind == "head" else escape(words)
    return f'<span style="background:{ground};color:{LIGHT.ink}">{escape(words)}</span>'


def drawing(found: Explanation, paint: Paint = plain, width: int | None = None) -> str:
    """The explanation as lines."""
    wide = PARAGRAPH if width is None else width
    lines = _overview(found) if found.topic is None else _topic(found, wide)
    return _painted((*lines, *_legend(found)), paint)


def close_up(found: Explanation, paint: Paint = plain) -> str:
    """What is found of a topic in words and in its documents, without tables of all documents."""
    return _painted((*_told(found), *_documents(found, PARAGRAPH)), paint)


def _painted(lines: Iterable[Line], paint: Paint) -> str:
    return "\n".join("".join(paint(*piece) for piece in line).rstrip() for line in lines) + "\n"


def _overview(found: Explanation) -> Iterator[Line]:
    yield [("head", printable(sentences.title(found)))]
    yield []
    yield from _paragraphs(sentences.verdict(found))
    yield []
    if found.against is not None:
        yield [("head", sentences.differing_words(found))]
        yield []
        if _shown.differing(found).height:
            yield from _table(_shown.difference_table(found))
        yield from _paragraphs(["Look at one with --topic."])
        return
    count = found.topics[c.TOPIC].n_unique()
    yield from _table(_shown.topic_table(found, _shown.SHOWN_TOPICS))
    more = count - _shown.SHOWN_TOPICS
    left = f"{counted(more, 'better topic')} left out. " if more > 0 else ""
    yield from _paragraphs([f"{left}Worst first by {found.called}; look at one with --topic."])


def _topic(found: Explanation, wide: int) -> Iterator[Line]:
    yield from _told(found)
    yield from _table(_shown.document_table(found))
    others = _shown.shown_documents(found)[1]
    if others:
        yield from _paragraphs([sentences.left_out(others)])
        yield []
    if found.against is not None and found.doc is None:
        yield from _table(_shown.side_by_side(found))
    yield from _documents(found, wide)


def _told(found: Explanation) -> Iterator[Line]:
    yield [("head", printable(sentences.title(found)))]
    yield []
    yield from _paragraphs(sentences.verdict(found))
    told = sentences.failures(found)
    if told:
        yield []
        for words in told:
            yield from _lines(paragraph(f"- {words}", indent="  "))
    yield []


def _documents(found: Explanation, wide: int) -> Iterator[Line]:
    yield from _key(found)
    for name in _shown.shown_documents(found)[0]:
        yield []
        yield from _document(found, name, wide)


def _key(found: Explanation) -> Iterator[Line]:
    """What brackets and columns mean."""
    parts = [(kind, kind.join(BRACKETS[kind])) for kind in (c.FOUND, c.MISSED, c.WASTED)]
    yield [piece for part in parts for piece in (part, ("", " "))]
    if found.against is not None:
        one, two = (printable(sentences.short(run)) for run in found.runs)
        yield [("", f"Column A has the rank in {one}, B the rank in {two}: [found] by one of them")]
        yield [("", "or by both, {missed} by both.")]


def _document(found: Explanation, name: str, wide: int) -> Iterator[Line]:
    yield [("head", printable(sentences.short(name)))]
    yield from _paragraphs([sentences.standing(found, name)])
    yield []
    yield from _text(found, name, wide)
    yield []
    for table in _shown.result_tables(found, name):
        yield from _table(table)
    rows = found.documents.filter(pl.col(c.DOC) == name).iter_rows(named=True)
    for row in rows:
        if found.against is not None:
            yield [("", printable(sentences.short(row[c.RUN])))]
        for line in sentences.workings(row, found.parameters):
            yield from _lines(paragraph(line, indent="  "))


def _text(found: Explanation, name: str, wide: int) -> Iterator[Line]:
    """The document, a stretch after the other; without its text, how long each is."""
    ranks = [c.RANK, *([c.AGAINST_RANK] if found.against is not None else [])]
    heads = ["rank"] if found.against is None else ["A", "B"]
    text = found.texts.get(name)
    own = found.by_document.get(name)
    if own is None:
        yield [("", "Nothing is known of its text.")]
        return
    yield [("", _margin("offset", heads))]
    room = max(wide - len(_margin("", heads)), LEAST_ROOM)
    for row in _shown.stretches(own, text):
        kind = seen_as(row)
        marks = ["" if row[rank] is None else f"{row[rank]:,}" for rank in ranks]
        for offset, words in _stretch(row, text, kind, room):
            margin = _margin("" if offset is None else f"{offset:,}", marks)
            yield [("", margin), (kind if offset is not None else "", words)]
            marks = [""] * len(ranks)


def seen_as(row: Mapping[str, Any]) -> str:
    """The kind of a stretch; with two runs found if either finds it, wasted if either reads it."""
    kinds = {row[c.KIND], row.get(c.AGAINST_KIND, row[c.KIND])}
    return next(kind for kind in (c.FOUND, c.MISSED, c.WASTED, c.OTHER) if kind in kinds)


def _stretch(
    row: Mapping[str, Any], text: str | None, kind: str, room: int
) -> Iterator[tuple[int | None, str]]:
    """The lines of a stretch, each with its offset; what is left out has none."""
    start, end, (opening, closing) = row[c.START], row[c.END], BRACKETS[kind]
    if text is None or start >= len(text):
        beyond = "" if text is None else " beyond the text"
        size = f"{counted(end - start, 'character')}{beyond}"
        yield start, f"{opening}{size}{closing}"
        return
    shown = ENDS[kind]
    if end - start <= 2 * shown + room:
        yield from _wrapped(start, text[start:end], room, opening, closing)
        return
    left = end - start - 2 * shown
    yield from _wrapped(start, text[start : start + shown], room, opening, "")
    yield None, f"… {counted(left, 'character')} …"
    yield from _wrapped(end - shown, text[end - shown : end], room, "", closing)


def _wrapped(
    start: int, text: str, room: int, opening: str, closing: str
) -> Iterator[tuple[int, str]]:
    """Text in lines that end after a word if they can; brackets enclose all of it."""
    words = on_one_line(text)
    place = 0
    while True:
        space = room - (1 if place else len(opening))
        taken = _fitting(words, place, space - len(closing))
        last = place + taken >= len(words)
        line = words[place : place + taken]
        yield start + place, f"{'' if place else opening}{line}{closing if last else ''}"
        place += taken
        if last:
            return


def _fitting(words: str, place: int, room: int) -> int:
    """How many characters from a place on fit into a line, up to the last blank if there is one."""
    line = words[place : place + room]
    if not line.isascii():
        used = 0
        for count, sign in enumerate(line):
            used += columns_of(sign)
            if used > room:
                line = line[:count]
                break
    if place + len(line) >= len(words):
        return len(line)
    blank = line.rfind(" ")
    return blank + 1 if blank > 0 else max(len(line), 1)


def on_one_line(text: str) -> str:
    """Text of a document as a terminal may show it: blanks for line breaks, no control characters."""
    if text.isprintable():
        return text
    return "".join(
        sign if sign.isprintable() else " " if sign.isspace() else "\N{REPLACEMENT CHARACTER}"
        for sign in text
    )


def _margin(offset: str, marks: Sequence[str]) -> str:
    return f"{offset:>9}  {'  '.join(f'{mark:>5}' for mark in marks)}  "


def _paragraphs(told: Sequence[str]) -> Iterator[Line]:
    for words in told:
        yield from _lines(paragraph(words))


def _legend(found: Explanation) -> Iterator[Line]:
    for table in legend(found.plain):
        yield []
        yield from _lines(aligned_table(table).rstrip("\n"))


def _table(table: Table) -> Iterator[Line]:
    yield from _lines(aligned_table(table).rstrip("\n"))
    yield []


def _lines(text: str) -> Iterator[Line]:
    for line in text.split("\n"):
        yield [("", line)]
