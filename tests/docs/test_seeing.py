"""The page about reports and explanations: its names are those of the data, its pictures are small."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import foveal
from foveal.evaluation import PassageOutcome
from foveal.reports import Explanation

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "seeing.md").read_text(encoding="utf-8")
LISTS = dict(re.findall(r"^\| `(\w+)` \| [^|]+ \| ([a-zA-Z0-9_; ]+) \|$", PAGE, re.MULTILINE))
SHOWN = re.findall(r'(?:src|srcset)="([^"]+)"', (ROOT / "README.md").read_text(encoding="utf-8"))
LARGEST_PICTURE = 200_000


@pytest.fixture(scope="module")
def explanation() -> Explanation:
    """One run against another on a topic."""
    qrels = foveal.Qrels.from_dicts(
        [{"topic": "1", "doc": "a", "length": 19, "entry": 0, "highlights": [[0, 9]]}]
    )
    runs = [
        foveal.Run.from_dicts([{"topic": "1", "doc": "a", "start": start, "end": 14}])
        for start in (4, 6)
    ]
    return foveal.explain(qrels, runs[0], topic="1", against=runs[1])


@pytest.mark.parametrize("name", LISTS)
def test_the_columns_of_a_list_are_those_of_its_rows(name: str, explanation: Explanation) -> None:
    listed = LISTS[name].replace("; with two runs", "").split()
    assert listed == getattr(explanation, name).columns


def test_every_list_of_an_explanation_is_listed(explanation: Explanation) -> None:
    data = foveal.render(explanation, to="json")
    found = re.findall(r'^ "(\w+)": \[', data, re.MULTILINE)
    assert {*found} - {"notes"} == {*LISTS}


def test_every_outcome_of_a_passage_is_named() -> None:
    (named,) = re.findall(r"\*outcome\* is (.*?);", PAGE, re.DOTALL)
    assert re.findall(r"`([^`]+)`", named) == [outcome.value for outcome in PassageOutcome]


def test_pictures_of_the_readme_exist_and_are_small() -> None:
    assert len(SHOWN) == 2
    for picture in SHOWN:
        data = (ROOT / picture).read_bytes()
        assert data.startswith(b"\x89PNG")
        assert len(data) < LARGEST_PICTURE
