"""Events of many documents as one table of elements."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl

from foveal.collection._scanner import Events, Malformed, Measure, scan_xml
from foveal.errors import BadInput, Problem
from foveal.spans import Ints, Nesting
from foveal.tables import Elements


def nested(events: Events, first: Ints, length: Ints) -> tuple[Nesting, Ints]:
    """The nesting and the name codes of events; `first` counts openings before each document."""
    place = np.frombuffer(events.places, dtype=np.int64)
    opens = place >= 0
    at = np.where(opens, place, ~place)
    depth = np.cumsum(np.where(opens, 1, -1)) + ~opens
    # Elements of one depth open and close in turn.
    order = np.argsort(depth.astype(np.uint16), kind="stable")
    end = np.empty(len(place), dtype=np.int64)
    end[order[::2]] = at[order[1::2]]
    nesting = Nesting(first, length, depth[opens], at[opens], end[opens])
    return nesting, np.frombuffer(events.names, dtype=np.int32).astype(np.int64)


def elements_of(documents: Mapping[str, bytes], measure: Measure | None = None) -> Elements:
    """The elements of XML documents given by their ids, without an index on disk."""
    measure = measure or Measure()
    events, first, length = Events(), [0], []
    for name, data in documents.items():
        try:
            size, end = scan_xml(data, events, measure)
        except Malformed as error:
            raise BadInput(name, [Problem(error.line, error.reason)]) from error
        if end < len(data):
            raise BadInput(name, [Problem(None, "more than one document")])
        length.append(size)
        first.append(len(events.names))
    nesting, code = nested(events, np.array(first), np.array(length, dtype=np.int64))
    return Elements.of(
        pl.Series(list(documents), dtype=pl.String),
        pl.Series(list(events.codes), dtype=pl.String)[1:],
        nesting,
        code - 1,
        counts_characters=measure == Measure(),
    )
