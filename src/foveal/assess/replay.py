"""What an assessor says about a document: the replay of events, without those that are undone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from foveal.assess.events import Act, Event

Spans = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Judgement:
    """The highlights of a document, disjoint and in order, its entry point, and whether it is done."""

    spans: Spans = ()
    entry: int | None = None
    done: bool = False
    note: str = ""

    @property
    def content(self) -> tuple[Spans, int | None]:
        """What `done` was said about."""
        return self.spans, self.entry


def replayed(events: Iterable[Event]) -> Judgement:
    """The judgement that one assessor's events of one document, in order, make.

    An event that is undone counts as if it had never been; undoing an undo brings it back. A change
    of text or entry point after `done` takes it back, also one that undoes what came before.
    """
    log = list(events)
    kept = effective(log)
    # Only the last `done` decides; what was said before it, it says anew.
    last = max((place for place, event in kept if event.kind is Act.DONE), default=-1)
    found = Judgement()
    for place, event in kept:
        found = _after(found, event)
        if place == last:
            found = replace(found, done=_is_about(found, log, place))
    return found


def _is_about(found: Judgement, log: Sequence[Event], place: int) -> bool:
    """Whether `done` was said about what is there now, not about what was undone since."""
    undone_since = any(event.kind is Act.UNDO for event in log[place:])
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
        if event.kind is Act.UNDO:
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
    spans, entry = before.spans, before.entry
    match event.kind:
        case Act.MARK:
            spans = marked(spans, *_span(event))
        case Act.UNMARK:
            spans = unmarked(spans, *_span(event))
        case Act.ENTRY:
            entry = event.start
        case Act.NO_ENTRY:
            entry = None
        case Act.UNDONE:
            return replace(before, done=False)
        case Act.NOTE:
            return replace(before, note=event.value or "")
        case _:
            return before
    if (spans, entry) == before.content:
        return before
    return Judgement(spans, entry, done=False, note=before.note)


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
