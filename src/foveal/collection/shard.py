"""Makes and reads a shard: the two Parquet files of an index for one batch of members."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, field
from io import BytesIO
from typing import Self

import numpy as np

from foveal.choices import Count, Whitespace
from foveal.collection.document_reader import Identifier, documents
from foveal.collection.element_table import ElementTableBuilder, RowScanner
from foveal.collection.members import Member
from foveal.collection.xml_scanner import Malformed, OffsetCounter
from foveal.elements import Elements
from foveal.frozen import frozen
from foveal.late import pl
from foveal.spans import Ints, Nesting
from foveal.tables import columns as c

FILE_NAME = "file name"


@frozen
class Settings:
    """Settings of an index: how documents are identified and text is counted."""

    counter: OffsetCounter = field(default_factory=OffsetCounter)
    identifier: Identifier = field(default_factory=Identifier)

    @classmethod
    def of(cls, values: Mapping[str, str]) -> Self:
        """Settings from the values in a manifest."""
        counter = OffsetCounter(Count(values["count"]), Whitespace(values["whitespace"]))
        return cls(counter, Identifier("" if values["id"] == FILE_NAME else values["id"]))

    def to_manifest(self) -> dict[str, str]:
        """The settings as values for a manifest."""
        return {**asdict(self.counter), "id": self.identifier.rule or FILE_NAME}


@frozen
class SkippedDocument:
    """A document that was left out of an index, and the reason."""

    file: str
    line: int
    reason: str


@frozen
class Shard:
    """Part of an index: its two files, its counts, and the documents left out."""

    documents: bytes
    elements: bytes
    counts: dict[str, int]
    skipped: tuple[SkippedDocument, ...]


@frozen
class MakeShard:
    """Task that makes the shard of a batch; it can be sent to other processes."""

    settings: Settings

    def __call__(self, batch: Sequence[Member]) -> Shard:
        """Make the shard of a batch, which depends only on the batch and the settings."""
        builder, skipped = ElementTableBuilder(self.settings.counter), []
        scanner = RowScanner.of(self.settings.counter)
        ids, digests, sources = [], [], []
        for member in batch:
            for item in documents(member, self.settings.identifier, scanner):
                if isinstance(item, Malformed):
                    skipped.append(SkippedDocument(member.name, item.line, item.reason))
                    continue
                builder.add(item.scan)
                ids.append(item.id)
                digests.append(item.digest())
                sources.append(member.name)
        table, length, count = _tables(builder)
        document_table = pl.DataFrame(
            {
                c.DOC: pl.Series(ids, dtype=pl.String),
                c.LENGTH: length,
                c.ELEMENTS: pl.Series(count, dtype=pl.UInt32),
                c.DIGEST: pl.Series(digests, dtype=pl.Binary),
                c.SOURCE: pl.Series(sources, dtype=pl.String),
            }
        )
        counts = {"documents": len(ids), "elements": int(count.sum()), "length": int(length.sum())}
        return Shard(_parquet(document_table), _parquet(table), counts, tuple(skipped))


def _tables(builder: ElementTableBuilder) -> tuple[pl.DataFrame, Ints, Ints]:
    """Table of a shard's elements, and length and number of elements of each document.

    A row without a tag is a comment or processing instruction that separates two text nodes.
    """
    elements = builder.table()
    nesting = elements.nesting
    tag = pl.Series([None, *list(builder.names)[1:]], dtype=pl.String)
    table = pl.DataFrame(
        {
            c.DOCUMENT: pl.Series(nesting.document, dtype=pl.UInt32),
            c.TAG: tag.gather(elements.code),
            c.DEPTH: pl.Series(nesting.depth, dtype=pl.UInt16),
            c.ORDINAL: pl.Series(elements.ordinal, dtype=pl.UInt32),
            c.START: nesting.start,
            c.LENGTH: nesting.end - nesting.start,
        }
    ).with_columns(pl.when(pl.col(c.ORDINAL) > 0).then(pl.col(c.ORDINAL)))
    count = np.bincount(nesting.document[elements.code > 0], minlength=len(nesting.length))
    return table, nesting.length, count


def read_shard(documents: pl.DataFrame, data: bytes, *, counts_characters: bool) -> Elements:
    """Elements of a shard, from its table of documents and the bytes of the other file."""
    table = pl.read_parquet(BytesIO(data))
    start = table[c.START].to_numpy()
    counts = np.bincount(table[c.DOCUMENT].to_numpy(), minlength=documents.height)
    first_rows = np.concatenate([[0], np.cumsum(counts)])
    nesting = Nesting(
        first_rows, documents[c.LENGTH].to_numpy(), table[c.DEPTH].cast(pl.Int64).to_numpy(), start,
        start + table[c.LENGTH].to_numpy(),
    )  # fmt: skip
    names = table[c.TAG].drop_nulls().unique(maintain_order=True)
    tag = table[c.TAG].cast(pl.Enum(names)).to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
    ordinal = table[c.ORDINAL].cast(pl.Int64).fill_null(0).to_numpy()
    return Elements.of(
        documents[c.DOC], names, nesting, tag, ordinal, counts_characters=counts_characters
    )


def _parquet(frame: pl.DataFrame) -> bytes:
    stream = BytesIO()
    frame.write_parquet(stream, compression="zstd", statistics=False)
    return stream.getvalue()
