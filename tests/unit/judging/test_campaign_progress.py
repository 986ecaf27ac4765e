"""How far judging has come, worked by hand."""

from __future__ import annotations

from foveal.judging import (
    AssessorProgress,
    CampaignProgress,
    TopicProgress,
    TopicStatus,
    active_seconds,
)


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


def test_a_topic_that_only_adjudicators_see_has_no_assessor() -> None:
    progress = CampaignProgress.of(
        [TopicProgress("1", "ann", "assessor", 2, 1, 0, 0, 0, 5.0), TopicProgress("2", "ada", "adjudicator", 1, 0, 0, 0, 0, 0.0)],
        [AssessorProgress("ann", "assessor", 9.0), AssessorProgress("ada", "adjudicator", 0.0), AssessorProgress("eve", "assessor", 0.0)],
        [TopicStatus("1", locked=False, documents=2, done=1, finished_twice=0, disputed=0, adjudicated=0),
         TopicStatus("2", locked=True, documents=1, done=0, finished_twice=0, disputed=1, adjudicated=0)],
        {},
    )  # fmt: skip
    assert progress.notes == ("1 topic without an assessor: 2",)
    assert repr(progress) == "<CampaignProgress: 1 of 3 documents finished>"
    assert progress.people.select("topics", "left", "seconds", "seconds_left").rows() == [
        (1, 1, 9.0, 9.0),
        (1, 1, 0.0, 9.0),
        (0, 0, 0.0, 0.0),
    ]
