"""foveal measures: what can be measured, from the records."""

from __future__ import annotations

import click


@click.command()
@click.argument("name", required=False)
def command(name: str | None) -> None:
    r"""List the measures, or explain one.

    \b
    Examples:
      foveal measures
      foveal measures iP
      foveal measures "AgP(S=bep)"
    """
    from foveal.render import described_measure, listed_measures

    if name:
        click.echo(described_measure(name), nl=False)
    else:
        click.echo(listed_measures(), nl=False)
        click.echo("\nfoveal measures NAME explains one of them.")
