"""Tests of nbs/bernstein/08_classifier.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import warnings
from reject_nb.bernstein.formulations import kappa
from reject_nb.bernstein.formulations import margins
from reject_nb.bernstein.formulations import uncertainty_set
from reject_nb.bernstein.moments import extremal_law
from reject_nb.bernstein.uncertain_data import UncertainData
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from reject_nb.bernstein.classifier import RobustSVC, certified_bound, nom_err, opt_err

def test_scikit_learn_conventions():
    rng = np.random.default_rng(0)
    y = np.where(np.arange(60) % 2, "b", "a")
    U = UncertainData.from_replicates(rng.normal(size=(60, 5, 2))*.4 + np.where(y == "b", .7, -.7)[:, None, None])
    clf = RobustSVC(C=2., eps=.2)
    assert clone(clf).get_params() == clf.get_params()
    assert clf.fit(U, y) is clf and set(clf.predict(U)) <= {"a", "b"} and clf.score(U, y) > .9
    assert clf.slack_.shape == (60,) and clf.coef_.shape == (2,) and clf.gap_ <= clf.tol
    search = GridSearchCV(RobustSVC("MM-SMV"), {"C": [.01, 1.], "eps": [.05, .3]}, cv=3, error_score="raise").fit(U, y)
    assert search.best_score_ > .9 and search.predict(U).shape == (60,)
    X = U.mean
    np.testing.assert_allclose(clf.decision_function(X), X@clf.coef_ + clf.intercept_)


def test_solvers_give_one_classifier():
    rng = np.random.default_rng(1)
    y = np.where(np.arange(40) % 2, 1, 0)
    U = UncertainData.from_replicates(rng.normal(size=(40, 5, 3)) + y[:, None, None])
    a, b, c = (RobustSVC("MM-SMV-I", solver=s).fit(U, y) for s in ("newton", "clarabel", "cvxpy"))
    np.testing.assert_allclose([b.objective_, c.objective_], a.objective_, rtol=1e-6)
    np.testing.assert_allclose([b.coef_, c.coef_], [a.coef_]*2, atol=1e-3)              # the plane moves with the root of the gap


def test_certain_points_make_every_chance_constrained_model_an_svm():
    from sklearn.svm import SVC
    rng = np.random.default_rng(2)
    X = rng.normal(size=(50, 3)); y = np.where(X[:, 0] + rng.normal(size=50) > 0, 1, -1)
    ref = SVC(kernel="linear", C=.5, tol=1e-9).fit(X, y)
    for name in ("SVM", "MM-M", "MM-S", "MM-MC", "MM-SMV", "MM-SMV-I", "MM-SBMV", "MM-SBMV-I", "MM-SM", "MM-SM-I", "MM-SBM", "MM-SBM-I"):
        clf = RobustSVC(name, C=.5).fit(X, y)
        np.testing.assert_allclose(clf.coef_, ref.coef_[0], atol=2e-4)                  # root of the relative gap 1e-7
        assert (clf.predict(X) == ref.predict(X)).all()


def test_path_equals_single_fits():
    rng = np.random.default_rng(3)
    y = np.where(np.arange(40) % 2, 1, 0)
    U = UncertainData.from_replicates(rng.normal(size=(40, 5, 3)) + y[:, None, None])
    for solver in ("newton", "cvxpy", "clarabel"):
        for name in ("MM-SMV", "MM-SMV-I"):
            Cs, epss = [10., .1, 1.], [.05, .4]
            grid = RobustSVC(name, solver=solver).fit_path(U, y, Cs, epss)
            for i, C in enumerate(Cs):
                for j, e in enumerate(epss):
                    one = RobustSVC(name, C=C, eps=e).fit(U, y)
                    assert grid[i][j].C == C and grid[i][j].eps == e
                    assert abs(grid[i][j].objective_/one.objective_ - 1) < 1e-6


def test_misclassification_bound_is_the_eps_at_which_the_constraint_is_tight():
    rng = np.random.default_rng(4)
    y = np.where(np.arange(40) % 2, 1, 0)
    U = UncertainData.from_replicates(rng.normal(size=(40, 5, 2))*.3 + 1.5*y[:, None, None])
    for name in ("MM-SMV", "MM-SMV-I", "MM-MC", "MM-SM", "MM-SBM-I"):
        clf = RobustSVC(name, eps=.2).fit(U, y)
        bound = clf.misclassification_bound(U)
        sets, s = uncertainty_set(name, U), np.where(clf.decision_function(U) > 0, 1., -1.)
        for i in np.flatnonzero((bound > 1e-8) & (bound < .99))[:10]:
            for factor, sign in ((1.01, 1), (.99, -1)):
                m = margins(sets[[i]], clf.coef_, clf.intercept_, s[[i]], kappa(sets.bound, min(bound[i]*factor, .999)))
                assert sign*m[0] > -1e-9
        assert ((bound >= 0) & (bound <= 1)).all() and (bound < 1).any()
    inner, outer = (RobustSVC(n).fit(U, y) for n in ("MM-SMV-I", "MM-SMV"))
    a, b = (certified_bound(uncertainty_set(n, U), outer.coef_, outer.intercept_, np.where(y, 1., -1.)) for n in ("MM-SMV-I", "MM-SMV"))
    assert (a <= b + 1e-12).all()                                                        # the intersection certifies more


def test_error_measures_by_hand():
    U = UncertainData([[0., -1.], [1., -1.], [-3., -1.]], [[2., 1.], [3., 1.], [-1., 1.]], mean=[[1., 0.], [2., 0.], [-2., 0.]], second_moment=[[1.25, .25], [4.25, .25], [4.25, .25]])
    clf = RobustSVC("MM-M").fit(U, [1, 1, 0])
    clf.coef_, clf.intercept_ = np.array([1., 0.]), -.5                                   # the plane x = .5 crosses the first box only
    assert nom_err(clf, U, [1, 1, 0]) == 0 and nom_err(clf, U, [1, 0, 0]) == 1/3
    nu0 = .581490885748307                                                                # nu(0, 0, .5), half width 1
    assert abs(opt_err(clf, U, [1, 1, 0]) - np.exp(-.25/(2*nu0**2))/3) < 1e-12
    assert abs(opt_err(clf, U, [0, 1, 0]) - 1/3) < 1e-12


def test_models_without_eps_certify_zero_or_one():
    X = np.array([[-2., 0.], [2., 0.], [-.1, 0.]])
    U = UncertainData.from_box(X, .5, law="uniform")
    y = [0, 1, 0]
    assert (RobustSVC("MM-M").fit(U, y).misclassification_bound(U) == 1).all()
    clf = RobustSVC("MM-S", C=10.).fit(U[:2], y[:2])
    assert (clf.misclassification_bound(U) == [0, 0, 1]).all()
    assert (RobustSVC("SVM", C=10.).fit(X[:2], y[:2]).misclassification_bound(X[:2]) == 0).all()


def test_chance_constraints_hold_under_extremal_laws():
    rng = np.random.default_rng(5)
    n, d, draws = 30, 4, 20000
    y = np.where(np.arange(n) % 2, 1., -1.)
    c, s = rng.normal(size=(n, d))*.5 + y[:, None]*.8, rng.uniform(.2, .8, (n, d))
    m, sg = rng.uniform(-.3, .3, (n, d)), rng.uniform(.35, .9, (n, d))
    mean = c + s*m
    U = UncertainData(c - s, c + s, mean=mean, central_moment=(s*sg)**2)
    for eps in (.1, .3):
        clf = RobustSVC("MM-SMV", C=5., eps=eps).fit(U, y)
        for i in range(n):
            x = np.empty((draws, d))
            for j in range(d):
                side = 1 if -y[i]*clf.coef_[j] > 0 else -1                                # pushes the score towards the wrong side
                p, q = extremal_law(m[i, j], sg[i, j], side)
                x[:, j] = c[i, j] + s[i, j]*rng.choice(p, size=draws, p=q)
            wrong = (y[i]*(x@clf.coef_ + clf.intercept_) < 1 - clf.slack_[i] - 1e-7).mean()
            assert wrong <= eps + 4*np.sqrt(eps*(1 - eps)/draws)                          # four binomial standard deviations


def test_bad_arguments_are_named():
    X, y = np.array([[0., 1.], [1., 0.], [2., 2.]]), [0, 1, 1]
    for kw, words in [(dict(C=0), "C must"), (dict(C=np.inf), "C must"), (dict(C="a"), "C must"), (dict(eps=1), "eps must"), (dict(eps=np.nan), "eps must"), (dict(tol=0), "tol must"),
                      (dict(max_iter=0), "max_iter must"), (dict(solver="magic"), "solver must"), (dict(formulation="MM"), "formulation must")]:
        with pytest.raises(ValueError, match=words): RobustSVC(**kw).fit(X, y)
    for bad, words in [([0, 1], "y must have shape"), ([0, 0, 0], "exactly two classes"), ([0, 1, 2], "exactly two classes"), ([.5, .2, .1], "Unknown label type")]:
        with pytest.raises(ValueError, match=words): RobustSVC().fit(X, bad)
    for bad in ([1, 2, 3], "text", np.array([[np.nan, 1.], [1., 1.], [1., 1.]])):
        with pytest.raises(ValueError): RobustSVC().fit(bad, y)
    clf = RobustSVC().fit(X, y)
    with pytest.raises(ValueError, match="X must have 2 features"): clf.predict(np.ones((1, 3)))
    with pytest.raises(ValueError, match="rule must"): clf.predict(X, rule="coin")
    with pytest.raises(ValueError, match="y must hold labels"): clf.misclassification_bound(X, [5, 5, 5])
    with pytest.raises(ValueError, match="must not be empty"): clf.fit_path(X, y, [], [.1])
    with pytest.raises(ValueError, match="Cs must"): clf.fit_path(X, y, [-1], [.1])


def test_hard_cases_give_certified_answers():
    rng = np.random.default_rng(6)
    y = np.where(np.arange(24) % 2, 1., -1.)
    base = rng.normal(size=(24, 6, 2))*.3 + y[:, None, None]
    cases = {"separable": base, "hopeless": rng.normal(size=(24, 6, 2)), "one feature": base[:, :, :1], "duplicate rows": np.repeat(base[:6], 4, axis=0),
             "tiny": base*1e-12, "huge": base*1e6, "far away": base + 1e6, "zero width": base[:, :1]}
    for what, g in cases.items():
        labels = y if what != "duplicate rows" else np.repeat(y[:6], 4)
        U = UncertainData.from_replicates(g)
        for name in ("MM-SMV", "MM-SMV-I", "MM-SBMV-I", "MM-S", "MM-MC"):
            for C, eps in ((1., .1), (1e-8, .1), (1e8, .5), (1., 1e-12), (1., 1 - 1e-9)):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    clf = RobustSVC(name, C=C, eps=eps).fit(U, labels)
                assert np.isfinite(clf.coef_).all() and np.isfinite(clf.objective_) and clf.objective_ <= 2*C*12*(1 + 1e-9)
                assert clf.gap_ < 1e-5, (what, name, C, eps, clf.message_)


def test_hopeless_data_give_the_zero_plane_with_its_value():
    U = UncertainData.from_replicates(np.random.default_rng(7).normal(size=(9, 5, 2)))
    y = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0])
    clf = RobustSVC("MM-MC", C=.5, eps=1e-3).fit(U, y)
    assert abs(clf.objective_ - 2*.5*3) < 1e-9 and abs(clf.coef_).max() < 1e-6            # 2 C min(n+, n-)


def test_second_moments_far_from_the_origin_certify_nothing_false():
    # the law x +- .95h has these moments; half of it lies on the wrong side of a plane between the points
    for offset, h in ((2000., 1e-5), (1e6, 5e-3), (2000., 1e-3)):
        x = np.array([[offset], [offset + h]])
        U = UncertainData(x - h, x + h, mean=x, second_moment=x**2 + (.95*h)**2)
        clf = RobustSVC("MM-SMV", C=1e4/h**2, eps=.1).fit(U, [0, 1])
        sure = clf.misclassification_bound(U, [0, 1])
        for i, s in ((0, -1.), (1, 1.)):
            wrong = np.mean([s*(v*clf.coef_[0] + clf.intercept_) <= 0 for v in (x[i, 0] - .95*h, x[i, 0] + .95*h)])
            assert wrong <= sure[i]


def test_names_of_columns_and_fitting_first():
    import pandas as pd
    from sklearn.exceptions import NotFittedError
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    y = np.where(X["a"] > 0, "up", "down")
    clf = RobustSVC("SVM").fit(X, y)
    assert list(clf.feature_names_in_) == ["a", "b"] and clf.score(X, y) > .8
    with pytest.raises(ValueError, match="feature names"): clf.predict(X[["b", "a"]])
    for call in (lambda: RobustSVC().predict(X), lambda: RobustSVC().score(X, y)):
        with pytest.raises(NotFittedError): call()
    assert not hasattr(clf.fit(UncertainData.from_box(X.to_numpy(), .1), y), "feature_names_in_")
    with pytest.raises(ValueError, match="eps"): RobustSVC("MM-MC", eps=1e-309).fit(X, y)
