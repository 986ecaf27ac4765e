"""How far judging has come, worked by hand."""

from __future__ import annotations

from foveal.judging import active_seconds


def test_gaps_count_up_to_the_idle_time() -> None:
    times = [0, 30_000, 150_000, 270_001, 280_001]
    assert active_seconds(times) == 30 + 120 + 10
    assert active_seconds(times, idle_seconds=30) == 30 + 10
    assert active_seconds(times, idle_seconds=1e9) == 280.001


def test_acts_of_several_tabs_are_put_in_order() -> None:
    assert active_seconds([60_000, 0, 30_000, 30_000]) == 60


def test_one_act_takes_no_time() -> None:
    assert active_seconds([5]) == 0
    assert active_seconds(iter([])) == 0
