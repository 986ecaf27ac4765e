"""Scores: one number per run, topic and measure, and one per run and measure over all topics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from foveal.errors import counted
from foveal.shown import Shown
from foveal.tables import _columns as c


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Shown):
    """What an evaluation found; `print` shows the means, the settings and the notes.

    `topics` has the columns run, topic and one per measure; `overall` has run and one per
    measure, averaged as the measure's record says. `settings` are the choices that made the
    numbers what they are, `notes` what a reader of them should know, `sources` the files that the
    runs came from.
    """

    topics: pl.DataFrame
    overall: pl.DataFrame
    settings: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()

    @property
    def measures(self) -> list[str]:
        """The canonical names of the measures, in the order asked for."""
        return [name for name in self.overall.columns if name != c.RUN]

    @property
    def runs(self) -> list[str]:
        """The names of the runs, in the order given."""
        return self.overall[c.RUN].to_list()

    @property
    def summary(self) -> str:
        """How many runs were scored, by how many measures, on how many topics."""
        runs, measures = counted(len(self.runs), "run"), counted(len(self.measures), "measure")
        return f"{runs}, {measures}, {counted(self.topics[c.TOPIC].n_unique(), 'topic')}"

    def mean(self) -> pl.DataFrame:
        """A frame run × measure: the mean over topics, or the total of what is counted."""
        return self.overall

    def per_topic(self) -> pl.DataFrame:
        """A frame of run, topic, measure, value."""
        return self._long(self.topics, [c.RUN, c.TOPIC])

    def rows(self, *, per_topic: bool = True) -> pl.DataFrame:
        """A frame of run, measure, topic, value; the means are under the topic `all`."""
        overall = self._long(
            self.overall.with_columns(pl.lit(c.ALL_TOPICS).alias(c.TOPIC)), [c.RUN, c.TOPIC]
        )
        parts = [self.per_topic(), overall] if per_topic else [overall]
        rank = {name: place for place, name in enumerate(self.runs)}
        return (
            pl.concat(parts)
            .select(c.SCORE_ROW)
            .sort(
                pl.col(c.RUN).replace_strict(rank, return_dtype=pl.Int64),
                pl.col(c.TOPIC) == c.ALL_TOPICS,
                maintain_order=True,
            )
        )

    @staticmethod
    def _long(wide: pl.DataFrame, index: list[str]) -> pl.DataFrame:
        long = wide.with_row_index(c.ROW).unpivot(
            index=[c.ROW, *index], variable_name=c.MEASURE, value_name=c.VALUE
        )
        return long.sort(c.ROW, maintain_order=True).select(*index, c.MEASURE, c.VALUE)
