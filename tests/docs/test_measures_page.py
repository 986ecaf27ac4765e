"""The page of the measures: every entry says the same things in the same order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from foveal.measures import DOCUMENT_SCORES, REGISTRY

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "measures.md").read_text(encoding="utf-8")
ENTRIES: dict[str, str] = dict(
    re.findall(r"^### (\S+?)(?::[^\n]*)?\n(.*?)(?=^##)", PAGE + "##", re.MULTILINE | re.DOTALL)
)
FACTS = [
    "also written", "source", "values", "undefined", "over topics", "answers", "order", "relevance",
    "assumes", "differs", "advice",
]  # fmt: skip
ALWAYS = {"source", "values", "undefined", "over topics", "answers", "relevance", "advice"}


def test_every_measure_and_document_score_has_an_entry() -> None:
    assert set(ENTRIES) == {*REGISTRY, *(f"S={name}" for name in DOCUMENT_SCORES)}


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_keeps_the_order_of_its_parts(name: str) -> None:
    body = ENTRIES[name]
    facts = re.findall(r"^\* ([a-z ]+): ", body, re.MULTILINE)
    assert facts == [fact for fact in FACTS if fact in facts]
    if name in REGISTRY:
        assert set(facts) >= ALWAYS
        assert body.startswith(f"\n`{REGISTRY[name].shape}`\n\n{REGISTRY[name].sentence}\n\n$$")
    places = [body.index("$$"), body.index("* source"), *_first_parameter(body)]
    assert places == sorted(places)


def _first_parameter(body: str) -> list[int]:
    found = re.search(r"^\* `", body, re.MULTILINE)
    assert found is None or not re.search(r"^\* [a-z]", body[found.start() :], re.MULTILINE)
    return [found.start()] if found else []


@pytest.mark.parametrize("name", REGISTRY)
def test_an_entry_names_the_parameters_with_their_values(name: str) -> None:
    of_scores = {own.name for score in DOCUMENT_SCORES.values() for own in score.parameters}
    wanted = [own.name for own in REGISTRY[name].parameters]
    if "S" in wanted:
        wanted = [own for own in wanted if own not in of_scores]
    assert (
        re.findall(r"^\* `(\w+)`: .+ \((?:default: .+|required)\)$", ENTRIES[name], re.MULTILINE)
        == wanted
    )
