"""foveal agree: do measures rank the runs alike?"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from foveal.choices import Form
from foveal.cli import _options as options
from foveal.cli._console import deliver, figure_file
from foveal.cli._parallel import mapped
from foveal.cli._scoring import Scoring, ScoringCommand
from foveal.errors import UsageError

if TYPE_CHECKING:
    from foveal.evaluation import RunRanks

PLACE_IN_LISTS = 40


@click.command(cls=ScoringCommand)
@click.argument("qrels", metavar="QRELS")
@click.argument("runs", metavar="RUN... | SCORES...", nargs=-1)
@options.alpha
@options.resamples(1000)
@options.top
@options.lower
@options.common_topics
@options.groups()
@options.seed
@Scoring.options()
@options.figure("Agreement")
@options.results()
def command(
    qrels: str,
    runs: tuple[str, ...],
    top: RunRanks | None,
    scoring: Scoring,
    figure: str | None,
    to: Form,
    output: str | None,
    **choices: Any,
) -> None:
    """Say how alike two or more measures rank the runs, and which runs change places.

    \b
    Examples:
      foveal agree inex.qrels *.fol -m MAgP -m MAP        do they rank alike?
      foveal agree inex.qrels *.fol -m AiP -m "iP[0.01]" -m charF --to csv
      foveal agree inex.qrels *.fol -m MAgP -m MAP --top 20     among the 20 best runs by MAgP
      foveal agree inex.qrels *.fol -m AgP -m AP --groups types.csv   on each kind of topics as well?
      foveal agree inex.qrels *.fol -m MAgP -m MAP --figure scatter -o scatter.png
    """
    from foveal.analysis import agree

    if not scoring.measures and not scoring.is_score_file(qrels, runs):
        raise UsageError("name two or more measures, as in -m AgP -m AP")
    if figure:
        figure_file(output, scoring.groups)
    each = partial(mapped, jobs=scoring.jobs, cluster=scoring.cluster, label="correlating")
    agreement = agree(scoring.scores(qrels, runs, top=top), each=each, **choices)
    deliver(agreement, to, output, figure)
