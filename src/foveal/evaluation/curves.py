"""Whole curves from one alignment: a hundred measures at recall levels would be slower."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from foveal.alignment import Alignment
from foveal.choices import Task
from foveal.measures import curve_measures, generalised_precision_at_documents, parse_all
from foveal.spans import Floats

# Documents have the eleven points that trec_eval prints, text those of INEX.
DOCUMENT_POINTS, TEXT_POINTS = 11, 101


def curve_levels(task: Task) -> Floats:
    """The levels of recall of a task's curve."""
    return np.linspace(0, 1, DOCUMENT_POINTS if task is Task.DOCUMENT else TEXT_POINTS)


def curve(alignment: Alignment, task: Task) -> Floats:
    """Interpolated precision at every level of recall, in what the task returns: topics × levels."""
    if task is Task.DOCUMENT:
        names = curve_measures(task, DOCUMENT_POINTS)
        return _scored(alignment, names)
    if task in {Task.RIC, Task.BIC}:
        documents = alignment.documents
        (measure,) = parse_all([curve_measures(task, 2)[0]], alignment.conventions)
        score = {name: value for name, value in measure.arguments if name != "x"}
        precision = generalised_precision_at_documents(alignment, **score)
        points = documents.interpolated_curve(precision, documents.nth, documents.topic_relevant)
    else:
        parts = alignment.parts
        points = parts.interpolated_curve(parts.precision, parts.found, parts.topic_highlighted)
    return points[:, ::-1]


def recall_within(alignment: Alignment, budgets: Sequence[int]) -> Floats:
    """Recall after each budget of characters: topics × budgets."""
    return _scored(alignment, [f"cR(chars={budget})" for budget in budgets])


def _scored(alignment: Alignment, names: Sequence[str]) -> Floats:
    """The values of several measures: topics × measures."""
    measures = parse_all(names, alignment.conventions)
    values = [measure.record.kernel(alignment, **dict(measure.arguments)) for measure in measures]
    return np.stack(values, axis=1)
