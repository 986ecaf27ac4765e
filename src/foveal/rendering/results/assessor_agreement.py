"""How far assessors agree: coefficients, counts, entry points, and rankings of runs."""

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

SIGNS = {c.ALPHA: "α", c.KAPPA: "κ", c.F1: "F1", c.OVERLAP: "overlap"}
RANKING_SIGNS = {c.TAU: "τ", c.TAU_AP: "τ_AP", c.SPEARMAN: "ρ", c.RBO: "RBO"}
COUNTS = {
    c.BOTH: "both", c.ONLY_FIRST: "only first", c.ONLY_SECOND: "only second", c.NEITHER: "neither",
}  # fmt: skip
WITHIN = {c.WITHIN_0: "same", c.WITHIN_100: "within 100", c.WITHIN_500: "within 500"}
SHOWN_PAIRS = 20


def tables(agreement: AssessorAgreement, form: Form) -> list[Table]:
    """The coefficients and what they say, then pairs of assessors, entry points and rankings."""
    return [_overall(agreement), *_pairs(agreement), *_entry(agreement), *_rankings(agreement)]


def rows(agreement: AssessorAgreement) -> pl.DataFrame:
    """A row per level, average and coefficient."""
    key = [c.LEVEL, c.AVERAGE]
    long = agreement.overall.unpivot(
        [*SIGNS], index=key, variable_name=c.COEFFICIENT, value_name=c.VALUE
    )
    joined = agreement.intervals.join(long, on=[*key, c.COEFFICIENT], maintain_order="left")
    return joined.select(*key, c.COEFFICIENT, c.VALUE, c.LOW, c.HIGH)


def document(agreement: AssessorAgreement) -> dict[str, Any]:
    """The agreement as JSON holds it."""
    names = "settings overall intervals pairs topics topic_pairs entry rankings means notes"
    return fields_of(agreement, names)


def _overall(agreement: AssessorAgreement) -> Table:
    header = [c.LEVEL, c.AVERAGE, SIGNS[c.ALPHA], c.LOW, c.HIGH, SIGNS[c.KAPPA], SIGNS[c.F1]]
    body = [
        [level, average, *map(rounded_or_dash, numbers)]
        for level, average, *numbers in agreement.overall.iter_rows()
    ]
    header.append(SIGNS[c.OVERLAP])
    return Table(header, body, 2, agreement.settings, below=reading(agreement))


def reading(agreement: AssessorAgreement) -> str:
    """The first line in words: α over characters, or over documents if no text was compared."""
    level, _, alpha, low, high, *_ = agreement.overall.row(0)
    what = "characters" if level == Level.CHARACTERS else "documents"
    own = agreement.topics.filter(pl.col(c.LEVEL) == level)
    told = f"{counted(int(own[c.DOCUMENTS].sum()), 'document')} of {counted(own.height, 'topic')}"
    where = f"over the {what} of {told}" if level == Level.CHARACTERS else f"over {told}"
    judged = f"that {_who(agreement)} judged"
    if alpha is None:
        return f"α {where} {judged} is undefined."
    width = agreement.settings["intervals"]
    sure = f" ({width} interval {hundredths(low)} to {hundredths(high)})" if low is not None else ""
    return f"α {hundredths(alpha)} {where} {judged}{sure}."


def _who(agreement: AssessorAgreement) -> str:
    names = agreement.assessors
    return " and ".join(names) if len(names) == 2 else f"at least two of {len(names)} assessors"


def _pairs(agreement: AssessorAgreement) -> Iterator[Table]:
    """The counts of pairs of assessors; two assessors' coefficients are in the first table."""
    frame = agreement.pairs
    more = _first(frame)
    names, shown = [c.FIRST, c.SECOND, c.LEVEL], frame.head(SHOWN_PAIRS)
    counts = shown.select(*names, c.DOCUMENTS, *COUNTS)
    body = [[*row[:3], *map(_count, row[3:])] for row in counts.iter_rows()]
    title = f"What both assessors of a pair chose, only one, and neither{more}"
    yield Table([*names, c.DOCUMENTS, *COUNTS.values()], body, 3, title=title)
    if len(agreement.assessors) > 2:
        coefficients = shown.select(*names, *SIGNS)
        body = [[*row[:3], *map(rounded_or_dash, row[3:])] for row in coefficients.iter_rows()]
        title = f"How far the assessors of a pair agree, over all topics{more}"
        yield Table([*names, *SIGNS.values()], body, 3, title=title)


def _first(frame: pl.DataFrame) -> str:
    """The end of a title: how many lines are shown, if not all."""
    many = frame.height > SHOWN_PAIRS
    return f"; the first {SHOWN_PAIRS} of {frame.height:,} lines" if many else ""


def _count(number: int | None) -> str:
    return DASH if number is None else str(number)


def _entry(agreement: AssessorAgreement) -> Iterator[Table]:
    if agreement.entry.height:
        header = [c.FIRST, c.SECOND, c.DOCUMENTS, c.MEDIAN, *WITHIN.values()]
        body = [
            [first, second, str(documents), shortest(median), *map(percent, shares)]
            for first, second, documents, median, *shares in agreement.entry.head(
                SHOWN_PAIRS
            ).iter_rows()
        ]
        title = "Characters between entry points, in documents relevant to both that have two"
        yield Table(header, body, 2, title=title + _first(agreement.entry))


def _rankings(agreement: AssessorAgreement) -> Iterator[Table]:
    if agreement.rankings.height:
        runs = counted(agreement.means[c.RUN].n_unique(), "run")
        header = [c.FIRST, c.SECOND, c.MEASURE, c.TOPICS, *RANKING_SIGNS.values()]
        frame = agreement.rankings.select(c.FIRST, c.SECOND, c.MEASURE, c.TOPICS, *RANKING_SIGNS)
        body = [
            [*row[:3], str(row[3]), *map(rounded_or_dash, row[4:])]
            for row in frame.head(SHOWN_PAIRS).iter_rows()
        ]
        title = f"{runs} ranked by the judgements of either assessor{_first(frame)}"
        yield Table(header, body, 3, title=title)
