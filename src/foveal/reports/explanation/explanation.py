"""The explanation of a run: text found, missed and wasted, and differences to another run."""

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
    """Text that runs found, missed and wasted: numbers of every topic, or details of one.

    `topics` has a row per run and topic, `passages` one per run and passage. With a topic,
    `documents` and `results` have its rows of each run, and `segments` every character of its
    documents: found, missed, wasted or other, and the rank at which the run first reads it.
    `against` is the name of a second run, `differences` has a row per topic of both. `save` writes
    a page.
    """

    run: str
    measure: str
    topics: pl.DataFrame
    passages: pl.DataFrame
    documents: pl.DataFrame
    results: pl.DataFrame
    segments: pl.DataFrame
    parameters: Mapping[str, Mapping[str, float]]
    """The document scores to show, each with its parameters."""

    topic: str | None = None
    doc: str | None = None
    against: str | None = None
    differences: pl.DataFrame = field(default_factory=pl.DataFrame)
    rises: bool = True
    """Whether higher values of the measure are better."""

    titles: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    plain: Mapping[str, str] = field(default_factory=dict)
    """In task rag, the plain name of the measure."""

    @property
    def measure_name(self) -> str:
        """The name of the measure for readers."""
        return self.plain.get(self.measure, self.measure)

    @property
    def runs(self) -> list[str]:
        """The run, and the other one if there is one."""
        return [self.run, *([self.against] if self.against is not None else [])]

    @property
    def summary(self) -> str:
        """The explained topics and documents, in a few words."""
        if self.topic is None:
            return counted(self.topics[c.TOPIC].n_unique(), "topic")
        return f"topic {self.topic!r}, {counted(self.documents[c.DOC].n_unique(), 'document')}"

    @property
    def explains_chunks(self) -> bool:
        """Whether results are retrieved chunks (task rag)."""
        return bool(self.plain)

    @property
    def document_rank(self) -> str:
        """The header for ranks of documents, since chunks have separate ranks."""
        return f"document {c.RANK}" if self.explains_chunks else c.RANK

    @cached_property
    def by_document(self) -> dict[str, pl.DataFrame]:
        """The segments of each document, in the order of the documents."""
        return {
            str(name): segments
            for (name,), segments in self.segments.group_by(c.DOC, maintain_order=True)
        }

    @cached_property
    def shared(self) -> pl.DataFrame:
        """Highlighted characters of each document found by both runs, by only one, or by neither."""
        size = pl.col(c.END) - pl.col(c.START)
        kind, against_kind = pl.col(c.KIND), pl.col(c.AGAINST_KIND)
        kinds = {
            c.BOTH: (c.FOUND, c.FOUND),
            c.ONLY: (c.FOUND, c.MISSED),
            c.ONLY_AGAINST: (c.MISSED, c.FOUND),
            c.NEITHER: (c.MISSED, c.MISSED),
        }
        return self.segments.group_by(c.TOPIC, c.DOC, maintain_order=True).agg(
            size.filter((kind == first) & (against_kind == second)).sum().alias(name)
            for name, (first, second) in kinds.items()
        )

    def page(self) -> bytes:
        """The page in one file, without external resources."""
        from foveal.reports.explanation.explanation_page import rendered_page  # noqa: PLC0415  # needs an extra

        return rendered_page(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, completely or not at all."""
        write_bytes(self.page(), path)
