"""Pools: the documents to judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from foveal.errors import counted
from foveal.frozen import frozen
from foveal.late import pl
from foveal.shown import Shown
from foveal.spans import Ints
from foveal.tables import _columns as c


@frozen(eq=False, repr=False)
class Pool(Shown):
    """The documents to judge, by topic, in the order in which they are judged.

    `frame` has topic, doc, place (from 1 in each topic), runs, best_rank and passages. `runs` counts
    the runs that returned the document within the depth, `best_rank` is the best of the document's
    ranks in them, and `passages` has the parts of it within the depth, [[start, end], …]: those
    that overlap are merged, touching ones stay apart. Whole documents and entry points add no
    passage. `judged` has a row per topic: how many documents were left out as judged already.
    """

    frame: pl.DataFrame
    judged: pl.DataFrame
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def topics(self) -> pl.DataFrame:
        """A row per topic: documents (pooled), those that several runs share, passages, judged."""
        counts = self.frame.group_by(c.TOPIC).agg(
            pl.len().cast(pl.Int64).alias(c.POOLED),
            (pl.col(c.RUNS) > 1).sum().cast(pl.Int64).alias(c.SHARED),
            pl.col(c.PASSAGES).list.len().sum().cast(pl.Int64),
        )
        all_topics = self.judged.select(c.TOPIC).join(
            counts, on=c.TOPIC, how="left", maintain_order="left"
        )
        return all_topics.fill_null(0).with_columns(self.judged[c.JUDGED])

    @property
    def summary(self) -> str:
        """The number of documents to judge and of their topics."""
        documents, topics = (len(frame) for frame in (self.frame, self.judged))
        return f"{counted(documents, 'document')} of {counted(topics, 'topic')}"

    def equals(self, other: Pool) -> bool:
        """Whether two pools have the same documents in the same order."""
        return self.frame.equals(other.frame)


def passage_lists(row: Ints, start: Ints, end: Ints, count: int) -> pl.Series:
    """The passages of each of `count` rows, [[start, end], …], from arrays sorted by row."""
    spans = pl.DataFrame({c.ROW: row, c.START: start, c.END: end})
    pair = pl.concat_list(c.START, c.END).alias(c.PASSAGES)
    lists = spans.group_by(c.ROW, maintain_order=True).agg(pair)
    all_rows = pl.DataFrame({c.ROW: pl.int_range(count, eager=True)})
    empty_list = pl.lit([], dtype=pl.List(pl.List(pl.Int64)))
    with_nulls = all_rows.join(lists, on=c.ROW, how="left", maintain_order="left")
    return with_nulls.select(pl.col(c.PASSAGES).fill_null(empty_list)).to_series()
