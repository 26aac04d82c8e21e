"""Tests of nbs/mcsvm/01_problem.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest

from reject_nb.mcsvm.problem import (
    cost_weights, hinge_sum, resolve_taus, solve_primal_reference, solve_reference, two_clouds,
)

def test_taus_counts_and_values():
    np.testing.assert_allclose(resolve_taus(9), np.arange(1, 10)/10, rtol=1e-15)
    np.testing.assert_array_equal(resolve_taus([.7, .2, .2]), [.7, .2, .2])
    assert resolve_taus(.3).tolist() == [.3]


def test_taus_outside_the_open_interval_are_refused():
    for bad in (0, -1, 0., 1., [.5, 1.], [0., .5], [.5, np.nan], [], [[.5]], True, "many", None):
        with pytest.raises(ValueError, match="taus"): resolve_taus(bad)


def test_costs_equal_the_papers_expression():
    rng = np.random.default_rng(0); taus, y = rng.uniform(.01, .99, 6), rng.choice([-1., 1.], 20)
    safe, unsafe = cost_weights(taus, y)
    np.testing.assert_allclose(np.where(y[:, None] > 0, safe, unsafe), .5*((1-2*taus)*y[:, None]+1), rtol=1e-14)


def test_balanced_costs_sum_to_tau_per_class():
    y, taus = np.r_[np.ones(7), -np.ones(3)], np.array([.2, .9])
    safe, unsafe = cost_weights(taus, y, class_balanced=True)
    np.testing.assert_allclose(safe*7, 1-taus); np.testing.assert_allclose(unsafe*3, taus)


def test_hinge_sum_against_the_double_loop():
    rng = np.random.default_rng(1); s, y, b, taus = rng.normal(size=12), rng.choice([-1., 1.], 12), rng.normal(size=3), np.array([.1, .4, .8])
    loop = sum(.5*((1-2*t)*y[i]+1)*max(0, 1+y[i]*(s[i]-b[k])) for k, t in enumerate(taus) for i in range(12))
    np.testing.assert_allclose(hinge_sum(s, y, b, 1-taus, taus), loop, rtol=1e-13)


def test_slack_as_printed_costs_nothing_at_zero():
    y = np.array([1., -1.]); assert np.maximum(0, y*0.).sum() == 0
    assert hinge_sum(np.zeros(2), y, np.zeros(1), np.array([.5]), np.array([.5])) == 1.


def test_strong_duality():
    # Proposition 5: primal and dual, each by its own formulation, agree to the accuracy asked of the solver
    for seed, eta in ((0, 1e-2), (1, 1.), (2, 30.)):
        X, y = two_clouds(40, seed)
        value, w, b = solve_primal_reference(X, y, [.2, .5, .9], eta)
        ref = solve_reference(X@X.T, y, [.2, .5, .9], eta)
        np.testing.assert_allclose(value, ref.dual_objective, rtol=1e-8)
        np.testing.assert_allclose(ref.objective, ref.dual_objective, rtol=1e-7)
        np.testing.assert_allclose(X.T@ref.dual_coef, w, atol=1e-4*np.abs(w).max())  # eq. (22)


def test_half_is_the_classic_svm_with_half_the_eta():
    # tau = .5 puts the cost 1/2 on every slack: the classic SVM with C = eta/2 (erratum 10)
    from sklearn.svm import SVC
    X, y = two_clouds(60, 3); eta = .5
    ref = solve_reference(X@X.T, y, .5, eta)
    svc = SVC(kernel="linear", C=eta/2, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(-svc.coef_.ravel(), X.T@ref.dual_coef, atol=1e-4)


def test_reference_names_the_bad_argument():
    X, y = two_clouds(6, 4); K = X@X.T
    for args, name in (((K[:3], y, 3, 1.), "K"), ((K, np.ones(6), 3, 1.), "y"), ((K, y, 3, 0.), "eta"), ((K, y, 1., 1.), "taus"), ((-K, y, 3, 1.), "K")):
        with pytest.raises(ValueError, match=name): solve_reference(*args)
