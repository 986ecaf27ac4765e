"""Worlds for the fidelity lab: XML documents with highlights, made by Hypothesis."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from foveal.elements import Elements
from foveal.tables import Qrels
from tests.element_tables import elements_of
from tests.oracles.xml_twin import Seen, seen
from tests.xml_strategies import documents

Span = tuple[int, int]
# Something to highlight in every world: text before, inside, between and behind elements.
USUAL = b"<a>before <p>one <b>two</b> three</p> between <p><b>four</b></p><p/> behind</a>"


@dataclass(frozen=True)
class LabWorld:
    """Documents, and by topic the judged ones with their passages, in the order of the file."""

    xml: dict[str, bytes]
    judged: tuple[tuple[str, str, tuple[Span, ...]], ...]

    @property
    def trees(self) -> dict[str, list[Seen]]:
        return {name: seen(data) for name, data in self.xml.items()}

    @property
    def elements(self) -> Elements:
        return elements_of(self.xml)

    @property
    def qrels(self) -> Qrels:
        trees = self.trees
        rows: list[dict[str, Any]] = [
            {
                "topic": topic,
                "doc": name,
                "length": trees[name][0].end,
                "highlights": [list(span) for span in spans],
            }
            for topic, name, spans in self.judged
        ]
        return Qrels.from_dicts(rows)


@st.composite
def lab_worlds(draw: st.DrawFn) -> LabWorld:
    """One to three topics, the first of them with something relevant."""
    xml = {"d0": USUAL, **{f"d{n}": draw(documents()) for n in range(1, draw(st.integers(1, 4)))}}
    trees = {name: seen(data) for name, data in xml.items()}
    judged = []
    for topic in range(draw(st.integers(1, 3))):
        names = draw(st.lists(st.sampled_from(sorted(xml)), min_size=1, unique=True))
        if topic == 0 and "d0" not in names:
            names.append("d0")
        for name in names:
            forced = topic == 0 and name == "d0"
            spans = _highlights(draw, trees[name], at_least_one=forced)
            judged.append((f"t{topic}", name, tuple(spans)))
    return LabWorld(xml, tuple(judged))


def _highlights(draw: st.DrawFn, tree: list[Seen], *, at_least_one: bool) -> list[Span]:
    """Highlights anywhere, equal to elements, side by side, or none."""
    offset = st.integers(0, tree[0].end)
    kind = draw(st.sampled_from(["anywhere", "elements", "side by side", "none"]))
    found: list[Span] = []
    if kind == "anywhere":
        pairs = draw(st.lists(st.tuples(offset, offset), max_size=3))
        found = [(min(pair), max(pair)) for pair in pairs]
    elif kind == "elements":
        chosen = draw(st.lists(st.sampled_from(tree), max_size=3))
        found = [(element.start, element.end) for element in chosen]
    elif kind == "side by side":
        found = list(pairwise(sorted(draw(st.sets(offset, max_size=5)) | {0})))
    if at_least_one and not any(start < end for start, end in found):
        found.append((3, 12))
    return found
