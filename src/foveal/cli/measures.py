"""foveal measures: what can be measured, from the records."""

from __future__ import annotations

import click

PLACE_IN_LISTS = 120
EXAMPLES = """\b
Examples:
  foveal measures
  foveal measures iP
  foveal measures "AgP(S=bep)"
"""


@click.command(epilog=EXAMPLES)
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """List the measures, or explain one."""
    from foveal.rendering import described_measure, listed_measures

    if name:
        click.echo(described_measure(name), nl=False)
    else:
        click.echo(listed_measures(), nl=False)
        click.echo("\nfoveal measures NAME explains one of them.")
