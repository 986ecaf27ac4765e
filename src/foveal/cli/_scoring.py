"""Options of scoring, and the scoring itself: the first step of every command that needs scores."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import Field, fields, replace
from enum import StrEnum
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_type_hints

import click

from foveal.choices import Assessors, Like, Task
from foveal.cli import _options as options
from foveal.cli._options import only, with_topics
from foveal.cli._parallel import cluster_option, is_stream, jobs_option, mapped, refuse_unshareable
from foveal.conventions import TESTING_LIKE, Choices
from foveal.errors import BadInput, UsageError
from foveal.frozen import frozen

if TYPE_CHECKING:
    from foveal.evaluation import Evaluation, ExtraColumn, RunRanks, Scores
    from foveal.tables import Qrels, Run

# Number of portions of runs for each process: the judgements are sent and prepared once per portion.
PORTIONS = 4
TESTS_SENTENCE = (
    " kamps2007 sets how compare and report test: bootstrap, one-tailed, 1,000 resamples, no"
    " correction.  [default: paper]"
)
Result = TypeVar("Result")


def _choices() -> Iterator[Callable[..., Any]]:
    """Options for all choices about scoring that have a help sentence."""
    hints = get_type_hints(Choices)
    for choice in fields(Choices):
        if "help" in choice.metadata:
            yield _option(choice, [hints[choice.name], *get_args(hints[choice.name])])


def _option(choice: Field[Any], hints: Sequence[Any]) -> Callable[..., Any]:
    texts = {key: choice.metadata[key] for key in ("help", "metavar") if key in choice.metadata}
    flag = f"--{choice.name.replace('_', '-')}"
    words = [hint for hint in hints if isinstance(hint, type) and issubclass(hint, StrEnum)]
    if choice.name == "like":
        return click.option(
            flag,
            type=options.Word(Like, extra_words=tuple(TESTING_LIKE)),
            multiple=True,
            **texts | {"help": texts["help"] + TESTS_SENTENCE},
        )
    if words:
        default = choice.default and choice.default.value
        kind = options.Word(words[0], unlisted=choice.metadata.get("unlisted", ()))
        return click.option(flag, type=kind, default=default, show_default=bool(default), **texts)
    if bool in hints:
        return click.option(flag, is_flag=True, **texts)
    number = click.FloatRange if float in hints else click.IntRange
    return click.option(
        flag, type=number(min=choice.metadata["minimum"]), default=choice.default, **texts
    )


_OPTIONS: tuple[Callable[..., Any], ...] = (
    *_choices(),
    click.option(
        "--lenient", is_flag=True, help="Ignore everything after the sixth column of a TREC run."
    ),
    options.run_format,
    options.qrels_format,
    only,
    options.assessors,
    options.elements,
    options.TextOptions.options,
    options.tokens,
    jobs_option("Score N runs at a time."),
    cluster_option("Score"),
)
_SINGLE_QRELS_OPTIONS = (options.assessors, only)
# Rare options: every command that scores accepts them, and `evaluate --help` shows them.
RARE = frozenset({
    "--topics", "--overlap", "--order", "--ties", "--rel", "--depth", "--judged-only", "--lenient",
    "--format", "--qrels-format", "--assessors", "--chunks", "--copies", "--count", "--tokens", "--cluster",
})  # fmt: skip
# Options that also apply to given scores.
WITH_SCORES = {"measures", "lower", "topics_file", "jobs", "cluster"}
UNDERSTOOD = "Rare options of scoring work here too: see `foveal evaluate --help`."


class ScoringCommand(click.Command):
    """A command that accepts rare options of scoring, with a last line of help that says so."""

    understood = UNDERSTOOD

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, then the sentence about rare options."""
        super().format_epilog(ctx, formatter)
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(self.understood)


def _source(sources: Sequence[Like | str]) -> Like:
    """The source of defaults for scoring; two sources, or a design of tests, are refused."""
    for name in sources:
        if name in TESTING_LIKE:
            raise UsageError(f"--like {name} says how compare and report test runs")
    distinct = [*dict.fromkeys(map(Like, sources))]
    if len(distinct) > 1:
        raise UsageError(
            f"--like {distinct[0].value} and --like {distinct[1].value} both say how runs are scored:"
            " choose one"
        )
    return distinct[0] if distinct else Like.PAPER


def _refuse_needing_runs() -> None:
    """Refuse options about scoring if scores are given."""
    context = click.get_current_context()
    names = {item.name for kind in (Choices, Scoring, options.TextOptions) for item in fields(kind)}
    for name, flag in options.typed_options().items():
        is_test_design = name == "like" and set(context.params["like"]) <= {*TESTING_LIKE}
        if name in names - WITH_SCORES and not is_test_design:
            raise UsageError(f"{flag} needs judgements and runs, but these are scores")


def _refuse_empty(values: Mapping[str, Any]) -> None:
    """Refuse empty values: an unset variable of the shell leaves them."""
    for option in click.get_current_context().command.params:
        if option.name in values and values[option.name] == "":
            raise UsageError(f"{option.opts[0]} is empty: give it a value, or leave it out")


@frozen
class Scoring:
    """Options for reading and scoring runs."""

    measures: tuple[str, ...]
    choices: Choices
    lenient: bool
    run_format: str | None
    qrels_format: str | None
    elements: str | None
    texts: options.TextOptions
    tokens: str | None
    jobs: int
    cluster: str | None
    assessors: str = Assessors.UNION
    """The assessors whose judgements count; commands that compare assessors lack the option."""

    only: str | None = None
    """The only topics that count; commands that compare assessors lack the option."""

    also: str | None = None
    """Extra columns of the runs to average; only `evaluate` has the option."""

    topics_file: str | None = None
    """File with the titles of topics; not every command has the option."""

    groups: str | None = None
    """File with the groups of topics, FILE or FILE:COLUMN; not every command has the option."""

    lower: tuple[str, ...] = ()
    """Measures of other programs for which less is better; for commands that accept scores."""

    @classmethod
    def options(
        cls,
        default_sentence: str = "By default the task's own.",
        *,
        one_qrels: bool = True,
        shown_options: Container[str] = (),
    ) -> Callable[[Callable[..., None]], Callable[..., None]]:
        """Add these options to a command, which receives them as one argument, `scoring`.

        The options --assessors, which merges the judgements of several assessors, and --only are for
        commands that read one file of judgements. Help shows the rare options in `shown_options`.
        """
        all_options = [
            options.measures(default_sentence),
            *(option for option in _OPTIONS if one_qrels or option not in _SINGLE_QRELS_OPTIONS),
        ]

        def give(command: Callable[..., None]) -> Callable[..., None]:
            @wraps(command)
            def with_scoring(**arguments: Any) -> None:
                choices = options.take_fields(arguments, Choices)
                arguments["choices"] = Choices(**choices | {"like": _source(choices["like"])})
                values = options.take_fields(arguments, cls)
                _refuse_empty(values)
                command(scoring=cls(**values), **arguments)

            wrapped = options.with_options(with_scoring, all_options)
            # Click stores the options of a function here until it makes the command.
            for param in wrapped.__click_params__:  # type: ignore[attr-defined]
                param.hidden = param.opts[-1] in RARE and param.opts[-1] not in shown_options
            return wrapped

        return give

    def scores(
        self,
        qrels: str,
        runs: Sequence[str],
        default_measures: Callable[[Task], Sequence[str]] | None = None,
        *,
        top: RunRanks | None = None,
    ) -> Scores:
        """Score the runs in files against the judgements in another, or read given scores.

        `default_measures` has the measures for a task if -m is not given; by default the task's own.
        With `top`, all runs are scored and the best are returned.
        """
        from foveal.evaluation import best_scores
        from foveal.formats import read_topics

        if self.is_score_file(qrels, runs):
            return self.saved_scores([qrels, *runs], default_measures, top=top)
        evaluation, judgements = self.evaluation(qrels, runs, default_measures)
        titles = read_topics(self.topics_file) if self.topics_file else None

        def scored(evaluation: Evaluation) -> Scores:
            return evaluation.scores(self.map_runs(runs, evaluation.score, "scoring"), judgements)

        scores = best_scores(evaluation, top, scored) if top else scored(evaluation)
        return scores if titles is None else scores.titled(titles)

    def is_score_file(self, file: str, runs: Sequence[str]) -> bool:
        """True if the first argument of the command is a file of scores, not of judgements."""
        from foveal.formats import has_scores

        takes_scores = "lower" in click.get_current_context().params
        if not takes_scores or (runs and (self.qrels_format or is_stream(file))):
            return False
        if is_stream(file) or has_scores(file):
            return True
        if not runs:
            raise UsageError(
                f"{file} has no scores, and judgements need runs: give QRELS RUN..., or scores such as"
                " those of `foveal evaluate -o scores.json`"
            )
        if self.lower:
            raise UsageError("--lower is for scores of other programs: foveal's own are known")
        return False

    def saved_scores(
        self,
        files: Sequence[str],
        default_measures: Callable[[Task], Sequence[str]] | None = None,
        *,
        top: RunRanks | None = None,
    ) -> Scores:
        """Scores read from files, for the measures of -m, else for the task's, else for all."""
        from foveal.formats import has_scores, read_scores, read_topics

        _refuse_needing_runs()
        measure, *rest = dict.fromkeys(self.measures or ("",))
        try:
            scores = read_scores(*files, lower=self.lower, measure="" if rest else measure)
        except BadInput as error:
            if error.source in files and not (is_stream(error.source) or has_scores(error.source)):
                error.lead_with(f"{error.source} has no scores, which every file must have here")
            raise
        if top:
            by_measure = top.measure or (self.measures or scores.measures)[0]
            scores = scores.top(replace(top, measure=by_measure))
        task = scores.settings.get("task", "").partition(" (")[0]
        names = default_measures(Task(task)) if default_measures and task else ()
        # The file may have scores of other measures.
        if names := self.measures or [name for name in names if name in scores.measures]:
            scores = scores.only(names)
        return scores.titled(read_topics(self.topics_file)) if self.topics_file else scores

    def evaluation(
        self,
        qrels: str,
        runs: Sequence[str],
        default_measures: Callable[[Task], Sequence[str]] | None = None,
    ) -> tuple[Evaluation, Qrels]:
        """Prepare to evaluate the runs in files; also return the judgements."""
        from foveal.evaluation import Evaluation
        from foveal.formats import groups_file, quote_lines, read_groups, read_qrels

        shared = self.jobs > 1 or self.cluster is not None
        groups_path = groups_file(self.groups)[0] if self.groups else None
        other_files = [file for file in (qrels, self.only, self.topics_file, groups_path) if file]
        refuse_unshareable(runs, *other_files, shared=shared)
        # Small files are read first, so that their errors come before large files are read.
        groups = read_groups(self.groups) if self.groups else None
        try:
            judgements = read_qrels(
                qrels,
                self.qrels_format,
                elements=options.index_at(self.elements),
                assessors=self.assessors,
                **self.texts.for_qrels,
            )
        except BadInput as error:
            hint_if_swapped(error, qrels)
            raise
        judgements = with_topics(judgements, self.only)
        stated_tasks = self.stated_tasks(runs)
        try:
            evaluation = Evaluation.of(
                judgements,
                self.measures,
                self.choices,
                default_measures,
                stated_tasks,
                self.extra_columns,
                groups,
            )
        except BadInput as error:
            quote_lines(error, qrels, judgements.format)
            raise
        return evaluation, judgements

    def by_assessor(self, file: str) -> dict[str, Qrels]:
        """Judgements in a file, by assessor."""
        from foveal.formats import read_assessors

        index = options.index_at(self.elements)
        return read_assessors(file, self.qrels_format, elements=index, **self.texts.for_qrels)

    def stated_tasks(self, runs: Sequence[str]) -> dict[str, Task | None]:
        """The task that the run in each file states.

        Streams are not opened here; a note says if one states another task.
        """
        from foveal.formats import stated_task

        return {
            run: None if self.choices.task or is_stream(run) else stated_task(run, self.run_format)
            for run in runs
        }

    @property
    def extra_columns(self) -> tuple[ExtraColumn, ...]:
        """The extra columns of --also."""
        from foveal.evaluation import parse_extra_columns

        return () if self.also is None else parse_extra_columns(self.also)

    def map_runs(
        self, runs: Sequence[str], compute: Callable[[Run], Result], label: str
    ) -> list[Result]:
        """Results of `compute` for the run in each file, with --jobs or --cluster."""
        size = 1 if self.jobs == 1 else max(1, len(runs) // (PORTIONS * self.jobs))
        portions = [runs[start : start + size] for start in range(0, len(runs), size)]
        task = partial(self._file_results, compute)
        portion_results = mapped(task, portions, jobs=self.jobs, cluster=self.cluster, label=label)
        return [result for portion in portion_results for result in portion]

    def _file_results(self, compute: Callable[[Run], Result], paths: Sequence[str]) -> list[Result]:
        """Results of `compute` for the runs in the given files, in this process."""
        from foveal.formats import opened_run

        results, index = [], options.index_at(self.elements)
        names = tuple(column.column for column in self.extra_columns)
        docs = self.texts.for_runs(lists_chunks=True)
        for path in paths:
            try:
                with opened_run(
                    path, self.run_format, lenient=self.lenient, elements=index, also=names, **docs
                ) as run:
                    results.append(self._run_result(compute, run, path))
            except BadInput as error:
                hint_if_scores(error, path)
                raise
        return results

    def _run_result(self, compute: Callable[[Run], Result], run: Run, path: str) -> Result:
        from foveal.formats import quote_lines

        try:
            return compute(self.texts.with_chunks_and_tokens(run, self.tokens))
        except BadInput as error:
            quote_lines(error, path, run.format)
            raise


def hint_if_swapped(error: BadInput, qrels: str) -> None:
    """Add a hint to an error about judgements if the file has scores or looks like a run."""
    if not hint_if_scores(error, qrels) and looks_like_run(qrels):
        error.lead_with(
            f"{qrels} looks like a run, but judgements come first: were the files swapped?"
        )


def hint_if_scores(error: BadInput, file: str) -> bool:
    """Add a hint to an error about judgements or a run if the file has scores; true if it has."""
    from foveal.formats import has_scores

    # If the file cannot be read at all, the first error says more.
    with suppress(BadInput):
        if not is_stream(file) and has_scores(file):
            error.lead_with(
                f"{file} has scores: compare, agree, gate and report take these alone, without judgements"
            )
            return True
    return False


def looks_like_run(file: str) -> bool:
    """True if a file that cannot be read as judgements is a ranked run."""
    from foveal.choices import Content
    from foveal.files import Source
    from foveal.formats import content_of, read_run

    if is_stream(file):
        return False
    try:
        with Source.of(file) as source:
            if content_of(source) is not Content.RUN:
                return False
        results = read_run(file).results
    except BadInput:
        return False
    return results.rank is not None or results.score is not None
