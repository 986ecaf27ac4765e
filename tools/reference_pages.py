"""The pages of the reference that are made whole."""

from __future__ import annotations

from collections.abc import Iterator

import tools.choice_tables
import tools.command_pages
import tools.format_pages  # noqa: F401  # all register their sections and pages
from tools.environment import environment_page
from tools.error_pages import errors_page
from tools.figure_pages import figures_page
from tools.making import Page, page_text, whole_pages
from tools.rule_pages import rules_page

FOLDER = "reference"


@whole_pages(FOLDER)
def pages() -> Iterator[Page]:
    """The pages that are about one subject each."""
    yield f"{FOLDER}/rules.md", page_text(rules_page())
    yield f"{FOLDER}/figures.md", page_text(figures_page())
    yield f"{FOLDER}/errors.md", page_text(errors_page())
    yield f"{FOLDER}/environment.md", page_text(environment_page())
