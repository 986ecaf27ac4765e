"""The t-test of many pairs against scipy's of one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from foveal.analysis import Status, paired_t


def test_many_pairs_at_once_are_scipys_one_by_one() -> None:
    rng = np.random.default_rng(7)
    first, second = rng.random((2, 5, 4, 12))
    found = paired_t(first - second)
    for place in np.ndindex(5, 4):
        expected = stats.ttest_rel(first[place], second[place])
        assert found.t[place] == pytest.approx(expected.statistic)
        assert found.p[place] == pytest.approx(expected.pvalue)
    assert (found.status == Status.FINE).all()


def test_differences_without_spread_have_a_status() -> None:
    found = paired_t(np.array([[0.0] * 4, [0.3 - 0.1, 0.2, 0.2, 0.2], [0.1, 0.2, 0.3, 0.4]]))
    assert list(found.status) == ["no difference", "constant difference", "fine"]
    assert found.p[0] == 1
    assert np.isnan(found.p[1])


def test_one_topic_has_no_spread() -> None:
    found = paired_t(np.array([[0.5], [0.0]]))
    assert list(found.status) == ["one topic", "no difference"]
    assert np.isnan(found.p[0])


def test_p_is_never_zero() -> None:
    nearly_constant = 1 + np.random.default_rng(7).random(400) * 1e-9
    assert 0 < float(paired_t(nearly_constant).p) < 1e-300
