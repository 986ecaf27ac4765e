"""Worlds in which all runs are equally good: how often some pair is told apart nevertheless."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from benchmarks import false_alarms
from benchmarks.false_alarms import (
    BOUNDED,
    EXCEPTIONS,
    MARKED,
    NEW,
    OLD,
    PAGE,
    RUNS,
    SETTINGS,
    HeldResamples,
    beyond_bounds,
    corrections,
    verdicts,
)

import foveal
from foveal.analysis import TESTS
from foveal.choices import Correction
from foveal.conventions import USUAL_TESTING
from tests.scored import scores_of

NULL = 300
# So many of them are compared at a time, each by a measure of its own.
AT_ONCE = 10


@pytest.mark.slow
def test_in_one_of_twenty_worlds_without_differences_some_pair_is_told_apart() -> None:
    rng, shares = np.random.default_rng(7), {}
    for (name, world), runs in zip(BOUNDED.items(), (5, 2, 5, 2), strict=True):
        alarms = 0
        for _ in range(NULL // AT_ONCE):
            by_measure = {
                f"P@{place}": {f"r{n}": own for n, own in enumerate(rows)}
                for place, rows in enumerate(world.draw(rng, (AT_ONCE, runs, 12), 0.0), start=1)
            }
            found = foveal.compare(scores_of(by_measure.pop("P@1"), "P@1", **by_measure))
            alarms += len(found.counts.filter(pl.col("significant") > 0))
        shares[name] = alarms / NULL, NULL
    assert not beyond_bounds(shares)
    assert np.mean([share for share, _ in shares.values()]) >= 0.02


@pytest.mark.parametrize("name", ["tied, as of P@5", "same mean, other shape"])
@pytest.mark.parametrize("gain", [0.0, 0.5])
def test_the_benchmark_gives_the_verdicts_of_compare(name: str, gain: float) -> None:
    world = (BOUNDED | EXCEPTIONS)[name]
    (values,) = world.draw(np.random.default_rng(3), (1, 5, 30), gain)
    counts = {setting.resamples for setting in SETTINGS.values()}
    drawn = {count: HeldResamples.seeded(count, 11) for count in counts}
    scores = scores_of({f"run{n}": own for n, own in enumerate(values)})
    tried = set()
    for (setting, correction), better, star in verdicts(values, drawn):
        own = SETTINGS[setting]
        pairs = foveal.compare(
            scores,
            test=own.test,
            tail=own.tail,
            correct=correction,
            resamples=own.resamples,
            rng=11,
        ).pairs
        assert pairs["better"].to_list() == [f"run{n}" for n in better]
        assert pairs["significant"].fill_null(value=False).to_list() == star.tolist()
        tried.add((setting, correction))
    assert {setting for setting, _ in tried} == {OLD, *TESTS}


def test_the_default_is_what_the_benchmark_calls_so() -> None:
    assert (SETTINGS[NEW].test, SETTINGS[NEW].tail) == (USUAL_TESTING.test, USUAL_TESTING.tail)
    assert corrections(SETTINGS[NEW])[0] is Correction.HOLM


def test_a_share_beyond_three_standard_errors_is_named_and_so_is_the_mean() -> None:
    # The standard error of 5 % in 1,900 worlds is half a point.
    assert not beyond_bounds({"one": (0.065, 1900), "other": (0.055, 1900)})
    assert beyond_bounds({"one": (0.066, 1900), "other": (0.05, 1900)}) == ["one: 6.6 % > 6.5 %"]
    assert beyond_bounds({"one": (0.063, 1900), "other": (0.061, 1900)}) == ["mean: 6.2 % > 6 %"]


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page for the tables of a small simulation."""
    monkeypatch.setattr(false_alarms, "TOPICS", (10, 20))
    monkeypatch.setattr(false_alarms, "BOUNDED", {"normal": BOUNDED["normal"]})
    monkeypatch.setattr(false_alarms, "EXCEPTIONS", {})
    empty = tmp_path / "page.md"
    empty.write_text("Before.\n<!-- python -m benchmarks false_alarms -->\n<!-- end -->\nAfter.\n")
    return empty


def test_the_tables_are_written_between_their_marks(page: Path) -> None:
    figures = list(false_alarms.figures(page.parent, 100, page))
    assert figures[-1] == ("… beyond their bound", "0 of 6", "0")
    text = page.read_text()
    assert text.startswith("Before.\n")
    assert text.endswith("<!-- end -->\nAfter.\n")
    assert "All 6 of its cells are at most three standard errors above 5 %." in " ".join(
        text.split()
    )
    assert text.count("| normal |") == len(RUNS)


def test_a_lenient_default_fails_and_the_page_says_so(
    page: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(false_alarms, "corrected", lambda p, errors, _: (p, errors))
    with pytest.raises(RuntimeError, match=r"more false alarms than allowed: .*10 runs, normal"):
        list(false_alarms.figures(page.parent, 100, page))
    assert "More than chance allows: " in page.read_text()


def test_the_page_shows_every_world_and_test() -> None:
    (found,) = MARKED.finditer(PAGE.read_text(encoding="utf-8"))
    for name, world in (BOUNDED | EXCEPTIONS).items():
        for runs in world.runs:
            assert f"| {runs} | {name} |" in found[0]
    for name in SETTINGS:
        assert f"| {name} | " in found[0]
