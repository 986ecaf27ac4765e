"""Parts whose places in their documents are unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foveal.choices import Like
from foveal.errors import BadInput, Problem, counted
from foveal.tables import Run, columns

if TYPE_CHECKING:
    from foveal.alignment.judged import Judged
    from foveal.conventions import Conventions


def refuse_unplaced(run: Run, judged: Judged, conventions: Conventions) -> None:
    """Refuse parts without offsets; in INEX's runs they are elements that count as irrelevant.

    Judgements of whole documents do not ask where a text is.
    """
    if run.whole_documents_only:
        return
    if judged.has_highlights:
        run.refuse_unplaced()
    if run.is_inex or conventions.like is Like.INEX_EVAL:
        return
    unmapped = run.frame[columns.START] == columns.UNMAPPED
    lines = run.frame[columns.LINE].filter(unmapped).to_list()
    if lines:
        reason = (
            f"no offset (-1) on {counted(len(lines), 'result')}, first at line {min(lines)}: give"
            " the text and --docs DOCUMENTS (in Python docs=foveal.read_documents(...)) to find it;"
            " --like inex_eval counts such results as irrelevant"
        )
        raise BadInput(run.source, [Problem(None, reason)])
