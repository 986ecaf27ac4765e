"""Scoring runs as the options say: what every command that needs scores begins with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import Field, dataclass, fields
from enum import StrEnum
from functools import wraps
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_args, get_type_hints

import click

from foveal.choices import Task
from foveal.cli import _options as options
from foveal.cli._work import mapped, refuse_unshareable
from foveal.conventions import Choices
from foveal.errors import BadInput

if TYPE_CHECKING:
    from foveal.measures import Evaluation
    from foveal.tables import Qrels, Run, Scores, UnreadRun

# Portions of the runs that each process gets: what the work carries travels once for a portion, and
# what it makes ready serves the whole of it.
PORTIONS = 4
Result = TypeVar("Result")


def _choices() -> Iterator[Callable[..., Any]]:
    """An option for every choice about scoring that has a help sentence."""
    hints = get_type_hints(Choices)
    for choice in fields(Choices):
        if "help" in choice.metadata:
            yield _option(choice, [hints[choice.name], *get_args(hints[choice.name])])


def _option(choice: Field[Any], hints: Sequence[Any]) -> Callable[..., Any]:
    told = {key: choice.metadata[key] for key in ("help", "metavar") if key in choice.metadata}
    flag = f"--{choice.name.replace('_', '-')}"
    words = [hint for hint in hints if isinstance(hint, type) and issubclass(hint, StrEnum)]
    if words:
        default = choice.default and choice.default.value
        kind = options.Word(words[0])
        return click.option(flag, type=kind, default=default, show_default=bool(default), **told)
    if bool in hints:
        return click.option(flag, is_flag=True, **told)
    number = click.FloatRange if float in hints else click.IntRange
    return click.option(
        flag, type=number(min=choice.metadata["least"]), default=choice.default, **told
    )


_OPTIONS = (
    *_choices(),
    click.option(
        "--lenient", is_flag=True, help="Ignore what follows the sixth column of a TREC run."
    ),
    click.option(
        "--format", "run_format", metavar="F", help="The runs' format, if not recognised."
    ),
    click.option("--qrels-format", metavar="F", help="The judgements' format, if not recognised."),
    options.elements,
    options.jobs("Score N runs at a time."),
    options.cluster("Score"),
)


@dataclass(frozen=True)
class Scoring:
    """How runs are to be read and scored, as the options of the command line say."""

    measures: tuple[str, ...]
    choices: Choices
    lenient: bool
    run_format: str | None
    qrels_format: str | None
    elements: str | None
    jobs: int
    cluster: str | None

    @classmethod
    def options(
        cls, without: str = "Without it the task's own."
    ) -> Callable[[Callable[..., None]], Callable[..., None]]:
        """Give a command these options; they reach it as one argument, `scoring`.

        `without` says which measures are taken if none is named.
        """

        def give(command: Callable[..., None]) -> Callable[..., None]:
            @wraps(command)
            def with_scoring(**given: Any) -> None:
                chosen = {
                    choice.name: given.pop(choice.name)
                    for choice in fields(Choices)
                    if choice.name in given
                }
                given["choices"] = Choices(**chosen)
                own = {field.name: given.pop(field.name) for field in fields(cls)}
                command(scoring=cls(**own), **given)

            wrapped: Callable[..., None] = with_scoring
            for option in reversed((options.measures(without), *_OPTIONS)):
                wrapped = option(wrapped)
            return wrapped

        return give

    def scores(
        self,
        qrels: str,
        runs: Sequence[str],
        otherwise: Callable[[Task], Sequence[str]] | None = None,
    ) -> Scores:
        """The scores of the runs in files against the judgements in another.

        `otherwise` names the measures to take where the options name none; without it the task's.
        """
        evaluation, _ = self.evaluation(qrels, runs, otherwise)
        return evaluation.scores(self.of_each(runs, evaluation.score, "scoring"))

    def evaluation(
        self,
        qrels: str,
        runs: Sequence[str],
        otherwise: Callable[[Task], Sequence[str]] | None = None,
    ) -> tuple[Evaluation, Qrels]:
        """The judgements in a file made ready for the runs in others, and the judgements."""
        from foveal.formats import quote_lines, read_qrels
        from foveal.measures import Evaluation

        shared = self.jobs > 1 or self.cluster is not None
        refuse_unshareable(runs, qrels, shared=shared)
        try:
            judgements = read_qrels(
                qrels, self.qrels_format, elements=options.index_at(self.elements)
            )
        except BadInput as error:
            error.add_note("judgements come first, then runs: were they swapped?")
            raise
        try:
            return Evaluation.of(judgements, self.measures, self.choices, otherwise), judgements
        except BadInput as error:
            quote_lines(error, qrels, judgements.format)
            raise

    def of_each(
        self, runs: Sequence[str], work: Callable[[Run | UnreadRun], Result], label: str
    ) -> list[Result]:
        """What some work makes of the run in each file, on as many cores as the options say."""
        on_files = OnFiles(work, self.run_format, self.lenient, self.elements)
        size = 1 if self.jobs == 1 else max(1, len(runs) // (PORTIONS * self.jobs))
        portions = [runs[start : start + size] for start in range(0, len(runs), size)]
        done = mapped(on_files, portions, jobs=self.jobs, cluster=self.cluster, label=label)
        return [result for portion in done for result in portion]


@dataclass(frozen=True)
class OnFiles(Generic[Result]):
    """Reads runs and does some work on them; a value, so that it can be sent to other processes."""

    work: Callable[[Run | UnreadRun], Result]
    format: str | None
    lenient: bool
    elements: str | None

    def __call__(self, paths: Sequence[str]) -> list[Result]:
        """What the work makes of the runs in some files."""
        from foveal.formats import opened_run, quote_lines

        done, index = [], options.index_at(self.elements)
        for path in paths:
            with opened_run(path, self.format, lenient=self.lenient, elements=index) as run:
                try:
                    done.append(self.work(run))
                except BadInput as error:
                    quote_lines(error, path, run.format)
                    raise
        return done
