"""Tests of nbs/mcsvm/02_offsets.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from reject_nb.mcsvm.problem import Costs
from unittest import mock

from reject_nb.mcsvm.offsets import (
    _Binned, _by_bins, _count, _first_above, best_offsets, middle_offsets, offset_intervals, offset_losses,
    sort_kinks, sum_losses,
)

@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.integers(0, 10**6))
def test_offsets_attain_the_minimum_over_all_kinks(seed):
    # a convex piecewise linear function attains its minimum at a kink: trying them all is an oracle
    rng = np.random.default_rng(seed)
    n = rng.integers(2, 30)
    y = np.where(rng.random(n) < rng.uniform(.1, .9), 1., -1.)
    y[:2] = 1, -1
    s = np.round(rng.normal(size=n), rng.integers(0, 3))  # rounding makes ties
    taus = rng.uniform(.02, .98, 4)
    low, high = offset_intervals(s, y, 1-taus, taus)
    for k, t in enumerate(taus):
        loss = lambda b: (1-t)*np.maximum(0, s[y > 0]+1-b).sum()+t*np.maximum(0, b-s[y < 0]+1).sum()
        best = min(loss(b) for b in s+y)
        for b in (low[k], high[k], (low[k]+high[k])/2):
            np.testing.assert_allclose(loss(b), best, rtol=1e-10, atol=1e-12)


def test_interval_is_found_whole():
    # one safe point at -3, one unsafe at 3: any b in [-2, 2] costs nothing
    half = np.array([.5])
    low, high = offset_intervals(np.array([-3., 3.]), np.array([1., -1.]), half, half)
    assert (low[0], high[0]) == (-2., 2.)
    assert best_offsets([-3., 4.], [1, -1], half, half).tolist() == [.5]


def test_all_scores_tied():
    # w = 0: the loss is c_S n_S (1-b) + c_U n_U (1+b) on [-1, 1], so the heavier class decides
    y = np.array([1., 1, 1, -1])
    assert best_offsets(np.zeros(4), y, np.array([.5, .1]), np.array([.5, .9])).tolist() == [1., -1.]


def test_a_slope_of_zero_is_seen_through_rounding():
    # 10 safe points of cost .1 and one unsafe point of cost 1: equal weights, so every b in [-1, 1] is as
    # good
    y = np.r_[np.ones(10), -1.]
    low, high = offset_intervals(np.zeros(11), y, np.array([.1]), np.array([1.]))
    assert (low[0], high[0]) == (-1., 1.)


def test_the_search_finds_every_level():
    # slopes -1.5, -1, -.5, 0, .5, 1 with one half for either cost
    levels = np.array([-1.6, -1., -.01, .5, .99])
    halves = Costs(np.full(5, .5), np.full(5, .5))
    kinks = sort_kinks(np.arange(5.)-[1, -1, 1, -1, 1], np.array([1., -1, 1, -1, 1]), np.ones(5))
    assert _first_above(kinks, halves, levels).tolist() == [1, 2, 3, 5, 5]


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.integers(0, 10**6))
def test_offsets_do_not_increase_with_tau(seed):
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(25) < .5, 1., -1.)
    y[:2] = 1, -1
    taus = np.sort(rng.uniform(.01, .99, 12))
    b = best_offsets(np.round(rng.normal(size=25), 1), y, 1-taus, taus)
    assert np.all(np.diff(b) <= 1e-12)


@pytest.mark.parametrize("n", (2, 3, 50, 400))
def test_losses_from_one_sort_equal_the_double_sum(n):
    rng = np.random.default_rng(n)
    y = np.where(rng.random(n) < .4, 1., -1.)
    y[:2] = 1, -1
    s, b, taus = rng.normal(size=n)*3+100, rng.normal(size=5)*3+100, rng.uniform(.1, .9, 5)
    loop = [(1-t)*np.maximum(0, 1+s[y > 0]-x).sum()+t*np.maximum(0, 1-s[y < 0]+x).sum()
            for t, x in zip(taus, b)]
    np.testing.assert_allclose(offset_losses(s, y, b, 1-taus, taus), loop, rtol=1e-11, atol=1e-11)


def test_a_large_constant_costs_no_digits():
    # the loss does not change when scores and offsets move together; 1e9 leaves 7 digits of the scores
    # themselves
    rng = np.random.default_rng(0)
    s, y = np.round(rng.normal(size=300), 3), np.where(rng.random(300) < .5, 1., -1.)
    near, far = (offset_losses(s+shift, y, [shift], [.3], [.7]) for shift in (0., 2.**30))
    np.testing.assert_allclose(far, near, rtol=1e-7)


@pytest.mark.parametrize("seed", range(5))
def test_a_point_of_weight_three_is_three_points(seed):
    rng = np.random.default_rng(seed)
    y, s, w = np.where(np.arange(40) % 3, 1., -1.), rng.normal(size=40), rng.integers(1, 4, 40)
    taus = rng.uniform(.05, .95, 6)
    many = [np.repeat(a, w) for a in (s, y)]
    for f in (best_offsets, offset_intervals):
        np.testing.assert_array_equal(f(s, y, 1-taus, taus, sample_weight=w), f(*many, 1-taus, taus))
    b = rng.normal(size=6)
    np.testing.assert_allclose(offset_losses(s, y, b, 1-taus, taus, sample_weight=w),
                               offset_losses(*many, b, 1-taus, taus), rtol=1e-12)

BAD_OFFSETS = [(([np.nan, 1.], [1, -1], [.5], [.5]), "scores"), ((1., [1, -1], [.5], [.5]), "scores"),
               (([0., 1., 2.], [1, -1], [.5], [.5]), "scores"), (([0., 1.], [1, 1], [.5], [.5]), "y"),
               (([0., 1.], [1, -1], [0.], [.5]), "safe"),
               (([0., 1.], [1, -1], [.5], [.5, .5]), "unsafe")]

@pytest.mark.parametrize("args, name", BAD_OFFSETS)
def test_bad_arguments_of_offsets_are_named(args, name):
    for f in (best_offsets, offset_intervals, offset_losses):
        if f is offset_losses: args = (*args[:2], [0.]*len(np.atleast_1d(args[3])), *args[2:])
        with pytest.raises(ValueError, match=f"^{name} must be"): f(*args)

LAWS = {"normal": lambda r, n: r.normal(size=n), "rounded": lambda r, n: np.round(r.normal(size=n), 1),
        "heavy": lambda r, n: r.standard_cauchy(n)**3, "constant": lambda r, n: np.zeros(n),
        "two places": lambda r, n: np.where(r.random(n) < .5, 0., 1e9), "tiny": lambda r,
        n: r.normal(size=n)*1e-200}

@pytest.mark.parametrize("law", sorted(LAWS))
@pytest.mark.parametrize("n", (2, 30, 3000))
def test_bins_and_sort_agree(law, n):
    rng = np.random.default_rng(n)
    y, taus = np.where(rng.random(n) < .3, 1., -1.), np.r_[rng.uniform(.02, .98, 5), .5, .5]
    y[:2] = 1, -1
    s, few = LAWS[law](rng, n)-.5*y, Costs(1-taus, taus)
    for weights in (np.ones(n), rng.integers(1, 5, n).astype(float), rng.uniform(.1, 9, n)):
        kinks = sort_kinks(s, y, weights)
        b, losses = _by_bins(s, y, weights, few)
        found = sum_losses(kinks, b, few)
        best = sum_losses(kinks, middle_offsets(kinks, few), few)
        # sums of up to 3,000 terms as large as the spread of the kinks
        room = 1e-12*weights.sum()*np.abs(s+y).max()
        np.testing.assert_allclose(losses, found, rtol=1e-11, atol=room)
        np.testing.assert_allclose(found, best, rtol=1e-11, atol=room)
        if weights[0] == weights[-1] == 1: np.testing.assert_array_equal(b, middle_offsets(kinks, few))


def test_only_the_wanted_bins_are_sorted():
    kinks, ones = np.array([3., 1., 2., 0., 2.5]), np.ones(5)
    y, bins = np.array([1., 1., -1., 1., -1.]), np.array([7, 4, 7, 0, 7])
    sample = _Binned(kinks, y, ones, bins, _count(bins, y, ones, kinks), 0.)
    found = sample.sorted_bins(np.array([4, 7]))
    assert list(found) == [4, 7] and found[7].kinks[:3].tolist() == [2., 2.5, 3.]


def test_the_door_takes_the_sort_for_few_points():
    import reject_nb.mcsvm.offsets as module
    s = np.array([-3., -1., 2., 0., 3.])
    y = np.array([1., 1, 1, -1, -1])
    few = Costs(np.array([.5]), np.array([.5]))
    with mock.patch.multiple(module, _by_bins=None):
        b, losses = module.offsets_and_losses(s, y, np.ones(5), few)
        assert (b.tolist(), losses.tolist()) == ([1.], [2.])
