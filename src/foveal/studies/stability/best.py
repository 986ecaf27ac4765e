"""The best runs, on which alone a study is done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from foveal.frozen import frozen
from foveal.measures import Evaluation, choosing_measure
from foveal.studies.stability.result import Stability
from foveal.studies.stability.sampling import Each
from foveal.tables import Top

Kept = TypeVar("Kept")
# At least two runs can be ranked.
FEWEST_RUNS = 2


@frozen
class BestRuns:
    """The places of the best of many runs, and what a reader of a study on them must know."""

    places: tuple[int, ...]
    setting: str
    notes: tuple[str, ...]

    @classmethod
    def of(cls, evaluation: Evaluation, top: Top, each: Each) -> BestRuns:
        """The best runs by their scores on all judgements; `each` does the work on every run."""
        by = replace(evaluation, measures=[choosing_measure(evaluation, top)])
        every = by.scores(each(by.score, "choosing"))
        best = every.top(top.count)
        places = tuple(every.runs.index(name) for name in best.runs)
        return cls(places, best.settings["top"], best.notes[len(every.notes) :])

    def among(self, runs: Sequence[Kept]) -> list[Kept]:
        """Those of all runs that are the best."""
        return [runs[place] for place in self.places]

    def told(self, found: Stability) -> Stability:
        """A study that tells on which runs it was done."""
        settings = {**found.settings, "top": self.setting}
        return replace(found, settings=settings, notes=(*found.notes, *self.notes))
