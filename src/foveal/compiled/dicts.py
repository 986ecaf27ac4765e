"""{topic: {document: number}} as columns, without a frame.

Compiled code works here where it is installed, and its twin in Python elsewhere.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from foveal.compiled.names import hash_names
from foveal.compiled.scanner import NameBytes, compiled_module

if TYPE_CHECKING:
    from foveal.compiled.scanner import Keys
    from foveal.spans import Floats, Ints

# The list of topics, then the columns of DictColumns as bytes.
Scanned = tuple[list[str], bytes, bytes, bytes, bytes, bytes]


class DictColumns(NamedTuple):
    """The topics that have documents and how many each has; name, key and number of each document."""

    topics: list[str]
    counts: Ints
    names: NameBytes
    key: Keys
    number: Floats


def scan_dicts(numbers: object, seed: int) -> DictColumns | None:
    """The columns of {topic: {document: number}}; None if it has rows of any but the plainest types.

    Names are text, numbers are finite: floats or whole numbers.
    """
    if type(numbers) is not dict:
        return None
    module = compiled_module()
    scanned = (module.scan_dicts if module else plain_scan_dicts)(numbers, seed)
    if scanned is None:
        return None
    topics, counts, names, lengths, keys, values = scanned
    length = np.frombuffer(lengths, np.uint32)
    offset = np.cumsum(length, dtype=np.uint64) - length
    return DictColumns(
        topics,
        np.frombuffer(counts, np.int64, len(topics)),
        (names, offset, length),
        np.frombuffer(keys, np.uint64),
        np.frombuffer(values, np.float64),
    )


def plain_scan_dicts(numbers: dict[Any, Any], seed: int) -> Scanned | None:
    """What the compiled function of this name returns, in Python."""
    if {dict} != set(map(type, numbers.values())):
        return None
    topics = [topic for topic, documents in numbers.items() if documents]
    documents = [*chain.from_iterable(numbers.values())]
    values = [*chain.from_iterable(by_document.values() for by_document in numbers.values())]
    are_texts = {str} >= {*map(type, numbers), *map(type, documents)}
    are_numbers = all(kind is int or issubclass(kind, float) for kind in {*map(type, values)})
    if not (are_texts and are_numbers and documents and all(documents) and all(numbers)):
        return None
    try:
        column = np.array(values, dtype=np.float64)
        topic_names, names = _joined(topics), _joined(documents)
    except (OverflowError, UnicodeEncodeError):
        return None
    if not np.isfinite(column).all():
        return None
    count = np.array([len(numbers[topic]) for topic in topics], dtype=np.int64)
    keys = hash_names(names, np.repeat(hash_names(topic_names, seed), count))
    data, _, length = names
    return topics, count.tobytes(), data, length.tobytes(), keys.tobytes(), column.tobytes()


def _joined(texts: list[str]) -> tuple[bytes, Keys, Any]:
    names = [text.encode() for text in texts]
    length = np.array([len(name) for name in names], dtype=np.uint32)
    return b"".join(names), np.cumsum(length, dtype=np.uint64) - length, length
