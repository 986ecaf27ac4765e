"""Reading back what every form of output says, without the code that wrote it.

A table is a list of rows, the header first, of cells as a reader sees them: escapes undone, marks
of strength dropped, small raised signs left out.
"""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

Table = list[list[str]]
EYES = ("text", "markdown", "latex", "html")


def tables(form: str, output: str) -> list[Table]:
    """The tables of a form for eyes."""
    return {"text": _text, "markdown": _markdown, "latex": _latex, "html": _html}[form](output)


def _text(output: str) -> list[Table]:
    """The header is above a rule, rows are below it up to an empty line; three blanks part cells."""
    lines = output.splitlines()
    found = []
    for place, line in enumerate(lines):
        if line and set(line) == {"─"}:
            rows = [lines[place - 1]]
            for row in lines[place + 1 :]:
                if not row:
                    break
                rows.append(row)
            found.append([re.split(r" {3,}", row) for row in rows])
    return found


def _markdown(output: str) -> list[Table]:
    found: list[Table] = []
    inside = False
    for line in output.splitlines():
        if line.startswith("| ") and not inside:
            found.append([])
        inside = line.startswith("| ")
        if inside:
            # A sign behind a backslash means itself: it is replaced until all marks are read.
            aside = re.sub(r"\\(.)", lambda sign: chr(0xF0000 + ord(sign[1])), line)
            plain = re.sub(r"<sup>.*?</sup>|</?ins>|\*\*", "", aside)
            assert not re.search(r"[<>_`\[\]]", plain), line
            cells = plain.split("|")[1:-1]
            found[-1].append([_back(html.unescape(cell.strip())) for cell in cells])
    return [[table[0], *table[2:]] for table in found]


def _back(text: str) -> str:
    return "".join(chr(ord(sign) - 0xF0000) if ord(sign) > 0xF0000 else sign for sign in text)


_COMMANDS = {
    r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^",
    r"\textless{}": "<", r"\textgreater{}": ">", r"\textbar{}": "|", r"$\tau$": "τ",
    r"$\alpha$": "α", r"$\kappa$": "κ", r"$\rho$": "ρ", r"$\to$": "→", **{f"\\{sign}": sign for sign in "&%$#_{}"},
}  # fmt: skip


def _latex(output: str) -> list[Table]:
    found = []
    layout = r"\{@\{\}(?:\w|@\{\\hspace\{1ex\}\})+@\{\}\}"
    for body in re.findall(
        rf"\\begin\{{tabular\}}{layout}(.*?)\\end\{{tabular\}}", output, re.DOTALL
    ):
        rows = [line for line in body.splitlines() if line.endswith(r" \\")]
        found.append([[_spoken(cell) for cell in row[:-3].split(" & ")] for row in rows])
    return found


def _spoken(cell: str) -> str:
    """A cell as LaTeX sets it; a sign that LaTeX would not print as it is, is an error."""
    cell = re.sub(r"\\textsuperscript\{[^}]*\}", "", cell).removeprefix("{}")
    strong = re.fullmatch(r"\\(?:textbf|underline)\{(.*)\}", cell)
    cell = strong[1] if strong else cell
    known = "|".join(map(re.escape, _COMMANDS))
    rest = re.sub(known, "", cell)
    assert not re.search(r"[&%$#_{}~^\\<>|]", rest), cell
    return re.sub(known, lambda command: _COMMANDS[command[0]], cell)


class _Tables(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[Table] = []
        self.cell: list[str] | None = None
        self.raised = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.found.append([])
        elif tag == "tr":
            self.found[-1].append([])
        elif tag in {"td", "th"}:
            self.cell = []
        elif tag == "sup":
            self.raised = True
        else:
            # A name must not have become markup inside a cell.
            assert self.cell is None or tag in {"b", "u"}, tag

    def handle_endtag(self, tag: str) -> None:
        if tag in {"td", "th"} and self.cell is not None:
            self.found[-1][-1].append("".join(self.cell))
            self.cell = None
        elif tag == "sup":
            self.raised = False

    def handle_data(self, data: str) -> None:
        if self.cell is not None and not self.raised:
            self.cell.append(data)


def _html(output: str) -> list[Table]:
    reader = _Tables()
    reader.feed(output)
    return reader.found


def trec_lines(output: str) -> dict[tuple[str, str, str], str]:
    """The values of trec_eval's lines by run, measure and topic.

    The lines of a run's topics come before its name.
    """
    found = {}
    waiting: list[tuple[str, str, str]] = []
    run = ""
    for line in output.splitlines():
        name, topic, value = line.split("\t")
        if name.rstrip() == "runid":
            run = value
            found.update({(run, measure, of): number for measure, of, number in waiting})
            waiting = []
        elif topic == "all":
            found[run, name.rstrip(), topic] = value
        else:
            waiting.append((name.rstrip(), topic, value))
    assert not waiting
    return found


def inex_lines(output: str) -> dict[tuple[str, str, str], float]:
    """The values of the official INEX program's lines by run, measure and topic."""
    found = {}
    run = ""
    for line in output.splitlines():
        opened = re.fullmatch(r'<eval run-id="([^"<>]*)" file="[^"<>]*">', line)
        if opened:
            run = html.unescape(opened[1])
        elif line != "</eval>":
            name, topic, value = re.split(r"\t+", line)
            found[run, name, topic] = float(value)
    return found
