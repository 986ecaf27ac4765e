"""Campaigns of judging: the log of what assessors did, the server and the page."""

from foveal.assess._database import is_database
from foveal.assess.annotations import annotation_page
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
from foveal.assess.replay import Judgement, replayed
from foveal.assess.work import Finished, Work, judgements

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
    "Passage",
    "Person",
    "Plan",
    "Pooled",
    "Role",
    "StoredDocument",
    "StoredTopic",
    "Work",
    "annotation_page",
    "digest",
    "exported",
    "is_database",
    "is_log",
    "judgements",
    "log_bytes",
    "read_log",
    "replayed",
]
