"""The report: one page about runs; as text, its leaderboard, verdict and studies."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from foveal.choices import Form
from foveal.evaluation import Scores
from foveal.late import pl
from foveal.measures import record_of
from foveal.rendering import Table, fields_of, legend, percent, result_module, rounded
from foveal.reports.report.report import Report, report_of_runs, report_of_scores
from foveal.reports.report.report import report as report_on
from foveal.reports.report.run_summary import RunSummary, RunSummaryTask
from foveal.reports.report.sections import refuse_undrawable
from foveal.shown import Shown
from foveal.spans import Floats
from foveal.tables import columns as c


def tables(report: Report, form: Form) -> list[Table]:
    """The leaderboard with the verdict below it, and the first table of each study."""
    scores = report.scores
    shares = {run: [percent(share)] for run, share in zip(scores.runs, report.judged, strict=False)}
    counts = {name for name in scores.measures if record_of(name).whole_number}
    rows = [
        [
            str(rank),
            run,
            *(_number(scores[run, name], is_integer=name in counts) for name in scores.columns),
            *shares.get(run, []),
        ]
        for run, rank in report.ranks.items()
    ]
    header = ["rank", c.RUN, *map(report.display_name, scores.columns), *["judged"] * bool(shares)]
    board = Table(header, rows, 2, report.settings, below=" ".join(report.verdict))
    studies = [result_module(study).tables(study, form)[0] for study in _studies(report).values()]
    return [board, *studies, *legend(scores.measure_names.plain)]


def _studies(report: Report) -> dict[str, Shown]:
    studies = (report.fidelity, report.stability, report.assessors)
    names_and_studies = zip(("fidelity", "stability", "assessors"), studies, strict=True)
    return {name: study for name, study in names_and_studies if study}


def _number(value: float, *, is_integer: bool) -> str:
    return "" if math.isnan(value) else rounded(value, as_integer=is_integer)


def rows(report: Report) -> pl.DataFrame:
    """A row per run, measure and topic, as from `evaluate`."""
    return report.scores.rows()


def document(report: Report) -> dict[str, Any]:
    """The report as a JSON document."""
    scores = report.scores
    curves = [
        {c.RUN: run, c.RECALL: level, c.PRECISION: value}
        for run, level, value in _points(scores, report.curves, report.levels.tolist())
    ]
    readings = [
        {c.RUN: run, c.BUDGET: budget, c.RECALL: value}
        for run, budget, value in _points(scores, report.readings, report.budgets)
    ]
    return {
        "settings": report.settings,
        "verdict": report.verdict,
        "rows": scores.rows(),
        **(fields_of(report.comparison, "means pairs") if report.comparison else {}),
        **({"agreement": report.agreement.pairs} if report.agreement else {}),
        "curves": curves,
        "readings": readings,
        "findings": [
            {
                c.RUN: run,
                "severity": finding.severity,
                "rule": finding.rule,
                "times": finding.count,
                "first": finding.first,
            }
            for run, findings in zip(scores.runs, report.findings, strict=False)
            for finding in findings
        ],
        **{name: result_module(study).document(study) for name, study in _studies(report).items()},
        "judged": [
            {c.RUN: run, c.SHARE: share}
            for run, share in zip(scores.runs, report.judged, strict=False)
        ],
        "inputs": report.inputs,
        "notes": report.notes,
    }


def _points(
    scores: Scores, values: Floats | None, levels: Sequence[float]
) -> Iterator[tuple[str, float, float]]:
    """Run, level and value of every point of the runs' curves; nothing if they are unknown."""
    if values is not None:
        for run, run_values in zip(scores.runs, values.tolist(), strict=True):
            for level, value in zip(levels, run_values, strict=True):
                yield run, level, value
