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
OF_TESTS = (
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
    told = {key: choice.metadata[key] for key in ("help", "metavar") if key in choice.metadata}
    flag = f"--{choice.name.replace('_', '-')}"
    words = [hint for hint in hints if isinstance(hint, type) and issubclass(hint, StrEnum)]
    if choice.name == "like":
        return click.option(
            flag,
            type=options.Word(Like, others=tuple(TESTING_LIKE)),
            multiple=True,
            **told | {"help": told["help"] + OF_TESTS},
        )
    if words:
        default = choice.default and choice.default.value
        kind = options.Word(words[0], unlisted=choice.metadata.get("unlisted", ()))
        return click.option(flag, type=kind, default=default, show_default=bool(default), **told)
    if bool in hints:
        return click.option(flag, is_flag=True, **told)
    number = click.FloatRange if float in hints else click.IntRange
    return click.option(
        flag, type=number(min=choice.metadata["least"]), default=choice.default, **told
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
_OF_ONE_QRELS = (options.assessors, only)
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


def _one(sources: Sequence[Like | str]) -> Like:
    """The source of how runs are scored; refused if there are two, or one of tests."""
    for name in sources:
        if name in TESTING_LIKE:
            raise UsageError(f"--like {name} says how compare and report test runs")
    several = [*dict.fromkeys(map(Like, sources))]
    if len(several) > 1:
        raise UsageError(
            f"--like {several[0].value} and --like {several[1].value} both say how runs are scored:"
            " choose one"
        )
    return several[0] if several else Like.PAPER


def _refuse_needing_runs() -> None:
    """Refuse options that say how runs are scored where only their scores are known."""
    context = click.get_current_context()
    named = {own.name for kind in (Choices, Scoring, options.TextOptions) for own in fields(kind)}
    for option in context.command.params:
        typed = context.get_parameter_source(option.name or "") is ParameterSource.COMMANDLINE
        says_tests = option.name == "like" and set(context.params["like"]) <= {*TESTING_LIKE}
        if typed and option.name in named - WITH_SCORES and not says_tests:
            raise UsageError(f"{option.opts[0]} needs judgements and runs, but these are scores")


def _refuse_empty(given: Mapping[str, Any]) -> None:
    """Refuse an option without text, which a variable of a shell that is not set leaves."""
    for option in click.get_current_context().command.params:
        if option.name in given and given[option.name] == "":
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
        without: str = "By default the task's own.",
        *,
        one_qrels: bool = True,
        shown: Container[str] = (),
    ) -> Callable[[Callable[..., None]], Callable[..., None]]:
        """Give a command these options; it gets them as one argument, `scoring`.

        `without` says which measures are the default. The options --assessors, which makes several
        people's judgements one, and --only are for commands that read one file of judgements. Help
        shows the rare options that are in `shown`.
        """
        own_options = [
            options.measures(without),
            *(option for option in _OPTIONS if one_qrels or option not in _OF_ONE_QRELS),
        ]

        def give(command: Callable[..., None]) -> Callable[..., None]:
            @wraps(command)
            def with_scoring(**given: Any) -> None:
                chosen = options.taken(given, Choices)
                given["choices"] = Choices(**chosen | {"like": _one(chosen["like"])})
                own = options.taken(given, cls)
                _refuse_empty(own)
                command(scoring=cls(**own), **given)

            wrapped: Callable[..., None] = with_scoring
            for option in reversed(own_options):
                wrapped = option(wrapped)
            # Click keeps the options of a function here until it makes the command.
            for made in wrapped.__click_params__:  # type: ignore[attr-defined]
                made.hidden = made.opts[-1] in RARE and made.opts[-1] not in shown
            return wrapped

        return give

    def scores(
        self,
        qrels: str,
        runs: Sequence[str],
        otherwise: Callable[[Task], Sequence[str]] | None = None,
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
            return self.known_scores([qrels, *runs], otherwise, top=top)
        evaluation, judgements = self.evaluation(qrels, runs, otherwise)
        titles = read_topics(self.topics_file) if self.topics_file else None

        def scored(evaluation: Evaluation) -> Scores:
            return evaluation.scores(self.of_each(runs, evaluation.score, "scoring"), judgements)

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

    def known_scores(
        self,
        files: Sequence[str],
        otherwise: Callable[[Task], Sequence[str]] | None = None,
        *,
        top: RunRanks | None = None,
    ) -> Scores:
        """The scores in files, by the measures that the options name; else by all, or the task's."""
        from foveal.formats import holds_scores, read_scores, read_topics

        _refuse_needing_runs()
        measure, *others = dict.fromkeys(self.measures or ("",))
        try:
            scores = read_scores(*files, lower=self.lower, measure="" if others else measure)
        except BadInput as error:
            if error.source in files and not (
                is_stream(error.source) or holds_scores(error.source)
            ):
                error.lead_with(f"{error.source} has no scores, which every file must have here")
            raise
        if top:
            by = top.measure or (self.measures or scores.measures)[0]
            scores = scores.top(replace(top, measure=by))
        task = scores.settings.get("task", "").partition(" (")[0]
        usual = otherwise(Task(task)) if otherwise and task else ()
        # What was scored may be something else.
        if names := self.measures or [name for name in usual if name in scores.measures]:
            scores = scores.only(names)
        return scores.titled(read_topics(self.topics_file)) if self.topics_file else scores

    def evaluation(
        self,
        qrels: str,
        runs: Sequence[str],
        otherwise: Callable[[Task], Sequence[str]] | None = None,
    ) -> tuple[Evaluation, Qrels]:
        """The evaluation of the runs in files against the judgements in another, and these."""
        from foveal.evaluation import Evaluation
        from foveal.formats import groups_file, quote_lines, read_groups, read_qrels

        shared = self.jobs > 1 or self.cluster is not None
        grouping = groups_file(self.groups)[0] if self.groups else None
        others = [file for file in (qrels, self.only, self.topics_file, grouping) if file]
        refuse_unshareable(runs, *others, shared=shared)
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
        stated = self.stated_tasks(runs)
        try:
            prepared = Evaluation.of(
                judgements,
                self.measures,
                self.choices,
                otherwise,
                stated,
                self.extra_columns,
                groups,
            )
        except BadInput as error:
            quote_lines(error, qrels, judgements.format)
            raise
        return prepared, judgements

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

    def of_each(
        self, runs: Sequence[str], work: Callable[[Run], Result], label: str
    ) -> list[Result]:
        """The results of some work on the run in each file, on as many cores as the options say."""
        size = 1 if self.jobs == 1 else max(1, len(runs) // (PORTIONS * self.jobs))
        portions = [runs[start : start + size] for start in range(0, len(runs), size)]
        on_files = partial(self._of_files, work)
        done = mapped(on_files, portions, jobs=self.jobs, cluster=self.cluster, label=label)
        return [result for portion in done for result in portion]

    def _of_files(self, work: Callable[[Run], Result], paths: Sequence[str]) -> list[Result]:
        """The results of some work on the runs in some files, in any process."""
        from foveal.formats import opened_run

        done, index = [], options.index_at(self.elements)
        also = tuple(column.column for column in self.extra_columns)
        texts = self.texts.opened(lists_chunks=True)
        for path in paths:
            try:
                with opened_run(
                    path, self.run_format, lenient=self.lenient, elements=index, also=also, **texts
                ) as run:
                    done.append(self._done(work, run, path))
            except BadInput as error:
                hint_if_scores(error, path)
                raise
        return done

    def _done(self, work: Callable[[Run], Result], run: Run, path: str) -> Result:
        from foveal.formats import quote_lines

        try:
            return work(self.texts.beside(run, self.tokens))
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
