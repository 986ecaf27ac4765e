"""Invented assessors, who have judged a few documents before anybody tries a campaign."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from foveal.assess.campaign import Campaign
from foveal.assess.events import Event, EventKind, digest
from foveal.errors import RefusedEvent

Span = tuple[int, int]
# Milliseconds between two acts of somebody who reads.
PACE = 25_000


class InventedJudgement(NamedTuple):
    """Highlights of an invented assessor in a document."""

    doc: str
    spans: Sequence[Span]


def differing(text: str, spans: Sequence[Span], turn: int) -> list[Span]:
    """What another assessor might highlight: the same, a sentence less, or a sentence more."""
    changed = []
    for start, stop in spans:
        # Where the second sentence begins, and where the one after the last ends.
        later, longer = text.find(". ", start, stop) + 2, text.find(". ", stop) + 1
        if turn % 3 == 1 and 2 <= later < stop:
            changed.append((later, stop))
        elif turn % 3 == 2 and longer:
            changed.append((start, longer))
        else:
            changed.append((start, stop))
    return changed


def rehearse(
    campaign: Campaign,
    topic: str,
    assessor: str,
    opinions: Sequence[InventedJudgement],
    *,
    until: int,
) -> None:
    """Let an assessor judge documents; the last act is at `until`, in milliseconds since 1970."""
    acts = [act for opinion in opinions for act in _acts(campaign, topic, assessor, opinion)]
    begin = until - PACE * (len(acts) - 1)
    timed = [
        Event(**{**act.row(), "kind": act.kind, "at_client": begin + PACE * place})
        for place, act in enumerate(acts)
    ]
    for answer in campaign.append(timed):
        if isinstance(answer, RefusedEvent):
            raise answer


def _acts(
    campaign: Campaign, topic: str, assessor: str, opinion: InventedJudgement
) -> Iterator[Event]:
    """Open a document, highlight, set the entry point at the first highlight, finish."""
    found = campaign.document(opinion.doc)
    text = found.text if found else ""

    def act(kind: EventKind, start: int | None = None, stop: int | None = None) -> Event:
        words = "\n".join(map(str, (assessor, topic, opinion.doc, kind, start, stop)))
        return Event(
            # The same act has the same id, so that it is there once however often it is tried.
            id=hashlib.sha256(words.encode()).hexdigest()[:32],
            assessor=assessor,
            topic=topic,
            doc=opinion.doc,
            kind=kind,
            start=start,
            stop=stop,
            quote_sha256=digest(text[start:stop]) if stop is not None else None,
            tab="invented",
        )

    yield act(EventKind.OPEN)
    for start, stop in opinion.spans:
        yield act(EventKind.MARK, start, stop)
    if opinion.spans:
        yield act(EventKind.ENTRY, min(start for start, _ in opinion.spans))
    yield act(EventKind.DONE)
