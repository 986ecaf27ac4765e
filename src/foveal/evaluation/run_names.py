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
        """The run's name; within some of the folders around its file, that file's stem."""
        if not folders or not self.stem:
            return self.name
        return "/".join([*self.source.split("/")[-1 - folders : -1], self.stem])


def distinct_names(runs: Sequence[RunFile]) -> list[str]:
    """Each run's name; equal ones get as many folders as they need, or a number if these are equal."""
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
    return max(range(most + 1), key=lambda folders: len({run.within(folders) for run in alike}))
