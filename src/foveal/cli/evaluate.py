"""foveal evaluate: scores of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from foveal.choices import Form, Task
from foveal.cli import _options as options
from foveal.cli._console import deliver, emit, figure_file, has_notes, print_notes, terminal_width
from foveal.cli._scoring import RARE, Scoring
from foveal.errors import UsageError

if TYPE_CHECKING:
    from foveal.evaluation import Breakdown, Scores

PLACE_IN_LISTS = 10
# Options of trec_eval, and their names here.
TREC_EVAL_OPTIONS = {"-q": "--per-topic", "-c": "--topics judged", "-l": "--rel"}


class _Command(click.Command):
    """A command that suggests its own options for those of trec_eval."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Add a suggestion to the error about an option of trec_eval."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if not (suggestion := TREC_EVAL_OPTIONS.get(error.option_name)):
                raise
            raise click.UsageError(f"{error.message} Did you mean {suggestion}?", ctx) from error


@click.command(cls=_Command)
@click.argument("qrels")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option("--per-topic", is_flag=True, help="Show every topic, not just the means.")
@click.option(
    "--per-document", is_flag=True,
    help="Show every document returned instead, with the document scores P, R, F, bep and t2i, of"
    " which gP is the mean; takes no -m.",
)  # fmt: skip
@click.option(
    "--per-result", is_flag=True,
    help="Show every result instead: how much of it is highlighted, and cP and cR so far; takes no"
    " -m.",
)  # fmt: skip
@click.option(
    "--also", metavar="COLUMN,...",
    help="Average these columns of the runs as well, as in latency_ms,cost:sum: within a topic by"
    " mean, :sum, :max or :first, then over topics.",
)  # fmt: skip
@click.option(
    "--topics-file", metavar="FILE",
    help="Topics in any known format; --per-topic then shows their titles.",
)  # fmt: skip
@options.groups()
@Scoring.options(shown_options=RARE)
@options.figure("Scores")
@options.results(without=())
def command(
    qrels: str,
    runs: tuple[str, ...],
    per_topic: bool,
    per_document: bool,
    per_result: bool,
    scoring: Scoring,
    figure: str | None,
    to: Form,
    output: str | None,
) -> None:
    """Score runs against judgements.

    \b
    Examples:
      foveal evaluate inex.qrels mine.fol                        the Focused task's measures
      foveal evaluate inex.qrels *.fol --task ric                Relevant in Context, many runs
      foveal evaluate q.jsonl chunks.jsonl -m "cF(chars=2000)"   what fits into a RAG prompt
      foveal evaluate inex.qrels mine.fol -m AiP -m "iP[0.01]" --per-topic --to csv -o scores.csv
      foveal evaluate inex.qrels mine.fol --per-result --to csv -o results.csv   what each part found
      foveal evaluate inex.qrels mine.fol --per-topic --topics-file topics.xml   titles beside topics
      foveal evaluate inex.qrels mine.fol --only 2009001,2009002   as if no other topics were judged
      foveal evaluate inex.qrels mine.xml --elements INDEX       element paths, through an offset index
      foveal evaluate q.jsonl chunks.jsonl --also latency_ms,cost:sum   what the answers cost
      foveal evaluate inex.qrels *.fol --groups topics.xml:query_type   means of kinds of topics
      foveal evaluate trec.qrels mine.run -m AP -m nDCG@10       classical document measures
      foveal evaluate trec.qrels mine.run -m official --like trec_eval-9 --to trec
      foveal evaluate inex.qrels bic.fol --task bic --like inex_eval --per-topic --to inex

    QRELS and RUN are files in any known format, compressed or not; - is standard input.
    Every command that scores understands the options from --topics to --cluster, even if its help does
    not list them.
    """
    from foveal.measures import are_trec_eval_names
    from foveal.rendering import refuse_groups, rendered_bytes

    flags = [per_topic, per_document, per_result]
    if any(flags[1:]):
        unit = "document" if per_document else "result"
        _refuse_with_rows(unit, flags, scoring, figure, to)
        deliver(_rows(unit, scoring, qrels, runs), to, output)
        return
    # JSON always has the topics, so that `compare` can read the file.
    per_topic |= to is Form.JSON
    if scoring.topics_file and not per_topic:
        raise UsageError("--topics-file has titles of topics: ask for these with --per-topic")
    if scoring.groups:
        refuse_groups(to)
    if figure:
        from foveal.rendering import figures_of

        figure_file(output, scoring.groups)
        scores = scoring.scores(qrels, runs, figures_of("Scores")[figure].measures)
        deliver(scores, to, output, figure)
        return
    like = scoring.choices.like
    is_its_own = like.is_trec_eval and are_trec_eval_names(scoring.measures, like)
    if to is Form.TREC and is_its_own and not scoring.also:
        scores, data = _as_trec_eval_prints(scoring, qrels, runs, per_topic=per_topic)
    else:
        scores = scoring.scores(qrels, runs)
        data = rendered_bytes(
            scores, to, per_topic=per_topic, width=terminal_width(), notes=has_notes(to, output)
        )
    emit(data, output, to)
    print_notes(scores.settings, scores.notes, to)


def _refuse_with_rows(
    unit: str, flags: Sequence[bool], scoring: Scoring, figure: str | None, to: Form
) -> None:
    """Refuse options that do not apply to rows of documents or results."""
    flag = f"--per-{unit}"
    if sum(flags) > 1:
        raise UsageError(
            "--per-topic, --per-document and --per-result exclude each other: give one of them"
        )
    if to in {Form.TREC, Form.INEX}:
        raise UsageError(
            f"--to {to.value} has no lines for a {unit}: with {flag} give another form, such as csv"
        )
    if figure:
        raise UsageError(f"--figure draws scores: leave out {flag}")
    conflicting_options = {
        "-m": scoring.measures,
        "--also": scoring.also,
        "--topics-file": scoring.topics_file,
        "--groups": scoring.groups,
    }
    for option, value in conflicting_options.items():
        if value:
            raise UsageError(
                f"{flag} has the same columns whatever is asked for: leave out {option}, or give"
                " --per-topic instead"
            )


def _rows(unit: str, scoring: Scoring, qrels: str, runs: Sequence[str]) -> Breakdown:
    """Rows of the documents or results that the runs returned."""
    from foveal.evaluation import BREAKDOWN_MEASURE, BreakdownTask, RowUnit

    scoring = replace(scoring, measures=(BREAKDOWN_MEASURE,))
    evaluation, _ = scoring.evaluation(qrels, runs)
    task = BreakdownTask(evaluation, RowUnit(unit))
    return task.joined(scoring.map_runs(runs, task, "scoring"))


def _as_trec_eval_prints(
    scoring: Scoring, qrels: str, runs: Sequence[str], *, per_topic: bool
) -> tuple[Scores, bytes]:
    """Scores, and trec_eval's lines for its own measures, including those that are text."""
    from foveal.measures import trec_values
    from foveal.trec_eval import Printer, printed_measures

    # With several runs, a line names the run before its scores.
    names = [*scoring.measures, *["runid"] * (len(runs) > 1)]
    requested_values = trec_values(names, scoring.choices.like)
    choices = replace(scoring.choices, task=Task.DOCUMENT)
    scoring = replace(scoring, measures=printed_measures(requested_values), choices=choices)
    evaluation, _ = scoring.evaluation(qrels, runs)
    printer = Printer(evaluation, tuple(requested_values), per_topic=per_topic)
    printed = scoring.map_runs(runs, printer, "scoring")
    text = "".join(run.text for run in printed)
    return evaluation.scores([run.scores for run in printed]), text.encode()
