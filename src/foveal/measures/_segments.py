"""Documents character by character: what was found, missed and wasted, by one run or by two."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from foveal.late import pl
from foveal.spans import LARGEST_OFFSET, Bools, Ints, Layer, first_sharing, joined_up, layered
from foveal.tables import columns as c

NO_RANK = 0


def segments(
    topic: str,
    documents: pl.DataFrame,
    highlights: pl.DataFrame,
    pieces: Sequence[pl.DataFrame],
) -> pl.DataFrame:
    """Each document (doc, length) from end to end, cut where the kind of text or its rank changes.

    Highlights and pieces have the columns doc, start and end, pieces also rank: where a run first
    reads each character. With the pieces of a second run there are a kind and a rank for it as
    well. A document of unknown length ends where the last span that is known ends.
    """
    names = documents[c.DOC]
    place = pl.DataFrame({c.DOC: names, c.PLACE: np.arange(len(names))})
    length = documents[c.LENGTH].fill_null(0).to_numpy()
    marked = _layer(highlights, place)
    read = [_layer(own, place) for own in pieces]
    read = _within([marked, *read], length)[1:]
    cut, (highlight, *cover) = layered(length, marked, *read)
    kinds, ranks = [], []
    for covering, own in zip(cover, pieces, strict=True):
        held = own.join(place, on=c.DOC, how="inner", maintain_order="left")[c.RANK].to_numpy()
        rank = np.append(held, NO_RANK)[covering]
        kinds.append(_kinds(highlight >= 0, covering >= 0))
        ranks.append(rank)
    joined, begins = joined_up(cut, *kinds, *ranks)
    columns = {
        c.TOPIC: [topic] * len(joined.start),
        c.DOC: names.gather(joined.document),
        c.START: joined.start,
        c.END: joined.end,
    }
    for heads, kind, rank in zip(_HEADS, kinds, ranks, strict=False):
        columns[heads[0]] = [c.KINDS[number] for number in kind[begins]]
        columns[heads[1]] = pl.Series(rank[begins]).replace(NO_RANK, None)
    return pl.DataFrame(columns, schema_overrides=c.SEGMENT_SCHEMA)


def moves(results: pl.DataFrame, others: pl.DataFrame) -> pl.Series:
    """The rank, in another run, of the first result that has text of each result; null if none."""
    both = pl.concat([results[c.DOC], others[c.DOC]]).rank("dense").cast(pl.Int64).to_numpy()
    count = results.height
    at = first_sharing(_spans(results, both[:count]), _spans(others, both[count:]))
    return others[c.RANK].gather(pl.Series(at).replace(-1, None))


_HEADS = ((c.KIND, c.RANK), (c.AGAINST_KIND, c.AGAINST_RANK))


def _kinds(is_highlighted: Bools, is_read: Bools) -> Ints:
    """The place of each kind among all kinds."""
    names = np.where(
        is_highlighted,
        np.where(is_read, c.KINDS.index(c.FOUND), c.KINDS.index(c.MISSED)),
        np.where(is_read, c.KINDS.index(c.WASTED), c.KINDS.index(c.OTHER)),
    )
    return names.astype(np.int64)


def _layer(spans: pl.DataFrame, place: pl.DataFrame) -> Layer:
    """The spans of the documents that are shown."""
    own = spans.join(place, on=c.DOC, how="inner", maintain_order="left")
    return Layer(own[c.PLACE].to_numpy(), own[c.START].to_numpy(), own[c.END].to_numpy())


def _within(layers: Sequence[Layer], length: Ints) -> list[Layer]:
    """The layers without what is beyond every known place of a document of unknown length."""
    known = length.copy()
    for layer in layers:
        told = layer.end < LARGEST_OFFSET
        np.maximum.at(known, layer.document[told], layer.end[told])
    return [layer._replace(end=np.minimum(layer.end, known[layer.document])) for layer in layers]


def _spans(results: pl.DataFrame, document: Ints) -> Layer:
    """Results as spans; one of unknown place is before every document, a whole one has no end."""
    start = results[c.START].fill_null(-1)
    end = results[c.END].fill_null(
        pl.select(pl.when(start < 0).then(-1).otherwise(LARGEST_OFFSET)).to_series()
    )
    return Layer(document, start.to_numpy(), end.to_numpy())
