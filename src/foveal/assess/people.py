"""What an organiser does to a campaign under way: let people in, give them topics, lock topics."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import NamedTuple

from foveal.assess.campaign import Campaign
from foveal.assess.events import Event, EventKind, now
from foveal.assess.new_campaign import LARGEST_SEED, refuse_names
from foveal.assess.schema import Assignment, Person, Role
from foveal.errors import RefusedEvent, UsageError, did_you_mean, kind
from foveal.web import HOST, PORT, entry_address

# The address in links to a campaign that has not been served yet.
ADDRESS = f"http://{HOST}:{PORT}"
LOCK_ID_BYTES = 16


class Link(NamedTuple):
    """The address that lets somebody in."""

    person: Person
    address: str


def links(campaign: Campaign, origin: str) -> list[Link]:
    """A new link for everybody; earlier ones stay valid."""
    return [
        Link(person, entry_address(origin, campaign.new_link(person.name)))
        for person in campaign.people
    ]


def invite(
    campaign: Campaign, name: str, *, role: Role | None = None, topics: Sequence[str] = ()
) -> str:
    """A link that lets somebody in; earlier links of theirs end.

    Whoever is new joins as an adjudicator, or as an assessor of some topics. An assessor gets the
    topics that they do not have yet, as the main assessor where there is none.
    """
    refuse_unknown_topics(campaign, topics)
    person = next((person for person in campaign.people if person.name == name), None)
    if person is None:
        _refuse_newcomer(campaign, name, role, topics)
    elif role not in {None, person.role}:
        raise UsageError(
            f"{kind(name)} is an {person.role} of this campaign: another role needs another name"
        )
    joins_as = person.role if person else role or Role.ASSESSOR
    if joins_as is Role.ADJUDICATOR and topics:
        raise UsageError(
            "an adjudicator sees every document that assessors disagree on: leave out --topic"
        )
    if person is None:
        campaign.add_person(name, joins_as)
    campaign.assign(_further(campaign, name, topics))
    token = campaign.new_link(name, end_others=True)
    return entry_address(campaign.meta.get("address", ADDRESS), token)


def set_locked(campaign: Campaign, topics: Sequence[str], *, locked: bool) -> None:
    """Lock or unlock some topics, or all of them if none is named.

    Topics that are locked or unlocked already get no event.
    """
    refuse_unknown_topics(campaign, topics)
    closed, every = campaign.locked_topics(), [row.topic for row in campaign.topics]
    changing = [topic for topic in topics or every if (topic in closed) is not locked]
    if changing:
        act = EventKind.LOCK if locked else EventKind.UNLOCK
        # One event for all keeps the log short.
        answers = campaign.append([_act(act, topic) for topic in (changing if topics else [None])])
        for refused in answers:
            if isinstance(refused, RefusedEvent):
                raise refused


def refuse_unknown_topics(campaign: Campaign, topics: Iterable[str]) -> None:
    """Raise UsageError for a topic that the campaign does not have, and suggest one."""
    known = [row.topic for row in campaign.topics]
    for topic in topics:
        if topic not in known:
            hint = did_you_mean(topic, known, kind)
            raise UsageError(f"the campaign has no topic {kind(topic)}{hint}")


def _refuse_newcomer(
    campaign: Campaign, name: str, role: Role | None, topics: Sequence[str]
) -> None:
    """Raise unless somebody new is given something to do."""
    if role is Role.ADJUDICATOR or topics:
        refuse_names([name], beside=[person.name for person in campaign.people])
        return
    close = get_close_matches(name, [person.name for person in campaign.people], n=1)
    hint = f"did you mean {kind(close[0])}? A" if close else "a"
    raise UsageError(
        f"nobody in the campaign is called {kind(name)}: {hint} new assessor needs a topic (--topic T),"
        " a new adjudicator needs --role adjudicator"
    )


def _further(campaign: Campaign, name: str, topics: Iterable[str]) -> list[Assignment]:
    """Somebody's new topics: as main assessor in the pool's order, or as another in their own."""
    taken = {row.topic for row in campaign.assignments if row.main}
    return [
        Assignment(topic, name, 1 + secrets.randbelow(LARGEST_SEED - 1), 0)
        if topic in taken
        else Assignment(topic, name, 0, 1)
        for topic in dict.fromkeys(topics)
    ]


def _act(act: EventKind, topic: str | None) -> Event:
    return Event(
        id=secrets.token_urlsafe(LOCK_ID_BYTES),
        assessor="",
        topic=topic,
        doc=None,
        kind=act,
        at_client=now(),
    )
