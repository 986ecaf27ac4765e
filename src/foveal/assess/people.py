"""Acts of the organiser: invite people, assign topics to them, lock topics."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import NamedTuple

from foveal.assess.campaign import Campaign
from foveal.assess.events import Event, EventKind, now
from foveal.assess.new_campaign import LARGEST_SEED, refuse_names
from foveal.assess.schema import Assignment, Person, Role
from foveal.errors import RefusedEvent, UsageError, did_you_mean, value_text
from foveal.web import HOST, PORT, entry_address

# The address in links to a campaign that has not been served yet.
ADDRESS = f"http://{HOST}:{PORT}"
LOCK_ID_BYTES = 16


class Link(NamedTuple):
    """A person and the address that signs them in."""

    person: Person
    address: str


def links(campaign: Campaign, origin: str) -> list[Link]:
    """A new link for each person; earlier ones stay valid."""
    return [
        Link(person, entry_address(origin, campaign.new_link(person.name)))
        for person in campaign.people
    ]


def invite(
    campaign: Campaign, name: str, *, role: Role | None = None, topics: Sequence[str] = ()
) -> str:
    """Invite a person, new or not; gives a link, and earlier links of the person end.

    A new person joins as an adjudicator, or as an assessor of topics. An assessor gets the topics
    that they do not have yet, as the main assessor of those without one.
    """
    refuse_unknown_topics(campaign, topics)
    person = next((person for person in campaign.people if person.name == name), None)
    if person is None:
        _refuse_idle_newcomer(campaign, name, role, topics)
    elif role not in {None, person.role}:
        raise UsageError(
            f"{value_text(name)} is an {person.role} of this campaign: another role needs another name"
        )
    effective_role = person.role if person else role or Role.ASSESSOR
    if effective_role is Role.ADJUDICATOR and topics:
        raise UsageError(
            "an adjudicator sees every document that assessors disagree on: leave out --topic"
        )
    if person is None:
        campaign.add_person(name, effective_role)
    campaign.assign(_new_assignments(campaign, name, topics))
    token = campaign.new_link(name, end_others=True)
    return entry_address(campaign.meta.get("address", ADDRESS), token)


def set_locked(campaign: Campaign, topics: Sequence[str], *, locked: bool) -> None:
    """Lock or unlock the given topics, or all of them if none is given.

    Topics that are locked or unlocked already get no event.
    """
    refuse_unknown_topics(campaign, topics)
    locked_topics, all_topics = campaign.locked_topics(), [row.topic for row in campaign.topics]
    changed = [topic for topic in topics or all_topics if (topic in locked_topics) is not locked]
    if changed:
        act = EventKind.LOCK if locked else EventKind.UNLOCK
        # A single event for all topics keeps the log short.
        results = campaign.append([_event(act, topic) for topic in (changed if topics else [None])])
        for result in results:
            if isinstance(result, RefusedEvent):
                raise result


def refuse_unknown_topics(campaign: Campaign, topics: Iterable[str]) -> None:
    """Raise UsageError for a topic that the campaign does not have, with a suggestion."""
    names = [row.topic for row in campaign.topics]
    for topic in topics:
        if topic not in names:
            suggestion = did_you_mean(topic, names, value_text)
            raise UsageError(f"the campaign has no topic {value_text(topic)}{suggestion}")


def _refuse_idle_newcomer(
    campaign: Campaign, name: str, role: Role | None, topics: Sequence[str]
) -> None:
    """Raise UsageError if a new person has a bad name, or neither a topic nor a role."""
    if role is Role.ADJUDICATOR or topics:
        refuse_names([name], other_names=[person.name for person in campaign.people])
        return
    matches = get_close_matches(name, [person.name for person in campaign.people], n=1)
    advice = f"did you mean {value_text(matches[0])}? A" if matches else "a"
    raise UsageError(
        f"nobody in the campaign is called {value_text(name)}: {advice} new assessor needs a topic (--topic T),"
        " a new adjudicator needs --role adjudicator"
    )


def _new_assignments(campaign: Campaign, name: str, topics: Iterable[str]) -> list[Assignment]:
    """Assignments of topics: as main assessor in the pool's order, or as second in another order."""
    with_main = {row.topic for row in campaign.assignments if row.main}
    return [
        Assignment(topic, name, 1 + secrets.randbelow(LARGEST_SEED - 1), 0)
        if topic in with_main
        else Assignment(topic, name, 0, 1)
        for topic in dict.fromkeys(topics)
    ]


def _event(act: EventKind, topic: str | None) -> Event:
    event_id = secrets.token_urlsafe(LOCK_ID_BYTES)
    return Event(id=event_id, assessor="", topic=topic, doc=None, kind=act, at_client=now())
