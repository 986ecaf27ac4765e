"""Making an index: batch after batch, each shard kept as soon as it is made."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import polars as pl

from foveal.collection.index import (
    DIGESTS,
    FORMAT,
    MANIFEST,
    VERSION,
    checked,
    digested,
    documents_file,
    elements_file,
)
from foveal.collection.members import BATCH, Member, batches, fingerprint
from foveal.collection.shard import Complaint, MakeShard, Settings, Shard
from foveal.errors import BadIndex, BadInput, DataError, Problem, UsageError
from foveal.files import write_bytes
from foveal.formats import json_bytes
from foveal.tables import columns as c

MALFORMED = "malformed.jsonl"
SHOWN = 20
# The files of an index; what a killed run left half-written has dots around its name.
OWN = re.compile(
    r"[.]?((documents|elements)-[0-9]{5,}[.]parquet|finished-[0-9]{5,}[.]json"
    r"|manifest[.]json|malformed[.]jsonl)([.][0-9a-f]+[.]part)?"
)

Mapped = Callable[[MakeShard, Iterable[list[Member]]], Iterator[Shard]]


@dataclass(frozen=True)
class Built:
    """What came of indexing."""

    documents: int
    elements: int
    length: int
    shards: int
    resumed: int
    complaints: tuple[Complaint, ...]


def build_index(
    collections: Sequence[str],
    target: str | Path,
    settings: Settings | None = None,
    *,
    strict: bool = False,
    mapped: Mapped = map,
    batch_size: int = BATCH,
) -> Built:
    """Index collections into a folder; `mapped` says where the work is done, in order.

    Interrupted, it goes on after the last finished shard. Until the manifest is written, which
    comes last, the folder is no index.
    """
    settings = settings or Settings()
    folder = _prepared(Path(target), collections)
    numbered: deque[tuple[int, str]] = deque()
    told = json.dumps([FORMAT, VERSION, settings.described()])
    marks: list[str] = []
    finished = 0

    def unfinished() -> Iterator[list[Member]]:
        nonlocal finished
        for number, batch in enumerate(batches(collections, size=batch_size)):
            marks.append(mark := fingerprint(batch, told))
            if _is_finished(folder, number, mark):
                finished += 1
                continue
            numbered.append((number, mark))
            yield batch

    for shard in mapped(MakeShard(settings), unfinished()):
        _keep(folder, *numbered.popleft(), shard)
    records = _records(folder, marks)
    complaints = tuple(Complaint(**found) for record in records for found in record["malformed"])
    _refuse(folder, records, complaints, strict=strict)
    documents, elements, length = (
        sum(record["counts"][key] for record in records)
        for key in ("documents", "elements", "length")
    )
    built = Built(documents, elements, length, len(records), finished, complaints)
    _finish(folder, settings, records, built)
    return built


def _prepared(folder: Path, collections: Sequence[str]) -> Path:
    """The folder, new or with the shards of a run that was interrupted."""
    for collection in collections:
        if folder.resolve().is_relative_to(Path(collection.removeprefix("file://")).resolve()):
            raise UsageError(f"{folder}: inside the collection {collection}, which it would join")
    if (folder / MANIFEST).exists():
        raise UsageError(f"{folder}: an index already: remove it first, or give another name")
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder}: a file, where the index's folder should be")
    if folder.exists():
        others = [path.name for path in folder.iterdir() if not OWN.fullmatch(path.name)]
        if others:
            raise UsageError(f"{folder}: not empty ({others[0]} …): give the name of a new folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made: {error.strerror}") from error
    return folder


def _finished_file(number: int) -> str:
    return f"finished-{number:05d}.json"


def _keep(folder: Path, number: int, mark: str, shard: Shard) -> None:
    """Write a shard; the file that says it is finished comes last."""
    write_bytes(shard.documents, folder / documents_file(number))
    write_bytes(shard.elements, folder / elements_file(number))
    record = {
        "made_from": mark,
        "counts": shard.counts,
        "documents_digest": digested(shard.documents),
        "elements_digest": digested(shard.elements),
        "malformed": [asdict(complaint) for complaint in shard.complaints],
    }
    write_bytes(json_bytes(record), folder / _finished_file(number))


def _record(folder: Path, number: int) -> dict[str, Any]:
    return dict(json.loads((folder / _finished_file(number)).read_bytes()))


def _records(folder: Path, marks: Sequence[str]) -> list[dict[str, Any]]:
    """What is known of every shard, each made from the batch with its mark."""
    try:
        records = [_record(folder, number) for number in range(len(marks))]
    except FileNotFoundError:
        records = []
    if [record["made_from"] for record in records] != list(marks):
        raise BadIndex(
            f"{folder}: changed while it was made: does another `foveal index` write there?"
        )
    return records


def _is_finished(folder: Path, number: int, mark: str) -> bool:
    """Whether a shard was made from the same batch before, and is still as it was written."""
    try:
        record = _record(folder, number)
        checked(folder / documents_file(number), record["documents_digest"])
        checked(folder / elements_file(number), record["elements_digest"])
    except (OSError, TypeError, ValueError, KeyError, BadIndex):
        return False
    return bool(record["made_from"] == mark)


def _refuse(
    folder: Path,
    records: Sequence[dict[str, Any]],
    complaints: Sequence[Complaint],
    *,
    strict: bool,
) -> None:
    """Stop before the manifest is written if there is nothing, or nothing to rely on."""
    if strict and complaints:
        shown = [f"{found.file}:{found.line}: {found.reason}" for found in complaints[:SHOWN]]
        hidden = len(complaints) - len(shown)
        raise DataError("\n".join([*shown, *([f"and {hidden:,} more"] if hidden else [])]))
    if not sum(record["counts"]["documents"] for record in records):
        first = f": {complaints[0].file}: {complaints[0].reason}" if complaints else ""
        raise DataError(f"no documents found{first}")
    known = pl.concat(
        pl.read_parquet(folder / documents_file(number), columns=[c.DOC, c.SOURCE])
        for number in range(len(records))
    )
    if known[c.DOC].n_unique() == known.height:
        return
    twice = known.filter(pl.col(c.DOC).is_duplicated()).sort(c.DOC, maintain_order=True)
    problems = [
        Problem(None, f"{source}: the id {doc!r} is another document's too")
        for doc, source in twice.rows()
    ]
    expected = "one document for each id (--id tells where ids stand)"
    raise BadInput("collection", problems, expected)


def _finish(
    folder: Path, settings: Settings, records: Sequence[dict[str, Any]], built: Built
) -> None:
    """Write what is wrong and the manifest, then remove what was needed to go on."""
    # Loading it takes a while, and workers do not need it.
    from importlib.metadata import version  # noqa: PLC0415

    listed = "".join(
        json.dumps(asdict(found), ensure_ascii=False) + "\n" for found in built.complaints
    )
    write_bytes(listed.encode(errors="replace"), folder / MALFORMED)
    for path in [*folder.glob("documents-*"), *folder.glob("elements-*"), *folder.glob(".*.part")]:
        if path.name.startswith(".") or int(path.stem.partition("-")[2]) >= len(records):
            path.unlink()
    manifest = {
        "format": FORMAT,
        "format_version": VERSION,
        "foveal": version("foveal"),
        "settings": settings.described(),
        "documents": built.documents,
        "elements": built.elements,
        "length": built.length,
        "malformed": len(built.complaints),
        "shards": [
            {
                **record["counts"],
                **{key: record[key] for key in DIGESTS},
            }
            for record in records
        ],
    }
    write_bytes(json_bytes(manifest), folder / MANIFEST)
    for path in folder.glob("finished-*.json"):
        path.unlink()
