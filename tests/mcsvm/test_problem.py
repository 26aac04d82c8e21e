"""Tests of nbs/mcsvm/01_problem.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest

from reject_nb.mcsvm.problem import (
    Costs, check_costs, check_signs, check_weights, cost_weights, hinge_sum, pair_limits, resolve_taus,
    solve_primal_reference, solve_reference,
)

def test_taus_counts_and_values():
    np.testing.assert_allclose(resolve_taus(9), np.arange(1, 10)/10, rtol=1e-15)
    np.testing.assert_array_equal(resolve_taus([.7, .2, .2]), [.7, .2, .2])
    assert resolve_taus(.3).tolist() == [.3] and resolve_taus(10_000).shape == (10_000,)

BAD_TAUS = (0, -1, 0., 1., [.5, 1.], [0., .5], [.5, np.nan], [], [[.5]], True, "many", None, 10_001, 1j)

@pytest.mark.parametrize("taus", BAD_TAUS)
def test_taus_outside_the_open_interval_are_refused(taus):
    with pytest.raises(ValueError, match="taus"): resolve_taus(taus)


def test_costs_equal_the_papers_expression():
    rng = np.random.default_rng(0)
    taus, y = rng.uniform(.01, .99, 6), rng.choice([-1., 1.], 20)
    safe, unsafe = cost_weights(taus, y)
    np.testing.assert_allclose(np.where(y[:, None] > 0, safe, unsafe), .5*((1-2*taus)*y[:, None]+1),
                               rtol=1e-14)


def test_balanced_costs_sum_to_tau_per_class():
    y, taus = np.r_[np.ones(7), -np.ones(3)], np.array([.2, .9])
    safe, unsafe = cost_weights(taus, y, class_balanced=True)
    np.testing.assert_allclose(safe*7, 1-taus)
    np.testing.assert_allclose(unsafe*3, taus)


@pytest.mark.parametrize("y", ([1, 0, -1], [1, 1], [-1, -1], [], [[1, -1]], "no", None, [1, np.nan]))
def test_labels_other_than_the_two_signs_are_refused(y):
    with pytest.raises(ValueError, match="y must be"): check_signs(y)


@pytest.mark.parametrize("safe, unsafe, name",
                         [([.5, 0.], [.5, .5], "safe"), ([.5], [0.], "unsafe"), ([.5], [.5, .5], "unsafe"),
                                                ([-.5], [.5], "safe"), ([.5], [np.inf], "unsafe"),
                                                ("x", [.5], "safe")])
def test_costs_that_are_not_positive_are_refused(safe, unsafe, name):
    with pytest.raises(ValueError, match=f"^{name} must be"): check_costs(safe, unsafe)


def test_good_labels_and_costs_pass():
    assert check_signs([1, -1, 1]).tolist() == [1., -1., 1.]
    assert check_signs([1, 1], both=False).tolist() == [1., 1.]
    assert check_costs([.5], [.25]) == (np.array([.5]), np.array([.25]))
    assert check_weights(None, 2).tolist() == [1., 1.] and check_weights([2, 3], 2).tolist() == [2., 3.]
    limits = pair_limits(np.array([1., -1.]), Costs(np.array([.5, .2]), np.array([.25, .8])),
                         np.array([2., 1.]))
    assert limits.tolist() == [[1., .4], [.25, .8]]


@pytest.mark.parametrize("weights", ([1., 0.], [1.], [-1., 1.], [1., np.nan], "x", [[1., 1.]]))
def test_weights_that_are_not_positive_are_refused(weights):
    with pytest.raises(ValueError, match="^sample_weight must be"): check_weights(weights, 2)


def test_hinge_sum_against_the_double_loop():
    rng = np.random.default_rng(1)
    s, y = rng.normal(size=12), rng.choice([-1., 1.], 12)
    b, taus = rng.normal(size=3), np.array([.1, .4, .8])
    loop = sum(.5*((1-2*t)*y[i]+1)*max(0, 1+y[i]*(s[i]-b[k])) for k, t in enumerate(taus) for i in range(12))
    np.testing.assert_allclose(hinge_sum(s, y, b, 1-taus, taus), loop, rtol=1e-13)


def test_slack_as_printed_costs_nothing_at_zero():
    y, half = np.array([1., -1.]), np.array([.5])
    assert np.maximum(0, y*0.).sum() == 0 and hinge_sum(np.zeros(2), y, np.zeros(1), half, half) == 1.


def _two_clouds(n, seed=0, d=2, shift=.7):
    "Two Gaussian classes with unit covariance and alternating labels, the safe one at lower coordinates."
    y = np.where(np.arange(n) % 2 == 0, 1., -1.)
    return np.random.default_rng(seed).normal(size=(n, d))-shift*y[:, None], y


@pytest.mark.parametrize("balanced", (False, True))
@pytest.mark.parametrize("seed, eta", [(0, 1e-2), (1, 1.), (2, 30.)])
def test_strong_duality(seed, eta, balanced):
    # Proposition 5: primal and dual, each by its own formulation, agree to the accuracy asked of the solver
    X, y = _two_clouds(40, seed)
    value, w, b = solve_primal_reference(X, y, [.2, .5, .9], eta, balanced)
    ref = solve_reference(X@X.T, y, [.2, .5, .9], eta, balanced)
    np.testing.assert_allclose(value, ref.bound, rtol=1e-8)
    np.testing.assert_allclose(ref.objective, ref.bound, rtol=1e-7)
    np.testing.assert_allclose(X.T@ref.dual_coef, w, atol=1e-4*np.abs(w).max())  # eq. (22)
    assert ref.status == "optimal" and ref.gap_abs == ref.objective-ref.bound and abs(ref.gap) < 1e-7


def test_two_points_by_hand():
    # the dual 2a - 2 eta a^2 of the text: a = 1/(2 eta) inside the box, else a = 1/2
    K, y = np.array([[1., -1.], [-1., 1.]]), np.array([1., -1.])
    for eta, a in ((2., .25), (.5, .5)):
        ref = solve_reference(K, y, .5, eta)
        np.testing.assert_allclose(ref.alpha, a, atol=1e-6)
        np.testing.assert_allclose(ref.objective, 2*a-2*eta*a**2, rtol=1e-7)


def test_half_is_the_classic_svm_with_half_the_eta():
    # tau = .5 puts the cost 1/2 on every slack: the classic SVM with C = eta/2
    from sklearn.svm import SVC
    X, y = _two_clouds(60, 3)
    ref = solve_reference(X@X.T, y, .5, .5)
    svc = SVC(kernel="linear", C=.25, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(-svc.coef_.ravel(), X.T@ref.dual_coef, atol=1e-4)

Y_6 = _two_clouds(6, 4)[1]
K_6 = _two_clouds(6, 4)[0]@_two_clouds(6, 4)[0].T

@pytest.mark.parametrize("args, name", [((K_6[:3], Y_6, 3, 1.), "K"), ((K_6, np.ones(6), 3, 1.), "y"),
                                        ((K_6, Y_6, 3, 0.), "eta"), ((K_6, Y_6, 3, 5e-324), "eta"),
                                        ((K_6, Y_6, 1., 1.), "taus"), ((-K_6, Y_6, 3, 1.), "K"),
                                        ((K_6, Y_6, 3, 1., "no"), "class_balanced")])
def test_reference_names_the_bad_argument(args, name):
    with pytest.raises(ValueError, match=f"^{name} must be"): solve_reference(*args)
