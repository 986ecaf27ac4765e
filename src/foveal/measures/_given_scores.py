"""Scores that were made before, by foveal or by any other program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from foveal.choices import Task
from foveal.conventions import Conventions
from foveal.errors import BadInput, DataError, Problem, UsageError, counted, some
from foveal.late import pl
from foveal.measures._grammar import is_measure, parse, record_of
from foveal.measures._record import FOREIGN, mean
from foveal.measures._score_cells import NO_SCORES, Cells, cells_of, in_lines
from foveal.measures._wording import MeasureWording
from foveal.tables import GROUPS, QRELS_SHA256, Frame, RunValues, Scores, in_order
from foveal.tables import columns as c

# Topics that are rows of means.
MEANS = [c.ALL_TOPICS, "amean", "mean"]
Means: TypeAlias = dict[tuple[str, ...], float]
# The settings without which numbers mean something else.
DECISIVE = ("task", "like", "topics", "overlap", "rel", "depth", "judged only")
# What is mostly better when it is less.
LESS_IS_BETTER = re.compile(r"latency|cost|time|error|loss|_ms$", re.IGNORECASE)
ROUNDED = 1e4
# Scores such as P@5 and P@20 are equal by nature; more equal pairs than this share are not.
COARSE, MANY_TIES = 20, 0.05
# A table of more cells, of which fewer than one in so many is known, is not one of scores.
LARGE, SPARSE = 10_000_000, 20
# Rounding of a mean that is stated in full.
EQUAL = 1e-9


ScoresLike: TypeAlias = Scores | Frame | Mapping[str, object]
"""Scores, or a frame of them, or dicts by run and topic."""


def scores_like(data: object, lower: Iterable[str] = ()) -> Scores:
    """Scores as they are, or made of a frame or of dicts by run and topic."""
    if isinstance(data, Scores) and not lower:
        return data
    if isinstance(data, Scores):
        raise UsageError(
            "lower is for scores that are not foveal's own yet: give it where they are made"
        )
    return scores_of([cells_of(data)], lower)


def scores_of(parts: Sequence[Cells], lower: Iterable[str] = ()) -> Scores:
    """The scores in some sources; columns that rode along with foveal's own still do."""
    own = all(part.settings is not None for part in parts)
    notes = [note for part in parts for note in part.notes]
    table = _joined(parts)
    # Means of groups of topics are not read.
    is_mean, whole = pl.col(c.TOPIC).is_in(MEANS), pl.col(c.GROUP).fill_null(c.ALL_TOPICS)
    stated = table.filter(is_mean & (whole == c.ALL_TOPICS))
    cells = table.filter(~is_mean)
    if cells.is_empty():
        reason = "no scores of topics: save them with --per-topic, or as JSON"
        raise BadInput(parts[0].source, [Problem(None, reason)])
    _refuse_wrong(cells, parts, bounded=not own)
    cells = _over_repeats(cells, notes)
    also = [name for name in _names(cells) if own and record_of(name) is FOREIGN]
    cells = _of_every_run(cells, also, parts[0].source, notes)
    measures = [name for name in _names(cells) if name not in also]
    wording = MeasureWording(Conventions(), _falling(measures, lower))
    times = dict(cells.filter(pl.col(c.TIMES) > 1).select(c.TOPIC, c.TIMES).iter_rows())
    means: Means = {
        tuple(row): mean for *row, mean in stated.select(c.RUN, c.MEASURE, c.VALUE).iter_rows()
    }
    values = [
        _run_values(frame, [*measures, *also], times, means, as_stated=own)
        for frame in cells.partition_by(c.RUN, maintain_order=True)
    ]
    if not own:
        notes += [*_foreign_notes(measures, wording), *_mean_notes(values, measures, means)]
        notes += [*_rounding_notes(cells), "which judgements these scores are from is not known"]
    settings = _settings(parts, notes)
    sources = {
        run: parts[at].source for run, at in cells.select(c.RUN, c.PART).unique().iter_rows()
    }
    return Scores(
        measures=measures,
        values=values,
        settings=settings,
        notes=in_order(notes),
        sources=tuple(sources[run.name] for run in values),
        also=tuple(also),
        judgements=_judgements(parts),
        wording=wording,
        times=times,
        plain={name: parse(name).plain for name in measures}
        if settings.get("task", "").startswith(Task.RAG)
        else {},
    )


def _joined(parts: Sequence[Cells]) -> pl.DataFrame:
    """The cells of all parts under the canonical names of their measures."""
    table = pl.concat(
        part.frame.with_columns(
            pl.col(c.RUN).fill_null(part.run), pl.lit(place, pl.UInt32).alias(c.PART)
        )
        for place, part in enumerate(parts)
    ).filter(~pl.col(c.MEASURE).str.contains(NO_SCORES))
    spelled = table[c.MEASURE].unique().to_list()
    names = [str(parse(name)) if is_measure(name) else name for name in spelled]
    return table.with_columns(pl.col(c.MEASURE).replace(dict(zip(spelled, names, strict=True))))


def _names(cells: pl.DataFrame) -> list[str]:
    found: list[str] = cells[c.MEASURE].unique(maintain_order=True).to_list()
    return found


def _refuse_wrong(cells: pl.DataFrame, parts: Sequence[Cells], *, bounded: bool) -> None:
    """Refuse cells that are there twice, and values that a measure never has."""
    again = cells.filter(~pl.struct(c.RUN, c.TOPIC, c.MEASURE, c.REPEAT).is_first_distinct())
    told = [
        (part, line, f"{measure} of run {run!r} on topic {topic!r} is there a second time")
        for part, line, run, topic, measure in again.select(
            c.PART, c.LINE, c.RUN, c.TOPIC, c.MEASURE
        ).iter_rows()
    ]
    for name in _names(cells) if bounded else ():
        least, greatest = record_of(name).bounds
        value = pl.col(c.VALUE)
        odd = cells.filter(
            (pl.col(c.MEASURE) == name) & ((value < least - EQUAL) | (value > greatest + EQUAL))
        )
        told += [
            (
                part,
                line,
                f"{name} is {value:g}, but it is between {least:g} and {greatest:g}: per cent?",
            )
            for part, line, value in odd.select(c.PART, c.LINE, c.VALUE).iter_rows()
        ]
    if told:
        first = parts[min(part for part, _, _ in told)]
        problems = [Problem(line, reason) for part, line, reason in told if parts[part] is first]
        raise BadInput(first.source, in_lines(problems, has_lines=first.has_lines))


def _over_repeats(cells: pl.DataFrame, notes: list[str]) -> pl.DataFrame:
    """The mean of the cells that are there once for each repeat of a system."""
    repeats = cells[c.REPEAT].drop_nulls().n_unique()
    if not repeats:
        return cells
    notes.append(f"scores are means of {counted(repeats, 'repeat')}")
    return cells.group_by(c.RUN, c.TOPIC, c.MEASURE, maintain_order=True).agg(
        pl.col(c.VALUE).mean(), pl.col(c.PART, c.TIMES).first()
    )


def _of_every_run(
    cells: pl.DataFrame, also: Sequence[str], source: str, notes: list[str]
) -> pl.DataFrame:
    """The cells of measures that all runs have, and of columns that rode along."""
    runs = cells[c.RUN].n_unique()
    known = (
        cells.drop_nulls(c.VALUE)
        .group_by(c.MEASURE, maintain_order=True)
        .agg(pl.col(c.RUN).n_unique())
    )
    kept = [name for name, count in known.iter_rows() if count == runs or name in also]
    if absent := [name for name in _names(cells) if name not in {*kept, *also}]:
        notes.append(f"{some(absent)}: left out, as not every run has a value")
    if not {*kept} - {*also}:
        raise BadInput(source, [Problem(None, "no measure has a value for every run")])
    return cells.filter(pl.col(c.MEASURE).is_in(kept))


def _falling(measures: Sequence[str], lower: Iterable[str]) -> frozenset[str]:
    """The measures of other programs of which less is better."""
    named = frozenset([lower] if isinstance(lower, str) else lower)
    for name in sorted(named):
        if is_measure(name):
            raise UsageError(f"foveal knows whether less is better by {name}: leave out lower")
        if name not in measures:
            raise UsageError(f"lower names {name!r}, but scored are {some(measures)}")
    return named


def _run_values(
    cells: pl.DataFrame,
    measures: Sequence[str],
    times: Mapping[str, int],
    means: Means,
    *,
    as_stated: bool,
) -> RunValues:
    """One run's values; where it has none they are not a number."""
    run = cells[c.RUN][0]
    topics = cells[c.TOPIC].unique(maintain_order=True).to_list()
    size = len(measures) * len(topics)
    if size > LARGE and size > SPARSE * cells.height:
        raise DataError(f"run {run!r} has {cells.height:,} of {size:,} values: most are missing")
    rows, places = (
        cells[column].replace_strict(names, range(len(names)), return_dtype=pl.Int64).to_numpy()
        for column, names in ((c.MEASURE, measures), (c.TOPIC, topics))
    )
    values = np.full((len(measures), len(topics)), np.nan)
    values[rows, places] = cells[c.VALUE].fill_null(np.nan).to_numpy()
    weights = np.array([times.get(topic, 1) for topic in topics])
    overall = []
    for measure, row in zip(measures, values, strict=True):
        known = ~np.isnan(row)
        is_mean = record_of(measure).average is mean and known.any()
        own = float(np.average(row[known], weights=weights[known])) if is_mean else np.nan
        told = means.get((run, measure), own)
        overall.append(told if as_stated or not is_mean else own)
    return RunValues(run, topics, values, overall)


def _foreign_notes(measures: Sequence[str], wording: MeasureWording) -> Iterator[str]:
    """Of which measures foveal knows nothing, and which of them may fall."""
    rising = [name for name in measures if record_of(name) is FOREIGN and wording.rises(name)]
    if rising:
        doubtful = [name for name in rising if LESS_IS_BETTER.search(name)]
        ask = f"; is less better by {some(doubtful)}? --lower {doubtful[0]}" if doubtful else ""
        yield (
            f"foveal does not know {some(rising)}: more is taken to be better (else --lower NAME, in"
            f" Python lower=){ask}"
        )


def _mean_notes(
    values: Sequence[RunValues], measures: Sequence[str], means: Means
) -> Iterator[str]:
    """Which stated means are not those of the topics, as far as their digits tell."""
    digits = max((len(repr(mean).partition(".")[2]) for mean in means.values()), default=0)
    slack = max(0.5 * 10.0**-digits, EQUAL) + EQUAL
    for run in values:
        for measure, mean_of_topics in zip(measures, run.overall, strict=True):
            told = means.get((run.name, measure), mean_of_topics)
            if abs(told - mean_of_topics) > slack:
                yield (
                    f"the mean {measure} of run {run.name!r} is stated as {told:g}, but that of its"
                    f" {counted(len(run.topics), 'topic')} is {mean_of_topics:.4g}: over other topics?"
                )
                return


def _rounding_notes(cells: pl.DataFrame) -> Iterator[str]:
    """That equal scores may be equal only because they were rounded."""
    value = pl.col(c.VALUE)
    rounded = cells.select(
        ((value * ROUNDED - (value * ROUNDED).round()).abs() < EQUAL * ROUNDED).all()
    )
    if not rounded.item():
        return
    alike = cells.group_by(c.MEASURE, c.TOPIC, c.VALUE).agg(pl.len().alias(c.COUNT))
    pairs = pl.col(c.COUNT) * (pl.col(c.COUNT) - 1) / 2
    fine = ((value * COARSE - (value * COARSE).round()).abs() > EQUAL).fill_null(value=False)
    runs = cells[c.RUN].n_unique()
    every = cells.height * (runs - 1) / 2
    tied = alike.filter(fine).select(pairs.sum()).item()
    if tied > MANY_TIES * every:
        yield "values are rounded to 4 decimals: ties may be rounding"


def _settings(parts: Sequence[Cells], notes: list[str]) -> dict[str, str]:
    """The settings of all parts; a note says which of those that matter are not the same."""
    known = [part.settings or {"formats": part.format} for part in parts]
    found = {
        name: " / ".join(dict.fromkeys(own.get(name, "") for own in known))
        for name in dict.fromkeys(name for own in known for name in own)
        if name not in {QRELS_SHA256, GROUPS}
    }
    if odd := [f"{name}: {found[name]}" for name in DECISIVE if " / " in found.get(name, "")]:
        notes.append(f"the scores were not made in the same way ({'; '.join(odd)})")
    return found


def _judgements(parts: Sequence[Cells]) -> str:
    """The hash of the judgements, which all scores must be from."""
    known = {
        part.settings[QRELS_SHA256]: part
        for part in parts
        if part.settings and QRELS_SHA256 in part.settings
    }
    if len(known) > 1:
        one, other, *_ = known.values()
        raise DataError(
            f"{one.source} and {other.source} were scored against different judgements: score them"
            " again on the same"
        )
    return next(iter(known), "") if all(part.settings for part in parts) else ""
