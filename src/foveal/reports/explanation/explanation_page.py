"""The page of an explanation: the filled template, without a script or any request."""

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
from foveal.reports.explanation import explanation_tables as tables
from foveal.reports.explanation import sentences
from foveal.reports.explanation.explanation import Explanation
from foveal.reports.explanation.terminal import segment_kind
from foveal.tables import columns as c


@frozen
class Segment:
    """A segment of a document: its style, description, ranks and text.

    A folded segment is long text that is neither highlighted nor returned; its description is the
    length.
    """

    style: str
    description: str
    ranks: str
    text: str
    folded: bool = False


@frozen
class Workings:
    """The calculation of a document's scores in one run, which is named if there are two."""

    run: str
    lines: tuple[str, ...]


@frozen
class Map:
    """The map of a document as trusted markup, and the name of the run if there are two."""

    run: str
    svg: str


@frozen
class DocumentBlock:
    """A document with its map, text, results and scores."""

    anchor: str
    name: str
    summary: str
    maps: tuple[Map, ...]
    is_text: bool
    segments: tuple[Segment, ...]
    results: tuple[Table, ...]
    workings: tuple[Workings, ...]


@frozen
class ExplanationPage:
    """The context of the template."""

    title: str
    verdict: tuple[str, ...]
    failures: tuple[str, ...]
    topics: Table | None
    bars: tuple[str, ...]
    """For each of the topics a bar of the text found, missed and wasted."""

    tables: tuple[Table, ...]
    key: tuple[Segment, ...]
    documents: tuple[DocumentBlock, ...]
    left_out: str
    settings: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    style: str
    policy: str


BAR_SIZE = (160.0, 12.0)
# Narrow enough to be legible on a phone, where it is scaled down.
MAP_WIDTH = 480.0
# Longer text that is neither highlighted nor returned is folded; so much of each end is shown.
MAX_OTHER, EDGE = 400, 120


def rendered_page(explanation: Explanation) -> bytes:
    """The page as one file in UTF-8."""
    style = page_style() + figure_style() + asset("report", "page.css")
    style += asset("explanation", "explain.css")
    has_topic = explanation.topic is not None
    names, hidden_count = tables.shown_documents(explanation) if has_topic else ([], 0)
    caption = f"The topics, worst first by {explanation.measure_name}"
    lists_topics = not has_topic and explanation.against is None
    page = ExplanationPage(
        title=sentences.title(explanation),
        verdict=tuple(sentences.verdict(explanation)),
        failures=tuple(sentences.failures(explanation)) if has_topic else (),
        topics=replace(tables.topic_table(explanation), title=caption) if lists_topics else None,
        bars=tuple(_bars(explanation)) if lists_topics else (),
        tables=tuple(_tables(explanation)),
        key=_key(explanation) if has_topic else (),
        documents=tuple(_document(explanation, name, index) for index, name in enumerate(names, 1)),
        left_out=sentences.left_out_sentence(hidden_count) if hidden_count else "",
        settings=tuple(explanation.settings.items()),
        notes=tuple(explanation.notes),
        style=style,
        policy=policy(style=style),
    )
    html: str = template("explanation", "explain.html", _readable).render(page=page)
    return html.encode("utf-8", "replace")


def _readable(value: Any) -> Any:
    """Text that a page can hold; trusted markup is left unchanged."""
    return legible(value) if type(value) is str else value


def _tables(explanation: Explanation) -> Iterator[Table]:
    if explanation.topic is not None:
        title = "The documents" if explanation.explains_chunks else "The documents, by rank"
        yield replace(tables.document_table(explanation), title=title)
        if explanation.against is not None and explanation.doc is None:
            yield replace(tables.side_by_side(explanation), title="The results side by side")
    elif explanation.against is not None:
        title = sentences.differing_words(explanation)
        yield replace(tables.difference_table(explanation), title=title)
    for table in legend(explanation.plain):
        yield replace(table, title="What the measure tells")


def _bars(explanation: Explanation) -> Iterator[str]:
    """The bar of each topic, worst first; the topic with the most characters fills the width."""
    counts = tables.worst_topics(explanation).select(c.FOUND, c.MISSED, c.WASTED).rows()
    max_total = max((sum(number or 0 for number in row) for row in counts), default=0)
    return (_bar(row, max_total) for row in counts)


def _bar(counts: Sequence[int | None], max_total: int) -> str:
    """Characters found, missed and wasted, as one stacked bar."""
    marks, labels, x = [], [], 0.0
    kinds = ((c.FOUND, "fgood"), (c.MISSED, "fmissed"), (c.WASTED, "fwasted"))
    for count, (kind, style) in zip(counts, kinds, strict=True):
        labels.append(f"{kind} unknown" if count is None else f"{count:,} {kind}")
        width = BAR_SIZE[0] * (count or 0) / max(max_total, 1)
        marks.append(box(x, 0, width, BAR_SIZE[1], style))
        x += width
    return Picture(*BAR_SIZE, "".join(marks)).small(", ".join(labels))


def _key(explanation: Explanation) -> tuple[Segment, ...]:
    """The key of the background colours."""
    if explanation.against is None:
        kinds = {c.FOUND: "found", c.MISSED: "missed", c.WASTED: "wasted: read, not highlighted"}
        rank_segment = Segment("found", "a small number is a rank", "3", "found at rank 3")
    else:
        first, second = map(sentences.short, explanation.runs)
        kinds = {
            c.FOUND: "found by both",
            c.FIRST: f"found only by {first}",
            c.SECOND: f"found only by {second}",
            c.MISSED: "missed by both",
            c.WASTED: "wasted by one or both",
        }
        rank_segment = Segment(
            "found", "two small numbers are ranks", "3 · 7", f"rank in {first} · in {second}"
        )
    segments = (Segment(kind, "looks like this", "", meaning) for kind, meaning in kinds.items())
    return (*segments, rank_segment)


def _document(explanation: Explanation, name: str, number: int) -> DocumentBlock:
    text = explanation.texts.get(name)
    segments = explanation.by_document.get(name)
    rows = explanation.documents.filter(pl.col(c.DOC) == name).iter_rows(named=True)
    has_two_runs = explanation.against is not None
    return DocumentBlock(
        anchor=f"document-{number}",
        name=sentences.short(name),
        summary=sentences.document_summary(explanation, name),
        maps=() if segments is None else tuple(_maps(explanation, name, segments, number)),
        is_text=text is not None,
        segments=() if segments is None else tuple(_segments(explanation, segments, text)),
        results=tuple(tables.result_tables(explanation, name)),
        workings=tuple(
            Workings(
                sentences.short(row[c.RUN]) if has_two_runs else "",
                tuple(sentences.workings(row, explanation.parameters)),
            )
            for row in rows
        ),
    )


def _maps(
    explanation: Explanation, name: str, segments: pl.DataFrame, number: int
) -> Iterator[Map]:
    """A map of the document for each run that returned it, or one without parts."""
    length = max(segments[c.END].to_list(), default=0)
    in_document = pl.col(c.DOC) == name
    passages = explanation.passages.filter((pl.col(c.RUN) == explanation.run) & in_document)
    highlights = (passages[c.START].to_numpy(), passages[c.END].to_numpy())
    for index, run in enumerate(explanation.runs):
        results = explanation.results.filter((pl.col(c.RUN) == run) & in_document)
        parts = results.drop_nulls(c.START)
        if index and not parts.height:
            continue
        starts = parts[c.START].to_numpy()
        ends = np.minimum(parts[c.END].fill_null(length).to_numpy(), length)
        short_run = sentences.short(run)
        title = f"{counted(len(starts), 'part')} of {sentences.short(name)} in {short_run}"
        ranks = parts[c.RANK].to_numpy()
        picture = minimap(length, highlights, (starts, ends), ranks, map_width=MAP_WIDTH)
        run_name = short_run if explanation.against is not None else ""
        yield Map(run_name, picture.inline(f"map-{number}-{index}", title))


def _segments(explanation: Explanation, rows: pl.DataFrame, text: str | None) -> Iterator[Segment]:
    for row in tables.text_segments(rows, text):
        style, description, ranks = _segment_style(explanation, row)
        length_text = counted(row[c.END] - row[c.START], "character")
        if text is None:
            yield Segment(style, description, ranks, f" {length_text} ")
            continue
        segment_text = text[row[c.START] : row[c.END]]
        if row[c.START] >= len(text):
            yield Segment(style, description, ranks, f" {length_text} beyond the text ")
        elif style or len(segment_text) <= MAX_OTHER:
            yield Segment(style, description, ranks, segment_text)
        else:
            is_first, is_last = row[c.START] == 0, row[c.END] >= len(text)
            yield from _folded_segments(segment_text, is_first=is_first, is_last=is_last)


def _folded_segments(text: str, *, is_first: bool, is_last: bool) -> Iterator[Segment]:
    """Long text that is neither highlighted nor returned: its ends, with the middle folded."""
    head_length, tail_start = 0 if is_first else EDGE, len(text) if is_last else len(text) - EDGE
    description = f"… {counted(tail_start - head_length, 'character')} …"
    yield Segment("", "", "", text[:head_length])
    yield Segment("", description, "", text[head_length:tail_start], folded=True)
    yield Segment("", "", "", text[tail_start:])


def _segment_style(explanation: Explanation, row: Mapping[str, Any]) -> tuple[str, str, str]:
    """The style, description and ranks of a segment."""
    kind = segment_kind(row)
    if kind == c.OTHER:
        return "", "", ""
    if explanation.against is None:
        rank_text = f" at rank {row[c.RANK]:,}" if row[c.RANK] is not None else ""
        return kind, f"{kind}{rank_text}", "" if row[c.RANK] is None else f"{row[c.RANK]:,}"
    ranks = [row[c.RANK], row[c.AGAINST_RANK]]
    rank_mark = " · ".join("–" if rank is None else f"{rank:,}" for rank in ranks)
    finders = [
        f"{sentences.short(run)} at rank {rank:,}"
        for run, rank in zip(explanation.runs, ranks, strict=True)
        if rank is not None
    ]
    style = kind
    if kind == c.FOUND and len(finders) == 1:
        style = c.FIRST if ranks[1] is None else c.SECOND
    description = f"{kind} by {' and by '.join(finders)}" if finders else f"{kind} by both"
    return style, description, rank_mark if finders else ""
