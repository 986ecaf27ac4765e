"""Campaigns of judging: the log of what assessors did, the server and the page."""

import importlib
from typing import TYPE_CHECKING, Any

from foveal.assess._database import is_database
from foveal.assess.annotations import annotation_page
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
from foveal.assess.exporting import Export, exported
from foveal.assess.importing import Import, Imported
from foveal.assess.logs import is_log, log_bytes, read_log
from foveal.assess.making import Made, Wishes, planned
from foveal.assess.organising import invite, set_locked
from foveal.assess.planning import described, refuse_names
from foveal.assess.replay import Judgement, replayed
from foveal.assess.watching import progress_of
from foveal.assess.work import Finished, Work, judgements

if TYPE_CHECKING:
    from foveal.assess.server import app
    from foveal.assess.serving import Link, entry_address, links, serve

__all__ = [
    "Act",
    "Assignment",
    "Campaign",
    "Event",
    "Export",
    "Finished",
    "Import",
    "Imported",
    "Judgement",
    "Link",
    "Made",
    "Passage",
    "Person",
    "Plan",
    "Pooled",
    "Role",
    "StoredDocument",
    "StoredTopic",
    "Wishes",
    "Work",
    "annotation_page",
    "app",
    "blocks_of",
    "described",
    "digest",
    "element_blocks",
    "entry_address",
    "exported",
    "invite",
    "is_database",
    "is_log",
    "judgements",
    "links",
    "log_bytes",
    "planned",
    "progress_of",
    "read_log",
    "refuse_names",
    "replayed",
    "serve",
    "set_locked",
]


def __getattr__(name: str) -> Any:
    """Load the server when it is asked for: it needs packages that nothing else needs."""
    if name not in __all__:
        raise AttributeError(f"module 'foveal.assess' has no attribute {name!r}")
    file = "server" if name == "app" else "serving"
    return getattr(importlib.import_module(f"foveal.assess.{file}"), name)
