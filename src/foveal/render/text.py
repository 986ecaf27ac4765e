"""Tables in a terminal."""

from __future__ import annotations

import io

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from foveal.render._table import Table


def draw(table: Table, *, width: int | None = None, colour: bool = False) -> str:
    """The table as text; without a width it is as wide as it needs to be."""
    drawn = RichTable(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for place, title in enumerate(table.header):
        label = place < table.labels
        # Names are shown as they are: no markup, and never cut.
        drawn.add_column(Text(title), justify="left" if label else "right", no_wrap=not label)
    for row in table.rows:
        drawn.add_row(*map(Text, row))
    paper = io.StringIO()
    console = Console(
        file=paper, width=width or 100_000, force_terminal=colour, no_color=not colour
    )
    console.print(drawn)
    return "\n".join(line.rstrip() for line in paper.getvalue().splitlines()) + "\n"
