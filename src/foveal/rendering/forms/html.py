"""Tables in HTML: one small page without external files."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from foveal.rendering._table import NO_NOTES, ResultNotes, Table
from foveal.rendering.drawing import page_style

STYLE = (
    "body{font:16px/1.5 var(--sans);color:var(--ink);background:var(--paper);margin:2rem auto;"
    "padding:0 1rem;max-width:80rem}h1{font-size:var(--heading);line-height:1.3}"
    "figure{margin:0}.wide{overflow-x:auto}figcaption,caption{color:var(--muted);font-size:.875rem}"
    "summary{cursor:pointer;padding:.5rem 0}table{border-collapse:collapse;margin-bottom:1.5rem}"
    "th,td{padding:.3rem .8rem;border-bottom:1px solid var(--border);text-align:right}"
    "th.label,td.label{text-align:left}caption{caption-side:bottom;text-align:left}"
    "@media print{.wide{overflow:visible}.fig{max-width:100%;height:auto}}"
)


def draw(*tables: Table, result_notes: ResultNotes = NO_NOTES) -> str:
    """The tables and notes as a page; every name is escaped."""
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            f'<head><meta charset="utf-8"><title>foveal</title><style>{page_style()}{STYLE}</style></head>',
            "<body>",
            fragment(*tables, result_notes=result_notes),
            "</body>",
            "</html>",
            "",
        ]
    )


def fragment(*tables: Table, result_notes: ResultNotes = NO_NOTES) -> str:
    """The tables and notes as a piece of a page, such as a notebook."""
    notes = [f"<li>{escape(note)}</li>" for note in result_notes.notes]
    return "\n".join([*map(table_html, tables), *(["<ul>", *notes, "</ul>"] if notes else [])])


def table_html(table: Table) -> str:
    """One table, to be put into any page."""
    settings = ResultNotes(table.settings).setting_line
    rows = table.cells(escape, "<b>{}</b>", "<u>{}</u>", "{}<sup>{}</sup>", " {}")
    return "\n".join(
        [
            *([f"<p>{escape(table.lead)}</p>"] if table.lead else []),
            *([f"<h2>{escape(table.title)}</h2>"] if table.title else []),
            "<table>",
            *([f"<caption>{escape(settings)}</caption>"] if settings else []),
            f"<thead>{_row(map(escape, table.header), table.labels, 'th')}</thead>",
            "<tbody>",
            *(_row(row, table.labels, "td") for row in rows),
            "</tbody>",
            "</table>",
            *([f"<p>{escape(table.below)}</p>"] if table.below else []),
        ]
    )


def _row(cells: Iterable[str], labels: int, tag: str) -> str:
    tags = []
    for index, cell in enumerate(cells):
        attribute = ' class="label"' if index < labels else ""
        tags.append(f"<{tag}{attribute}>{cell}</{tag}>")
    return f"<tr>{''.join(tags)}</tr>"
