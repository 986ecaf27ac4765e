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
from foveal.assess.replay import Judgement

if TYPE_CHECKING:
    from foveal.assess._database import is_database
    from foveal.assess.annotations import annotation_page
    from foveal.assess.exporting import Export, exported
    from foveal.assess.importing import Import
    from foveal.assess.logs import is_log, log_bytes, read_log
    from foveal.assess.making import Made, Wishes, planned
    from foveal.assess.organising import invite, set_locked
    from foveal.assess.planning import described
    from foveal.assess.rehearsal import Opinion, differing, rehearse
    from foveal.assess.server import app
    from foveal.assess.serving import Link, links, serve
    from foveal.assess.texts import documents_of
    from foveal.assess.watching import progress_of
    from foveal.assess.work import judgements

__all__ = [
    "Act",
    "Assignment",
    "Campaign",
    "Event",
    "Export",
    "Import",
    "Judgement",
    "Link",
    "Made",
    "Opinion",
    "Passage",
    "Person",
    "Plan",
    "Pooled",
    "Role",
    "StoredDocument",
    "StoredTopic",
    "Wishes",
    "annotation_page",
    "app",
    "described",
    "differing",
    "digest",
    "documents_of",
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
    "rehearse",
    "serve",
    "set_locked",
]

# What loads packages that serving does not need, or that may be missing.
_FILES = {
    "_database": ("is_database",),
    "annotations": ("annotation_page",),
    "exporting": ("Export", "exported"),
    "importing": ("Import",),
    "logs": ("is_log", "log_bytes", "read_log"),
    "making": ("Made", "Wishes", "planned"),
    "organising": ("invite", "set_locked"),
    "planning": ("described",),
    "rehearsal": ("Opinion", "differing", "rehearse"),
    "server": ("app",),
    "serving": ("Link", "links", "serve"),
    "texts": ("documents_of",),
    "watching": ("progress_of",),
    "work": ("judgements",),
}


def __getattr__(name: str) -> Any:
    """Load a file when something of it is first asked for."""
    for file, names in _FILES.items():
        if name in names:
            return getattr(importlib.import_module(f"foveal.assess.{file}"), name)
    raise AttributeError(f"module 'foveal.assess' has no attribute {name!r}")
