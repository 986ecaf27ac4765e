"""Everything that a report tells, gathered from scores, comparisons and studies."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from foveal.analysis import Agreement, Comparison, agree, compare
from foveal.choices import Correction, Tail, Task
from foveal.files import write_bytes
from foveal.measures import Evaluation, curve_levels, mean, overall_measure, record_of
from foveal.rendering.report._look import BUDGETS, Found, RunLook
from foveal.shown import Shown
from foveal.spans import Floats
from foveal.studies import Fidelity, Stability
from foveal.tables import Qrels, Scores


LEAST_RESAMPLES = 10_000
# Intervals of coefficients are not shown on the page: the fewest resamples do.
AGREEMENT_RESAMPLES = 1


@dataclass(frozen=True)
class Testing:
    """How runs are compared in a report: stricter than `compare` is by default."""

    test: str = "randomization"
    tail: Tail | str | None = Tail.TWO
    alpha: float = 0.05
    correct: Correction | str = Correction.HOLM
    resamples: int | None = None
    """None: as many as the number of pairs asks for."""

    rng: int = 0

    def drawn(self, runs: int) -> int:
        """How many resamples are drawn: corrected for all pairs, the smallest p must reach alpha."""
        if self.resamples is not None:
            return self.resamples
        pairs = runs * (runs - 1) // 2
        return max(LEAST_RESAMPLES, math.ceil(2 * pairs / self.alpha))


@dataclass(frozen=True, eq=False, repr=False)
class Report(Shown):
    """Scores, who is really better, curves, topics, checks: what `foveal report` shows as a page.

    `save` writes the page; `comparison` and `agreement` are None where there is one run, or one
    measure. Arrays of curves and readings have a row per run of the scores.
    """

    scores: Scores
    task: Task
    comparison: Comparison | None
    agreement: Agreement | None
    curves: Floats
    readings: Floats | None
    judged: tuple[float, ...]
    findings: tuple[tuple[Found, ...], ...]
    fidelity: Fidelity | None = None
    stability: Stability | None = None
    inputs: Mapping[str, str] = field(default_factory=dict)
    """The files that were read, with their SHA-256."""

    command: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def measure(self) -> str:
        """The measure that the leaderboard is sorted by."""
        return leading_measure(self.scores, self.task)

    @property
    def levels(self) -> Floats:
        """The levels of recall of the curves."""
        return curve_levels(self.task)

    @property
    def budgets(self) -> tuple[int, ...]:
        """The characters read, of the readings."""
        return BUDGETS

    @property
    def summary(self) -> str:
        """What was scored."""
        return self.scores.summary

    def page(self) -> bytes:
        """The page, which needs nothing else."""
        from foveal.rendering.report.page import drawn_page

        return drawn_page(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, completely or not at all."""
        write_bytes(self.page(), path)


def leading_measure(scores: Scores, task: Task) -> str:
    """The task's overall measure if it was scored, else the first that can be compared."""
    overall = scores.wording.canonical(overall_measure(task))
    comparable = [name for name in scores.measures if record_of(name).average is mean]
    if overall in comparable:
        return overall
    return (comparable or scores.measures)[0]


def gathered(
    evaluation: Evaluation,
    qrels: Qrels,
    looks: Sequence[RunLook],
    testing: Testing,
    **more: object,
) -> Report:
    """The report of runs that were looked at."""
    scores = evaluation.scores([look.scores for look in looks], qrels)
    task = evaluation.task.task
    first = leading_measure(scores, task)
    comparable = [name for name in scores.measures if record_of(name).average is mean]
    several = len(scores.runs) > 1
    comparison = (
        compare(
            scores,
            first,
            test=testing.test,
            tail=testing.tail,
            alpha=testing.alpha,
            correct=testing.correct,
            resamples=testing.drawn(len(scores.runs)),
            common_topics=True,
            rng=testing.rng,
        )
        if several and comparable
        else None
    )
    agreement = (
        agree(
            scores,
            comparable,
            alpha=testing.alpha,
            resamples=testing.drawn(len(scores.runs)),
            common_topics=True,
            rng=testing.rng,
        )
        if several and len(comparable) > 1
        else None
    )
    readings = [look.reading for look in looks]
    known = [reading for reading in readings if reading is not None]
    return Report(
        scores=scores,
        task=task,
        comparison=comparison,
        agreement=agreement,
        curves=np.stack([look.curve for look in looks]),
        readings=np.stack(known) if len(known) == len(looks) else None,
        judged=tuple(look.judged for look in looks),
        findings=tuple(look.findings for look in looks),
        settings=scores.settings,
        notes=comparison.notes if comparison else scores.notes,
        **more,  # type: ignore[arg-type]  # fields of a report
    )
