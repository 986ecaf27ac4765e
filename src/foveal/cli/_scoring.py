"""Scoring runs as the options say: the first step of every command that needs scores."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import Field, fields, replace
from enum import StrEnum
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_type_hints

import click
from click.core import ParameterSource

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

# Portions of the runs that each process gets: the judgements are sent once per portion, and what is
# prepared from them serves the whole portion.
PORTIONS = 4
TESTS_SENTENCE = (
    " kamps2007 sets how compare and report test: bootstrap, one-tailed, 1,000 resamples, no"
    " correction.  [default: paper]"
)
Result = TypeVar("Result")


def _choices() -> Iterator[Callable[..., Any]]:
    """An option for every choice about scoring that has a help sentence."""
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
# Rare options: every command that scores understands them, and `evaluate --help` shows them.
RARE = frozenset({
    "--topics", "--overlap", "--order", "--ties", "--rel", "--depth", "--judged-only", "--lenient",
    "--format", "--qrels-format", "--assessors", "--chunks", "--copies", "--count", "--tokens", "--cluster",
})  # fmt: skip
# The options that mean something where scores are given.
WITH_SCORES = {"measures", "lower", "topics_file", "jobs", "cluster"}
UNDERSTOOD = "Rare options of scoring work here too: see `foveal evaluate --help`."


class ScoringCommand(click.Command):
    """A command that understands rare options of scoring, and whose help ends by saying so."""

    understood = UNDERSTOOD

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The examples, then where the rare options are shown."""
        super().format_epilog(ctx, formatter)
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(self.understood)


def _source(sources: Sequence[Like | str]) -> Like:
    """The source of how runs are scored; refused if there are two, or one of tests."""
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
    """Refuse options that say how runs are scored where only their scores are known."""
    context = click.get_current_context()
    names = {item.name for kind in (Choices, Scoring, options.TextOptions) for item in fields(kind)}
    for option in context.command.params:
        typed = context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
        says_tests = option.name == "like" and set(context.params["like"]) <= {*TESTING_LIKE}
        if typed and option.name in names - WITH_SCORES and not says_tests:
            raise UsageError(f"{option.opts[0]} needs judgements and runs, but these are scores")


def _refuse_empty(values: Mapping[str, Any]) -> None:
    """Refuse an option without text, which a variable of a shell that is not set leaves."""
    for option in click.get_current_context().command.params:
        if option.name in values and values[option.name] == "":
            raise UsageError(f"{option.opts[0]} is empty: give it a value, or leave it out")


@frozen
class Scoring:
    """How runs are to be read and scored, as the options of the command line say."""

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
    """Whose judgements count; a command that compares assessors has no such option."""

    only: str | None = None
    """The topics that alone count; a command that compares assessors has no such option."""

    also: str | None = None
    """Columns of the runs to average beside the measures; only `evaluate` has the option."""

    topics_file: str | None = None
    """Where the titles of topics are; not every command has the option."""

    groups: str | None = None
    """Where the groups of topics are, FILE or FILE:COLUMN; not every command has the option."""

    lower: tuple[str, ...] = ()
    """Measures of other programs of which less is better, where scores can be given."""

    @classmethod
    def options(
        cls,
        default_sentence: str = "By default the task's own.",
        *,
        one_qrels: bool = True,
        shown_options: Container[str] = (),
    ) -> Callable[[Callable[..., None]], Callable[..., None]]:
        """Give a command these options; it gets them as one argument, `scoring`.

        `without` says which measures are the default. The options --assessors, which makes several
        people's judgements one, and --only are for commands that read one file of judgements. Help
        shows the rare options that are in `shown`.
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

            wrapped: Callable[..., None] = with_scoring
            for option in reversed(all_options):
                wrapped = option(wrapped)
            # Click keeps the options of a function here until it makes the command.
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
        """The scores of the runs in files against the judgements in another.

        `otherwise` gives the measures if the options name none; by default the task's own. Of `top`
        runs, the best of all that were scored, they are the scores.
        """
        from foveal.evaluation import best_scores
        from foveal.formats import read_topics

        if self.holds_scores(qrels, runs):
            return self.saved_scores([qrels, *runs], default_measures, top=top)
        evaluation, judgements = self.evaluation(qrels, runs, default_measures)
        titles = read_topics(self.topics_file) if self.topics_file else None

        def scored(evaluation: Evaluation) -> Scores:
            return evaluation.scores(self.map_runs(runs, evaluation.score, "scoring"), judgements)

        scores = best_scores(evaluation, top, scored) if top else scored(evaluation)
        return scores if titles is None else scores.titled(titles)

    def holds_scores(self, file: str, runs: Sequence[str]) -> bool:
        """Whether a command is given scores, where others give judgements and runs."""
        from foveal.formats import holds_scores

        takes_scores = "lower" in click.get_current_context().params
        if not takes_scores or (runs and (self.qrels_format or is_stream(file))):
            return False
        if is_stream(file) or holds_scores(file):
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
        """The scores in files, by the measures that the options name; else by all, or the task's."""
        from foveal.formats import holds_scores, read_scores, read_topics

        _refuse_needing_runs()
        measure, *rest = dict.fromkeys(self.measures or ("",))
        try:
            scores = read_scores(*files, lower=self.lower, measure="" if rest else measure)
        except BadInput as error:
            if error.source in files and not (
                is_stream(error.source) or holds_scores(error.source)
            ):
                error.lead_with(f"{error.source} has no scores, which every file must have here")
            raise
        if top:
            by_measure = top.measure or (self.measures or scores.measures)[0]
            scores = scores.top(replace(top, measure=by_measure))
        task = scores.settings.get("task", "").partition(" (")[0]
        names = default_measures(Task(task)) if default_measures and task else ()
        # What was scored may be something else.
        if names := self.measures or [name for name in names if name in scores.measures]:
            scores = scores.only(names)
        return scores.titled(read_topics(self.topics_file)) if self.topics_file else scores

    def evaluation(
        self,
        qrels: str,
        runs: Sequence[str],
        default_measures: Callable[[Task], Sequence[str]] | None = None,
    ) -> tuple[Evaluation, Qrels]:
        """The evaluation of the runs in files against the judgements in another, and these."""
        from foveal.evaluation import Evaluation
        from foveal.formats import groups_place, quote_lines, read_groups, read_qrels

        shared = self.jobs > 1 or self.cluster is not None
        groups_file = groups_place(self.groups)[0] if self.groups else None
        other_files = [file for file in (qrels, self.only, self.topics_file, groups_file) if file]
        refuse_unshareable(runs, *other_files, shared=shared)
        # Read first: a mistake in a small file need not wait for large ones.
        groups = read_groups(self.groups) if self.groups else None
        try:
            judgements = read_qrels(
                qrels,
                self.qrels_format,
                elements=options.index_at(self.elements),
                assessors=self.assessors,
                **self.texts.evidence,
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
        """The judgements in a file by those who made them."""
        from foveal.formats import read_assessors

        index = options.index_at(self.elements)
        return read_assessors(file, self.qrels_format, elements=index, **self.texts.evidence)

    def stated_tasks(self, runs: Sequence[str]) -> dict[str, Task | None]:
        """The task that the run in each file states.

        What can be read only once is not opened here; a note says if it states another task.
        """
        from foveal.formats import stated_task

        return {
            run: None if self.choices.task or is_stream(run) else stated_task(run, self.run_format)
            for run in runs
        }

    @property
    def extra_columns(self) -> tuple[ExtraColumn, ...]:
        """The columns that ride along."""
        from foveal.evaluation import parse_extra_columns

        return () if self.also is None else parse_extra_columns(self.also)

    def map_runs(
        self, runs: Sequence[str], compute: Callable[[Run], Result], label: str
    ) -> list[Result]:
        """The results of some work on the run in each file, on as many cores as the options say."""
        size = 1 if self.jobs == 1 else max(1, len(runs) // (PORTIONS * self.jobs))
        portions = [runs[start : start + size] for start in range(0, len(runs), size)]
        task = partial(self._file_results, compute)
        portion_results = mapped(task, portions, jobs=self.jobs, cluster=self.cluster, label=label)
        return [result for portion in portion_results for result in portion]

    def _file_results(self, compute: Callable[[Run], Result], paths: Sequence[str]) -> list[Result]:
        """The results of some work on the runs in some files, in any process."""
        from foveal.formats import opened_run

        results, index = [], options.index_at(self.elements)
        names = tuple(column.column for column in self.extra_columns)
        docs = self.texts.opened(lists_chunks=True)
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
    """Let an error about judgements ask first whether they and the run were swapped, if it seems so."""
    if not hint_if_scores(error, qrels) and looks_like_run(qrels):
        error.lead_with(
            f"{qrels} looks like a run, but judgements come first: were the files swapped?"
        )


def hint_if_scores(error: BadInput, file: str) -> bool:
    """Let an error about judgements or a run say first that the file has scores, if it does."""
    from foveal.formats import holds_scores

    # Of a file that cannot be read, the error that there is already says more.
    with suppress(BadInput):
        if not is_stream(file) and holds_scores(file):
            error.lead_with(
                f"{file} has scores: compare, agree, gate and report take these alone, without judgements"
            )
            return True
    return False


def looks_like_run(file: str) -> bool:
    """Whether a file that cannot be read as judgements is ranked as runs are."""
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
