"""foveal stability: does the ranking of systems hold when judgements or topics are fewer?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from foveal.choices import Draw, Experiment, Form
from foveal.cli import _options as options
from foveal.cli._console import deliver, figure_file
from foveal.cli._parallel import is_stream
from foveal.cli._scoring import Scoring, ScoringCommand
from foveal.errors import UsageError, and_list

if TYPE_CHECKING:
    from foveal.evaluation import RunRanks
    from foveal.tables import Qrels

PLACE_IN_LISTS = 60


class _Whole(click.ParamType[Any]):
    """Whole numbers, separated by commas."""

    name = "N,N..."

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """The numbers."""
        if not isinstance(value, str):
            return value
        try:
            return tuple(int(word) for word in value.split(","))
        except ValueError:
            self.fail(f"{value!r} is not a list of whole numbers such as 80,60,40,20", param, ctx)


@click.command(cls=ScoringCommand)
@click.argument("experiment", type=options.Word(Experiment), metavar="EXPERIMENT")
@click.argument("qrels")
@click.argument("runs", metavar="RUN RUN...", nargs=-1, required=True)
@click.option(
    "--levels", type=_Whole(),
    help="Shares that are kept, in per cent; not in leave-out and depth."
    "  [default: 80,60,40,20; in swap 40,20]",
)  # fmt: skip
@click.option(
    "--samples", type=click.IntRange(1), default=10, show_default=True, metavar="N",
    help="Samples of each level; not in leave-out and depth.",
)  # fmt: skip
@click.option(
    "--min-passages", type=click.IntRange(0), metavar="N",
    help="Leave out topics with fewer passages.  [default: 10 in pool, else 0]",
)  # fmt: skip
@click.option(
    "--fuzziness", type=click.FloatRange(0, 100), metavar="PERCENT",
    help="In error-rate: runs whose means differ by less than this share of the larger count as"
    " equal.  [default: 5]",
)  # fmt: skip
@click.option(
    "--draw", type=options.Word(Draw),
    help="How topics and error-rate draw topics: any subsets, disjoint ones (partition), or with"
    " replacement (bootstrap).  [default: independent]",
)  # fmt: skip
@options.seed
@click.option(
    "--save-samples", metavar="DIR",
    help="Write every sample: of pool judgements (pool-80-01.qrels), of topics and error-rate a list"
    " of topics (topics-80-01.txt).",
)  # fmt: skip
@click.option(
    "--participants", metavar="FILE",
    help="In leave-out: leave out each participant's runs together; FILE has lines of a run and its"
    " participant.",
)  # fmt: skip
@click.option(
    "--pool-depth", type=click.IntRange(1), metavar="N",
    help="In leave-out: a run has found what its first N parts of a topic show."
    "  [default: all parts]",
)  # fmt: skip
@click.option(
    "--depths", type=_Whole(), help="In depth: parts of each run.  [default: 1,2,5 … 500]"
)
@options.top
@Scoring.options(
    "Without it iP[0.00] iP[0.01] iP[0.05] iP[0.10] AiP, or the task's own if it ranks documents.",
    shown_options={"--cluster"},
)
@options.figure("Stability")
@options.results()
def command(
    experiment: Experiment,
    qrels: str,
    runs: tuple[str, ...],
    scoring: Scoring,
    top: RunRanks | None,
    save_samples: str | None,
    figure: str | None,
    to: Form,
    output: str | None,
    **choices: Any,
) -> None:
    """Say how far the ranking of the runs can be trusted.

    \b
    Examples:
      foveal stability pool inex.qrels *.fol                    20 to 80 % of the passages, five measures
      foveal stability topics inex.qrels *.fol -m AiP -m AgP --levels 50,25,10 --samples 50
      foveal stability error-rate inex.qrels *.fol --draw partition
      foveal stability pool inex.qrels *.fol --top 20:AiP       on the 20 best runs by AiP
      foveal stability pool inex.qrels *.fol --figure curves -o pool.svg --jobs 4

    Runs are ranked by all judgements, then by fewer of them: `pool` keeps samples of every topic's
    passages, `topics` and `error-rate` keep samples of the topics, `swap` disjoint sets of topics;
    `leave-out` takes away the passages that only one run has found, `depth` those that no run's
    first parts show. Kendall's τ says how alike the rankings are, the error rate how often two runs
    change places. An option that means nothing for the experiment is refused.

    A depth counts the parts (results) of a run in a topic, as `foveal pool --unit results` does; by
    default `foveal pool --depth` counts documents. Depths beyond the longest run are left out.
    Passages that no run shows count as not relevant at every depth.
    """
    from foveal.formats import read_participants
    from foveal.studies import BestRuns, stability_design, stability_measures, stability_study

    used = _used(experiment, choices, figure)
    if figure:
        figure_file(output)
    path = used.pop("participants", None)
    participants = read_participants(path) if path else None
    design = stability_design(experiment, participants=participants, **used)
    _refuse_unrepeatable(experiment, runs, top)
    evaluation, judgements = scoring.evaluation(qrels, runs, stability_measures)
    save = _sample_writer(save_samples, judgements) if save_samples else None
    best = BestRuns.of(evaluation, top, partial(scoring.map_runs, runs)) if top else None
    each = partial(scoring.map_runs, best.among(runs) if best else runs)
    stability = stability_study(judgements, evaluation, design, each, save=save)
    stability = best.annotated(stability) if best else stability
    deliver(stability, to, output, figure)


def _used(experiment: Experiment, choices: dict[str, Any], figure: str | None) -> dict[str, Any]:
    """Choices that an experiment uses; typed options that it does not use are refused."""
    from foveal.rendering import figures_of
    from foveal.studies import USED_BY

    used_by = {
        **USED_BY,
        "save_samples": {Experiment.POOL, Experiment.TOPICS, Experiment.ERROR_RATE},
        "figure": set(figures_of("Stability")[figure].experiments) if figure else set(Experiment),
    }
    for name, flag in options.typed_options().items():
        experiments = used_by.get(name, set(Experiment))
        if experiment not in experiments:
            option = f"{flag} {figure}" if name == "figure" else flag
            names = [member.value for member in Experiment if member in experiments]
            raise UsageError(
                f"{option} does not apply to {experiment.value}, only to {and_list(names)}"
            )
    return {
        name: value
        for name, value in choices.items()
        if experiment in used_by.get(name, set(Experiment))
    }


def _refuse_unrepeatable(experiment: Experiment, runs: Sequence[str], top: RunRanks | None) -> None:
    streams = [run for run in runs if is_stream(run)]
    if streams and (top or experiment in {Experiment.LEAVE_OUT, Experiment.DEPTH}):
        name = "--top" if top else experiment.value
        raise UsageError(f"{name} reads every run twice: give files, not a stream ({streams[0]})")


def _sample_writer(folder: str, judgements: Qrels) -> Callable[[str, Qrels | Sequence[str]], None]:
    """A function that writes samples into a folder: judgements in their own format, or topics."""
    from foveal.files import folder_for, write_bytes
    from foveal.formats import write_qrels

    format_name = "inex" if judgements.format == "inex" else "jsonl"

    def save(name: str, sample: Qrels | Sequence[str]) -> None:
        path = folder_for(folder)  # not before there is a sample to write
        if isinstance(sample, Sequence):
            lines = "".join(f"{topic}\n" for topic in sample)
            write_bytes(lines.encode(), path / f"{name}.txt")
        else:
            write_qrels(sample, path / f"{name}.qrels", format_name)

    return save
