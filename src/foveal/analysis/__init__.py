"""What scores say: averages, tests, effects, and how alike measures rank."""

from foveal.analysis._agreement import ApTies, RboTies, kendall_tau, rbo, spearman, tau_ap
from foveal.analysis._paired_t import PairedT, paired_t
from foveal.analysis._types import EQUAL_WITHIN, Status

__all__ = [
    "EQUAL_WITHIN",
    "ApTies",
    "PairedT",
    "RboTies",
    "Status",
    "kendall_tau",
    "paired_t",
    "rbo",
    "spearman",
    "tau_ap",
]
