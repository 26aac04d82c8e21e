"""Tests of nbs/mcsvm/03_certificate.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.mcsvm.problem import Costs
from reject_nb.mcsvm.problem import cost_weights
from reject_nb.mcsvm.problem import hinge_sum
from reject_nb.mcsvm.problem import resolve_taus
from reject_nb.mcsvm.problem import solve_reference
from unittest import mock

from reject_nb.mcsvm.certificate import certify, certify_point, dual_value, repair

@pytest.mark.parametrize("n", (2, 5, 40))
def test_repair_gives_a_feasible_point(n):
    rng, taus = np.random.default_rng(1), np.array([.1, .5, .9])
    y, alpha = np.where(np.arange(n) % 2, 1., -1.), rng.normal(size=(n, 3))
    repair(alpha, y, Costs(1-taus, taus), np.ones(len(y)))
    assert alpha.min() >= 0 and np.all(alpha <= np.where(y[:, None] > 0, 1-taus, taus))
    np.testing.assert_allclose(y@alpha, 0, atol=1e-13*n)


def test_repair_leaves_a_feasible_point_alone():
    y, taus, alpha = np.array([1., -1.]), np.array([.4]), np.array([[.3], [.3]])
    repair(alpha, y, Costs(1-taus, taus), np.ones(len(y)))
    assert alpha.ravel().tolist() == [.3, .3]


def test_repair_scales_only_the_heavier_side():
    y, costs = np.array([1., 1, -1, -1]), Costs(np.array([.5, .5]), np.array([.5, .5]))
    alpha = np.array([[.4, .1], [.4, .1], [.1, .4], [.1, .4]])
    repair(alpha, y, costs, np.ones(4))
    np.testing.assert_allclose(alpha, .1, rtol=1e-15)


def test_a_side_without_weight_makes_the_column_zero():
    y, alpha = np.array([1., -1.]), np.array([[.3, -1.], [-.1, -1.]])
    repair(alpha, y, Costs(np.full(2, .5), np.full(2, .5)), np.ones(2))
    assert not alpha.any()


def test_the_passes_by_blocks_and_with_weights():
    import reject_nb.mcsvm.certificate as module
    with mock.patch.multiple(module, _ROWS=2):
        rng, costs = np.random.default_rng(5), Costs(np.array([.3, .6]), np.array([.7, .4]))
        y, weights, alpha = np.array([1., -1, 1, 1, -1]), np.array([1., 2, 3, 1, .5]), rng.normal(size=(5, 2))
        limits = np.where(y[:, None] > 0, costs.safe, costs.unsafe)*weights[:, None]
        clipped, factors = np.clip(alpha, 0, limits), np.array([[.5, 1.], [1., .25]])
        sides = module._clip(alpha, y, costs, weights)
        np.testing.assert_array_equal(alpha, clipped)
        np.testing.assert_allclose(sides, [clipped[y > 0].sum(0), clipped[y < 0].sum(0)], rtol=1e-14)
        module._shrink(alpha, y, factors)
        np.testing.assert_array_equal(alpha, clipped*np.where(y[:, None] > 0, *factors))

TAUS_4 = resolve_taus(4)
Y_30 = np.where(np.arange(30) < 12, 1., -1.)
X_30 = np.random.default_rng(2).normal(size=(30, 3))-Y_30[:, None]/2
K_30 = X_30@X_30.T
COSTS_30 = cost_weights(TAUS_4, Y_30)
REFERENCE_30 = solve_reference(K_30, Y_30, TAUS_4, .3)

def _certify_30(alpha, offer=None): return certify(lambda v: K_30@v, Y_30, alpha, *COSTS_30, .3, offer)


def test_the_optimum_has_no_gap():
    assert abs(_certify_30(REFERENCE_30.alpha).gap) < 1e-8


@pytest.mark.parametrize("scale", (1e-3, 1e-1, 1., 100.))
def test_certificate_encloses_the_optimum(scale):
    c = _certify_30(REFERENCE_30.alpha+scale*np.random.default_rng(0).normal(size=REFERENCE_30.alpha.shape))
    assert 0 <= c.bound <= REFERENCE_30.objective*(1+1e-9) and c.objective >= REFERENCE_30.bound*(1-1e-9)
    assert 0 <= c.gap <= 1 and c.gap_abs == c.objective-c.bound and np.isclose(c.gap, c.gap_abs/c.objective)


def test_the_dual_variables_given_stay_as_they_were():
    alpha = np.random.default_rng(3).normal(size=(30, 4))
    before = alpha.copy()
    _certify_30(alpha)
    np.testing.assert_array_equal(alpha, before)


def test_certificate_agrees_with_the_double_sum():
    rng, y, taus = np.random.default_rng(3), np.where(np.arange(20) < 9, 1., -1.), np.array([.2, .7])
    X, costs = rng.normal(size=(20, 2)), cost_weights(taus, y)
    c = certify(lambda v: X@(X.T@v), y, rng.uniform(0, 1, (20, 2)), *costs, .5)
    w = X.T@c.dual_coef
    np.testing.assert_allclose(c.norm2, w@w, rtol=1e-12)
    np.testing.assert_allclose(c.objective, w@w/(2*.5)+hinge_sum(X@w, y, c.biases, *costs), rtol=1e-12)


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid")
def test_a_direction_that_overflows_counts_as_none():
    c = certify_point(lambda v: v*1e200, np.array([1., 1, -1]), np.full((3, 1), .1),
                      Costs(np.array([.75]), np.array([.25])), np.ones(3), 1e200)
    assert c.gap == 1. and c.objective == .5 and c.bound == 0 and not c.scores.any()


def test_zero_alpha_has_gap_one():
    # w = 0 costs 2 min(c_S n_S, c_U n_U) for each tau, and the dual value is 0
    c = certify(lambda v: v*0, [1., 1, -1], np.zeros((3, 1)), [.75], [.25], 1.)
    assert c.gap == 1. and c.objective == 2*min(.75*2, .25)


@pytest.mark.parametrize("total, norm2, eta",
                         [(1., 4., 2.), (3., 4., 2.), (.5, 4., 2.), (2., 0., 1.), (0., 1., 1.)])
def test_the_best_multiple_is_the_best_of_a_grid(total, norm2, eta):
    t = np.linspace(0, 1, 10_001)
    best = (t*total-t*t*norm2/(2*eta)).max()
    np.testing.assert_allclose(dual_value(total, norm2, eta), best, atol=1e-7)
    assert dual_value(total, norm2, eta) >= max(best-1e-12, 0.)


def test_a_better_direction_is_taken_and_a_worse_one_is_not():
    alpha = REFERENCE_30.alpha*.5
    own, best = _certify_30(alpha), _certify_30(REFERENCE_30.alpha)
    better = _certify_30(alpha, (best.scores, best.norm2))
    worse = _certify_30(REFERENCE_30.alpha, (own.scores, own.norm2))
    assert better.offered and better.objective == best.objective < own.objective and better.bound == own.bound
    assert not worse.offered and worse.objective == best.objective
    np.testing.assert_array_equal(worse.scores, best.scores)
    assert worse.norm2 == best.norm2 != own.norm2

GOOD = dict(apply=lambda v: v, y=[1., -1.], alpha=np.zeros((2, 1)), safe=[.5], unsafe=[.5], eta=1.)

@pytest.mark.parametrize("name, value", [("apply", None), ("apply", int), ("apply", lambda v: v[:1]),
                                         ("apply", lambda v: v*np.nan), ("y", [1., 1.]),
                                         ("alpha", np.zeros((1, 2))), ("alpha", np.full((2, 1), np.nan)),
                                         ("safe", [0.]), ("unsafe", [.5, .5]),
                                         ("eta", 0.), ("eta", np.inf), ("offer", 3),
                                         ("offer", (np.zeros(2), -1.)), ("offer", (np.zeros(3), 1.))])
def test_certify_names_the_bad_argument(name, value):
    with pytest.raises(ValueError, match=f"^{name}"): certify(**{**GOOD, name: value})
