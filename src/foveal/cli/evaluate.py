"""foveal evaluate: scores of runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from foveal.choices import Form, Task
from foveal.cli import _options as options
from foveal.cli._console import deliver, emit, figure_file, has_remarks, remark, terminal_width
from foveal.cli._scoring import RARE, Scoring
from foveal.errors import UsageError

if TYPE_CHECKING:
    from foveal.evaluation import Breakdown, Scores

PLACE_IN_LISTS = 10
# Options of trec_eval, and what they are called here.
OF_TREC_EVAL = {"-q": "--per-topic", "-c": "--topics judged", "-l": "--rel"}


class _Command(click.Command):
    """A command that knows what trec_eval's options are called here."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse an option of trec_eval by naming ours."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if not (meant := OF_TREC_EVAL.get(error.option_name)):
                raise
            raise click.UsageError(f"{error.message} Did you mean {meant}?", ctx) from error


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
@Scoring.options(shown=RARE)
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

    shown = [per_topic, per_document, per_result]
    if any(shown[1:]):
        per = "document" if per_document else "result"
        _refuse_beside_rows(per, shown, scoring, figure, to)
        found = _rows(per, scoring, qrels, runs)
        deliver(found, to, output)
        return
    # So that comparing, too, can start from the file.
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
            scores, to, per_topic=per_topic, width=terminal_width(), notes=has_remarks(to, output)
        )
    emit(data, output, to)
    remark(scores.settings, scores.notes, to)


def _refuse_beside_rows(
    per: str, shown: Sequence[bool], scoring: Scoring, figure: str | None, to: Form
) -> None:
    """Refuse what means nothing for rows of documents or results."""
    flag = f"--per-{per}"
    if sum(shown) > 1:
        raise UsageError(
            "--per-topic, --per-document and --per-result exclude each other: give one of them"
        )
    if to in {Form.TREC, Form.INEX}:
        raise UsageError(
            f"--to {to.value} has no lines for a {per}: with {flag} give another form, such as csv"
        )
    if figure:
        raise UsageError(f"--figure draws scores: leave out {flag}")
    others = {
        "-m": scoring.measures,
        "--also": scoring.also,
        "--topics-file": scoring.topics_file,
        "--groups": scoring.groups,
    }
    for option, given in others.items():
        if given:
            raise UsageError(
                f"{flag} has the same columns whatever is asked for: leave out {option}, or give"
                " --per-topic instead"
            )


def _rows(per: str, scoring: Scoring, qrels: str, runs: Sequence[str]) -> Breakdown:
    """The documents or results that the runs returned, a row each."""
    from foveal.evaluation import SCORED_BESIDE, BreakdownTask, RowUnit

    wanted = replace(scoring, measures=(SCORED_BESIDE,))
    evaluation, _ = wanted.evaluation(qrels, runs)
    looking = BreakdownTask(evaluation, RowUnit(per))
    return looking.joined(wanted.of_each(runs, looking, "scoring"))


def _as_trec_eval_prints(
    scoring: Scoring, qrels: str, runs: Sequence[str], *, per_topic: bool
) -> tuple[Scores, bytes]:
    """The lines of trec_eval for its own measures, including those that are text, not scores."""
    from foveal.measures import trec_values
    from foveal.trec_eval import Printer, printed_measures

    # With several runs, a line says whose scores follow.
    words = [*scoring.measures, *["runid"] * (len(runs) > 1)]
    asked = trec_values(words, scoring.choices.like)
    choices = replace(scoring.choices, task=Task.DOCUMENT)
    wanted = replace(scoring, measures=printed_measures(asked), choices=choices)
    evaluation, _ = wanted.evaluation(qrels, runs)
    printer = Printer(evaluation, tuple(asked), per_topic=per_topic)
    printed = wanted.of_each(runs, printer, "scoring")
    text = "".join(run.text for run in printed)
    return evaluation.scores([run.scores for run in printed]), text.encode()
