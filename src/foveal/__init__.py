"""Evaluate focused retrieval: elements, passages, character spans and entry points.

>>> import foveal
>>> qrels = foveal.Qrels.from_dicts(
...     [{"topic": "1", "doc": "d1", "length": 100, "highlights": [[10, 40]]}]
... )
>>> run = foveal.Run.from_dicts([{"topic": "1", "doc": "d1", "start": 0, "end": 40}])
>>> print(foveal.evaluate(qrels, run, ["charP", "charR"]))
run    charP    charR
─────────────────────
run   0.7500   1.0000
<BLANKLINE>
task: focused; like: paper; topics: judged; overlap: once; ties: file; order: file; ties
found: none; formats: table, table
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from foveal.choices import Form
from foveal.shown import Shown, hook

if TYPE_CHECKING:
    from foveal.analysis import Agreement, Comparison, Gate, agree, compare, gate
    from foveal.collection import open_index
    from foveal.errors import FovealError
    from foveal.evaluation import Evaluator, Scores, evaluate
    from foveal.formats import (
        read_pool,
        read_qrels,
        read_run,
        read_scores,
        read_topics,
        write_pool,
        write_qrels,
        write_run,
    )
    from foveal.intake import Documents, count_tokens, from_hits, read_chunks, read_documents
    from foveal.judging import AssessorAgreement, AssessorsLike, agree_assessors, pool
    from foveal.measures import MeasuresLike
    from foveal.rendering import Figure, figure, render
    from foveal.reports import Explanation, Report, explain
    from foveal.reports import report_on as report
    from foveal.rules import Findings, Repair, check, repair
    from foveal.studies import Fidelity, Stability, fidelity, stability
    from foveal.tables import Pool, Qrels, QrelsLike, Run, RunLike, RunsLike, Topics

__all__ = [
    "Agreement", "AssessorAgreement", "AssessorsLike", "Comparison", "Documents", "Evaluator",
    "Explanation", "Fidelity", "Figure", "Findings", "FovealError", "Gate", "MeasuresLike", "Pool", "Qrels",
    "QrelsLike", "Repair", "Report", "Run", "RunLike", "RunsLike", "Scores", "Stability",
    "Topics", "agree", "agree_assessors", "check", "compare", "count_tokens", "evaluate",
    "explain", "fidelity", "figure", "from_hits", "gate", "open_index", "pool", "read_chunks",
    "read_documents", "read_pool", "read_qrels", "read_run", "read_scores", "read_topics",
    "render", "repair", "report", "stability", "write_pool", "write_qrels", "write_run",
]  # fmt: skip

# The public names by the package that defines them.
_NAMES = {
    "errors": "FovealError",
    "tables": "Pool Qrels QrelsLike Run RunLike RunsLike Topics",
    "rules": "Findings Repair check repair",
    "measures": "MeasuresLike",
    "evaluation": "Evaluator Scores evaluate",
    "analysis": "Agreement Comparison Gate agree compare gate",
    "judging": "AssessorAgreement AssessorsLike agree_assessors pool",
    "studies": "Fidelity Stability fidelity stability",
    "formats": "read_pool read_qrels read_run read_scores read_topics write_pool write_qrels write_run",
    "collection": "open_index",
    "intake": "Documents count_tokens from_hits read_chunks read_documents",
    "rendering": "Figure figure render",
    "reports": "Explanation Report explain report",
}
# `report` is called otherwise in its package, which has a subpackage of that name.
_NAME_IN_PACKAGE = {"report": "report_on"}
_PACKAGE_OF = {name: package for package, names in _NAMES.items() for name in names.split()}


# Type checkers read the imports above, and so know a misspelled name from a public one.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Load a package when it or one of its names is first used: importing foveal costs nothing."""
        if name in _PACKAGE_OF:
            package = importlib.import_module(f"foveal.{_PACKAGE_OF[name]}")
            return getattr(package, _NAME_IN_PACKAGE.get(name, name))
        if name in {"analysis", "measures", "studies"}:
            return importlib.import_module(f"foveal.{name}")
        raise AttributeError(f"module 'foveal' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__


def _draw(result: Shown, form: Form) -> str:
    """A result as text or HTML, by `rendering/`, which is loaded when a result is first shown."""
    draw = importlib.import_module("foveal.rendering").displayed
    text: str = draw(result, form)
    return text


def _scores(data: object, lower: Iterable[str]) -> Any:
    return importlib.import_module("foveal.evaluation").scores_like(data, lower)


def _read_run(path: object, **options: object) -> Any:
    return importlib.import_module("foveal.formats").read_run(path, **options)


hook.draw = _draw
hook.scores = _scores
hook.read_run = _read_run
