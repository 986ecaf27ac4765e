"""Every number on a report's page is what `evaluate` and `compare` give."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import foveal
from foveal.choices import Task
from foveal.measures import curve_measures
from foveal.reports.report.sections import significance
from foveal.tables import Qrels, Run
from foveal.tables import columns as c
from tests.cli.odd_names import two_digits
from tests.examples import examples
from tests.report_pages import ReadPage

LENGTH, CELL = 200, 20
MEASURES = {
    Task.FOCUSED: ["AiP", "iP[0.01]", "charF"],
    Task.RIC: ["AgP", "gP@5"],
    Task.BIC: ["AgP(S=bep)", "gP(S=bep)@5"],
    Task.DOCUMENT: ["AP", "RR"],
    Task.RAG: ["all@5", "cR(chars=60)"],
}
# What pages of task rag call them.
PLAIN = {"cR(chars=60)": "recall@60chars"}
RESAMPLES = 200


@dataclass(frozen=True)
class World:
    """Judgements and some runs, drawn by a seed."""

    qrels: Qrels
    runs: list[Run]
    groups: dict[str, str]

    @classmethod
    def of(cls, seed: int, runs: int, task: Task) -> World:
        rng = np.random.default_rng(seed)
        topics = [f"t{place}" for place in range(int(rng.integers(1, 7)))]
        judged: list[dict[str, Any]] = []
        for topic in topics:
            for doc in range(5):
                cells = np.flatnonzero(rng.random(LENGTH // CELL) < rng.uniform(0, 0.6))
                spans = [[int(cell) * CELL + 3, int(cell) * CELL + 15] for cell in cells]
                entry = spans[0][0] if spans else None
                judged.append(
                    {"topic": topic, "doc": f"d{doc}", "length": LENGTH, "entry": entry}
                    | {"highlights": spans}
                )
        made = [
            Run.from_dicts(list(_results(rng, topics, task)), name=f"run{place}")
            for place in range(runs)
        ]
        groups = {topic: str(rng.integers(3)) for topic in topics}
        return cls(Qrels.from_dicts(judged), made, groups)


def _results(rng: np.random.Generator, topics: list[str], task: Task) -> Any:
    for topic in topics:
        count = 6 if task in {Task.DOCUMENT, Task.BIC} else 30
        chosen = rng.choice(6 * LENGTH // CELL, size=count, replace=False)
        places = [divmod(int(place), LENGTH // CELL) for place in np.sort(chosen)]
        if task in {Task.DOCUMENT, Task.BIC}:
            places = list({doc: (doc, cell) for doc, cell in places}.values())
        for rank, (doc, cell) in enumerate(places, start=1):
            row = {"topic": topic, "doc": f"d{doc}", "rank": rank}
            if task is not Task.DOCUMENT:
                start = cell * CELL
                row |= {"start": start, "end": start + (0 if task is Task.BIC else CELL)}
            yield row


WORLDS = st.builds(
    lambda seed, runs, task: (World.of(seed, runs, task), task),
    st.integers(0, 10_000),
    st.integers(1, 4),
    st.sampled_from(list(MEASURES)),
)


def _reported(world: World, task: Task) -> tuple[foveal.Report, ReadPage]:
    found = foveal.report(
        world.qrels,
        world.runs,
        MEASURES[task],
        task=task,
        groups=world.groups,
        resamples=RESAMPLES,
    )
    return found, ReadPage.of(found.page())


@examples(8)
@example((World.of(3105, 2, Task.DOCUMENT), Task.DOCUMENT))
@given(WORLDS)
def test_the_leaderboard_shows_the_means_of_evaluate(drawn: tuple[World, Task]) -> None:
    world, task = drawn
    found, page = _reported(world, task)
    scores = foveal.evaluate(world.qrels, world.runs, MEASURES[task], task=task)
    board = page.board()
    assert list(board) == found.ranking
    for run, cells in board.items():
        for name in MEASURES[task]:
            shown, value = cells[PLAIN.get(name, name)]
            assert value == scores[run, name]
            assert shown == f"{value:.4f}"
    leading = [board[run][PLAIN.get(found.measure, found.measure)][1] for run in board]
    # Runs whose means differ by rounding alone are in the order of their names.
    leading = [round(mean, 12) for mean in leading]
    assert leading == sorted(leading, reverse=True)
    ranks = [int(cells["rank"][0]) for cells in board.values()]
    assert ranks == [1 + sum(other > own for other in leading) for own in leading]


@examples(8)
@given(WORLDS)
def test_topics_and_groups_show_the_values_of_evaluate(drawn: tuple[World, Task]) -> None:
    world, task = drawn
    found, page = _reported(world, task)
    name = found.measure
    scores = foveal.evaluate(world.qrels, world.runs, name, task=task, groups=world.groups)
    values = {(run, topic): value for run, topic, value in scores.topics.iter_rows()}
    heat = page.figures["topics-figure"]
    shown = np.reshape(heat["values"], (len(heat["rows"]), len(heat["columns"])))
    for row, run in enumerate(heat["rows"]):
        for column, topic in enumerate(heat["columns"]):
            assert shown[row, column] == round(values[run, topic], 4)
    for table in page.tables("topics")[1:]:
        for line in table:
            own = [values[run, line["topic"]] for run in scores.runs]
            told = [line[f"mean {name}"], line["lowest"], line["highest"]]
            assert told == [f"{one:.4f}" for one in (np.mean(own), min(own), max(own))]
    (table,) = page.tables("groups")
    for line in table:
        for head, cell in line.items():
            if head != "run":
                group, size = head[:-1].split(" (")
                members = [topic for topic in world.groups if group in {world.groups[topic], "all"}]
                assert int(size) == len(members)
                own = [values[line["run"], topic] for topic in members]
                assert cell == f"{np.mean(own):.4f}"


@examples(8)
@given(WORLDS)
def test_pairs_and_intervals_are_those_of_compare(drawn: tuple[World, Task]) -> None:
    world, task = drawn
    found, page = _reported(world, task)
    if len(world.runs) == 1:
        assert "pairs" not in page.sections
        return
    scores = foveal.evaluate(world.qrels, world.runs, MEASURES[task], task=task)
    compared = foveal.compare(
        scores, found.measure, test="randomization", tail="two", correct="holm", resamples=RESAMPLES
    )
    (table,) = page.tables("pairs")
    known = {
        (better, worse): (p, told)
        for better, worse, p, told in compared.pairs.select(
            c.BETTER, c.WORSE, c.ADJUSTED_P, c.SIGNIFICANT
        ).iter_rows()
    }
    assert {(row["better"], row["worse"]) for row in table} == set(known)
    for row in table:
        p, told = known[row["better"], row["worse"]]
        assert row.get("adjusted_p", row.get("p")) == ("" if p is None else two_digits(p))
        assert row["significant"] == ("yes" if told else "" if told is None else "no")


@examples(8)
@given(WORLDS)
def test_curves_and_readings_are_the_measures_at_their_levels(drawn: tuple[World, Task]) -> None:
    world, task = drawn
    _, page = _reported(world, task)
    curves = page.figures["curves-figure"]
    names = curve_measures(task, len(curves["levels"]))
    _assert_means(world, task, curves, names)
    if task in {Task.DOCUMENT, Task.BIC}:
        assert "reading-figure" not in page.figures
        return
    readings = page.figures["reading-figure"]
    names = [f"cR(chars={level.replace(',', '')})" for level in readings["levels"]]
    _assert_means(world, task, readings, names)


def _assert_means(world: World, task: Task, shown: dict[str, Any], names: list[str]) -> None:
    scores = foveal.evaluate(world.qrels, world.runs, names, task=task)
    for run, own in zip(shown["runs"], shown["values"], strict=True):
        expected = [scores[run, name] for name in scores.measures]
        assert own == pytest.approx(expected, abs=0.5001e-4)


@given(st.integers(1, 8), st.data())
def test_runs_share_a_letter_exactly_where_they_do_not_differ(
    runs: int, data: st.DataObject
) -> None:
    ranks = {f"r{place}": place + 1 for place in range(runs)}
    pairs = list(combinations(ranks, 2))
    told = data.draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    letters = significance(ranks, told).texts
    assert list(letters) == list(ranks)
    assert all(letters.values())
    for one, other in pairs:
        shared = _spelled(letters[one]) & _spelled(letters[other])
        assert bool(shared) == ((one, other) not in told)
    # No letter is superfluous: none stands only where another does.
    groups: dict[str, set[str]] = {}
    for run, own in letters.items():
        for letter in _spelled(own):
            groups.setdefault(letter, set()).add(run)
    assert not [1 for one in groups for other in groups if groups[one] < groups[other]]
    assert len(set(map(frozenset, groups.values()))) == len(groups)


def test_many_runs_that_each_have_a_better_variant_get_ranks() -> None:
    ranks = {f"r{place}": place + 1 for place in range(400)}
    names = list(ranks)
    column = significance(ranks, [(names[place], names[place + 1]) for place in range(0, 400, 2)])
    assert column.header == "not told apart from"
    assert column.texts["r0"] == "1, 3–400"
    assert column.texts["r11"] == "1–10, 12–400"
    scattered = significance(
        ranks, [*combinations(names[:40:2], 2), *combinations(names[1:41:2], 2)]
    )
    assert scattered.texts["r0"] == "1–2, 4, 6, …"
    assert significance(ranks, combinations(names, 2)).texts["r7"] == "8"


@pytest.mark.parametrize(("runs", "head"), [(27, "letters"), (28, "not told apart from")])
def test_as_many_groups_as_there_are_letters_have_one_each(runs: int, head: str) -> None:
    ranks = {f"r{place}": place + 1 for place in range(runs)}
    # Each run differs from all but its neighbours, so two neighbours are a group.
    told = [(one, other) for one, other in combinations(ranks, 2) if ranks[other] - ranks[one] > 1]
    column = significance(ranks, told)
    assert column.header == head
    assert column.texts["r1"] == ("a b" if head == "letters" else "1–3")


def _spelled(letters: str) -> set[str]:
    """All letters, those between the first and the last of a row included."""
    if "–" not in letters:
        return set(letters.split())
    first, last = letters.split("–")
    return {chr(code) for code in range(ord(first), ord(last) + 1)}
