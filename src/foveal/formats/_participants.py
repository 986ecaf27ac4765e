"""Who sent which run: lines of a run's name and its participant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foveal.errors import Problem
from foveal.formats._fields import Layout, fields, refuse
from foveal.formats._lines import Source
from foveal.tables import columns as c

if TYPE_CHECKING:
    import os

PARTICIPANT = "participant"
PARTICIPANT_LINE = Layout((c.RUN, PARTICIPANT), least=2)


def read_participants(path: str | os.PathLike[str]) -> dict[str, str]:
    """The participant of each run, by the run's name."""
    source = Source.of(path)
    found = fields(source, PARTICIPANT_LINE)
    repeated = found.frame.filter(found.frame[c.RUN].is_first_distinct().not_())
    problems = [
        Problem(line, f"run {run!r} has a participant already")
        for run, line in repeated.select(c.RUN, c.LINE).iter_rows()
    ]
    refuse(source, [*found.problems, *problems])
    return dict(found.frame.select(c.RUN, PARTICIPANT).iter_rows())
