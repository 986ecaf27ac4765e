"""The verdict of a report, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from foveal.errors import listed
from foveal.measures import mean, record_of
from foveal.rendering._first_sentence import first_sentences
from foveal.rendering._numbers import thousandths

if TYPE_CHECKING:
    from foveal.rendering.report._report import Report


def verdict(report: Report) -> list[str]:
    """Which run is best, or which cannot be told apart, and how that was tested."""
    measure, order = report.measure, report.ranking
    best, called = order[0], report.called(measure)
    if report.comparison is None:
        if len(order) == 1:
            return [f"{best} scores {thousandths(report.means[best])} by {called} {report.over}."]
        return [f"No measure tells which run is best: {called} is not a mean over topics."]
    return [
        *first_sentences(report.comparison, measure),
        *_otherwise(report),
    ]


def _otherwise(report: Report) -> Iterator[str]:
    """Measures by which another run is best."""
    scores, order = report.scores, report.ranking
    other: dict[str, list[str]] = {}
    for name in scores.measures:
        record = record_of(name)
        if record.average is not mean:
            continue
        sign = 1 if record.higher_is_better else -1
        values = [sign * scores[run, name] for run in order]
        first = order[values.index(max(values))]
        if first != order[0]:
            other.setdefault(first, []).append(report.called(name))
    if other:
        told = listed([f"{run} by {listed(names)}" for run, names in other.items()])
        yield f"Other measures put another run first: {told}."
