"""Ranks of runs by a measure, and the choice of the best."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Self

import numpy as np

from foveal.errors import UsageError, counted, shortened_list
from foveal.frozen import frozen
from foveal.spans import Floats, Ints
from foveal.tables import EQUAL_WITHIN

_RANKS = re.compile(r"[0-9]{1,9}|[0-9]{1,9}-[0-9]{1,9}(,[0-9]{1,9}-[0-9]{1,9})*")
LUCK = "runs chosen by these scores beat a baseline by luck more often than alpha says"


@frozen
class RunRanks:
    """Ranks of runs to keep; without a measure they are ranked by the first."""

    ranks: str
    """A number, which means the ranks from 1 to it, or ranges such as 1-21,31-50."""

    measure: str | None = None
    baselines: Sequence[str] = ()
    """Runs that are kept as well, by their names or files."""

    @classmethod
    def parsed(cls, text: int | str, *, minimum: int = 1, option: str = "top") -> Self:
        """Parse a text such as 20 or "1-5,8-9:AiP"; it must give `minimum` or more ranks."""
        ranks, colon, measure = map(str.strip, str(text).partition(":"))
        if isinstance(text, bool) or not _RANKS.fullmatch(ranks) or (colon and not measure):
            raise UsageError(
                f"{option} must be a number of runs or ranges of ranks, and a measure if they are not"
                f" the best by the first, as in 20, 1-21,31-50 or 20:AiP, got {str(text)!r}"
            )
        run_ranks = cls(ranks, measure or None)
        ends = [0, *(last for _, last in run_ranks._ranges)]
        rises = all(
            previous < first <= last
            for previous, (first, last) in zip(ends, run_ranks._ranges, strict=False)
        )
        if "-" in ranks and not rises:
            raise UsageError(f"{option} must have ranks that rise from 1 on, got {ranks}")
        count = sum(last - first + 1 for first, last in run_ranks._ranges)
        if count < minimum:
            raise UsageError(f"{option} must be {minimum} or more, got {count}")
        return run_ranks

    @property
    def _ranges(self) -> list[tuple[int, int]]:
        """The first and last rank of each range."""
        pairs = [ends.rpartition("-") for ends in self.ranks.split(",")]
        return [(int(first or 1), int(last)) for first, _, last in pairs]

    def indices_of(
        self, runs: Sequence[str], goodness: Floats, measure: str
    ) -> tuple[list[int], list[str]]:
        """The indices of the runs of these ranks, in their order, and notes about them."""
        indices: list[int] = []
        notes = [LUCK] * (len(self.baselines) > 0 and self._ranges[0][1] < len(runs))
        for first, last in self._ranges:
            better, tied_at_start = best_runs(runs, goodness, first - 1)
            best, tied_at_end = best_runs(runs, goodness, last)
            indices += np.setdiff1d(best, better).tolist()
            notes += [
                f"{counted(len(names), 'run')} tie for rank {rank} by {measure}; ranked in order of"
                f" name ({shortened_list(names)})"
                for rank, names in ((first - 1, tied_at_start), (last, tied_at_end))
                if names
            ]
        if not indices:
            raise UsageError(
                f"no run has rank {self.ranks} by {measure}: there are {counted(len(runs), 'run')}"
            )
        if last > len(runs):
            notes.append(
                f"runs of ranks up to {last:,} were asked for, and there are {len(runs):,}"
            )
        return sorted(indices), notes


def best_runs(names: Sequence[str], goodness: Floats, count: int) -> tuple[Ints, list[str]]:
    """The indices of the best runs, in their order, and the names of those tied for the last rank.

    Of equally good runs the first by name are chosen, whatever the order of files.
    """
    values = np.where(np.isnan(goodness), -np.inf, goodness)
    if count >= len(values):
        return np.arange(len(values)), []
    if not count:
        return np.arange(0), []
    last_value = np.sort(values)[-count]
    is_last = np.isclose(values, last_value, rtol=0.0, atol=EQUAL_WITHIN)
    better = np.flatnonzero((values > last_value) & ~is_last)
    tied = sorted(np.flatnonzero(is_last).tolist(), key=lambda index: names[index])
    free_ranks = count - len(better)
    best = np.sort(np.concatenate([better, np.array(tied[:free_ranks], dtype=np.int64)]))
    return best, [names[index] for index in tied] if free_ranks < len(tied) else []
