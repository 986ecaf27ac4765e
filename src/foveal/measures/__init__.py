"""Measures: one record each, by family; their names; the driver that makes scores of them."""

from foveal.measures import counts, in_context, ranked_parts
from foveal.measures._driver import Evaluation, RunScores, default_task, evaluate
from foveal.measures._grammar import Measure, parse, parse_all, record_of
from foveal.measures._record import REGISTRY, Record, mean
from foveal.measures._tasks import task_measures

__all__ = [
    "REGISTRY",
    "Evaluation",
    "Measure",
    "Record",
    "RunScores",
    "counts",
    "default_task",
    "evaluate",
    "in_context",
    "mean",
    "parse",
    "parse_all",
    "ranked_parts",
    "record_of",
    "task_measures",
]
