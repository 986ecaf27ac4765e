"""Offset index on disk: opens it, refuses it if damaged or incomplete, reads it by shard."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Any, Self

import numpy as np

from foveal.collection.shard import Settings, read_shard
from foveal.elements import Elements, References
from foveal.errors import BadIndex, MissingFile
from foveal.files import reason_of
from foveal.frozen import frozen
from foveal.late import pl
from foveal.spans import Ints, Nesting
from foveal.tables import columns as c

MANIFEST = "manifest.json"
FORMAT, VERSION = "foveal-index", 1
DIGESTS = ("documents_digest", "elements_digest")
AGAIN = "index the collection again"
HINT = "`foveal index COLLECTION -o INDEX` makes one"


@frozen(eq=False)
class Index:
    """The offset index of a collection, read shard by shard as needed."""

    folder: Path
    manifest: dict[str, Any]
    document_table: pl.DataFrame

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """Open the index in a folder; an error says why it cannot be used."""
        folder = Path(path)
        manifest = _read_manifest(folder)
        tables = []
        for number, shard in enumerate(manifest["shards"]):
            name, digest = documents_file(number), shard["documents_digest"]
            table = pl.read_parquet(BytesIO(read_checked(folder / name, digest)))
            tables.append(table.with_columns(pl.lit(number, dtype=pl.UInt32).alias(c.SHARD)))
        return cls(folder, manifest, pl.concat(tables))

    @property
    def counts_characters(self) -> bool:
        """True if offsets count every code point."""
        settings = self.manifest["settings"]
        return (settings["count"], settings["whitespace"]) == ("characters", "keep")

    @property
    def documents(self) -> pl.Series:
        """Names of all documents."""
        return self.document_table[c.DOC]

    def _values_of(self, documents: pl.Series, column: str) -> pl.Series:
        rows = pl.DataFrame({c.DOC: documents.cast(pl.String)})
        values = self.document_table.select(c.DOC, column)
        return rows.join(values, on=c.DOC, how="left", maintain_order="left")[column]

    def origin(self, document: str) -> tuple[str, bytes]:
        """Name in the collection of the file with a document, and the document's digest."""
        row = self.document_table.row(by_predicate=pl.col(c.DOC) == document, named=True)
        return row[c.SOURCE], row[c.DIGEST]

    def lengths(self, documents: pl.Series) -> pl.Series:
        """The length of each document; null for unknown ones."""
        return self._values_of(documents, c.LENGTH)

    def spans(self, references: pl.DataFrame) -> pl.DataFrame:
        """start, end and problem of each reference (doc, path, path_end), in the same order."""
        refs = References.of(references)
        return self._per_row(refs.document, lambda shard, rows: shard.resolve(refs.take(rows)))

    def smallest_containing(self, spans: pl.DataFrame) -> pl.DataFrame:
        """path, start, end of the smallest element around each span (doc, start, end), or null."""
        return self._per_row(
            spans[c.DOC], lambda shard, rows: shard.smallest_containing(spans[rows])
        )

    def largest_inside(self, spans: pl.DataFrame) -> pl.DataFrame:
        """Row (of the span), path, start, end of the largest elements inside spans, in order."""
        return self._per_span(spans, Elements.largest_inside)

    def leaves_inside(self, spans: pl.DataFrame) -> pl.DataFrame:
        """Row (of the span), path, start, end of the elements with text and no elements inside."""
        return self._per_span(spans, Elements.leaves_inside)

    def rows_of(self, documents: pl.Series) -> pl.DataFrame:
        """doc, path, start, end of all elements of the documents, in the order of `documents`."""
        return self.elements(documents).rows_of(documents)

    def nesting_of(self, documents: pl.Series) -> Nesting:
        """Nesting of all elements of distinct documents, in the order of `documents`."""
        return self.elements(documents).nesting

    def points(self, spans: pl.DataFrame) -> pl.DataFrame:
        """Path and path_end of each span: the points in text nodes where it starts and ends."""
        return self._per_row(spans[c.DOC], lambda shard, rows: shard.points(spans[rows]))

    def elements(self, documents: pl.Series) -> Elements:
        """Elements of the documents, in memory, in the order given; unknown documents are left out."""
        parts = [elements for elements, _ in self._by_shard(documents)]
        return Elements.concatenated(parts).only(documents)

    def _per_row(
        self, documents: pl.Series, compute: Callable[[Elements, Ints], pl.DataFrame]
    ) -> pl.DataFrame:
        """Results of `compute` shard by shard, one row per document, in the order of `documents`."""
        frames, row_numbers = [], []
        for elements, rows in self._by_shard(documents):
            frames.append(compute(elements, rows))
            row_numbers.append(rows)
        order = np.empty(len(documents), dtype=np.int64)
        order[np.concatenate(row_numbers)] = np.arange(len(documents))
        return pl.concat(frames)[order]

    def _per_span(
        self, spans: pl.DataFrame, compute: Callable[[Elements, pl.DataFrame], pl.DataFrame]
    ) -> pl.DataFrame:
        """Results of `compute` shard by shard, any number of rows per span, in the order of spans."""
        frames = []
        for elements, rows in self._by_shard(spans[c.DOC]):
            frame = compute(elements, spans[rows])
            frames.append(frame.with_columns(pl.Series(c.ROW, rows[frame[c.ROW].to_numpy()])))
        return pl.concat(frames).sort(c.ROW, maintain_order=True)

    def _by_shard(self, documents: pl.Series) -> Iterator[tuple[Elements, Ints]]:
        """Elements of the documents shard by shard, each with the rows of its documents.

        Rows of unknown documents come last, with no elements.
        """
        unknown = len(self.manifest["shards"])
        shard = self._values_of(documents, c.SHARD).cast(pl.Int64).fill_null(unknown).to_numpy()
        order = np.argsort(shard, kind="stable")
        starts = np.searchsorted(shard[order], np.arange(unknown + 2))
        for number in np.unique(shard[order]).tolist():
            rows = order[starts[number] : starts[number + 1]]
            if number < unknown:
                yield self._shard(number).only(documents.gather(rows).unique()), rows
        yield self._empty(), order[starts[unknown] :]

    def _shard(self, number: int) -> Elements:
        digest = self.manifest["shards"][number]["elements_digest"]
        data = read_checked(self.folder / elements_file(number), digest)
        shards = self.document_table[c.SHARD]
        start, end = (shards.search_sorted(bound, "left") for bound in (number, number + 1))
        document_table = self.document_table[start:end]
        return read_shard(document_table, data, counts_characters=self.counts_characters)

    def _empty(self) -> Elements:
        empty, no_names = np.empty(0, dtype=np.int64), pl.Series([], dtype=pl.String)
        nesting = Nesting(np.zeros(1, dtype=np.int64), empty, empty, empty, empty)
        return Elements.of(
            no_names, no_names, nesting, empty, counts_characters=self.counts_characters
        )


def open_index(path: str | Path) -> Index:
    """Open the offset index in a folder, to read runs and judgements with (`elements=`)."""
    return Index.open(path)


def is_index(path: str | Path) -> bool:
    """True if a folder is an offset index."""
    return (Path(path) / MANIFEST).is_file() and (Path(path) / documents_file(0)).is_file()


def documents_file(number: int) -> str:
    """Name of the file with a shard's table of documents."""
    return f"documents-{number:05d}.parquet"


def elements_file(number: int) -> str:
    """Name of the file with a shard's table of elements."""
    return f"elements-{number:05d}.parquet"


def digest_of(data: bytes) -> str:
    """Digest of a file as it is in the manifest."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def read_checked(path: Path, digest: str) -> bytes:
    """Bytes of a file; refused if they have changed since it was written."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadIndex(f"{path}: cannot be read ({reason_of(error)}): {AGAIN}") from error
    if digest_of(data) != digest:
        raise BadIndex(f"{path}: damaged (changed since it was written): {AGAIN}")
    return data


def _read_manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    if not folder.exists():
        raise MissingFile(f"{folder}: no such folder: {HINT}")
    if not path.is_file():
        if (folder / documents_file(0)).exists():
            raise BadIndex(
                f"{folder}: an unfinished index: run the same `foveal index` to finish it"
            )
        noun = f"a folder without {MANIFEST}" if folder.is_dir() else "a file"
        raise BadIndex(f"{folder}: not an offset index, but {noun}: {HINT}")
    try:
        manifest = json.loads(path.read_bytes())
        kind, version = manifest["format"], manifest["format_version"]
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise BadIndex(f"{path}: damaged, or made by another program: {AGAIN}") from error
    if kind != FORMAT:
        raise BadIndex(f"{path}: not an offset index, but made by another program ({kind}): {HINT}")
    if version != VERSION:
        raise BadIndex(
            f"{path}: version {version} of the format, but this foveal reads version {VERSION}: {AGAIN}"
        )
    if not _has_all_fields(manifest):
        raise BadIndex(f"{path}: damaged: {AGAIN}")
    return dict(manifest)


def _has_all_fields(manifest: dict[str, Any]) -> bool:
    try:
        Settings.of(manifest["settings"])
        digests = [shard[key] for shard in manifest["shards"] for key in DIGESTS]
    except (KeyError, TypeError, ValueError):
        return False
    return bool(digests)
