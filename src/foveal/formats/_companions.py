"""Small files beside runs: who sent which run, which topics count, the means for trec_eval's -Z."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foveal.errors import Problem
from foveal.files import Source
from foveal.formats._fields import Layout, fields, refuse
from foveal.tables import columns as c

if TYPE_CHECKING:
    import os

    from foveal.late import pl

BLANKS = " \t\r\n"
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


def read_topic_list(path: str | os.PathLike[str]) -> list[str]:
    """The topics in a file (`-`: standard input) with one a line; blanks around them do not count."""
    with Source.of(path) as source:
        lines = [
            line.strip(BLANKS)
            for block in source.blocks()
            for line in block.data.decode().split("\n")
        ]
        return [line for line in lines if line]


def read_norms(path: str | os.PathLike[str]) -> pl.DataFrame:
    """Lines of topic, measure, mean and standard deviation."""
    with Source.of(path) as source:
        found = fields(source, NORMS_LINE)
    refuse(source, found.problems)
    return found.frame.select(c.TOPIC, c.MEASURE, c.MEAN, c.DEVIATION)
