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
    for name, judgements in judged.items():
        for judgement in judgements:
            by_document.setdefault((judgement.topic, judgement.doc), {})[name] = judgement
    units_by_topic: Units = {}
    for (topic, _), rows in sorted(by_document.items()):
        if len(rows) > 1:
            units_by_topic.setdefault(topic, []).extend(_units_of(rows, level))
    return units_by_topic


def _units_of(rows: dict[str, Judgement], level: str) -> Iterator[Unit]:
    if level == "documents":
        yield {name: bool(judgement.highlighted) for name, judgement in rows.items()}
        return
    for offset in range(next(iter(rows.values())).length):
        yield {name: offset in judgement.highlighted for name, judgement in rows.items()}


def alpha_by_definition(units: list[Unit]) -> float | None:
    """Observed over expected disagreement, both by enumerating pairs of values."""
    values = [value for unit in units for value in unit.values()]
    if len(set(values)) < 2:
        return None
    observed = sum(
        sum(first != second for first, second in permutations(unit.values(), 2)) / (len(unit) - 1)
        for unit in units
    )
    expected = sum(first != second for first, second in permutations(values, 2))
    return 1 - observed / len(values) / (expected / len(values) / (len(values) - 1))


def alpha_by_counting(units: list[Unit]) -> float | None:
    """The same from counts, for more values than can be paired."""
    chosen = sum(sum(unit.values()) for unit in units)
    total = sum(len(unit) for unit in units)
    if chosen in {0, total}:
        return None
    disagreement = sum(
        sum(unit.values()) * (len(unit) - sum(unit.values())) / (len(unit) - 1) for unit in units
    )
    return 1 - (total - 1) * disagreement / (chosen * (total - chosen))


def counts(units: list[Unit], first: str, second: str) -> tuple[int, int, int, int]:
    """Units that both chose, only the first, only the second, and neither."""
    choices = [(unit[first], unit[second]) for unit in units if first in unit and second in unit]
    cases = [(True, True), (True, False), (False, True), (False, False)]
    both, only_first, only_second, neither = (choices.count(case) for case in cases)
    return both, only_first, only_second, neither


def kappa(both: int, only_first: int, only_second: int, neither: int) -> float | None:
    """Agreement beyond what the two shares of chosen units make likely."""
    size = both + only_first + only_second + neither
    if not size:
        return None
    first, second = (both + only_first) / size, (both + only_second) / size
    chance = first * second + (1 - first) * (1 - second)
    same = both + only_first in {0, size} and both + only_first == both + only_second
    return None if same else ((both + neither) / size - chance) / (1 - chance)


def of_pair(units: list[Unit], first: str, second: str) -> Coefficients:
    """κ, F1 and overlap of two assessors."""
    both, only_first, only_second, neither = counts(units, first, second)
    any_chosen = both + only_first + only_second
    return {
        "kappa": kappa(both, only_first, only_second, neither),
        "f1": 2 * both / (2 * both + only_first + only_second) if any_chosen else None,
        "overlap": both / any_chosen if any_chosen else None,
    }


def coefficients(units: list[Unit]) -> Coefficients:
    """α of all, and the means over pairs of the others."""
    names = sorted({name for unit in units for name in unit})
    of_pairs = [
        of_pair(units, *pair)
        for pair in combinations(names, 2)
        if any(set(pair) <= set(unit) for unit in units)
    ]
    means = {
        name: mean(pair_values[name] for pair_values in of_pairs)
        for name in ("kappa", "f1", "overlap")
    }
    return {"alpha": alpha_by_counting(units), **means}


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of the values that are not None; None if all are."""
    numbers = [value for value in values if value is not None]
    return sum(numbers) / len(numbers) if numbers else None


def overall(units_by_topic: Units, topics: Iterable[str] | None = None) -> dict[str, Coefficients]:
    """Micro and macro over all topics, or over those given, of which each may occur several times."""
    topics_units = [
        units_by_topic[topic] for topic in (units_by_topic if topics is None else topics)
    ]
    of_topics = [coefficients(units) for units in topics_units]
    macro = {
        name: mean(units[name] for units in of_topics)
        for name in ("alpha", "kappa", "f1", "overlap")
    }
    return {
        "micro": coefficients([unit for units in topics_units for unit in units]),
        "macro": macro,
    }
