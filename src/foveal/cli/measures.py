"""foveal measures: what can be measured, from the records."""

from __future__ import annotations

import click

from foveal.choices import Answers
from foveal.cli import _options as options
from foveal.cli._completion import Named, names_of
from foveal.cli._output import figure_file

PLACE_IN_LISTS = 120
EXAMPLES = """\b
Examples:
  foveal measures
  foveal measures iP
  foveal measures "AgP(S=bep)"
  foveal measures --answers compound-single
  foveal measures --figure taxonomy -o taxonomy.svg    which measures score which answers
"""
KINDS = "; ".join(f"{kind.value}: {kind.sentence}" for kind in Answers)


@click.command(epilog=EXAMPLES)
@click.argument("name", required=False, shell_complete=names_of(Named.MEASURES))
@click.option(
    "--answers",
    type=options.Word(Answers),
    help=f"List the measures that score one kind of answers, documents or parts. {KINDS}.",
)
@options.figure("measures")
@options.output
def command(
    name: str | None, answers: Answers | None, figure: str | None, output: str | None
) -> None:
    """List the measures, or explain one with all its defaults."""
    from foveal.rendering import described_measure, listed_measures
    from foveal.rendering import figure as figure_of

    if sum(map(bool, (name, answers, figure))) > 1:
        raise click.UsageError("give one of NAME, --answers and --figure")
    if figure:
        figure_of(figure).save(figure_file(output))
        return
    if output:
        raise click.UsageError("-o is for a figure: give --figure taxonomy as well")
    click.echo(described_measure(name) if name else listed_measures(answers), nl=False)
