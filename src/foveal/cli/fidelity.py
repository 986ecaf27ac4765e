"""foveal fidelity: does a measure measure what it should?"""

from __future__ import annotations

from contextlib import ExitStack, redirect_stdout
from dataclasses import replace
from typing import Any

import click

from foveal.choices import Form, Like
from foveal.cli import _options as options
from foveal.cli._console import deliver, figure_file
from foveal.cli._options import only, with_topics
from foveal.cli._parallel import refuse_unshareable
from foveal.cli._progress_bar import AboveBars
from foveal.errors import BadInput, UsageError

PLACE_IN_LISTS = 50


def _names(_: click.Context, __: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Names separated by commas."""
    return () if value is None else tuple(name.strip() for name in value.split(","))


@click.command()
@click.argument("qrels")
@options.elements
@options.measures("Without it those of the paper's first table.")
@click.option(
    "--rankings", metavar="NAMES", callback=_names,
    help="The document rankings to try, with commas: R, RS, RI, RSI; RI2 and RSI2, in which the"
    " inserted document comes second; your own.  [default: all but RI2 and RSI2]",
)  # fmt: skip
@click.option(
    "--best", is_flag=True,
    help="Also find the run of elements, and that of whole documents, that no other beats in AgP.",
)  # fmt: skip
@click.option(
    "--plugin", "plugins", multiple=True, metavar="FILE.py",
    help="Part sets, rankings and noises of your own. Runs the file's code; may be repeated.",
)  # fmt: skip
@click.option(
    "--save-runs", "folder", metavar="DIR",
    help="Write the simulated runs, and those of --best, one file each, with offsets and lengths (FOL).",
)  # fmt: skip
@click.option(
    "--noise", is_flag=True,
    help="Also spoil the perfect run step by step, and show how each measure responds.",
)  # fmt: skip
@click.option(
    "--samples", type=click.IntRange(1), default=5, show_default=True, metavar="N",
    help="How often the run is spoilt by chance at each strength of noise.",
)  # fmt: skip
@options.seed
@click.option(
    "--like", type=options.Word(Like), default=Like.PAPER.value, show_default=True,
    help="Score as the papers, the official INEX program (3.1), or trec_eval does.",
)  # fmt: skip
@options.qrels_format
@only
@options.assessors
@options.figure("Fidelity")
@options.results()
def command(
    qrels: str,
    elements: str | None,
    plugins: tuple[str, ...],
    folder: str | None,
    noise: bool,
    qrels_format: str | None,
    only: str | None,
    assessors: str,
    figure: str | None,
    to: Form,
    output: str | None,
    **choices: Any,
) -> None:
    """Test measures on simulated runs whose order of merit is known.

    \b
    Examples:
      foveal fidelity inex.qrels --elements wikipedia.index        the paper's measures, 36 orderings
      foveal fidelity inex.qrels -m AiP -m "AgP(S=t2i)"            other measures, without elements
      foveal fidelity inex.qrels --elements wikipedia.index --save-runs simulated/
      foveal fidelity inex.qrels -m AgP -m AiP --noise             which measure feels which noise
      foveal fidelity inex.qrels --elements wikipedia.index -m AgP --best    what elements can reach
      foveal fidelity inex.qrels -m AgPt --rankings R,RI2,RSI2     an intruder at the second rank
      foveal fidelity inex.qrels --plugin mine.py                  part sets of your own

    Up to twenty runs are made from the judgements QRELS: five sets of parts (S: the highlights, SL:
    elements around them, SLD: whole documents, SS and SST: largest and smallest elements inside)
    in four document rankings (R: most highlighted text first, RS: first two swapped, RI: a
    document without highlights inserted first, RSI: both). A measure should score SL.RS above
    SLD.RS and SL.RSI, and so on: the verdict, printed first, counts the orderings that it keeps.
    Without an offset index only S and SLD are tried.
    """
    from foveal.files import folder_for
    from foveal.formats import quote_lines, read_qrels, write_run
    from foveal.studies import NOISES, fidelity, plugged_in
    from foveal.work import tracked

    if figure:
        figure_file(output)
    index = options.index_at(elements)
    refuse_unshareable([], *filter(None, (qrels, only)), shared=False)
    judgements = read_qrels(qrels, qrels_format, elements=index, assessors=assessors)
    judgements = with_topics(judgements, only)
    codes = {plugin: _code(plugin) for plugin in plugins}
    with ExitStack() as lab:
        # A plugin's output must not mix with the result.
        with redirect_stdout(AboveBars()):
            notes = lab.enter_context(plugged_in(codes))
            noises = list(NOISES) if noise or figure == "responses" else ()
            try:
                result = fidelity(judgements, index, noise=noises, **choices)
            except BadInput as error:
                if error.source == judgements.source:
                    quote_lines(error, qrels, judgements.format)
                raise
        if plugins:
            settings = {**result.settings, "plugin": " ".join(plugins)}
            result = replace(result, settings=settings, notes=(*result.notes, *notes))
        if folder:
            path = folder_for(folder)
            runs = (*result.runs, *result.best_runs)
            for run in tracked(runs, "saving runs", len(runs)):
                write_run(run, path / f"{run.name}.fol", "inex")
        deliver(result, to, output, figure)


def _code(plugin: str) -> bytes:
    """Read the code of a plugin from a local file."""
    from foveal.files import REMOTE, opened

    if REMOTE in plugin:
        raise UsageError(f"--plugin must be a file on this machine, got {plugin!r}")
    with opened(plugin) as file:
        return file.read()
