"""Agreement of assessors, slow and simple: every unit is a dict of who chose it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, permutations

from tests.strategies import Judgement

Judged = Mapping[str, Iterable[Judgement]]
Unit = dict[str, bool]
Units = dict[str, list[Unit]]
"""By topic: what each of those who judged a unit says of it."""

Coefficients = dict[str, float | None]


def units(judged: Judged, level: str) -> Units:
    """The characters, or documents, that two assessors or more judged."""
    by_document: dict[tuple[str, str], dict[str, Judgement]] = {}
    for name, own in judged.items():
        for one in own:
            by_document.setdefault((one.topic, one.doc), {})[name] = one
    found: Units = {}
    for (topic, _), rows in sorted(by_document.items()):
        if len(rows) > 1:
            found.setdefault(topic, []).extend(_units_of(rows, level))
    return found


def _units_of(rows: dict[str, Judgement], level: str) -> Iterator[Unit]:
    if level == "documents":
        yield {name: bool(own.highlighted) for name, own in rows.items()}
        return
    for place in range(next(iter(rows.values())).length):
        yield {name: place in own.highlighted for name, own in rows.items()}


def alpha_by_definition(found: list[Unit]) -> float | None:
    """Observed over expected disagreement, both by enumerating pairs of values."""
    values = [value for unit in found for value in unit.values()]
    if len(set(values)) < 2:
        return None
    observed = sum(
        sum(one != other for one, other in permutations(unit.values(), 2)) / (len(unit) - 1)
        for unit in found
    )
    expected = sum(one != other for one, other in permutations(values, 2))
    return 1 - observed / len(values) / (expected / len(values) / (len(values) - 1))


def alpha_by_counting(found: list[Unit]) -> float | None:
    """The same from counts, for more values than can be paired."""
    chosen = sum(sum(unit.values()) for unit in found)
    every = sum(len(unit) for unit in found)
    if chosen in {0, every}:
        return None
    odd = sum(
        sum(unit.values()) * (len(unit) - sum(unit.values())) / (len(unit) - 1) for unit in found
    )
    return 1 - (every - 1) * odd / (chosen * (every - chosen))


def counts(found: list[Unit], first: str, second: str) -> tuple[int, int, int, int]:
    """Units that both chose, only the first, only the second, and neither."""
    said = [(unit[first], unit[second]) for unit in found if first in unit and second in unit]
    cases = [(True, True), (True, False), (False, True), (False, False)]
    both, one, other, neither = (said.count(case) for case in cases)
    return both, one, other, neither


def kappa(both: int, one: int, other: int, neither: int) -> float | None:
    """Agreement beyond what the two shares of chosen units make likely."""
    size = both + one + other + neither
    if not size:
        return None
    first, second = (both + one) / size, (both + other) / size
    chance = first * second + (1 - first) * (1 - second)
    same = both + one in {0, size} and both + one == both + other
    return None if same else ((both + neither) / size - chance) / (1 - chance)


def of_pair(found: list[Unit], first: str, second: str) -> Coefficients:
    """κ, F1 and overlap of two assessors."""
    both, one, other, neither = counts(found, first, second)
    any_chosen = both + one + other
    return {
        "kappa": kappa(both, one, other, neither),
        "f1": 2 * both / (2 * both + one + other) if any_chosen else None,
        "overlap": both / any_chosen if any_chosen else None,
    }


def coefficients(found: list[Unit]) -> Coefficients:
    """α of all, and the means over pairs of the others."""
    names = sorted({name for unit in found for name in unit})
    shared = [
        of_pair(found, *pair)
        for pair in combinations(names, 2)
        if any(set(pair) <= set(unit) for unit in found)
    ]
    means = {name: mean(own[name] for own in shared) for name in ("kappa", "f1", "overlap")}
    return {"alpha": alpha_by_counting(found), **means}


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of what is known."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def overall(found: Units, topics: Iterable[str] | None = None) -> dict[str, Coefficients]:
    """Micro and macro over all topics, or over some, of which each may be given several times."""
    drawn = [found[topic] for topic in (found if topics is None else topics)]
    each = [coefficients(own) for own in drawn]
    macro = {name: mean(own[name] for own in each) for name in ("alpha", "kappa", "f1", "overlap")}
    return {"micro": coefficients([unit for own in drawn for unit in own]), "macro": macro}
