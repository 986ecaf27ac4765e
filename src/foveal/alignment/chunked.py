"""What the best run of a chunker would read: every chunk that shares text with a highlight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from foveal.alignment.judged import UNKNOWN
from foveal.errors import DataError
from foveal.spans import Highlights, stretched, totals, united
from foveal.tables import columns, numbered

if TYPE_CHECKING:
    from foveal.alignment.judged import Judged
    from foveal.late import pl
    from foveal.spans import Ints
    from foveal.tables import Chunks

NO_CHUNKS = (
    "the best precision that a chunking allows needs the list of all chunks: give --chunks FILE with"
    " rows of doc, start and end (in Python chunks=)"
)

OTHER_DOCUMENTS = (
    "{}: no chunk is of a document with highlighted text (chunks of {!r}, judged is {!r}): are these"
    " the same identifiers?"
)


def best_reading(
    chunks: Chunks | None, named: Judged, judged: Judged, topics: Ints
) -> tuple[Ints, Ints]:
    """Highlighted text in chunks, and all text that is highlighted or in a chunk with highlights.

    Both for each of `topics`. `named` are the judgements with the names of their documents, of which
    `judged` may be samples.
    """
    judged.need_highlights()
    if chunks is None:
        raise DataError(NO_CHUNKS)
    frame = chunks.frame
    document, known = _numbered(frame[columns.DOC], named.names.series())
    start, end = (frame[name].to_numpy() for name in (columns.START, columns.END))
    count = int(document.max(initial=-1)) + 2
    passages = judged.passages
    own = known[passages.row % named.documents]
    if len(own) and (own == count - 1).all():
        (highlighted,) = named.names.taken(passages.row[:1] % named.documents).strings()
        raise DataError(OTHER_DOCUMENTS.format(chunks.source, frame[columns.DOC][0], highlighted))
    in_chunks = Highlights.of(*united(document, start, end, count), count)
    found = in_chunks.count(own, passages.start, passages.end)
    low, high = stretched(
        (own, passages.start, passages.end),
        (document, start, end),
        count,
        touching=judged.conventions.touching_counts,
    )
    row, first, last = united(passages.row, low, high, judged.samples * judged.documents)
    number = len(judged.topics)
    held = totals(judged.topic[passages.row], found, number)
    read = totals(judged.topic[row], last - first, number)
    return held[topics], read[topics]


def _numbered(chunked: pl.Series, judged: pl.Series) -> tuple[Ints, Ints]:
    """Numbers of the chunks' documents and of the judged ones; those without chunks share one."""
    number = numbered(chunked)
    known = chunked.unique(maintain_order=True)
    place = judged.replace_strict(known, np.arange(len(known)), default=UNKNOWN).to_numpy()
    return number, np.where(place == UNKNOWN, len(known), place)
