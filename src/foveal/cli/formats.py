"""foveal formats: what can be read and written, from the records."""

from __future__ import annotations

import click

PLACE_IN_LISTS = 130


@click.command()
def command() -> None:
    """List the file formats."""
    from foveal.rendering import described_formats

    click.echo(described_formats(), nl=False)
