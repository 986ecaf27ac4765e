"""Groups of runs that are not significantly different, as letters beside their names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def tiers(ranking: Sequence[str], significant: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The letters of each run: two runs share one exactly where they do not differ significantly.

    Groups are split at every pair that differs, and those inside others dropped (Piepho 2004).
    """
    groups: list[frozenset[str]] = [frozenset(ranking)]
    for pair in significant:
        both = set(pair)
        split = [group for group in groups if both <= group]
        if not split:
            continue
        groups = [group for group in groups if group not in split]
        for group in split:
            for one in pair:
                rest = group - {one}
                if not any(rest <= other for other in groups):
                    groups = [other for other in groups if not other <= rest]
                    groups.append(rest)
    place = {run: at for at, run in enumerate(ranking)}
    ordered = sorted(groups, key=lambda group: sorted(place[run] for run in group))
    return {
        run: _shown([at for at, group in enumerate(ordered) if run in group]) for run in ranking
    }


def _shown(places: Sequence[int]) -> str:
    """Letters one by one, or the first and the last of three or more in a row."""
    names = [_letters(at) for at in places]
    if len(places) > 2 and places[-1] - places[0] == len(places) - 1:
        return f"{names[0]}–{names[-1]}"
    return " ".join(names)


def _letters(place: int) -> str:
    """A to z, then aa, ab and so on."""
    more, last = divmod(place, len(LETTERS))
    return (_letters(more - 1) if more else "") + LETTERS[last]
