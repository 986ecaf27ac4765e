"""Ranks of runs: which of them are the best by a measure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Self

import numpy as np

from foveal.errors import UsageError, counted, some
from foveal.frozen import frozen
from foveal.spans import Floats, Ints
from foveal.tables import EQUAL_WITHIN

_RANKS = re.compile(r"[0-9]{1,9}|[0-9]{1,9}-[0-9]{1,9}(,[0-9]{1,9}-[0-9]{1,9})*")
LUCK = "runs chosen by these scores beat a baseline by luck more often than alpha says"


@frozen
class RunRanks:
    """Which ranks of runs are kept; without a measure they are ranked by the first."""

    ranks: str
    """A number, which means the ranks from 1 to it, or ranges such as 1-21,31-50."""

    measure: str | None = None
    baselines: Sequence[str] = ()
    """Runs that are kept as well, by their names or files."""

    @classmethod
    def parsed(cls, given: int | str, *, least: int = 1, what: str = "top") -> Self:
        """The ranks and the measure in words such as 20 or "1-5,8-9:AiP"; `least` runs must be kept."""
        ranks, colon, measure = map(str.strip, str(given).partition(":"))
        if isinstance(given, bool) or not _RANKS.fullmatch(ranks) or (colon and not measure):
            raise UsageError(
                f"{what} must be a number of runs or ranges of ranks, and a measure if they are not"
                f" the best by the first, as in 20, 1-21,31-50 or 20:AiP, got {str(given)!r}"
            )
        wanted = cls(ranks, measure or None)
        ends = [0, *(last for _, last in wanted._ranges)]
        rises = all(
            before < first <= last
            for before, (first, last) in zip(ends, wanted._ranges, strict=False)
        )
        if "-" in ranks and not rises:
            raise UsageError(f"{what} must have ranks that rise from 1 on, got {ranks}")
        count = sum(last - first + 1 for first, last in wanted._ranges)
        if count < least:
            raise UsageError(f"{what} must be {least} or more, got {count}")
        return wanted

    @property
    def _ranges(self) -> list[tuple[int, int]]:
        """The first and last rank of each range."""
        pairs = [ends.rpartition("-") for ends in self.ranks.split(",")]
        return [(int(first or 1), int(last)) for first, _, last in pairs]

    def among(
        self, runs: Sequence[str], goodness: Floats, measure: str
    ) -> tuple[list[int], list[str]]:
        """The places of the runs of these ranks, in their order, and notes about them."""
        kept: list[int] = []
        notes = [LUCK] * (len(self.baselines) > 0 and self._ranges[0][1] < len(runs))
        for first, last in self._ranges:
            above, tied_above = best_runs(runs, goodness, first - 1)
            down_to, tied = best_runs(runs, goodness, last)
            kept += np.setdiff1d(down_to, above).tolist()
            notes += [
                f"{counted(len(names), 'run')} tied by {measure} where rank {rank} ends: those that"
                f" come first by name are ranked higher ({some(names)})"
                for rank, names in ((first - 1, tied_above), (last, tied))
                if names
            ]
        if not kept:
            raise UsageError(
                f"no run has rank {self.ranks} by {measure}: there are {counted(len(runs), 'run')}"
            )
        if last > len(runs):
            notes.append(
                f"runs of ranks up to {last:,} were asked for, and there are {len(runs):,}"
            )
        return sorted(kept), notes


def best_runs(names: Sequence[str], goodness: Floats, count: int) -> tuple[Ints, list[str]]:
    """The places of the best runs, in their order, and the names of those tied at the cut.

    Of runs that are equally good the first by name are kept, whatever the order of files.
    """
    known = np.where(np.isnan(goodness), -np.inf, goodness)
    if count >= len(known):
        return np.arange(len(known)), []
    if not count:
        return np.arange(0), []
    last = np.sort(known)[-count]
    same = np.isclose(known, last, rtol=0.0, atol=EQUAL_WITHIN)
    ahead = np.flatnonzero((known > last) & ~same)
    tied = sorted(np.flatnonzero(same).tolist(), key=lambda place: names[place])
    room = count - len(ahead)
    kept = np.sort(np.concatenate([ahead, np.array(tied[:room], dtype=np.int64)]))
    return kept, [names[place] for place in tied] if room < len(tied) else []
