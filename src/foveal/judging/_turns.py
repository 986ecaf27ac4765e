"""Runs that take turns: a fair share of a pool for each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from foveal.spans import Bools, Ints


def taken_in_turns(list_sizes: Ints, document: Ints, documents: int, most: int) -> Bools:
    """Which documents are taken if the runs take turns until a topic has `most` of them.

    `list_sizes` is runs × topics: how many of the entries of `document` each list has, one run after
    the other, in each one topic after the other. A document belongs to one topic. In its turn a run
    adds the first document of its list that is not taken yet, if it has one.
    """
    runs, topics = list_sizes.shape
    end = np.cumsum(list_sizes).reshape(runs, topics)
    place = end - list_sizes
    taken = np.zeros(documents, dtype=bool)
    wanted = np.full(topics, most)
    is_growing = True
    while is_growing:
        is_growing = False
        for run in range(runs):
            topic = np.flatnonzero((wanted > 0) & (place[run] < end[run]))
            _pass_taken(place[run], end[run], topic, document, taken)
            topic = topic[place[run, topic] < end[run, topic]]
            taken[document[place[run, topic]]] = True
            wanted[topic] -= 1
            is_growing |= len(topic) > 0
    return taken


def _pass_taken(place: Ints, end: Ints, topic: Ints, document: Ints, taken: Bools) -> None:
    """Move the places in some topics' lists on to what is not taken yet, or to their ends."""
    while len(topic):
        topic = topic[taken[document[place[topic]]]]
        place[topic] += 1
        topic = topic[place[topic] < end[topic]]
