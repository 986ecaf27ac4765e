"""foveal evaluate: scores of runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from foveal.choices import Form, Like, Order, Overlap, Task, Ties, TopicSet, conventions
from foveal.cli import _options as options
from foveal.cli._executor import mapped
from foveal.cli._output import emit, remark, terminal_width
from foveal.errors import BadInput, NoHighlights, UsageError

if TYPE_CHECKING:
    from foveal.measures import Evaluation, RunScores

EXAMPLES = """\b
Examples:
  foveal evaluate inex.qrels mine.fol                        the Focused task's measures
  foveal evaluate inex.qrels *.fol --task ric                Relevant in Context, many runs
  foveal evaluate q.jsonl chunks.jsonl -m "cF(chars=2000)"   what fits a RAG prompt
  foveal evaluate inex.qrels mine.fol -m AiP -m "iP[0.01]" --per-topic --to csv -o scores.csv
  foveal evaluate trec.qrels mine.run -m AP -m nDCG@10       classical document measures
  foveal evaluate trec.qrels mine.run -m official --like trec_eval-9 --to trec
  foveal evaluate inex.qrels bic.fol --task bic --like inex_eval --per-topic --to inex
"""


@dataclass(frozen=True)
class ScoreFile:
    """Reads a run and scores it; a value, so that it can be sent to other processes."""

    evaluation: Evaluation
    format: str | None
    lenient: bool
    documents_only: bool

    def __call__(self, path: str) -> RunScores:
        """The scores of the run in a file."""
        from foveal.formats import quote_lines, read_run

        run = read_run(path, self.format, lenient=self.lenient)
        if self.documents_only and not run.whole_documents_only:
            # The task was guessed from the runs before, which speak of documents only.
            raise NoHighlights
        try:
            return self.evaluation.score(run)
        except BadInput as error:
            quote_lines(error, path, run.format)
            raise


@click.command(epilog=EXAMPLES)
@click.argument("qrels")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option(
    "-m", "--measure", "measures", multiple=True, metavar="MEASURE",
    help="A measure, such as AiP, iP[0.01], gP@10 or AgP(S=bep,n=1000); may be repeated."
    " Without it the task's own. `foveal measures` lists them.",
)  # fmt: skip
@options.task
@click.option("--per-topic", is_flag=True, help="Show every topic, not only the means.")
@click.option(
    "--topics", type=options.OneOf(TopicSet),
    help="Average over every judged topic (missing ones score 0) or only those in the run."
    "  [default: judged]",
)  # fmt: skip
@click.option(
    "--overlap", type=options.OneOf(Overlap),
    help="Text returned again: count it once, refuse it, drop the part, or repeat the count."
    "  [default: once]",
)  # fmt: skip
@click.option(
    "--order", type=options.OneOf(Order),
    help="What ranks the results.  [default: as the run's format says]",
)  # fmt: skip
@click.option(
    "--ties", type=options.OneOf(Ties), default=Ties.ID.value, show_default=True,
    help="Equal scores: by document id, descending, or by place in the file.",
)  # fmt: skip
@click.option(
    "--like", type=options.OneOf(Like), default=Like.PAPER.value, show_default=True,
    help="Reproduce the papers, the official INEX program (3.1), or trec_eval.",
)  # fmt: skip
@click.option(
    "--rel", type=click.FloatRange(min=0), default=1.0, metavar="N",
    help="The lowest grade that counts as relevant.  [default: 1]",
)  # fmt: skip
@click.option(
    "--depth", type=click.IntRange(1), metavar="N",
    help="Classical measures look at the first N documents of a topic only.",
)  # fmt: skip
@click.option(
    "--judged-only", is_flag=True, help="Classical measures pass over unjudged documents."
)
@click.option(
    "--lenient", is_flag=True, help="Pass over what follows the sixth column of a TREC run."
)
@click.option("--format", "run_format", metavar="F", help="The runs' format, if not recognised.")
@click.option("--qrels-format", metavar="F", help="The judgements' format, if not recognised.")
@options.form()
@options.output
@options.jobs("Score N runs at a time.")
@options.cluster("Score")
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    task: Task | None,
    per_topic: bool,
    topics: TopicSet | None,
    overlap: Overlap | None,
    order: Order | None,
    ties: Ties,
    like: Like,
    rel: float,
    depth: int | None,
    judged_only: bool,
    lenient: bool,
    run_format: str | None,
    qrels_format: str | None,
    to: Form,
    output: str | None,
    jobs: int,
    cluster: str | None,
) -> None:
    """Score runs against judgements.

    QRELS and RUN are files in any known format, compressed or not; - is standard input.
    """
    from foveal.formats import quote_lines, read_qrels, read_run
    from foveal.measures import Evaluation, default_task
    from foveal.render import rendered_bytes

    if [qrels, *runs].count("-") > 1:
        raise UsageError("standard input (-) can be read only once")
    if (jobs > 1 or cluster) and not all(Path(run).is_file() for run in runs):
        raise UsageError("only files can be shared among processes: leave out --jobs, --cluster")
    try:
        judgements = read_qrels(qrels, qrels_format)
    except BadInput as error:
        error.add_note("judgements come first, then runs: were they swapped?")
        raise
    first = None
    if task is None and not judgements.has_highlights:
        first = read_run(runs[0], run_format, lenient=lenient)
    chosen = task or default_task(judgements, [first] if first else [])
    decided = conventions(
        like, task=chosen, topics=topics, overlap=overlap, order=order, ties=ties,
        rel=rel, depth=depth, judged_only=judged_only,
    )  # fmt: skip
    try:
        evaluation = Evaluation.of(judgements, measures, chosen, decided)
    except BadInput as error:
        quote_lines(error, qrels, judgements.format)
        raise
    done = [] if first is None else [evaluation.score(first)]
    documents_only = task is None and chosen is Task.DOCUMENT
    score = ScoreFile(evaluation, run_format, lenient, documents_only)
    done += mapped(score, runs[len(done) :], jobs=jobs, cluster=cluster, label="scoring")
    scores = evaluation.scores(done)
    emit(rendered_bytes(scores, to, per_topic=per_topic, width=terminal_width()), output, to)
    remark(scores.settings, scores.notes, to)
