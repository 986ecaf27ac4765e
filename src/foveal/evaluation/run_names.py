"""Names of runs that are scored together: equal ones get their folders, or numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import NamedTuple


class RunFile(NamedTuple):
    """A run's name, its file's stem (empty without a file), and its source."""

    name: str
    stem: str
    source: str

    def within(self, folders: int) -> str:
        """The run's name; with folders, its file's stem after that many folders of its path.

        Below 0 it is the file's full name, which distinguishes k.run from k.trec in one folder.
        """
        if not folders or not self.stem:
            return self.name
        if folders < 0:
            return self.source.rsplit("/", 1)[-1]
        return "/".join([*self.source.split("/")[-1 - folders : -1], self.stem])


def distinct_names(runs: Sequence[RunFile]) -> list[str]:
    """Each run's name; equal ones get the folders they need, their ending, or else a number."""
    by_name: dict[str, list[RunFile]] = {}
    for run in runs:
        by_name.setdefault(run.name, []).append(run)
    folders = {name: _folders(namesakes) for name, namesakes in by_name.items()}
    names = [run.within(folders[run.name]) for run in runs]
    all_names, distinct = {*names}, dict[str, None]()
    for name in names:
        candidate = name
        for number in count(2):
            if candidate not in distinct and (candidate == name or candidate not in all_names):
                break
            candidate = f"{name}#{number}"
        distinct[candidate] = None
    return list(distinct)


def _folders(namesakes: Sequence[RunFile]) -> int:
    """The fewest folders that distinguish as many runs of the same name as possible."""
    depth = max(run.source.count("/") for run in namesakes)
    choices: list[int] = [*range(depth + 1), -1]
    return max(choices, key=lambda folders: len({run.within(folders) for run in namesakes}))
