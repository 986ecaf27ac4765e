"""Measures: one record each, by family; their parameters, names and spellings."""

from typing import TYPE_CHECKING

from foveal.late import names_in
from foveal.measures._grammar import (
    Measure,
    MeasuresLike,
    Setting,
    is_measure,
    measure_settings,
    names_of,
    parse,
    parse_all,
    record_of,
    record_settings,
    score_settings,
    share_of_measures,
)
from foveal.measures._parameters import Share, Whole
from foveal.measures._record import (
    FOREIGN,
    LEAST_IN_GEOMETRIC_MEAN,
    REGISTRY,
    Record,
    Relevance,
    Unit,
    WorkedExample,
    geometric_mean,
    mean,
    measure,
    sequential_sum,
    total,
)
from foveal.measures._relevance import by_default
from foveal.measures._spellings import (
    BUDGETS,
    TrecValue,
    are_trec_eval_names,
    trec_name,
    trec_values,
)
from foveal.measures._task_measures import (
    TaskChoice,
    curve_measures,
    overall_measure,
    task_measures,
)
from foveal.measures.document_scores import (
    DOCUMENT_SCORES,
    WITHOUT_LENGTH,
    DocumentScore,
    entry_point_notes,
    patient_reading,
    score_documents,
)
from foveal.registry import files_of

if TYPE_CHECKING:
    from foveal.measures._taxonomy import Variant, is_rank_based, variants
    from foveal.measures.diversity import parts_notes
    from foveal.measures.in_context import generalised_precision_at_documents
    from foveal.measures.ranked_parts import (
        budget_notes,
        cutoff_notes,
        in_reading_order,
        interpolated_in_reading_order,
    )
else:
    # Scores do not need the first; families register in the order of their files, below.
    __getattr__ = names_in(
        __name__,
        {
            "_taxonomy": "Variant is_rank_based variants",
            "diversity": "parts_notes",
            "in_context": "generalised_precision_at_documents",
            "ranked_parts": "budget_notes cutoff_notes in_reading_order"
            " interpolated_in_reading_order",
        },
    )

files_of(__name__)  # importing a file registers what it makes
