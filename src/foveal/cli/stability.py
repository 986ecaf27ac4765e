"""foveal stability: does the ranking of systems hold when judgements or topics are fewer?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, wraps
from typing import TYPE_CHECKING, Any

import click

from foveal.choices import Draw, Experiment, Form
from foveal.cli import _chosen as chosen
from foveal.cli import _options as options
from foveal.cli._output import deliver, figure_file
from foveal.cli._scoring import Scoring
from foveal.cli._work import is_stream
from foveal.errors import UsageError, listed

if TYPE_CHECKING:
    from foveal.studies import StabilityDesign
    from foveal.tables import Qrels, Top

PLACE_IN_LISTS = 60
EXAMPLES = """\b
Examples:
  foveal stability pool inex.qrels *.fol                    20 to 80 % of the passages, five measures
  foveal stability topics inex.qrels *.fol -m AiP -m AgP --levels 50,25,10 --samples 50
  foveal stability error-rate inex.qrels *.fol --draw partition
  foveal stability pool inex.qrels *.fol --top 20:AiP       on the 20 best runs by AiP
  foveal stability pool inex.qrels *.fol --figure curves -o pool.svg --jobs 4
"""


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


_WITHOUT = (
    "Without it iP[0.00] iP[0.01] iP[0.05] iP[0.10] AiP, or the task's own if it ranks documents."
)
_LEVELS = click.option(
    "--levels", type=_Whole(), help="Shares that are kept, in per cent.  [default: 80,60,40,20]"
)
_SAMPLES = click.option(
    "--samples", type=click.IntRange(1), default=10, show_default=True, metavar="N",
    help="Samples of each level.",
)  # fmt: skip
_FUZZINESS = click.option(
    "--fuzziness", type=click.FloatRange(0, 100), metavar="PERCENT",
    help="Runs whose means differ by less than this share of the larger count as equal."
    "  [default: 5]",
)  # fmt: skip
_DRAW = click.option(
    "--draw", type=options.Word(Draw),
    help="How topics are drawn: any subsets, disjoint ones (partition), or with replacement"
    " (bootstrap).  [default: independent]",
)  # fmt: skip


def _min_passages(default: int) -> Callable[..., Any]:
    """The option --min-passages of an experiment, whose default is shown and not set here."""
    return click.option(
        "--min-passages", type=click.IntRange(0), metavar="N",
        help=f"Leave out topics with fewer passages.  [default: {default}]",
    )  # fmt: skip


def _save(what: str) -> Callable[..., Any]:
    """The option --save-samples of an experiment; `what` is what its files hold."""
    return click.option("--save-samples", metavar="DIR", help=f"Write every sample: {what}.")


_OF_PASSAGES = (_LEVELS, _SAMPLES, _min_passages(10))
_OF_TOPICS = (_LEVELS, _SAMPLES, _min_passages(0))
_SAVE_TOPICS = _save("a list of topics (topics-80-01.txt)")


class _Command(click.Command):
    """A command of one experiment, which knows the options of the others."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse an option of other experiments by naming them."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            given = error.option_name
            others = [
                name
                for name, other in command.commands.items()
                if any(given in option.opts for option in other.params)
            ]
            if not others:
                raise
            raise UsageError(
                f"{given} does not apply to {self.name}, only to {listed(others)}"
            ) from error


class _InOrder(click.Group):
    """A group that lists its commands in the order in which they are defined."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands, those of the paper first."""
        return list(self.commands)


@click.group(cls=_InOrder, epilog=EXAMPLES)
def command() -> None:
    """Say how far the ranking of the runs can be trusted.

    Runs are ranked by all judgements, then by samples of them: Kendall's τ says how alike the
    rankings are, the error rate how often two runs change places. Without -m the measures are
    iP[0.00] iP[0.01] iP[0.05] iP[0.10] AiP.
    """


def _experiment(
    experiment: Experiment, *own: Callable[..., Any]
) -> Callable[[Callable[[], None]], click.Command]:
    """Make the command of an experiment; the decorated function gives its help."""

    def register(documented: Callable[[], None]) -> click.Command:
        @wraps(documented)
        def run(qrels: str, runs: tuple[str, ...], scoring: Scoring, **given: Any) -> None:
            _study(experiment, qrels, runs, scoring, **given)

        wrapped: Callable[..., None] = options.output(
            options.form(without=(Form.TREC, Form.INEX))(run)
        )
        wrapped = options.figure("Stability", experiment)(wrapped)
        wrapped = chosen.top(Scoring.options(_WITHOUT)(wrapped))
        for option in reversed(own):
            wrapped = option(wrapped)
        wrapped = click.argument("runs", metavar="RUN RUN...", nargs=-1, required=True)(wrapped)
        wrapped = click.argument("qrels")(wrapped)
        return command.command(experiment.value, cls=_Command)(wrapped)

    return register


@_experiment(Experiment.POOL, *_OF_PASSAGES, options.seed, _save("judgements (pool-80-01.qrels)"))
def _pool() -> None:
    """Rank the runs by samples of every topic's passages."""


@_experiment(Experiment.TOPICS, *_OF_TOPICS, _DRAW, options.seed, _SAVE_TOPICS)
def _topics() -> None:
    """Rank the runs by samples of the topics, each with all its judgements."""


@_experiment(Experiment.ERROR_RATE, *_OF_TOPICS, _FUZZINESS, _DRAW, options.seed, _SAVE_TOPICS)
def _error_rate() -> None:
    """Count how often two runs change places between samples of the topics."""


@_experiment(Experiment.SWAP, *_OF_TOPICS, options.seed)
def _swap() -> None:
    """Count how often disjoint sets of topics disagree, by how far two runs are apart."""


@_experiment(Experiment.PLANE, *_OF_PASSAGES, options.seed)
def _plane() -> None:
    """Rank the runs by fewer topics with fewer of their passages, in all combinations."""


@_experiment(
    Experiment.LEAVE_OUT,
    _min_passages(0),
    click.option(
        "--participants", metavar="FILE",
        help="Leave out each participant's runs together: FILE has lines of a run and its participant.",
    ),
    click.option(
        "--pool-depth", type=click.IntRange(1), metavar="N",
        help="A run has found what its first N parts of a topic show.  [default: all parts]",
    ),
)  # fmt: skip
def _leave_out() -> None:
    """Rank the runs without the passages that only one of them has found."""


@_experiment(
    Experiment.DEPTH,
    _min_passages(0),
    click.option("--depths", type=_Whole(), help="Parts of each run.  [default: 1,2,5 … 500]"),
)
def _depth() -> None:
    """Rank the runs by the passages that any run's first parts show.

    A depth counts the parts (results) of a run in a topic, as `foveal pool --unit results` does; by
    default `foveal pool --depth` counts documents. Depths beyond the longest run are left out.
    Passages that no run shows count as not relevant at every depth.
    """


def _study(
    experiment: Experiment,
    qrels: str,
    runs: Sequence[str],
    scoring: Scoring,
    *,
    to: Form,
    output: str | None,
    figure: str | None = None,
    seed: int | None = None,
    save_samples: str | None = None,
    participants: str | None = None,
    top: Top | None = None,
    **choices: Any,
) -> None:
    from foveal.studies import BestRuns, stability_measures, stability_study

    if figure:
        figure_file(output)
    plan = _plan(experiment, seed, participants, choices)
    _refuse_unrepeatable(experiment, runs, top)
    evaluation, judgements = scoring.evaluation(qrels, runs, stability_measures)
    save = _saving(save_samples, judgements) if save_samples else None
    best = BestRuns.of(evaluation, top, partial(scoring.of_each, runs)) if top else None
    each = partial(scoring.of_each, best.among(runs) if best else runs)
    found = stability_study(judgements, evaluation, plan, each, save=save)
    found = best.told(found) if best else found
    deliver(found, to, output, figure)


def _plan(
    experiment: Experiment, seed: int | None, participants: str | None, choices: dict[str, Any]
) -> StabilityDesign:
    from foveal.formats import read_participants
    from foveal.studies import stability_design

    who = read_participants(participants) if participants else None
    return stability_design(experiment, rng=seed, participants=who, **choices)


def _refuse_unrepeatable(experiment: Experiment, runs: Sequence[str], top: Top | None) -> None:
    streams = [run for run in runs if is_stream(run)]
    if streams and (top or experiment in {Experiment.LEAVE_OUT, Experiment.DEPTH}):
        what = "--top" if top else experiment.value
        raise UsageError(f"{what} reads every run twice: give files, not a stream ({streams[0]})")


def _saving(folder: str, judgements: Qrels) -> Callable[[str, Qrels | Sequence[str]], None]:
    """A function that writes samples into a folder: judgements in their own format, or topics."""
    from foveal.files import folder_for, write_bytes
    from foveal.formats import write_qrels

    form = "inex" if judgements.format == "inex" else "jsonl"

    def save(name: str, sample: Qrels | Sequence[str]) -> None:
        place = folder_for(folder)  # not before there is a sample to write
        if isinstance(sample, Sequence):
            lines = "".join(f"{topic}\n" for topic in sample)
            write_bytes(lines.encode(), place / f"{name}.txt")
        else:
            write_qrels(sample, place / f"{name}.qrels", form)

    return save
