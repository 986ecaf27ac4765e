"""Tables in HTML: one small page that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from foveal.rendering._table import Table

STYLE = (
    "body{font:16px/1.4 system-ui,sans-serif;margin:2rem}table{border-collapse:collapse}"
    "th,td{padding:.3rem .8rem;border-bottom:1px solid #ccc;text-align:right}"
    "th.label,td.label{text-align:left}caption{caption-side:bottom;text-align:left;color:#555}"
)


def draw(*tables: Table) -> str:
    """The tables as a page; every name is escaped."""
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            f'<head><meta charset="utf-8"><title>foveal</title><style>{STYLE}</style></head>',
            "<body>",
            *map(drawn, tables),
            "</body>",
            "</html>",
            "",
        ]
    )


def drawn(table: Table) -> str:
    """One table, for a page of any kind."""
    settings = "; ".join(f"{key}: {value}" for key, value in table.settings.items())
    body = table.cells(escape, "<b>{}</b>", "{}<sup>{}</sup>")
    return "\n".join(
        [
            *([f"<h2>{escape(table.title)}</h2>"] if table.title else []),
            "<table>",
            *([f"<caption>{escape(settings)}</caption>"] if settings else []),
            f"<thead>{_row(map(escape, table.header), table.labels, 'th')}</thead>",
            "<tbody>",
            *(_row(row, table.labels, "td") for row in body),
            "</tbody>",
            "</table>",
            *([f"<p>{escape(table.below)}</p>"] if table.below else []),
        ]
    )


def _row(cells: Iterable[str], labels: int, tag: str) -> str:
    drawn = []
    for place, cell in enumerate(cells):
        mark = ' class="label"' if place < labels else ""
        drawn.append(f"<{tag}{mark}>{cell}</{tag}>")
    return f"<tr>{''.join(drawn)}</tr>"
