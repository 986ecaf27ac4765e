"""Invented assessors, whose judgements are in a campaign that is made to try the page."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from foveal.assess.campaign import Campaign
from foveal.assess.events import Event, EventKind, digest
from foveal.errors import RefusedEvent

Span = tuple[int, int]
# Milliseconds between two events of an invented assessor.
INTERVAL = 25_000


class InventedJudgement(NamedTuple):
    """Highlights of an invented assessor in a document."""

    doc: str
    spans: Sequence[Span]


def varied_spans(text: str, spans: Sequence[Span], variant: int) -> list[Span]:
    """Highlights as another assessor might set them: the same, a sentence less, or a sentence more."""
    varied = []
    for start, stop in spans:
        # The start of the second sentence, and the end of the sentence after the last.
        second_sentence, end_of_next = text.find(". ", start, stop) + 2, text.find(". ", stop) + 1
        if variant % 3 == 1 and 2 <= second_sentence < stop:
            varied.append((second_sentence, stop))
        elif variant % 3 == 2 and end_of_next:
            varied.append((start, end_of_next))
        else:
            varied.append((start, stop))
    return varied


def append_invented(
    campaign: Campaign,
    topic: str,
    assessor: str,
    judgements: Sequence[InventedJudgement],
    *,
    until: int,
) -> None:
    """Append judgements as events of an assessor; the last is at `until`, in ms since 1970."""
    acts = [act for judged in judgements for act in _events_of(campaign, topic, assessor, judged)]
    start = until - INTERVAL * (len(acts) - 1)
    timed_events = [
        Event(**{**act.row(), "kind": act.kind, "at_client": start + INTERVAL * index})
        for index, act in enumerate(acts)
    ]
    for result in campaign.append(timed_events):
        if isinstance(result, RefusedEvent):
            raise result


def _events_of(
    campaign: Campaign, topic: str, assessor: str, judgement: InventedJudgement
) -> Iterator[Event]:
    """Events that open a document, highlight, set the entry point at the first highlight, finish."""
    document = campaign.document(judgement.doc)
    text = document.text if document else ""

    def event(kind: EventKind, start: int | None = None, stop: int | None = None) -> Event:
        identity = "\n".join(map(str, (assessor, topic, judgement.doc, kind, start, stop)))
        return Event(
            # The same event has the same id, so that it is stored once however often it is appended.
            id=hashlib.sha256(identity.encode()).hexdigest()[:32],
            assessor=assessor,
            topic=topic,
            doc=judgement.doc,
            kind=kind,
            start=start,
            stop=stop,
            quote_sha256=digest(text[start:stop]) if stop is not None else None,
            tab="invented",
        )

    yield event(EventKind.OPEN)
    for start, stop in judgement.spans:
        yield event(EventKind.MARK, start, stop)
    if judgement.spans:
        yield event(EventKind.ENTRY, min(start for start, _ in judgement.spans))
    yield event(EventKind.DONE)
