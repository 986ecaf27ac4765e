"""What documents are called that are files of the same name in different folders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from foveal.collection.documents import without_ending


class File(NamedTuple):
    """A document: its id, and its path from the collection on if the id is the file's name."""

    id: str
    path: str | None


def told_apart(files: Sequence[File], texts: Sequence[str]) -> list[str]:
    """The ids of documents, with paths in the collection for those that share one.

    Files of the same name and the same text are one document, which keeps its id. So do ids that
    are not the names of files.
    """
    rows: dict[str, list[int]] = {}
    for row, file in enumerate(files):
        rows.setdefault(file.id, []).append(row)
    names = [file.id for file in files]
    for shared in rows.values():
        paths = [path for row in shared if (path := files[row].path)]
        if len({texts[row] for row in shared}) > 1 and len({*paths}) == len(shared):
            for row, name in zip(shared, _paths(paths), strict=True):
                names[row] = name
    return names


def _paths(paths: Iterable[str]) -> list[str]:
    """Paths in the collection, without endings where these tell nothing apart.

    They tell something apart if they differ, or if one of the paths is the end of another: then
    `index.md` is the file at the top, while `index` may be any of them.
    """
    inside = [_inside(path) for path in paths]
    bare = [without_ending(path) for path in inside]
    endings = {path.removeprefix(own) for path, own in zip(inside, bare, strict=True)}
    tails = {tail for path in bare for tail in _shorter(path)}
    return inside if len(endings) > 1 or not tails.isdisjoint(bare) else bare


def _inside(path: str) -> str:
    """A path without the name of the collection; archives may have been packed from `.`."""
    return "/".join(step for step in path.split("/")[1:] if step != ".")


def _shorter(path: str) -> Iterable[str]:
    """What is left of a path without its first folders."""
    steps = path.split("/")
    return ("/".join(steps[begin:]) for begin in range(1, len(steps)))
