"""What a run found, missed and wasted, character by character."""

from __future__ import annotations

from typing import Any

from foveal.choices import Form
from foveal.late import pl
from foveal.rendering import ResultNotes, Table, fields_of, legend
from foveal.rendering import fragment as html_fragment
from foveal.reports.explanation.explanation import Explanation
from foveal.reports.explanation.explanation_builder import asked, explain, gathered, overall
from foveal.reports.explanation.explanation_tables import (
    difference_table,
    document_table,
    topic_table,
)
from foveal.reports.explanation.terminal import close_up, drawing, in_notebook, in_terminal, plain


def tables(found: Explanation, form: Form) -> list[Table]:
    """The topics or the documents of one; a terminal shows the text of these as well."""
    if form is Form.TEXT:
        return [Table([], [], 0, plain=drawing(found))]
    if found.topic is not None:
        return [document_table(found, every=True), *legend(found.plain)]
    table = topic_table(found) if found.against is None else difference_table(found)
    return [table, *legend(found.plain)]


def rows(found: Explanation) -> pl.DataFrame:
    """A row per segment of the topic's documents, or a row per topic."""
    return found.topics if found.topic is None else found.segments


def document(found: Explanation) -> dict[str, Any]:
    """Everything as a JSON document."""
    two = found.against is not None
    return {
        **fields_of(found, "settings topics passages documents results segments notes"),
        **({"differences": found.differences} if two else {}),
        **({"shared": found.shared} if two and found.topic is not None else {}),
    }


def fragment(found: Explanation) -> str:
    """What a notebook shows: the tables, and the lines of a terminal, on the grounds of their kinds."""
    made = html_fragment(*tables(found, Form.HTML), remarks=ResultNotes(notes=found.notes))
    return made if found.topic is None else f"{made}\n<pre>{close_up(found, in_notebook)}</pre>"
