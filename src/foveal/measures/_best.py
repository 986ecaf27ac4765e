"""The best of many runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from foveal.measures._grammar import Measure, parse

if TYPE_CHECKING:
    from foveal.measures._driver import Evaluation
    from foveal.tables import Scores, Top


def choosing_measure(evaluation: Evaluation, top: Top) -> Measure:
    """The measure by which runs are the best: the one named, or the first asked for."""
    if top.measure is None:
        return evaluation.measures[0]
    return parse(top.measure, evaluation.conventions)


def best_scores(evaluation: Evaluation, top: Top, scored: Callable[[Evaluation], Scores]) -> Scores:
    """The scores of the best of all runs, which `scored` gives; another measure may choose them."""
    measure = choosing_measure(evaluation, top)
    if measure in evaluation.measures:
        return scored(evaluation).top(replace(top, measure=measure.name))
    further = replace(evaluation, measures=[*evaluation.measures, measure])
    names = [own.name for own in evaluation.measures]
    return scored(further).top(replace(top, measure=measure.name)).only(names)
