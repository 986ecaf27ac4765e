"""Whether a run is good enough: demands on its scores, and on how far it may fall behind."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace

import numpy as np

from foveal.analysis._baseline import BaselineDrops, GateDesign
from foveal.analysis._compare import Comparison
from foveal.analysis._few_topics import FEW_TOPICS
from foveal.analysis._resamples import Seed
from foveal.analysis._topic_values import TopicValues, repetition, rises, scored
from foveal.conventions import USUAL_TESTING
from foveal.errors import UsageError, counted
from foveal.evaluation import Demand, Scores, ScoresLike, column_named
from foveal.frozen import frozen
from foveal.late import pl
from foveal.shown import Shown
from foveal.tables import EQUAL_WITHIN, columns, in_order, refuse_alarming

DEMANDED: Mapping[str, type[object]] = {
    columns.MEASURE: str,
    columns.RUN: str,
    **dict.fromkeys((columns.VALUE, columns.LOW, columns.HIGH), float),
    columns.DEMAND: str,
    columns.HOLDS: bool,
}
WORST: Mapping[str, type[object]] = {columns.TOPIC: str, columns.MEASURE: str, columns.VALUE: float}


@frozen(eq=False, repr=False)
class Gate(Shown):
    """Whether a run holds what is demanded of it; as a truth value, whether all of it holds.

    `demands` has measure, run, value, low, high, demand, holds; `drops` how far each measure is
    below the baseline's: measure, run, value, baseline, drop, low, high, p, holds; `worst` the
    topics that fall short of a demand that does not hold: topic, measure, value; `losses` those
    that lost most where a drop is too large: topic, measure, value, baseline, difference.
    """

    run: str
    demands: pl.DataFrame
    drops: pl.DataFrame
    worst: pl.DataFrame
    losses: pl.DataFrame
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    plain: Mapping[str, str] = field(default_factory=dict)
    """In task rag, what the measures are called there."""

    comparison: Comparison | None = None
    """The run and the baseline under these words, by the measures that must not drop."""

    @property
    def holds(self) -> bool:
        """Whether every demand holds and no drop is too large."""
        return bool(self.demands[columns.HOLDS].all() and self.drops[columns.HOLDS].all())

    def __bool__(self) -> bool:
        return self.holds

    @property
    def summary(self) -> str:
        """Whether all demands hold, or how many do not."""
        holds = pl.concat([self.demands[columns.HOLDS], self.drops[columns.HOLDS]])
        failed = len(holds) - int(holds.sum())
        does = "does" if failed == 1 else "do"
        if len(holds) == 1:
            return "the demand does not hold" if failed else "the demand holds"
        return (
            f"{failed} of {len(holds)} demands {does} not hold"
            if failed
            else f"all {len(holds)} demands hold"
        )


def gate(
    scores: ScoresLike,
    demands: str | Iterable[str] | Mapping[str, float] = (),
    *,
    baseline: ScoresLike | None = None,
    max_drop: float = 0.0,
    significant: bool = False,
    alpha: float = USUAL_TESTING.alpha,
    resamples: int | str = USUAL_TESTING.resamples,
    rng: Seed = USUAL_TESTING.rng,
) -> Gate:
    """Whether the scores of a run are as demanded, and not far below those of a baseline.

    Demands are texts such as "cR@5>=0.80" (also >, <=, <) or {measure: least value}. With a
    baseline, scores of another run on the same judgements, no measure scored may be more than
    `max_drop` worse; if `significant`, only a drop that a two-sided randomization test finds
    (p <= alpha) counts. A run without any topic of the judgements is refused as bad data.

    >>> import foveal
    >>> scores = foveal.evaluate({"1": {"a": 1}}, {"1": {"b": 2.0, "a": 1.0}}, "RR")
    >>> gate = foveal.gate(scores, ["RR>=0.4", "RR>0.5"])
    >>> gate.holds, gate.demands["holds"].to_list()
    (False, [True, False])
    """
    scores = scored(scores)
    refuse_alarming(scores.notes)
    limits = GateDesign.of(max_drop, alpha, resamples, rng, significant=significant)
    refuse_several(scores, "a gate looks at one run")
    asked = _asked(scores, demands)
    if not asked and baseline is None:
        raise UsageError(
            "nothing is demanded: give a demand such as 'cR@5>=0.80' (--min), or a baseline"
        )
    rows, notes = _demanded(scores, asked, limits)
    missed = [demand for demand, row in zip(asked, rows, strict=True) if not row[columns.HOLDS]]
    (run,) = scores.values
    worst = [
        {columns.TOPIC: topic, columns.MEASURE: demand.measure, columns.VALUE: value}
        for demand in missed
        for topic, value in run.worst_topics(scores.columns.index(demand.measure), demand)
    ]
    before = None if baseline is None else scored(baseline)
    drops = BaselineDrops.of(scores, before, limits, rng)
    return Gate(
        run.name,
        pl.DataFrame(rows, schema=dict(DEMANDED)),
        drops.measures,
        pl.DataFrame(worst, schema=dict(WORST)).unique(maintain_order=True),
        drops.losses,
        {**scores.settings, **drops.settings, **limits.settings},
        in_order(dict.fromkeys([*scores.notes, *repetition(scores), *notes, *drops.notes])),
        scores.measure_names.only([*(demand.measure for demand in asked), *drops.tested]).plain,
        drops.comparison,
    )


def refuse_several(scores: Scores, why: str) -> None:
    """Raise unless there is one run."""
    if len(scores.values) != 1:
        names = ", ".join(scores.runs[:3]) + (", …" if len(scores.runs) > 3 else "")
        raise UsageError(f"{why}, got {counted(len(scores.values), 'run')} ({names})")


def _asked(scores: Scores, demands: str | Iterable[str] | Mapping[str, float]) -> list[Demand]:
    """The demands under the canonical names of their measures."""
    if isinstance(demands, Mapping):
        given = [Demand(name, "", number) for name, number in demands.items()]
    else:
        given = list(map(Demand.parsed, [demands] if isinstance(demands, str) else demands))
    asked = []
    for demand in given:
        measure = column_named(scores, demand.measure)
        if measure in scores.extra_columns:
            raise UsageError(f"{measure} is not a measure, so nothing can be demanded of it")
        usual = ">=" if rises(scores, measure) else "<="
        asked.append(Demand(measure, demand.sign or usual, demand.number))
    return list(dict.fromkeys(asked))


def _demanded(
    scores: Scores, asked: list[Demand], limits: GateDesign
) -> tuple[list[dict[str, object]], list[str]]:
    """A row for every demand, and what to know about those that are close or cannot be met."""
    if not asked:
        return [], []
    values = TopicValues.of(scores, [demand.measure for demand in asked], common_topics=False)
    (run,) = scores.runs
    rows: list[dict[str, object]] = []
    notes: list[str] = []
    for demand in asked:
        place = values.of_measure(demand.measure)
        least, greatest = values.bounds[place]
        told = replace(demand, measure=scores.measure_names.label(demand.measure))
        _refuse_impossible(told, least, greatest)
        low, high = values.mean_interval(demand.measure, limits.alpha) or (None, None)
        value = scores[run, demand.measure]
        cells = (demand.measure, run, value, low, high, str(demand), demand.holds(value))
        rows.append(dict(zip(DEMANDED, cells, strict=True)))
        notes += _close(told, value, low, high, limits)
        notes += _between_steps(told, values.values[place, 0])
    if len(values.topics) == 1:
        notes.append("one topic says nothing about others, so means have no interval")
    return rows, notes


def _refuse_impossible(demand: Demand, least: float, greatest: float) -> None:
    """Refuse a number that the measure never reaches, such as 80 for 80 %."""
    if not least <= demand.number <= greatest:
        raise UsageError(
            f"{demand.measure} is between {least:g} and {greatest:g}, so it cannot be compared with"
            f" {demand.number:g}"
            + (f": write {demand.number / 100:g}?" if 1 < demand.number <= 100 else "")
        )


def _close(
    demand: Demand, value: float, low: float | None, high: float | None, limits: GateDesign
) -> Iterator[str]:
    """Whether chance in the choice of topics may decide."""
    if low is None or high is None or not low < demand.number < high:
        return
    verdict, other = ("holds", "fail") if demand.holds(value) else ("does not hold", "hold")
    yield (
        f"{demand} {verdict}, but with other topics it might {other}: the {100 * (1 - limits.alpha):g}"
        f" % interval of the mean is {low:.4g} to {high:.4g}"
    )


def _between_steps(demand: Demand, values: np.ndarray) -> Iterator[str]:
    """Whether a mean of a few zeros and ones cannot be what is demanded."""
    topics, steps = len(values), demand.number * len(values)
    if topics >= FEW_TOPICS or not np.all(
        np.minimum(np.abs(values), np.abs(values - 1)) <= EQUAL_WITHIN
    ):
        return
    if abs(steps - round(steps)) <= EQUAL_WITHIN * topics:
        return
    count = math.ceil(steps) if demand.rises else math.floor(steps)
    what = "asks for" if demand.rises else "allows at most"
    yield (
        f"every topic scores 0 or 1 by {demand.measure}, so with {counted(topics, 'topic')} the mean"
        f" cannot be exactly {demand.number:.12g}: {demand} {what} {count} of {topics}"
        f" ({count / topics:.4g})"
    )
