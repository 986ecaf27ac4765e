"""Every measure is worked out by hand in its record, and its kernel gives the same number."""

from __future__ import annotations

import json
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

import pytest

from foveal.measures import DOCUMENT_SCORES, REGISTRY, DocumentScore, Record, parse
from tests.arithmetic import worked_out
from tests.cli.calling import foveal
from tests.each import each

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "examples" / "measures"
RECORDS: dict[str, Record | DocumentScore] = {
    **REGISTRY,
    **{f"S={name}": score for name, score in DOCUMENT_SCORES.items()},
}
WORKED = {name: record.worked for name, record in RECORDS.items() if record.worked}
TOLERANCE = 1e-12
DIGITS = 4


@pytest.fixture(scope="module")
def scores() -> dict[tuple[str, str], float]:
    """The values that the commands print, by files and measure."""
    asked: dict[str, list[str]] = defaultdict(list)
    for worked in WORKED.values():
        asked[worked.files] += ["-m", worked.measure]
    return {
        (files, row["measure"]): row["value"]
        for files, words in asked.items()
        for row in map(json.loads, _printed(files, words))
    }


def _printed(files: str, words: list[str]) -> list[str]:
    answer = foveal("evaluate", *files.split(), *words, "--to", "jsonl", folder=FOLDER)
    assert answer.code == 0, answer.err
    return answer.out.splitlines()


@each("name", WORKED)
def test_the_arithmetic_gives_what_the_kernel_gives(
    name: str, scores: dict[tuple[str, str], float]
) -> None:
    worked = WORKED[name]
    value = scores[worked.files, worked.measure]
    *steps, shown = worked.arithmetic.split(" = ")
    assert steps, "write the formula with its numbers, and then the value"
    for step in steps:
        assert float(worked_out(step)) == pytest.approx(value, abs=TOLERANCE, rel=0), step
    digits = len(shown.partition(".")[2])
    assert shown == f"{value:.{digits}f}"
    assert digits == DIGITS or abs(float(shown) - value) < TOLERANCE


@each("name", WORKED)
def test_an_example_is_one_of_its_record_in_its_canonical_spelling(name: str) -> None:
    measure = parse(WORKED[name].measure)
    assert str(measure) == WORKED[name].measure
    if name in REGISTRY:
        assert measure.record.name == name
    else:
        assert f"S={dict(measure.arguments)['S']}" == name


def test_an_example_has_words_that_say_where_its_numbers_come_from() -> None:
    assert [name for name, worked in WORKED.items() if not worked.explanation.endswith(".")] == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1/2 + 2/3 · 3", Fraction(5, 2)),
        ("1/11 + 2/12 + … + 4/14", Fraction(1, 11) + Fraction(2, 12) + Fraction(3, 13) + Fraction(4, 14)),
        ("[30 > 0] - [1/2 ≥ 0.5] + (2/3)^2", Fraction(4, 9)),
        ("max(1, 2) / min(4, 6)", Fraction(1, 2)),
    ],
)  # fmt: skip
def test_arithmetic_is_exact(text: str, value: Fraction) -> None:
    assert worked_out(text) == value


def test_what_is_not_arithmetic_is_refused() -> None:
    with pytest.raises(ValueError, match="not arithmetic: x"):
        worked_out("1 + x")
