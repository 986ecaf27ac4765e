"""Element paths, ranges of them and points in text nodes resolved to spans."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from foveal.elements.paths import Paths, References, number_among
from foveal.spans import Bools, Ints
from foveal.tables import columns as c

if TYPE_CHECKING:
    from foveal.elements.elements import Elements


class Unresolved(StrEnum):
    """Why a reference has no span."""

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
    """start, end and problem of each reference; `document` is its document's row or -1."""
    ranged = np.flatnonzero(references.last >= 0)
    documents = np.concatenate([document, document[ranged]])
    path = np.concatenate([references.first, references.last[ranged]])
    start, end, problem = _ends(elements, documents, path, references.paths)
    count = len(document)
    end[ranged], last = end[count:], problem[count:]
    start, end, problem = start[:count], end[:count], problem[:count]
    problem[ranged] = np.where(problem[ranged] == _FINE, last, problem[ranged])
    problem[(problem == _FINE) & (end < start)] = _REASONS.index(Unresolved.BACKWARDS)
    fine = pl.Series(problem == _FINE)
    reason = pl.Series(_REASONS, dtype=pl.String).gather(np.maximum(problem, 0))
    spans = pl.DataFrame({c.START: start, c.END: end, c.PROBLEM: reason})
    return spans.with_columns(
        pl.when(fine).then(pl.col(c.START, c.END)), pl.when(~fine).then(pl.col(c.PROBLEM))
    )


def _ends(elements: Elements, document: Ints, path: Ints, paths: Paths) -> tuple[Ints, Ints, Ints]:
    """start, end and problem (a number of `_REASONS`) of each path in a document."""
    problem = np.full(len(path), _FINE, dtype=np.int64)

    def complain(where: Ints, reason: Unresolved) -> None:
        problem[where] = np.where(problem[where] == _FINE, _REASONS.index(reason), problem[where])

    complain(np.flatnonzero(document < 0), Unresolved.NO_DOCUMENT)
    complain(np.flatnonzero(paths.node[path] < 0), Unresolved.NO_PATH)
    asked = np.flatnonzero(problem == _FINE)
    row = np.full(len(path), -1, dtype=np.int64)
    row[asked] = _rows(elements, document[asked], paths.node[path[asked]], paths)
    complain(np.flatnonzero(row < 0), Unresolved.NO_ELEMENT)
    start, end = np.zeros((2, len(path)), dtype=np.int64)
    has_row = row >= 0
    start[has_row] = elements.nesting.start[row[has_row]]
    end[has_row] = elements.nesting.end[row[has_row]]
    text, point = paths.text[path], paths.point[path]
    if not elements.counts_characters:
        complain(np.flatnonzero(point >= 0), Unresolved.NOT_CHARACTERS)
    is_text = np.flatnonzero((problem == _FINE) & (text >= 0))
    found, start[is_text], end[is_text] = _text_nodes(elements, row[is_text], text[is_text])
    complain(is_text[~found], Unresolved.NO_TEXT)
    inside = np.flatnonzero((problem == _FINE) & (point >= 0))
    start[inside] += point[inside]
    complain(inside[start[inside] > end[inside]], Unresolved.NO_CHARACTER)
    end[inside] = start[inside]
    return start, end, problem


def _rows(elements: Elements, document: Ints, node: Ints, paths: Paths) -> Ints:
    """The row of each node's element in a document; -1 if it has no such element."""
    row, reached = _walked(elements, paths)
    width = int(max(node.max(initial=0), reached.max(initial=0))) + 1
    held = pl.Series(elements.nesting.document[row] * width + reached)
    place = number_among(pl.Series(document * width + node), held)
    return np.append(row, -1)[place]


def _walked(elements: Elements, paths: Paths) -> tuple[Ints, Ints]:
    """(row, node) of the elements that are on any path."""
    nesting, steps = elements.nesting, len(paths.step_name)
    step = _steps(elements, paths)
    node = np.full(len(step), -1, dtype=np.int64)
    rows, numbered = [np.empty(0, dtype=np.int64)], 0
    for keys, level in zip(paths.keys, nesting.levels, strict=False):
        row = level[step[level] >= 0]
        above = np.zeros(len(row), dtype=np.int64)
        if numbered:
            above = node[nesting.parent[row]]
            row, above = row[above >= 0], above[above >= 0]
        key = above * steps + step[row]
        place = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
        row, place = row[keys[place] == key], place[keys[place] == key]
        node[row] = numbered + place
        rows.append(row)
        numbered += len(keys)
    row = np.concatenate(rows)
    return row, node[row]


def _steps(elements: Elements, paths: Paths) -> Ints:
    """The step of the paths that has each element's name and ordinal; -1 if no path has it."""
    tag = number_among(paths.step_name, elements.names)
    # Two ways to write a step (sec and sec[1]) were made one when paths were parsed.
    # The key of a name that no element has is negative and matches nothing.
    key = (tag << 32) + paths.step_ordinal
    order = np.argsort(key)
    key = key[order]
    own = (elements.tag << 32) + elements.ordinal
    place = np.minimum(np.searchsorted(key, own), len(key) - 1) if len(key) else own * 0 - 1
    return np.where(key[place] == own, order[place], -1) if len(key) else place


def _text_nodes(elements: Elements, row: Ints, number: Ints) -> tuple[Bools, Ints, Ints]:
    """Whether an element has a text node of this number, and where that starts and ends."""
    distinct, which = np.unique(row, return_inverse=True)
    piece, start, end = elements.nesting.text_nodes(distinct, elements.broken, elements.at)
    count = np.bincount(piece, minlength=len(distinct))
    found = (number >= 1) & (number <= count[which])
    place = (np.cumsum(count) - count)[which] + number - 1
    place = np.where(found, place, 0)
    if not len(piece):
        return found, place, place
    return found, start[place], end[place]
