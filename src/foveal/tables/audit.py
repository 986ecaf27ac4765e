"""What comparing a run with the texts of its documents has shown."""

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
        """Whether such a result cannot be scored."""
        return self in UNUSABLE


# Parts that cannot be scored, and why their offsets are unknown.
UNUSABLE = {
    AuditStatus.COPIES: "in several places",
    AuditStatus.LOST: "not in their document",
    AuditStatus.UNKNOWN: "of unknown documents (remove them, or add their documents to --docs)",
    AuditStatus.BEYOND: "beyond the end of their document",
    AuditStatus.INSIDE: "inside a character",
}


@frozen(eq=False, repr=False)
class Audit(Shown):
    """Status of each result of a run, and other facts that its texts show.

    `rows` has line, topic, doc, verdict, shift (by how many characters the text is elsewhere) and
    places (how often it is in its document; 100 means as many or more). `names` are documents named
    otherwise than in the documents given, with their names there; `documents` are the names of those. `loose` is the number of texts
    found only without regard to blanks and U+FFFD; `convertible` that of parts beyond the end of their
    document that would be in it if offsets counted bytes or UTF-16; `rising` counts the topics whose scores rise
    down the list, of `topics`; `repeats` the parts that a topic returns again.
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
        found = dict(self.rows[c.VERDICT].value_counts().iter_rows())
        return {verdict.value: found.get(verdict.value, 0) for verdict in AuditStatus}

    def __getitem__(self, verdict: str) -> int:
        """The number of results with a verdict: audit["shifted"]."""
        return self.counts[verdict]

    @property
    def refused(self) -> pl.Series:
        """The lines of results that cannot be scored."""
        return self.rows.filter(self.rows[c.PROBLEM].is_not_null())[c.LINE]

    def refuse_unplaced(self, source: str, *, but_cut: bool = False) -> None:
        """Refuse a run with parts that have no place, each with its line and the reason.

        Parts that end beyond their document are allowed if they will be cut there, unless their
        offsets seem to count bytes or UTF-16.
        """
        cut = {AuditStatus.BEYOND} if but_cut and not self.convertible else set()
        verdicts = [verdict for verdict in UNUSABLE if verdict not in cut]
        given = self.rows[c.PROBLEM].is_not_null() & self.rows[c.VERDICT].is_in(verdicts)
        rows = self.rows.filter(given).sort(c.LINE)
        if rows.is_empty():
            return
        problems = [
            Problem(line, f"topic {topic!r}: {why}")
            for line, topic, why in rows.select(c.LINE, c.TOPIC, c.PROBLEM).iter_rows()
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
        told = [f"{count:,} {verdict}" for verdict, count in self.counts.items() if count]
        return ", ".join(told) or "no results"

    @property
    def shifts(self) -> str:
        """By how many characters shifted texts are elsewhere, from the least to the most."""
        by = self.rows.filter(self.rows[c.VERDICT] == AuditStatus.SHIFTED.value)[c.SHIFT].abs()
        if by.is_empty():
            return ""
        least, most = int(by.to_numpy().min()), int(by.to_numpy().max())
        return counted(least, "character") if least == most else f"{least:,} to {most:,} characters"

    @property
    def repeated(self) -> int:
        """Results whose stated offsets have the text, which is elsewhere in the document as well."""
        agreed = self.rows[c.VERDICT] == AuditStatus.AGREED.value
        return int((agreed & (self.rows[c.PLACES] > 1)).sum())
