"""Tables in a terminal."""

from __future__ import annotations

import io

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from foveal.render._table import Table

# A table is never cut: a terminal that is too narrow wraps it.
WIDE_ENOUGH = 100_000


def draw(table: Table) -> str:
    """The table as text, as wide as it needs to be."""
    drawn = RichTable(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for place, title in enumerate(table.header):
        # Names are shown as they are: no markup.
        drawn.add_column(Text(title), justify="left" if place < table.labels else "right")
    for row in table.rows:
        drawn.add_row(*map(Text, row))
    paper = io.StringIO()
    Console(file=paper, width=WIDE_ENOUGH, force_terminal=False, no_color=True).print(drawn)
    return "\n".join(line.rstrip() for line in paper.getvalue().splitlines()) + "\n"
