"""What an assessor says about a document: the replay of events, without those that are undone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from foveal.assess.events import Event, EventKind
from foveal.frozen import frozen

Spans = tuple[tuple[int, int], ...]
Aspects = tuple[tuple[str, Spans], ...]
"""Names, each with the text that has this aspect: disjoint spans, in order; texts may overlap."""


@frozen
class Judgement:
    """The highlights of a document, disjoint and in order, its entry point, and whether it is done.

    Aspects are in the order of their first use, and have highlighted text alone.
    """

    spans: Spans = ()
    entry: int | None = None
    done: bool = False
    note: str = ""
    aspects: Aspects = ()

    @property
    def content(self) -> tuple[Spans, int | None, frozenset[tuple[str, Spans]]]:
        """What `done` was said about."""
        return self.spans, self.entry, frozenset(self.aspects)


def replayed(events: Iterable[Event]) -> Judgement:
    """The judgement that one assessor's events of one document, in order, make.

    An event that is undone counts as if it had never been; undoing an undo brings it back. A change
    of text, aspects or entry point after `done` takes it back, also one that undoes what came before.
    """
    log = list(events)
    kept = effective(log)
    # Only the last `done` decides; what was said before it, it says anew.
    last = max((place for place, event in kept if event.kind is EventKind.DONE), default=-1)
    found = Judgement()
    for place, event in kept:
        found = _after(found, event)
        if place == last:
            found = replace(found, done=_is_about(found, log, place))
    return found


def _is_about(found: Judgement, log: Sequence[Event], place: int) -> bool:
    """Whether `done` was said about what is there now, not about what was undone since."""
    undone_since = any(event.kind is EventKind.UNDO for event in log[place:])
    return not undone_since or _at(log[:place]).content == found.content


def effective(log: Sequence[Event]) -> list[tuple[int, Event]]:
    """The events that are not undone, without undos, each with its place in the log."""
    undone: set[str | None] = set()
    kept = []
    # Backwards: whatever undoes an undo comes after it.
    for place in reversed(range(len(log))):
        event = log[place]
        if event.id in undone:
            continue
        if event.kind is EventKind.UNDO:
            undone.add(event.undoes)
        else:
            kept.append((place, event))
    return kept[::-1]


def _at(log: Sequence[Event]) -> Judgement:
    """What was highlighted when the log had come so far."""
    found = Judgement()
    for _, event in effective(log):
        found = _after(found, event)
    return found


def _after(before: Judgement, event: Event) -> Judgement:
    """The judgement after one more event, which may change nothing."""
    found = before
    match event.kind:
        case EventKind.MARK:
            found = _marked(before, event)
        case EventKind.UNMARK:
            found = _unmarked(before, event)
        case EventKind.ENTRY:
            found = replace(before, entry=event.start)
        case EventKind.NO_ENTRY:
            found = replace(before, entry=None)
        case EventKind.UNDONE:
            return replace(before, done=False)
        case EventKind.NOTE:
            return replace(before, note=event.value or "")
        case _:
            return before
    return before if found.content == before.content else replace(found, done=False)


def _marked(before: Judgement, event: Event) -> Judgement:
    """More text, which has an aspect if the event names one."""
    start, stop = _span(event)
    aspects = before.aspects
    if event.value is not None:
        # Of a name that is there already, the place stays.
        by_name = dict(aspects)
        by_name[event.value] = marked(by_name.get(event.value, ()), start, stop)
        aspects = tuple(by_name.items())
    return replace(before, spans=marked(before.spans, start, stop), aspects=aspects)


def _unmarked(before: Judgement, event: Event) -> Judgement:
    """Less text, and so less of every aspect; or less of the one that the event names alone."""
    start, stop = _span(event)
    left = (
        (name, unmarked(spans, start, stop) if event.value in {None, name} else spans)
        for name, spans in before.aspects
    )
    aspects = tuple((name, spans) for name, spans in left if spans)
    spans = before.spans if event.value is not None else unmarked(before.spans, start, stop)
    return replace(before, spans=spans, aspects=aspects)


def _span(event: Event) -> tuple[int, int]:
    return event.start or 0, event.stop or 0


def marked(spans: Spans, start: int, stop: int) -> Spans:
    """Disjoint spans and one more; those that it touches are joined with it."""
    if not spans or spans[-1][1] < start:
        return (*spans, (start, stop))
    before = tuple(span for span in spans if span[1] < start)
    after = tuple(span for span in spans if span[0] > stop)
    met = spans[len(before) : len(spans) - len(after)]
    joined = (min([start, *(a for a, _ in met)]), max([stop, *(b for _, b in met)]))
    return (*before, joined, *after)


def unmarked(spans: Spans, start: int, stop: int) -> Spans:
    """What is left of disjoint spans outside of another."""
    pieces = (piece for a, b in spans for piece in ((a, min(b, start)), (max(a, stop), b)))
    return tuple(piece for piece in pieces if piece[0] < piece[1])
