"""Tests of nbs/strategies/05_ordinal.ipynb, extracted from its test cells: edit them there."""
import cvxpy as cp
import numpy as np
import pytest
import warnings
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from reject_nb.strategies.ordinal import OrdinalSVM, ordinal_certificate, solve_ordinal

def test_ordinal_solver_against_a_quadratic_program():
    rng = np.random.default_rng(1)
    for n, d, k, C in [(40, 3, 4, 1.), (60, 2, 3, .01), (50, 4, 6, 30.), (30, 1, 2, 1.)]:
        X = rng.normal(size=(n, d))
        y = np.searchsorted(np.linspace(-1, 1, k - 1), X[:, 0] + .4*rng.normal(size=n))
        y[:k] = np.arange(k)
        w, b = cp.Variable(d), cp.Variable(k - 1)
        hinge = [cp.pos(1 - (X[i] @ w - b[j] if y[i] > j else b[j] - X[i] @ w)) for i in range(n) for j in range(k - 1)]
        best = cp.Problem(cp.Minimize(.5*cp.sum_squares(w) + C*sum(hinge))).solve(solver="CLARABEL")
        ours = solve_ordinal(X, y, k, C, tol=1e-7)
        assert ours.status == "optimal"
        np.testing.assert_allclose(ours.certificate.primal, best, rtol=1e-6)   # Clarabel's own tolerance is 1e-8
        assert ours.certificate.dual <= best*(1 + 1e-7) and ours.certificate.gap <= 1e-7


def test_certificate_is_sound_anywhere():
    # a lower bound at random points, of any quality, stays below the optimum
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(80, 3)), rng.integers(0, 4, 80)
    best = solve_ordinal(X, y, 4, 1., tol=1e-8).certificate
    for mu in (1e-3, .1, 10.):
        for _ in range(10):
            c = ordinal_certificate(X, y, rng.normal(size=3), rng.normal(size=3), 1., mu)
            assert c.dual <= best.primal*(1 + 1e-12) and c.primal >= best.dual


def test_two_classes_are_the_linear_svm():
    # with one threshold the problem is the standard SVM with a free intercept, as LIBSVM solves it
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] + .5*rng.normal(size=200) > .3).astype(int)
    ours = OrdinalSVM(C=.5, tol=1e-8).fit(X, y)
    svm = SVC(C=.5, kernel="linear", tol=1e-8).fit(X, y)
    np.testing.assert_allclose(ours.coef_, svm.coef_[0], atol=2e-3)
    np.testing.assert_allclose(-ours.thresholds_, svm.intercept_, atol=2e-3)
    np.testing.assert_array_equal(ours.decision_function(X) > 0, ours.predict(X) == 1)


def test_ordinal_estimator_conventions():
    check_estimator(OrdinalSVM(), on_skip=None)


def test_reversing_the_order_mirrors_the_solution():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 4))
    y = np.searchsorted([-1, 0, .5], X @ [1., 1, 0, 0] + rng.normal(size=300))
    a, b = OrdinalSVM(tol=1e-7).fit(X, y), OrdinalSVM(tol=1e-7).fit(X, -y)
    np.testing.assert_allclose(a.certificate_.primal, b.certificate_.primal, rtol=1e-6)
    np.testing.assert_allclose(a.coef_, -b.coef_, atol=5e-3)


def test_hinges_bound_the_absolute_error_and_decisions_agree():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 4))
    y = np.searchsorted([-1, 0, .5], X @ [1., 1, 0, 0] + rng.normal(size=300))
    m = OrdinalSVM().fit(X, y)
    assert m.status_ == "optimal" and m.certificate_.gap <= 1e-4 and (np.diff(m.thresholds_) >= 0).all()
    assert np.abs(m.predict(X) - y).sum() <= m.certificate_.primal
    np.testing.assert_array_equal(m.classes_[m.decision_function(X).argmax(1)], m.predict(X))
    assert (m.margin(X) >= 0).all()


def test_ordinal_bad_input():
    X, y = np.eye(4), [0, 1, 2, 3]
    for kw, args, words in [({"C": 0}, (X, y), "C must"), ({"tol": 2}, (X, y), "tol"), ({}, (X, [1]*4), "one class"), ({}, (X*np.nan, y), "NaN"), ({}, (X, y[:2]), "inconsistent")]:
        with pytest.raises(ValueError, match=words): OrdinalSVM(**kw).fit(*args)
    for kw, words in [({"C": "a"}, "C must"), ({"C": 1e300}, "C must"), ({"C": np.nan}, "C must"), ({"tol": "x"}, "tol must"), ({"tol": 0}, "tol must"), ({"max_iter": 0}, "max_iter"), ({"max_iter": -3}, "max_iter"), ({"max_iter": "q"}, "max_iter")]:
        with pytest.raises(ValueError, match=words): OrdinalSVM(**kw).fit(X, y)
    with pytest.warns(ConvergenceWarning, match="max_iter"): stopped = OrdinalSVM(max_iter=1, tol=1e-9).fit(X, y)
    assert stopped.status_ == "not converged" and stopped.certificate_.gap > 1e-9
    same = OrdinalSVM().fit(np.ones((6, 2)), [0, 0, 1, 1, 2, 2])
    assert same.status_ == "optimal" and np.isfinite(same.coef_).all()


def test_offsets_of_features_change_nothing():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(500, 2))
    y = np.digitize(Z[:, 0], [-.5, .5])
    a = OrdinalSVM().fit(Z, y)
    for offset in (100., 2000., 1e6):
        b = OrdinalSVM().fit(Z + [offset, 0], y)
        assert b.status_ == "optimal" and abs(b.certificate_.gap - a.certificate_.gap) < 1e-7 and (b.predict(Z + [offset, 0]) == a.predict(Z)).mean() > .99
        np.testing.assert_allclose(b.certificate_.primal, a.certificate_.primal, rtol=2e-4)     # both within tol of the optimum
        raw = ordinal_certificate(Z + [offset, 0], y, b.coef_, b.thresholds_, 1.)
        np.testing.assert_allclose([raw.primal, raw.dual], [getattr(ordinal_certificate(Z, y, b.coef_, b.thresholds_ - b.coef_[0]*offset, 1.), k) for k in ("primal", "dual")], rtol=1e-6)
    X, y = load_wine(return_X_y=True)                         # spreads from .1 to 300, offsets to 750
    for C in (1., 100., 1000.):
        m = OrdinalSVM(C=C).fit(X, y)
        assert m.status_ == "optimal" and m.score(X, y) > .96


def test_large_scales_end_with_a_status_and_the_best_point():
    Z = np.random.default_rng(0).normal(size=(200, 4))
    y = (Z[:, 0] > 0)*1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)   # from 1e5 on rounding keeps the gap above tol
        for scale in (1e4, 1e6, 1e7, 1e8, 1e150):
            m = OrdinalSVM().fit(Z*scale, y)
            assert (m.status_ == "optimal") == (m.certificate_.gap <= 1e-4) and (m.status_ == "optimal" or scale > 1e5)
            assert m.score(Z*scale, y) == 1 and m.certificate_.dual <= m.certificate_.primal
        early = [OrdinalSVM(max_iter=k).fit(Z*100, y).certificate_.primal for k in (1, 4, 8, 16)]
    assert all(a > b for a, b in zip(early, early[1:])) and early[-1] < .1 < early[0]         # never the start where more was found
