"""What tables ask of the texts of documents: lengths, names, and where a piece of text is."""

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

# A suggestion from among more names is of little use, and looking for it takes long.
MOST_NAMES = 10_000
# Unknown documents for which a similar name is looked for.
HINTED = 20
# Names that are compared letter by letter with the first ones of a run.
COMPARED = 200


@frozen(eq=False)
class PlacedText:
    """Places of texts: `start` and `end`, null where unknown, and then the reason (`problem`)."""

    start: pl.Series
    end: pl.Series
    problem: pl.Series
    notes: tuple[str, ...] = ()


class Comparing(TypedDict, total=False):
    """How a run is compared with the texts of its documents."""

    chunks: ChunkListLike | None
    copies: Copies | str
    count: OffsetUnit | str


class TextLookup(Protocol):
    """The texts of documents, as `foveal.read_documents` returns them."""

    def lengths(self, documents: pl.Series) -> pl.Series:
        """The length of each document in characters; null where it is unknown."""

    def judged_lengths(self, documents: pl.Series) -> pl.Series:
        """The same for judged documents; a name that fits several documents is refused."""

    def placed(self, run: Run, **texts: Unpack[Comparing]) -> Run:
        """The run with offsets that fit its texts; one whose texts have no place is refused."""

    def audited(self, run: Run, **texts: Unpack[Comparing]) -> Run:
        """The same, without refusing anything: `run.audit` has what is wrong."""

    def spans(self, parts: pl.DataFrame, *, copies: Copies | str = Copies.REFUSE) -> PlacedText:
        """Where each part is: columns doc, and any of start, end and text, null where not given."""


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
    """Rows of judgements with the places of their texts, what is wrong with these, and notes.

    Rows without text keep their start and end.
    """
    edges = (c.START, c.END)
    absent = [pl.lit(None, pl.Int64).alias(name) for name in edges if name not in frame.columns]
    rows = frame.with_columns(absent)
    row = rows[c.TEXT].is_not_null().arg_true()
    found = docs.spans(
        rows[row].select(
            pl.col(c.DOC, c.TEXT).cast(pl.String), pl.col(edges).cast(pl.Int64, strict=False)
        ),
        copies=copies,
    )
    lines = frame[c.LINE] if c.LINE in frame.columns else range(1, frame.height + 1)
    problems = [
        Problem(lines[at], reason)
        for at, reason in zip(row, found.problem, strict=True)
        if reason is not None
    ]
    none = pl.repeat(None, frame.height, dtype=pl.Int64, eager=True)
    places = [
        pl.when(pl.col(c.TEXT).is_not_null())
        .then(none.scatter(row, own))
        .otherwise(name)
        .alias(name)
        for name, own in zip(edges, (found.start, found.end), strict=True)
    ]
    return rows.with_columns(places), problems, found.notes


def texts_alone(lines: Sequence[int]) -> list[Problem]:
    """One problem for all lines with a text but no place: the remedy is the same for each."""
    if not lines:
        return []
    more = f" ({len(lines):,} rows lack them)" if len(lines) > 1 else ""
    return [Problem(lines[0], f"{FIND_TEXT}{more}")]


def refuse_wrong_docs(
    docs: object, chunks: object = None, count: OffsetUnit | str = OffsetUnit.CHARACTERS
) -> None:
    """Refuse texts in another form than `foveal.read_documents` gives, and options that need texts."""
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
        """How many tokens each part has, and where each token starts and ends in its document."""


@frozen(eq=False)
class DocumentNames:
    """The names of documents, which other names may mean."""

    names: Collection[str]

    def meant(self, others: Iterable[str]) -> dict[str, str]:
        """The documents that other names mean, where that is one document for one name.

        `corpora/wikitexts.md` means `wikitexts`, and `wikitexts` means `corpora/wikitexts.md`. Of
        several documents that fit, the one with the longest common tail of the path is meant:
        `/srv/kb/a/index.md` means `a/index`, not `index.md`. `de/intro.md` never means `en/intro.md`.
        """
        fitting = self._fitting(others)
        meant = {name: fits[0] for name, fits in fitting.items() if len(fits) == 1}
        count = Counter(meant.values())
        return {name: document for name, document in meant.items() if count[document] == 1}

    def fitting(self, others: Iterable[str]) -> dict[str, list[str]]:
        """The documents that each other name may mean, several if it does not tell them apart."""
        return {name: sorted(fits) for name, fits in self._fitting(others).items()}

    def _fitting(self, others: Iterable[str]) -> dict[str, list[str]]:
        unknown = [name for name in dict.fromkeys(others) if name not in self.names]
        tails = _Tails(unknown, self.names if unknown else ())
        return {name: tails.fitting(name) for name in unknown}

    def namesakes(self, name: str) -> list[str]:
        """The documents of the same file name, whatever their folders."""
        file = _steps(name)[-1]
        return self.fitting([file]).get(file, [file])

    def question(self, others: Sequence[str]) -> str:
        """Whether one of other names means one of these, as a question; empty if none is alike."""
        stems = {_bare(name): name for name in reversed([*self.names])}
        for name in others:
            if _bare(name) in stems:
                return _question(name, stems[_bare(name)])
        for name in others[:SHOWN_NAMES]:
            if close := get_close_matches(name, [*self.names][:COMPARED]):
                return _question(name, close[0])
        return ""

    def nearest(self, name: str) -> str | None:
        """The document with the most similar name, for a question."""
        return next(iter(get_close_matches(name, list(self.names)[:MOST_NAMES], n=1)), None)


def unknown_documents(names: Sequence[str], documents: pl.Series) -> dict[str, str]:
    """A sentence for each document that is not in an index, the first with what may be meant."""
    known = DocumentNames(documents.to_list() if names else [])
    fitting = known.fitting(names[:HINTED])
    meant = {name: next(iter(fits), None) or known.nearest(name) for name, fits in fitting.items()}
    hints = {name: f"; did you mean {own!r}?" for name, own in meant.items() if own}
    return {name: f"document {name!r} is not in the index{hints.get(name, '')}" for name in names}


def _question(name: str, other: str) -> str:
    return f"did you mean: {name!r} is {other!r}?"


def _bare(name: str) -> str:
    """A name without folder and suffix; a number behind a dot is not a suffix."""
    return re.sub(r"(?<=.)\.[a-zA-Z]\w*$", "", re.split(r"[/\\]", name)[-1])


class _Tails:
    """Documents by the tails of their paths, as far as some names may mean them."""

    def __init__(self, names: Iterable[str], known: Collection[str]) -> None:
        files = {form for name in names for form in _forms(_steps(name))}
        self._whole: dict[str, list[str]] = {}
        self._part: dict[str, list[str]] = {}
        for own in known:
            steps = _steps(own)
            if files.isdisjoint(_forms(steps)):
                continue
            for form in _written(steps):
                self._whole.setdefault(form, []).append(own)
            for begin in range(1, len(steps)):
                for form in _written(steps[begin:]):
                    self._part.setdefault(form, []).append(own)

    def fitting(self, name: str) -> list[str]:
        """The documents whose path ends like the name or is its end, the longest such ones."""
        steps = _steps(name)
        # `./a/index.md` and `a\\index.md` are other ways to write the path `a/index.md`.
        same = [own for form in _written(steps) for own in self._whole.get(form, ())]
        if len(same := [own for own in dict.fromkeys(same) if _steps(own) == steps]) == 1:
            return same
        for begin in range(len(steps)):
            tail = steps[begin:]
            places = (self._whole, self._part) if begin == 0 else (self._whole,)
            found = [
                own
                for place in places
                for form in _written(tail)
                for own in place.get(form, ())
                if _alike(tail[-1], _steps(own)[-1])
            ]
            if found:
                return list(dict.fromkeys(found))
        return []


def _steps(name: str) -> list[str]:
    """The folders and the file of a path."""
    if "/" not in name and "\\" not in name:
        return [name]
    return [step for step in name.replace("\\", "/").split("/") if step not in {"", "."}] or [name]


def _written(steps: list[str]) -> list[str]:
    """A path with and without the ending of its file."""
    if len(steps) == 1:
        return _forms(steps)
    folders = "/".join(steps[:-1])
    return [f"{folders}/{form}" for form in _forms(steps)]


def _forms(steps: list[str]) -> list[str]:
    file = steps[-1]
    stem = _stem(file)
    return [file] if stem == file else [file, stem]


def _alike(file: str, own: str) -> bool:
    """Whether two files are the same, or one is the other without its ending.

    Two names that differ only in their endings are not the same document.
    """
    return file in {own, _stem(own)} or own == _stem(file)


def _stem(file: str) -> str:
    return file.rpartition(".")[0] or file
