"""Look-ups in the texts of documents: lengths, names, and the offsets of a text."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypedDict, Unpack

from foveal.choices import Copies, OffsetUnit, chosen
from foveal.errors import SHOWN_NAMES, Problem, UsageError
from foveal.frozen import frozen
from foveal.late import pl
from foveal.spans import Ints
from foveal.tables import _columns as c
from foveal.tables._inputs import Frame

if TYPE_CHECKING:
    from foveal.tables.run import Run

FIND_TEXT = (
    "text without start and end: give --docs DOCUMENTS (in Python docs=foveal.read_documents(...))"
    " to find it"
)
ChunkListLike: TypeAlias = str | os.PathLike[str] | Frame | Iterable[object]
"""A file of rows {doc, start, end} or {doc, text}, a frame, or a list of dicts or chunks."""

# A suggestion from among more names is of little use and takes long to compute.
MAX_NAMES = 10_000
# At most this many unknown documents get a suggestion.
MAX_HINTS = 20
# At most this many names are compared letter by letter with a run's.
MAX_COMPARED = 200


@frozen(eq=False)
class PlacedText:
    """Offsets of texts: `start` and `end`, or null and the reason (`problem`)."""

    start: pl.Series
    end: pl.Series
    problem: pl.Series
    notes: tuple[str, ...] = ()


class PlacementOptions(TypedDict, total=False):
    """Options for locating a run's texts in its documents."""

    chunks: ChunkListLike | None
    copies: Copies | str
    count: OffsetUnit | str


class TextLookup(Protocol):
    """The texts of documents, as `foveal.read_documents` returns them."""

    def lengths(self, documents: pl.Series) -> pl.Series:
        """The length of each document in characters; null where it is unknown."""

    def judged_lengths(self, documents: pl.Series) -> pl.Series:
        """The same for judged documents; a name that matches several documents is refused."""

    def placed(self, run: Run, **texts: Unpack[PlacementOptions]) -> Run:
        """The run with offsets of its texts; refused if a text is not found."""

    def audited(self, run: Run, **texts: Unpack[PlacementOptions]) -> Run:
        """The same, but nothing is refused: `run.audit` has the problems."""

    def spans(self, parts: pl.DataFrame, *, copies: Copies | str = Copies.REFUSE) -> PlacedText:
        """The offsets of each part, which has columns doc, and any of start, end and text."""


class KnownDocuments(Protocol):
    """The documents of an offset index and their lengths."""

    @property
    def documents(self) -> pl.Series:
        """The names of all documents."""

    def lengths(self, documents: pl.Series) -> pl.Series:
        """The length of each document; null for unknown ones."""


def placed_texts(
    frame: pl.DataFrame, docs: TextLookup, copies: Copies | str
) -> tuple[pl.DataFrame, list[Problem], tuple[str, ...]]:
    """Rows of judgements with the offsets of their texts, problems of these, and notes.

    Rows without text keep their start and end.
    """
    offsets = (c.START, c.END)
    absent = [pl.lit(None, pl.Int64).alias(name) for name in offsets if name not in frame.columns]
    rows = frame.with_columns(absent)
    indices = rows[c.TEXT].is_not_null().arg_true()
    placed = docs.spans(
        rows[indices].select(
            pl.col(c.DOC, c.TEXT).cast(pl.String), pl.col(offsets).cast(pl.Int64, strict=False)
        ),
        copies=copies,
    )
    lines = frame[c.LINE] if c.LINE in frame.columns else range(1, frame.height + 1)
    problems = [
        Problem(lines[index], reason)
        for index, reason in zip(indices, placed.problem, strict=True)
        if reason is not None
    ]
    nulls = pl.repeat(None, frame.height, dtype=pl.Int64, eager=True)
    columns = [
        pl.when(pl.col(c.TEXT).is_not_null())
        .then(nulls.scatter(indices, values))
        .otherwise(name)
        .alias(name)
        for name, values in zip(offsets, (placed.start, placed.end), strict=True)
    ]
    return rows.with_columns(columns), problems, placed.notes


def missing_offsets(lines: Sequence[int]) -> list[Problem]:
    """One problem for all lines with a text but no offsets, as the remedy is the same."""
    if not lines:
        return []
    count_text = f" ({len(lines):,} rows lack them)" if len(lines) > 1 else ""
    return [Problem(lines[0], f"{FIND_TEXT}{count_text}")]


def refuse_wrong_docs(
    docs: object, chunks: object = None, count: OffsetUnit | str = OffsetUnit.CHARACTERS
) -> None:
    """Refuse texts that are not from `foveal.read_documents`, and options without the texts they need."""
    if docs is not None and not hasattr(docs, "spans"):
        raise UsageError(
            f"docs must be what foveal.read_documents returns, got {type(docs).__name__}: give"
            " docs=foveal.read_documents(your dict, frame or path)"
        )
    unit = chosen(OffsetUnit, count)
    if docs is None and (chunks is not None or unit is not OffsetUnit.CHARACTERS):
        option = "chunks" if chunks is not None else f"count {unit.value}"
        raise UsageError(f"{option} needs the texts of the documents: give docs (--docs DOCUMENTS)")


class TokenCounter(Protocol):
    """Finds the tokens of parts, as `foveal.count_tokens` gives it to a run."""

    def __call__(self, documents: Sequence[str], start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
        """The number of tokens of each part, then start and end of each token in its document."""


@frozen(eq=False)
class DocumentNames:
    """The names of documents, with a look-up of other names for them."""

    names: Collection[str]

    def resolve(self, names: Iterable[str]) -> dict[str, str]:
        """The document that each other name refers to, if one name refers to one document.

        `corpora/wikitexts.md` refers to `wikitexts`, and `wikitexts` to `corpora/wikitexts.md`. Of
        several matching documents, the one with the longest common tail of the path is taken:
        `/srv/kb/a/index.md` matches `a/index`, not `index.md`. `de/intro.md` never matches
        `en/intro.md`.
        """
        matches = self._matches(names)
        document_of = {name: docs[0] for name, docs in matches.items() if len(docs) == 1}
        count = Counter(document_of.values())
        return {name: document for name, document in document_of.items() if count[document] == 1}

    def matches(self, names: Iterable[str]) -> dict[str, list[str]]:
        """The documents that each other name may refer to, several if it is ambiguous."""
        return {name: sorted(documents) for name, documents in self._matches(names).items()}

    def _matches(self, names: Iterable[str]) -> dict[str, list[str]]:
        unknown = [name for name in dict.fromkeys(names) if name not in self.names]
        tails = _PathTails(unknown, self.names if unknown else ())
        return {name: tails.matches(name) for name in unknown}

    def namesakes(self, name: str) -> list[str]:
        """The documents of the same file name, whatever their folders."""
        file = _steps(name)[-1]
        return self.matches([file]).get(file, [file])

    def hint(self, names: Sequence[str]) -> str:
        """A question whether one of the names is one of these documents; empty if none is similar."""
        by_base_name = {_base_name(name): name for name in reversed([*self.names])}
        for name in names:
            if _base_name(name) in by_base_name:
                return _question(name, by_base_name[_base_name(name)])
        for name in names[:SHOWN_NAMES]:
            if close_names := get_close_matches(name, [*self.names][:MAX_COMPARED]):
                return _question(name, close_names[0])
        return ""

    def nearest(self, name: str) -> str | None:
        """The document with the most similar name, for a question."""
        return next(iter(get_close_matches(name, list(self.names)[:MAX_NAMES], n=1)), None)


def unknown_documents(names: Sequence[str], documents: pl.Series) -> dict[str, str]:
    """A sentence for each document that is not in an index, the first ones with a suggestion."""
    index = DocumentNames(documents.to_list() if names else [])
    matches = index.matches(names[:MAX_HINTS])
    close = {name: next(iter(docs), None) or index.nearest(name) for name, docs in matches.items()}
    hints = {name: f"; did you mean {doc!r}?" for name, doc in close.items() if doc}
    return {name: f"document {name!r} is not in the index{hints.get(name, '')}" for name in names}


def _question(name: str, document: str) -> str:
    return f"did you mean: {name!r} is {document!r}?"


def _base_name(name: str) -> str:
    """A name without folder and suffix; a number after a dot is not a suffix."""
    return re.sub(r"(?<=.)\.[a-zA-Z]\w*$", "", re.split(r"[/\\]", name)[-1])


class _PathTails:
    """Documents by the tails of their paths; only those that the given names may match."""

    def __init__(self, names: Iterable[str], paths: Collection[str]) -> None:
        files = {form for name in names for form in _file_spellings(_steps(name))}
        self._by_path: dict[str, list[str]] = {}
        self._by_tail: dict[str, list[str]] = {}
        for path in paths:
            steps = _steps(path)
            if files.isdisjoint(_file_spellings(steps)):
                continue
            for form in _spellings(steps):
                self._by_path.setdefault(form, []).append(path)
            for start in range(1, len(steps)):
                for form in _spellings(steps[start:]):
                    self._by_tail.setdefault(form, []).append(path)

    def matches(self, name: str) -> list[str]:
        """The documents whose path ends with the name, or is its end; those with the longest such end."""
        steps = _steps(name)
        # `./a/index.md` and `a\\index.md` are other ways to write the path `a/index.md`.
        exact = [path for form in _spellings(steps) for path in self._by_path.get(form, ())]
        if len(exact := [path for path in dict.fromkeys(exact) if _steps(path) == steps]) == 1:
            return exact
        for start in range(len(steps)):
            tail = steps[start:]
            indexes = (self._by_path, self._by_tail) if start == 0 else (self._by_path,)
            paths = [
                path
                for index in indexes
                for form in _spellings(tail)
                for path in index.get(form, ())
                if _is_same_file(tail[-1], _steps(path)[-1])
            ]
            if paths:
                return list(dict.fromkeys(paths))
        return []


def _steps(name: str) -> list[str]:
    """The folders and the file of a path."""
    if "/" not in name and "\\" not in name:
        return [name]
    return [step for step in name.replace("\\", "/").split("/") if step not in {"", "."}] or [name]


def _spellings(steps: list[str]) -> list[str]:
    """A path with and without the suffix of its file."""
    if len(steps) == 1:
        return _file_spellings(steps)
    folders = "/".join(steps[:-1])
    return [f"{folders}/{form}" for form in _file_spellings(steps)]


def _file_spellings(steps: list[str]) -> list[str]:
    file = steps[-1]
    stem = _stem(file)
    return [file] if stem == file else [file, stem]


def _is_same_file(file: str, other: str) -> bool:
    """Whether two files are the same, or one is the other without its suffix.

    Two names that differ only in their suffixes are not the same document.
    """
    return file in {other, _stem(other)} or other == _stem(file)


def _stem(file: str) -> str:
    return file.rpartition(".")[0] or file
