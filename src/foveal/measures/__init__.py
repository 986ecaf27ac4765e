"""Measures: one record each, by family; their names; the driver that makes scores of them."""

from foveal.measures import (
    counts,
    document_sets,
    gains,
    in_context,
    incomplete,
    precision_recall,
    ranked_parts,
    user_models,
)
from foveal.measures._driver import Evaluation, RunScores, coerced_runs, evaluate, named
from foveal.measures._grammar import Measure, parse, parse_all, record_of
from foveal.measures._record import (
    LEAST_IN_GEOMETRIC_MEAN,
    REGISTRY,
    Record,
    geometric_mean,
    in_turn,
    mean,
    total,
)
from foveal.measures._spellings import TrecValue, speaks_trec_eval, trec_name, trec_values
from foveal.measures._tasks import curve_measures, overall_measure, task_measures

# In the order in which they are listed.
FAMILIES = (
    ranked_parts,
    in_context,
    precision_recall,
    gains,
    user_models,
    document_sets,
    incomplete,
    counts,
)

__all__ = [
    "FAMILIES",
    "LEAST_IN_GEOMETRIC_MEAN",
    "REGISTRY",
    "Evaluation",
    "Measure",
    "Record",
    "RunScores",
    "TrecValue",
    "coerced_runs",
    "curve_measures",
    "evaluate",
    "geometric_mean",
    "in_turn",
    "mean",
    "named",
    "overall_measure",
    "parse",
    "parse_all",
    "record_of",
    "speaks_trec_eval",
    "task_measures",
    "total",
    "trec_name",
    "trec_values",
]
