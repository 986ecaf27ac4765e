"""The tables: which columns exist, which rules they obey, how results rank, which topics count."""

from foveal.tables import _columns as columns
from foveal.tables._blocks import BLOCK, in_order, threaded
from foveal.tables._conversions import (
    as_elements,
    graded_by_text,
    other_sizes,
    with_scores,
    with_whole_documents_as_spans,
)
from foveal.tables._elements import ElementLookup, Elements
from foveal.tables._frames import Frame, as_frame
from foveal.tables._location import Location, located
from foveal.tables._order import (
    ReadingOrder,
    nearly_tied_topics,
    numbered,
    reading_order,
    rows_in_order,
)
from foveal.tables._paths import DEEPEST, References
from foveal.tables._qrels import Qrels
from foveal.tables._repair import Change, Repair, Wishes, repaired
from foveal.tables._resolution import Unresolved
from foveal.tables._run import Run
from foveal.tables._run_rules import counted
from foveal.tables._scores import Scores
from foveal.tables._task_rules import RULES, Finding, Findings, Rule, task_findings
from foveal.tables._topic_column import TopicColumn, stretches
from foveal.tables._topic_set import eligible_topics, evaluated_topics
from foveal.tables._topics import Topics

__all__ = [
    "BLOCK",
    "DEEPEST",
    "RULES",
    "Change",
    "ElementLookup",
    "Elements",
    "Finding",
    "Findings",
    "Frame",
    "Location",
    "Qrels",
    "ReadingOrder",
    "References",
    "Repair",
    "Rule",
    "Run",
    "Scores",
    "TopicColumn",
    "Topics",
    "Unresolved",
    "Wishes",
    "as_elements",
    "as_frame",
    "columns",
    "counted",
    "eligible_topics",
    "evaluated_topics",
    "graded_by_text",
    "in_order",
    "located",
    "nearly_tied_topics",
    "numbered",
    "other_sizes",
    "reading_order",
    "repaired",
    "rows_in_order",
    "stretches",
    "task_findings",
    "threaded",
    "with_scores",
    "with_whole_documents_as_spans",
]
