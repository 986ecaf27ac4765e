"""What is said about how far judging has come."""

from __future__ import annotations

import pytest

from foveal.judging import AssessorProgress, CampaignProgress, TopicProgress, TopicStatus
from foveal.rendering import render
from foveal.rendering._numbers import duration


def progress(
    done: int, *, seconds: float = 60, locked: str = "", name: str = "ann"
) -> CampaignProgress:
    """One assessor with two topics of two documents each, and so many of the first finished."""
    return CampaignProgress.of(
        [TopicProgress("1", name, "assessor", 2, done, 1, 3, 1_234, seconds), TopicProgress("2", name, "assessor", 2, done, 0, 0, 0, 0.0)],
        [AssessorProgress(name, "assessor", seconds)],
        [
            TopicStatus(topic, locked=topic in locked, documents=2, done=done, finished_twice=0, disputed=0, adjudicated=0)
            for topic in "12"
        ],
        {"idle": "120 seconds"},
    )  # fmt: skip


def reading(found: CampaignProgress) -> str:
    """The paragraph between the first two tables, on one line."""
    return " ".join(str(found).split("\n\n")[1].split())


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (progress(0, seconds=0), "0 of 4 documents finished (0 %); 4 are left."),
        (
            progress(1),
            "2 of 4 documents finished (50 %); 2 are left, about 1 min of work at the pace so far.",
        ),
        (progress(2), "4 of 4 documents finished (100 %)."),
        (progress(2, locked="2"), "4 of 4 documents finished (100 %). Topic 2 is locked."),
        (progress(2, locked="12"), "4 of 4 documents finished (100 %). All topics are locked."),
        (CampaignProgress.of([], [], [], {}), "There is nothing to judge."),
    ],
)
def test_the_progress_in_words(found: CampaignProgress, expected: str) -> None:
    assert reading(found) == expected


def test_one_assessor_needs_no_sum_and_topics_without_locks_no_column() -> None:
    text = str(progress(1))
    assert "all" not in text.split("By topic", maxsplit=1)[0].split()
    assert "locked" not in text
    assert "1,234" in text


def test_names_can_neither_draw_nor_control() -> None:
    found = progress(1, name="<b>\x1b[31m")
    assert "\x1b" not in str(found)
    html = render(found, "html")
    assert "&lt;b&gt;" in html
    assert "<b>" not in html


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0, "0 s"), (59.4, "59 s"), (59.6, "1 min"), (60, "1 min"), (3569, "59 min"),
        (3571, "1 h 00 min"), (3660, "1 h 01 min"), (4_000_000, "1,111 h 07 min"),
    ],
)  # fmt: skip
def test_durations_are_said_as_people_say_them(seconds: float, expected: str) -> None:
    assert duration(seconds) == expected
