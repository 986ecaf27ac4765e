"""The page of an explanation: the template filled, without a script, and nothing can get in or out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from foveal.errors import counted
from foveal.frozen import frozen
from foveal.late import pl
from foveal.rendering import Table, asset, legend, policy, template
from foveal.rendering.drawing import Picture, box, figure_style, legible, minimap, page_style
from foveal.reports.explanation import explanation_tables as _shown
from foveal.reports.explanation import sentences
from foveal.reports.explanation.explanation import Explanation
from foveal.reports.explanation.terminal import seen_as
from foveal.tables import columns as c


@frozen
class Stretch:
    """A stretch of a document: how it looks, what is said of it, its rank and its text.

    A folded stretch is long and nothing happened in it: its `words` say how long.
    """

    style: str
    words: str
    mark: str
    text: str
    folded: bool = False


@frozen
class Scored:
    """How the scores of a document come about in one run, whose name is given if there are two."""

    run: str
    lines: tuple[str, ...]


@frozen
class Map:
    """The document at a glance, as markup of our own, and the run if there are two."""

    run: str
    svg: str


@frozen
class Document:
    """A document."""

    anchor: str
    name: str
    standing: str
    maps: tuple[Map, ...]
    is_text: bool
    stretches: tuple[Stretch, ...]
    results: tuple[Table, ...]
    scored: tuple[Scored, ...]


@frozen
class Page:
    """Everything that the template shows."""

    title: str
    verdict: tuple[str, ...]
    failures: tuple[str, ...]
    topics: Table | None
    bars: tuple[str, ...]
    """For each of the topics what was found, missed and wasted, drawn."""

    tables: tuple[Table, ...]
    key: tuple[Stretch, ...]
    documents: tuple[Document, ...]
    left_out: str
    settings: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    style: str
    policy: str


BAR = (160.0, 12.0)
# Narrow enough to be read on a phone, where it is made smaller.
MAP = 480.0
# Text in which nothing happened is folded if it is longer, and so much of it shown on each side.
LONGEST_OTHER, BESIDE = 400, 120


def drawn_page(found: Explanation) -> bytes:
    """The page as one file in UTF-8."""
    style = page_style() + figure_style() + asset("report", "page.css")
    style += asset("explanation", "explain.css")
    names, others = _shown.shown_documents(found) if found.topic is not None else ([], 0)
    worst = f"The topics, worst first by {found.called}"
    lists_topics = found.topic is None and found.against is None
    page = Page(
        title=sentences.title(found),
        verdict=tuple(sentences.verdict(found)),
        failures=tuple(sentences.failures(found)) if found.topic is not None else (),
        topics=replace(_shown.topic_table(found), title=worst) if lists_topics else None,
        bars=tuple(_bars(found)) if lists_topics else (),
        tables=tuple(_tables(found)),
        key=_key(found) if found.topic is not None else (),
        documents=tuple(_document(found, name, place) for place, name in enumerate(names, 1)),
        left_out=sentences.left_out(others) if others else "",
        settings=tuple(found.settings.items()),
        notes=tuple(found.notes),
        style=style,
        policy=policy(style=style),
    )
    filled: str = template("explanation", "explain.html", _readable).render(page=page)
    return filled.encode("utf-8", "replace")


def _readable(value: Any) -> Any:
    """Text that a page can hold; markup of our own is left as it is."""
    return legible(value) if type(value) is str else value


def _tables(found: Explanation) -> Iterator[Table]:
    if found.topic is not None:
        title = "The documents" if found.of_chunks else "The documents, by rank"
        yield replace(_shown.document_table(found), title=title)
        if found.against is not None and found.doc is None:
            yield replace(_shown.side_by_side(found), title="The results side by side")
    elif found.against is not None:
        yield replace(_shown.difference_table(found), title=sentences.differing_words(found))
    for table in legend(found.plain):
        yield replace(table, title="What the measure tells")


def _bars(found: Explanation) -> Iterator[str]:
    """The bar of each topic, worst first; the topic with the most characters fills the width."""
    counts = _shown.worst_topics(found).select(c.FOUND, c.MISSED, c.WASTED).rows()
    most = max((sum(number or 0 for number in row) for row in counts), default=0)
    return (_bar(own, most) for own in counts)


def _bar(counts: Sequence[int | None], most: int) -> str:
    """Characters found, missed and wasted, end to end."""
    marks, told, x = [], [], 0.0
    kinds = ((c.FOUND, "fgood"), (c.MISSED, "fmissed"), (c.WASTED, "fwasted"))
    for count, (kind, style) in zip(counts, kinds, strict=True):
        told.append(f"{kind} unknown" if count is None else f"{count:,} {kind}")
        wide = BAR[0] * (count or 0) / max(most, 1)
        marks.append(box(x, 0, wide, BAR[1], style))
        x += wide
    return Picture(*BAR, "".join(marks)).small(", ".join(told))


def _key(found: Explanation) -> tuple[Stretch, ...]:
    """What the grounds mean."""
    if found.against is None:
        kinds = {c.FOUND: "found", c.MISSED: "missed", c.WASTED: "wasted: read, not highlighted"}
        small = Stretch("found", "a small number is a rank", "3", "found at rank 3")
    else:
        one, two = map(sentences.short, found.runs)
        kinds = {
            c.FOUND: "found by both",
            c.FIRST: f"found only by {one}",
            c.SECOND: f"found only by {two}",
            c.MISSED: "missed by both",
            c.WASTED: "wasted by one or both",
        }
        small = Stretch(
            "found", "two small numbers are ranks", "3 · 7", f"rank in {one} · in {two}"
        )
    return (*(Stretch(kind, "looks like this", "", words) for kind, words in kinds.items()), small)


def _document(found: Explanation, name: str, place: int) -> Document:
    text = found.texts.get(name)
    own = found.by_document.get(name)
    rows = found.documents.filter(pl.col(c.DOC) == name).iter_rows(named=True)
    two = found.against is not None
    return Document(
        anchor=f"document-{place}",
        name=sentences.short(name),
        standing=sentences.standing(found, name),
        maps=() if own is None else tuple(_maps(found, name, own, place)),
        is_text=text is not None,
        stretches=() if own is None else tuple(_stretches(found, own, text)),
        results=tuple(_shown.result_tables(found, name)),
        scored=tuple(
            Scored(
                sentences.short(row[c.RUN]) if two else "",
                tuple(sentences.workings(row, found.parameters)),
            )
            for row in rows
        ),
    )


def _maps(found: Explanation, name: str, own: pl.DataFrame, place: int) -> Iterator[Map]:
    """The document at a glance, for each run that returned it, or once."""
    length = max(own[c.END].to_list(), default=0)
    marked = found.passages.filter((pl.col(c.RUN) == found.run) & (pl.col(c.DOC) == name))
    highlights = (marked[c.START].to_numpy(), marked[c.END].to_numpy())
    for number, run in enumerate(found.runs):
        results = found.results.filter((pl.col(c.RUN) == run) & (pl.col(c.DOC) == name))
        parts = results.drop_nulls(c.START)
        if number and not parts.height:
            continue
        starts = parts[c.START].to_numpy()
        ends = np.minimum(parts[c.END].fill_null(length).to_numpy(), length)
        told = (
            f"{counted(len(starts), 'part')} of {sentences.short(name)} in {sentences.short(run)}"
        )
        ranks = parts[c.RANK].to_numpy()
        picture = minimap(length, highlights, (starts, ends), ranks, wide=MAP)
        name_of_run = sentences.short(run) if found.against is not None else ""
        yield Map(name_of_run, picture.inline(f"map-{place}-{number}", told))


def _stretches(found: Explanation, own: pl.DataFrame, text: str | None) -> Iterator[Stretch]:
    for row in _shown.stretches(own, text):
        style, words, mark = _look(found, row)
        size = counted(row[c.END] - row[c.START], "character")
        if text is None:
            yield Stretch(style, words, mark, f" {size} ")
            continue
        shown = text[row[c.START] : row[c.END]]
        if row[c.START] >= len(text):
            yield Stretch(style, words, mark, f" {size} beyond the text ")
        elif style or len(shown) <= LONGEST_OTHER:
            yield Stretch(style, words, mark, shown)
        else:
            yield from _folded(shown, first=row[c.START] == 0, last=row[c.END] >= len(text))


def _folded(shown: str, *, first: bool, last: bool) -> Iterator[Stretch]:
    """Long text in which nothing happened: its edges, and the rest when it is asked for."""
    before, after = 0 if first else BESIDE, len(shown) if last else len(shown) - BESIDE
    words = f"… {counted(after - before, 'character')} …"
    yield Stretch("", "", "", shown[:before])
    yield Stretch("", words, "", shown[before:after], folded=True)
    yield Stretch("", "", "", shown[after:])


def _look(found: Explanation, row: Mapping[str, Any]) -> tuple[str, str, str]:
    """The style of a stretch, what is said of it, and the ranks beside it."""
    kind = seen_as(row)
    if kind == c.OTHER:
        return "", "", ""
    if found.against is None:
        at = f" at rank {row[c.RANK]:,}" if row[c.RANK] is not None else ""
        return kind, f"{kind}{at}", "" if row[c.RANK] is None else f"{row[c.RANK]:,}"
    ranks = [row[c.RANK], row[c.AGAINST_RANK]]
    mark = " · ".join("–" if rank is None else f"{rank:,}" for rank in ranks)
    by = [
        f"{sentences.short(run)} at rank {rank:,}"
        for run, rank in zip(found.runs, ranks, strict=True)
        if rank is not None
    ]
    style = kind
    if kind == c.FOUND and len(by) == 1:
        style = c.FIRST if ranks[1] is None else c.SECOND
    words = f"{kind} by {' and by '.join(by)}" if by else f"{kind} by both"
    return style, words, mark if by else ""
