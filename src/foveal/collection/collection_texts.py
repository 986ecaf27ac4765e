"""The text of a document, read from its collection."""

from __future__ import annotations

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from foveal.choices import Count, Whitespace
from foveal.collection.document_reader import (
    PACKINGS,
    Document,
    Identifier,
    documents,
    without_ending,
)
from foveal.collection.index import Index
from foveal.collection.members import NESTED, PACKED, Member, Notation, members
from foveal.collection.shard import Settings
from foveal.collection.xml_scanner import SPACES, Malformed, OffsetCounter, Scan, encoded
from foveal.errors import BadInput, DataError, Problem, counted
from foveal.files import REMOTE
from foveal.frozen import frozen
from foveal.work import stage

# Such files are documents: if they are not UTF-8, they are refused.
PLAIN = {".md", ".markdown", ".mdx", ".rst"}
HTML = {".html", ".htm"}
MARKED = {".xml", ".xhtml", ".sgml", ".trec", *HTML}
TABLES = {".json", ".jsonl", ".csv", ".tsv"}
TEXTS = {"", ".txt", ".text", *PLAIN, *MARKED, *TABLES}
PDF = b"%PDF-"
INSTEAD = "(move the file out of the folder, or give a table with the columns doc and text)"


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


@frozen
class Texts:
    """The ids and texts of the documents of a collection, and the files that are not text."""

    documents: list[tuple[str, str]]
    skipped: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """That files were skipped, if some were."""
        if not self.skipped:
            return ()
        more = ", …" if len(self.skipped) > 1 else ""
        return (f"{counted(len(self.skipped), 'file')} skipped, not text: {self.skipped[0]}{more}",)


def read_texts(collection: str) -> Texts:
    """The id and the text of every document of a collection; damaged ones are refused.

    Documents of the same file name with different texts are called by their paths. Files of a
    folder or an archive that are not text are skipped, unless their endings are those of texts.
    """
    files, texts, skipped = [], [], []
    for member in members([collection]):
        is_alone = member.path == collection and not member.is_part
        if not is_alone and _is_binary(member):
            skipped.append(member.name.partition("/")[2])
            continue
        for found in documents(_as_written(member), Identifier()):
            if isinstance(found, Malformed):
                raise _unusable(member, found, is_alone=is_alone)
            if isinstance(found.scan, Scan):
                is_file = found.id == Identifier().of_name(member.name)
                files.append(NamedFile(found.id, member.name if is_file else None))
                texts.append("".join(found.scan.texts))
    return Texts(list(zip(distinct_ids(files, texts), texts, strict=True)), tuple(skipped))


def _unusable(member: Member, found: Malformed, *, is_alone: bool) -> BadInput:
    """Why a document cannot be read, and what to do about it."""
    reason = found.reason
    if _ending(member) in HTML:
        reason = f"HTML that is not well-formed XML, whose text is therefore unknown: {reason}"
    place = member.name if member.is_part or not member.path else member.path
    return BadInput(place, [Problem(found.line, reason if is_alone else f"{reason} {INSTEAD}")])


def _is_binary(member: Member) -> bool:
    """Whether a file is clearly not text: neither by its ending nor by its bytes."""
    if _ending(member) in TEXTS or member.problem:
        return False
    try:
        data = member.read()
    except Malformed as error:
        # Office files are archives.
        return error.reason == NESTED and not member.name.lower().endswith(PACKED)
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        return False
    try:
        data.decode()
    except UnicodeDecodeError:
        return True
    return b"\0" in data or data.startswith(PDF)


def _as_written(member: Member) -> Member:
    """The member, read as plain text if its ending says so: Markdown may begin with a tag."""
    return member._replace(notation=Notation.TEXT) if _ending(member) in PLAIN else member


def _ending(member: Member) -> str:
    """The ending of a file's name, without that of a packing; empty if it has none."""
    name = member.name.rpartition("/")[2].lower()
    for packing in PACKINGS:
        name = name.removesuffix(packing)
    return "".join(name.rpartition(".")[1:]) if "." in name else ""


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


def _cut(scan: Scan, measure: OffsetCounter, start: int, end: int) -> str:
    texts = scan.with_whole_texts().texts
    if measure.whitespace is Whitespace.MERGED:
        texts = [SPACES.sub(" ", text) for text in texts]
    whole = "".join(texts)
    if measure.count is Count.BYTES:
        return encoded(whole)[start:end].decode(errors="replace")
    return whole[start:end]


class NamedFile(NamedTuple):
    """Id of a document, and its path from the collection on if the id is the file's name."""

    id: str
    path: str | None


def distinct_ids(files: Sequence[NamedFile], texts: Sequence[str]) -> list[str]:
    """The ids of documents, with paths in the collection for those that share one.

    Files of the same name and the same text are one document, which keeps its id. So do ids that
    are not the names of files.
    """
    rows: dict[str, list[int]] = {}
    for row, file in enumerate(files):
        rows.setdefault(file.id, []).append(row)
    names = [file.id for file in files]
    for shared in rows.values():
        paths = [path for row in shared if (path := files[row].path)]
        if len({texts[row] for row in shared}) > 1 and len({*paths}) == len(shared):
            for row, name in zip(shared, _paths(paths), strict=True):
                names[row] = name
    return names


def _paths(paths: Iterable[str]) -> list[str]:
    """Paths in the collection, without endings where these tell nothing apart.

    They tell something apart if they differ, or if one of the paths is the end of another: then
    `index.md` is the file at the top, while `index` may be any of them.
    """
    inside = [_inside(path) for path in paths]
    bare = [without_ending(path) for path in inside]
    endings = {path.removeprefix(own) for path, own in zip(inside, bare, strict=True)}
    tails = {tail for path in bare for tail in _shorter(path)}
    return inside if len(endings) > 1 or not tails.isdisjoint(bare) else bare


def _inside(path: str) -> str:
    """A path without the name of the collection; archives may have been packed from `.`."""
    return "/".join(step for step in path.split("/")[1:] if step != ".")


def _shorter(path: str) -> Iterable[str]:
    """What is left of a path without its first folders."""
    steps = path.split("/")
    return ("/".join(steps[begin:]) for begin in range(1, len(steps)))
