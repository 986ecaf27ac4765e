"""Makes an index batch by batch; each shard is saved as soon as it is made."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from foveal.collection.index import (
    DIGESTS,
    FORMAT,
    MANIFEST,
    VERSION,
    digest_of,
    documents_file,
    elements_file,
    read_checked,
)
from foveal.collection.members import BATCH, Member, batches, fingerprint
from foveal.collection.shard import MakeShard, Settings, Shard, SkippedDocument
from foveal.errors import BadIndex, BadInput, DataError, Problem, UsageError, counted
from foveal.files import reason_of, write_bytes
from foveal.formats import json_bytes
from foveal.frozen import frozen
from foveal.late import pl
from foveal.tables import columns as c

MALFORMED = "malformed.jsonl"
MAX_SHOWN = 20
MAX_SOURCES = 3
# Files of an index, and those that a killed process left half-written (.NAME.part).
INDEX_FILE = re.compile(
    r"[.]?((documents|elements)-[0-9]{5,}[.]parquet|finished-[0-9]{5,}[.]json"
    r"|manifest[.]json|malformed[.]jsonl)([.][0-9a-f]+[.]part)?"
)

Mapped = Callable[[MakeShard, Iterable[list[Member]]], Iterator[Shard]]


@frozen
class BuiltIndex:
    """Result of indexing: counts, and the documents left out."""

    documents: int
    elements: int
    length: int
    shards: int
    resumed: int
    skipped: tuple[SkippedDocument, ...]


def build_index(
    collections: Sequence[str],
    target: str | Path,
    settings: Settings | None = None,
    *,
    strict: bool = False,
    mapped: Mapped = map,
    batch_size: int = BATCH,
) -> BuiltIndex:
    """Index collections into a folder; `mapped` makes the shards, in order, here or elsewhere.

    After an interruption, finished shards are kept. The manifest is written last; a folder without
    it is not an index.
    """
    settings = settings or Settings()
    folder = _prepare(Path(target), collections)
    pending: deque[tuple[int, str]] = deque()
    settings_text = json.dumps([FORMAT, VERSION, settings.to_manifest()])
    marks: list[str] = []
    finished = 0

    def unfinished_batches() -> Iterator[list[Member]]:
        nonlocal finished
        for number, batch in enumerate(batches(collections, size=batch_size)):
            marks.append(mark := fingerprint(batch, settings_text))
            if _is_finished(folder, number, mark):
                finished += 1
                continue
            pending.append((number, mark))
            yield batch

    for shard in mapped(MakeShard(settings), unfinished_batches()):
        _write_shard(folder, *pending.popleft(), shard)
    records = _read_records(folder, marks)
    skipped = tuple(SkippedDocument(**doc) for record in records for doc in record["malformed"])
    _refuse_unusable(folder, collections, records, skipped, strict=strict)
    documents, elements, length = (
        sum(record["counts"][key] for record in records)
        for key in (c.DOCUMENTS, c.ELEMENTS, c.LENGTH)
    )
    built = BuiltIndex(documents, elements, length, len(records), finished, skipped)
    _finish(folder, settings, records, built)
    return built


def _prepare(folder: Path, collections: Sequence[str]) -> Path:
    """Prepare the folder, which is new or has the shards of an interrupted call."""
    for collection in collections:
        if folder.resolve().is_relative_to(Path(collection.removeprefix("file://")).resolve()):
            raise UsageError(
                f"{folder} is inside the collection {collection}: give a folder outside of it"
            )
    if (folder / MANIFEST).exists():
        raise UsageError(f"{folder} is already an index: remove it first, or give another name")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file: give the name of a new folder")
    if folder.exists():
        files = [path.name for path in folder.iterdir() if not INDEX_FILE.fullmatch(path.name)]
        if files:
            raise UsageError(f"{folder} is not empty ({files[0]} …): give the name of a new folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot make the folder: {reason_of(error)}") from error
    return folder


def _finished_file(number: int) -> str:
    return f"finished-{number:05d}.json"


def _write_shard(folder: Path, number: int, mark: str, shard: Shard) -> None:
    """Write a shard; the file that marks it as finished is written last."""
    write_bytes(shard.documents, folder / documents_file(number))
    write_bytes(shard.elements, folder / elements_file(number))
    record = {
        "made_from": mark,
        "counts": shard.counts,
        "documents_digest": digest_of(shard.documents),
        "elements_digest": digest_of(shard.elements),
        "malformed": [asdict(document) for document in shard.skipped],
    }
    write_bytes(json_bytes(record), folder / _finished_file(number))


def _read_record(folder: Path, number: int) -> dict[str, Any]:
    return dict(json.loads((folder / _finished_file(number)).read_bytes()))


def _read_records(folder: Path, marks: Sequence[str]) -> list[dict[str, Any]]:
    """Records of all shards; refused unless each was made from the batch with its mark."""
    try:
        records = [_read_record(folder, number) for number in range(len(marks))]
    except FileNotFoundError:
        records = []
    if [record["made_from"] for record in records] != list(marks):
        raise BadIndex(
            f"{folder}: changed while the index was made: is another `foveal index` writing there?"
        )
    return records


def _is_finished(folder: Path, number: int, mark: str) -> bool:
    """True if a shard was already made from the same batch and is unchanged since."""
    try:
        record = _read_record(folder, number)
        read_checked(folder / documents_file(number), record["documents_digest"])
        read_checked(folder / elements_file(number), record["elements_digest"])
    except (OSError, TypeError, ValueError, KeyError, BadIndex):
        return False
    return bool(record["made_from"] == mark)


def _refuse_unusable(
    folder: Path,
    collections: Sequence[str],
    records: Sequence[dict[str, Any]],
    skipped: Sequence[SkippedDocument],
    *,
    strict: bool,
) -> None:
    """Refuse, before the manifest is written, a collection without documents or with repeated ids."""
    if strict and skipped:
        visible = [f"{doc.file}:{doc.line}: {doc.reason}" for doc in skipped[:MAX_SHOWN]]
        hidden = len(skipped) - len(visible)
        note = [f"and {counted(hidden, 'more malformed document')}"] if hidden else []
        raise DataError("\n".join([*visible, *note, "without --strict these would be left out"]))
    if not sum(record["counts"][c.DOCUMENTS] for record in records):
        reason = f"no documents in {', '.join(collections)}"
        if skipped:
            first = f"{skipped[0].file}:{skipped[0].line}: {skipped[0].reason}"
            files = counted(len(skipped), "file")
            reason = f"{reason} that can be read: {files} left out, first {first}"
        raise DataError(reason)
    docs = pl.concat(
        pl.read_parquet(folder / documents_file(number), columns=[c.DOC, c.SOURCE])
        for number in range(len(records))
    )
    if docs[c.DOC].n_unique() == docs.height:
        return
    repeated = docs.filter(pl.col(c.DOC).is_duplicated()).group_by(c.DOC).agg(c.SOURCE).sort(c.DOC)
    problems = [
        Problem(None, f"{len(sources)} documents with the id {doc!r}: {_shortened_names(sources)}")
        for doc, sources in repeated.iter_rows()
    ]
    expected = "a different id for each document (--id says where to find ids)"
    raise BadInput(", ".join(collections), problems, expected)


def _shortened_names(sources: Sequence[str]) -> str:
    """The first few distinct names, joined by commas."""
    names = list(dict.fromkeys(sources))
    return ", ".join(names[:MAX_SOURCES]) + (", …" if len(names) > MAX_SOURCES else "")


def _finish(
    folder: Path, settings: Settings, records: Sequence[dict[str, Any]], built: BuiltIndex
) -> None:
    """Write the list of malformed documents and the manifest, then remove the finished-* files."""
    # importlib.metadata is slow to load, and worker processes do not need it.
    from importlib.metadata import version  # noqa: PLC0415

    lines = "".join(json.dumps(asdict(doc), ensure_ascii=False) + "\n" for doc in built.skipped)
    write_bytes(lines.encode(errors="replace"), folder / MALFORMED)
    for path in [*folder.glob("documents-*"), *folder.glob("elements-*"), *folder.glob(".*.part")]:
        if path.name.startswith(".") or int(path.stem.partition("-")[2]) >= len(records):
            path.unlink()
    manifest = {
        "format": FORMAT,
        "format_version": VERSION,
        "foveal": version("foveal"),
        "settings": settings.to_manifest(),
        "documents": built.documents,
        "elements": built.elements,
        "length": built.length,
        "malformed": len(built.skipped),
        "shards": [
            {**record["counts"], **{key: record[key] for key in DIGESTS}} for record in records
        ],
    }
    write_bytes(json_bytes(manifest), folder / MANIFEST)
    for path in folder.glob("finished-*.json"):
        path.unlink()
