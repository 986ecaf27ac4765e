"""Agreement of assessors: coefficients, counts, entry points, and rankings of runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from foveal.choices import Form
from foveal.errors import counted
from foveal.judging import AssessorAgreement, Level
from foveal.late import pl
from foveal.rendering._numbers import DASH, hundredths, percent, rounded_or_dash, shortest
from foveal.rendering._table import Table, fields_of
from foveal.tables import columns as c

SYMBOLS = {c.ALPHA: "α", c.KAPPA: "κ", c.F1: "F1", c.OVERLAP: "overlap"}
RANKING_SYMBOLS = {c.TAU: "τ", c.TAU_AP: "τ_AP", c.SPEARMAN: "ρ", c.RBO: "RBO"}
COUNTS = {
    c.BOTH: "both", c.ONLY_FIRST: "only first", c.ONLY_SECOND: "only second", c.NEITHER: "neither",
}  # fmt: skip
WITHIN = {c.WITHIN_0: "same", c.WITHIN_100: "within 100", c.WITHIN_500: "within 500"}
MAX_ROWS = 20


def tables(agreement: AssessorAgreement, form: Form) -> list[Table]:
    """The coefficients with a summary, then pairs of assessors, entry points and rankings."""
    return [_overall(agreement), *_pairs(agreement), *_entry(agreement), *_rankings(agreement)]


def rows(agreement: AssessorAgreement) -> pl.DataFrame:
    """A row per level, average and coefficient."""
    key = [c.LEVEL, c.AVERAGE]
    values = agreement.overall.unpivot(
        [*SYMBOLS], index=key, variable_name=c.COEFFICIENT, value_name=c.VALUE
    )
    rows = agreement.intervals.join(values, on=[*key, c.COEFFICIENT], maintain_order="left")
    return rows.select(*key, c.COEFFICIENT, c.VALUE, c.LOW, c.HIGH)


def document(agreement: AssessorAgreement) -> dict[str, Any]:
    """The agreement as a JSON document."""
    names = "settings overall intervals pairs topics topic_pairs entry rankings means notes"
    return fields_of(agreement, names)


def _overall(agreement: AssessorAgreement) -> Table:
    header = [c.LEVEL, c.AVERAGE, SYMBOLS[c.ALPHA], c.LOW, c.HIGH, SYMBOLS[c.KAPPA], SYMBOLS[c.F1]]
    rows = [
        [level, average, *map(rounded_or_dash, numbers)]
        for level, average, *numbers in agreement.overall.iter_rows()
    ]
    header.append(SYMBOLS[c.OVERLAP])
    return Table(header, rows, 2, agreement.settings, below=summary_sentence(agreement))


def summary_sentence(agreement: AssessorAgreement) -> str:
    """The first row in words: α over characters, or over documents if no text was compared."""
    level, _, alpha, low, high, *_ = agreement.overall.row(0)
    unit = "characters" if level == Level.CHARACTERS else "documents"
    topics = agreement.topics.filter(pl.col(c.LEVEL) == level)
    counts = f"{counted(int(topics[c.DOCUMENTS].sum()), 'document')} of {counted(topics.height, 'topic')}"
    scope = f"over the {unit} of {counts}" if level == Level.CHARACTERS else f"over {counts}"
    judged_clause = f"that {_assessors_text(agreement)} judged"
    if alpha is None:
        return f"α {scope} {judged_clause} is undefined."
    width = agreement.settings["intervals"]
    clause = "" if low is None else f" ({width} interval {hundredths(low)} to {hundredths(high)})"
    return f"α {hundredths(alpha)} {scope} {judged_clause}{clause}."


def _assessors_text(agreement: AssessorAgreement) -> str:
    names = agreement.assessors
    return " and ".join(names) if len(names) == 2 else f"at least two of {len(names)} assessors"


def _pairs(agreement: AssessorAgreement) -> Iterator[Table]:
    """The counts of pairs of assessors; two assessors' coefficients are in the first table."""
    frame = agreement.pairs
    title_end = _hidden_rows_clause(frame)
    names, first_rows = [c.FIRST, c.SECOND, c.LEVEL], frame.head(MAX_ROWS)
    counts = first_rows.select(*names, c.DOCUMENTS, *COUNTS)
    rows = [[*row[:3], *map(_count, row[3:])] for row in counts.iter_rows()]
    title = f"What both assessors of a pair chose, only one, and neither{title_end}"
    yield Table([*names, c.DOCUMENTS, *COUNTS.values()], rows, 3, title=title)
    if len(agreement.assessors) > 2:
        coefficients = first_rows.select(*names, *SYMBOLS)
        rows = [[*row[:3], *map(rounded_or_dash, row[3:])] for row in coefficients.iter_rows()]
        title = f"How far the assessors of a pair agree, over all topics{title_end}"
        yield Table([*names, *SYMBOLS.values()], rows, 3, title=title)


def _hidden_rows_clause(frame: pl.DataFrame) -> str:
    """The end of a title: the number of rows shown, if some are hidden."""
    has_hidden_rows = frame.height > MAX_ROWS
    return f"; the first {MAX_ROWS} of {frame.height:,} lines" if has_hidden_rows else ""


def _count(number: int | None) -> str:
    return DASH if number is None else str(number)


def _entry(agreement: AssessorAgreement) -> Iterator[Table]:
    if agreement.entry.height:
        header = [c.FIRST, c.SECOND, c.DOCUMENTS, c.MEDIAN, *WITHIN.values()]
        rows = [
            [first, second, str(documents), shortest(median), *map(percent, shares)]
            for first, second, documents, median, *shares in agreement.entry.head(
                MAX_ROWS
            ).iter_rows()
        ]
        title = "Characters between entry points, in documents relevant to both that have two"
        yield Table(header, rows, 2, title=title + _hidden_rows_clause(agreement.entry))


def _rankings(agreement: AssessorAgreement) -> Iterator[Table]:
    if agreement.rankings.height:
        runs = counted(agreement.means[c.RUN].n_unique(), "run")
        header = [c.FIRST, c.SECOND, c.MEASURE, c.TOPICS, *RANKING_SYMBOLS.values()]
        frame = agreement.rankings.select(c.FIRST, c.SECOND, c.MEASURE, c.TOPICS, *RANKING_SYMBOLS)
        rows = [
            [*row[:3], str(row[3]), *map(rounded_or_dash, row[4:])]
            for row in frame.head(MAX_ROWS).iter_rows()
        ]
        title = f"{runs} ranked by the judgements of either assessor{_hidden_rows_clause(frame)}"
        yield Table(header, rows, 3, title=title)
