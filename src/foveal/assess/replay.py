"""Replay of an assessor's events on a document, without undone ones, to a judgement."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce

from foveal.assess.events import Event, EventKind
from foveal.frozen import frozen

Spans = tuple[tuple[int, int], ...]
Aspects = tuple[tuple[str, Spans], ...]
"""Names of aspects with their text: disjoint spans, in order; texts of two aspects may overlap."""


@frozen
class Judgement:
    """The highlights of a document, disjoint and in order, its entry point, and whether it is done.

    Aspects are in the order of their first use; their text is always highlighted.
    """

    spans: Spans = ()
    entry: int | None = None
    done: bool = False
    note: str = ""
    aspects: Aspects = ()

    @property
    def content(self) -> tuple[Spans, int | None, frozenset[tuple[str, Spans]]]:
        """The part of the judgement that `done` refers to."""
        return self.spans, self.entry, frozenset(self.aspects)


def replayed(events: Iterable[Event]) -> Judgement:
    """The judgement after one assessor's events on one document, in order.

    An undone event counts as if it had never happened; undoing an undo restores it. A change of text,
    aspects or entry point after `done` cancels it, also one by undoing an earlier event.
    """
    log = list(events)
    indexed = effective(log)
    # Only the last `done` decides: it replaces all earlier ones.
    last = max((index for index, event in indexed if event.kind is EventKind.DONE), default=-1)
    judgement = Judgement()
    for index, event in indexed:
        judgement = _applied(judgement, event)
        if index == last:
            judgement = replace(judgement, done=_still_applies(judgement, log, index))
    return judgement


def _still_applies(judgement: Judgement, log: Sequence[Event], index: int) -> bool:
    """Whether `done` refers to the current content, not to one changed by an undo since."""
    undone_since = any(event.kind is EventKind.UNDO for event in log[index:])
    return not undone_since or _judgement_of(log[:index]).content == judgement.content


def effective(log: Sequence[Event]) -> list[tuple[int, Event]]:
    """The events that are not undone, without undos, each with its index in the log."""
    undone: set[str | None] = set()
    indexed = []
    # Backwards, because the undo of an undo comes after it.
    for index in reversed(range(len(log))):
        event = log[index]
        if event.id in undone:
            continue
        if event.kind is EventKind.UNDO:
            undone.add(event.undoes)
        else:
            indexed.append((index, event))
    return indexed[::-1]


def _judgement_of(log: Sequence[Event]) -> Judgement:
    """The judgement after all events of a log, without `done` being checked."""
    return reduce(_applied, (event for _, event in effective(log)), Judgement())


def _applied(previous: Judgement, event: Event) -> Judgement:
    """The judgement after one more event."""
    judgement = previous
    match event.kind:
        case EventKind.MARK:
            judgement = _after_mark(previous, event)
        case EventKind.UNMARK:
            judgement = _after_unmark(previous, event)
        case EventKind.ENTRY:
            judgement = replace(previous, entry=event.start)
        case EventKind.NO_ENTRY:
            judgement = replace(previous, entry=None)
        case EventKind.UNDONE:
            return replace(previous, done=False)
        case EventKind.NOTE:
            return replace(previous, note=event.value or "")
        case _:
            return previous
    return previous if judgement.content == previous.content else replace(judgement, done=False)


def _after_mark(previous: Judgement, event: Event) -> Judgement:
    """The judgement with more highlighted text, which gets the aspect that the event names, if any."""
    start, stop = _span(event)
    aspects = previous.aspects
    if event.value is not None:
        # A name that exists already keeps its place in the order.
        by_name = dict(aspects)
        by_name[event.value] = with_span(by_name.get(event.value, ()), start, stop)
        aspects = tuple(by_name.items())
    return replace(previous, spans=with_span(previous.spans, start, stop), aspects=aspects)


def _after_unmark(previous: Judgement, event: Event) -> Judgement:
    """The judgement without some text in all aspects, or only in the aspect that the event names."""
    start, stop = _span(event)
    remaining = (
        (name, without_span(spans, start, stop) if event.value in {None, name} else spans)
        for name, spans in previous.aspects
    )
    aspects = tuple((name, spans) for name, spans in remaining if spans)
    spans = previous.spans if event.value is not None else without_span(previous.spans, start, stop)
    return replace(previous, spans=spans, aspects=aspects)


def _span(event: Event) -> tuple[int, int]:
    return event.start or 0, event.stop or 0


def with_span(spans: Spans, start: int, stop: int) -> Spans:
    """Disjoint spans with one more; spans that overlap or touch it are merged with it."""
    if not spans or spans[-1][1] < start:
        return (*spans, (start, stop))
    spans_before = tuple(span for span in spans if span[1] < start)
    spans_after = tuple(span for span in spans if span[0] > stop)
    touching = spans[len(spans_before) : len(spans) - len(spans_after)]
    merged = (min([start, *(a for a, _ in touching)]), max([stop, *(b for _, b in touching)]))
    return (*spans_before, merged, *spans_after)


def without_span(spans: Spans, start: int, stop: int) -> Spans:
    """Disjoint spans without the text of another span."""
    pieces = (piece for a, b in spans for piece in ((a, min(b, start)), (max(a, stop), b)))
    return tuple(piece for piece in pieces if piece[0] < piece[1])
