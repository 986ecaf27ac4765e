"""What the page of an explanation says: the contexts of its template."""

from __future__ import annotations

from foveal.frozen import frozen


@frozen
class Grid:
    """A table; the first `labels` columns are text, the others numbers."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    labels: int
    below: str = ""


@frozen
class Topic:
    """A topic of the list: its cells, and a bar of what was found, missed and wasted, drawn."""

    cells: tuple[str, ...]
    bar: str


@frozen
class Topics:
    """The list of topics; the first `labels` columns are text."""

    caption: str
    header: tuple[str, ...]
    rows: tuple[Topic, ...]
    labels: int


@frozen
class Stretch:
    """A stretch of a document: how it looks, what is said of it, its rank and its text.

    A folded stretch is long and nothing happened in it: its `words` say how long.
    """

    style: str
    words: str
    mark: str
    text: str
    folded: bool = False


@frozen
class Scored:
    """How the scores of a document come about in one run, whose name is given if there are two."""

    run: str
    lines: tuple[str, ...]


@frozen
class Map:
    """The document at a glance, as markup of our own, and the run if there are two."""

    run: str
    svg: str


@frozen
class Document:
    """A document."""

    anchor: str
    name: str
    standing: str
    maps: tuple[Map, ...]
    is_text: bool
    stretches: tuple[Stretch, ...]
    results: tuple[Grid, ...]
    scored: tuple[Scored, ...]


@frozen
class Page:
    """Everything that the template shows."""

    title: str
    verdict: tuple[str, ...]
    failures: tuple[str, ...]
    topics: Topics | None
    tables: tuple[Grid, ...]
    key: tuple[Stretch, ...]
    documents: tuple[Document, ...]
    left_out: str
    settings: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    style: str
    policy: str
