"""Element paths, ranges of them and points in text nodes resolved to spans."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from foveal.elements.paths import Paths, References, number_among
from foveal.late import pl
from foveal.spans import Bools, Ints
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.elements.elements import Elements


class Unresolved(StrEnum):
    """Reason why a reference has no span."""

    NO_DOCUMENT = "no such document in the index"
    NO_PATH = "not a path of elements"
    NO_ELEMENT = "no such element"
    NO_TEXT = "no such text node"
    NO_CHARACTER = "no such character in the text node"
    NOT_CHARACTERS = (
        "points in text cannot be found, because the index does not count characters (it was made with"
        " --count bytes or --whitespace merged)"
    )
    BACKWARDS = "the passage ends before it starts"


_REASONS = list(Unresolved)
_FINE = -1


def referenced(elements: Elements, document: Ints, references: References) -> pl.DataFrame:
    """start, end and problem of each reference; `document` is the row of its document or -1."""
    ranges = np.flatnonzero(references.last >= 0)
    documents = np.concatenate([document, document[ranges]])
    path = np.concatenate([references.first, references.last[ranges]])
    start, end, problem = _ends(elements, documents, path, references.paths)
    count = len(document)
    end[ranges], last = end[count:], problem[count:]
    start, end, problem = start[:count], end[:count], problem[:count]
    problem[ranges] = np.where(problem[ranges] == _FINE, last, problem[ranges])
    problem[(problem == _FINE) & (end < start)] = _REASONS.index(Unresolved.BACKWARDS)
    resolved = pl.Series(problem == _FINE)
    reason = pl.Series(_REASONS, dtype=pl.String).gather(np.maximum(problem, 0))
    spans = pl.DataFrame({c.START: start, c.END: end, c.PROBLEM: reason})
    return spans.with_columns(
        pl.when(resolved).then(pl.col(c.START, c.END)), pl.when(~resolved).then(pl.col(c.PROBLEM))
    )


def _ends(elements: Elements, document: Ints, path: Ints, paths: Paths) -> tuple[Ints, Ints, Ints]:
    """start, end and problem (a number of `_REASONS`) of each path in a document."""
    problem = np.full(len(path), _FINE, dtype=np.int64)

    def complain(where: Ints, reason: Unresolved) -> None:
        problem[where] = np.where(problem[where] == _FINE, _REASONS.index(reason), problem[where])

    complain(np.flatnonzero(document < 0), Unresolved.NO_DOCUMENT)
    complain(np.flatnonzero(paths.node[path] < 0), Unresolved.NO_PATH)
    open_rows = np.flatnonzero(problem == _FINE)
    row = np.full(len(path), -1, dtype=np.int64)
    row[open_rows] = _rows(elements, document[open_rows], paths.node[path[open_rows]], paths)
    complain(np.flatnonzero(row < 0), Unresolved.NO_ELEMENT)
    start, end = np.zeros((2, len(path)), dtype=np.int64)
    has_row = row >= 0
    start[has_row] = elements.nesting.start[row[has_row]]
    end[has_row] = elements.nesting.end[row[has_row]]
    text, point = paths.text[path], paths.point[path]
    if not elements.counts_characters:
        complain(np.flatnonzero(point >= 0), Unresolved.NOT_CHARACTERS)
    is_text = np.flatnonzero((problem == _FINE) & (text >= 0))
    exists, start[is_text], end[is_text] = _text_nodes(elements, row[is_text], text[is_text])
    complain(is_text[~exists], Unresolved.NO_TEXT)
    inside = np.flatnonzero((problem == _FINE) & (point >= 0))
    start[inside] += point[inside]
    complain(inside[start[inside] > end[inside]], Unresolved.NO_CHARACTER)
    end[inside] = start[inside]
    return start, end, problem


def _rows(elements: Elements, document: Ints, node: Ints, paths: Paths) -> Ints:
    """Row of each node's element in its document; -1 if the document has no such element."""
    row, element_node = _walked(elements, paths)
    width = int(max(node.max(initial=0), element_node.max(initial=0))) + 1
    element_keys = pl.Series(elements.nesting.document[row] * width + element_node)
    index = number_among(pl.Series(document * width + node), element_keys)
    return np.append(row, -1)[index]


def _walked(elements: Elements, paths: Paths) -> tuple[Ints, Ints]:
    """(row, node) of the elements that are on any path."""
    nesting, steps = elements.nesting, len(paths.step_name)
    step = _steps(elements, paths)
    node = np.full(len(step), -1, dtype=np.int64)
    rows, node_count = [np.empty(0, dtype=np.int64)], 0
    for keys, level in zip(paths.keys, nesting.levels, strict=False):
        row = level[step[level] >= 0]
        parent_node = np.zeros(len(row), dtype=np.int64)
        if node_count:
            parent_node = node[nesting.parent[row]]
            row, parent_node = row[parent_node >= 0], parent_node[parent_node >= 0]
        key = parent_node * steps + step[row]
        index = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
        row, index = row[keys[index] == key], index[keys[index] == key]
        node[row] = node_count + index
        rows.append(row)
        node_count += len(keys)
    row = np.concatenate(rows)
    return row, node[row]


def _steps(elements: Elements, paths: Paths) -> Ints:
    """Index of the step with each element's name and ordinal; -1 if no path has such a step."""
    tag = number_among(paths.step_name, elements.names)
    # Parsed paths have one spelling of a step (not both sec and sec[1]).
    # A name without elements has a negative key, which matches nothing.
    key = (tag << 32) + paths.step_ordinal
    order = np.argsort(key)
    key = key[order]
    target = (elements.tag << 32) + elements.ordinal
    index = np.minimum(np.searchsorted(key, target), len(key) - 1) if len(key) else target * 0 - 1
    return np.where(key[index] == target, order[index], -1) if len(key) else index


def _text_nodes(elements: Elements, row: Ints, number: Ints) -> tuple[Bools, Ints, Ints]:
    """(exists, start, end) of an element's text node by its number."""
    rows, element = np.unique(row, return_inverse=True)
    owner, start, end = elements.nesting.text_nodes(rows, elements.break_row, elements.break_offset)
    count = np.bincount(owner, minlength=len(rows))
    exists = (number >= 1) & (number <= count[element])
    index = (np.cumsum(count) - count)[element] + number - 1
    index = np.where(exists, index, 0)
    if not len(owner):
        return exists, index, index
    return exists, start[index], end[index]
