"""The log of a campaign as JSON Lines, an event per line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any, NamedTuple

from foveal.assess.campaign import Campaign
from foveal.assess.events import LATEST, ORGANISING, PAGE_FIELDS, Event
from foveal.assess.schema import Role
from foveal.errors import BadInput, DataError, Problem, RefusedEvent, value_text
from foveal.files import Head, Source
from foveal.formats import json_objects
from foveal.work import stage, tracked

# The order of the keys is that of the columns in the campaign.
KEYS = ("number", *(field.name for field in fields(Event) if field.name != "number"), "role")
REQUIRED_KEYS = ("id", "assessor", "kind", "at_server")


class LoggedEvent(NamedTuple):
    """An event of a log with its line, and the role of its assessor if the log has it."""

    line: int
    event: Event
    role: Role | None


def log_bytes(campaign: Campaign) -> bytes:
    """The log, an event per line in order, each with the role of its assessor."""
    with stage("reading the log"):
        events = campaign.events()
    # People are read after the events: whoever has an event has joined, so has a role here.
    roles = {person.name: person.role.value for person in campaign.people}
    if not events:
        raise DataError(f"{campaign.path}: nobody has done anything yet, so the log is empty")
    lines = []
    for event in tracked(events, "writing events", len(events)):
        row = {**event.row(), "role": roles.get(event.assessor)}
        lines.append(json.dumps({key: row[key] for key in KEYS}, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines).encode()


def is_log(head: Head) -> bool:
    """Whether a file begins with a line of a log."""
    try:
        first_row = json.loads(head.line)
    except (ValueError, RecursionError):
        return False
    return isinstance(first_row, dict) and all(key in first_row for key in REQUIRED_KEYS)


def read_log(source: Source) -> list[LoggedEvent]:
    """The events of a log in its order; raises BadInput with every line that is not an event."""
    problems: list[Problem] = []
    events = list(_events(source, problems))
    if problems:
        raise BadInput(source.name, problems)
    return events


def _events(source: Source, problems: list[Problem]) -> Iterator[LoggedEvent]:
    for line, row in json_objects(source, problems):
        try:
            yield _logged(line, row)
        except RefusedEvent as error:
            problems.append(Problem(line, str(error)))


def _logged(line: int, row: dict[str, Any]) -> LoggedEvent:
    for key in row:
        if key not in KEYS:
            raise RefusedEvent(f"a log has no key {value_text(key)}")
    name, at_server, role = row.get("assessor"), row.get("at_server"), row.get("role")
    if type(name) is not str:
        raise RefusedEvent(f"assessor must be a text, got {value_text(name)}")
    if type(at_server) is not int or not 0 <= at_server <= LATEST:
        raise RefusedEvent(f"at_server must be a whole number from 0, got {value_text(at_server)}")
    event = Event.of({key: row[key] for key in row if key in PAGE_FIELDS}, name)
    if (not name) is not (event.kind in ORGANISING):
        raise RefusedEvent(f"{event.kind} by {name or 'nobody'}: only the organiser has no name")
    if role is not None and role not in [*Role]:
        raise RefusedEvent(f"role must be assessor or adjudicator, got {value_text(role)}")
    return LoggedEvent(line, replace(event, at_server=at_server), Role(role) if role else None)
