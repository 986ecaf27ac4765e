"""Results on all topics that have the same for each group of topics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Self

from foveal.analysis._plan import FEW_TOPICS
from foveal.errors import counted, listed
from foveal.evaluation import shown_group
from foveal.late import pl
from foveal.tables import columns


class Grouped:
    """A result on all topics, and in `groups` the same on each group, if topics are in groups."""

    groups: Mapping[str, Self]

    def by_group(self, frame: Callable[[Self], pl.DataFrame]) -> pl.DataFrame:
        """A frame of the result and of each group, one below the other under a column `group`.

        The rows of all topics come first. Without groups, it is the result's own frame.
        """
        if not self.groups:
            return frame(self)
        every = {columns.ALL_TOPICS: self, **self.groups}
        return pl.concat(
            frame(own).select(pl.lit(name).alias(columns.GROUP), pl.all())
            for name, own in every.items()
        )


def group_word(name: str) -> str:
    """A group's name as notes quote it."""
    return repr(shown_group(name))


def small_groups(sizes: Mapping[str, int], one: str, few: str) -> Iterator[str]:
    """Which groups have too few topics to say much; `one` and `few` are what follows from it."""
    single = [group_word(name) for name, size in sizes.items() if size == 1]
    if single:
        yield f"{_groups(single)} one topic, which says nothing about others: {one}"
    small = [
        f"{group_word(name)} ({counted(size, 'topic')})"
        for name, size in sizes.items()
        if 1 < size < FEW_TOPICS
    ]
    if small:
        yield f"{_groups(small)} few topics: with fewer than {FEW_TOPICS} {few}"


def _groups(names: list[str]) -> str:
    return f"group {names[0]} has" if len(names) == 1 else f"groups {listed(names)} have"
