"""foveal formats: the formats that can be read and written."""

from __future__ import annotations

import click

PLACE_IN_LISTS = 130


@click.command()
def command() -> None:
    """List the file formats, each with an example."""
    from foveal.rendering import described_formats

    click.echo(described_formats(), nl=False)
