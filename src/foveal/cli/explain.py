"""foveal explain: what a run found, missed and wasted, character by character."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from foveal.choices import Form
from foveal.cli import _options as options
from foveal.cli._console import emit, has_notes, print_notes, terminal_width
from foveal.cli._scoring import Scoring, ScoringCommand
from foveal.errors import UsageError

if TYPE_CHECKING:
    from foveal.reports import Explanation

PLACE_IN_LISTS = 15


@click.command(cls=ScoringCommand, context_settings={"allow_extra_args": True})
@click.argument("qrels")
@click.argument("run")
@click.option("--topic", metavar="T", help="Show this topic closely; without it, all are listed.")
@click.option("--doc", metavar="D", help="Show only this document of the topic.")
@click.option("--against", metavar="RUN2", help="Another run: show where the two differ.")
@click.option("--topics-file", "titles", metavar="FILE", help="Topics, whose titles are shown.")
@Scoring.options(
    "One measure sorts the topics; without it the task's overall one: AiP, AgP, AgP(S=bep) or"
    " cR(chars=2000)."
)
@options.results()
@click.pass_context
def command(
    context: click.Context,
    qrels: str,
    run: str,
    topic: str | None,
    doc: str | None,
    against: str | None,
    titles: str | None,
    scoring: Scoring,
    to: Form,
    output: str | None,
) -> None:
    """Show what a run found, missed and wasted, character by character.

    \b
    Examples:
      foveal explain inex.qrels mine.fol                           the topics, worst first
      foveal explain inex.qrels mine.fol --topic 2009011 --docs articles/
      foveal explain inex.qrels mine.fol --topic 2009011 --doc 22478 --docs articles/
      foveal explain gold.jsonl chunks.jsonl --task rag --topic q7 --docs docs/ -o q7.html
      foveal explain inex.qrels mine.fol --against yours.fol       the five topics that differ most
      foveal explain inex.qrels mine.fol --against yours.fol --topic 2009011 --docs articles/
      foveal explain inex.qrels mine.fol --topic 2009011 --to json

    Found is highlighted text that was returned, missed is highlighted text that was not, wasted is
    text that was returned but is not highlighted. With --docs the text itself is shown. -o
    page.html writes a page (`pip install "foveal[report]"`).
    """
    if context.args:
        # A second run is probably meant as --against.
        raise UsageError(
            f"explain takes one run, but got {context.args[0]!r} as well: to compare with it, give"
            f" --against {context.args[0]}"
        )
    from foveal.formats import read_topics
    from foveal.rendering import rendered_bytes
    from foveal.reports import explanation

    scoring = replace(scoring, texts=replace(scoring.texts, may_be_missing=True))
    runs = [run, *([against] if against is not None else [])]
    evaluation, _ = scoring.evaluation(qrels, runs, explanation.defaults)
    task = explanation.explain_task(evaluation, topic, doc)
    run_explanations = scoring.map_runs(runs, task, "explaining")
    topic_titles = read_topics(titles).titles if titles else {}
    result = explanation.combined(task, run_explanations, scoring.texts.documents, topic_titles)
    on_screen = to is Form.TEXT and not has_notes(to, output)
    data = _text(result) if on_screen else rendered_bytes(result, to, notes=has_notes(to, output))
    emit(data, output, to)
    print_notes(result.settings, result.notes, to)


def _text(result: Explanation) -> bytes:
    """The explanation as text in the terminal's width, with colours if it has any."""
    from foveal.reports import explanation

    paint = explanation.coloured if _has_colours() else explanation.plain
    return explanation.full_text(result, paint, terminal_width()).encode()


def _has_colours() -> bool:
    """True if standard output is a terminal whose user wants colours (see no-color.org)."""
    is_allowed = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return is_allowed and sys.stdout.isatty()
