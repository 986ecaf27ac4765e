"""Groups of topics, and averages over them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Self, TypeAlias

import numpy as np

from foveal.alignment import AlignedRun, PreparedQrels
from foveal.errors import (
    SHOWN_NAMES,
    BadInput,
    DataError,
    Problem,
    UsageError,
    counted,
    did_you_mean,
    shortened,
    shortened_list,
    value_text,
)
from foveal.evaluation.extra_columns import ExtraColumn
from foveal.frozen import frozen
from foveal.late import pl
from foveal.measures import Measure, sequential_sum
from foveal.spans import Bools, Floats, Ints
from foveal.tables import Frame, ProblemList, Rows, aliases, as_frame, columns
from foveal.tables import columns as c

# Names that groups cannot have, and the reasons.
RESERVED = {
    c.ALL_TOPICS: "which stands for all topics: rename it",
    c.UNGROUPED: "which stands for topics that are not listed: leave it blank or rename it",
}

MAX_COLUMNS = 12
# Characters of a group's name that settings and notes show.
MAX_LABEL = 40


@frozen(eq=False)
class GroupMeans:
    """One run's averages over a group, one per measure, and the number of topics."""

    topics: int
    overall: Sequence[float]


@frozen(eq=False, repr=False)
class Groups:
    """The group of each topic that is listed; the other topics form the group `(none)`."""

    by_topic: Mapping[str, str]
    source: str = "groups"
    column: str = ""
    """The column of the source that gives the groups."""

    @classmethod
    def of_column(cls, frame: pl.DataFrame, column: str = "", *, source: str = "groups") -> Self:
        """The groups in one column of a table: the one named, or the only one besides topic.

        All problems of the table are raised at once. A topic whose group is blank is not listed.
        """
        if c.TOPIC not in frame.columns:
            names = [name for name in frame.columns if name != c.LINE]
            raise BadInput(source, [Problem(None, aliases.missing_columns([c.TOPIC], names))])
        other_columns = [name for name in frame.columns if name not in {c.TOPIC, c.LINE}]
        column = _group_column(other_columns, column, source)
        lines = frame[c.LINE] if c.LINE in frame.columns else None
        rows = frame.select(c.TOPIC, pl.col(column).alias(c.GROUP))
        if rows[c.GROUP].dtype == pl.String:
            is_blank = pl.col(c.GROUP).str.strip_chars() == ""
            rows = rows.with_columns(pl.when(~is_blank).then(pl.col(c.GROUP)))
        problem_list = ProblemList(source, ())
        table = problem_list.typed(rows, c.GROUP_SCHEMA, [c.TOPIC], lines)
        line = lines if lines is not None else pl.repeat(None, table.height, eager=True)
        is_repeated = ~table[c.TOPIC].is_first_distinct() & table[c.TOPIC].is_not_null()
        problem_list.add(
            Problem(line[row], f"topic {table[c.TOPIC][row]!r} is listed a second time")
            for row in is_repeated.arg_true()
        )
        problem_list.add(
            Problem(line[row], f"topic {topic!r} is in a group named {group!r}, {RESERVED[group]}")
            for row, (topic, group) in enumerate(table.iter_rows())
            if group in RESERVED
        )
        problem_list.refuse(table, "topics")
        grouped = table.drop_nulls(c.GROUP)
        if grouped.is_empty():
            raise BadInput(source, [Problem(None, "no topic has a group")])
        return cls(dict(grouped.iter_rows()), source, column)

    @classmethod
    def coerced(cls, groups: GroupsLike) -> Self:
        """Groups as they are, {topic: group}, or a table of topic and one other column."""
        if isinstance(groups, cls):
            return groups
        rows = list(_rows(groups)) if isinstance(groups, Mapping) else groups
        frame, _ = as_frame(rows, [c.TOPIC], "groups")
        if not frame.columns:
            raise BadInput("groups", [Problem(None, "no topics")])
        return cls.of_column(frame)

    def __repr__(self) -> str:
        names = {*self.by_topic.values()}
        return f"<Groups: {counted(len(self.by_topic), 'topic')} in {counted(len(names), 'group')}>"

    def of_topics(self, topics: Iterable[str]) -> list[str]:
        """The group of each topic."""
        return [self.by_topic.get(topic, c.UNGROUPED) for topic in topics]

    def in_order(self, names: Collection[str]) -> list[str]:
        """Groups in the order in which they are first listed; `(none)` is the last."""
        return [
            name for name in (*dict.fromkeys(self.by_topic.values()), c.UNGROUPED) if name in names
        ]


GroupsLike: TypeAlias = Groups | Mapping[str, str] | Frame | Rows


def group_label(name: str) -> str:
    """The name of a group, or of the column of groups, shortened for settings and notes."""
    return shortened(name, MAX_LABEL)


def _rows(group_of: Mapping[str, object]) -> Iterator[dict[str, object]]:
    """A row per topic of {topic: group}; other dicts, such as {group: topics}, are refused."""
    for topic, group in group_of.items():
        if group is not None and (not isinstance(group, str | int) or isinstance(group, bool)):
            reason = f"a dict must be {{topic: group}}, but the group of {topic!r} is {value_text(group)}"
            raise BadInput("groups", [Problem(None, reason)])
        yield {c.TOPIC: topic, c.GROUP: group}


def _group_column(candidates: Sequence[str], column: str, source: str) -> str:
    """The column of groups: the one named, or the only one."""
    names = shortened(", ".join(candidates[:MAX_COLUMNS])) + ", …" * (len(candidates) > MAX_COLUMNS)
    if not candidates:
        raise UsageError(f"{source} has only a topic column: add a column with the group")
    if column and column not in candidates:
        hint = did_you_mean(column, candidates, repr)
        raise UsageError(f"{source} has no column {column!r} to group by{hint} (found: {names})")
    if not column and len(candidates) > 1:
        raise UsageError(
            f"{source} has {counted(len(candidates), 'column')} beside topic ({names}): name the one that"
            f" gives the group, as in --groups {source}:{candidates[0]} (in Python, select topic and it)"
        )
    return column or candidates[0]


@frozen(eq=False)
class RunAverages:
    """Values of a run to be averaged: `values` has a row per measure, a column per evaluated topic.

    `extra` has the values of each extra column, one for each topic that has a row in the scores.
    """

    alignment: AlignedRun
    measures: Sequence[Measure]
    values: Floats
    extra: Sequence[Floats]

    def over(self, keep: Bools) -> list[float]:
        """The average of each measure and extra column over the topics of a mask of judged topics."""
        alignment, all_rows = self.alignment, self.alignment.topics_with_rows
        evaluated = np.flatnonzero(keep[alignment.topics])
        rows = np.flatnonzero(keep[alignment.topics[all_rows]])
        values = alignment.repeated(self.values[:, evaluated], evaluated)
        averages = [
            measure.record.average(alignment, row, keep)
            for measure, row in zip(self.measures, values, strict=True)
        ]
        extra = (alignment.repeated(column[rows], all_rows[rows]) for column in self.extra)
        return [*averages, *map(_mean_of_values, extra)]

    def everywhere(self) -> list[float]:
        """The averages over all evaluated topics."""
        return self.over(np.ones(len(self.alignment.qrels.topics), dtype=bool))


@frozen(eq=False)
class JudgedGroups:
    """The groups of the judged topics: `index` has the index in `names` of each topic's group."""

    groups: Groups
    names: list[str]
    index: Ints

    @classmethod
    def of(cls, groups: Groups, qrels: PreparedQrels) -> JudgedGroups:
        """The groups of the judged topics; groups that list no topic that is scored are refused."""
        scored = [t for t, counts in zip(qrels.topics, qrels.eligible, strict=True) if counts]
        refuse_unscored_groups(groups, scored)
        group_of = groups.of_topics(qrels.topics)
        names = groups.in_order({*group_of})
        index = {name: index for index, name in enumerate(names)}
        return cls(groups, names, np.array([index[name] for name in group_of], dtype=np.int64))

    def means(self, averages: RunAverages, overall: Sequence[float]) -> dict[str, GroupMeans]:
        """The averages over each group that has evaluated topics, then over all of them."""
        alignment = averages.alignment
        evaluated = alignment.repeated(alignment.topics)
        count = np.bincount(self.index[evaluated], minlength=len(self.names)).tolist()
        means = {
            name: GroupMeans(count[index], averages.over(self.index == index))
            for index, name in enumerate(self.names)
            if count[index]
        }
        return {**means, columns.ALL_TOPICS: GroupMeans(len(evaluated), overall)}


def refuse_unscored_groups(groups: Groups, scored: Sequence[str]) -> None:
    """Raise if no topic that is scored is in a group."""
    if groups.by_topic.keys().isdisjoint(scored):
        raise DataError(
            f"{groups.source}: none of its topics ({shortened_list([*groups.by_topic])}) is scored (scored are"
            f" {shortened_list(scored)})"
        )


def refuse_group_column_names(extra_columns: Iterable[ExtraColumn]) -> None:
    """Raise if an extra column has the name of a column in tables of groups."""
    for column in extra_columns:
        if column.name in {columns.GROUP, columns.TOPICS}:
            raise UsageError(
                f"also cannot show the column {column.name!r} beside groups, which have one of this"
                " name: rename it in the run"
            )


def group_setting(groups: Groups, by_run: Sequence[Mapping[str, GroupMeans]]) -> str:
    """The source of the groups, and the number of scored topics in each."""
    sizes: dict[str, set[int]] = {}
    for means in by_run:
        for name, group_means in means.items():
            sizes.setdefault(name, set()).add(group_means.topics)
    parts = []
    for name in groups.in_order(sizes):
        low, high = min(sizes[name]), max(sizes[name])
        parts.append(f"{group_label(name)} {low if low == high else f'{low} to {high}'}")
    has_column = groups.column not in {"", columns.GROUP}
    column = f":{group_label(groups.column)}" if has_column else ""
    return f"{groups.source}{column} ({shortened_list(parts, 2 * SHOWN_NAMES)})"


def group_notes(groups: Groups, scored: Sequence[str]) -> Iterator[str]:
    """Notes: scored topics that are not listed, and groups of one topic each."""
    unlisted = [topic for topic in scored if topic not in groups.by_topic]
    if unlisted:
        are = "is" if len(unlisted) == 1 else "are"
        yield (
            f"{groups.source}: {counted(len(unlisted), 'scored topic')} {are} not listed and"
            f" {'forms' if len(unlisted) == 1 else 'form'} the group {columns.UNGROUPED}:"
            f" {shortened_list(unlisted)}"
        )
    grouped_count = len(scored) - len(unlisted)
    if 1 < grouped_count == len({*groups.of_topics(scored)} - {columns.UNGROUPED}):
        yield f"{groups.source}: every topic is in a group of its own"


def _mean_of_values(values: Floats) -> float:
    """The mean over the topics that have a value; NaN if none has."""
    numbers = values[~np.isnan(values)]
    return sequential_sum(numbers) / len(numbers) if len(numbers) else float("nan")
