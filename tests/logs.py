"""Logs of assessors' acts for Hypothesis: marks, entry points, finishing, chains of undo."""

from __future__ import annotations

from itertools import count
from typing import Any

from hypothesis import strategies as st

from foveal.assess import Event, EventKind
from tests.campaigns import TEXTS, act

DOCUMENTS = ("plain", "stones")
PEOPLE = ("ann", "bob")
# Most acts are by one person on one document, so that they have to do with each other.
WHERE = [("ann", "plain"), ("ann", "plain"), ("ann", "plain"), ("ann", "stones"), ("bob", "plain")]
# Long ones are as usual as short ones: what undo does to "done" takes many acts to see.
LENGTHS = (0, 1, 2, 3, 4, 6, 8, 12, 18, 25)
# Few places, so that spans meet, touch and repeat; chances, not choices: marks and undo are usual.
PLACES = (0, 1, 4, 5, 9, 10, 20)
KINDS = (
    EventKind.MARK, EventKind.MARK, EventKind.MARK, EventKind.UNMARK, EventKind.UNMARK, EventKind.UNDO, EventKind.UNDO, EventKind.UNDO, EventKind.UNDO,
    EventKind.DONE, EventKind.DONE, EventKind.DONE, EventKind.UNDONE, EventKind.ENTRY, EventKind.NO_ENTRY, EventKind.NOTE, EventKind.OPEN,
)  # fmt: skip
# Most text has no aspect; an unmark that names one takes that one away.
ASPECTS = (None, None, None, "what fish do", "where <b>", "где 🐟")
CAN_BE_UNDONE = (
    EventKind.MARK, EventKind.UNMARK, EventKind.ENTRY, EventKind.NO_ENTRY, EventKind.DONE, EventKind.UNDONE, EventKind.UNDO,
)  # fmt: skip

_numbers = count(1)


@st.composite
def logs(draw: st.DrawFn) -> list[Event]:
    """Acts that a campaign accepts, by two people on two documents, in order."""
    log: list[Event] = []
    for _ in range(draw(st.sampled_from(LENGTHS))):
        assessor, doc = draw(st.sampled_from(WHERE))
        where = {"assessor": assessor, "doc": doc}
        kind = draw(st.sampled_from(KINDS))
        own = [one.id for one in log if _is_undoable(one, where)]
        if kind is EventKind.UNDO and not own:
            kind = EventKind.MARK
        # From the end: what came last is undone most often.
        undoes = draw(st.sampled_from(own[::-1])) if kind is EventKind.UNDO else None
        log.append(_event(draw, kind, undoes, where))
    return log


def _is_undoable(event: Event, where: dict[str, str]) -> bool:
    is_here = event.assessor == where["assessor"] and event.doc == where["doc"]
    return is_here and event.kind in CAN_BE_UNDONE


def _event(draw: st.DrawFn, kind: EventKind, undoes: str | None, where: dict[str, str]) -> Event:
    fields: dict[str, Any] = {"undoes": undoes, "id": f"logged-{next(_numbers):08d}", **where}
    if kind in {EventKind.MARK, EventKind.UNMARK}:
        fields["start"], fields["stop"] = sorted(
            draw(st.lists(st.sampled_from(PLACES), min_size=2, max_size=2, unique=True))
        )
        fields["value"] = draw(st.sampled_from(ASPECTS))
    elif kind is EventKind.ENTRY:
        fields["start"] = draw(st.sampled_from([*PLACES, len(TEXTS[where["doc"]])]))
    elif kind is EventKind.NOTE:
        fields["value"] = draw(st.sampled_from(["", "odd", "a 🐟"]))
    return act(kind, **fields)
