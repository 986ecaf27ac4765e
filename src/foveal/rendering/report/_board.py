"""The leaderboard of a report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from string import ascii_lowercase
from typing import TYPE_CHECKING

import numpy as np

from foveal.frozen import frozen
from foveal.late import pl
from foveal.measures import record_of
from foveal.rendering._numbers import percent, rounded, shortest
from foveal.rendering.drawing import LIGHT, Linear, Picture, dot, rule
from foveal.rendering.report.contents import Board, BoardRow, Cell
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.rendering.report._report import Report


# More are hard to read, and with many runs there can be exponentially many.
MOST_LETTERS = len(ascii_lowercase)
# Of ranks that are not in a row.
MOST_RANGES = 3


@frozen
class Tiers:
    """What each run shows, under which head, and what that means."""

    head: str
    meaning: str
    shown: Mapping[str, str]


NO_TIERS = Tiers("", "", {})


def tiers(ranks: Mapping[str, int], significant: Iterable[tuple[str, str]]) -> Tiers:
    """Letters, which two runs share exactly where they do not differ significantly.

    If the alphabet has too few, the ranks of the runs from which a run is not told apart. `ranks`
    has the runs in their order.
    """
    places = {run: place for place, run in enumerate(ranks)}
    alike = [set(range(len(ranks))) for _ in ranks]
    for pair in significant:
        one, other = (places[run] for run in pair)
        alike[one].discard(other)
        alike[other].discard(one)
    groups = _groups(alike)
    if len(groups) > MOST_LETTERS:
        numbers = list(ranks.values())
        shown = [_ranges(sorted(others), numbers) for others in alike]
        meaning = "Beside each run, the ranks from which it does not differ significantly, its own among them."
        return Tiers("not told apart from", meaning, dict(zip(ranks, shown, strict=True)))
    letters = dict(zip(ascii_lowercase, sorted(map(sorted, groups)), strict=False))
    shown = [
        _row([letter for letter, group in letters.items() if place in group])
        for place in range(len(ranks))
    ]
    meaning = "Runs with a letter in common do not differ significantly."
    return Tiers("letters", meaning, dict(zip(ranks, shown, strict=True)))


def _groups(alike: Sequence[set[int]]) -> list[set[int]]:
    """The largest groups in which all are alike; where there are more than letters, some of them.

    Places join one by one, which never makes groups fewer: so the work ends with the alphabet.
    """
    groups: list[set[int]] = [set()]
    for place, others in enumerate(alike):
        joined = [group & others | {place} for group in groups]
        kept = [group for group in groups if not group <= others]
        largest: list[set[int]] = []
        for group in sorted(joined, key=len, reverse=True):
            if not any(group <= other for other in largest):
                largest.append(group)
        groups = kept + largest
        if len(groups) > MOST_LETTERS:
            break
    return groups


def _row(letters: Sequence[str]) -> str:
    """Letters one by one, or the first and the last of three or more in a row."""
    if len(letters) > 2 and ord(letters[-1]) - ord(letters[0]) == len(letters) - 1:
        return f"{letters[0]}–{letters[-1]}"
    return " ".join(letters)


def _ranges(places: Sequence[int], ranks: Sequence[int]) -> str:
    """The ranks at places, those in a row as the first and the last."""
    rows = groupby(enumerate(places), key=lambda item: item[1] - item[0])
    spans = [[str(ranks[place]) for _, place in row] for _, row in rows]
    shown = [f"{span[0]}–{span[-1]}" if len(span) > 1 else span[0] for span in spans]
    return ", ".join([*shown[:MOST_RANGES], *["…"] * (len(shown) > MOST_RANGES)])


# Runs ticked at the start: as many as have colours of their own.
TICKED = len(LIGHT.series)
BAR = (120.0, 12.0)


def board(report: Report) -> Board:
    """The runs, best first, with every mean; intervals and letters where runs were compared."""
    scores, measure = report.scores, report.measure
    names = (measure, *(name for name in scores.columns if name != measure))
    bars, told = _intervals(report)
    alike = _tiers(report)
    judged = dict(zip(scores.runs, report.judged, strict=True))
    whole = {name for name in scores.measures if record_of(name).whole_number}
    rows = [
        BoardRow(
            rank=rank,
            run=run,
            cells=tuple(_cell(scores[run, name], whole=name in whole) for name in names),
            bar=bars.get(run, ""),
            tier=alike.shown.get(run, ""),
            ticked=place < TICKED,
            judged=Cell(percent(judged[run]), repr(judged[run])),
        )
        for place, (run, rank) in enumerate(report.ranks.items())
    ]
    return Board(
        measures=tuple(map(report.called, names)),
        rows=tuple(rows),
        interval=told,
        tier_head=alike.head,
        tiers=alike.meaning,
    )


def _cell(value: float, *, whole: bool) -> Cell:
    if np.isnan(value):
        return Cell("", "")
    return Cell(rounded(value, whole=whole), repr(float(value)))


def _intervals(report: Report) -> tuple[dict[str, str], str]:
    """The interval of each run's mean, drawn to one scale; and what that scale is."""
    if report.comparison is None:
        return {}, ""
    own = report.comparison.means.filter(pl.col(c.MEASURE) == report.measure).drop_nulls(c.LOW)
    if not own.height:
        return {}, ""
    wide, high = BAR
    ends = [*own[c.LOW].to_list(), *own[c.HIGH].to_list()]
    scale = Linear.around(ends, 4, wide - 4)
    drawn = {}
    for run, middle, low, top in own.select(c.RUN, c.MEAN, c.LOW, c.HIGH).iter_rows():
        at, left, right = scale.at([middle, low, top]).tolist()
        marks = rule(left, high / 2, right, high / 2, "line s0") + dot(at, high / 2, 3.5, "f0")
        drawn[run] = Picture(wide, high, marks).small(f"{rounded(low)} to {rounded(top)}")
    kind = report.comparison.settings["interval of means"]
    told = (
        f"Bars: intervals of the mean {report.called(report.measure)} ({kind}), from {shortest(scale.low)} on the"
        f" left to {shortest(scale.high)} on the right."
    )
    return drawn, told


def _tiers(report: Report) -> Tiers:
    if report.comparison is None:
        return NO_TIERS
    own = report.comparison.pairs.filter(
        (pl.col(c.MEASURE) == report.measure) & pl.col(c.SIGNIFICANT)
    )
    return tiers(report.ranks, own.select(c.BETTER, c.WORSE).iter_rows())
