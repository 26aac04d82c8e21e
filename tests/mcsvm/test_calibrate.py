"""Tests of nbs/mcsvm/06_calibrate.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from scipy.stats import binom

from reject_nb.mcsvm.calibrate import (
    bias_adjustment, calibrate_offset, conformal, conformal_unsafe, probabilistic_scaling, scaling_rank,
    weighted_hinge, z_svm,
)

def test_bias_adjustment_halves_the_gap_of_separated_classes():
    s, y = np.array([-4., -2., 1., 6.]), np.array([1., 1, -1, -1])
    assert bias_adjustment(s, y).bias == -.5
    # five unsafe, two safe: (5*1 + 2*(-2))/7
    assert np.isclose(bias_adjustment(np.r_[s, 7., 8., 9.], np.r_[y, -1, -1, -1], proportional=True).bias, 1/7)
    assert bias_adjustment(s, y).kind == "none" and bias_adjustment(s, y).bound is None


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.integers(0, 10**6))
def test_z_svm_beats_every_other_cut(seed):
    rng = np.random.default_rng(seed); n = 15; y = np.where(rng.random(n) < .4, 1., -1.); y[:2] = 1, -1
    s = np.round(rng.normal(size=n), 1)
    mean = lambda b: np.sqrt(np.mean(s[y > 0] < b)*np.mean(s[y < 0] >= b))
    assert mean(z_svm(s, y).bias) >= max(mean(b) for b in np.r_[s, s.max()+1])-1e-12


def test_z_svm_with_all_scores_tied():
    assert np.isfinite(z_svm(np.zeros(4), np.array([1., 1, -1, -1])).bias)


def test_rank_is_the_largest_that_qualifies():
    for n, eps, delta in ((1000, .05, .05), (59, .05, .05), (200, .1, 1e-6), (50, .5, .9)):
        r = scaling_rank(n, eps, delta)
        assert binom.cdf(r-1, n, eps) <= delta < binom.cdf(r, n, eps)
    assert scaling_rank(58, .05, .05) == 0 and scaling_rank(59, .05, .05) == 1  # .95^58 > .05 >= .95^59


def test_scaling_keeps_r_minus_one_unsafe_points():
    rng = np.random.default_rng(1); s = rng.normal(size=500); y = np.where(rng.random(500) < .6, 1., -1.)
    c = probabilistic_scaling(s, y, .05, .1); assert np.sum(s[y < 0] < c.bias) == c.rank-1


def test_scaling_says_when_it_cannot():
    s, y = np.arange(10.), np.ones(10); y[:2] = -1
    c = probabilistic_scaling(s, y, .05, .05); assert c.bias is None and not c.feasible and "infeasible" in c.status and "59" in c.status and c.bound is None
    c = probabilistic_scaling(np.arange(400.), np.r_[np.ones(399), -1], .05, .05); assert c.bias == np.inf and c.status.startswith("whole space")


def test_scaling_violation_probability_is_the_binomial_level():
    # uniform scores, unsafe with probability 1/2: the joint risk of {s < b} is b/2 exactly. Violations in 4,000 repetitions are
    # Binomial(4000, B(r-1; n, eps)); 4 standard deviations, p about 6e-5
    rng = np.random.default_rng(2); n, eps, delta, N = 200, .1, .1, 4000; r = scaling_rank(n, eps, delta); level = binom.cdf(r-1, n, eps)
    hits = 0
    for _ in range(N):
        s, y = rng.random(n), np.where(rng.random(n) < .5, 1., -1.)
        hits += probabilistic_scaling(s, y, eps, delta).bias/2 > eps
    assert level <= delta and abs(hits/N-level) < 4*np.sqrt(level*(1-level)/N)


def test_conformal_rank_has_no_rounding_trap():
    # (1-.05)(99+1) is 95 exactly; floating point must not make it 96, nor .05*(19+1) fall to 0
    s = np.arange(99.); assert conformal(s, np.ones(99), .05).rank == 95
    assert conformal_unsafe(np.arange(19.), -np.ones(19), .05).rank == 1 and conformal_unsafe(np.arange(18.), -np.ones(18), .05).bias is None


def test_conformal_follows_a_shift_of_the_scores():
    rng = np.random.default_rng(3); s, y = rng.normal(size=200), np.where(rng.random(200) < .5, 1., -1.)
    assert np.isclose(conformal_unsafe(s+7, y, .1).bias, conformal_unsafe(s, y, .1).bias+7)
    assert np.isclose(conformal(s+7, y, .1, reference=7.).bias, conformal(s, y, .1).bias+7)


def test_conformal_bounds_hold_on_average():
    # exact risks for uniform scores: rate b, joint b/2. The mean over 3,000 repetitions may exceed the level by 4 standard errors (p about 3e-5)
    rng = np.random.default_rng(4); n, eps, N = 150, .1, 3000; rate, joint = np.empty(N), np.empty(N)
    for i in range(N):
        y = np.where(rng.random(n) < .5, 1., -1.); s = np.where(y > 0, -1., 0.)+rng.random(n)
        rate[i] = np.clip(conformal_unsafe(s, y, eps).bias, 0, 1); joint[i] = np.clip(conformal(s, y, eps).bias, 0, 1)/2
    for risk in (rate, joint): assert risk.mean() <= eps+4*risk.std()/np.sqrt(N)
    assert rate.mean() > .8*eps  # the bound on the rate is nearly attained: r/(n_U+1)


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.integers(0, 10**6), st.sampled_from([.01, .05, .2, .5]))
def test_weighted_hinge_bounds_false_positives_on_its_sample(seed, eps):
    rng = np.random.default_rng(seed); n = rng.integers(4, 80); y = np.where(rng.random(n) < rng.uniform(.1, .9), 1., -1.); y[:2] = 1, -1
    s = np.round(rng.normal(size=n)-y*rng.uniform(0, 2), 1)
    b = weighted_hinge(s, y, eps).bias
    assert np.sum(s[y < 0] < b) <= eps/(1-eps)*np.sum(y > 0)+1e-9


def test_weighted_hinge_attains_the_minimum_of_28():
    rng = np.random.default_rng(5); s, y, eps = rng.normal(size=60), np.where(rng.random(60) < .5, 1., -1.), .1
    loss = lambda b: .5*np.sum(np.maximum(0, ((1-2*(1-eps))*y+1)*(y*(s-b)+1)))
    assert loss(weighted_hinge(s, y, eps).bias) <= min(loss(b) for b in s+y)+1e-9


def test_weighted_hinge_depends_on_the_scale_of_the_scores():
    rng = np.random.default_rng(6); y = np.where(rng.random(400) < .5, 1., -1.); s = rng.normal(size=400)-y
    rates = [np.mean(s[y < 0] < weighted_hinge(k*s, y, .05).bias/k) for k in (.3, 10.)]; assert abs(rates[0]-rates[1]) > .005


def test_errors_name_the_argument():
    s, y = np.array([0., 1.]), np.array([1., -1.])
    for args, name in (((s, y, "best"), "rule"), ((s, y, "conformal", 0.), "eps"), ((s, y, "conformal", 1.), "eps"), ((s, y, "probabilistic_scaling", .1), "delta"),
                       ((s, y, "probabilistic_scaling", .1, 1.5), "delta"), ((s, np.array([1., 2.]), "conformal"), "y"), ((s, np.ones(3), "conformal"), "y"),
                       ((np.array([np.nan, 1]), y, "conformal"), "scores"), ((s, np.ones(2), "z_svm"), "y"), ((s, np.ones(2), "weighted_hinge"), "y"), ((np.zeros((2, 2)), y, "conformal"), "scores")):
        with pytest.raises(ValueError, match=name): calibrate_offset(*args)
