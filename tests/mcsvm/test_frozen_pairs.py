"""Tests of nbs/mcsvm/05_frozen_pairs.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from reject_nb.mcsvm.certificate import Certificate
from reject_nb.mcsvm.interior_point import Problem
from reject_nb.mcsvm.interior_point import solve_all_pairs
from reject_nb.mcsvm.interior_point import whiten
from reject_nb.mcsvm.offsets import offsets_and_losses
from reject_nb.mcsvm.problem import Costs
from reject_nb.mcsvm.problem import cost_weights
from reject_nb.mcsvm.problem import hinge_sum
from reject_nb.mcsvm.problem import pair_limits
from reject_nb.mcsvm.problem import solve_reference
from unittest import mock

from reject_nb.mcsvm.frozen_pairs import (
    Ranges, _all_alpha, _all_frozen, _band, _certify, _coarse, _frozen_sums, _release, make_solution,
    next_fraction, solve_features,
)

def _ranges(seed=0):
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 5, 30)
    return Ranges(first, np.minimum(first+rng.integers(0, 4, 30), 4),
                  rng.random((30, 4)) < .5), np.where(rng.random(30) < .5, 1., -1.)


def test_frozen_and_free_together_are_all():
    ranges, y = _ranges()
    costs = Costs(np.array([.8, .6, .4, .2]), np.array([.2, .4, .6, .8]))
    k = np.arange(4)
    free = (k >= ranges.first[:, None]) & (k < ranges.last[:, None])
    at_cost = np.where(ranges.above & ~free, np.where(y[:, None] > 0, costs.safe, costs.unsafe), 0.)
    limits_of = lambda rows: pair_limits(y[rows], costs, np.ones(30)[rows])
    at_point, at_tau, total = _frozen_sums(y, limits_of, ranges)
    np.testing.assert_allclose(at_point, y*at_cost.sum(1), atol=1e-14)
    np.testing.assert_allclose(at_tau, y@at_cost, atol=1e-13)
    np.testing.assert_allclose(total, at_cost.sum(), rtol=1e-13)
    values, alpha = np.arange(1., free.sum()+1), np.empty((30, 4))
    _all_alpha(limits_of, ranges, values, alpha)
    np.testing.assert_array_equal(alpha[~free], at_cost[~free])
    np.testing.assert_array_equal(alpha[free], values)


@pytest.mark.parametrize("block", (7, 8192))
def test_release_frees_the_band_and_what_changed_sides(block):
    import reject_nb.mcsvm.certificate as module
    with mock.patch.multiple(module, _ROWS=block):
        rng, y = np.random.default_rng(1), np.where(np.arange(200) % 2, 1., -1.)
        release = _release
        b, band = np.array([1., .3, -.6]), np.array([.2, .1, .3])
        ranges, s = _all_frozen(200, 3), rng.normal(size=200)*2
        r = 1+y[:, None]*(s[:, None]-b)
        total = release(y, s, b, band, ranges, True)
        before = ranges.first.copy(), ranges.last.copy()
        k = np.arange(3)
        free = (k >= before[0][:, None]) & (k < before[1][:, None])
        assert free.sum() == total and np.all(free[np.abs(r) <= band]) and np.array_equal(ranges.above, r > 0)
        # a point without a pair in the band stays frozen
        assert not free[~(np.abs(r) <= band).any(1)].any()
        s2 = s+.8
        r2 = 1+y[:, None]*(s2[:, None]-b)
        assert release(y, s2, b, band*0, ranges, False) >= total and np.array_equal(ranges.above, r > 0)
        now = (k >= ranges.first[:, None]) & (k < ranges.last[:, None])
        assert np.all(now[free]) and np.all(now[(r2 > 0) != (r > 0)]) and not now.all()
        for i in np.flatnonzero((now & ~free).any(1)): assert ((r2 > 0) != (r > 0))[i].any()


def _two_clouds(n, seed=0, d=2, shift=.7):
    "Two Gaussian classes with unit covariance and alternating labels, the safe one at lower coordinates."
    y = np.where(np.arange(n) % 2 == 0, 1., -1.)
    return np.random.default_rng(seed).normal(size=(n, d))-shift*y[:, None], y


@pytest.mark.parametrize("n, d, eta, balanced",
                         [(30, 2, 1e-2, False), (60, 4, 1., False), (50, 3, 1e3, False), (12, 20, 1., False),
                          (60, 2, 30., True)])
def test_agrees_with_the_reference_solver(n, d, eta, balanced):
    # an independent solver on the paper's dual; 1e-6 is the gap asked for, the reference is good to 1e-9
    X, y = _two_clouds(n, n, d, .4)
    X, taus = X@np.random.default_rng(n).normal(size=(d, d)), np.array([.8, .1, .5, .5])
    found = solve_features(X, y, *cost_weights(taus, y, balanced), eta, 1e-7)
    ref = solve_reference(X@X.T, y, taus, eta, balanced)
    assert found.status == "optimal" and "optimal" in found.message and found.gap <= 1e-7
    assert found.iterations > 0
    np.testing.assert_allclose(found.objective, ref.objective, rtol=1e-6)
    np.testing.assert_allclose(found.scores, X@found.w, atol=1e-8*np.abs(found.scores).max())
    hinge = hinge_sum(found.scores, y, found.biases, *cost_weights(taus, y, balanced))
    np.testing.assert_allclose(found.objective, found.w@found.w/(2*eta)+hinge, rtol=1e-9)


@pytest.mark.parametrize("n, d, eta", [(3000, 3, 1e-2), (6000, 2, 1.), (2000, 20, .1)])
def test_frozen_pairs_do_not_change_the_answer(n, d, eta):
    # two roads: levels with frozen pairs, and every pair free
    X, y = _two_clouds(n, 7, d, .4)
    costs = cost_weights(np.arange(1, 10)/10, y)
    found = solve_features(X, y, *costs, eta, 1e-8)
    unit = Costs(costs.safe/.5, costs.unsafe/.5)
    problem = Problem(*whiten(X, eta*.5)[:2], y, unit, np.ones(n))
    w, alpha, _ = solve_all_pairs(problem, 1e-9)
    assert found.status == "optimal"
    np.testing.assert_allclose(found.objective, _certify(problem, alpha, w, 0.).objective*.5, rtol=2e-8)


def test_freezing_frees_few_pairs():
    # the point of it all: on 10,000 points of two clouds less than a fifth of the pairs takes part
    X, y = _two_clouds(10_000, 3, shift=.4)
    # the band looks at every second point: labels must not alternate
    p = np.random.default_rng(0).permutation(10_000)
    X, y = X[p], y[p]
    costs = cost_weights(np.arange(1, 10)/10, y)
    problem = Problem(*whiten(X, 1e-3)[:2], y, costs, np.ones(10_000))
    w, fraction = _coarse(problem)
    s = problem.Q@w
    b = offsets_and_losses(s, y, np.ones(10_000), costs)[0]
    band, ranges = _band(y, s, b, fraction), _all_frozen(10_000, 9)
    r = np.abs(1+y[:, None]*(s[:, None]-b))
    np.testing.assert_allclose((r <= band).mean(0), fraction, atol=.03)
    assert fraction < .2 and _release(y, s, b, band, ranges, True) < .2*90_000


@pytest.mark.parametrize("n, d, eta", [(60, 2, 1.), (3000, 3, .1)])
def test_a_point_of_weight_three_is_three_points(n, d, eta):
    X, y = _two_clouds(n, 5, d, .4)
    weights, costs = np.random.default_rng(n).integers(1, 4, n), cost_weights(np.array([.2, .5, .7, .9]), y)
    one = solve_features(X, y, *costs, eta, 1e-8, sample_weight=weights)
    many = solve_features(np.repeat(X, weights, 0), np.repeat(y, weights), *costs, eta, 1e-8)
    assert one.status == many.status == "optimal"
    np.testing.assert_allclose(one.objective, many.objective, rtol=3e-8)
    np.testing.assert_allclose(one.w, many.w, rtol=1e-3)


def test_bands_shrink_once_and_grow_at_the_end():
    steps = [next_fraction(.4, turn) for turn in (0, 1, 4, 5, 19)]
    np.testing.assert_allclose(steps, [.2, .4, .4, .6, .6])
    assert next_fraction(.9, 7) == 1. and np.all(np.isinf(_band(np.ones(3), np.zeros(3), np.zeros(2), 1)))


@settings(deadline=None, max_examples=15, derandomize=True)
@given(st.integers(0, 10**6))
def test_shift_order_and_scale_do_not_matter(seed):
    rng = np.random.default_rng(seed)
    X, y = _two_clouds(60, seed, shift=.4)
    costs, p = cost_weights(np.array([.3, .7]), y), rng.permutation(60)
    base = solve_features(X, y, *costs, .1, 1e-9)
    others = {"shifted": solve_features(X+100, y, *costs, .1, 1e-9),
              "permuted": solve_features(X[p], y[p], *costs, .1, 1e-9),
              "taus turned": solve_features(X, y, costs.safe[::-1], costs.unsafe[::-1], .1, 1e-9),
              "scaled": solve_features(X*8, y, *costs, .1/64, 1e-9)}
    for name, other in others.items():
        np.testing.assert_allclose(other.objective, base.objective, rtol=1e-8, err_msg=name)
    np.testing.assert_allclose(others["taus turned"].biases[::-1], base.biases, atol=1e-4)
    np.testing.assert_allclose(others["taus turned"].alpha[:, ::-1], base.alpha, atol=1e-3)
    np.testing.assert_allclose(others["shifted"].scores, (X+100)@others["shifted"].w, atol=1e-8)


@pytest.mark.parametrize("n", (4, 4000))
def test_no_features_leaves_the_class_weights(n):
    # constant features: w = 0 and each tau costs 2 min(c_S n_S, c_U n_U); 4,000 points are more pairs than
    # freezing starts at
    y, taus = np.where(np.arange(n) % 4 == 3, -1., 1.), np.array([.2, .4, .6, .9])
    found = solve_features(np.ones((n, 1)), y, 1-taus, taus, 1.)
    np.testing.assert_allclose(found.objective, 2*np.minimum((1-taus)*.75*n, taus*.25*n).sum(), rtol=1e-9)
    assert found.status == "optimal" and not found.w.any() and found.iterations == 0

GOOD = dict(Z=_two_clouds(20)[0], y=_two_clouds(20)[1], safe=[.5], unsafe=[.5], eta=1., tol=1e-6)

@pytest.mark.parametrize("name, value", [("Z", np.zeros((19, 2))), ("Z", np.full((20, 2), np.nan)),
                                         ("Z", "x"), ("y", np.ones(20)), ("y", np.arange(20)),
                                         ("safe", [-.5]), ("unsafe", [.5, .5]), ("eta", -1.), ("eta", np.nan),
                                         ("eta", np.inf), ("tol", np.nan),
                                         ("tol", -1.), ("tol", 0.), ("tol", 1.), ("eta", True)])
def test_solve_features_names_the_bad_argument(name, value):
    with pytest.raises(ValueError, match=f"^{name} must be"): solve_features(**{**GOOD, name: value})


def test_a_gap_above_tol_is_said():
    found = solve_features(**GOOD)
    certificate = Certificate(objective=2., bound=1., gap=.5, gap_abs=1., dual_coef=found.dual_coef,
                              scores=found.scores,
                              biases=found.biases, norm2=1., offered=False)
    said = make_solution(certificate, found.alpha, 3, 1e-6, shift=2.)
    assert said.status == "not_converged" and "5.0e-01" in said.message and "raise tol" in said.message
    assert said.gap_abs == 1.
    np.testing.assert_allclose(said.biases, found.biases+2)


@pytest.mark.parametrize("eta", (1e3, 1e6, 1e9))
def test_hard_margin_limit(eta):
    # x = -1 safe, x = 1 unsafe: w = 1 separates with margin 1 on each side, so the optimum is 1/(2 eta) for
    # every set of taus
    found = solve_features([[-1.], [-1.], [1.]], [1, 1, -1], [.5, .2], [.5, .8], eta)
    np.testing.assert_allclose(found.objective, 1/(2*eta), rtol=2e-6)


def test_tiny_eta_limit():
    X, y = np.random.default_rng(0).normal(size=(10, 2)), np.repeat([1., -1.], [6, 4])
    np.testing.assert_allclose(solve_features(X, y, [.7], [.3], 1e-12).objective, 2*min(.7*6, .3*4),
                               rtol=1e-6)


def test_pairs_in_blocks_are_those_in_one():
    "Rows are taken seven at a time; values of free pairs go on where the block before ended."
    import reject_nb.mcsvm.certificate as module
    ranges, y = _ranges(3)
    costs = Costs(np.array([.8, .6, .4, .2]), np.array([.2, .4, .6, .8]))
    limits_of = lambda rows: pair_limits(y[rows], costs, np.ones(30)[rows])
    values, one, many = np.arange(1., 31*4), np.empty((30, 4)), np.empty((30, 4))
    _all_alpha(limits_of, ranges, values, one)
    with mock.patch.multiple(module, _ROWS=7): _all_alpha(limits_of, ranges, values, many)
    np.testing.assert_array_equal(one, many)
