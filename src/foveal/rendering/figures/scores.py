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
from foveal.rendering.figures._figure import Figure, figure_of, in_title, source_of, ties
from foveal.spans import Floats
from foveal.tables import columns as c

# iP[0.10], igP(S=bep)[0.10], IPrec@0.1: the level follows the name.
_SUFFIX = re.compile(r"(\[[^]]*\]|@[^@]*)$")
# Curves with more points than this are drawn without dots.
MAX_DOTTED = 11
# Pixels of all topics and of all runs, and the smallest and largest size of one.
TOPICS_WIDTH, CELL_WIDTHS = 760.0, (2.0, 24.0)
RUNS_HEIGHT, ROW_HEIGHTS = 900.0, (11.0, 20.0)
# Upper ends of the colours of a heat map.
ROUND_ENDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


def _refuse_single_levels(names: Sequence[str]) -> None:
    """Refuse measures with fewer than two levels; `names` has a measure once per level."""
    if not names:
        raise UsageError(
            "a curve needs measures at recall levels: score iP[x], igP[x] or IPrec@x, or leave out -m"
        )
    single_names = [name for name in names if names.count(name) == 1]
    if single_names:
        raise UsageError(
            f"a curve needs at least two levels of recall, but {single_names[0]} was scored at one: add"
            " levels, or leave out -m"
        )


@figure_of(Scores, "curves-101", measures=partial(curve_measures, points=101))
@figure_of(Scores, "curves-11", measures=partial(curve_measures, points=11))
@figure_of(Scores, "curves", is_offered=False)
def curves(scores: Scores) -> Figure:
    """Interpolated precision of every run at the levels of recall that were scored."""
    levels = {
        measure: (_SUFFIX.sub("", measure), float(level))
        for measure in scores.measures
        if isinstance(level := dict(parse(measure).arguments).get("x"), Fraction)
    }
    names = list(dict.fromkeys(name for name, _ in levels.values()))
    _refuse_single_levels([name for name, _ in levels.values()])
    data = (
        scores.overall.unpivot(
            on=list(levels), index=c.RUN, variable_name=c.MEASURE, value_name=c.PRECISION
        )
        .with_columns(
            pl.col(c.MEASURE)
            .replace_strict({name: level for name, (_, level) in levels.items()})
            .alias(c.RECALL),
            pl.col(c.MEASURE).replace_strict({name: curve for name, (curve, _) in levels.items()}),
        )
        .select(c.RUN, c.MEASURE, c.RECALL, c.PRECISION)
    )

    def draw() -> drawing.Picture:
        highest = [0.0, *data[c.PRECISION].drop_nulls().drop_nans().to_list()]
        panels = []
        for name in names:
            picture = drawing.lines(
                _curves(data, name),
                partial(drawing.Linear, 0.0, 1.0),
                lambda start, stop: drawing.Linear.around(highest, start, stop, within=(0, 1)),
                x_title="recall",
                y_title="interpolated precision",
                size=(460, 320),
            )
            panels.append(picture.headed(name) if len(names) > 1 else picture)
        return drawing.grid(panels)

    return Figure(_ahead(data, names[0]), data, draw, source_of(scores.settings))


def _curves(data: pl.DataFrame, measure: str) -> list[drawing.Line]:
    """A line for each run, the highest on average first."""
    rows = data.filter(pl.col(c.MEASURE) == measure).sort(c.RECALL, maintain_order=True)
    lines = [
        drawing.Line(str(run), curve[c.RECALL].to_numpy(), curve[c.PRECISION].to_numpy())
        for (run,), curve in rows.group_by(c.RUN, maintain_order=True)
    ]
    has_dots = rows[c.RECALL].n_unique() <= MAX_DOTTED
    best_first = sorted(lines, key=lambda line: -float(np.mean(line.y)))
    return [drawing.Line(line.name, line.x, line.y, dots=has_dots) for line in best_first]


def _ahead(data: pl.DataFrame, measure: str) -> str:
    """Title: the most precise run on average."""
    best, *other_lines = _curves(data, measure)
    levels = counted(len(best.x), "level")
    means = np.array([np.mean(line.y) for line in (best, *other_lines)])
    average = f"{rounded(float(means[0]))} on average over {levels} of recall ({measure})"
    if not other_lines:
        return f"The precision of {in_title(best.name)} is {average}"
    best_count = ties(means, means[0])
    if best_count > 1:
        return f"{best_count:,} of {len(means):,} runs are the most precise: {average}"
    return f"{in_title(best.name)} is the most precise of {len(means):,} runs: {average}"


def _overall(task: Task) -> Sequence[str]:
    return [overall_measure(task)]


@figure_of(Scores, "topics", measures=_overall)
def topics(scores: Scores) -> Figure:
    """Every run on every topic by the first measure, easy topics first."""
    measure = scores.measures[0]
    measure_name = scores.measure_names.label(measure)
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
        cell = (
            _clipped(TOPICS_WIDTH / len(columns), *CELL_WIDTHS),
            _clipped(RUNS_HEIGHT / len(rows), *ROW_HEIGHTS),
        )
        key_title = f"{measure_name}; blank: not scored" if np.isnan(values).any() else measure_name
        picture = drawing.heat(
            values, rows, columns, ends=(low, high), cell=cell,
            x_title="topics, easy first" if len(columns) > 1 else "topic",
        )  # fmt: skip
        key = drawing.heat_key(shortest(low), shortest(high), key_title)
        return drawing.stacked([key, picture], gap=4)

    title = _hardest(measure_name, columns, _averages(values, 0))
    return Figure(title, data, draw, source_of(scores.settings))


def _by_topic(scores: Scores) -> tuple[list[str], list[str], Floats]:
    """The runs, best first, the topics, easiest first, and the first measure's values of both."""
    names = list(dict.fromkeys(topic for run in scores.values for topic in run.topics))
    if not names:
        raise UsageError("the figure shows topics, and none was scored")
    indices = {topic: index for index, topic in enumerate(names)}
    values = np.full((len(scores.values), len(names)), np.nan)
    for row, run in enumerate(scores.values):
        values[row, [indices[topic] for topic in run.topics]] = run.values[0]
    sign = 1.0 if scores.measure_names.rises(scores.measures[0]) else -1.0
    runs, topics = (
        np.argsort(-sign * _averages(values, axis), kind="stable").tolist() for axis in (1, 0)
    )
    return (
        [scores.runs[index] for index in runs],
        [names[index] for index in topics],
        values[np.ix_(runs, topics)],
    )


def _averages(values: Floats, axis: int) -> Floats:
    """Means of the scored values, along an axis."""
    is_scored = ~np.isnan(values)
    counts = np.maximum(is_scored.sum(axis=axis), 1)
    means: Floats = np.where(is_scored, values, 0.0).sum(axis=axis) / counts
    return means


def _ends(values: Floats) -> tuple[float, float]:
    """The range of the colours: 0 to a round number, so that low scores are visible too."""
    scored = values[~np.isnan(values)]
    low, high = float(scored.min(initial=0.0)), float(scored.max(initial=0.0))
    if high > 1:
        return min(low, 0.0), high
    return min(low, 0.0), next(end for end in ROUND_ENDS if end >= high)


def _clipped(value: float, low: float, high: float) -> float:
    return float(min(max(np.floor(value), low), high))


def _hardest(measure: str, names: Sequence[str], means: Floats) -> str:
    easiest, hardest = in_title(names[0]), in_title(names[-1])
    if len(names) == 1:
        return f"Topic {easiest}: mean {measure} {hundredths(float(means[0]))}"
    hardest_count, easiest_count = (ties(means, float(means[index])) for index in (-1, 0))
    lowest, highest = (hundredths(float(means[index])) for index in (-1, 0))
    if hardest_count == len(names):
        return f"All {len(names)} topics are equally hard: mean {measure} {lowest}"
    subject = f"Topic {hardest} is the hardest of {len(names)}"
    if hardest_count > 1:
        subject = f"{hardest_count} of {len(names)} topics are the hardest"
    easiest_text = easiest if easiest_count == 1 else f"{easiest_count} topics"
    return f"{subject} (mean {measure} {lowest}), {easiest_text} the easiest ({highest})"
