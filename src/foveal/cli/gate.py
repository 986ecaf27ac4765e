"""foveal gate: is a run good enough to be used?"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from foveal.choices import Form
from foveal.cli import _options as options
from foveal.cli._console import deliver
from foveal.cli._parallel import is_stream
from foveal.cli._scoring import Scoring, ScoringCommand
from foveal.conventions import USUAL_TESTING
from foveal.errors import DemandNotMet, UsageError

if TYPE_CHECKING:
    from foveal.evaluation import Scores

PLACE_IN_LISTS = 45


@click.command(cls=ScoringCommand)
@click.argument("qrels", metavar="QRELS")
@click.argument("run", metavar="RUN | SCORES", required=False)
@click.option(
    "--min", "demands", multiple=True, metavar="DEMAND",
    help='What a mean must reach, as in "cR@5>=0.80"; also >, and <= or < for what must be low;'
    " may be repeated.",
)  # fmt: skip
@click.option(
    "--baseline", metavar="RUN|SCORES.json",
    help="Another run, or its scores on the same judgements as `foveal evaluate --per-topic -o"
    " SCORES.json` saves them.",
)  # fmt: skip
@click.option(
    "--max-drop", type=click.FloatRange(0), metavar="X",
    help="How far below the baseline's a mean may be, for every measure of -m and --min."
    "  [default: 0]",
)  # fmt: skip
@click.option(
    "--significant", is_flag=True,
    help="Fail only for drops that are also significant: p <= alpha by a two-sided randomization"
    " test.",
)  # fmt: skip
@options.lower
@options.alpha
@options.resamples(int(USUAL_TESTING.resamples))
@options.seed
@Scoring.options("By default those of --min, else the task's own.")
@options.results(verdicts=True)
def command(
    qrels: str,
    run: str | None,
    demands: tuple[str, ...],
    baseline: str | None,
    max_drop: float | None,
    significant: bool,
    scoring: Scoring,
    to: Form,
    output: str | None,
    **choices: Any,
) -> None:
    """Say whether a run is good enough; exit with 1 if it is not.

    \b
    Examples:
      foveal gate gold.jsonl chunks.jsonl --task rag --min "cR@5>=0.80"
      foveal gate gold.jsonl chunks.jsonl --task rag --min "cR@5>=0.80" --to junit -o gate.xml
      foveal gate gold.jsonl new.jsonl --baseline old.jsonl -m cR@5 --max-drop 0.02 --significant
      foveal evaluate gold.jsonl old.jsonl -m cR@5 --per-topic -o old.json
      foveal gate gold.jsonl new.jsonl --baseline old.json -m cR@5 --to github

    Demands (--min) name what a mean must reach. A baseline is a run, or its saved scores, that the
    run must not fall behind: by no measure named by -m or --min, or of the task if none is named.
    """
    from foveal.analysis import gate
    from foveal.evaluation import Demand

    if baseline is None and (max_drop is not None or significant):
        raise UsageError("--max-drop and --significant say how far below a --baseline: give one")
    if baseline is None and not demands:
        raise UsageError("nothing is demanded: give --min 'cR@5>=0.80', or --baseline")
    demanded_measures = [Demand.parsed(demand).measure for demand in demands]
    scoring = replace(scoring, measures=(*scoring.measures, *demanded_measures))
    scores, baseline_scores = _both_scores(scoring, qrels, run, baseline)
    result = gate(
        scores, demands, baseline=baseline_scores, max_drop=max_drop or 0.0, significant=significant,
        **choices,
    )  # fmt: skip
    deliver(result, to, output)
    if not result.holds:
        sys.exit(DemandNotMet.exit_code)


def _both_scores(
    scoring: Scoring, qrels: str, run: str | None, baseline: str | None
) -> tuple[Scores, Scores | None]:
    """Scores of the run, and of the baseline, which may be given as scores."""
    from foveal.formats import has_scores, read_scores

    runs = [run] if run else []
    if scoring.is_score_file(qrels, runs):
        if runs:
            raise UsageError(
                f"{qrels} has scores, and a gate looks at those of one run: is {run} the --baseline?"
            )
        return scoring.saved_scores([qrels]), scoring.saved_scores([baseline]) if baseline else None
    if baseline is None:
        return scoring.scores(qrels, runs), None
    if not is_stream(baseline) and has_scores(baseline):
        return scoring.scores(qrels, runs), read_scores(baseline)
    scores = scoring.scores(qrels, [*runs, baseline])
    run_scores, baseline_scores = (replace(scores, values=[values]) for values in scores.values)
    return run_scores, baseline_scores
