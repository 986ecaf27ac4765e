"""Measures: one record each, by family; their names; the driver that makes scores of them."""

from typing import TYPE_CHECKING

from foveal.late import names_in
from foveal.measures._grammar import (
    Measure,
    MeasuresLike,
    Setting,
    is_measure,
    measure_settings,
    named,
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
    Worked,
    geometric_mean,
    in_turn,
    mean,
    measure,
    total,
)
from foveal.measures._relevance import by_default
from foveal.measures._spellings import TrecValue, speaks_trec_eval, trec_name, trec_values
from foveal.measures._tasks import curve_measures, overall_measure, task_measures
from foveal.measures.document_scores import DOCUMENT_SCORES, DocumentScore
from foveal.registry import files_of

if TYPE_CHECKING:
    from foveal.measures._taxonomy import Variant, is_rank_based, variants
else:
    # Scores do not need these.
    __getattr__ = names_in(
        __name__,
        {
            "_breakdown": "SCORED_BESIDE Looking",
            "_curves": "curve curve_levels recall_within",
            "_explaining": "Explaining Outcome RunReading",
            "_given_scores": "DECISIVE UNKNOWN_JUDGEMENTS ScoresLike scores_like scores_of",
            "_score_cells": "GAPS NO_SCORES SCORE_SHAPES Cells cells_in cells_of",
            "_segments": "moves segments",
            "_taxonomy": "Variant is_rank_based variants",
        },
    )

files_of(__name__)  # importing a file registers what it makes
