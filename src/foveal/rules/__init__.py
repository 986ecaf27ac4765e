"""The rules that `check` applies and `check --fix` enforces, and conversions."""

from foveal.registry import files_of
from foveal.rules._api import check, check_run, repair
from foveal.rules._rule import (
    EVERY_TASK,
    RULES,
    SEVERITIES,
    Finding,
    Findings,
    Results,
    Rule,
    Severity,
    on_each_line,
    rule,
    task_findings,
)
from foveal.rules.conversions import (
    as_documents,
    as_elements,
    count_resized,
    graded_by_aspect,
    graded_by_text,
    only_passages,
    with_scores,
    with_whole_documents_as_spans,
)
from foveal.rules.repair import Repair, RepairOptions, repaired
from foveal.rules.task_rules import default_task, described_task

files_of(__name__)  # importing a file registers what it makes
