"""Pages that put results together and compute what they show: the report and the explanation of scores."""

from typing import TYPE_CHECKING

from foveal.late import names_in

if TYPE_CHECKING:
    from foveal.reports import explanation
    from foveal.reports.explanation import Explanation, explain
    from foveal.reports.report import (
        Report,
        RunSummaryTask,
        refuse_undrawable,
        report_of_scores,
        report_on,
        reported,
    )
else:
    __getattr__ = names_in(
        __name__,
        {
            "explanation": "Explanation explain",
            "report": "RunSummaryTask Report refuse_undrawable report_of_scores report_on reported",
        },
    )
