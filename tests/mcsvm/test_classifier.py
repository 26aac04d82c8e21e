"""Tests of nbs/mcsvm/07_classifier.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.mcsvm.problem import solve_reference
from reject_nb.mcsvm.problem import two_clouds

from reject_nb.mcsvm.classifier import MultiCostSVC, curve_offset

def test_curve_is_exact_at_the_knots_and_increases():
    knots, biases = np.array([2., -1, 0]), np.array([2., 0, 1])
    np.testing.assert_allclose([curve_offset(k, knots, biases) for k in knots], biases)
    assert np.all(np.diff([curve_offset(r, knots, biases) for r in np.linspace(-5, 5, 50)]) > 0)
    with pytest.raises(ValueError, match="taus"): curve_offset(0., np.array([1., 1.]), np.array([0., 0.]))


def test_objective_agrees_with_the_reference_for_every_kernel():
    from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
    X, y = two_clouds(60); signs = np.where(y == 1, 1., -1.)
    for kwargs, K in ((dict(), X@X.T), (dict(kernel="poly", degree=2, gamma=.5), polynomial_kernel(X, degree=2, gamma=.5, coef0=1.)), (dict(kernel="rbf", gamma=.7), rbf_kernel(X, gamma=.7)),
                      (dict(kernel=lambda A, B: (A@B.T)**2), (X@X.T)**2)):
        for balanced, eta in ((False, .3), (True, 20.)):
            clf = MultiCostSVC(taus=[.8, .3], eta=eta, class_balanced=balanced, **kwargs).fit(X, y)
            ref = solve_reference(K, signs, [.8, .3], eta, balanced)
            np.testing.assert_allclose(clf.objective_, ref.objective, rtol=1.1e-6)
            assert clf.status_ == "optimal" and clf.gap_ <= 1e-6 and clf.biases_[0] <= clf.biases_[1]


def test_signs():
    X, y = two_clouds(120); clf = MultiCostSVC(eta=1.).fit(X, y)
    np.testing.assert_allclose(clf.decision_function(X), clf.bias_-clf.projection(X)); np.testing.assert_allclose(clf.projection(X), X@clf.coef_)
    assert clf.safe_label_ == 1 and np.array_equal(clf.predict(X) == 1, clf.decision_function(X) > 0) and clf.score(X, y) > .7
    other = MultiCostSVC(eta=1., safe_label=-1).fit(X, y)
    assert np.array_equal(other.predict(X) == -1, other.decision_function(X) > 0) and other.score(X, y) > .7


def test_precomputed_equals_rbf():
    from sklearn.metrics.pairwise import rbf_kernel
    X, y = two_clouds(120); A, _ = two_clouds(30, 5)
    one = MultiCostSVC(kernel="rbf", eta=1.).fit(X, y); two = MultiCostSVC(kernel="precomputed", eta=1.).fit(rbf_kernel(X, gamma=1.), y)
    np.testing.assert_allclose(one.objective_, two.objective_, rtol=2e-6); np.testing.assert_allclose(one.projection(A), two.projection(rbf_kernel(A, X, gamma=1.)), atol=1e-2)
    np.testing.assert_allclose(one.projection(A), rbf_kernel(A, X, gamma=1.)@one.dual_coef_, atol=1e-10)


def test_cubic_through_monomials_or_through_the_kernel():
    # 40 points: explicit monomials. The same kernel as a function goes through Cholesky
    X, y = two_clouds(40); one = MultiCostSVC(kernel="poly", eta=.01).fit(X, y); two = MultiCostSVC(kernel=lambda A, B: (1+A@B.T)**3, eta=.01).fit(X, y)
    np.testing.assert_allclose(one.objective_, two.objective_, rtol=2e-6); assert hasattr(one, "coef_") and not hasattr(two, "coef_")


def test_bad_input_is_named():
    X, y = two_clouds(20)
    for kwargs, name in ((dict(taus=0.), "taus"), (dict(taus=[.5, 1.]), "taus"), (dict(eta=0), "eta"), (dict(eta=np.nan), "eta"), (dict(eta="big"), "eta"), (dict(tol=0), "tol"), (dict(kernel="sigmoid"), "kernel"),
                         (dict(kernel="rbf", gamma=-1.), "gamma"), (dict(kernel="rbf", gamma="wide"), "gamma"), (dict(safe_label=7), "safe_label"), (dict(class_balanced="yes"), "class_balanced")):
        with pytest.raises(ValueError, match=name): MultiCostSVC(**kwargs).fit(X, y)
    for A, b, name in ((X, np.zeros(20), "class"), (np.where(X > 1, np.nan, X), y, "X"), (X, np.arange(20) % 3, "y"), (X[:, 0], y, "array"), (X, y[:5], "inconsistent")):
        with pytest.raises(ValueError, match=name): MultiCostSVC().fit(A, b)
    clf = MultiCostSVC().fit(X, y)
    with pytest.raises(ValueError, match="y must hold"): clf.calibrate(X, y+5)
    with pytest.raises(ValueError, match="rule"): clf.calibrate(X, y, rule="magic")
    with pytest.raises(ValueError, match="p_safe"): clf.predict_region(X, p_safe=1., eps=.1)
    with pytest.raises(ValueError, match="eps"): clf.predict_region(X, p_safe=.5, eps=0.)
    with pytest.raises(ValueError, match="square"): MultiCostSVC(kernel="precomputed").fit(X, y)


def test_hard_cases_give_certified_answers():
    X, y = two_clouds(30)
    cases = {"strings": (X, np.where(y == 1, "b", "a")), "constant features": (np.ones((30, 2)), y), "duplicates": (np.repeat(X[:2], 15, 0), np.repeat(y[:2], 15)), "contradictory duplicates": (np.ones((30, 1))*3, y),
             "n < m": (X[:3], y[:3]), "single point of a class": (X[:5], [0, 1, 1, 1, 1]), "constant column": (np.c_[X, np.full(30, 1e6)], y), "badly scaled": (X*[1e-4, 1e4], y)}
    for name, (A, b) in cases.items():
        for kwargs in (dict(), dict(kernel="rbf"), dict(kernel="poly", degree=2), dict(class_balanced=True)):
            for eta in (1e-8, 1., 1e6):
                clf = MultiCostSVC(eta=eta, **kwargs).fit(A, b)
                assert clf.gap_ <= 1e-6 and np.all(np.isfinite(clf.biases_)) and np.all(np.isfinite(clf.projection(A))), (name, kwargs, eta, clf.gap_)
                assert set(np.unique(clf.predict(A))) <= set(np.unique(b))


def test_infeasible_calibration_declares_nothing_safe():
    X, y = two_clouds(120); clf = MultiCostSVC().fit(X, y)
    c = clf.calibrate(X[:20], y[:20], rule="probabilistic_scaling", eps=.01, delta=.01)
    assert not c.feasible and c.bias is None and clf.bias_ == -np.inf and not np.any(clf.predict(X) == 1)
    assert clf.calibrate(X, y, rule="weighted_hinge", eps=.1).feasible and np.isfinite(clf.bias_)


def test_check_estimator():
    import warnings
    from sklearn.exceptions import SkipTestWarning
    from sklearn.utils.estimator_checks import check_estimator
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkipTestWarning)
        for kwargs in (dict(), dict(kernel="rbf", eta=1.), dict(kernel="poly")):
            results = check_estimator(MultiCostSVC(**kwargs), on_fail=None)
            failed = [r["check_name"] for r in results if r["status"] not in ("passed", "skipped")]
            assert len(results) > 30 and not failed, (kwargs, failed)
