"""Logs of assessors' acts for Hypothesis: marks, entry points, finishing, chains of undo."""

from __future__ import annotations

from itertools import count
from typing import Any

from hypothesis import strategies as st

from foveal.assess import Act, Event
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
    Act.MARK, Act.MARK, Act.MARK, Act.UNMARK, Act.UNMARK, Act.UNDO, Act.UNDO, Act.UNDO, Act.UNDO,
    Act.DONE, Act.DONE, Act.DONE, Act.UNDONE, Act.ENTRY, Act.NO_ENTRY, Act.NOTE, Act.OPEN,
)  # fmt: skip
# Most text has no aspect; an unmark that names one takes that one away.
ASPECTS = (None, None, None, "what fish do", "where <b>", "где 🐟")
CAN_BE_UNDONE = (
    Act.MARK, Act.UNMARK, Act.ENTRY, Act.NO_ENTRY, Act.DONE, Act.UNDONE, Act.UNDO,
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
        if kind is Act.UNDO and not own:
            kind = Act.MARK
        # From the end: what came last is undone most often.
        undoes = draw(st.sampled_from(own[::-1])) if kind is Act.UNDO else None
        log.append(_event(draw, kind, undoes, where))
    return log


def _is_undoable(event: Event, where: dict[str, str]) -> bool:
    is_here = event.assessor == where["assessor"] and event.doc == where["doc"]
    return is_here and event.kind in CAN_BE_UNDONE


def _event(draw: st.DrawFn, kind: Act, undoes: str | None, where: dict[str, str]) -> Event:
    fields: dict[str, Any] = {"undoes": undoes, "id": f"logged-{next(_numbers):08d}", **where}
    if kind in {Act.MARK, Act.UNMARK}:
        fields["start"], fields["stop"] = sorted(
            draw(st.lists(st.sampled_from(PLACES), min_size=2, max_size=2, unique=True))
        )
        fields["value"] = draw(st.sampled_from(ASPECTS))
    elif kind is Act.ENTRY:
        fields["start"] = draw(st.sampled_from([*PLACES, len(TEXTS[where["doc"]])]))
    elif kind is Act.NOTE:
        fields["value"] = draw(st.sampled_from(["", "odd", "a 🐟"]))
    return act(kind, **fields)
