"""Rules about results and the texts of their documents, from the comparison in `run.audit`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from foveal.errors import Problem, counted
from foveal.late import pl
from foveal.rules._rule import DOCS, Results, rule, summarised
from foveal.tables import Audit, AuditStatus
from foveal.tables import columns as c

SHOWN_NAMES = 3


def _problems(status: AuditStatus, results: Results) -> Iterable[Problem]:
    """Problems that the audit found in results with a given status."""
    rows = _rows(results, status).filter(pl.col(c.PROBLEM).is_not_null())
    return [Problem(line, reason) for line, reason in rows.select(c.LINE, c.PROBLEM).iter_rows()]


# For these statuses the audit has a sentence for each result.
for _name, _sentence, _status in (
    ("lost-text", "The text of a result is in its document.", AuditStatus.LOST),
    (
        "copied-text",
        "The place of a result's text is known, if the text occurs several times.",
        AuditStatus.COPIES,
    ),
    ("unknown-document", "Every document is among the documents given.", AuditStatus.UNKNOWN),
    (
        "offset-in-character",
        "Offsets that count bytes or UTF-16 are between two characters.",
        AuditStatus.INSIDE,
    ),
):
    rule(_name, _sentence, "error", needs={DOCS})(partial(_problems, _status))


@rule("shifted-offsets", "The stated offsets have the result's text.", "error", needs={DOCS})
def shifted_offsets(results: Results) -> Iterable[Problem]:
    """Results whose text is not at the stated offsets."""
    shifted = _rows(results, AuditStatus.SHIFTED)
    for line, document, shift in shifted.select(c.LINE, c.DOC, c.SHIFT).iter_rows():
        distance = f"{counted(abs(shift), 'character')} {'later' if shift > 0 else 'earlier'}"
        yield Problem(line, f"in document {document!r} the text is {distance} than stated")


@rule("offset-unit", "Offsets count characters.", "error", needs={DOCS})
def offset_unit(results: Results) -> Iterable[Problem]:
    """Results whose offsets fit only if they count bytes or code units of UTF-16."""
    for status in (AuditStatus.BYTES, AuditStatus.UTF16):
        rows = _rows(results, status)
        mismatch = f"the offsets of {counted(rows.height, 'result')} count {status}, not characters"
        yield from summarised(rows, f"{mismatch}: --count {status} converts them")


@rule("document-names", "Documents have the names of the documents given.", "warning", needs={DOCS})
def document_names(results: Results) -> Iterable[Problem]:
    """Documents named by a path, or with or without an ending."""
    names = _audit(results).names
    rows = results.run.frame.filter(pl.col(c.DOC).is_in(list(names)))
    text = ", ".join(f"{name!r} for {doc!r}" for name, doc in list(names.items())[:SHOWN_NAMES])
    ellipsis = ", …" if len(names) > SHOWN_NAMES else ""
    return summarised(rows, f"{counted(len(names), 'document')} named otherwise: {text}{ellipsis}")


@rule("missing-offsets", "Results state their offsets.", "note", needs={DOCS})
def missing_offsets(results: Results) -> Iterable[Problem]:
    """Results without offsets that were placed by their text."""
    rows = _rows(results, AuditStatus.FOUND)
    return summarised(rows, f"{counted(rows.height, 'result')} without offsets, found by the text")


@rule("blank-edges", "Offsets and text agree on blanks at the edges.", "note", needs={DOCS})
def blank_edges(results: Results) -> Iterable[Problem]:
    """Results whose offsets and text differ by blanks at the edges."""
    rows = _rows(results, AuditStatus.EDGES)
    count = counted(rows.height, "result")
    return summarised(rows, f"the offsets of {count} differ from the text by blanks at its edges")


@rule("unproven-place", "A text that agrees with its offsets occurs once.", "note", needs={DOCS})
def unproven_place(results: Results) -> Iterable[Problem]:
    """Results whose text is at their offsets and occurs elsewhere in the document, too."""
    rows = _rows(results, AuditStatus.AGREED).filter(pl.col(c.PLACES) > 1)
    text = counted(rows.height, "result")
    return summarised(rows, f"{text} at one of several places of the text: the stated one is taken")


@rule("rising-scores", "Scores fall down the list.", "warning", needs={DOCS})
def rising_scores(results: Results) -> Iterable[Problem]:
    """Topics whose scores rise, as distances do."""
    audit = _audit(results)
    if not audit.rising:
        return []
    share = f"{audit.rising:,} of {counted(audit.topics, 'topic')}"
    return [Problem(None, f"scores rise down the list in {share}: distances?")]


@rule("repeated-part", "A topic returns a part once.", "warning", needs={DOCS})
def repeated_part(results: Results) -> Iterable[Problem]:
    """Parts that a topic returns again."""
    # All parts without offsets are at -1.
    placed = results.frame.filter(pl.col(c.START) >= 0)
    repeated = placed.filter(~pl.struct(c.TOPIC, c.DOC, c.START, c.END).is_first_distinct())
    count = counted(repeated.height, "result")
    return summarised(repeated, f"{count} with the place of an earlier result of the topic")


def _audit(results: Results) -> Audit:
    # The rules of this file are only checked for runs with an audit.
    return results.run.audit or Audit(pl.DataFrame())


def _rows(results: Results, status: AuditStatus) -> pl.DataFrame:
    return _audit(results).rows.filter(pl.col(c.VERDICT) == status.value)
