"""Result of comparing a run with the texts of its documents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property

from foveal.choices import ExplainedVocabulary
from foveal.errors import BadInput, Problem, counted
from foveal.frozen import frozen
from foveal.late import pl
from foveal.shown import Shown
from foveal.tables import _columns as c


class AuditStatus(ExplainedVocabulary, option="verdict"):
    """Outcome of comparing the offsets of a result with the text of its document."""

    AGREED = "agreed", "the stated offsets have the text"
    FOUND = "found", "no offsets were stated; the text has one place in the document"
    SHIFTED = "shifted", "the text is elsewhere than stated"
    EDGES = "blank edges", "the stated offsets differ from the text by blanks at its edges"
    BYTES = "bytes", "the stated offsets fit the text if they count bytes of UTF-8"
    UTF16 = "utf16", "the stated offsets fit the text if they count code units of UTF-16"
    COPIES = "copies", "the text occurs several times, and nothing says which is meant"
    LOST = "lost", "the text is not in the document"
    UNKNOWN = "unknown", "the document is not among the documents given"
    BEYOND = "beyond", "the part ends beyond the end of the document"
    INSIDE = "inside", "a stated offset is inside a character, or beyond the end, as counted"
    UNCHECKED = "unchecked", "no text to compare with the offsets"

    @property
    def is_unusable(self) -> bool:
        """Whether a result of this status cannot be scored."""
        return self in UNUSABLE


# Parts that cannot be scored, and the reason.
UNUSABLE = {
    AuditStatus.COPIES: "in several places",
    AuditStatus.LOST: "not in their document",
    AuditStatus.UNKNOWN: "of unknown documents (remove them, or add their documents to --docs)",
    AuditStatus.BEYOND: "beyond the end of their document",
    AuditStatus.INSIDE: "inside a character",
}


@frozen(eq=False, repr=False)
class Audit(Shown):
    """Status of each result of a run, and other facts learnt from its texts.

    `rows` has line, topic, doc, verdict, shift (by how many characters the text is elsewhere) and
    places (how often it is in its document; 100 means as many or more). `names` maps names in the run
    to different names in the given documents, and `documents` are the names of these. `loose` is the
    number of texts found only if blanks and U+FFFD are ignored; `convertible` that of parts beyond
    the end of their document that would be in it if offsets counted bytes or UTF-16; `rising` counts
    the topics, of `topics`, whose scores rise down the list; `repeats` the parts that a topic returns
    again.
    """

    rows: pl.DataFrame
    names: Mapping[str, str] = field(default_factory=dict)
    documents: frozenset[str] = frozenset()
    loose: int = 0
    convertible: int = 0
    rising: int = 0
    topics: int = 0
    repeats: int = 0
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @cached_property
    def counts(self) -> dict[str, int]:
        """The number of results with each verdict."""
        count_of = dict(self.rows[c.VERDICT].value_counts().iter_rows())
        return {verdict.value: count_of.get(verdict.value, 0) for verdict in AuditStatus}

    def __getitem__(self, verdict: str) -> int:
        """The number of results with a verdict: audit["shifted"]."""
        return self.counts[verdict]

    @property
    def refused(self) -> pl.Series:
        """The lines of results that cannot be scored."""
        return self.rows.filter(self.rows[c.PROBLEM].is_not_null())[c.LINE]

    def refuse_unplaced(self, source: str, *, but_cut: bool = False) -> None:
        """Refuse a run with parts that cannot be located, each with its line and the reason.

        Parts that end beyond their document are allowed if `but_cut` says that they will be cut there,
        unless their offsets seem to count bytes or UTF-16.
        """
        allowed = {AuditStatus.BEYOND} if but_cut and not self.convertible else set()
        verdicts = [verdict for verdict in UNUSABLE if verdict not in allowed]
        is_refused = self.rows[c.PROBLEM].is_not_null() & self.rows[c.VERDICT].is_in(verdicts)
        rows = self.rows.filter(is_refused).sort(c.LINE)
        if rows.is_empty():
            return
        problems = [
            Problem(line, f"topic {topic!r}: {reason}")
            for line, topic, reason in rows.select(c.LINE, c.TOPIC, c.PROBLEM).iter_rows()
        ]
        error = BadInput(source, problems)
        kinds = [f"{self[verdict]:,} {UNUSABLE[verdict]}" for verdict in verdicts if self[verdict]]
        error.lead_with(
            f"{source}: {len(problems):,} of {counted(self.rows.height, 'result')} cannot be placed:"
            f" {', '.join(kinds)}"
        )
        raise error

    @property
    def summary(self) -> str:
        """The verdicts that occur, with their numbers."""
        parts = [f"{count:,} {verdict}" for verdict, count in self.counts.items() if count]
        return ", ".join(parts) or "no results"

    @property
    def shifts(self) -> str:
        """The smallest and largest shift as text; empty if no text is shifted."""
        shifts = self.rows.filter(self.rows[c.VERDICT] == AuditStatus.SHIFTED.value)[c.SHIFT].abs()
        if shifts.is_empty():
            return ""
        low, high = int(shifts.to_numpy().min()), int(shifts.to_numpy().max())
        return counted(low, "character") if low == high else f"{low:,} to {high:,} characters"

    @property
    def repeated(self) -> int:
        """The number of results whose text is at the stated offsets and elsewhere in the document as well."""
        is_agreed = self.rows[c.VERDICT] == AuditStatus.AGREED.value
        return int((is_agreed & (self.rows[c.PLACES] > 1)).sum())
