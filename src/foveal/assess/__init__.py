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
from foveal.assess.replay import Judgement, replayed

__all__ = [
    "Act",
    "Assignment",
    "Campaign",
    "Event",
    "Judgement",
    "Passage",
    "Person",
    "Plan",
    "Pooled",
    "Role",
    "StoredDocument",
    "StoredTopic",
    "blocks_of",
    "digest",
    "element_blocks",
    "replayed",
]
