"""Scores as an array: measures × runs × topics, over one set of topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from foveal.errors import DataError, UsageError, and_list, counted
from foveal.evaluation import Groups, Scores, scores_like
from foveal.frozen import frozen
from foveal.late import pl
from foveal.measures import MeasuresLike, mean, names_of, parse, record_of
from foveal.spans import Floats, Ints
from foveal.tables import columns, is_frame

SHOWN_TOPICS = 5
# Relative difference from which on means are not those of the same topics.
UNEQUAL = 1e-6


@frozen(eq=False)
class TopicValues:
    """Values of every run on every topic: measures × runs × topics.

    Runs and topics are in order of name, so that the order of files does not matter. A topic that
    counts several times is repeated.
    `signs` is -1 for a measure whose lower values are better; `bounds` are the smallest and the
    largest value that each measure can have, measures × 2.
    """

    measures: list[str]
    runs: list[str]
    topics: list[str]
    values: Floats
    signs: Floats
    bounds: Floats
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, scores: Scores, measures: MeasuresLike, *, common_topics: bool) -> TopicValues:
        """The values of the measures, or of all, on the topics that all runs are scored on.

        Raises if values are not finite or, without `common_topics`, if runs have different topics.
        """
        names = _measure_names(scores, names_of(measures))
        table = scores.topics
        if table.select(columns.RUN, columns.TOPIC).is_duplicated().any():
            raise DataError(
                "two runs have the same name, or one is scored twice on a topic: give every run its"
                " own name"
            )
        if not common_topics:
            _refuse_unlisted(scores, names)
        runs = sorted(scores.runs)
        scored_rows = table.filter(~pl.any_horizontal(pl.col(names).is_nan()))
        topics = _of_every_run(scored_rows, len(runs))
        if not common_topics and len(topics) < table[columns.TOPIC].n_unique():
            raise _unequal(runs, table[columns.TOPIC].unique().sort(), scored_rows)
        if not topics:
            raise DataError("no topic was scored for all runs, so there is nothing to compare")
        rows = scored_rows.filter(pl.col(columns.TOPIC).is_in(topics))
        values = np.full((len(names), len(runs), len(topics)), np.nan)
        run, topic = (
            rows[column].replace_strict(order, range(len(order)), return_dtype=pl.Int64).to_numpy()
            for column, order in ((columns.RUN, runs), (columns.TOPIC, topics))
        )
        values[:, run, topic] = rows.select(names).to_numpy().T
        infinite = np.argwhere(~np.isfinite(values))
        if len(infinite):
            measure, run_at, topic_at = infinite[0]
            raise DataError(
                f"scores must be finite numbers to be compared, but {names[measure]} of run"
                f" {runs[run_at]!r} on topic {topics[topic_at]!r} is {values[measure, run_at, topic_at]}"
            )
        signs = [1.0 if rises(scores, name) else -1.0 for name in names]
        listed_once = cls(
            names, runs, topics, values, np.array(signs), np.empty(0), _omission_note(scores, names)
        )
        times = [scores.topic_facts.count(name) for name in topics]
        return listed_once._at(np.repeat(np.arange(len(topics)), times))

    def by_group(self, groups: Groups | None) -> dict[str, TopicValues]:
        """The values of each group of topics, in the order of groups; empty without groups."""
        if groups is None:
            return {}
        group = np.array(groups.of_topics(self.topics), dtype=object)
        return {name: self._at(np.flatnonzero(group == name)) for name in groups.in_order({*group})}

    def _at(self, topics: Ints) -> TopicValues:
        values = self.values[:, :, topics]
        names = [self.topics[topic] for topic in topics]
        return replace(self, topics=names, values=values, bounds=_bounds(self.measures, values))

    def measure_index(self, name: str) -> int:
        """The index of a measure, in any spelling."""
        return _index(name if name in self.measures else str(parse(name)), self.measures)

    def run_index(self, name: str) -> int:
        """The index of a run."""
        return _index(name, self.runs)

    def mean_interval(self, measure: str, alpha: float) -> tuple[float, float] | None:
        """The t interval of the mean of the only run; None for one topic."""
        from scipy.special import stdtrit

        row = self.measure_index(measure)
        (values,), (minimum, maximum) = self.values[row], self.bounds[row].tolist()
        if len(values) < 2:
            return None
        reach = stdtrit(len(values) - 1, 1 - alpha / 2) * values.std(ddof=1) / np.sqrt(len(values))
        centre = values.mean()
        return max(minimum, float(centre - reach)), min(maximum, float(centre + reach))


def sequential_means(values: Floats) -> Floats:
    """Means over topics, added one after the other: the last digit is that of the scores' means."""
    means: Floats = np.cumsum(values, axis=-1)[..., -1] / values.shape[-1]
    return means


def rises(scores: Scores, measure: str) -> bool:
    """True if higher values of the measure are better."""
    return scores.measure_names.rises(measure)


def as_scores(scores: object) -> Scores:
    """Scores as they are, or of a frame or dicts; raises for anything else."""
    if isinstance(scores, Mapping) or is_frame(scores):
        return scores_like(scores)
    if not isinstance(scores, Scores):
        kind = type(scores).__name__
        raise UsageError(
            f"scores are needed, got {kind}: give what foveal.evaluate returned, or a frame or dicts of"
            " scores"
        )
    # Frames made before a fork would hang; accessing Polars raises an error instead.
    pl.DataFrame  # noqa: B018  # the access is enough
    return scores


def repeat_note(scores: Scores) -> list[str]:
    """Note: repeated topics, which tests and intervals treat as more evidence."""
    if not any(topic in scores.topic_facts.times for run in scores.values for topic in run.topics):
        return []
    return ["repeated topics are treated as independent: intervals are too narrow and p too small"]


def _omission_note(scores: Scores, names: Sequence[str]) -> tuple[str, ...]:
    """Note: measures that cannot compare runs, if all were requested."""
    counts = [name for name in scores.measures if record_of(name).average is not mean]
    if not counts or len(names) + len(counts) < len(scores.measures):
        return ()
    return (
        f"{and_list(counts)}: left out, as runs cannot be compared by what is not a mean over topics",
    )


def _bounds(names: Sequence[str], values: Floats) -> Floats:
    """The records' bounds, extended to the values: with overlap `repeat` these may exceed them."""
    low, high = np.transpose([record_of(name).bounds for name in names])
    return np.stack(
        [np.minimum(low, values.min(axis=(1, 2))), np.maximum(high, values.max(axis=(1, 2)))],
        axis=1,
    )


def _index(name: str, names: list[str]) -> int:
    if name not in names:
        raise UsageError(f"{name!r} was not compared: choose from {', '.join(names)}")
    return names.index(name)


def _measure_names(scores: Scores, measures: Sequence[str]) -> list[str]:
    """The canonical names of the measures requested, which must have been scored."""
    names = [name if name in scores.measures else _scored_name(scores, name) for name in measures]
    for name in names:
        if name not in scores.measures:
            raise UsageError(
                f"{name} was not scored, only {and_list(scores.measures)}: evaluate with {name} first"
            )
    requested = list(dict.fromkeys(names)) or scores.measures
    means = [name for name in requested if record_of(name).average is mean]
    if not means or (names and len(means) < len(requested)):
        name = next(name for name in requested if name not in means)
        raise UsageError(f"{name} is not a mean over topics, so runs cannot be compared by it")
    return means


def _scored_name(scores: Scores, name: str) -> str:
    """The canonical name of a measure under the scores' conventions, else by default."""
    canonical = scores.measure_names.canonical(name)
    return canonical if canonical in scores.measures else str(parse(canonical))


def _refuse_unlisted(scores: Scores, names: Sequence[str]) -> None:
    """Raise if means are over more topics than are listed: tests would not see those."""
    rows = [scores.columns.index(name) for name in names]
    for run in scores.values:
        times = [scores.topic_facts.count(topic) for topic in run.topics]
        means = run.values[rows] @ times / max(sum(times), 1)
        is_same = np.isclose(means, np.take(run.overall, rows), rtol=UNEQUAL, atol=UNEQUAL)
        if times and not np.all(is_same | ~np.isfinite(means)):
            raise DataError(
                f"the means of run {run.name!r} are not those of the topics listed, as with --like"
                " trec_eval-9, where judged topics without results have no row: give --like"
                " trec_eval-10, which lists them, or --topics retrieved"
            )


def _of_every_run(rows: pl.DataFrame, count: int) -> list[str]:
    """The topics on which all of so many runs are scored."""
    counts = rows.group_by(columns.TOPIC).agg(pl.len().alias(columns.COUNT))
    return counts.filter(pl.col(columns.COUNT) == count)[columns.TOPIC].sort().to_list()


def _unequal(runs: list[str], topics: pl.Series, rows: pl.DataFrame) -> DataError:
    """The error about the first run that is not scored on all topics."""
    counts = dict(rows.group_by(columns.RUN).len().iter_rows())
    run = next(run for run in runs if counts.get(run, 0) < len(topics))
    run_topics = rows.filter(pl.col(columns.RUN) == run)[columns.TOPIC]
    missing = topics.filter(~topics.is_in(run_topics.to_list())).to_list()
    examples = ", ".join(missing[:SHOWN_TOPICS])
    hidden_count = len(missing) - SHOWN_TOPICS
    return DataError(
        f"the runs are scored on different topics: run {run!r} has no score on"
        f" {len(missing)} of {counted(len(topics), 'topic')} ({examples}"
        f"{f' and {hidden_count} more' if hidden_count > 0 else ''}); let missing topics score 0 (--topics judged,"
        " in trec_eval -c)"
        " or compare on the topics that all runs share (--common-topics)"
    )
