"""Elements of documents, without an index on disk."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from foveal.collection import OffsetCounter
from foveal.collection.element_table import ElementTableBuilder, RowScanner
from foveal.collection.xml_scanner import Malformed, scan_xml
from foveal.elements import Elements
from foveal.errors import BadInput, Problem


def elements_of(documents: Mapping[str, bytes], measure: OffsetCounter | None = None) -> Elements:
    """The elements of XML documents given by their ids, without an index on disk."""
    measure = measure or OffsetCounter()
    builder, scanner = ElementTableBuilder(measure), RowScanner.of(measure)
    for name, data in documents.items():
        if scanner and (rows := scanner.rows(data)):
            builder.add(rows)
            continue
        try:
            scan, end = scan_xml(data)
        except Malformed as error:
            raise BadInput(name, [Problem(error.line, error.reason)]) from error
        if end < len(data):
            raise BadInput(name, [Problem(None, "more than one document in these bytes")])
        builder.add(scan)
    table = builder.table()
    return Elements.of(
        pl.Series(list(documents), dtype=pl.String),
        pl.Series(list(builder.names), dtype=pl.String)[1:],
        table.nesting,
        table.code - 1,
        table.ordinal,
        counts_characters=measure == OffsetCounter(),
    )
