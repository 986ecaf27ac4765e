"""Evaluation: judgements, runs and measures to scores, with groups of topics and details."""

from typing import TYPE_CHECKING

from foveal.evaluation.demands import Demand
from foveal.evaluation.evaluate import Evaluation, best_scores, choosing_measure, evaluate
from foveal.evaluation.extra_columns import ExtraColumn, parse_extra_columns
from foveal.evaluation.groups import Groups, GroupsLike, group_label
from foveal.evaluation.run_names import RunFile, distinct_names
from foveal.evaluation.run_ranks import RunRanks
from foveal.evaluation.run_scores import RunScores
from foveal.evaluation.score_rows import ScoreRows
from foveal.evaluation.scores import QRELS_SHA256, Scores, column_named, run_named
from foveal.evaluation.topic_facts import TopicFacts
from foveal.late import names_in

if TYPE_CHECKING:
    from foveal.evaluation.breakdown import BREAKDOWN_MEASURE, Breakdown, BreakdownTask, RowUnit
    from foveal.evaluation.curves import curve, curve_levels, recall_within
    from foveal.evaluation.evaluator import Evaluator
    from foveal.evaluation.explain import (
        ExplainTask,
        PassageOutcome,
        RunExplanation,
        moves,
        segments,
    )
    from foveal.evaluation.given_scores import (
        DECISIVE,
        UNKNOWN_JUDGEMENTS,
        ScoresLike,
        scores_like,
        scores_of,
    )
    from foveal.evaluation.score_cells import (
        GAPS,
        NO_SCORES,
        SCORE_SHAPES,
        Cells,
        cells_in,
        cells_of,
    )
else:
    # Scores do not need these.
    __getattr__ = names_in(
        __name__,
        {
            "breakdown": "BREAKDOWN_MEASURE Breakdown BreakdownTask RowUnit",
            "curves": "curve curve_levels recall_within",
            "evaluator": "Evaluator",
            "explain": "ExplainTask PassageOutcome RunExplanation moves segments",
            "given_scores": "DECISIVE UNKNOWN_JUDGEMENTS ScoresLike scores_like scores_of",
            "score_cells": "GAPS NO_SCORES SCORE_SHAPES Cells cells_in cells_of",
        },
    )
