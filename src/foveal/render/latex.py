"""Tables in LaTeX, for booktabs."""

from __future__ import annotations

from foveal.render._table import Table

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: "\\" + character for character in "&%$#_{}"},
}


def draw(table: Table) -> str:
    """The table as a tabular; the settings stand above it as comments."""
    layout = "l" * table.labels + "r" * (len(table.header) - table.labels)
    settings = [f"% {key}: {' '.join(value.split())}" for key, value in table.settings.items()]
    return "\n".join(
        [
            *settings,
            rf"\begin{{tabular}}{{{layout}}}",
            r"\toprule",
            _row(table.header),
            r"\midrule",
            *map(_row, table.rows),
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def _row(cells: list[str]) -> str:
    return " & ".join(map(_escaped, cells)) + r" \\"


def _escaped(text: str) -> str:
    shown = "".join(_SPECIAL.get(character, character) for character in " ".join(text.split()))
    # A row that starts with a bracket would be read as an argument of the line break before it.
    return "{" + shown + "}" if shown.startswith("[") else shown
