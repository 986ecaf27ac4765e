"""Groups of runs that are not significantly different, shown beside their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from string import ascii_lowercase

from foveal.frozen import frozen

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
