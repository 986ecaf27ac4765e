"""Figures of scores: precision over recall, and every run on every topic."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import partial

import numpy as np

from foveal.choices import Task
from foveal.errors import UsageError, counted
from foveal.evaluation import Scores
from foveal.late import pl
from foveal.measures import curve_measures, overall_measure, parse
from foveal.rendering import drawing
from foveal.rendering._numbers import hundredths, rounded, shortest
from foveal.rendering.figures._figure import Figure, as_good, figure_of, in_title, source_of
from foveal.spans import Floats
from foveal.tables import columns as c

# iP[0.10], igP(S=bep)[0.10], IPrec@0.1: the level follows the name.
_SUFFIX = re.compile(r"(\[[^]]*\]|@[^@]*)$")
# Curves with more points than this are drawn without dots.
DOTTED = 11
# Pixels of all topics side by side, and the least and the most of one of them and of a run.
TOPICS_WIDE, CELL = 760.0, (2.0, 24.0)
RUNS_HIGH, ROW = 900.0, (11.0, 20.0)
# Where the colours of a heat map may end.
ROUND_ENDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


def _refuse_dots(names: Sequence[str]) -> None:
    """Refuse what has no line; a measure is named once for each of its levels."""
    if not names:
        raise UsageError(
            "a curve needs measures at recall levels: score iP[x], igP[x] or IPrec@x, or leave out -m"
        )
    alone = [name for name in names if names.count(name) == 1]
    if alone:
        raise UsageError(
            f"a curve needs at least two levels of recall, but {alone[0]} was scored at one: add"
            " levels, or leave out -m"
        )


@figure_of(Scores, "curves-101", measures=partial(curve_measures, points=101))
@figure_of(Scores, "curves-11", measures=partial(curve_measures, points=11))
@figure_of(Scores, "curves", offered=False)
def curves(scores: Scores) -> Figure:
    """Interpolated precision of every run at the levels of recall that were scored."""
    levels = {
        measure: (_SUFFIX.sub("", measure), float(level))
        for measure in scores.measures
        if isinstance(level := dict(parse(measure).arguments).get("x"), Fraction)
    }
    names = list(dict.fromkeys(name for name, _ in levels.values()))
    _refuse_dots([name for name, _ in levels.values()])
    data = (
        scores.overall.unpivot(
            on=list(levels), index=c.RUN, variable_name=c.MEASURE, value_name=c.PRECISION
        )
        .with_columns(
            pl.col(c.MEASURE)
            .replace_strict({name: level for name, (_, level) in levels.items()})
            .alias(c.RECALL),
            pl.col(c.MEASURE).replace_strict({name: own for name, (own, _) in levels.items()}),
        )
        .select(c.RUN, c.MEASURE, c.RECALL, c.PRECISION)
    )

    def draw() -> drawing.Picture:
        highest = [0.0, *data[c.PRECISION].drop_nulls().drop_nans().to_list()]
        parts = []
        for name in names:
            picture = drawing.lines(
                _curves(data, name),
                partial(drawing.Linear, 0.0, 1.0),
                lambda start, stop: drawing.Linear.around(highest, start, stop, within=(0, 1)),
                x_title="recall",
                y_title="interpolated precision",
                size=(460, 320),
            )
            parts.append(picture.headed(name) if len(names) > 1 else picture)
        return drawing.beside(parts)

    return Figure(_ahead(data, names[0]), data, draw, source_of(scores.settings))


def _curves(data: pl.DataFrame, measure: str) -> list[drawing.Line]:
    """A line for each run, the one that is highest on average first."""
    own = data.filter(pl.col(c.MEASURE) == measure).sort(c.RECALL, maintain_order=True)
    found = [
        drawing.Line(str(run), part[c.RECALL].to_numpy(), part[c.PRECISION].to_numpy())
        for (run,), part in own.group_by(c.RUN, maintain_order=True)
    ]
    dotted = own[c.RECALL].n_unique() <= DOTTED
    best = sorted(found, key=lambda line: -float(np.mean(line.y)))
    return [drawing.Line(line.name, line.x, line.y, dots=dotted) for line in best]


def _ahead(data: pl.DataFrame, measure: str) -> str:
    """Which run is most precise on the whole."""
    best, *others = _curves(data, measure)
    levels = counted(len(best.x), "level")
    means = np.array([np.mean(line.y) for line in (best, *others)])
    average = f"{rounded(float(means[0]))} on average over {levels} of recall ({measure})"
    if not others:
        return f"The precision of {in_title(best.name)} is {average}"
    tied = as_good(means, means[0])
    if tied > 1:
        return f"{tied:,} of {len(means):,} runs are the most precise: {average}"
    return f"{in_title(best.name)} is the most precise of {len(means):,} runs: {average}"


def _overall(task: Task) -> Sequence[str]:
    return [overall_measure(task)]


@figure_of(Scores, "topics", measures=_overall)
def topics(scores: Scores) -> Figure:
    """Every run on every topic by the first measure, easy topics first."""
    measure = scores.measures[0]
    called = scores.measure_names.label(measure)
    rows, columns, values = _by_topic(scores)
    data = pl.DataFrame(
        {
            c.RUN: [run for run in rows for _ in columns],
            c.TOPIC: columns * len(rows),
            c.MEASURE: [measure] * values.size,
            c.VALUE: values.reshape(-1),
        }
    ).with_columns(pl.col(c.VALUE).fill_nan(None))
    low, high = _ends(values)

    def draw() -> drawing.Picture:
        cell = (_within(TOPICS_WIDE / len(columns), *CELL), _within(RUNS_HIGH / len(rows), *ROW))
        named = f"{called}; blank: not scored" if np.isnan(values).any() else called
        picture = drawing.heat(
            values, rows, columns, ends=(low, high), cell=cell,
            x_title="topics, easy first" if len(columns) > 1 else "topic",
        )  # fmt: skip
        return drawing.stacked(
            [drawing.heat_key(shortest(low), shortest(high), named), picture], gap=4
        )

    title = _hardest(called, columns, _averages(values, 0))
    return Figure(title, data, draw, source_of(scores.settings))


def _by_topic(scores: Scores) -> tuple[list[str], list[str], Floats]:
    """The runs, best first, the topics, easiest first, and the first measure's values of both."""
    names = list(dict.fromkeys(topic for run in scores.values for topic in run.topics))
    if not names:
        raise UsageError("the figure shows topics, and none was scored")
    places = {topic: place for place, topic in enumerate(names)}
    values = np.full((len(scores.values), len(names)), np.nan)
    for row, run in enumerate(scores.values):
        values[row, [places[topic] for topic in run.topics]] = run.values[0]
    sign = 1.0 if scores.measure_names.rises(scores.measures[0]) else -1.0
    runs, topics = (
        np.argsort(-sign * _averages(values, axis), kind="stable").tolist() for axis in (1, 0)
    )
    return (
        [scores.runs[place] for place in runs],
        [names[place] for place in topics],
        values[np.ix_(runs, topics)],
    )


def _averages(values: Floats, axis: int) -> Floats:
    """Means of what was scored."""
    known = ~np.isnan(values)
    means: Floats = np.where(known, values, 0.0).sum(axis=axis) / np.maximum(
        known.sum(axis=axis), 1
    )
    return means


def _ends(values: Floats) -> tuple[float, float]:
    """What the colours reach from and to: 0 and a round number, so that low scores are seen too."""
    known = values[~np.isnan(values)]
    low, high = float(known.min(initial=0.0)), float(known.max(initial=0.0))
    if high > 1:
        return min(low, 0.0), high
    return min(low, 0.0), next(end for end in ROUND_ENDS if end >= high)


def _within(value: float, low: float, high: float) -> float:
    return float(min(max(np.floor(value), low), high))


def _hardest(measure: str, names: Sequence[str], means: Floats) -> str:
    easiest, hardest = in_title(names[0]), in_title(names[-1])
    if len(names) == 1:
        return f"Topic {easiest}: mean {measure} {hundredths(float(means[0]))}"
    hard, easy = (as_good(means, float(means[place])) for place in (-1, 0))
    least, most = (hundredths(float(means[place])) for place in (-1, 0))
    if hard == len(names):
        return f"All {len(names)} topics are equally hard: mean {measure} {least}"
    one = f"Topic {hardest} is the hardest of {len(names)}"
    told = one if hard == 1 else f"{hard} of {len(names)} topics are the hardest"
    other = easiest if easy == 1 else f"{easy} topics"
    return f"{told} (mean {measure} {least}), {other} the easiest ({most})"
