"""What a campaign's log says, against sets of characters that are worked out from scratch."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foveal.assess import Campaign, Event, EventKind
from foveal.errors import RefusedEvent
from tests.campaigns import act, campaign_at
from tests.examples import examples
from tests.logs import DOCUMENTS, PEOPLE, logs

Characters = frozenset[int]
Content = tuple[Characters, int | None, dict[str, Characters]]


@dataclass(frozen=True)
class Log:
    """One assessor's events of one document, and which of them count."""

    events: tuple[Event, ...]

    def counts(self, place: int) -> bool:
        """An event counts unless an undo of it does, which is later in the log."""
        own = self.events[place].id
        later = range(place + 1, len(self.events))
        return not any(self.events[at].undoes == own and self._counts(at) for at in later)

    @cache  # noqa: B019  # logs are small, and gone with the test
    def _counts(self, place: int) -> bool:
        return self.counts(place)

    def counting(self, *kinds: EventKind, before: int | None = None) -> list[tuple[int, Event]]:
        """Events of some kinds that count, those before a place alone."""
        end = len(self.events) if before is None else before
        found = enumerate(self.events[:end])
        return [(at, event) for at, event in found if event.kind in kinds and self._counts(at)]

    def content(self, before: int | None = None) -> Content:
        """Each character is as the last act on it says; the entry point as the last one on it."""
        acts = [
            event for _, event in self.counting(EventKind.MARK, EventKind.UNMARK, before=before)
        ]
        # An unmark of an aspect leaves the text; of an aspect, acts on other aspects say nothing.
        text = [one for one in acts if one.kind is EventKind.MARK or one.value is None]
        aspects = {
            name: _chosen([one for one in acts if one.value == name or _is_removal(one)])
            for name in {one.value for one in acts}
            if name is not None
        }
        points = [
            event.start
            for _, event in self.counting(EventKind.ENTRY, EventKind.NO_ENTRY, before=before)
        ]
        present = {name: characters for name, characters in aspects.items() if characters}
        return _chosen(text), points[-1] if points else None, present

    def is_done(self) -> bool:
        """The last word is "done", and what was judged then has been so ever since."""
        words = self.counting(EventKind.DONE, EventKind.UNDONE)
        if not words or words[-1][1].kind is EventKind.UNDONE:
            return False
        said_at = words[-1][0]
        seen = Log(self.events[:said_at]).content()
        return all(self.content(at) == seen for at in range(said_at, len(self.events) + 1))


def _is_removal(event: Event) -> bool:
    return event.kind is EventKind.UNMARK and event.value is None


def _chosen(acts: Sequence[Event]) -> Characters:
    """The characters of which the last act on them is a mark."""
    reach = max((event.stop or 0 for event in acts), default=0)
    found = set()
    for character in range(reach):
        on_it = [one for one in acts if (one.start or 0) <= character < (one.stop or 0)]
        if on_it and on_it[-1].kind is EventKind.MARK:
            found.add(character)
    return frozenset(found)


def _characters(spans: Sequence[tuple[int, int]]) -> Characters:
    """What disjoint spans hold, which neither touch nor are empty."""
    assert all(a < b for a, b in spans)
    assert all(one[1] < other[0] for one, other in pairwise(spans)), "they touch"
    return frozenset(at for a, b in spans for at in range(a, b))


def assert_is_told(campaign: Campaign, log: Sequence[Event]) -> None:
    """The campaign says of every assessor and document what the oracle says."""
    for assessor in PEOPLE:
        for doc in DOCUMENTS:
            own = [one for one in log if (one.assessor, one.doc) == (assessor, doc)]
            expected = Log(tuple(own))
            found = campaign.judgement(assessor, "1", doc)
            aspects = {name: _characters(spans) for name, spans in found.aspects}
            assert (_characters(found.spans), found.entry, aspects) == expected.content()
            assert len(aspects) == len(found.aspects)
            assert found.done == expected.is_done()
            notes = [one.value for one in own if one.kind is EventKind.NOTE]
            assert found.note == (notes[-1] if notes else "")


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Campaign]:
    with campaign_at(tmp_path_factory.mktemp("oracle")) as campaign:
        yield campaign


def copied(campaign: Campaign) -> Campaign:
    """A copy in memory, so that examples do not see each other."""
    memory = sqlite3.connect(":memory:", isolation_level=None)
    campaign.connection.backup(memory)
    return Campaign(Path("memory"), memory)


@given(log=logs(), data=st.data())
@examples(300)
def test_a_log_that_was_sent_with_repeats_says_what_the_sets_say(
    empty: Campaign, log: list[Event], data: st.DataObject
) -> None:
    with copied(empty) as campaign:
        sent = 0
        while sent < len(log):
            size = data.draw(st.integers(1, len(log) - sent), label="new")
            # After a lost answer a page sends again, perhaps from another tab.
            again = data.draw(st.integers(0, sent), label="again from")
            batch = [*log[again:sent], *log[sent : sent + size]]
            if data.draw(st.booleans(), label="doubled"):
                batch += [replace(one, tab="other", at_client=7) for one in batch]
            answers = campaign.append(batch)
            assert not [one for one in answers if isinstance(one, RefusedEvent)]
            sent += size
        assert [replace(one, number=0, at_server=0) for one in campaign.events()] == log
        assert_is_told(campaign, log)


@given(log=logs(), data=st.data())
@examples(50)
def test_refused_acts_change_nothing(
    empty: Campaign, log: list[Event], data: st.DataObject
) -> None:
    with copied(empty) as campaign:
        taken = []
        for event in log:
            stranger = "bob" if event.assessor == "ann" else "ann"
            bad = [
                act("undo", undoes=event.id, assessor=stranger, doc=event.doc),
                act("mark", start=0, stop=4, doc=event.doc, quote_sha256="0" * 64),
                replace(event, value="other")
                if event.kind is EventKind.MARK
                else act("done", topic="2"),
            ]
            chosen = data.draw(st.sampled_from(bad), label="refused")
            answers = campaign.append([event, chosen])
            assert isinstance(answers[0], int)
            assert isinstance(answers[1], RefusedEvent)
            taken.append(event)
        assert_is_told(campaign, taken)
