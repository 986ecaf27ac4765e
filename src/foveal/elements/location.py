"""Location of an element, or the reason why a reference has no span."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict

from foveal.elements.elements import ElementLookup
from foveal.elements.paths import TEXT
from foveal.elements.resolution import Unresolved
from foveal.errors import DataError, counted, shortened
from foveal.frozen import frozen
from foveal.late import pl
from foveal.tables import columns as c
from foveal.tables import unknown_documents

# Messages are cut to these: longer paths, or more references, are not read to the end.
MAX_CHARACTERS = 200
MAX_STEPS = 100
MAX_REFERENCES = 1000
EXAMPLE = "such as /article[1]/sec[2]"
Reference = tuple[str | None, str | None, str | None]


@frozen
class Location:
    """An element, its span and, if the collection was given, its text."""

    doc: str
    path: str
    start: int
    end: int
    text: str | None = None

    def rows(self) -> pl.DataFrame:
        """A frame of one row."""
        return pl.DataFrame([asdict(self)], schema=c.LOCATION_SCHEMA)


def located(elements: ElementLookup, doc: str, path: str) -> Location:
    """Location of an element, a text node or a point in a text node."""
    reference = pl.DataFrame(
        {c.DOC: [doc], c.PATH: [path], c.PATH_END: [None]}, schema=c.REFERENCE_SCHEMA
    )
    start, end, problem = elements.spans(reference).row(0)
    if problem:
        raise DataError(explained(reference, elements)[0])
    return Location(doc, path, start, end)


@frozen
class _BrokenEnd:
    """A path without a span, and its role if it is one end of a passage."""

    doc: str | None
    path: str
    role: str
    reason: str

    @property
    def element(self) -> str:
        """The path without its text node."""
        return re.sub(rf"{TEXT}$", "", self.path)

    @property
    def text_node(self) -> str:
        """The path without its character."""
        return re.sub(r"[.][0-9]+$", "", self.path)

    def prefixes(self) -> list[str]:
        """The path and the paths of its ancestors, the longest first."""
        steps = self.element.split("/")[1 : MAX_STEPS + 1]
        return ["/" + "/".join(steps[:count]) for count in range(len(steps), 0, -1)]


def explained(references: pl.DataFrame, elements: ElementLookup) -> list[str]:
    """A sentence for each reference (doc, path, path_end) that has no span.

    Beyond the first thousand it names the reference and the reason only.
    """
    rows = references.select(list(c.REFERENCE_SCHEMA)).rows()
    first, rest = rows[:MAX_REFERENCES], rows[MAX_REFERENCES:]
    ends = [end for doc, *paths in first for end in _single_paths(doc, paths)]
    reasons = {row: reason for row, (_, _, reason) in _spans([*first, *ends], elements).items()}
    broken_ends = [_broken_ends(row, reasons) for row in first]
    surroundings = _Surroundings.of([end for ends in broken_ends for end in ends], elements)
    reasons |= {row: reason for row, (_, _, reason) in _spans(rest, elements).items()}
    names = dict.fromkeys(
        doc for doc, *paths in rows if doc and reasons[doc, *paths] == Unresolved.NO_DOCUMENT
    )
    unknown = unknown_documents([*names], elements.documents)
    sentences = [
        "; ".join(map(surroundings.sentence, ends)) or _summary(row, reasons[row], unknown)
        for row, ends in zip(first, broken_ends, strict=True)
    ]
    return sentences + [_summary(row, reasons[row], unknown) for row in rest]


def _single_paths(doc: str | None, paths: Sequence[str | None]) -> Iterator[Reference]:
    """References to single paths."""
    return ((doc, path, None) for path in paths if path is not None)


def _broken_ends(reference: Reference, reasons: dict[Reference, str | None]) -> list[_BrokenEnd]:
    """Ends of a reference that have no span although the document is known."""
    doc, first, last = reference
    if reasons[reference] in {Unresolved.NO_DOCUMENT, Unresolved.BACKWARDS}:
        return []
    roles = ("",) if last is None else (", the start of the passage", ", the end of the passage")
    return [
        _BrokenEnd(doc, path.strip(), role, problem)
        for path, role in zip((first, last), roles, strict=False)
        if path is not None and (problem := reasons[doc, path, None])
    ]


def _summary(reference: Reference, reason: str | None, unknown: Mapping[str, str]) -> str:
    """Sentence about a reference as a whole; `unknown` has those about unknown documents."""
    doc, *paths = reference
    if doc and doc in unknown:
        return unknown[doc]
    path_text = shortened(" to ".join(path for path in paths if path), MAX_CHARACTERS)
    return f"{reason}: {path_text} in document {doc!r}"


@frozen
class _Surroundings:
    """Elements around broken ends: the spans of ancestors, and the roots of documents."""

    spans: dict[Reference, tuple[int | None, int | None, str | None]]
    root: dict[str | None, str | None]

    @classmethod
    def of(cls, ends: Sequence[_BrokenEnd], elements: ElementLookup) -> _Surroundings:
        """Look up all ancestors of every path."""
        references = [
            row for end in ends for row in _single_paths(end.doc, [end.text_node, *end.prefixes()])
        ]
        names = pl.Series(list(dict.fromkeys(end.doc for end in ends)), dtype=pl.String)
        documents = pl.DataFrame({c.DOC: names, c.START: 0, c.END: elements.lengths(names)})
        roots = elements.smallest_containing(documents)[c.PATH] if len(names) else names
        return cls(_spans(references, elements), dict(zip(names, roots, strict=True)))

    def sentence(self, end: _BrokenEnd) -> str:
        """Sentence about a path: the missing part, and how far the path is right."""
        path = f"{shortened(end.path, MAX_CHARACTERS)}{end.role}"
        if end.reason == Unresolved.NO_PATH:
            path_text = f"{shortened(end.path, MAX_CHARACTERS)!r}{end.role}"
            return f"{path_text}{',' * bool(end.role)} is not a path of elements {EXAMPLE}"
        if end.reason == Unresolved.NOT_CHARACTERS:
            return f"{path}: {end.reason}"
        nouns = {Unresolved.NO_ELEMENT: "element", Unresolved.NO_TEXT: "text node"}
        noun = nouns.get(Unresolved(end.reason), "character")
        return f"document {end.doc!r} has no {noun} {path}: {self._how_far(end)}"

    def _how_far(self, broken_end: _BrokenEnd) -> str:
        if broken_end.reason == Unresolved.NO_CHARACTER:
            start, end, _ = self.spans[broken_end.doc, broken_end.text_node, None]
            return f"the text node has {counted((end or 0) - (start or 0), 'character')}"
        for prefix in broken_end.prefixes():
            if self.spans[broken_end.doc, prefix, None][2] is None:
                step = broken_end.path.removeprefix(prefix).split("/")[1]
                return f"the path is right up to {shortened(prefix, MAX_CHARACTERS)}, which has no {step}"
        root = self.root[broken_end.doc]
        return f"the root is {root}" if root else "it has no elements with text"


def _spans(
    references: Iterable[Reference], elements: ElementLookup
) -> dict[Reference, tuple[int | None, int | None, str | None]]:
    """Start, end and problem of each reference."""
    distinct = list(dict.fromkeys(references))
    if not distinct:
        return {}
    spans = elements.spans(pl.DataFrame(distinct, schema=c.REFERENCE_SCHEMA, orient="row"))
    return dict(zip(distinct, spans.select(c.START, c.END, c.PROBLEM).rows(), strict=True))
