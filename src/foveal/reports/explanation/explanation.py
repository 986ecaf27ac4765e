"""What a run found, missed and wasted, and how another one differs."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import field
from functools import cached_property

from foveal.errors import counted
from foveal.files import write_bytes
from foveal.frozen import frozen
from foveal.late import pl
from foveal.shown import Paged
from foveal.tables import columns as c


@frozen(eq=False, repr=False)
class Explanation(Paged):
    """What runs found, missed and wasted: every topic, or everything about one.

    `topics` has a row per run and topic, `passages` one per run and passage. With a topic,
    `documents` and `results` have its rows of each run, and `segments` every character of its
    documents: found, missed, wasted or other, and the rank at which the run first reads it.
    `against` is the name of a second run, `differences` how the two differ. `save` writes a page.
    """

    run: str
    measure: str
    topics: pl.DataFrame
    passages: pl.DataFrame
    documents: pl.DataFrame
    results: pl.DataFrame
    segments: pl.DataFrame
    parameters: Mapping[str, Mapping[str, float]]
    """The document scores that are shown, each with its parameters."""

    topic: str | None = None
    doc: str | None = None
    against: str | None = None
    differences: pl.DataFrame = field(default_factory=pl.DataFrame)
    rises: bool = True
    """Whether more is better by the measure."""

    titles: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    plain: Mapping[str, str] = field(default_factory=dict)
    """In task rag, what the measure is called there."""

    @property
    def called(self) -> str:
        """The measure as people read of it."""
        return self.plain.get(self.measure, self.measure)

    @property
    def runs(self) -> list[str]:
        """The run, and the other one if there is one."""
        return [self.run, *([self.against] if self.against is not None else [])]

    @property
    def summary(self) -> str:
        """What is explained."""
        if self.topic is None:
            return counted(self.topics[c.TOPIC].n_unique(), "topic")
        return f"topic {self.topic!r}, {counted(self.documents[c.DOC].n_unique(), 'document')}"

    @property
    def of_chunks(self) -> bool:
        """Whether retrieved chunks are explained, task rag."""
        return bool(self.plain)

    @property
    def document_rank(self) -> str:
        """What the rank of a document is called: chunks have ranks of their own."""
        return f"document {c.RANK}" if self.of_chunks else c.RANK

    @cached_property
    def by_document(self) -> dict[str, pl.DataFrame]:
        """The segments of each document, in the order of the documents."""
        return {
            str(name): own for (name,), own in self.segments.group_by(c.DOC, maintain_order=True)
        }

    @cached_property
    def shared(self) -> pl.DataFrame:
        """The highlighted characters of each document that both runs find, only one, or neither."""
        size = pl.col(c.END) - pl.col(c.START)
        mine, yours = pl.col(c.KIND), pl.col(c.AGAINST_KIND)
        kinds = {
            c.BOTH: (c.FOUND, c.FOUND),
            c.ONLY: (c.FOUND, c.MISSED),
            c.ONLY_AGAINST: (c.MISSED, c.FOUND),
            c.NEITHER: (c.MISSED, c.MISSED),
        }
        return self.segments.group_by(c.TOPIC, c.DOC, maintain_order=True).agg(
            size.filter((mine == first) & (yours == second)).sum().alias(name)
            for name, (first, second) in kinds.items()
        )

    def page(self) -> bytes:
        """A page that needs nothing else."""
        from foveal.reports.explanation.explanation_page import drawn_page  # noqa: PLC0415  # needs an extra

        return drawn_page(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, completely or not at all."""
        write_bytes(self.page(), path)
