"""Campaigns of judging: their file, the log of assessors' acts, the server and the page."""

from typing import TYPE_CHECKING

from foveal.assess.campaign import Campaign, documents_of
from foveal.assess.database import is_database
from foveal.assess.events import Event, EventKind, digest
from foveal.assess.invented_assessors import InventedJudgement, append_invented, varied_spans
from foveal.assess.replay import Judgement
from foveal.assess.schema import (
    Assignment,
    CampaignContents,
    Passage,
    Person,
    PoolEntry,
    Role,
    StoredDocument,
    StoredTopic,
)
from foveal.late import names_in

if TYPE_CHECKING:
    from foveal.assess.event_log import is_log, log_bytes, read_log
    from foveal.assess.exports import Export, exported
    from foveal.assess.imports import Import
    from foveal.assess.new_campaign import CampaignDesign, NewCampaign, assignment_lines, prepare
    from foveal.assess.people import Link, invite, links, set_locked
    from foveal.assess.routes import app
    from foveal.assess.workload import judgements, progress_of
else:
    # These files load packages that most commands do not need and that may not be installed.
    __getattr__ = names_in(
        __name__,
        {
            "exports": "Export exported",
            "imports": "Import",
            "event_log": "is_log log_bytes read_log",
            "new_campaign": "NewCampaign CampaignDesign assignment_lines prepare",
            "people": "Link invite links set_locked",
            "routes": "app",
            "workload": "judgements progress_of",
        },
    )
