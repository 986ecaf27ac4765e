"""Where an element is, or why the reference to it leads nowhere."""

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

# Nobody reads longer paths, or more references, to their end.
LONGEST = 200
MOST_STEPS = 100
MOST_REFERENCES = 1000
EXAMPLE = "such as /article[1]/sec[2]"
Probe = tuple[str | None, str | None, str | None]


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
    """Where an element, text node or point of a document is."""
    asked = pl.DataFrame(
        {c.DOC: [doc], c.PATH: [path], c.PATH_END: [None]}, schema=c.REFERENCE_SCHEMA
    )
    start, end, problem = elements.spans(asked).row(0)
    if problem:
        raise DataError(explained(asked, elements)[0])
    return Location(doc, path, start, end)


@frozen
class _End:
    """A path that leads nowhere, and which end of a passage it is, if any."""

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
        """The path's own beginnings, the longest first."""
        steps = self.element.split("/")[1 : MOST_STEPS + 1]
        return ["/" + "/".join(steps[:count]) for count in range(len(steps), 0, -1)]


def explained(references: pl.DataFrame, elements: ElementLookup) -> list[str]:
    """A sentence for each reference (doc, path, path_end) that has no span.

    Beyond the first thousand it names the reference and the reason only.
    """
    asked = references.select(list(c.REFERENCE_SCHEMA)).rows()
    few, others = asked[:MOST_REFERENCES], asked[MOST_REFERENCES:]
    sides = [probe for doc, *paths in few for probe in _alone(doc, paths)]
    reason = {probe: problem for probe, (_, _, problem) in _spans([*few, *sides], elements).items()}
    ends = [_broken(probe, reason) for probe in few]
    found = _Found.of([end for broken in ends for end in broken], elements)
    reason |= {probe: problem for probe, (_, _, problem) in _spans(others, elements).items()}
    strange = dict.fromkeys(
        doc for doc, *rest in asked if doc and reason[doc, *rest] == Unresolved.NO_DOCUMENT
    )
    unknown = unknown_documents([*strange], elements.documents)
    sentences = [
        "; ".join(found.sentence(end) for end in broken) or _whole(probe, reason[probe], unknown)
        for probe, broken in zip(few, ends, strict=True)
    ]
    return sentences + [_whole(probe, reason[probe], unknown) for probe in others]


def _alone(doc: str | None, paths: Sequence[str | None]) -> Iterator[Probe]:
    """A reference to each path by itself."""
    return ((doc, path, None) for path in paths if path is not None)


def _broken(probe: Probe, reason: dict[Probe, str | None]) -> list[_End]:
    """The ends of a reference that lead nowhere although its document is known."""
    doc, first, last = probe
    if reason[probe] in {Unresolved.NO_DOCUMENT, Unresolved.BACKWARDS}:
        return []
    roles = ("",) if last is None else (", the start of the passage", ", the end of the passage")
    return [
        _End(doc, path.strip(), role, problem)
        for path, role in zip((first, last), roles, strict=False)
        if path is not None and (problem := reason[doc, path, None])
    ]


def _whole(probe: Probe, reason: str | None, unknown: Mapping[str, str]) -> str:
    """What is wrong with a reference as a whole; of unknown documents there are sentences."""
    doc, *paths = probe
    if doc and doc in unknown:
        return unknown[doc]
    shown = shortened(" to ".join(path for path in paths if path), LONGEST)
    return f"{reason}: {shown} in document {doc!r}"


@frozen
class _Found:
    """What exists near paths that lead nowhere: spans of their beginnings, and roots."""

    spans: dict[Probe, tuple[int | None, int | None, str | None]]
    root: dict[str | None, str | None]

    @classmethod
    def of(cls, ends: Sequence[_End], elements: ElementLookup) -> _Found:
        """Look up every beginning of every path."""
        near = [
            probe for end in ends for probe in _alone(end.doc, [end.text_node, *end.prefixes()])
        ]
        names = pl.Series(list(dict.fromkeys(end.doc for end in ends)), dtype=pl.String)
        whole = pl.DataFrame({c.DOC: names, c.START: 0, c.END: elements.lengths(names)})
        roots = elements.smallest_containing(whole)[c.PATH] if len(names) else names
        return cls(_spans(near, elements), dict(zip(names, roots, strict=True)))

    def sentence(self, end: _End) -> str:
        """What is wrong with a path, and how far it is right."""
        path = f"{shortened(end.path, LONGEST)}{end.role}"
        if end.reason == Unresolved.NO_PATH:
            given = f"{shortened(end.path, LONGEST)!r}{end.role}"
            return f"{given}{',' * bool(end.role)} is not a path of elements {EXAMPLE}"
        if end.reason == Unresolved.NOT_CHARACTERS:
            return f"{path}: {end.reason}"
        kind = {Unresolved.NO_ELEMENT: "element", Unresolved.NO_TEXT: "text node"}
        what = f"document {end.doc!r} has no {kind.get(Unresolved(end.reason), 'character')} {path}"
        return f"{what}: {self._how_far(end)}"

    def _how_far(self, end: _End) -> str:
        if end.reason == Unresolved.NO_CHARACTER:
            start, stop, _ = self.spans[end.doc, end.text_node, None]
            return f"the text node has {counted((stop or 0) - (start or 0), 'character')}"
        for prefix in end.prefixes():
            if self.spans[end.doc, prefix, None][2] is None:
                step = end.path.removeprefix(prefix).split("/")[1]
                return f"the path is right up to {shortened(prefix, LONGEST)}, which has no {step}"
        root = self.root[end.doc]
        return f"the root is {root}" if root else "it has no elements with text"


def _spans(
    probes: Iterable[Probe], elements: ElementLookup
) -> dict[Probe, tuple[int | None, int | None, str | None]]:
    """Start, end and problem of each reference."""
    distinct = list(dict.fromkeys(probes))
    if not distinct:
        return {}
    found = elements.spans(pl.DataFrame(distinct, schema=c.REFERENCE_SCHEMA, orient="row"))
    return dict(zip(distinct, found.select(c.START, c.END, c.PROBLEM).rows(), strict=True))
