"""Tables in HTML: one small page that needs nothing else."""

from __future__ import annotations

from html import escape

from foveal.render._table import Table

_STYLE = (
    "body{font:16px/1.4 system-ui,sans-serif;margin:2rem}table{border-collapse:collapse}"
    "th,td{padding:.3rem .8rem;border-bottom:1px solid #ccc;text-align:right}"
    "th.label,td.label{text-align:left}caption{caption-side:bottom;text-align:left;color:#555}"
)


def draw(table: Table) -> str:
    """The table as a page; every name is escaped."""
    settings = "; ".join(f"{key}: {value}" for key, value in table.settings.items())
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            f'<head><meta charset="utf-8"><title>foveal</title><style>{_STYLE}</style></head>',
            "<body>",
            "<table>",
            f"<caption>{escape(settings)}</caption>",
            f"<thead>{_row(table.header, table.labels, 'th')}</thead>",
            "<tbody>",
            *(_row(row, table.labels, "td") for row in table.rows),
            "</tbody>",
            "</table>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _row(cells: list[str], labels: int, tag: str) -> str:
    drawn = []
    for place, cell in enumerate(cells):
        mark = ' class="label"' if place < labels else ""
        drawn.append(f"<{tag}{mark}>{escape(cell)}</{tag}>")
    return f"<tr>{''.join(drawn)}</tr>"
