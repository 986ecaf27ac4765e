"""Scores as numbers by run and topic, over one set of topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from foveal.errors import DataError, UsageError, counted, listed
from foveal.evaluation import Groups, Scores, scores_like
from foveal.frozen import frozen
from foveal.late import pl
from foveal.measures import MeasuresLike, mean, named, parse, record_of
from foveal.spans import Floats, Ints
from foveal.tables import columns, is_frame

SHOWN_TOPICS = 5
# Means that differ by more are not those of the same topics.
UNEQUAL = 1e-6


@frozen(eq=False)
class TopicValues:
    """What every run scores on every topic: measures × runs × topics.

    Runs and topics are in the order of their names, so that the order of files changes nothing. A
    topic that counts several times is there as often.
    `signs` is -1 for a measure of which less is better; `bounds` are the least and the greatest
    score that each measure can give, measures × 2.
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
        """The values of one measure or several (of all, if none is named)."""
        names = _named(scores, named(measures))
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
            rows[column].replace_strict(known, range(len(known)), return_dtype=pl.Int64).to_numpy()
            for column, known in ((columns.RUN, runs), (columns.TOPIC, topics))
        )
        values[:, run, topic] = rows.select(names).to_numpy().T
        infinite = np.argwhere(~np.isfinite(values))
        if len(infinite):
            measure, owner, where = infinite[0]
            raise DataError(
                f"scores must be finite numbers to be compared, but {names[measure]} of run"
                f" {runs[owner]!r} on topic {topics[where]!r} is {values[measure, owner, where]}"
            )
        signs = [1.0 if rises(scores, name) else -1.0 for name in names]
        whole = cls(
            names, runs, topics, values, np.array(signs), np.empty(0), _left_out(scores, names)
        )
        times = [scores.topic_facts.count(name) for name in topics]
        return whole._at(np.repeat(np.arange(len(topics)), times))

    def by_group(self, groups: Groups | None) -> dict[str, TopicValues]:
        """The values of each group of topics, in the order of the groups; none without groups."""
        if groups is None:
            return {}
        found = np.array(groups.of_topics(self.topics), dtype=object)
        return {name: self._at(np.flatnonzero(found == name)) for name in groups.in_order({*found})}

    def _at(self, places: Ints) -> TopicValues:
        values = self.values[:, :, places]
        names = [self.topics[place] for place in places]
        return replace(self, topics=names, values=values, bounds=_bounds(self.measures, values))

    def of_measure(self, name: str) -> int:
        """The place of a measure, however it is spelled."""
        return _place(name if name in self.measures else str(parse(name)), self.measures)

    def of_run(self, name: str) -> int:
        """The place of a run."""
        return _place(name, self.runs)

    def mean_interval(self, measure: str, alpha: float) -> tuple[float, float] | None:
        """The t interval of the mean of the only run, which one topic leaves unknown."""
        from scipy.special import stdtrit

        place = self.of_measure(measure)
        (own,), (least, greatest) = self.values[place], self.bounds[place].tolist()
        if len(own) < 2:
            return None
        reach = stdtrit(len(own) - 1, 1 - alpha / 2) * own.std(ddof=1) / np.sqrt(len(own))
        return max(least, float(own.mean() - reach)), min(greatest, float(own.mean() + reach))


def means_in_turn(values: Floats) -> Floats:
    """Means over topics, summed one after the other as those of scores are: the same last digit."""
    means: Floats = np.cumsum(values, axis=-1)[..., -1] / values.shape[-1]
    return means


def rises(scores: Scores, measure: str) -> bool:
    """Whether more is better, by the measure's record and by what is known of other programs'."""
    return scores.measure_names.rises(measure)


def scored(scores: object) -> Scores:
    """What `evaluate` returns, or what a frame or dicts of scores hold; refused is everything else."""
    if isinstance(scores, Mapping) or is_frame(scores):
        return scores_like(scores)
    if not isinstance(scores, Scores):
        kind = type(scores).__name__
        raise UsageError(
            f"scores are needed, got {kind}: give what foveal.evaluate returned, or a frame or dicts of"
            " scores"
        )
    # Frames that were made before a fork would wait for ever; looking at Polars refuses.
    pl.DataFrame  # noqa: B018  # to look is enough
    return scores


def repetition(scores: Scores) -> list[str]:
    """That topics count more than once, which tests and intervals take for more evidence."""
    if not any(topic in scores.topic_facts.times for run in scores.values for topic in run.topics):
        return []
    return [
        "topics that count more than once are taken for different ones: intervals are too narrow and"
        " p too small"
    ]


def _left_out(scores: Scores, names: Sequence[str]) -> tuple[str, ...]:
    """Which measures nobody can compare runs by, if all were asked for."""
    counts = [name for name in scores.measures if record_of(name).average is not mean]
    if not counts or len(names) + len(counts) < len(scores.measures):
        return ()
    return (
        f"{listed(counts)}: left out, as runs cannot be compared by what is not a mean over topics",
    )


def _bounds(names: Sequence[str], values: Floats) -> Floats:
    """What the records say, or more where scores reach further: with overlap `repeat` they may."""
    least, greatest = np.transpose([record_of(name).bounds for name in names])
    return np.stack(
        [np.minimum(least, values.min(axis=(1, 2))), np.maximum(greatest, values.max(axis=(1, 2)))],
        axis=1,
    )


def _place(name: str, known: list[str]) -> int:
    if name not in known:
        raise UsageError(f"{name!r} was not compared: choose from {', '.join(known)}")
    return known.index(name)


def _named(scores: Scores, measures: Sequence[str]) -> list[str]:
    """The canonical names of the measures asked for, which must have been scored."""
    names = [name if name in scores.measures else _spelled(scores, name) for name in measures]
    for name in names:
        if name not in scores.measures:
            raise UsageError(
                f"{name} was not scored, only {listed(scores.measures)}: evaluate with {name} first"
            )
    asked = list(dict.fromkeys(names)) or scores.measures
    means = [name for name in asked if record_of(name).average is mean]
    if not means or (names and len(means) < len(asked)):
        name = next(name for name in asked if name not in means)
        raise UsageError(f"{name} is not a mean over topics, so runs cannot be compared by it")
    return means


def _spelled(scores: Scores, name: str) -> str:
    """The canonical name of a measure, as the scores were made or by default."""
    known = scores.measure_names.canonical(name)
    return known if known in scores.measures else str(parse(known))


def _refuse_unlisted(scores: Scores, names: Sequence[str]) -> None:
    """Refuse means over more topics than are listed, which intervals and tests would not see."""
    rows = [scores.columns.index(name) for name in names]
    for run in scores.values:
        times = [scores.topic_facts.count(topic) for topic in run.topics]
        means = run.values[rows] @ times / max(sum(times), 1)
        same = np.isclose(means, np.take(run.overall, rows), rtol=UNEQUAL, atol=UNEQUAL)
        if times and not np.all(same | ~np.isfinite(means)):
            raise DataError(
                f"the means of run {run.name!r} are not those of the topics listed, as with --like"
                " trec_eval-9, where judged topics without results have no row: give --like"
                " trec_eval-10, which lists them, or --topics retrieved"
            )


def _of_every_run(rows: pl.DataFrame, count: int) -> list[str]:
    """The topics that each of so many runs is scored on."""
    counts = rows.group_by(columns.TOPIC).agg(pl.len().alias(columns.COUNT))
    is_of_all = pl.col(columns.COUNT) == count
    return counts.filter(is_of_all)[columns.TOPIC].sort().to_list()


def _unequal(runs: list[str], topics: pl.Series, rows: pl.DataFrame) -> DataError:
    """Which topics the first run lacks that is not scored on all."""
    counts = dict(rows.group_by(columns.RUN).len().iter_rows())
    lacking = next(run for run in runs if counts.get(run, 0) < len(topics))
    own = rows.filter(pl.col(columns.RUN) == lacking)[columns.TOPIC]
    missing = topics.filter(~topics.is_in(own.to_list())).to_list()
    shown = ", ".join(missing[:SHOWN_TOPICS])
    more = len(missing) - SHOWN_TOPICS
    return DataError(
        f"the runs are scored on different topics: run {lacking!r} has no score on"
        f" {len(missing)} of {counted(len(topics), 'topic')} ({shown}"
        f"{f' and {more} more' if more > 0 else ''}); let missing topics score 0 (--topics judged,"
        " in trec_eval -c)"
        " or compare on the topics that all runs share (--common-topics)"
    )
