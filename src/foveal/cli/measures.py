"""foveal measures: list the measures, or explain one."""

from __future__ import annotations

import click

from foveal.choices import Answers
from foveal.cli import _options as options
from foveal.cli._completion import NameKind, names_of

PLACE_IN_LISTS = 120
KINDS = "; ".join(f"{kind.value}: {kind.sentence}" for kind in Answers)


@click.command()
@click.argument("name", required=False, shell_complete=names_of(NameKind.MEASURES))
@click.option(
    "--answers",
    type=options.Word(Answers),
    help=f"List the measures that score one kind of answers, documents or parts. {KINDS}.",
)
def command(name: str | None, answers: Answers | None) -> None:
    """List the measures, or explain one with all its defaults.

    \b
    Examples:
      foveal measures
      foveal measures iP
      foveal measures "AgP(S=bep)"
      foveal measures --answers compound-single
    """
    from foveal.rendering import described_measure, listed_measures

    if name and answers:
        raise click.UsageError("give NAME or --answers, not both")
    click.echo(described_measure(name) if name else listed_measures(answers), nl=False)
