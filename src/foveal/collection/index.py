"""An index on disk: made shard by shard, refused if incomplete."""

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
MAKE = "`foveal index COLLECTION -o INDEX` makes one"


@frozen(eq=False)
class Index:
    """The offset index of a collection, read shard by shard as needed."""

    folder: Path
    manifest: dict[str, Any]
    known: pl.DataFrame

    @classmethod
    def open(cls, path: str | Path) -> Self:
        """The index in a folder; an error says why it cannot be used."""
        folder = Path(path)
        manifest = _read_manifest(folder)
        tables = []
        for number, shard in enumerate(manifest["shards"]):
            name, digest = documents_file(number), shard["documents_digest"]
            table = pl.read_parquet(BytesIO(checked(folder / name, digest)))
            tables.append(table.with_columns(pl.lit(number, dtype=pl.UInt32).alias(c.SHARD)))
        return cls(folder, manifest, pl.concat(tables))

    @property
    def counts_characters(self) -> bool:
        """Whether offsets count every code point."""
        settings = self.manifest["settings"]
        return (settings["count"], settings["whitespace"]) == ("characters", "keep")

    @property
    def documents(self) -> pl.Series:
        """The names of all documents."""
        return self.known[c.DOC]

    def _looked_up(self, documents: pl.Series, column: str) -> pl.Series:
        asked = pl.DataFrame({c.DOC: documents.cast(pl.String)})
        found = asked.join(
            self.known.select(c.DOC, column), on=c.DOC, how="left", maintain_order="left"
        )
        return found[column]

    def origin(self, document: str) -> tuple[str, bytes]:
        """The file that a document came from, by its name in the collection, and its digest."""
        found = self.known.row(by_predicate=pl.col(c.DOC) == document, named=True)
        return found[c.SOURCE], found[c.DIGEST]

    def lengths(self, documents: pl.Series) -> pl.Series:
        """The length of each document; null for unknown ones."""
        return self._looked_up(documents, c.LENGTH)

    def spans(self, references: pl.DataFrame) -> pl.DataFrame:
        """start, end and problem of each reference (doc, path, path_end), in the same order."""
        asked = References.of(references)
        return self._in_order(asked.document, lambda part, rows: part.resolve(asked.take(rows)))

    def smallest_containing(self, spans: pl.DataFrame) -> pl.DataFrame:
        """path, start, end of the smallest element around each span (doc, start, end), or null."""
        return self._in_order(
            spans[c.DOC], lambda part, rows: part.smallest_containing(spans[rows])
        )

    def largest_inside(self, spans: pl.DataFrame) -> pl.DataFrame:
        """Row (of the span), path, start, end of the largest elements inside spans, in order."""
        return self._by_row(spans, Elements.largest_inside)

    def leaves_inside(self, spans: pl.DataFrame) -> pl.DataFrame:
        """Row (of the span), path, start, end of the elements with text and no elements inside."""
        return self._by_row(spans, Elements.leaves_inside)

    def rows_of(self, documents: pl.Series) -> pl.DataFrame:
        """doc, path, start, end of all elements of documents, in order of the documents given."""
        return self.elements(documents).rows_of(documents)

    def nesting_of(self, documents: pl.Series) -> Nesting:
        """All elements of distinct documents, in order of the documents given."""
        return self.elements(documents).nesting

    def points(self, spans: pl.DataFrame) -> pl.DataFrame:
        """Path and path_end, the points in text nodes at which spans start and end."""
        return self._in_order(spans[c.DOC], lambda part, rows: part.points(spans[rows]))

    def elements(self, documents: pl.Series) -> Elements:
        """The elements of documents, in memory, in the order given; unknown ones are left out."""
        parts = [part for part, _ in self._parts(documents)]
        return Elements.concatenated(parts).only(documents)

    def _in_order(
        self, documents: pl.Series, answer: Callable[[Elements, Ints], pl.DataFrame]
    ) -> pl.DataFrame:
        """The parts' answers to their rows, one row each, in the order of the rows."""
        answers, places = [], []
        for part, rows in self._parts(documents):
            answers.append(answer(part, rows))
            places.append(rows)
        order = np.empty(len(documents), dtype=np.int64)
        order[np.concatenate(places)] = np.arange(len(documents))
        return pl.concat(answers)[order]

    def _by_row(
        self, spans: pl.DataFrame, answer: Callable[[Elements, pl.DataFrame], pl.DataFrame]
    ) -> pl.DataFrame:
        """The parts' answers to their spans, any number of rows each, in the order of the spans."""
        answers = []
        for part, rows in self._parts(spans[c.DOC]):
            found = answer(part, spans[rows])
            answers.append(found.with_columns(pl.Series(c.ROW, rows[found[c.ROW].to_numpy()])))
        return pl.concat(answers).sort(c.ROW, maintain_order=True)

    def _parts(self, documents: pl.Series) -> Iterator[tuple[Elements, Ints]]:
        """The elements of the documents shard by shard, each with the rows that ask for them.

        Rows of unknown documents come last, with an empty table of elements.
        """
        nowhere = len(self.manifest["shards"])
        shard = self._looked_up(documents, c.SHARD).cast(pl.Int64).fill_null(nowhere).to_numpy()
        order = np.argsort(shard, kind="stable")
        begins = np.searchsorted(shard[order], np.arange(nowhere + 2))
        for number in np.unique(shard[order]).tolist():
            rows = order[begins[number] : begins[number + 1]]
            if number < nowhere:
                yield self._shard(number).only(documents.gather(rows).unique()), rows
        yield self._empty(), order[begins[nowhere] :]

    def _shard(self, number: int) -> Elements:
        digest = self.manifest["shards"][number]["elements_digest"]
        data = checked(self.folder / elements_file(number), digest)
        shards = self.known[c.SHARD]
        first, last = (shards.search_sorted(limit, "left") for limit in (number, number + 1))
        known = self.known[first:last]
        return read_shard(known, data, counts_characters=self.counts_characters)

    def _empty(self) -> Elements:
        nothing, no_names = np.empty(0, dtype=np.int64), pl.Series([], dtype=pl.String)
        nesting = Nesting(np.zeros(1, dtype=np.int64), nothing, nothing, nothing, nothing)
        return Elements.of(
            no_names, no_names, nesting, nothing, counts_characters=self.counts_characters
        )


def open_index(path: str | Path) -> Index:
    """The offset index in a folder, to read runs and judgements with (`elements=`)."""
    return Index.open(path)


def is_index(path: str | Path) -> bool:
    """Whether a folder is an offset index."""
    return (Path(path) / MANIFEST).is_file() and (Path(path) / documents_file(0)).is_file()


def documents_file(number: int) -> str:
    """The name of a shard's table of documents."""
    return f"documents-{number:05d}.parquet"


def elements_file(number: int) -> str:
    """The name of a shard's table of elements."""
    return f"elements-{number:05d}.parquet"


def digested(data: bytes) -> str:
    """The digest of a file, as the manifest keeps it."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def checked(path: Path, digest: str) -> bytes:
    """The bytes of a file, if they are unchanged since it was written."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BadIndex(f"{path}: cannot be read ({reason_of(error)}): {AGAIN}") from error
    if digested(data) != digest:
        raise BadIndex(f"{path}: damaged (changed since it was written): {AGAIN}")
    return data


def _read_manifest(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    if not folder.exists():
        raise MissingFile(f"{folder}: no such folder: {MAKE}")
    if not path.is_file():
        if (folder / documents_file(0)).exists():
            raise BadIndex(
                f"{folder}: an unfinished index: run the same `foveal index` to finish it"
            )
        what = f"a folder without {MANIFEST}" if folder.is_dir() else "a file"
        raise BadIndex(f"{folder}: not an offset index, but {what}: {MAKE}")
    try:
        manifest = json.loads(path.read_bytes())
        kind, version = manifest["format"], manifest["format_version"]
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        raise BadIndex(f"{path}: damaged, or made by another program: {AGAIN}") from error
    if kind != FORMAT:
        raise BadIndex(f"{path}: not an offset index, but made by another program ({kind}): {MAKE}")
    if version != VERSION:
        raise BadIndex(
            f"{path}: version {version} of the format, but this foveal reads version {VERSION}: {AGAIN}"
        )
    if not _is_whole(manifest):
        raise BadIndex(f"{path}: damaged: {AGAIN}")
    return dict(manifest)


def _is_whole(manifest: dict[str, Any]) -> bool:
    try:
        Settings.of(manifest["settings"])
        digests = [shard[key] for shard in manifest["shards"] for key in DIGESTS]
    except (KeyError, TypeError, ValueError):
        return False
    return bool(digests)
