"""Campaigns of judging: the log of what assessors did, the server and the page."""

import importlib
from typing import TYPE_CHECKING, Any

from foveal.assess.campaign import Campaign
from foveal.assess.events import Act, Event, digest
from foveal.assess.records import (
    Assignment,
    Passage,
    Person,
    Plan,
    Pooled,
    Role,
    StoredDocument,
    StoredTopic,
)
from foveal.assess.replay import Judgement, replayed

if TYPE_CHECKING:
    from foveal.assess.server import app
    from foveal.assess.serving import Link, entry_address, links, serve

__all__ = [
    "Act",
    "Assignment",
    "Campaign",
    "Event",
    "Judgement",
    "Link",
    "Passage",
    "Person",
    "Plan",
    "Pooled",
    "Role",
    "StoredDocument",
    "StoredTopic",
    "app",
    "digest",
    "entry_address",
    "links",
    "replayed",
    "serve",
]


def __getattr__(name: str) -> Any:
    """Load the server when it is asked for: it needs packages that nothing else needs."""
    if name not in __all__:
        raise AttributeError(f"module 'foveal.assess' has no attribute {name!r}")
    file = "server" if name == "app" else "serving"
    return getattr(importlib.import_module(f"foveal.assess.{file}"), name)
