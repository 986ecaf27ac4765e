"""The figure of what systems return, and of the measures that score it."""

from __future__ import annotations

from foveal.choices import Answers, either
from foveal.late import pl
from foveal.measures import DOCUMENT_SCORES, REGISTRY, Unit, variants
from foveal.rendering.drawing import Picture, box, folded, rule, text, width
from foveal.rendering.figures._figure import Figure
from foveal.rendering.figures._record import MEASURES, figure_of
from foveal.tables import columns as c

# Pixels: a column and the gap to the next, a box, from a row of the tree to the next, a line of text.
COLUMN, GAP, BOX, LEVEL, LINE = 156.0, 18.0, 26.0, 58.0, 15.0
ROOT = "answers of a system"
BRANCHES = {
    "atomic: documents or parts": (Answers.SINGLE, Answers.SET, Answers.RANKED),
    "compound: ranked documents with parts": (
        Answers.COMPOUND_SINGLE,
        Answers.COMPOUND_SET,
        Answers.COMPOUND_RANKED,
    ),
}
LEAVES = {
    Answers.SINGLE: "single",
    Answers.SET: "set",
    Answers.RANKED: "ranked list",
    Answers.COMPOUND_SINGLE: "one part each",
    Answers.COMPOUND_SET: "a set of parts each",
    Answers.COMPOUND_RANKED: "ranked parts each",
}


@figure_of(MEASURES, "taxonomy")
def taxonomy() -> Figure:
    """What a system can return for a topic, and which measures score it."""
    rows = [
        (way.answers.value, record.unit.value, record.name + way.suffix, way.score)
        for record in REGISTRY.values()
        for way in variants(record)
        if way.answers
    ]
    names = [c.ANSWERS, c.UNIT, c.MEASURE, c.SCORE]
    kinds = [kind.value for kind in Answers]
    data = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row").sort(
        pl.col(c.ANSWERS).cast(pl.Enum(kinds)), maintain_order=True
    )
    counts = {kind: data.filter(pl.col(c.ANSWERS) == kind.value).height for kind in Answers}
    most = max(counts, key=lambda kind: counts[kind])
    title = f"{counts[most]} of {data.height} forms of measures score {most.sentence}"
    absent = [kind.sentence for kind, count in counts.items() if not count]
    title += f"; none scores {either(absent)}" if absent else "; every kind of answers has some"

    def draw() -> Picture:
        return _tree({kind: _listed(data, kind) for kind in Answers})

    source = (
        "Pehcevski & Thom 2007, figure 1; a measure has a form with and one without a cut-off, and"
        " one for each document score S"
    )
    return Figure(title, data, draw, source)


def _listed(data: pl.DataFrame, kind: Answers) -> list[tuple[str, str]]:
    """The lines below a kind of answers, each with its style."""
    own = data.filter(pl.col(c.ANSWERS) == kind.value)
    if own.is_empty():
        return [("no measure yet", "muted")]
    found: list[tuple[str, str]] = []
    for unit in Unit:
        plain = own.filter((pl.col(c.UNIT) == unit.value) & (pl.col(c.SCORE) == ""))
        found += _paragraph(f"of {unit.value}s", plain[c.MEASURE].to_list())
    scored = own.filter(pl.col(c.SCORE) != "")
    scores = [score for score in DOCUMENT_SCORES if score in set(scored[c.SCORE])]
    head = f"with S = {either(scores)}" if scores else ""
    return found + _paragraph(head, scored[c.MEASURE].unique(maintain_order=True).to_list())


def _paragraph(head: str, names: list[str]) -> list[tuple[str, str]]:
    if not names:
        return []
    lines = folded(", ".join(names), COLUMN)
    return [(head, "muted"), *((line, "") for line in lines), ("", "")]


def _tree(listed: dict[Answers, list[tuple[str, str]]]) -> Picture:
    """The tree from the root to the kinds, with their measures below."""
    step = COLUMN + GAP
    whole = step * len(listed) - GAP
    marks = [_node(whole / 2, 0, ROOT)]
    column = 0
    for branch, kinds in BRANCHES.items():
        middle = step * (column + (len(kinds) - 1) / 2) + COLUMN / 2
        marks += [*_edge(whole / 2, 0, middle), _node(middle, LEVEL, branch)]
        for kind in kinds:
            left = step * column
            x = left + COLUMN / 2
            marks += [*_edge(middle, LEVEL, x), _node(x, 2 * LEVEL, LEAVES[kind])]
            for row, (words, style) in enumerate(listed[kind]):
                marks.append(text(left, 2 * LEVEL + BOX + LINE * (row + 1.4), words, style))
            column += 1
    longest = max(len(lines) for lines in listed.values())
    return Picture(whole, 2 * LEVEL + BOX + LINE * (longest + 1), "".join(marks))


def _node(x: float, y: float, words: str) -> str:
    half = max(COLUMN, width(words) + GAP) / 2
    label = text(x, y + BOX / 2 + 4, words, anchor="middle")
    return box(x - half, y, 2 * half, BOX, "node") + label


def _edge(x: float, y: float, below: float) -> list[str]:
    """The way from a node down to one of the next row: down, across, down."""
    top, turn, end = y + BOX, y + (BOX + LEVEL) / 2, y + LEVEL
    lines = [(x, top, x, turn), (x, turn, below, turn), (below, turn, below, end)]
    return [rule(*line, "axis") for line in lines]
