"""Scoring runs as the options say: what every command that needs scores begins with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import click

from foveal.choices import Like, Order, Overlap, Task, Ties, TopicSet, conventions
from foveal.cli import _options as options
from foveal.cli._executor import mapped, refuse_unshareable
from foveal.cli._index import opened
from foveal.errors import BadInput, NoHighlights

if TYPE_CHECKING:
    from foveal.measures import Evaluation
    from foveal.tables import Qrels, Run, Scores

# Portions of the runs that each process gets: what the work carries travels once for a portion, and
# what it makes ready serves the whole of it.
PORTIONS = 4
Result = TypeVar("Result")

_OPTIONS = (
    options.task,
    click.option(
        "--topics", type=options.OneOf(TopicSet),
        help="Average over every judged topic (missing ones score 0) or only those in the run."
        "  [default: judged]",
    ),
    click.option(
        "--overlap", type=options.OneOf(Overlap),
        help="Text returned again: count it once, refuse it, drop the part, or repeat the count."
        "  [default: once]",
    ),
    click.option(
        "--order", type=options.OneOf(Order),
        help="What ranks the results.  [default: as the run's format says]",
    ),
    click.option(
        "--ties", type=options.OneOf(Ties), default=Ties.ID.value, show_default=True,
        help="Equal scores: by document id, descending, or by place in the file.",
    ),
    click.option(
        "--like", type=options.OneOf(Like), default=Like.PAPER.value, show_default=True,
        help="Reproduce the papers, the official INEX program (3.1), or trec_eval.",
    ),
    click.option(
        "--rel", type=click.FloatRange(min=0), default=1.0, metavar="N",
        help="The lowest grade that counts as relevant.  [default: 1]",
    ),
    click.option(
        "--depth", type=click.IntRange(1), metavar="N",
        help="Classical measures look at the first N documents of a topic only.",
    ),
    click.option(
        "--judged-only", is_flag=True, help="Classical measures pass over unjudged documents."
    ),
    click.option(
        "--lenient", is_flag=True, help="Pass over what follows the sixth column of a TREC run."
    ),
    click.option("--format", "run_format", metavar="F", help="The runs' format, if not recognised."),
    click.option("--qrels-format", metavar="F", help="The judgements' format, if not recognised."),
    options.elements,
    options.jobs("Score N runs at a time."),
    options.cluster("Score"),
)  # fmt: skip


@dataclass(frozen=True)
class Scoring:
    """How runs are to be scored, as the options of the command line say."""

    measures: tuple[str, ...]
    task: Task | None
    topics: TopicSet | None
    overlap: Overlap | None
    order: Order | None
    ties: Ties
    like: Like
    rel: float
    depth: int | None
    judged_only: bool
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
        self.refuse_unshareable(qrels, runs)
        judgements = self.judgements(qrels)
        first = None
        if self.task is None and not judgements.has_highlights:
            first = self.run(runs[0])
        evaluation = self.evaluation(qrels, judgements, [first] if first else [], otherwise)
        done = [] if first is None else [evaluation.score(first)]
        done += self.of_each(evaluation, runs[len(done) :], evaluation.score, "scoring")
        return evaluation.scores(done)

    def of_each(
        self,
        evaluation: Evaluation,
        runs: Sequence[str],
        work: Callable[[Run], Result],
        label: str,
    ) -> list[Result]:
        """What some work makes of the run in each file, on as many cores as the options say."""
        guessed = self.task is None and not self.measures
        documents_only = guessed and evaluation.task is Task.DOCUMENT
        on_file = OnFile(work, self.run_format, self.lenient, documents_only, self.elements)
        size = 1 if self.jobs == 1 else max(1, len(runs) // (PORTIONS * self.jobs))
        portions = [runs[start : start + size] for start in range(0, len(runs), size)]
        done = mapped(on_file.each, portions, jobs=self.jobs, cluster=self.cluster, label=label)
        return [result for portion in done for result in portion]

    def judgements(self, qrels: str) -> Qrels:
        """The judgements in a file."""
        from foveal.formats import read_qrels

        try:
            return read_qrels(qrels, self.qrels_format, elements=opened(self.elements))
        except BadInput as error:
            error.add_note("judgements come first, then runs: were they swapped?")
            raise

    def evaluation(
        self,
        qrels: str,
        judgements: Qrels,
        runs: Sequence[Run],
        otherwise: Callable[[Task], Sequence[str]] | None = None,
    ) -> Evaluation:
        """The judgements made ready; the runs tell the task if neither they nor the options do."""
        from foveal.formats import quote_lines
        from foveal.measures import Evaluation, default_task

        task = self.task or default_task(judgements, runs)
        decided = conventions(
            self.like, task=task, topics=self.topics, overlap=self.overlap, order=self.order,
            ties=self.ties, rel=self.rel, depth=self.depth, judged_only=self.judged_only,
        )  # fmt: skip
        try:
            measures = self.measures or (otherwise(task) if otherwise else ())
            return Evaluation.of(judgements, measures, task, decided)
        except BadInput as error:
            quote_lines(error, qrels, judgements.format)
            raise

    def run(self, path: str) -> Run:
        """The run in a file."""
        from foveal.formats import read_run

        index = opened(self.elements)
        return read_run(path, self.run_format, lenient=self.lenient, elements=index)

    def refuse_unshareable(self, qrels: str, runs: Sequence[str]) -> None:
        """Raise if a file is none that can be read as often as it is needed."""
        refuse_unshareable(runs, qrels, shared=self.jobs > 1 or self.cluster is not None)


@dataclass(frozen=True)
class OnFile(Generic[Result]):
    """Reads a run and does some work on it; a value, so that it can be sent to other processes."""

    work: Callable[[Run], Result]
    format: str | None
    lenient: bool
    documents_only: bool
    elements: str | None = None

    def each(self, paths: Sequence[str]) -> list[Result]:
        """What the work makes of the runs in some files."""
        return [self(path) for path in paths]

    def __call__(self, path: str) -> Result:
        """What the work makes of the run in a file."""
        from foveal.formats import quote_lines, read_run

        index = opened(self.elements)
        run = read_run(path, self.format, lenient=self.lenient, elements=index)
        if self.documents_only and not run.whole_documents_only:
            # The task was guessed from the runs before, which speak of documents only.
            raise NoHighlights
        try:
            return self.work(run)
        except BadInput as error:
            quote_lines(error, path, run.format)
            raise
