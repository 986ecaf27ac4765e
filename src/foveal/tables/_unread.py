"""A run that stays in its file: read block by block while it is scored, or whole."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator

from foveal.frozen import frozen
from foveal.tables._run_columns import RunColumns
from foveal.tables.chunks import Chunks
from foveal.tables.run import Run


@frozen(eq=False)
class ReadBlock:
    """All results of some topics, and the tag of the last line."""

    results: RunColumns
    tag: str


class UnreadRun(ABC):
    """A run of whole documents, ranked by score, in a file that is open."""

    format: str

    @abstractmethod
    def blocks(self) -> Iterator[Callable[[], ReadBlock | None]]:
        """What reads each block, in any thread; None if it is odd and the file must be read whole.

        Blocks end where a topic ends, if the results of topics are together.
        """

    @abstractmethod
    def whole(self) -> Run:
        """The run read at once; whatever is wrong with it is reported."""

    def with_chunks(self, chunks: Chunks | Callable[[], Chunks]) -> Run:
        """The run read at once, with the chunks that its system could have returned."""
        return self.whole().with_chunks(chunks)

    @abstractmethod
    def tagged(self, tag: str) -> Run:
        """What is known of the run beside its results, of which it has none here."""
