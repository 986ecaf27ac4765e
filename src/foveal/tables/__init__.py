"""The tables: which columns exist, how results rank, which topics count."""

from foveal.tables import _columns as columns
from foveal.tables._aliases import (
    ALIASES,
    OF_JUDGEMENTS,
    OF_RUNS,
    aliased,
    columns_setting,
    renamed,
)
from foveal.tables._inex_tasks import inex_task
from foveal.tables._inputs import Frame, as_frame, is_frame
from foveal.tables._judgement_columns import JudgementColumns
from foveal.tables._misnamed import is_known, misnamed, misnamed_note, missing_and_meant, not_a_run
from foveal.tables._names import DocumentLookup, Keys, Names
from foveal.tables._order import (
    ReadingOrder,
    nearly_tied_topics,
    reading_order,
    rising_topics,
    rows_in_order,
)
from foveal.tables._result_columns import ResultColumns, numbered
from foveal.tables._runs import RunsLike, coerced_runs
from foveal.tables._series_names import SeriesNames
from foveal.tables._texts import ChunksLike, Placed, TextLookup
from foveal.tables._topic_column import TopicColumn, stretches
from foveal.tables._topic_set import eligible_topics, evaluated_topics
from foveal.tables._unread import ReadBlock, UnreadBlock, UnreadRun
from foveal.tables.audit import UNUSABLE, Audit, Verdict
from foveal.tables.qrels import LARGEST_GRADE, Qrels, QrelsLike
from foveal.tables.run import INEX_FORMATS, TASK, TOPIC_RESULTS, Run, RunLike
from foveal.tables.scores import RunValues, ScoreRow, Scores
from foveal.tables.topics import Topics

__all__ = [
    "ALIASES",
    "INEX_FORMATS",
    "LARGEST_GRADE",
    "OF_JUDGEMENTS",
    "OF_RUNS",
    "TASK",
    "TOPIC_RESULTS",
    "UNUSABLE",
    "Audit",
    "ChunksLike",
    "DocumentLookup",
    "Frame",
    "JudgementColumns",
    "Keys",
    "Names",
    "Placed",
    "Qrels",
    "QrelsLike",
    "ReadBlock",
    "ReadingOrder",
    "ResultColumns",
    "Run",
    "RunLike",
    "RunValues",
    "RunsLike",
    "ScoreRow",
    "Scores",
    "SeriesNames",
    "TextLookup",
    "TopicColumn",
    "Topics",
    "UnreadBlock",
    "UnreadRun",
    "Verdict",
    "aliased",
    "as_frame",
    "coerced_runs",
    "columns",
    "columns_setting",
    "eligible_topics",
    "evaluated_topics",
    "inex_task",
    "is_frame",
    "is_known",
    "misnamed",
    "misnamed_note",
    "missing_and_meant",
    "nearly_tied_topics",
    "not_a_run",
    "numbered",
    "reading_order",
    "renamed",
    "rising_topics",
    "rows_in_order",
    "stretches",
]
