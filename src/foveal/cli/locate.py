"""foveal locate: the span and text of one element."""

from __future__ import annotations

from dataclasses import replace

import click

from foveal.choices import Form
from foveal.cli import _options as options
from foveal.cli._console import emit

PLACE_IN_LISTS = 110


@click.command()
@click.argument("index")
@click.argument("doc")
@click.argument("path")
@click.option(
    "--text", "collections", multiple=True, metavar="COLLECTION",
    help="The collection that was indexed, to show the text; may be given several times.",
)  # fmt: skip
@options.results()
def command(
    index: str, doc: str, path: str, collections: tuple[str, ...], to: Form, output: str | None
) -> None:
    """Show where an element, a text node or a point in a text node is in its document's text.

    \b
    Examples:
      foveal locate wikipedia.index 21201 '/article[1]/bdy[1]/sec[2]/p[1]'
      foveal locate wikipedia.index 21201 '/article/bdy/p[3]/text()[2].57' --to json
      foveal locate wikipedia.index 21201 '/article[1]/name[1]' --text wikipedia/

    A step without a number means the first element of its name. Offsets count from 0, and the end
    is the offset after the last character.
    """
    from foveal.collection import Index, read_text
    from foveal.elements import located
    from foveal.rendering import rendered_bytes

    opened = Index.open(index)
    location = located(opened, doc, path)
    if collections:
        text = read_text(opened, collections, doc, location.start, location.end)
        location = replace(location, text=text)
    emit(rendered_bytes(location, to), output, to)
