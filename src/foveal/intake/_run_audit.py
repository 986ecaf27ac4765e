"""The audit of a run: findings about its texts, names, scores and repeated results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from foveal.choices import Copies, OffsetUnit
from foveal.errors import counted
from foveal.intake._placement import Placements
from foveal.late import pl
from foveal.tables import Audit, AuditStatus, InfoNote
from foveal.tables import columns as c

SHOWN_NAMES = 3
_OTHER_UNIT = (
    "offsets of {0} corrected: they count {1}, not characters (--count {1} converts all of them)"
)

_UNPROVEN = "; the list of all chunks (--chunks) would prove them"


def audit_of(frame: pl.DataFrame, placements: Placements, documents: frozenset[str]) -> Audit:
    """Audit of a run's results, which are in the order of their ranking in each topic.

    `documents` are the ids of all documents that they were compared with.
    """
    rows = frame.select(c.LINE, c.TOPIC, c.DOC).with_columns(
        placements.rows.select(c.VERDICT, c.SHIFT, c.PLACES, c.PROBLEM)
    )
    rise = pl.col(c.SCORE).diff()
    rising = frame.group_by(c.TOPIC).agg(((rise >= 0).all() & (rise > 0).any()).alias(c.RISE))
    span = pl.struct(c.TOPIC, c.DOCUMENT, c.FOUND_START, c.FOUND_END)
    spans = placements.rows.with_columns(frame[c.TOPIC]).filter(pl.col(c.FOUND_START).is_not_null())
    return Audit(
        rows,
        names=placements.names,
        documents=documents,
        loose=int(placements.rows[c.LOOSE].sum()),
        convertible=int(placements.rows[c.CONVERTIBLE].sum()),
        rising=int(rising[c.RISE].sum()),
        topics=rising.height,
        repeats=spans.select((~span.is_first_distinct()).sum()).item(),
    )


def noted(audit: Audit, placements: Placements, *, unit: OffsetUnit, copies: Copies) -> Audit:
    """The audit with its notes for the reader of the scores."""
    return replace(audit, notes=tuple(_notes(audit, placements, unit=unit, copies=copies)))


def passage_notes(placements: Placements, copies: Copies) -> tuple[str, ...]:
    """Notes for the reader of the scores about judged passages compared with documents."""
    audit = Audit(
        placements.rows, names=placements.names, loose=int(placements.rows[c.LOOSE].sum())
    )
    notes = _notes(audit, placements, unit=OffsetUnit.CHARACTERS, copies=copies, noun="passage")
    return tuple(notes)


def _notes(
    audit: Audit, placements: Placements, *, unit: OffsetUnit, copies: Copies, noun: str = "result"
) -> Iterator[str]:
    """Notes for the reader of the scores: offsets that differ from those stated."""
    if audit.names:
        yield InfoNote(_renamed_documents(audit))
    if unit is not OffsetUnit.CHARACTERS:
        yield InfoNote(
            f"offsets are converted from {unit.value} to characters (--count {unit.value})"
        )
    first = audit[AuditStatus.COPIES] if copies is Copies.FIRST else 0
    for count, note in (
        (audit[AuditStatus.FOUND], InfoNote("{} placed by the text: no offsets were stated")),
        (
            audit[AuditStatus.SHIFTED],
            f"offsets of {{}} corrected by {audit.shifts}: the text is elsewhere than stated",
        ),
        (audit[AuditStatus.BYTES], _OTHER_UNIT.format("{}", OffsetUnit.BYTES)),
        (audit[AuditStatus.UTF16], _OTHER_UNIT.format("{}", OffsetUnit.UTF16)),
        (
            audit[AuditStatus.EDGES],
            InfoNote("offsets of {} corrected by blanks at the edges of the text"),
        ),
        (first, "{} placed at the first of several places of the text (--copies first)"),
        (
            audit.repeated,
            "the text of {} occurs more than once in its document: the stated offsets are used"
            + ("" if placements.is_listed else _UNPROVEN),
        ),
        (audit.loose, InfoNote("{} compared without regard to blanks and U+FFFD")),
    ):
        if count:
            yield type(note)(note.format(counted(count, noun)))
    yield from placements.notes


def _renamed_documents(audit: Audit) -> str:
    names = [f"{name!r} is {actual!r}" for name, actual in list(audit.names.items())[:SHOWN_NAMES]]
    dots = ", …" if len(audit.names) > SHOWN_NAMES else ""
    documents = counted(len(audit.names), "document")
    return f"{documents} named otherwise than in the documents given: {', '.join(names)}{dots}"
