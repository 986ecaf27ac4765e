"""Tables in LaTeX, for booktabs."""

from __future__ import annotations

from collections.abc import Iterable

from foveal.rendering._table import NO_NOTES, ResultNotes, Table

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: "\\" + character for character in "&%$#_{}"},
    # The default font of LaTeX prints other characters for these three.
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # Symbols of coefficients and the arrow, which LaTeX has only in math mode.
    "α": r"$\alpha$",
    "κ": r"$\kappa$",
    "τ": r"$\tau$",
    "ρ": r"$\rho$",
    "→": r"$\to$",
    "Δ": r"$\Delta$",
    "≤": r"$\le$",
    # Marks of significance; the triangle of the default font would be as high as a line.
    "†": r"\dag{}",
    "‡": r"\ddag{}",
    "§": r"\S{}",
    "¶": r"\P{}",
    "▾": r"$\scriptscriptstyle\bigtriangledown$",
}


def draw(*tables: Table, result_notes: ResultNotes = NO_NOTES) -> str:
    """The tables as tabulars; the settings and the notes are above them as comments."""
    comments = [_comment(f"{key}: {value}") for key, value in tables[0].settings.items()]
    comments += [_comment(f"note: {note}") for note in result_notes.notes]
    return "\n".join([*comments, "\n".join(map(_tabular, tables))])


def _tabular(table: Table) -> str:
    # With superscripts after them, numbers line up only if they are left-aligned.
    number = r"@{\hspace{1ex}}l" if table.superscripts or table.suffixes else "r"
    layout = "l" * table.labels + number * (len(table.header) - table.labels)
    strong, second, raised = r"\textbf{{{}}}", r"\underline{{{}}}", r"{}\textsuperscript{{{}}}"
    rows = table.cells(_escaped, strong, second, raised, r"\,{{\tiny {}}}")
    return "\n".join(
        [
            *(_comment(text) for text in (table.lead, table.title) if text),
            # For the author to paste into a caption.
            *([_comment(_escaped(table.caption))] if table.caption else []),
            rf"\begin{{tabular}}{{@{{}}{layout}@{{}}}}",
            r"\toprule",
            _row(map(_escaped, table.header)),
            r"\midrule",
            *map(_row, rows),
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
    # At the start of a row these would be read as an argument of the line break before it.
    return "{}" + line if line.startswith(("[", "*")) else line


def _escaped(text: str) -> str:
    escaped = "".join(_SPECIAL.get(character, character) for character in " ".join(text.split()))
    # Two hyphens would be set as a dash; of three, the first pass leaves two.
    return escaped.replace("--", "-{}-").replace("--", "-{}-")
