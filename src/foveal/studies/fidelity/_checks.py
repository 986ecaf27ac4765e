"""What a part set or a ranking gives, checked: one may come from a file of anybody's own."""

from __future__ import annotations

import numpy as np

from foveal.errors import DataError
from foveal.spans import Ints
from foveal.studies.fidelity._ground import UNKNOWN, Ground, Parts


def checked_parts(ground: Ground, name: str, parts: object) -> Parts:
    """The parts, if they are spans within relevant documents."""
    owner = f"part set {name!r}"
    if not isinstance(parts, Parts):
        raise DataError(f"{owner} must give Parts, got {type(parts).__name__}")
    document, start, end = (
        _whole_numbers(f"{field} of the Parts that {owner} gives", values)
        for field, values in (
            ("document", parts.document), ("start", parts.start), ("end", parts.end),
        )
    )  # fmt: skip
    if not len(document) == len(start) == len(end):
        raise DataError(
            f"{owner} must give as many documents as starts and ends, got {len(document):,},"
            f" {len(start):,} and {len(end):,}"
        )
    _refuse_unknown(ground, owner, document)
    # Where the conventions let a highlight reach beyond its document, a part may as well.
    reach = ground.length.copy()
    np.maximum.at(reach, ground.passages.document, ground.passages.end)
    known = ground.length[document] != UNKNOWN
    wrong = (start < 0) | (end < start) | (known & (end > reach[document]))
    # Whole documents of unknown length end at -1.
    wrong &= known | (start != 0) | (end != UNKNOWN)
    wrong |= ground.highlighted[document] == 0
    if wrong.any():
        at = int(np.argmax(wrong))
        place = f"from {start[at]} to {end[at]} in document {ground.name[int(document[at])]!r}"
        raise DataError(f"{owner} must give spans within relevant documents, got {place}")
    return Parts(document, start, end)


def checked_documents(ground: Ground, name: str, documents: object) -> Ints:
    """The documents, if they are listed topic after topic and each once."""
    owner = f"ranking {name!r}"
    rows = _whole_numbers(f"rows of documents that {owner} gives", documents)
    _refuse_unknown(ground, owner, rows)
    if (np.diff(ground.topic[rows]) < 0).any():
        raise DataError(
            f"{owner} must list documents topic after topic, in the order of the topics"
        )
    if len(np.unique(rows)) < len(rows):
        raise DataError(f"{owner} must list every document once")
    return rows


def _whole_numbers(what: str, values: object) -> Ints:
    found = np.asarray(values)
    if found.ndim != 1 or (found.size and not np.issubdtype(found.dtype, np.integer)):
        raise DataError(f"the {what} must be a list of whole numbers, got {found.dtype}")
    return found.astype(np.int64)


def _refuse_unknown(ground: Ground, owner: str, rows: Ints) -> None:
    unknown = rows[(rows < 0) | (rows >= len(ground.topic))]
    if len(unknown):
        raise DataError(f"{owner} names document {unknown[0]}, but there are {len(ground.topic):,}")
