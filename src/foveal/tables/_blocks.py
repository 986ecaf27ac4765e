"""The results of a run in blocks: one if they are in memory, many if they stay in their file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from foveal.frozen import frozen
from foveal.tables._run_columns import RunColumns

if TYPE_CHECKING:
    from foveal.tables.run import Run


@frozen(eq=False)
class RunBlock:
    """All results of a few topics; `name` is the run's and `tag` the last so far."""

    results: RunColumns
    name: str
    tag: str


BlockReader: TypeAlias = Callable[[], RunBlock | None]

"""Reads a block, in any thread; None if it is irregular, so that the run must be read whole."""


@frozen(eq=False)
class StoredResults:
    """The results of whole documents in an open file: read block by block, or all at once.

    Blocks end where a topic ends, if the results of each topic are together. Reading all at once
    reports everything that is wrong with them.
    """

    blocks: Callable[[], Iterator[BlockReader]]
    read_all: Callable[[], Run]
