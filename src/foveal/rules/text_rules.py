"""The rules about results and the texts of their documents, which `run.audit` has compared."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from foveal.errors import Problem, counted
from foveal.late import pl
from foveal.rules._rule import DOCS, Results, rule, summarised
from foveal.tables import Audit, AuditStatus
from foveal.tables import columns as c

SHOWN_NAMES = 3


def _problems(verdict: AuditStatus, results: Results) -> Iterable[Problem]:
    """What the audit says of each result with a verdict."""
    rows = _rows(results, verdict).filter(pl.col(c.PROBLEM).is_not_null())
    return [Problem(line, why) for line, why in rows.select(c.LINE, c.PROBLEM).iter_rows()]


# The audit has said already what is wrong with each result of these verdicts.
for _name, _sentence, _verdict in (
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
    rule(_name, _sentence, "error", needs={DOCS})(partial(_problems, _verdict))


@rule("shifted-offsets", "The stated offsets have the result's text.", "error", needs={DOCS})
def shifted_offsets(results: Results) -> Iterable[Problem]:
    """Results whose text is elsewhere than stated."""
    shifted = _rows(results, AuditStatus.SHIFTED)
    for line, document, shift in shifted.select(c.LINE, c.DOC, c.SHIFT).iter_rows():
        by = f"{counted(abs(shift), 'character')} {'later' if shift > 0 else 'earlier'}"
        yield Problem(line, f"in document {document!r} the text is {by} than stated")


@rule("offset-unit", "Offsets count characters.", "error", needs={DOCS})
def offset_unit(results: Results) -> Iterable[Problem]:
    """Results whose offsets fit only if they count bytes or code units of UTF-16."""
    for verdict in (AuditStatus.BYTES, AuditStatus.UTF16):
        rows = _rows(results, verdict)
        some = f"the offsets of {counted(rows.height, 'result')} count {verdict}, not characters"
        yield from summarised(rows, f"{some}: --count {verdict} converts them")


@rule("document-names", "Documents have the names of the documents given.", "warning", needs={DOCS})
def document_names(results: Results) -> Iterable[Problem]:
    """Documents named by a path, or with or without an ending."""
    names = _audit(results).names
    rows = results.run.frame.filter(pl.col(c.DOC).is_in(list(names)))
    shown = ", ".join(f"{name!r} for {own!r}" for name, own in list(names.items())[:SHOWN_NAMES])
    more = ", …" if len(names) > SHOWN_NAMES else ""
    return summarised(rows, f"{counted(len(names), 'document')} named otherwise: {shown}{more}")


@rule("missing-offsets", "Results state their offsets.", "note", needs={DOCS})
def missing_offsets(results: Results) -> Iterable[Problem]:
    """Results that only their text places."""
    rows = _rows(results, AuditStatus.FOUND)
    return summarised(rows, f"{counted(rows.height, 'result')} without offsets, found by the text")


@rule("blank-edges", "Offsets and text agree on blanks at the edges.", "note", needs={DOCS})
def blank_edges(results: Results) -> Iterable[Problem]:
    """Results whose offsets and text differ by blanks at the edges."""
    rows = _rows(results, AuditStatus.EDGES)
    some = counted(rows.height, "result")
    return summarised(rows, f"the offsets of {some} differ from the text by blanks at its edges")


@rule("unproven-place", "A text that agrees with its offsets occurs once.", "note", needs={DOCS})
def unproven_place(results: Results) -> Iterable[Problem]:
    """Results whose offsets have the text, as other places of the document do."""
    rows = _rows(results, AuditStatus.AGREED).filter(pl.col(c.PLACES) > 1)
    some = counted(rows.height, "result")
    return summarised(rows, f"{some} at one of several places of the text: the stated one is taken")


@rule("rising-scores", "Scores fall down the list.", "warning", needs={DOCS})
def rising_scores(results: Results) -> Iterable[Problem]:
    """Topics whose scores rise, as distances do."""
    audit = _audit(results)
    if not audit.rising:
        return []
    some = f"{audit.rising:,} of {counted(audit.topics, 'topic')}"
    return [Problem(None, f"scores rise down the list in {some}: distances?")]


@rule("repeated-part", "A topic returns a part once.", "warning", needs={DOCS})
def repeated_part(results: Results) -> Iterable[Problem]:
    """Parts that a topic returns again."""
    # Parts without a place are all at -1.
    placed = results.frame.filter(pl.col(c.START) >= 0)
    again = placed.filter(~pl.struct(c.TOPIC, c.DOC, c.START, c.END).is_first_distinct())
    some = counted(again.height, "result")
    return summarised(again, f"{some} with the place of an earlier result of the topic")


def _audit(results: Results) -> Audit:
    # Every rule here needs one.
    return results.run.audit or Audit(pl.DataFrame())


def _rows(results: Results, verdict: AuditStatus) -> pl.DataFrame:
    rows = _audit(results).rows
    return rows.filter(pl.col(c.VERDICT) == verdict.value)
