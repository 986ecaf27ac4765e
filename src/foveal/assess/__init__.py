"""Campaigns of judging: the log of what assessors did, the server and the page."""

from typing import TYPE_CHECKING

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
from foveal.late import names_in

if TYPE_CHECKING:
    from foveal.assess._database import is_database
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
else:
    # Serving does without what these files load, and some of that may not be installed.
    __getattr__ = names_in(
        __name__,
        {
            "_database": "is_database",
            "exporting": "Export exported",
            "importing": "Import",
            "logs": "is_log log_bytes read_log",
            "making": "Made Wishes planned",
            "organising": "invite set_locked",
            "planning": "described",
            "rehearsal": "Opinion differing rehearse",
            "server": "app",
            "serving": "Link links serve",
            "texts": "documents_of",
            "watching": "progress_of",
            "work": "judgements",
        },
    )
