"""foveal compare: which runs are really better."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from foveal.choices import Form, Interval, Task
from foveal.cli import _options as options
from foveal.cli._console import deliver, figure_file
from foveal.cli._scoring import Scoring, ScoringCommand
from foveal.cli._testing import testing_options
from foveal.errors import UsageError

if TYPE_CHECKING:
    from foveal.conventions import Testing
    from foveal.evaluation import RunRanks

PLACE_IN_LISTS = 30


def _budgets(_: click.Context, __: click.Parameter, text: str | None) -> tuple[str, ...]:
    """The measures of recall within budgets of characters, such as 500,1000,2000."""
    words = [] if text is None else [word.strip() for word in text.split(",")]
    for word in words:
        if not (word.isascii() and word.isdigit() and int(word) > 0):
            raise UsageError(
                f"--budgets must be numbers of characters, such as 500,1000,2000, got {text!r}"
            )
    return tuple(f"cR(chars={int(word)})" for word in words)


@click.command(cls=ScoringCommand)
@click.argument("qrels", metavar="QRELS")
@click.argument("runs", metavar="RUN RUN... | SCORES...", nargs=-1)
@testing_options
@click.option(
    "--interval", type=options.Word(Interval),
    help="How confidence intervals are made.  [default: as the test asks: percentile for bootstrap,"
    " anova for tests of all runs, else t]",
)  # fmt: skip
@click.option(
    "--budgets", metavar="N,...", callback=_budgets,
    help="Compare recall within so many characters, as in 500,1000,2000: short for -m"
    " 'cR(chars=500)' and so on.",
)  # fmt: skip
@options.top
@options.lower
@options.common_topics
@options.groups(options.CORRECTED)
@Scoring.options("Without it the task's overall one.")
@options.figure("Comparison")
@click.option(
    "--pair", nargs=2, metavar="RUN RUN", default=None,
    help="The runs that --figure differences shows, by name.  [default: the two best]",
)  # fmt: skip
@click.option(
    "--decimals", type=click.IntRange(0, 6), metavar="N",
    help="How many decimals tables show.  [default: 3 in LaTeX and Markdown, else 4]",
)  # fmt: skip
@options.results()
def command(
    qrels: str,
    runs: tuple[str, ...],
    testing: Testing,
    interval: Interval | None,
    budgets: tuple[str, ...],
    top: RunRanks | None,
    common_topics: bool,
    scoring: Scoring,
    figure: str | None,
    pair: tuple[str, str] | None,
    decimals: int | None,
    to: Form,
    output: str | None,
) -> None:
    """Say which runs are significantly better than which.

    \b
    Examples:
      foveal compare inex.qrels *.fol --task ric -m MAgP -m MAP    which pairs differ, by two measures
      foveal compare inex.qrels mine.fol yours.fol -m AiP --test t
      foveal compare inex.qrels *.fol -m MAgP --like kamps2007     as the INEX 2007 study tested
      foveal compare inex.qrels *.fol --baseline bm25 --to latex -o table.tex   a table for a paper
      foveal compare inex.qrels *.fol -m "iP[0.01]" --top 20:AiP   the 20 best runs by AiP
      foveal compare inex.qrels *.fol -m AiP --only topics-80-01.txt   on a sample of the topics
      foveal compare inex.qrels *.fol -m AiP --groups topics.xml:query_type   and for kinds of topics
      foveal compare inex.qrels *.fol -m AiP --figure matrix -o matrix.svg
      foveal compare inex.qrels *.fol -m AiP --figure differences --pair mine yours -o topics.pdf
      foveal compare gold.jsonl *.jsonl --task rag --budgets 500,1000,2000,4000   recall over characters
      foveal compare gold.jsonl *.jsonl --task rag --budgets 500,1000,2000 --figure budget -o r.svg

    Every pair of runs is tested, topic by topic: by randomization, two-tailed, and corrected for the
    number of pairs by Holm's method, unless options say otherwise. Without -m the task's overall
    measure is taken: AiP, AgP, AgP(S=bep), AP or cR(chars=2000).
    """
    from foveal.analysis import compare
    from foveal.measures import overall_measure

    def overall(task: Task) -> list[str]:
        return [overall_measure(task)]

    if pair and not figure:
        raise UsageError("--pair chooses the runs of a figure: give --figure differences as well")
    if figure:
        figure_file(output, scoring.groups)
    scoring = replace(scoring, measures=(*scoring.measures, *budgets))
    ranks = replace(top, baselines=testing.baseline) if top else None
    comparison = compare(
        scoring.scores(qrels, runs, overall, top=ranks), interval=interval,
        common_topics=common_topics, **vars(testing),
    )  # fmt: skip
    deliver(replace(comparison, decimals=decimals), to, output, figure, pair)
