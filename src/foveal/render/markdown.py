"""Tables in Markdown."""

from __future__ import annotations

from foveal.render._table import Table


def draw(table: Table) -> str:
    """The table as a Markdown table."""
    rules = ["---"] * table.labels + ["---:"] * (len(table.header) - table.labels)
    rows = [list(map(_escaped, table.header)), rules, *(list(map(_escaped, r)) for r in table.rows)]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    if table.settings:
        lines += [
            "",
            _escaped("; ".join(f"{key}: {value}" for key, value in table.settings.items())),
        ]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    for character in "\\|<>*_`[]":
        text = text.replace(character, "\\" + character)
    return " ".join(text.split())
