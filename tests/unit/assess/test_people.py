"""Letting people in, and locking topics."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from foveal.assess import Assignment, Campaign, Person, Role, invite, set_locked
from foveal.errors import RefusedEvent, UsageError
from tests.campaigns import act, campaign_at


@pytest.fixture
def campaign(tmp_path: Path) -> Iterator[Campaign]:
    with campaign_at(tmp_path) as opened:
        yield opened


def token_of(link: str) -> str:
    return link.rpartition("/")[2]


def test_a_new_link_ends_the_old_ones(campaign: Campaign) -> None:
    old, others = campaign.new_link("ann"), campaign.new_link("bob")
    link = invite(campaign, "ann")
    assert link.startswith("http://127.0.0.1:8642/enter/")
    assert campaign.person_of(token_of(link)) == Person(1, "ann", Role.ASSESSOR)
    assert campaign.person_of(old) is None
    assert campaign.person_of(others) is not None


def test_a_link_leads_to_where_the_campaign_was_served_last(campaign: Campaign) -> None:
    campaign.set_meta("address", "https://judge.example.org")
    assert invite(campaign, "ann").startswith("https://judge.example.org/enter/")


def test_an_adjudicator_joins_without_topics(campaign: Campaign) -> None:
    before = campaign.assignments
    link = invite(campaign, "eve", role=Role.ADJUDICATOR)
    assert campaign.person_of(token_of(link)) == Person(4, "eve", Role.ADJUDICATOR)
    assert campaign.assignments == before


def test_an_assessor_joins_as_another_one_or_as_the_main_one(campaign: Campaign) -> None:
    campaign.connection.execute("DELETE FROM assignment WHERE topic = '2'")
    invite(campaign, "cy", topics=["1", "2", "1"])
    own = [row for row in campaign.assignments if row.assessor == "cy"]
    assert [row._replace(order_seed=0) for row in own] == [
        Assignment("1", "cy", 0, 0),
        Assignment("2", "cy", 0, 1),
    ]
    assert [row.order_seed > 0 for row in own] == [True, False]


def test_an_assessor_gets_more_topics_and_keeps_what_they_have(campaign: Campaign) -> None:
    invite(campaign, "ann", topics=["1", "2"])
    own = [row for row in campaign.assignments if row.assessor == "ann"]
    assert own[0] == Assignment("1", "ann", 0, 1)
    assert (own[1].topic, own[1].main) == ("2", 0)


@pytest.mark.parametrize(
    ("name", "role", "topics", "reason"),
    [
        ("anm", None, [], "called 'anm': did you mean 'ann'\\? A new assessor needs a topic"),
        (
            "zz",
            None,
            [],
            "called 'zz': a new assessor needs a topic .--topic T., a new adjudicator",
        ),
        ("zz", Role.ASSESSOR, [], "called 'zz'"),
        ("ann", Role.ADJUDICATOR, [], "'ann' is an assessor of this campaign"),
        ("ada", None, ["1"], "leave out --topic"),
        ("eve", Role.ADJUDICATOR, ["1"], "leave out --topic"),
        ("cy", None, ["11"], "no topic '11'; did you mean '1'\\?"),
        ("cy", None, ["x"], "no topic 'x'$"),
        ("union", None, ["1"], "'union' cannot be the name"),
        ("a\x1b", None, ["1"], "must be printable"),
        ("", None, ["1"], "must not be empty"),
    ],
)
def test_invitations_that_make_no_sense_change_nothing(
    campaign: Campaign, name: str, role: Role | None, topics: list[str], reason: str
) -> None:
    kept = campaign.new_link("ann")
    before = campaign.people, campaign.assignments
    with pytest.raises(UsageError, match=reason):
        invite(campaign, name, role=role, topics=topics)
    assert (campaign.people, campaign.assignments) == before
    assert campaign.person_of(kept) is not None


def locked(campaign: Campaign) -> list[str]:
    return sorted(campaign.locked_topics())


def test_locking_and_unlocking(campaign: Campaign) -> None:
    set_locked(campaign, ["1"], locked=True)
    assert locked(campaign) == ["1"]
    (refused,) = campaign.append([act("done")])
    assert isinstance(refused, RefusedEvent)
    assert refused.status == 423
    set_locked(campaign, [], locked=True)
    assert locked(campaign) == ["1", "2"]
    set_locked(campaign, ["2"], locked=False)
    assert locked(campaign) == ["1"]
    set_locked(campaign, [], locked=False)
    assert locked(campaign) == []
    assert campaign.append([act("done")])[0] == 5
    assert [(event.kind, event.topic, event.assessor) for event in campaign.events()][:2] == [
        ("lock", "1", ""),
        ("lock", None, ""),
    ]


def test_what_is_so_already_is_not_logged_again(campaign: Campaign) -> None:
    set_locked(campaign, [], locked=False)
    set_locked(campaign, ["1"], locked=True)
    set_locked(campaign, ["1", "1"], locked=True)
    assert len(campaign.events()) == 1


def test_an_unknown_topic_locks_nothing(campaign: Campaign) -> None:
    with pytest.raises(UsageError, match="no topic '3'"):
        set_locked(campaign, ["1", "3"], locked=True)
    assert campaign.events() == []
