"""Tables in LaTeX, for booktabs."""

from __future__ import annotations

from collections.abc import Iterable

from foveal.rendering._table import NO_NOTES, ResultNotes, Table

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: "\\" + character for character in "&%$#_{}"},
    # LaTeX's usual font has other characters in place of these three.
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # Letters of coefficients and the arrow, which LaTeX knows only in formulas.
    "α": r"$\alpha$",
    "κ": r"$\kappa$",
    "τ": r"$\tau$",
    "ρ": r"$\rho$",
    "→": r"$\to$",
    "Δ": r"$\Delta$",
    "≤": r"$\le$",
    # Marks of significance; the triangle of the usual font is as high as a line.
    "†": r"\dag{}",
    "‡": r"\ddag{}",
    "§": r"\S{}",
    "¶": r"\P{}",
    "▾": r"$\scriptscriptstyle\bigtriangledown$",
}


def draw(*tables: Table, remarks: ResultNotes = NO_NOTES) -> str:
    """The tables as tabulars; the settings and the notes are above them as comments."""
    comments = [_comment(f"{key}: {value}") for key, value in tables[0].settings.items()]
    comments += [_comment(f"note: {note}") for note in remarks.notes]
    return "\n".join([*comments, "\n".join(map(_drawn, tables))])


def _drawn(table: Table) -> str:
    # Numbers with signs after them stay below each other, and these need room.
    number = r"@{\hspace{1ex}}l" if table.raised or table.beside else "r"
    layout = "l" * table.labels + number * (len(table.header) - table.labels)
    strong, second, raised = r"\textbf{{{}}}", r"\underline{{{}}}", r"{}\textsuperscript{{{}}}"
    body = table.cells(_escaped, strong, second, raised, r"\,{{\tiny {}}}")
    return "\n".join(
        [
            *(_comment(text) for text in (table.lead, table.title) if text),
            # To be pasted into a caption.
            *([_comment(_escaped(table.caption))] if table.caption else []),
            rf"\begin{{tabular}}{{@{{}}{layout}@{{}}}}",
            r"\toprule",
            _row(map(_escaped, table.header)),
            r"\midrule",
            *map(_row, body),
            r"\bottomrule",
            r"\end{tabular}",
            *([r"\par", _escaped(table.below)] if table.below else []),
            "",
        ]
    )


def _comment(text: str) -> str:
    return f"% {' '.join(text.split())}"


def _row(cells: Iterable[str]) -> str:
    line = " & ".join(cells) + r" \\"
    # A row that starts with one would be read as an argument of the line break before it.
    return "{}" + line if line.startswith(("[", "*")) else line


def _escaped(text: str) -> str:
    escaped = "".join(_SPECIAL.get(character, character) for character in " ".join(text.split()))
    # Two hyphens would be set as a dash; of three, two are left after the first time.
    return escaped.replace("--", "-{}-").replace("--", "-{}-")
