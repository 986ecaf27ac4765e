"""Scores that were made before, by foveal or by any other program."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from foveal.choices import Task
from foveal.errors import BadInput, DataError, Problem, UsageError, counted, shortened_list
from foveal.evaluation.groups import GroupMeans, Groups
from foveal.evaluation.measure_names import MeasureNames
from foveal.evaluation.run_scores import UNKNOWN_ORIGIN, RunScores
from foveal.evaluation.score_cells import MEANS, NO_SCORES, Cells, cells_of, in_lines
from foveal.evaluation.scores import GROUPS, QRELS_SHA256, ScoreInputs, Scores
from foveal.evaluation.topic_facts import TopicFacts
from foveal.frozen import frozen
from foveal.late import pl
from foveal.measures import FOREIGN, is_measure, mean, parse, record_of, sequential_sum
from foveal.spans import Floats, Ints
from foveal.tables import Frame, in_order
from foveal.tables import columns as c

# Stated means by run, measure and group.
Means: TypeAlias = Mapping[tuple[str, ...], float]
# Settings that change the meaning of numbers.
DECISIVE = ("task", "like", "topics", "overlap", "rel", "depth", "judged only")
# Names of measures of which less is usually better.
LESS_IS_BETTER = re.compile(r"latency|cost|time|error|loss|_ms$", re.IGNORECASE)
UNKNOWN_JUDGEMENTS = "which judgements these scores are from is not known"
ROUNDED = 1e4
# Scores such as P@5 and P@20 are equal by nature; more equal pairs than this share are not.
COARSE, MANY_TIES = 20, 0.05
MAX_MEASURES = 1000
# A table of more cells than LARGE, of which fewer than one in SPARSE has a value, is refused.
LARGE, SPARSE = 10_000_000, 20
# Rounding of a mean that is stated in full.
EQUAL = 1e-9
# Squares of larger numbers overflow a double.
LARGEST_SCORE = 1e100


ScoresLike: TypeAlias = Scores | Frame | Mapping[str, object]
"""Scores, or a frame of them, or dicts by run and topic."""


def scores_like(data: object, lower: Iterable[str] = ()) -> Scores:
    """The scores themselves, or scores from a frame or from dicts by run and topic."""
    if isinstance(data, Scores) and not lower:
        return data
    if isinstance(data, Scores):
        raise UsageError(
            "lower is for scores that are not foveal's own yet: give it where they are made"
        )
    return scores_of([cells_of(data)], lower)


def scores_of(parts: Sequence[Cells], lower: Iterable[str] = ()) -> Scores:
    """The scores from one or more sources; groups and extra columns are kept if foveal saved them."""
    is_ours = all(part.settings is not None for part in parts)
    notes = [note for part in parts for note in part.notes]
    cells, stated_means = _cells_and_means(parts)
    _refuse_wrong(cells, parts, bounded=not is_ours)
    groups = _groups(cells, stated_means)
    cells = _mean_over_repeats(cells, notes)
    extra_columns = [name for name in _names(cells) if is_ours and record_of(name) is FOREIGN]
    cells = _in_every_run(cells, extra_columns, parts[0].source, notes)
    measures = [name for name in _names(cells) if name not in extra_columns]
    falling = _lower_is_better(measures, lower)
    times = dict(cells.filter(pl.col(c.TIMES) > 1).select(c.TOPIC, c.TIMES).iter_rows())
    keyed = stated_means.select(c.RUN, c.MEASURE, c.GROUP, c.VALUE).iter_rows()
    means: Means = {tuple(key): math.nan if mean is None else mean for *key, mean in keyed}
    averages = Averages([*measures, *extra_columns], means, times, groups, as_stated=is_ours)
    sources = [part.source for part in parts]
    values = [averages.of(rows, sources) for rows in cells.partition_by(c.RUN, maintain_order=True)]
    if not is_ours:
        notes += [*_foreign_notes(measures, falling), *_mean_notes(values, measures, means)]
        notes += [*_rounding_notes(cells), UNKNOWN_JUDGEMENTS]
    settings = _settings(parts, notes, has_groups=groups is not None)
    is_rag = settings.get("task", "").startswith(Task.RAG)
    plain = {name: parse(name).plain for name in measures} if is_rag else {}
    return Scores(
        measures=measures,
        values=values,
        settings=settings,
        notes=in_order(notes),
        extra_columns=tuple(extra_columns),
        measure_names=MeasureNames(lower=falling, plain=plain),
        topic_facts=TopicFacts(times, groups=groups),
        inputs=ScoreInputs(_judgements(parts)),
    )


def _cells_and_means(parts: Sequence[Cells]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The cells of topics and those of means, under the canonical names of their measures."""
    frames = []
    for index, part in enumerate(parts):
        frame = part.frame.with_columns(
            pl.col(c.RUN).fill_null(part.run), pl.lit(index, pl.UInt32).alias(c.PART)
        )
        if part.settings is None:
            topic = pl.col(c.TOPIC).replace(dict.fromkeys(MEANS, c.ALL_TOPICS))
            is_score = ~pl.col(c.MEASURE).str.contains(NO_SCORES)
            frame = frame.filter(is_score).with_columns(topic)
        frames.append(frame)
    table = pl.concat(frames)
    spellings = table[c.MEASURE].unique().to_list()
    if "Rprec" in spellings:
        # trec_eval -m all_trec prints it under both names.
        table = table.filter(pl.col(c.MEASURE) != "Rprec_mult_1.00")
    if len(spellings) > MAX_MEASURES:
        reason = f"scores of {len(spellings):,} measures: are topics and measures swapped?"
        raise BadInput(parts[0].source, [Problem(None, reason)])
    names = [str(parse(name)) if is_measure(name) else name for name in spellings]
    table = table.with_columns(pl.col(c.MEASURE).replace(dict(zip(spellings, names, strict=True))))
    is_mean = pl.col(c.TOPIC) == c.ALL_TOPICS
    cells = table.filter(~is_mean)
    if cells.is_empty():
        reason = "no scores of topics: save them with --per-topic, or as JSON"
        raise BadInput(parts[0].source, [Problem(None, reason)])
    return cells, table.filter(is_mean).with_columns(pl.col(c.GROUP).fill_null(c.ALL_TOPICS))


def _groups(cells: pl.DataFrame, means: pl.DataFrame) -> Groups | None:
    """The groups of topics, in the order of their means; None if there are none."""
    grouped_topics = cells.select(c.TOPIC, c.GROUP).unique(maintain_order=True).drop_nulls()
    grouped_topics = grouped_topics.filter(pl.col(c.GROUP) != c.UNGROUPED)
    if grouped_topics.is_empty():
        return None
    order = {name: index for index, name in enumerate(means[c.GROUP].unique(maintain_order=True))}
    index = pl.col(c.GROUP).replace_strict(order, default=len(order), return_dtype=pl.Int64)
    return Groups.of_column(grouped_topics.sort(index, maintain_order=True), c.GROUP)


def _names(cells: pl.DataFrame) -> list[str]:
    names: list[str] = cells[c.MEASURE].unique(maintain_order=True).to_list()
    return names


def _refuse_wrong(cells: pl.DataFrame, parts: Sequence[Cells], *, bounded: bool) -> None:
    """Refuse repeated cells, and values beyond the bounds of a measure."""
    names = (c.RUN, c.TOPIC, c.MEASURE)
    repeated = cells.filter(~pl.struct(*names, c.REPEAT).is_first_distinct())
    problems = [
        (part, line, f"{measure} of run {run!r} on topic {topic!r} is there a second time")
        for part, line, run, topic, measure in repeated.select(c.PART, c.LINE, *names).iter_rows()
    ]
    for name in _names(cells):
        problems += _beyond_bounds(cells.filter(pl.col(c.MEASURE) == name), name, bounded=bounded)
    if problems:
        first = parts[min(part for part, _, _ in problems)]
        reasons = [Problem(line, reason) for part, line, reason in problems if parts[part] is first]
        raise BadInput(first.source, in_lines(reasons, has_lines=first.has_lines))


def _beyond_bounds(
    cells: pl.DataFrame, measure: str, *, bounded: bool
) -> Iterator[tuple[int, int, str]]:
    """Values beyond the bounds of a measure: part, line and reason."""
    bounds = record_of(measure).bounds if bounded else FOREIGN.bounds
    # With -l, trec_eval may report counts of 0 for topics that foveal leaves out.
    minimum, maximum = max(min(bounds[0], 0), -LARGEST_SCORE), min(bounds[1], LARGEST_SCORE)
    is_within = pl.col(c.VALUE).is_between(minimum - EQUAL, maximum + EQUAL)
    for part, line, value in cells.filter(~is_within).select(c.PART, c.LINE, c.VALUE).iter_rows():
        question = ": per cent?" if maximum < value <= 100 * maximum else ""
        reason = f"{measure} is {value:g}, but it is between {minimum:g} and {maximum:g}{question}"
        yield part, line, reason


def _mean_over_repeats(cells: pl.DataFrame, notes: list[str]) -> pl.DataFrame:
    """The mean of cells over the repeats of a system."""
    repeats = cells[c.REPEAT].drop_nulls().n_unique()
    if not repeats:
        return cells
    repeated = cells.group_by(c.RUN, c.TOPIC, c.MEASURE, maintain_order=True)
    fewest = max(1, int(repeated.agg(pl.col(c.VALUE).count())[c.VALUE].to_numpy().min()))
    fewer = f"{fewest} to " if fewest < repeats else ""
    notes.append(f"scores are means of {fewer}{counted(repeats, 'repeat')}")
    return repeated.agg(pl.col(c.VALUE).mean(), pl.col(c.PART, c.TIMES).first())


def _in_every_run(
    cells: pl.DataFrame, extra_columns: Sequence[str], source: str, notes: list[str]
) -> pl.DataFrame:
    """The cells of measures with a value for every run, and of extra columns."""
    runs = cells[c.RUN].n_unique()
    run_counts = (
        cells.drop_nulls(c.VALUE)
        .group_by(c.MEASURE, maintain_order=True)
        .agg(pl.col(c.RUN).n_unique())
    )
    names = [
        name for name, count in run_counts.iter_rows() if count == runs or name in extra_columns
    ]
    if absent := [name for name in _names(cells) if name not in {*names, *extra_columns}]:
        notes.append(f"{shortened_list(absent)}: left out, as not every run has a value")
    if not {*names} - {*extra_columns}:
        raise BadInput(source, [Problem(None, "no measure has a value for every run")])
    return cells.filter(pl.col(c.MEASURE).is_in(names))


def _lower_is_better(measures: Sequence[str], lower: Iterable[str]) -> frozenset[str]:
    """The measures of other programs of which less is better."""
    names = frozenset([lower] if isinstance(lower, str) else lower)
    for name in sorted(names):
        if is_measure(name):
            raise UsageError(f"foveal knows whether less is better by {name}: leave out lower")
        if name not in measures:
            raise UsageError(f"lower names {name!r}, but scored are {shortened_list(measures)}")
    return names


@frozen(eq=False)
class Averages:
    """Averages a run's values; means that foveal stated are used as they are."""

    measures: Sequence[str]
    means: Means
    times: Mapping[str, int]
    groups: Groups | None
    as_stated: bool

    def of(self, cells: pl.DataFrame, sources: Sequence[str]) -> RunScores:
        """One run's values and averages; NaN where it has no value."""
        run, topics = cells[c.RUN][0], cells[c.TOPIC].unique(maintain_order=True).to_list()
        size = len(self.measures) * len(topics)
        if size > LARGE and size > SPARSE * cells.height:
            raise DataError(
                f"run {run!r} has {cells.height:,} of {size:,} values: most are missing"
            )
        rows, columns = (
            cells[name].replace_strict(names, range(len(names)), return_dtype=pl.Int64).to_numpy()
            for name, names in ((c.MEASURE, self.measures), (c.TOPIC, topics))
        )
        values = np.full((len(self.measures), len(topics)), np.nan)
        values[rows, columns] = cells[c.VALUE].fill_null(np.nan).to_numpy()
        weights = np.array([self.times.get(topic, 1) for topic in topics])
        overall = self._means(run, c.ALL_TOPICS, values, weights)
        origin = replace(UNKNOWN_ORIGIN, source=sources[cells[c.PART][-1]])
        scores = RunScores(run, topics, values, overall, origin=origin)
        if self.groups is None:
            return scores
        group_of = np.array(self.groups.of_topics(topics))
        by_group = {
            group: GroupMeans(
                int(weights[group_of == group].sum()),
                self._means(run, group, values[:, group_of == group], weights[group_of == group]),
            )
            for group in self.groups.in_order({*group_of})
        }
        all_topics = GroupMeans(int(weights.sum()), overall)
        return replace(scores, by_group={**by_group, c.ALL_TOPICS: all_topics})

    def _means(self, run: str, group: str, values: Floats, weights: Ints) -> list[float]:
        """The averages over topics: means, or the stated numbers."""
        averages = []
        for measure, row in zip(self.measures, values, strict=True):
            has_value = ~np.isnan(row)
            is_mean = record_of(measure).average is mean and has_value.any()
            total = sequential_sum((row * weights)[has_value])
            average = total / int(weights[has_value].sum()) if is_mean else math.nan
            is_stated = self.as_stated or not is_mean
            stated_mean = self.means.get((run, measure, group), average)
            averages.append(stated_mean if is_stated else average)
        return averages


def _foreign_notes(measures: Sequence[str], falling: frozenset[str]) -> Iterator[str]:
    """Note: measures unknown to foveal, and those of which less may be better."""
    rising = [name for name in measures if record_of(name) is FOREIGN and name not in falling]
    if rising:
        doubtful = [name for name in rising if LESS_IS_BETTER.search(name)]
        names = shortened_list(doubtful)
        hint = f"; is less better by {names}? --lower {doubtful[0]}" if doubtful else ""
        yield (
            f"foveal does not know {shortened_list(rising)}: more is taken to be better (else --lower NAME, in"
            f" Python lower=){hint}"
        )


def _mean_notes(
    values: Sequence[RunScores], measures: Sequence[str], means: Means
) -> Iterator[str]:
    """Note: a stated mean that differs from that of the topics by more than rounding."""
    digits = max((len(repr(mean).partition(".")[2]) for mean in means.values()), default=0)
    # The values of the topics are rounded too.
    slack = max(10.0**-digits, EQUAL) + EQUAL
    for run in values:
        for measure, mean_of_topics in zip(measures, run.overall, strict=True):
            stated_mean = means.get((run.name, measure, c.ALL_TOPICS), mean_of_topics)
            if abs(stated_mean - mean_of_topics) > slack:
                yield (
                    f"the mean {measure} of run {run.name!r} is stated as {stated_mean:g}, but that of its"
                    f" {counted(len(run.topics), 'topic')} is {mean_of_topics:.4g}: over other topics?"
                )
                return


def _rounding_notes(cells: pl.DataFrame) -> Iterator[str]:
    """Note: equal scores may be equal only because they were rounded."""
    value = pl.col(c.VALUE)
    rounded = cells.select(
        ((value * ROUNDED - (value * ROUNDED).round()).abs() < EQUAL * ROUNDED).all()
    )
    if not rounded.item():
        return
    equal_cells = cells.group_by(c.MEASURE, c.TOPIC, c.VALUE).agg(pl.len().alias(c.COUNT))
    pairs = pl.col(c.COUNT) * (pl.col(c.COUNT) - 1) / 2
    is_fine = ((value * COARSE - (value * COARSE).round()).abs() > EQUAL).fill_null(value=False)
    runs = cells[c.RUN].n_unique()
    all_pairs = cells.height * (runs - 1) / 2
    tied_pairs = equal_cells.filter(is_fine).select(pairs.sum()).item()
    if tied_pairs > MANY_TIES * all_pairs:
        yield "values are rounded to 4 decimals: ties may be rounding"


def _settings(parts: Sequence[Cells], notes: list[str], *, has_groups: bool) -> dict[str, str]:
    """The settings of all parts; a note lists decisive ones that differ."""
    by_part = [part.settings or {"formats": part.format} for part in parts]
    hidden = {QRELS_SHA256} if has_groups else {QRELS_SHA256, GROUPS}
    settings = {
        name: " / ".join(dict.fromkeys(part.get(name, "not stated") for part in by_part))
        for name in dict.fromkeys(name for part in by_part for name in part)
        if name not in hidden
    }
    if unequal := [
        f"{name}: {settings[name]}" for name in DECISIVE if " / " in settings.get(name, "")
    ]:
        notes.append(f"the scores were not made in the same way ({'; '.join(unequal)})")
    if settings.get("task", "").partition(" (")[0] not in {*Task}:
        # With several tasks or none, no measure is the overall one.
        settings.pop("task", None)
    return settings


def _judgements(parts: Sequence[Cells]) -> str:
    """The hash of the judgements, which must be the same for all scores."""
    part_of = {
        part.settings[QRELS_SHA256]: part
        for part in parts
        if part.settings and QRELS_SHA256 in part.settings
    }
    if len(part_of) > 1:
        first, second, *_ = part_of.values()
        raise DataError(
            f"{first.source} and {second.source} were scored against different judgements: score them"
            " again on the same"
        )
    return next(iter(part_of), "") if all(part.settings for part in parts) else ""
