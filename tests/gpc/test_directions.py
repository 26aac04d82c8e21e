"""Tests of nbs/gpc/05_directions.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.gpc.logistic import logistic_mean
from scipy.special import logsumexp

from reject_nb.gpc.directions import (
    MIXED, PURE, _share, _trapezoid, covariance_shift, leading_directions, three_directions,
)

def test_second_derivatives_are_bounded():
    g = np.random.default_rng(3).normal(0, 2, size=(200_000, 2))
    # p_j = e^g_j/(1 + sum)
    p = np.exp(g - logsumexp(np.column_stack([np.zeros(len(g)), g]), axis=1)[:, None])
    p0 = 1 - p.sum(1)
    pure, mixed = np.abs(p0*p[:, 0]*(2*p[:, 0] - 1)).max(), np.abs(2*p0*p[:, 0]*p[:, 1]).max()
    assert .99*PURE < pure <= PURE + 1e-12 and .99*MIXED < mixed <= MIXED + 1e-12


@pytest.mark.parametrize("C", [3, 6, 10])
def test_many_classes_share_one_unit(C):
    rng = np.random.default_rng(12)
    largest = 0.
    for _ in range(500):
        p = rng.dirichlet(np.full(C, rng.choice([.1, 1., 10.])))
        change = rng.uniform(0, rng.uniform(0, 1), size=(C - 1, C - 1))
        change = np.maximum(change, change.T)
        q, phi = p[1:], p[0]
        off = change - np.diag(np.diag(change))
        rate = .5*phi*(q*np.abs(2*q - 1) @ np.diag(change) + 2*q @ off @ q)
        assert rate <= covariance_shift(change) + 1e-12
        largest = max(largest, rate/covariance_shift(change))
    assert largest > .2                                             # the bound is not idle


def test_covariance_shift_by_hand():
    few = np.array([[.1, .03], [.03, .2]])
    assert abs(covariance_shift(few) - .5*(.3/(6*3**.5) + .06*2/27)) < 1e-15
    many = np.full((9, 9), .1)
    assert abs(covariance_shift(many) - .5*(.025 + .1*8/27*(8/9))) < 1e-15


def _random_differences(k, seed, scale=.8):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(k, k))*scale
    return rng.normal(size=k), A @ A.T


@pytest.mark.parametrize("k", [1, 2, 3, 5])
def test_three_directions_within_their_error(k):
    m, S = _random_differences(k, 1)
    value, error = three_directions(m, S)
    fine, _ = three_directions(m, S, 30.)
    f = np.random.default_rng(2).multivariate_normal(m, S, 200_000)
    sample = np.exp(-logsumexp(np.column_stack([np.zeros(200_000), f]), axis=1))
    # five standard errors
    assert abs(value - fine) <= error and abs(value - sample.mean()) < error + 5*sample.std()/200_000**.5
    assert (error < 1e-6) == (k <= 3)


@pytest.mark.parametrize("spread", [0., 1e-13, 1., 25., 400.])
def test_exchangeable_classes_share_equally(spread):
    value, error = three_directions(np.zeros(2), spread*np.array([[2., 1.], [1., 2.]]))
    assert abs(value - 1/3) <= error < 1e-6


def test_two_classes_are_the_logistic_model():
    value, error = three_directions(np.array([-.7]), np.array([[2.3]]), 30.)
    assert abs(value - logistic_mean(.7, 2.3)) < 1e-10 and error < 1e-10


@pytest.mark.parametrize("seed", range(40))
def test_covariance_bound_holds(seed):
    m, S = _random_differences(2, seed)
    T = S + .2*_random_differences(2, seed + 1000)[1]
    (v, e), (w, f) = three_directions(m, S), three_directions(m, T)
    assert abs(v - w) <= covariance_shift(np.abs(S - T)) + e + f


def test_work_is_limited():
    m, S = _random_differences(3, 5, 4.)
    assert three_directions(m, S, points=10.) == (.5, np.inf)
    few, error = three_directions(m, S, points=3e4)
    many, small = three_directions(m, S)
    assert small < error < 1 and abs(few - many) <= error + small
    wide = _random_differences(5, 1)[1]
    assert three_directions(np.zeros(5), wide, enough=1e-9) == (.5, np.inf)


def test_uncompiled_sum():
    m, S = _random_differences(2, 3)
    L = np.ascontiguousarray(leading_directions(S).L)
    steps, counts = np.array([.5, .5]), np.array([15, 15])
    assert _trapezoid.py_func(m, L, steps, counts) == pytest.approx(_trapezoid(m, L, steps, counts),
                                                                    rel=1e-13)
    u = np.array([.3, -.2, 0.])
    expected = 1/(1 + np.exp(m + L @ u[:2]).sum())
    assert _share.py_func(m, L, u, np.empty(2)) == pytest.approx(expected, rel=1e-14)
