"""Gates: demands on the scores of a run, and limits to its drop below a baseline."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace

import numpy as np

from foveal.analysis._baseline import BaselineDrops, GateDesign
from foveal.analysis._compare import Comparison
from foveal.analysis._few_topics import FEW_TOPICS
from foveal.analysis._resamples import Seed
from foveal.analysis._topic_values import TopicValues, as_scores, repeat_note, rises
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
    """Demands on a run and the verdict on each; true if all of them hold.

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
    """In task rag, the measures' names there."""

    comparison: Comparison | None = None
    """The comparison of `run` and `baseline`, so named, by the measures that must not drop."""

    @property
    def holds(self) -> bool:
        """True if every demand holds and no drop is too large."""
        return bool(self.demands[columns.HOLDS].all() and self.drops[columns.HOLDS].all())

    def __bool__(self) -> bool:
        return self.holds

    @property
    def summary(self) -> str:
        """The number of demands that do not hold, if any."""
        holds = pl.concat([self.demands[columns.HOLDS], self.drops[columns.HOLDS]])
        failed = len(holds) - int(holds.sum())
        does = "does" if failed == 1 else "do"
        if len(holds) == 1:
            return "the demand does not hold" if failed else "the demand holds"
        if failed:
            return f"{failed} of {len(holds)} demands {does} not hold"
        return f"all {len(holds)} demands hold"


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
    """Check demands on the scores of a run, and that they do not drop below a baseline's.

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
    scores = as_scores(scores)
    refuse_alarming(scores.notes)
    design = GateDesign.of(max_drop, alpha, resamples, rng, significant=significant)
    refuse_several(scores, "a gate looks at one run")
    canonical = _canonical(scores, demands)
    if not canonical and baseline is None:
        raise UsageError(
            "nothing is demanded: give a demand such as 'cR@5>=0.80' (--min), or a baseline"
        )
    rows, notes = _demand_rows(scores, canonical, design)
    failed = [demand for demand, row in zip(canonical, rows, strict=True) if not row[columns.HOLDS]]
    (run,) = scores.values
    worst = [
        {columns.TOPIC: topic, columns.MEASURE: demand.measure, columns.VALUE: value}
        for demand in failed
        for topic, value in run.worst_topics(scores.columns.index(demand.measure), demand)
    ]
    baseline_scores = None if baseline is None else as_scores(baseline)
    drops = BaselineDrops.of(scores, baseline_scores, design, rng)
    return Gate(
        run.name,
        pl.DataFrame(rows, schema=dict(DEMANDED)),
        drops.measures,
        pl.DataFrame(worst, schema=dict(WORST)).unique(maintain_order=True),
        drops.losses,
        {**scores.settings, **drops.settings, **design.settings},
        in_order(dict.fromkeys([*scores.notes, *repeat_note(scores), *notes, *drops.notes])),
        scores.measure_names.only([*(demand.measure for demand in canonical), *drops.tested]).plain,
        drops.comparison,
    )


def refuse_several(scores: Scores, reason: str) -> None:
    """Raise unless there is one run."""
    if len(scores.values) != 1:
        names = ", ".join(scores.runs[:3]) + (", …" if len(scores.runs) > 3 else "")
        raise UsageError(f"{reason}, got {counted(len(scores.values), 'run')} ({names})")


def _canonical(scores: Scores, demands: str | Iterable[str] | Mapping[str, float]) -> list[Demand]:
    """The demands under the canonical names of their measures."""
    if isinstance(demands, Mapping):
        parsed = [Demand(name, "", number) for name, number in demands.items()]
    else:
        parsed = list(map(Demand.parsed, [demands] if isinstance(demands, str) else demands))
    canonical = []
    for demand in parsed:
        measure = column_named(scores, demand.measure)
        if measure in scores.extra_columns:
            raise UsageError(f"{measure} is not a measure, so nothing can be demanded of it")
        default_sign = ">=" if rises(scores, measure) else "<="
        canonical.append(Demand(measure, demand.sign or default_sign, demand.number))
    return list(dict.fromkeys(canonical))


def _demand_rows(
    scores: Scores, demands: list[Demand], design: GateDesign
) -> tuple[list[dict[str, object]], list[str]]:
    """A row for every demand, and notes on those that are close or cannot be met exactly."""
    if not demands:
        return [], []
    values = TopicValues.of(scores, [demand.measure for demand in demands], common_topics=False)
    (run,) = scores.runs
    rows: list[dict[str, object]] = []
    notes: list[str] = []
    for demand in demands:
        row = values.measure_index(demand.measure)
        minimum, maximum = values.bounds[row]
        plain_demand = replace(demand, measure=scores.measure_names.label(demand.measure))
        _refuse_impossible(plain_demand, minimum, maximum)
        low, high = values.mean_interval(demand.measure, design.alpha) or (None, None)
        value = scores[run, demand.measure]
        cells = (demand.measure, run, value, low, high, str(demand), demand.holds(value))
        rows.append(dict(zip(DEMANDED, cells, strict=True)))
        notes += _chance_notes(plain_demand, value, low, high, design)
        notes += _step_notes(plain_demand, values.values[row, 0])
    if len(values.topics) == 1:
        notes.append("one topic says nothing about others, so means have no interval")
    return rows, notes


def _refuse_impossible(demand: Demand, minimum: float, maximum: float) -> None:
    """Raise if the measure never reaches the number, as with 80 for 80 %."""
    if not minimum <= demand.number <= maximum:
        raise UsageError(
            f"{demand.measure} is between {minimum:g} and {maximum:g}, so it cannot be compared with"
            f" {demand.number:g}"
            + (f": write {demand.number / 100:g}?" if 1 < demand.number <= 100 else "")
        )


def _chance_notes(
    demand: Demand, value: float, low: float | None, high: float | None, design: GateDesign
) -> Iterator[str]:
    """Note: another choice of topics might change the verdict."""
    if low is None or high is None or not low < demand.number < high:
        return
    verdict, opposite = ("holds", "fail") if demand.holds(value) else ("does not hold", "hold")
    yield (
        f"{demand} {verdict}, but with other topics it might {opposite}: the {100 * (1 - design.alpha):g}"
        f" % interval of the mean is {low:.4g} to {high:.4g}"
    )


def _step_notes(demand: Demand, values: np.ndarray) -> Iterator[str]:
    """Note: a mean of few zeros and ones cannot be exactly the number demanded."""
    topics, steps = len(values), demand.number * len(values)
    if topics >= FEW_TOPICS or not np.all(
        np.minimum(np.abs(values), np.abs(values - 1)) <= EQUAL_WITHIN
    ):
        return
    if abs(steps - round(steps)) <= EQUAL_WITHIN * topics:
        return
    count = math.ceil(steps) if demand.rises else math.floor(steps)
    verb = "asks for" if demand.rises else "allows at most"
    yield (
        f"every topic scores 0 or 1 by {demand.measure}, so with {counted(topics, 'topic')} the mean"
        f" cannot be exactly {demand.number:.12g}: {demand} {verb} {count} of {topics}"
        f" ({count / topics:.4g})"
    )
