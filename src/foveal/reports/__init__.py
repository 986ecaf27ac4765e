"""Pages that combine results and compute their contents: the report and the explanation."""

from typing import TYPE_CHECKING

from foveal.late import names_in

if TYPE_CHECKING:
    from foveal.reports import explanation
    from foveal.reports.explanation import Explanation, explain
    from foveal.reports.report import (
        Report,
        RunSummaryTask,
        refuse_undrawable,
        report_of_runs,
        report_of_scores,
        report_on,
    )
else:
    __getattr__ = names_in(
        __name__,
        {
            "explanation": "Explanation explain",
            "report": "RunSummaryTask Report refuse_undrawable report_of_runs report_of_scores report_on",
        },
    )
