"""What invented assessors do."""

from __future__ import annotations

from pathlib import Path

import pytest

from foveal.assess import InventedJudgement, Judgement, append_invented, varied_spans
from foveal.errors import RefusedEvent
from tests.campaigns import TEXTS, campaign_at

TEXT = "One fish. Two fish. Red fish. Blue fish."


@pytest.mark.parametrize(
    ("turn", "expected"),
    [(0, "Two fish. Red fish."), (1, "Red fish."), (2, "Two fish. Red fish. Blue fish."), (3, "Two fish. Red fish.")],
)  # fmt: skip
def test_another_assessor_highlights_the_same_or_a_sentence_less_or_more(
    turn: int, expected: str
) -> None:
    text = TEXT + " End"
    ((start, stop),) = varied_spans(text, [(10, 29)], turn)
    assert text[start:stop] == expected


@pytest.mark.parametrize("turn", range(3))
def test_where_there_is_no_other_sentence_it_is_the_same(turn: int) -> None:
    assert varied_spans("One fish.", [(0, 9)], turn) == [(0, 9)]


def test_opinions_become_finished_judgements(tmp_path: Path) -> None:
    with campaign_at(tmp_path) as campaign:
        opinions = [
            InventedJudgement("plain", [(11, 31), (0, 10)]),
            InventedJudgement("stones", []),
        ]
        for _ in range(2):
            append_invented(campaign, "1", "bob", opinions, until=1_000_000)
        assert campaign.judgement("bob", "1", "plain") == Judgement(
            ((0, 10), (11, 31)), 0, done=True
        )
        assert campaign.judgement("bob", "1", "stones") == Judgement(done=True)
        log = campaign.events()
        assert len(log) == 7
        assert [event.at_client for event in log][::6] == [850_000, 1_000_000]
        assert TEXTS["plain"][0:10] == "Fish swim."


def test_what_the_campaign_refuses_is_raised(tmp_path: Path) -> None:
    with campaign_at(tmp_path) as campaign, pytest.raises(RefusedEvent, match="characters"):
        append_invented(campaign, "1", "bob", [InventedJudgement("plain", [(0, 9999)])], until=0)
