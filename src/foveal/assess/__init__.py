"""Campaigns of judging: the log of what assessors did, the server and the page."""

from foveal.assess.blocks import blocks_of, element_blocks
from foveal.assess.campaign import (
    Assignment,
    Campaign,
    Passage,
    Person,
    Plan,
    Pooled,
    Role,
    StoredDocument,
    StoredTopic,
)
from foveal.assess.events import Act, Event, digest
from foveal.assess.making import Made, Wishes, planned
from foveal.assess.organising import invite, set_locked
from foveal.assess.planning import described, refuse_names
from foveal.assess.replay import Judgement, replayed
from foveal.assess.watching import progress_of

__all__ = [
    "Act",
    "Assignment",
    "Campaign",
    "Event",
    "Judgement",
    "Made",
    "Passage",
    "Person",
    "Plan",
    "Pooled",
    "Role",
    "StoredDocument",
    "StoredTopic",
    "Wishes",
    "blocks_of",
    "described",
    "digest",
    "element_blocks",
    "invite",
    "planned",
    "progress_of",
    "refuse_names",
    "replayed",
    "set_locked",
]
