"""Texts of documents, read from their collection."""

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

# Files with these endings are documents: if they are not UTF-8, they are refused, not skipped.
PLAIN = {".md", ".markdown", ".mdx", ".rst"}
HTML = {".html", ".htm"}
MARKUP = {".xml", ".xhtml", ".sgml", ".trec", *HTML}
TABLES = {".json", ".jsonl", ".csv", ".tsv"}
TEXTS = {"", ".txt", ".text", *PLAIN, *MARKUP, *TABLES}
PDF = b"%PDF-"
ADVICE = "(move the file out of the folder, or give a table with the columns doc and text)"


@stage("reading the text")
def read_text(index: Index, collections: Sequence[str], document: str, start: int, end: int) -> str:
    """The text of a span of a document, read from the collections that were indexed."""
    settings = Settings.of(index.manifest["settings"])
    source, digest = index.origin(document)
    for member in _candidates(collections, source):
        for item in documents(member, settings.identifier):
            if isinstance(item, Document) and isinstance(item.scan, Scan) and item.id == document:
                if item.digest() != digest:
                    raise DataError(
                        f"{member.path or member.name}: document {document!r} has changed since it was"
                        " indexed: index the collection again"
                    )
                return _cut(item.scan, settings.counter, start, end)
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
        """Note: files were skipped."""
        if not self.skipped:
            return ()
        dots = ", …" if len(self.skipped) > 1 else ""
        return (f"{counted(len(self.skipped), 'file')} skipped, not text: {self.skipped[0]}{dots}",)


def read_texts(collection: str) -> Texts:
    """Id and text of every document of a collection; damaged documents are refused.

    Documents with the same file name and different texts get their paths as ids. In a folder or an
    archive, files that are not text are skipped, unless their endings are those of texts.
    """
    files, texts, skipped = [], [], []
    for member in members([collection]):
        is_alone = member.path == collection and not member.is_part
        if not is_alone and _is_binary(member):
            skipped.append(member.name.partition("/")[2])
            continue
        for item in documents(_with_notation_of_ending(member), Identifier()):
            if isinstance(item, Malformed):
                raise _unusable(member, item, is_alone=is_alone)
            if isinstance(item.scan, Scan):
                is_file = item.id == Identifier().of_name(member.name)
                files.append(NamedFile(item.id, member.name if is_file else None))
                texts.append("".join(item.scan.texts))
    return Texts(list(zip(distinct_ids(files, texts), texts, strict=True)), tuple(skipped))


def _unusable(member: Member, malformed: Malformed, *, is_alone: bool) -> BadInput:
    """Error that says why a document cannot be read, and what to do about it."""
    reason = malformed.reason
    if _ending(member) in HTML:
        reason = f"HTML that is not well-formed XML, whose text is therefore unknown: {reason}"
    file = member.name if member.is_part or not member.path else member.path
    return BadInput(file, [Problem(malformed.line, reason if is_alone else f"{reason} {ADVICE}")])


def _is_binary(member: Member) -> bool:
    """True if neither a file's ending nor its bytes are those of text."""
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


def _with_notation_of_ending(member: Member) -> Member:
    """The member, to be read as plain text if it is Markdown, which may begin with a tag."""
    return member._replace(notation=Notation.TEXT) if _ending(member) in PLAIN else member


def _ending(member: Member) -> str:
    """Ending of a file's name, not counting .gz and the like; empty if there is none."""
    name = member.name.rpartition("/")[2].lower()
    for packing in PACKINGS:
        name = name.removesuffix(packing)
    return "".join(name.rpartition(".")[1:]) if "." in name else ""


def _candidates(collections: Sequence[str], source: str) -> Iterator[Member]:
    """Members that may be the source file; the collection may have been renamed."""
    inner_path = source.partition("/")[2]
    for collection in collections:
        path = Path(collection, inner_path)
        if inner_path and REMOTE not in collection and path.is_file():
            yield Member(source, str(path), path.stat().st_size)
    for member in members(collections):
        if source in {member.name, inner_path} or member.name.partition("/")[2] == inner_path:
            yield member


def _cut(scan: Scan, counter: OffsetCounter, start: int, end: int) -> str:
    pieces = scan.with_whole_texts().texts
    if counter.whitespace is Whitespace.MERGED:
        pieces = [SPACES.sub(" ", piece) for piece in pieces]
    text = "".join(pieces)
    if counter.count is Count.BYTES:
        return encoded(text)[start:end].decode(errors="replace")
    return text[start:end]


class NamedFile(NamedTuple):
    """Id of a document, and its path below the collection if the id is the file's name."""

    id: str
    path: str | None


def distinct_ids(files: Sequence[NamedFile], texts: Sequence[str]) -> list[str]:
    """Ids of documents; those that share one get their paths in the collection instead.

    Files with the same name and the same text are one document, which keeps its id. Ids that are
    not names of files stay, too.
    """
    rows: dict[str, list[int]] = {}
    for row, file in enumerate(files):
        rows.setdefault(file.id, []).append(row)
    ids = [file.id for file in files]
    for namesakes in rows.values():
        paths = [path for row in namesakes if (path := files[row].path)]
        if len({texts[row] for row in namesakes}) > 1 and len({*paths}) == len(namesakes):
            for row, path_id in zip(namesakes, _path_ids(paths), strict=True):
                ids[row] = path_id
    return ids


def _path_ids(paths: Iterable[str]) -> list[str]:
    """Paths in the collection, without endings if these distinguish no documents.

    They do if they differ, or if one of the paths is the end of another: then `index.md` is the
    file at the top, while `index` may be any of them.
    """
    full = [_inner_path(path) for path in paths]
    stems = [without_ending(path) for path in full]
    endings = {path.removeprefix(stem) for path, stem in zip(full, stems, strict=True)}
    tails = {tail for path in stems for tail in _path_tails(path)}
    return full if len(endings) > 1 or not tails.isdisjoint(stems) else stems


def _inner_path(path: str) -> str:
    """Path without the name of the collection; archives may have been packed from `.`."""
    return "/".join(step for step in path.split("/")[1:] if step != ".")


def _path_tails(path: str) -> Iterable[str]:
    """Ends of a path: without its first folder, its first two, and so on."""
    steps = path.split("/")
    return ("/".join(steps[start:]) for start in range(1, len(steps)))
