"""The report: one page about some runs; as text, its leaderboard, verdict and studies."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from foveal.choices import Form
from foveal.evaluation import Scores
from foveal.late import pl
from foveal.measures import record_of
from foveal.rendering import Table, drawing_file, legend, percent, rounded
from foveal.reports.report.report import Report, report_of_scores, reported
from foveal.reports.report.report import report as report_on
from foveal.reports.report.run_summary import RunSummary, RunSummaryTask
from foveal.reports.report.sections import refuse_undrawable
from foveal.shown import Shown
from foveal.spans import Floats
from foveal.tables import columns as c


def tables(found: Report, form: Form) -> list[Table]:
    """The leaderboard with the verdict below it, and the first table of each study."""
    scores = found.scores
    judged = {run: [percent(share)] for run, share in zip(scores.runs, found.judged, strict=False)}
    whole = {name for name in scores.measures if record_of(name).whole_number}
    body = [
        [
            str(rank),
            run,
            *(_number(scores[run, name], whole=name in whole) for name in scores.columns),
            *judged.get(run, []),
        ]
        for run, rank in found.ranks.items()
    ]
    header = ["rank", c.RUN, *map(found.called, scores.columns), *["judged"] * bool(judged)]
    board = Table(header, body, 2, found.settings, below=" ".join(found.verdict))
    studies = [drawing_file(part).tables(part, form)[0] for part in _studies(found).values()]
    return [board, *studies, *legend(scores.measure_names.plain)]


def _studies(found: Report) -> dict[str, Shown]:
    known = (found.fidelity, found.stability, found.assessors)
    named = zip(("fidelity", "stability", "assessors"), known, strict=True)
    return {name: part for name, part in named if part}


def _number(value: float, *, whole: bool) -> str:
    return "" if math.isnan(value) else rounded(value, whole=whole)


def rows(found: Report) -> pl.DataFrame:
    """A row per run, measure and topic, as `evaluate` gives them."""
    return found.scores.rows()


def document(found: Report) -> dict[str, Any]:
    """Everything as JSON holds it."""
    scores = found.scores
    curves = [
        {c.RUN: run, c.RECALL: level, c.PRECISION: value}
        for run, level, value in _points(scores, found.curves, found.levels.tolist())
    ]
    readings = [
        {c.RUN: run, c.BUDGET: budget, c.RECALL: value}
        for run, budget, value in _points(scores, found.readings, found.budgets)
    ]
    return {
        "settings": found.settings,
        "verdict": found.verdict,
        "rows": scores.rows(),
        **(
            {"means": found.comparison.means, "pairs": found.comparison.pairs}
            if found.comparison
            else {}
        ),
        **({"agreement": found.agreement.pairs} if found.agreement else {}),
        "curves": curves,
        "readings": readings,
        "findings": [
            {
                c.RUN: run,
                "severity": one.severity,
                "rule": one.rule,
                "times": one.count,
                "first": one.first,
            }
            for run, own in zip(scores.runs, found.findings, strict=False)
            for one in own
        ],
        **{name: drawing_file(part).document(part) for name, part in _studies(found).items()},
        "judged": [
            {c.RUN: run, c.SHARE: share}
            for run, share in zip(scores.runs, found.judged, strict=False)
        ],
        "inputs": found.inputs,
        "notes": found.notes,
    }


def _points(
    scores: Scores, lines: Floats | None, places: Sequence[float]
) -> Iterator[tuple[str, float, float]]:
    """Run, place and value of every point of the runs' lines; none where they are unknown."""
    if lines is not None:
        for run, own in zip(scores.runs, lines.tolist(), strict=True):
            for place, value in zip(places, own, strict=True):
                yield run, place, value
