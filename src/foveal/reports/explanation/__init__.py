"""Explanation of a run: text found, missed and wasted, character by character."""

from __future__ import annotations

from typing import Any

from foveal.choices import Form
from foveal.late import pl
from foveal.rendering import ResultNotes, Table, fields_of, legend
from foveal.rendering import fragment as html_fragment
from foveal.reports.explanation.explanation import Explanation
from foveal.reports.explanation.explanation_builder import combined, defaults, explain, explain_task
from foveal.reports.explanation.explanation_tables import (
    difference_table,
    document_table,
    topic_table,
)
from foveal.reports.explanation.terminal import close_up, coloured, coloured_html, full_text, plain


def tables(explanation: Explanation, form: Form) -> list[Table]:
    """The topics, or the documents of one topic; a terminal shows their text as well."""
    if form is Form.TEXT:
        return [Table([], [], 0, terminal_text=full_text(explanation))]
    if explanation.topic is not None:
        return [document_table(explanation, all_documents=True), *legend(explanation.plain)]
    make_table = topic_table if explanation.against is None else difference_table
    return [make_table(explanation), *legend(explanation.plain)]


def rows(explanation: Explanation) -> pl.DataFrame:
    """A row per topic, or with a topic a row per segment of its documents."""
    return explanation.topics if explanation.topic is None else explanation.segments


def document(explanation: Explanation) -> dict[str, Any]:
    """The explanation as a JSON document."""
    names = "settings topics passages documents results segments notes"
    if explanation.against is not None:
        names += " differences" if explanation.topic is None else " differences shared"
    return fields_of(explanation, names)


def fragment(explanation: Explanation) -> str:
    """HTML for a notebook: the tables, and the lines of a terminal with background colours."""
    tables_html = html_fragment(
        *tables(explanation, Form.HTML), result_notes=ResultNotes(notes=explanation.notes)
    )
    if explanation.topic is None:
        return tables_html
    return f"{tables_html}\n<pre>{close_up(explanation, coloured_html)}</pre>"
