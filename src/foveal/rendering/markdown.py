"""Tables in Markdown."""

from __future__ import annotations

from foveal.rendering._table import Table


def draw(*tables: Table) -> str:
    """The tables as Markdown tables; the settings stand below the last."""
    drawn = list(map(_drawn, tables))
    settings = tables[0].settings
    if settings:
        drawn.append(
            _escaped("; ".join(f"{key}: {value}" for key, value in settings.items())) + "\n"
        )
    return "\n".join(drawn)


def _drawn(table: Table) -> str:
    rules = ["---"] * table.labels + ["---:"] * (len(table.header) - table.labels)
    body = table.cells(_escaped, "**{}**", "{}<sup>{}</sup>")
    lines = ["| " + " | ".join(row) + " |" for row in (map(_escaped, table.header), rules, *body)]
    title = [f"**{_escaped(table.title)}**", ""] if table.title else []
    below = ["", _escaped(table.below)] if table.below else []
    return "\n".join([*title, *lines, *below]) + "\n"


def _escaped(text: str) -> str:
    for character in "\\|<>*_`[]&~":
        text = text.replace(character, "\\" + character)
    return " ".join(text.split())
