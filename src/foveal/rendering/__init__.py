"""Results for people and for other programs: every result, every form, one function."""

from typing import TYPE_CHECKING

from foveal.late import names_in
from foveal.rendering.render import drawn, refuse_groups, render, rendered_bytes

if TYPE_CHECKING:
    from foveal.rendering import explanation
    from foveal.rendering.drawing import page_style
    from foveal.rendering.figures import (
        FIGURES,
        Figure,
        FigureRecord,
        figure,
        figures_of,
        refuse_unless_drawable,
    )
    from foveal.rendering.forms.github import annotation
    from foveal.rendering.results.catalogue import described_formats, described_measure, listed_measures, record_facts, score_facts, setting_words
else:
    # Tables do not need what figures and pages need.
    __getattr__ = names_in(
        __name__,
        {
            "drawing": "page_style",
            "explanation": "Explanation explain",
            "figures": "FIGURES Figure FigureRecord figure figures_of refuse_unless_drawable",
            "github": "annotation",
            "records": "described_formats described_measure listed_measures record_facts score_facts"
            " setting_words",
            "report": "Look Report refuse_undrawable report_of_scores report_on reported",
        },
    )
