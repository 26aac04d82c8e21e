"""Tests of nbs/mcsvm/02_offsets_given_w.ipynb, extracted from its test cells: edit them there."""
import numpy as np
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from reject_nb.mcsvm.offsets import best_offsets, offset_intervals, offset_losses

@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.integers(0, 10**6))
def test_offsets_attain_the_minimum_over_all_kinks(seed):
    # a convex piecewise linear function attains its minimum at a kink: trying them all is an oracle
    rng = np.random.default_rng(seed); n = rng.integers(2, 30)
    y = np.where(rng.random(n) < rng.uniform(.1, .9), 1., -1.); y[:2] = 1, -1
    s = np.round(rng.normal(size=n), rng.integers(0, 3)); taus = rng.uniform(.02, .98, 4)  # rounding makes ties
    low, high = offset_intervals(s, y, 1-taus, taus)
    for k, t in enumerate(taus):
        loss = lambda b: (1-t)*np.maximum(0, s[y > 0]+1-b).sum()+t*np.maximum(0, b-s[y < 0]+1).sum()
        best = min(loss(b) for b in s+y)
        for b in (low[k], high[k], (low[k]+high[k])/2): np.testing.assert_allclose(loss(b), best, rtol=1e-10, atol=1e-12)


def test_interval_is_found_whole():
    # one safe point at -3, one unsafe at 3: any b in [-2, 2] costs nothing
    low, high = offset_intervals(np.array([-3., 3.]), np.array([1., -1.]), np.array([.5]), np.array([.5]))
    assert (low[0], high[0]) == (-2., 2.)


def test_all_scores_tied():
    # w = 0: the loss is c_S n_S (1-b) + c_U n_U (1+b) on [-1, 1], so the heavier class decides
    y = np.array([1., 1, 1, -1])
    assert best_offsets(np.zeros(4), y, np.array([.5, .1]), np.array([.5, .9])).tolist() == [1., -1.]


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.integers(0, 10**6))
def test_offsets_do_not_increase_with_tau(seed):
    rng = np.random.default_rng(seed); n = 25
    y = np.where(rng.random(n) < .5, 1., -1.); y[:2] = 1, -1
    taus = np.sort(rng.uniform(.01, .99, 12))
    b = best_offsets(np.round(rng.normal(size=n), 1), y, 1-taus, taus)
    assert np.all(np.diff(b) <= 1e-12)


def test_losses_from_one_sort_equal_the_double_sum():
    rng = np.random.default_rng(5)
    for n in (2, 3, 50, 400):
        y = np.where(rng.random(n) < .4, 1., -1.); s, b, taus = rng.normal(size=n)*3+100, rng.normal(size=5)*3+100, rng.uniform(.1, .9, 5)
        loop = [(1-t)*np.maximum(0, 1+s[y > 0]-x).sum()+t*np.maximum(0, 1-s[y < 0]+x).sum() for t, x in zip(taus, b)]
        np.testing.assert_allclose(offset_losses(s, y, b, 1-taus, taus), loop, rtol=1e-11, atol=1e-11)
