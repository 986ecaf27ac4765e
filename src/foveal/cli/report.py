"""foveal report: one page with everything about a set of runs."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from foveal.choices import Form, Study, either
from foveal.cli import _options as options
from foveal.cli._console import deliver, refuse_overwriting
from foveal.cli._parallel import is_stream
from foveal.cli._scoring import Scoring, ScoringCommand
from foveal.cli._testing import testing_options
from foveal.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from foveal.conventions import Testing
    from foveal.reports import Report
    from foveal.tables import Qrels

PLACE_IN_LISTS = 45


def _studies(_: click.Context, __: click.Parameter, text: str | None) -> tuple[Study, ...]:
    """The studies that a list such as fidelity,stability names."""
    words = [] if text is None else [word.strip() for word in text.split(",")]
    for word in words:
        if word not in tuple(Study):
            hint = did_you_mean(word, Study)
            raise UsageError(f"--with must be {either(Study)} or both, got {word!r}{hint}")
    return tuple(map(Study, words))


@click.command(cls=ScoringCommand)
@click.argument("qrels", metavar="QRELS")
@click.argument("runs", metavar="RUN... | SCORES...", nargs=-1)
@click.option(
    "--with", "studies", metavar="STUDY,...", callback=_studies,
    help="Add studies: fidelity (do the measures rank simulated runs rightly?), stability (does the"
    " ranking hold with fewer topics?).",
)  # fmt: skip
@testing_options
@options.lower
@options.groups(options.CORRECTED)
@click.option("--topics-file", metavar="FILE", help="Topics in any known format, for their titles.")
@Scoring.options()
@options.results()
def command(
    qrels: str,
    runs: tuple[str, ...],
    studies: tuple[Study, ...],
    testing: Testing,
    scoring: Scoring,
    to: Form,
    output: str | None,
) -> None:
    """Make one page of everything about some runs.

    \b
    Examples:
      foveal report inex.qrels *.fol --task ric -o report.html             a page to send to a colleague
      foveal report gold.jsonl *.jsonl --task rag -o report.html           chunks of a RAG system
      foveal report inex.qrels *.fol --with fidelity,stability -o report.html
      foveal report inex.qrels *.fol --groups topics.xml:query_type -o report.html
      foveal report inex.qrels *.fol                                       the verdict, in the terminal

    The page says which run is best and how sure that is; it has the leaderboard, curves, topics,
    pairs, checks, settings and the meaning of every measure. It is one file that needs no network
    (`pip install "foveal[report]"`). Without -o FILE.html the verdict and the leaderboard are
    printed.
    """
    from foveal.reports import refuse_undrawable

    if to is Form.HTML:
        refuse_undrawable()
    refuse_overwriting(output)
    deliver(_make_report(qrels, runs, scoring, testing, studies), to, output)


def _make_report(
    qrels: str, runs: Sequence[str], scoring: Scoring, testing: Testing, studies: Sequence[Study]
) -> Report:
    """Make the report; each run is read once."""
    from foveal.files import sha256_of
    from foveal.formats import read_topics
    from foveal.reports import RunSummaryTask, report_of_runs, report_of_scores

    # A command that calls this one, such as `demo`, passes the arguments to show as typed.
    typed = click.get_current_context().obj or sys.argv[1:]
    command = shlex.join(["foveal", *map(click.format_filename, typed)])
    # A file name may have bytes that are not valid text.
    inputs = {
        click.format_filename(path): sha256_of(path)
        for path in (qrels, *runs)
        if not is_stream(path)
    }
    if scoring.is_score_file(qrels, runs):
        if studies:
            raise UsageError("--with needs judgements and runs, but these are scores")
        report = report_of_scores(scoring.saved_scores([qrels, *runs]), testing)
        return replace(report, inputs=inputs, command=command)
    evaluation, judgements = scoring.evaluation(qrels, runs)
    summaries = scoring.map_runs(runs, RunSummaryTask(evaluation, judgements), "looking")
    report = report_of_runs(
        evaluation,
        judgements,
        summaries,
        testing,
        studies=studies,
        elements=options.index_at(scoring.elements),
        titles=read_topics(scoring.topics_file) if scoring.topics_file else None,
        inputs=inputs,
        command=command,
    )
    return _with_assessors(report, qrels, judgements, scoring)


def _with_assessors(report: Report, file: str, judgements: Qrels, scoring: Scoring) -> Report:
    """The report with the agreement of assessors, if the judgements name several."""
    if not judgements.assessors:
        return report
    if is_stream(file):
        note = "agreement of assessors is left out: it needs a file of judgements, not a stream"
        return replace(report, notes=(*report.notes, note))
    return report.with_assessors(scoring.by_assessor(file), judgements, scoring.choices.rel)
