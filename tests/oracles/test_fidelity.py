"""Simulated runs against the definitions in loops, on trees as lxml sees them."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given

from foveal.studies import RANKINGS, fidelity
from tests.examples import examples
from tests.fidelity_worlds import LabWorld, Span, lab_worlds
from tests.oracles.xml_twin import Seen

Part = tuple[str, str, int, int]


def _merged(spans: tuple[Span, ...]) -> list[Span]:
    """The passages of a document: overlapping ones united, touching ones apart."""
    found: list[Span] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if found and start < found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((start, end))
    return found


def _inside(inner: Span, outer: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _outermost(spans: set[Span]) -> list[Span]:
    return sorted(
        one for one in spans if not any(one != other and _inside(one, other) for other in spans)
    )


def _parts(kind: str, tree: list[Seen], passages: list[Span]) -> list[Span]:
    filled = [element for element in tree if element.start < element.end]
    spans = {(element.start, element.end) for element in filled}
    if kind == "S":
        return passages
    if kind == "SLD":
        return [(0, tree[0].end)]
    if kind == "SL":
        smallest = set()
        for passage in passages:
            around = [one for one in spans if _inside(passage, one)]
            smallest |= {min(around, key=lambda one: one[1] - one[0])} if around else set()
        return _outermost(smallest)
    if kind == "SS":
        return sorted(
            one
            for passage in passages
            for one in _outermost({one for one in spans if _inside(one, passage)})
        )
    leaves = {(element.start, element.end) for element in filled if element.is_leaf}
    return sorted(one for one in leaves if any(_inside(one, passage) for passage in passages))


def _expected(world: LabWorld, part_set: str, ranking: str) -> list[Part]:
    """A run by the definitions."""
    trees, found = world.trees, []
    for topic in sorted({topic for topic, _, _ in world.judged}):
        own = [(name, _merged(spans)) for judged, name, spans in world.judged if judged == topic]
        size = {name: sum(end - start for start, end in spans) for name, spans in own}
        ranked = sorted((name for name, _ in own if size[name]), key=lambda name: -size[name])
        if not ranked:
            continue
        if ranking.startswith("RS") and len(ranked) > 1:
            ranked[:2] = ranked[1], ranked[0]
        passages = dict(own)
        for rank, name in enumerate(ranked):
            if rank == 0 and ranking in {"RI", "RSI"}:
                found.append(_intruder(world, topic, own))
            parts = _parts(part_set, trees[name], passages[name]) or [(0, 0)]
            found += [(topic, name, start, end) for start, end in parts]
            if rank == 0 and ranking in {"RI2", "RSI2"}:
                found.append(_intruder(world, topic, own))
    return found


def _intruder(world: LabWorld, topic: str, own: list[tuple[str, list[Span]]]) -> Part:
    lengths = sorted(world.trees[name][0].end for name, _ in own)
    for name, passages in own:
        if not passages:
            return topic, name, 0, world.trees[name][0].end
    middle = lengths[(len(lengths) - 1) // 2 : len(lengths) // 2 + 1]
    return topic, "made-up-1", 0, sum(middle) // len(middle)


@examples(20)
@given(lab_worlds())
def test_every_run_is_what_the_definitions_say(world: LabWorld) -> None:
    found = fidelity(world.qrels, world.elements, ["AgP"], rankings=list(RANKINGS))
    assert len(found.runs) == 5 * 6
    for run in found.runs:
        parts = run.frame.select("topic", "doc", "start", "end").rows()
        assert parts == _expected(world, *run.name.split(".")), run.name


CASES: dict[str, tuple[bytes, list[Span], dict[str, list[Span]]]] = {
    "nested": (
        b"<a>0<s>12<p>345</p>6</s>7</a>",
        [(3, 6)],
        {"SL": [(3, 6)], "SS": [(3, 6)], "SST": [(3, 6)]},
    ),
    "an empty element": (
        b"<a>01<p/>23</a>",
        [(1, 3)],
        {"SL": [(0, 4)], "SS": [(0, 0)], "SST": [(0, 0)]},
    ),
    "mixed content": (
        b"<a>0<p>12<b>34</b>56</p>7</a>",
        [(1, 7)],
        {"SL": [(1, 7)], "SS": [(1, 7)], "SST": [(3, 5)]},
    ),
    "adjacent highlights inside one element": (
        b"<a>0<p>123456</p>7</a>",
        [(1, 3), (3, 5)],
        {"SL": [(1, 7)], "SS": [(0, 0)], "SST": [(0, 0)]},
    ),
    "a highlight across elements": (
        b"<a>0<p>12</p>3<p>4<b>5</b></p>6</a>",
        [(1, 5)],
        {"SL": [(0, 7)], "SS": [(1, 3)], "SST": [(1, 3)]},
    ),
    "of nested results the outermost": (
        b"<a>0<s>1<p>23</p>45</s></a>",
        [(2, 4), (5, 6)],
        {"SL": [(1, 6)], "SS": [(2, 4)], "SST": [(2, 4)]},
    ),
    "of equal spans one": (
        b"<a>0<s><p>12</p></s>3</a>",
        [(1, 3)],
        {"SL": [(1, 3)], "SS": [(1, 3)], "SST": [(1, 3)]},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_part_sets_by_hand(case: str) -> None:
    xml, passages, expected = CASES[case]
    world = LabWorld({"d": xml}, (("t", "d", tuple(passages)),))
    runs = {run.name: run.frame for run in fidelity(world.qrels, world.elements, ["AgP"]).runs}
    for name, parts in expected.items():
        assert runs[f"{name}.R"].select("start", "end").rows() == parts, name
        assert _parts(name, world.trees["d"], passages) == [p for p in parts if p != (0, 0)]
    assert runs["S.R"].select("start", "end").rows() == passages
    assert runs["SLD.RI"].filter(pl.col("doc") == "d")["end"].to_list() == [world.trees["d"][0].end]
