"""Names of runs that are scored together: equal ones get their folders, or numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import NamedTuple


class RunFile(NamedTuple):
    """What a run is called, its file's stem (empty without a file), and its source."""

    name: str
    stem: str
    source: str

    def within(self, folders: int) -> str:
        """The run's name; within some of the folders around its file, that file's stem.

        Below 0 it is the file's whole name, which tells k.run and k.trec in one folder apart.
        """
        if not folders or not self.stem:
            return self.name
        if folders < 0:
            return self.source.rsplit("/", 1)[-1]
        return "/".join([*self.source.split("/")[-1 - folders : -1], self.stem])


def distinct_names(runs: Sequence[RunFile]) -> list[str]:
    """Each run's name; equal ones get the folders they need, their ending, or else a number."""
    alike: dict[str, list[RunFile]] = {}
    for run in runs:
        alike.setdefault(run.name, []).append(run)
    folders = {name: _folders(own) for name, own in alike.items()}
    names = [run.within(folders[run.name]) for run in runs]
    given, distinct = {*names}, dict[str, None]()
    for name in names:
        own = name
        for number in count(2):
            if own not in distinct and (own == name or own not in given):
                break
            own = f"{name}#{number}"
        distinct[own] = None
    return list(distinct)


def _folders(alike: Sequence[RunFile]) -> int:
    """The fewest folders that tell as many as possible of some runs of the same name apart."""
    most = max(run.source.count("/") for run in alike)
    tried: list[int] = [*range(most + 1), -1]
    return max(tried, key=lambda folders: len({run.within(folders) for run in alike}))
