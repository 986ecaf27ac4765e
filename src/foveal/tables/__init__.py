"""The tables: which columns exist, how results rank, which topics count."""

from foveal.tables import _columns as columns
from foveal.tables._inex_tasks import inex_task
from foveal.tables._inputs import Frame
from foveal.tables._order import (
    ReadingOrder,
    nearly_tied_topics,
    numbered,
    reading_order,
    rows_in_order,
)
from foveal.tables._runs import RunsLike, coerced_runs
from foveal.tables._topic_column import TopicColumn, stretches
from foveal.tables._topic_set import eligible_topics, evaluated_topics
from foveal.tables.qrels import Qrels, QrelsLike
from foveal.tables.run import TASK, Run, RunLike
from foveal.tables.scores import Scores
from foveal.tables.topics import Topics

__all__ = [
    "TASK",
    "Frame",
    "Qrels",
    "QrelsLike",
    "ReadingOrder",
    "Run",
    "RunLike",
    "RunsLike",
    "Scores",
    "TopicColumn",
    "Topics",
    "coerced_runs",
    "columns",
    "eligible_topics",
    "evaluated_topics",
    "inex_task",
    "nearly_tied_topics",
    "numbered",
    "reading_order",
    "rows_in_order",
    "stretches",
]
