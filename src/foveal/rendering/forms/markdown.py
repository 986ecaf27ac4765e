"""Tables in Markdown."""

from __future__ import annotations

from foveal.rendering._table import NO_NOTES, ResultNotes, Table


def draw(*tables: Table, result_notes: ResultNotes = NO_NOTES) -> str:
    """The tables as Markdown tables; the settings and the notes are below the last."""
    blocks = list(map(_markdown_table, tables))
    settings = ResultNotes(tables[0].settings).setting_line
    if settings:
        blocks.append(_escaped(settings) + "\n")
    if result_notes.notes:
        blocks.append("".join(f"* note: {_escaped(note)}\n" for note in result_notes.notes))
    return "\n".join(blocks)


def _markdown_table(table: Table) -> str:
    rules = ["---"] * table.labels + ["---" if table.superscripts or table.suffixes else "---:"] * (
        len(table.header) - table.labels
    )
    rows = table.cells(_escaped, "**{}**", "<ins>{}</ins>", "{}<sup>{}</sup>", " {}")
    lines = ["| " + " | ".join(row) + " |" for row in (map(_escaped, table.header), rules, *rows)]
    title = [_escaped(table.lead), ""] if table.lead else []
    title += [f"**{_escaped(table.title)}**", ""] if table.title else []
    title += [_comment(table.caption), ""] if table.caption else []
    below = ["", _escaped(table.below)] if table.below else []
    return "\n".join([*title, *lines, *below]) + "\n"


def _comment(text: str) -> str:
    """An HTML comment; a name from a file must not end it."""
    return f"<!-- {' '.join(text.split()).replace('--', '- -').replace('>', '&gt;')} -->"


def _escaped(text: str) -> str:
    for character in "\\|<>*_`[]&~":
        text = text.replace(character, "\\" + character)
    return " ".join(text.split())
