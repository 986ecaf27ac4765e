"""The text of a document, read from its collection."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from foveal.choices import Count, Whitespace
from foveal.collection.documents import Document, Identifier, documents
from foveal.collection.index import Index
from foveal.collection.members import Member, members
from foveal.collection.names import File, told_apart
from foveal.collection.scanner import SPACES, Counting, Malformed, Scan, encoded
from foveal.collection.shard import Settings
from foveal.errors import BadInput, DataError, Problem
from foveal.files import REMOTE
from foveal.work import stage


@stage("reading the text")
def read_text(index: Index, collections: Sequence[str], document: str, start: int, end: int) -> str:
    """The text of a span of a document, read from the collections that were indexed."""
    settings = Settings.of(index.manifest["settings"])
    source, digest = index.origin(document)
    for member in _candidates(collections, source):
        for found in documents(member, settings.identifier):
            if (
                isinstance(found, Document)
                and isinstance(found.scan, Scan)
                and found.id == document
            ):
                if found.digest() != digest:
                    raise DataError(
                        f"{member.path or member.name}: document {document!r} has changed since it was"
                        " indexed: index the collection again"
                    )
                return _cut(found.scan, settings.measure, start, end)
    raise DataError(
        f"{', '.join(collections)}: no document {document!r} (it was indexed from {source})"
    )


def read_texts(collection: str) -> list[tuple[str, str]]:
    """The id and the text of every document of a collection; damaged ones are refused.

    Documents of the same file name with different texts are called by their paths.
    """
    files, texts = [], []
    for member in members([collection]):
        for found in documents(member, Identifier()):
            if isinstance(found, Malformed):
                raise BadInput(member.path or member.name, [Problem(found.line, found.reason)])
            if isinstance(found.scan, Scan):
                is_file = found.id == Identifier().of_name(member.name)
                files.append(File(found.id, member.name if is_file else None))
                texts.append("".join(found.scan.texts))
    return list(zip(told_apart(files, texts), texts, strict=True))


def _candidates(collections: Sequence[str], source: str) -> Iterator[Member]:
    """The members that may be the source; the collection may have been renamed."""
    inside = source.partition("/")[2]
    for collection in collections:
        path = Path(collection, inside)
        if inside and REMOTE not in collection and path.is_file():
            yield Member(source, str(path), path.stat().st_size)
    for member in members(collections):
        if source in {member.name, inside} or member.name.partition("/")[2] == inside:
            yield member


def _cut(scan: Scan, measure: Counting, start: int, end: int) -> str:
    texts = scan.with_whole_texts().texts
    if measure.whitespace is Whitespace.MERGED:
        texts = [SPACES.sub(" ", text) for text in texts]
    whole = "".join(texts)
    if measure.count is Count.BYTES:
        return encoded(whole)[start:end].decode(errors="replace")
    return whole[start:end]
