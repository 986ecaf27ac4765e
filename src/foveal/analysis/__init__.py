"""Comparisons of scores: which runs are better, by how much, and whether measures agree."""

from foveal.analysis._agree import Agreement, agree
from foveal.analysis._compare import Comparison, compare
from foveal.analysis._comparison_design import ALPHA, INTERVAL_RESAMPLES, SEED
from foveal.analysis._correlations import COEFFICIENTS, kendall_tau, ranks_of, rbo, spearman, tau_ap
from foveal.analysis._gate import Gate, gate
from foveal.analysis._resamples import (
    Resamples,
    Seed,
    between_0_and_1,
    generator_of,
    percentiles,
    seed_numbers,
    shown_seed,
    whole_from_1,
)
from foveal.analysis._significance_test import TESTS, TestRecord
from foveal.analysis._topic_values import TopicValues, as_scores, repeat_note
from foveal.analysis.paired_tests import DECIMALS, Status, paired_t
from foveal.registry import files_of
from foveal.tables import EQUAL_WITHIN

files_of(__name__)  # importing a file registers what it makes
