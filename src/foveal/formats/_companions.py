"""Small files beside runs: who sent which run, and the means of scores for trec_eval's -Z."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foveal.errors import Problem
from foveal.files import Source
from foveal.formats._fields import Layout, fields, refuse
from foveal.tables import columns as c

if TYPE_CHECKING:
    import os

    import polars as pl

PARTICIPANT_LINE = Layout((c.RUN, c.PARTICIPANT), least=2)
NORMS_LINE = Layout(
    (c.TOPIC, c.MEASURE, c.MEAN, c.DEVIATION), least=4, numbers=(c.MEAN, c.DEVIATION)
)


def read_participants(path: str | os.PathLike[str]) -> dict[str, str]:
    """The participant of each run, by the run's name."""
    with Source.of(path) as source:
        found = fields(source, PARTICIPANT_LINE)
    repeated = found.frame.filter(found.frame[c.RUN].is_first_distinct().not_())
    problems = [
        Problem(line, f"run {run!r} already has a participant on an earlier line")
        for run, line in repeated.select(c.RUN, c.LINE).iter_rows()
    ]
    refuse(source, [*found.problems, *problems])
    return dict(found.frame.select(c.RUN, c.PARTICIPANT).iter_rows())


def read_norms(path: str | os.PathLike[str]) -> pl.DataFrame:
    """Lines of topic, measure, mean and standard deviation."""
    with Source.of(path) as source:
        found = fields(source, NORMS_LINE)
    refuse(source, found.problems)
    return found.frame.select(c.TOPIC, c.MEASURE, c.MEAN, c.DEVIATION)
