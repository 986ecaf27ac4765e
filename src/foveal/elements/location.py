"""Where one element is."""

from __future__ import annotations

from dataclasses import asdict

from foveal.elements.elements import ElementLookup
from foveal.elements.explanation import explained
from foveal.errors import DataError
from foveal.frozen import frozen
from foveal.late import pl
from foveal.tables import columns as c


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
        {c.DOC: [doc], c.PATH: [path], c.PATH_END: [None]},
        schema=c.REFERENCE_SCHEMA,
    )
    start, end, problem = elements.spans(asked).row(0)
    if problem:
        raise DataError(explained(asked, elements)[0])
    return Location(doc, path, start, end)
