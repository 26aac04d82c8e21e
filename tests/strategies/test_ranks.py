"""Tests of nbs/strategies/08_ranks.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from scipy.stats import friedmanchisquare

from reject_nb.strategies.ranks import average_ranks, critical_difference, friedman, nemenyi

def test_critical_differences():
    # q(.10) = 2.052 (K = 3) and 2.291 (K = 4), q(.05) = 2.343 and 2.569: Demsar's table 5(a), printed to three digits
    for k, alpha, q in [(3, .1, 2.052), (4, .1, 2.291), (3, .05, 2.343), (4, .05, 2.569)]:
        assert abs(critical_difference(k, 11, alpha) - q*np.sqrt(k*(k + 1)/66)) < 5e-4
    assert abs(critical_difference(4, 11) - 1.26) < .005 and abs(critical_difference(3, 11) - .875) < 5e-4


def test_friedman_against_scipy():
    rng = np.random.default_rng(1)
    for v in (rng.random((9, 4)), rng.integers(0, 3, (9, 4)).astype(float)):
        ours, theirs = friedman(v), friedmanchisquare(*v.T)
        np.testing.assert_allclose([ours.chi2, ours.p_value], theirs, rtol=1e-10)
    assert friedman(np.ones((5, 3))).p_value == 1
    assert friedman(np.tile([1, 2, 3], (5, 1))).f == np.inf


def test_ranks_and_groups():
    np.testing.assert_array_equal(average_ranks([[1, 2, 3]]), [1, 2, 3])
    np.testing.assert_array_equal(average_ranks([[1, 2, 3]], lower_is_better=False), [3, 2, 1])
    np.testing.assert_array_equal(average_ranks([[1, 1, 3], [2, 1, 1]]), [2.25, 1.5, 2.25])
    r = nemenyi(np.tile([1., 2., 3.], (20, 1)))
    assert r.groups == [[0], [1], [2]] and r.significant.sum() == 6 and (r.p_values[0, 1] < .1)
    assert nemenyi(np.tile([1., 2., 3.], (3, 1))).groups == [[0, 1], [1, 2]]


def test_ranks_bad_input():
    for call in (lambda: average_ranks([1, 2]), lambda: average_ranks([[1, np.nan]]), lambda: nemenyi([[1], [2]]), lambda: friedman([[1, 2]]),
                 lambda: critical_difference(1, 5), lambda: critical_difference(3, 0), lambda: critical_difference(3, 5, 1.)):
        with pytest.raises(ValueError): call()
