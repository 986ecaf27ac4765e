"""foveal evaluate: scores of runs."""

from __future__ import annotations

import click

from foveal.choices import Form
from foveal.cli import _options as options
from foveal.cli._output import emit, remark, terminal_width
from foveal.cli._scoring import Scoring

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


@click.command(epilog=EXAMPLES)
@click.argument("qrels")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option("--per-topic", is_flag=True, help="Show every topic, not only the means.")
@Scoring.options
@options.form()
@options.output
def command(
    qrels: str,
    runs: tuple[str, ...],
    per_topic: bool,
    scoring: Scoring,
    to: Form,
    output: str | None,
) -> None:
    """Score runs against judgements.

    QRELS and RUN are files in any known format, compressed or not; - is standard input.
    """
    from foveal.render import rendered_bytes

    scores = scoring.scores(qrels, runs)
    emit(rendered_bytes(scores, to, per_topic=per_topic, width=terminal_width()), output, to)
    remark(scores.settings, scores.notes, to)
