"""Means and standard deviations of scores by topic and measure, as trec_eval's -Z reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foveal.formats._fields import Layout, fields, refuse
from foveal.formats._lines import Source
from foveal.tables import columns as c

if TYPE_CHECKING:
    import os

    import polars as pl

MEAN, DEVIATION = "mean", "standard deviation"
NORMS_LINE = Layout((c.TOPIC, c.MEASURE, MEAN, DEVIATION), least=4, numbers=(MEAN, DEVIATION))


def read_norms(path: str | os.PathLike[str]) -> pl.DataFrame:
    """Lines of topic, measure, mean and standard deviation."""
    source = Source.of(path)
    found = fields(source, NORMS_LINE)
    refuse(source, found.problems)
    return found.frame.select(c.TOPIC, c.MEASURE, MEAN, DEVIATION)
