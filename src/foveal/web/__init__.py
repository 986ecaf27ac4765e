"""One guarded server on one SQLite file: the checks of requests, the responses and the one writer."""

from typing import TYPE_CHECKING

from foveal.late import names_in
from foveal.web.database import RolledBack, connect, explained, foveal_error, opened, transaction

if TYPE_CHECKING:
    from foveal.web.guard import Application, Guard
    from foveal.web.responses import page_file, refusal, static, welcome
    from foveal.web.server import HOST, PORT, entry_address, serve
    from foveal.web.writer import Writer, disk_error
else:
    # Most commands open the file without serving it.
    __getattr__ = names_in(
        __name__,
        {
            "guard": "Application Guard",
            "responses": "page_file refusal static welcome",
            "server": "HOST PORT entry_address serve",
            "writer": "Writer disk_error",
        },
    )
