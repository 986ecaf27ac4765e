"""Averages of a run's values: over all topics, and over each group of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from foveal.alignment import AlignedRun, Judged
from foveal.errors import SHOWN_NAMES, DataError, UsageError, counted, some
from foveal.frozen import frozen
from foveal.measures._grammar import Measure
from foveal.measures._record import in_turn
from foveal.spans import Bools, Floats, Ints
from foveal.tables import GroupMeans, Groups, RidingColumn, columns, shown_group


@frozen(eq=False)
class RunAverages:
    """What can be averaged of a run: `values` has a row per measure, a column per evaluated topic.

    A riding column has a number for each topic that is listed.
    """

    alignment: AlignedRun
    measures: Sequence[Measure]
    values: Floats
    riding: Sequence[Floats]

    def over(self, judged: Bools) -> list[float]:
        """The average of each measure and each riding column over the topics among some judged ones."""
        alignment, every = self.alignment, self.alignment.listed_topics
        among = np.flatnonzero(judged[alignment.topics])
        listed = np.flatnonzero(judged[alignment.topics[every]])
        values = alignment.each_time(self.values[:, among], among)
        averages = [
            measure.record.average(alignment, row, judged)
            for measure, row in zip(self.measures, values, strict=True)
        ]
        riding = (alignment.each_time(own[listed], every[listed]) for own in self.riding)
        return [*averages, *map(_mean_of_known, riding)]

    def everywhere(self) -> list[float]:
        """The averages over all evaluated topics."""
        return self.over(np.ones(len(self.alignment.judged.topics), dtype=bool))


@frozen(eq=False)
class JudgedGroups:
    """The groups of the judged topics: `place` has that of each topic's group in `names`."""

    given: Groups
    names: list[str]
    place: Ints

    @classmethod
    def of(cls, groups: Groups, judged: Judged) -> JudgedGroups:
        """The groups of the judged topics; groups that list no topic that is scored are refused."""
        scored = [t for t, counts in zip(judged.topics, judged.eligible, strict=True) if counts]
        refuse_strangers(groups, scored)
        found = groups.of_topics(judged.topics)
        names = groups.in_order({*found})
        place = {name: place for place, name in enumerate(names)}
        return cls(groups, names, np.array([place[name] for name in found], dtype=np.int64))

    def means(self, averages: RunAverages, overall: Sequence[float]) -> dict[str, GroupMeans]:
        """The averages over each group that has evaluated topics, then over all of them."""
        alignment = averages.alignment
        evaluated = alignment.each_time(alignment.topics)
        count = np.bincount(self.place[evaluated], minlength=len(self.names)).tolist()
        found = {
            self.names[place]: GroupMeans(count[place], averages.over(self.place == place))
            for place in range(len(self.names))
            if count[place]
        }
        return {**found, columns.ALL_TOPICS: GroupMeans(len(evaluated), overall)}


def refuse_strangers(groups: Groups, scored: Sequence[str]) -> None:
    """Raise if no topic that is scored is in a group."""
    if groups.by_topic.keys().isdisjoint(scored):
        raise DataError(
            f"{groups.source}: none of its topics ({some([*groups.by_topic])}) is scored (scored are"
            f" {some(scored)})"
        )


def refuse_beside_groups(also: Iterable[RidingColumn]) -> None:
    """Raise if a riding column has a name that tables of groups need for their own."""
    for column in also:
        if column.name in {columns.GROUP, columns.TOPICS}:
            raise UsageError(
                f"also cannot show the column {column.name!r} beside groups, which have one of this"
                " name: rename it in the run"
            )


def group_setting(groups: Groups, by_run: Sequence[Mapping[str, GroupMeans]]) -> str:
    """Where the groups come from, and how many topics of each are scored."""
    sizes: dict[str, set[int]] = {}
    for means in by_run:
        for name, own in means.items():
            sizes.setdefault(name, set()).add(own.topics)
    told = []
    for name in groups.in_order(sizes):
        least, most = min(sizes[name]), max(sizes[name])
        told.append(f"{shown_group(name)} {least if least == most else f'{least} to {most}'}")
    named = groups.column not in {"", columns.GROUP}
    column = f":{shown_group(groups.column)}" if named else ""
    return f"{groups.source}{column} ({some(told, 2 * SHOWN_NAMES)})"


def group_notes(groups: Groups, scored: Sequence[str]) -> Iterator[str]:
    """What is odd about groups, given the topics that are scored."""
    unlisted = [topic for topic in scored if topic not in groups.by_topic]
    if unlisted:
        are = "is" if len(unlisted) == 1 else "are"
        yield (
            f"{groups.source}: {counted(len(unlisted), 'scored topic')} {are} not listed and"
            f" {'forms' if len(unlisted) == 1 else 'form'} the group {columns.UNGROUPED}:"
            f" {some(unlisted)}"
        )
    listed = len(scored) - len(unlisted)
    if 1 < listed == len({*groups.of_topics(scored)} - {columns.UNGROUPED}):
        yield f"{groups.source}: every topic is in a group of its own"


def _mean_of_known(values: Floats) -> float:
    """The mean over the topics that have a value; not a number if none has."""
    known = values[~np.isnan(values)]
    return in_turn(known) / len(known) if len(known) else float("nan")
