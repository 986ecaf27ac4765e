"""Results for people and for other programs: every result, every form, one function."""

from typing import TYPE_CHECKING

from foveal.late import names_in
from foveal.rendering._numbers import hundredths, percent, rounded, rounded_p, shortest, thousandths
from foveal.rendering._table import LARGEST, ResultNotes, Table, fields_of
from foveal.rendering.render import displayed, refuse_groups, render, rendered_bytes, result_module

if TYPE_CHECKING:
    from foveal.rendering._page_template import asset, extra, policy, template
    from foveal.rendering._verdict_sentence import first_sentences
    from foveal.rendering.drawing import page_style
    from foveal.rendering.figures import (
        FIGURES,
        Figure,
        FigureRecord,
        figure,
        figures_of,
        refuse_unless_drawable,
    )
    from foveal.rendering.forms.ci import annotation
    from foveal.rendering.forms.html import fragment
    from foveal.rendering.forms.text import PARAGRAPH, aligned_table, paragraph, printable, width_of
    from foveal.rendering.plain_names import in_plain_words, legend
    from foveal.rendering.results.catalogue import (
        described_formats,
        described_measure,
        listed_measures,
        measure_facts,
        record_facts,
        score_facts,
        setting_texts,
    )
    from foveal.rendering.results.comparison import (
        NAMED_TOPICS,
        changes_table,
        marks_in_words,
        significance_marks,
    )
else:
    # Loaded on first use: tables need neither figures nor pages.
    __getattr__ = names_in(
        __name__,
        {
            "_verdict_sentence": "first_sentences",
            "_page_template": "asset extra policy template",
            "drawing": "page_style",
            "figures": "FIGURES Figure FigureRecord figure figures_of refuse_unless_drawable",
            "forms.ci": "annotation",
            "forms.html": "fragment",
            "forms.text": "PARAGRAPH aligned_table width_of paragraph printable",
            "plain_names": "in_plain_words legend",
            "results.catalogue": "described_formats described_measure listed_measures measure_facts"
            " record_facts score_facts setting_texts",
            "results.comparison": "NAMED_TOPICS changes_table marks_in_words significance_marks",
        },
    )
