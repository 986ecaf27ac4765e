"""What scores say: which runs are better, by how much, and how alike measures rank them."""

from foveal.analysis._agree import Agreement, agree
from foveal.analysis._checks import between_0_and_1, whole_from_1
from foveal.analysis._compare import SEED, Comparison, compare
from foveal.analysis._correlations import kendall_tau, rbo, spearman, tau_ap
from foveal.analysis._gate import Gate, gate
from foveal.analysis._resamples import Seed, generator_of, seed_numbers, shown_seed
from foveal.analysis._topic_values import TopicValues
from foveal.analysis._trial import TESTS, TestRecord
from foveal.analysis.paired_tests import PairedT, Status, paired_t
from foveal.registry import files_of
from foveal.tables import EQUAL_WITHIN

files_of(__name__)  # importing a file registers what it makes

__all__ = [
    "EQUAL_WITHIN",
    "SEED",
    "TESTS",
    "Agreement",
    "Comparison",
    "Gate",
    "PairedT",
    "Seed",
    "Status",
    "TestRecord",
    "TopicValues",
    "agree",
    "between_0_and_1",
    "compare",
    "gate",
    "generator_of",
    "kendall_tau",
    "paired_t",
    "rbo",
    "seed_numbers",
    "shown_seed",
    "spearman",
    "tau_ap",
    "whole_from_1",
]
