"""Irregular white space made regular: one separator between fields, one newline after a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from foveal.frozen import frozen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from foveal.spans import Bools, Ints

TAB, NEWLINE, RETURN, BLANK, HASH = (ord(character) for character in "\t\n\r #")


@frozen
class RegularLines:
    """Lines with data, their fields separated by tabs, and the number of each line.

    `line` counts from 0. `odd` are the lines left out because of their number of fields, which
    is in `odd_width`.
    """

    data: bytes
    line: Ints
    odd: Ints
    odd_width: Ints


def regular(data: bytes, least: int, most: int, *, rest: bool) -> RegularLines:
    """The lines of `least` to `most` fields; blank ones and those that start with # left out.

    With `rest`, fields beyond `most` stay in the last one, separated by blanks. Only blank, tab and
    carriage return separate fields.
    """
    array = np.frombuffer(data, dtype=np.uint8)
    is_newline = array == NEWLINE
    gap = (array == BLANK) | is_newline | (array == TAB) | (array == RETURN)
    newline = np.flatnonzero(is_newline)
    # A word's stop is the first byte after it; it exists, because the data ends in a newline.
    stop = np.flatnonzero(gap[1:] & ~gap[:-1]) + 1
    words_so_far = np.searchsorted(stop, newline, side="right")
    width = np.diff(words_so_far, prepend=0)
    with_data = width > 0
    if HASH in data:
        with_data &= ~_starts_with_hash(array, gap, newline)
    fits = (width >= least) & ((width <= most) | rest)
    kept = with_data & fits
    odd = np.flatnonzero(with_data & ~fits)
    array = array.copy()
    array[stop] = TAB
    if rest:
        array[stop[_place_in_line(width) >= most - 1]] = BLANK
    array[stop[words_so_far[width > 0] - 1]] = NEWLINE
    keep = ~gap
    keep[stop] = True
    if not kept.all():
        keep &= np.repeat(kept, np.diff(newline, prepend=-1))
    return RegularLines(array[keep].tobytes(), np.flatnonzero(kept), odd, width[odd])


def _starts_with_hash(array: NDArray[np.uint8], gap: Bools, newline: Ints) -> Bools:
    word_start = np.flatnonzero(~gap & np.concatenate([[True], gap[:-1]]))
    first_word = np.searchsorted(word_start, np.concatenate([[0], newline[:-1] + 1]))
    # A line without words gets a neighbour's word here; it is left out anyway.
    padded = np.append(word_start, len(array) - 1)
    is_hash: Bools = array[padded[first_word]] == HASH
    return is_hash


def _place_in_line(width: Ints) -> Ints:
    """For every word, the number of words before it in its line."""
    before = np.cumsum(width) - width
    return np.arange(int(width.sum())) - np.repeat(before, width)
