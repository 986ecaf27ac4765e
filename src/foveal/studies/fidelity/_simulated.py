"""Runs made of a document order and of parts."""

from __future__ import annotations

import numpy as np

from foveal.choices import Order
from foveal.late import pl
from foveal.spans import Ints
from foveal.studies.fidelity._ground import Ground, Parts
from foveal.tables import Run, columns


def simulated(ground: Ground, name: str, documents: Ints, parts: Parts) -> Run:
    """The run that returns documents, topic after topic, with the parts given of relevant ones.

    A relevant document without parts keeps its rank with an empty part; the others are whole.
    """
    whole = ground.whole(documents[ground.highlighted[documents] == 0])
    bare = np.setdiff1d(documents[ground.highlighted[documents] > 0], parts.document)
    groups = (parts, whole, Parts(bare, np.zeros_like(bare), np.zeros_like(bare)))
    document, start, end = (
        np.concatenate([getattr(group, field) for group in groups])
        for field in ("document", "start", "end")
    )
    order = np.lexsort((start, document))
    part, count = _taken(documents, document[order], len(ground.topic))
    part = order[part]
    returned = np.repeat(documents, count)
    rank = ground.places(returned) + 1
    last = np.bincount(ground.topic[returned], minlength=len(ground.topics))
    known = pl.col(columns.END) >= 0
    frame = pl.DataFrame(
        {
            columns.TOPIC: pl.Series(ground.topics, dtype=pl.String).gather(ground.topic[returned]),
            columns.DOC: ground.name.gather(returned),
            columns.START: start[part],
            columns.END: end[part],
            columns.RANK: rank,
            columns.SCORE: (last[ground.topic[returned]] - rank + 1).astype(np.float64),
        }
    ).with_columns(pl.when(known).then(pl.col(columns.START, columns.END)))
    # As in INEX's submissions, whole documents may be beside parts: those of unknown length.
    return Run.of(frame, name=name, order=Order.FILE, source=name, format="inex-xml")


def _taken(documents: Ints, owner: Ints, count: int) -> tuple[Ints, Ints]:
    """The parts of documents in their order, and how many each has; parts come by owner."""
    counts = np.bincount(owner, minlength=count)
    first = np.cumsum(counts) - counts
    own = counts[documents]
    inside = np.arange(own.sum()) - np.repeat(np.cumsum(own) - own, own)
    return np.repeat(first[documents], own) + inside, own
