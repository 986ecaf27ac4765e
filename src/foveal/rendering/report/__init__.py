"""The report: one page with everything about some runs."""

from foveal.rendering.report._look import Look, RunLook
from foveal.rendering.report._report import Report, Testing, gathered

__all__ = ["Look", "Report", "RunLook", "Testing", "gathered"]
