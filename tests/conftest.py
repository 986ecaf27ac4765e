"""The tiny world: four documents, three topics, two runs, and numbers worked by hand."""

from __future__ import annotations

import gc
import re
import subprocess
import sys
import traceback
from collections.abc import Generator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tests.examples  # noqa: F401  # loads the profile of Hypothesis before any test is made
from foveal.studies import DemoWorld, demo_world
from foveal.tables import Qrels, Run
from tests.inex import inex_run
from tests.scanners import scanner  # noqa: F401  # a fixture
from tests.turns import in_turns

LENGTHS = {"d1": 100, "d2": 50, "d3": 80, "d4": 200}

JUDGED: list[dict[str, Any]] = [
    # t1 is the worked example of the definitions: Trel = 100, Nrel = 3.
    {"topic": "t1", "doc": "d1", "entry": 10, "highlights": [[10, 40], [60, 70]]},
    {"topic": "t1", "doc": "d2", "entry": 0, "highlights": [[0, 20]]},
    {"topic": "t1", "doc": "d3", "entry": None, "highlights": []},
    {"topic": "t1", "doc": "d4", "entry": 150, "highlights": [[150, 190]]},
    # t2 has overlapping passages and no entry point in d1, touching ones in d3: Trel = 20 + 40.
    {"topic": "t2", "doc": "d1", "entry": None, "highlights": [[0, 10], [5, 20]]},
    {"topic": "t2", "doc": "d3", "entry": 45, "highlights": [[40, 60], [60, 80]]},
    {"topic": "t2", "doc": "d2", "entry": None, "highlights": []},
    # t3 has nothing relevant.
    {"topic": "t3", "doc": "d2", "entry": None, "highlights": []},
    {"topic": "t3", "doc": "d4", "entry": None, "highlights": []},
]

FIRST: list[tuple[str, str, int | None, int | None]] = [
    ("t1", "d1", 0, 50),
    ("t1", "d3", None, None),
    ("t1", "d2", 0, 20),
    ("t1", "d1", 55, 75),
    ("t1", "d4", 100, 160),
    ("t2", "d3", 40, 80),
    ("t2", "d1", 0, 40),
    ("t3", "d2", 0, 10),
]

# The second run returns whole documents and nothing for t2.
SECOND: list[tuple[str, str, int | None, int | None]] = [
    ("t1", "d4", None, None),
    ("t1", "d1", None, None),
]

# P and R of t2, first run: 40/40 and 60/80; 40/60 and 1. Document scores: 1 and 2/3.
# P and R of t1, second run: 40/200 and 80/300; .4 and .8. Document scores: 1/3 and 4/7.
BY_HAND: dict[tuple[str, str], dict[str, Fraction]] = {
    ("first", "t1"): {
        "iP[0.00]": Fraction(3, 5),
        "AiP": Fraction(63013, 197455),
        "charP": Fraction(7, 23),
        "charR": Fraction(7, 10),
        "charF": Fraction(14, 33),
        "cAP": Fraction(65303, 234600),
    },
    ("first", "t2"): {
        "iP[0.00]": Fraction(1),
        "AiP": (67 + 34 * Fraction(3, 4)) / 101,
        "charP": Fraction(3, 4),
        "charR": Fraction(1),
        "charF": Fraction(6, 7),
        "cAP": Fraction(7, 8),
        "gP@1": Fraction(1),
        "gP@2": Fraction(5, 6),
        "gP@10": Fraction(1, 6),
        "AgP": Fraction(11, 12),
        "AgPt": Fraction(17, 18),
        "AgPt2": Fraction(11, 12),
        "AgP(S=bep)": Fraction(37, 52),
    },
    ("second", "t1"): {
        "iP[0.00]": Fraction(4, 15),
        "AiP": Fraction(108, 505),
        "charP": Fraction(4, 15),
        "charR": Fraction(4, 5),
        "charF": Fraction(2, 5),
        "cAP": Fraction(14, 75),
        "gP@1": Fraction(1, 3),
        "gP@2": Fraction(19, 42),
        "gP@10": Fraction(19, 210),
        "AgP": Fraction(11, 42),
    },
    ("second", "t2"): {
        "iP[0.00]": Fraction(0),
        "AiP": Fraction(0),
        "charP": Fraction(0),
        "charR": Fraction(0),
        "charF": Fraction(0),
        "cAP": Fraction(0),
        "gP@1": Fraction(0),
        "gP@2": Fraction(0),
        "gP@10": Fraction(0),
        "AgP": Fraction(0),
        "AgPt": Fraction(0),
        "AgPt2": Fraction(0),
        "AgP(S=bep)": Fraction(0),
    },
}


ROOT = Path(__file__).resolve().parents[1]
# Says what new records lack, before anything fails for want of it.
ADDITIONS = "tests/architecture/test_additions.py"
# What `make quick` runs, and `make test` need not run again.
QUICK = ("tests/architecture/", "tests/docs/", "tests/unit/")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests of the first stage."""
    if item.nodeid.startswith(QUICK) and not item.get_closest_marker("slow"):
        item.add_marker("quick")


@pytest.hookimpl(trylast=True)  # those that are not asked for are gone by then
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Share slow tests among the processes."""
    processes = getattr(config, "workerinput", {"workercount": 1})["workercount"]
    slow = [item for item in items if item.get_closest_marker("slow")]
    fast = [item for item in items if not item.get_closest_marker("slow")]
    items[:] = in_turns(slow, fast, processes)
    items.sort(key=lambda item: not item.nodeid.startswith(ADDITIONS))


@cache
def _lacking() -> list[tuple[str, str]]:
    """Names of incomplete records and what they lack, from a process without records of tests."""
    command = [sys.executable, "-m", "tests.lacking"]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    rows = (line.partition("\t") for line in answer.stdout.splitlines())
    return [(name, sentence) for name, _, sentence in rows]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Say of a test that fails for an incomplete record what the record lacks.

    If the test that says so for all records is run as well, nothing else fails for that.
    """
    report = yield
    if not report.failed or call.excinfo is None or item.nodeid.startswith(ADDITIONS):
        return report
    failure = "".join([item.nodeid, *traceback.format_exception(call.excinfo.value)])
    sentences = [
        sentence
        for name, sentence in _lacking()
        # Pages show all records.
        if item.nodeid.startswith("tests/docs/")
        or re.search(rf"(?<!\w){re.escape(name)}(?!\w)", failure)
    ]
    if sentences and any(
        session_item.nodeid.startswith(ADDITIONS) for session_item in item.session.items
    ):
        report.outcome = "skipped"
        report.longrepr = (str(ROOT / ADDITIONS), 0, f"Skipped: {'; '.join(sentences)}")
    elif sentences:
        report.sections.append(("what is not complete", "\n".join(sentences)))
    return report


def pytest_collection_finish() -> None:
    """Look for garbage among what tests make, not again and again among what was imported."""
    gc.freeze()
    gc.set_threshold(50_000)


def _run(name: str, parts: list[tuple[str, str, int | None, int | None]]) -> Run:
    rows = [dict(zip(("topic", "doc", "start", "end"), part, strict=True)) for part in parts]
    return inex_run(rows, name)


@pytest.fixture(scope="session")
def whole_demo() -> DemoWorld:
    """The world of `foveal demo`, which takes a second to make. Nobody writes in it."""
    return demo_world(np.random.default_rng(2007))


@pytest.fixture
def tiny_qrels() -> Qrels:
    """Judgements of t1, t2 and t3; t3 has nothing relevant."""
    return Qrels.from_dicts([{**row, "length": LENGTHS[row["doc"]]} for row in JUDGED])


@pytest.fixture
def first_run() -> Run:
    """Parts of documents for all three topics."""
    return _run("first", FIRST)


@pytest.fixture
def second_run() -> Run:
    """Whole documents for t1 only."""
    return _run("second", SECOND)


@pytest.fixture
def by_hand() -> dict[tuple[str, str], dict[str, Fraction]]:
    """Scores of the two runs by (run, topic), worked by hand."""
    return BY_HAND
