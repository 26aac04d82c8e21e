"""Tests of nbs/bernstein/13_classifier.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import warnings
from reject_nb.bernstein import UncertainData
from reject_nb.bernstein.bound_calibration import _limits
from reject_nb.bernstein.formulations import FORMULATIONS
from reject_nb.bernstein.formulations import kappa
from reject_nb.bernstein.formulations import uncertainty_set
from reject_nb.bernstein.moments import extremal_law
from reject_nb.bernstein.nu_values import nu
from reject_nb.bernstein.worst_case import margins
from reject_nb.core.results import Status
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV

from reject_nb.bernstein.classifier import RobustSVC, certain, nom_err, opt_err

def _replicated(n, d, seed, shift=1., spread=1.):
    "n points of 5 replicates and their labels 0 and 1."
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2, 1, 0)
    return UncertainData.from_replicates(rng.normal(size=(n, 5, d))*spread + shift*y[:, None, None]), y


def test_scikit_learn_conventions():
    U, y = _replicated(60, 2, 0, 2., .4)
    y = np.where(y, "b", "a")
    clf = RobustSVC("MM-SMV-I", C=2., eps=.2)
    assert clone(clf).get_params() == clf.get_params()
    assert clf.fit(U, y) is clf and set(clf.predict(U)) <= {"a", "b"} and clf.score(U, y) > .9
    assert clf.slack_.shape == (60,) and clf.coef_.shape == (2,) and clf.gap_ <= clf.tol
    assert clf.n_features_in_ == 2
    np.testing.assert_allclose(clf.gap_abs_, clf.objective_ - clf.bound_)
    search = GridSearchCV(RobustSVC("MM-SMV"), {"C": [.01, 1.], "eps": [.05, .3]}, cv=3,
                          error_score="raise").fit(U, y)
    assert search.best_score_ > .9 and search.predict(U).shape == (60,)
    np.testing.assert_allclose(clf.decision_function(U.mean), U.mean@clf.coef_ + clf.intercept_)


@pytest.mark.parametrize("solver", ["clarabel", "cvxpy"])
def test_solvers_give_one_classifier(solver):
    U, y = _replicated(40, 3, 1)
    a, b = (RobustSVC("MM-SMV-I", solver=s).fit(U, y) for s in ("newton", solver))
    np.testing.assert_allclose(b.objective_, a.objective_, rtol=1e-6)
    # the plane moves with the root of the gap
    np.testing.assert_allclose(b.coef_, a.coef_, atol=1e-3)


@pytest.mark.parametrize("name", FORMULATIONS)
def test_certain_points_make_every_model_an_svm(name):
    from sklearn.svm import SVC
    rng = np.random.default_rng(2)
    X = rng.normal(size=(50, 3))
    y = np.where(X[:, 0] + rng.normal(size=50) > 0, 1, -1)
    ref = SVC(kernel="linear", C=.5, tol=1e-9).fit(X, y)
    clf = RobustSVC(name, C=.5).fit(X, y)
    # root of the relative gap 1e-7
    np.testing.assert_allclose(clf.coef_, ref.coef_[0], atol=2e-4)
    assert (clf.predict(X) == ref.predict(X)).all() and (clf.misclassification_bound(X) == 0).all()


@pytest.mark.parametrize("solver", ["newton", "cvxpy", "clarabel"])
@pytest.mark.parametrize("name", ["MM-SMV", "MM-SMV-I"])
def test_path_equals_single_fits(solver, name):
    U, y = _replicated(40, 3, 3)
    Cs, epss = [10., .1, 1.], [.05, .4]
    grid = RobustSVC(name, solver=solver).fit_path(U, y, Cs, epss)
    for i, C in enumerate(Cs):
        for j, e in enumerate(epss):
            one = RobustSVC(name, C=C, eps=e).fit(U, y)
            assert grid[i][j].C == C and grid[i][j].eps == e and grid[i][j].n_features_in_ == 3
            assert abs(grid[i][j].objective_/one.objective_ - 1) < 1e-6
            assert (grid[i][j].predict(U) == one.predict(U)).all()


def test_limits_end_with_a_status():
    U, y = _replicated(40, 3, 3)
    for limit, status in ((dict(max_iter=2), Status.iteration_limit),
                          (dict(time_limit=1e-9), Status.time_limit)):
        with pytest.warns(ConvergenceWarning, match=f"ended {status}: relative gap"):
            clf = RobustSVC(**limit).fit(U, y)
        assert clf.status_ == status and clf.bound_ <= RobustSVC().fit(U, y).objective_ and clf.gap_ > clf.tol

EXPECTED = {f"check_sample_weight_equivalence_on_{kind}_data": "equal up to tol"
            for kind in ("dense", "sparse")}

def test_check_estimator():
    import warnings
    from sklearn.exceptions import SkipTestWarning
    from sklearn.utils.estimator_checks import check_estimator
    with warnings.catch_warnings():
        for kind in (SkipTestWarning, RuntimeWarning): warnings.simplefilter("ignore", kind)
        results = check_estimator(RobustSVC("SVM"), on_fail=None, expected_failed_checks=EXPECTED)
    assert [r["check_name"] for r in results if r["status"] not in ("passed", "skipped", "xfail")] == []


@pytest.mark.parametrize("rule, scores", [("mean", [-.5, .25]), ("support", [1., .5]), ("robust", [.5, .25])])
def test_rules_by_hand(rule, scores):
    clf = RobustSVC("MM-SM-I", eps=.5).fit([[-1.], [1.]], [0, 1])
    clf.coef_, clf.intercept_ = np.array([1.]), 0.
    U = UncertainData([[-1.], [0.]], [[3.], [1.]], mean=[[-.5], [.25]])
    got = clf.decision_function(U, rule)
    if rule == "robust":
        sets = uncertainty_set("MM-SM-I", U)
        ends = [margins(sets, clf.coef_, 0., np.full(2, s), kappa("bernstein", .5)) for s in (1., -1.)]
        scores = (ends[0] - ends[1])/2
        # the second set: the box below, the ellipsoid above
        top = .25 + kappa("bernstein", .5)*.5*nu(-.5, -.5, 1.)
        np.testing.assert_allclose(scores[1], (0. + top)/2)
    np.testing.assert_allclose(got, scores)
    assert clf.predict(U, rule).tolist() == [int(s > 0) for s in scores]


def test_points_without_means_use_what_there_is():
    clf = RobustSVC("MM-S").fit([[-1.], [1.]], [0, 1])
    bounds, bare = UncertainData([[-1.]], [[3.]], mean_lower=[[0.]],
                                 mean_upper=[[.5]]), UncertainData([[-1.]], [[3.]], nominal=[[-.5]])
    np.testing.assert_allclose([clf.decision_function(bounds), clf.decision_function(bare)], [[.25], [-.5]],
                               rtol=1e-6)
    # the label 0 against the far corner
    np.testing.assert_allclose(clf.robust_margin(bare), [-3.], rtol=1e-6)
    np.testing.assert_allclose(clf.robust_margin(bare, [1]), [-1.], rtol=1e-6)


@pytest.mark.parametrize("solver", ["newton", "clarabel", "cvxpy"])
@pytest.mark.parametrize("name", ["SVM", "MM-S", "MM-SMV", "MM-SMV-I"])
def test_a_weight_counts_copies(name, solver):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(20, 2)), np.arange(20) % 2
    U, times = UncertainData.from_box(X + y[:, None], .3, "uniform"), rng.integers(0, 4, 20)
    weighed = RobustSVC(name, solver=solver).fit(U, y, sample_weight=times)
    copies = RobustSVC(name).fit(U[np.repeat(np.arange(20), times)], np.repeat(y, times))
    np.testing.assert_allclose([weighed.objective_, weighed.bound_], copies.objective_, rtol=1e-6)
    assert len(weighed.slack_) == (times > 0).sum()
    by_class = RobustSVC(name, class_weight={0: 1., 1: 3.}).fit(U, y)
    by_point = RobustSVC(name).fit(U, y, np.where(y, 3., 1.))
    np.testing.assert_allclose(by_class.objective_, by_point.objective_, rtol=2e-7)
    path = RobustSVC(name, solver=solver).fit_path(U, y, [1.], [.1], sample_weight=times)[0][0]
    np.testing.assert_allclose(path.objective_, copies.objective_, rtol=1e-6)
    # one weight for all is another C
    alike, dearer = RobustSVC(name).fit(U, y, 4.), RobustSVC(name, C=4.).fit(U, y)
    np.testing.assert_allclose(alike.objective_, dearer.objective_, rtol=2e-7)


def test_probabilities():
    from scipy.optimize import minimize
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = rng.normal(size=(200, 1)) + y[:, None]
    clf = RobustSVC("SVM").fit(X[:100], y[:100])
    assert not hasattr(clf, "predict_proba")
    p = clf.calibrate_proba(X[100:], y[100:]).predict_proba(X[100:])
    np.testing.assert_allclose(p.sum(axis=1), 1)
    s = clf.decision_function(X[100:])
    target = np.where(y[100:] == 1, 51/52, 1/52)
    loss = lambda v: np.logaddexp(0, v[0]*s + v[1]).sum() - target@(v[0]*s + v[1])
    np.testing.assert_allclose(clf.probability_, minimize(loss, [1., 0.]).x, rtol=1e-4)
    assert not hasattr(clf.fit(X, y), "probability_")
    with pytest.raises(ValueError, match="^y must be labels of both"): clf.calibrate_proba(X[:1], y[:1])


@pytest.mark.parametrize("bad", [[1, -1, 1], [1, np.nan, 1], [1, 1], 0, [1, 0, 0], "text"])
def test_bad_weights_are_named(bad):
    X, y = [[0., 1.], [1., 0.], [2., 2.]], [0, 1, 1]
    with pytest.raises(ValueError, match="^sample_weight must be"): RobustSVC().fit(X, y, bad)
    with pytest.raises(ValueError, match="^class_weight must be"): RobustSVC(class_weight={}).fit(X, y)

TIES = [("MM-S", .5, 1., [[-2.], [-1.], [1.], [2.]], [0, 0, 1, 1], [1, 2, 2, 2], 2.),
        ("MM-S", .5, 1., [[0., 0., -1.], [-1., 1., 1.]], [0, 1], [2, 2], 2.),
        ("SVM", .25, .5, [[-1.], [1.]], [0, 1], None, .5),
        ("SVM", 1., 1., [[0., 0., 0.], [1., 0., -1.]], [0, 1], None, 1.),
        ("SVM", 1., 2., [[0., 0., -1.], [-1., 0., -1.]], [0, 1], None, 2.)]

@pytest.mark.parametrize("name, half, C, X, y, weights, value", TIES)
def test_tied_problems_end_optimal_at_their_value(name, half, C, X, y, weights, value):
    U = UncertainData.from_box(X, half, law="uniform")
    clf = RobustSVC(name, C=C, tol=1e-6).fit(U, y, sample_weight=weights)
    assert clf.status_ == "optimal" and clf.gap_ <= 1e-6
    assert clf.bound_ <= value*(1 + 1e-12) and abs(clf.objective_ - value) <= 1.1e-6*value


@pytest.mark.parametrize("seed", [1, 10, 12, 16, 17, 24, 25, 26, 29, 31, 32])
def test_small_integer_data_end_optimal(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 2, (int(rng.integers(2, 5)), int(rng.integers(1, 4)))).astype(float)
    times = int(rng.choice([1, 2, 4]))
    y, X = np.repeat(np.arange(len(X)) % 2, times), np.repeat(X, times, axis=0)
    U = UncertainData.from_box(X, float(rng.choice([.25, .5, 1., 2.])), law="uniform")
    weights = rng.choice([1., 2.], len(y)) if rng.random() < .6 else None
    for name in FORMULATIONS:
        for C in (.5, 1., 2.):
            clf = RobustSVC(name, C=C, tol=1e-6).fit(U, y, sample_weight=weights)
            assert clf.status_ == "optimal" and clf.gap_ <= 1e-6, (name, C, clf.message_)


def _boxes(n, rng):
    "Uniform boxes of width 2 around means on a line, labelled by the side of the position."
    mean = rng.normal(0, 1.5, (n, 1))
    return (UncertainData.from_box(mean, 1., law="uniform"),
            np.where(mean + rng.uniform(-1, 1, (n, 1)) > 0, "yes", "no")[:, 0])


@pytest.mark.parametrize("rule", ["mean", "support", "robust"])
def test_calibrate_counts_errors_by_certified_bound(rule):
    rng, levels = np.random.default_rng(0), np.array([0., .2, .6])
    clf = RobustSVC("MM-SMV-I", C=100., eps=.5).fit(*_boxes(40, rng))
    U, y = _boxes(300, rng)
    found = clf.calibrate(U, y, delta=.1, levels=levels, rule=rule)
    bound, wrong = clf.misclassification_bound(U, rule=rule), clf.predict(U, rule=rule) != y
    for g, (low, high) in enumerate(zip([-1, *levels], [*levels, 1])):
        inside = (bound > low) & (bound <= high)
        assert found.n[g] == inside.sum() and found.errors[g] == wrong[inside].sum()
        assert (clf.error_bound(U)[inside] == found.upper[g]).all()
    assert clf.calibration_ is found and found.rule == rule and clf.coef_[0] > .1
    # on the plane that decides the labels the certificate is right
    clf.coef_, clf.intercept_ = np.array([1.]), 0.
    assert not clf.calibrate(U, y, delta=.01, levels=levels, rule=rule).refuted.any()


def test_calibrated_bounds_hold_in_10000_repetitions():
    # the points to come are drawn from 2,000 points, whose true shares are therefore known
    rng, levels, times, delta = np.random.default_rng(1), np.array([0., .2, .6]), 10_000, .1
    clf = RobustSVC("MM-SMV", C=100., eps=.5).fit(*_boxes(40, rng))
    U, y = _boxes(2000, rng)
    group = np.searchsorted(levels, clf.misclassification_bound(U))
    n = np.bincount(group, minlength=4)
    truth = np.bincount(group[clf.predict(U) != y], minlength=4)/np.maximum(n, 1)
    drawn = rng.multinomial(60, n/n.sum(), times)
    _, upper = _limits(rng.binomial(drawn, truth), drawn, delta)
    broken = ((upper < truth) & (n > 0)).any(1).mean()
    assert broken <= delta + 4*np.sqrt(delta*(1 - delta)/times)


def test_error_bound_needs_a_calibration_of_this_fit():
    U, y = _boxes(40, np.random.default_rng(2))
    clf = RobustSVC("MM-SMV").fit(U, y)
    assert not hasattr(clf, "error_bound")
    clf.calibrate(U, y)
    assert hasattr(clf, "error_bound") and not hasattr(clone(clf), "error_bound")
    assert not hasattr(clf.fit(U, y), "error_bound")
    for bad, name in ((dict(delta=1.), "delta"), (dict(levels=[1.]), "levels"), (dict(rule="best"), "rule"),
                      (dict(y=["yes"]*39), "y"), (dict(y=["ill"]*40), "y"), (dict(X="a"), "X")):
        with pytest.raises(ValueError, match=name): clf.calibrate(**(dict(X=U, y=y) | bad))
    assert not hasattr(clf, "error_bound")


def test_error_measures_by_hand():
    U = UncertainData([[0., -1.], [1., -1.], [-3., -1.]], [[2., 1.], [3., 1.], [-1., 1.]],
                      mean=[[1., 0.], [2., 0.], [-2., 0.]],
                      second_moment=[[1.25, .25], [4.25, .25], [4.25, .25]])
    clf = RobustSVC("MM-M").fit(U, [1, 1, 0])
    # the plane x = .5 crosses the first box only
    clf.coef_, clf.intercept_ = np.array([1., 0.]), -.5
    assert nom_err(clf, U, [1, 1, 0]) == 0 and nom_err(clf, U, [1, 0, 0]) == 1/3
    # nu(0, 0, .5), half width 1
    nu0 = .581490885748307
    assert abs(opt_err(clf, U, [1, 1, 0]) - np.exp(-.25/(2*nu0**2))/3) < 1e-12
    assert abs(opt_err(clf, U, [0, 1, 0]) - 1/3) < 1e-12
    bare = UncertainData(U.lower, U.upper, mean=U.mean)
    # without second moments nu = 1
    assert abs(opt_err(clf, bare, [1, 1, 0]) - np.exp(-.25/2)/3) < 1e-12
    bounds = UncertainData(U.lower, U.upper, mean_lower=U.mean - [.2, 0.], mean_upper=U.mean)
    # the lower mean is .3 away, nu nearly 1
    assert abs(opt_err(clf, bounds, [1, 1, 0]) - np.exp(-.09/2)/3) < 1e-2


def test_models_without_eps_certify_zero_or_one():
    X, y = np.array([[-2., 0.], [2., 0.], [-.1, 0.]]), [0, 1, 0]
    U = UncertainData.from_box(X, .5, law="uniform")
    assert (RobustSVC("MM-M").fit(U, y).misclassification_bound(U) == 1).all()
    clf = RobustSVC("MM-S", C=10.).fit(U[:2], y[:2])
    assert (clf.misclassification_bound(U) == [0, 0, 1]).all()
    assert (RobustSVC("SVM", C=10.).fit(X[:2], y[:2]).misclassification_bound(X[:2]) == 0).all()


@pytest.mark.parametrize("eps", [.1, .3])
def test_chance_constraints_hold_under_extremal_laws(eps):
    rng = np.random.default_rng(5)
    n, d, draws = 30, 4, 20000
    y = np.where(np.arange(n) % 2, 1., -1.)
    c, s = rng.normal(size=(n, d))*.5 + y[:, None]*.8, rng.uniform(.2, .8, (n, d))
    m, sg = rng.uniform(-.3, .3, (n, d)), rng.uniform(.35, .9, (n, d))
    U = UncertainData(c - s, c + s, mean=c + s*m, central_moment=(s*sg)**2)
    clf = RobustSVC("MM-SMV", C=5., eps=eps).fit(U, y)
    for i in range(n):
        x = np.empty((draws, d))
        for j in range(d):
            # pushes the score towards the wrong side
            side = 1 if -y[i]*clf.coef_[j] > 0 else -1
            p, q = extremal_law(m[i, j], sg[i, j], side)
            x[:, j] = c[i, j] + s[i, j]*rng.choice(p, size=draws, p=q)
        wrong = (y[i]*(x@clf.coef_ + clf.intercept_) < 1 - clf.slack_[i] - 1e-7).mean()
        # four binomial standard deviations
        assert wrong <= eps + 4*np.sqrt(eps*(1 - eps)/draws)

THREE = np.array([[0., 1.], [1., 0.], [2., 2.]])
LABELS = [0, 1, 1]
BAD = [(dict(C=0), "C"), (dict(C=np.inf), "C"), (dict(C="a"), "C"), (dict(C=True), "C"), (dict(eps=1), "eps"),
       (dict(eps=np.nan), "eps"), (dict(tol=0), "tol"),
       (dict(max_iter=0), "max_iter"), (dict(max_iter=None), "max_iter"), (dict(max_iter=True), "max_iter"),
       (dict(time_limit=0), "time_limit"),
       (dict(solver="magic"), "solver"), (dict(formulation="MM"), "formulation"),
       (dict(formulation="MM-MC", eps=1e-309), "eps"), (dict(solver=["newton"]), "solver")]

@pytest.mark.parametrize("parameters, name", BAD)
def test_bad_parameters_are_named(parameters, name):
    with pytest.raises(ValueError, match=f"^{name} must"): RobustSVC(**parameters).fit(THREE, LABELS)
    with pytest.raises(ValueError, match=f"^{name} must"):
        RobustSVC(**parameters).fit_path(THREE, LABELS, [1.], [.1])


@pytest.mark.parametrize("y", [[0, 0, 0], [0, 1, 2], [.5, .2, .1], [0, 1], None, [0, 1, None], [[0, 1, 1]]*3,
                               [0, 1, np.nan], "text", 1j])
@pytest.mark.parametrize("uncertain", [False, True])
def test_bad_labels_are_named(y, uncertain):
    X = certain(THREE) if uncertain else THREE
    with pytest.raises(ValueError, match=r"\by must be"): RobustSVC().fit(X, y)


@pytest.mark.parametrize("X", [[1, 2, 3], "text", None, object(), np.where(THREE == 1, np.nan, THREE),
                               THREE + 1j, THREE*1e200, np.ma.masked_equal(THREE, 1.), THREE[:0]])
def test_bad_points_are_named(X):
    with pytest.raises((ValueError, TypeError), match="^X must be"): RobustSVC().fit(X, LABELS)
    clf = RobustSVC().fit(THREE, LABELS)
    for call in (clf.predict, clf.misclassification_bound, lambda X: nom_err(clf, X, LABELS)):
        with pytest.raises((ValueError, TypeError), match="^X must be"): call(X)


def test_bad_arguments_of_methods_are_named():
    clf = RobustSVC().fit(THREE, LABELS)
    for X in (np.ones((1, 3)), UncertainData.from_box(np.ones((1, 3)), 0.)):
        with pytest.raises(ValueError, match="X .*2 features"): clf.predict(X)
    for call in (clf.predict, clf.misclassification_bound, clf.robust_margin, lambda X,
                 rule: clf.misclassification_bound(X, LABELS, rule)):
        with pytest.raises(ValueError, match="^rule must"): call(THREE, rule="coin")
    with pytest.raises(ValueError, match="y must be labels of the fit"):
        clf.misclassification_bound(THREE, [5, 5, 5])
    for Cs, epss, name in (([], [.1], "Cs"), ([-1], [.1], "Cs"), ([1.], [], "epss"), ([1.], [1.], "epss"),
                           ("x", [.1], "Cs"), ([1.], None, "epss"), ([1.], [5e-324], "epss")):
        with pytest.raises(ValueError, match=f"^{name} must"): clf.fit_path(THREE, LABELS, Cs, epss)
    for measure in (nom_err, opt_err):
        with pytest.raises(ValueError, match="^clf must"): measure(3, THREE, LABELS)
        with pytest.raises(ValueError, match="^y must"): measure(clf, THREE, None)
    with pytest.raises(ValueError, match="^X must be UncertainData with mean"):
        opt_err(clf, UncertainData.from_box(THREE, 1.), LABELS)


def test_numbers_of_half_precision_count_in_full():
    "The largest float16 times a weight of 2 is no infinity, and no other C."
    half, double = (RobustSVC(C=C).fit(THREE, LABELS, [2., 1., 2.]) for C in (np.float16(65504), 65504.))
    np.testing.assert_array_equal(half.coef_, double.coef_)
    assert half.objective_ == double.objective_

SIDE = np.where(np.arange(24) % 2, 1., -1.)
BASE = np.random.default_rng(6).normal(size=(24, 6, 2))*.3 + SIDE[:, None, None]
HARD = {"separable": BASE, "hopeless": np.random.default_rng(7).normal(size=(24, 6, 2)),
        "one feature": BASE[:, :, :1],
        "duplicate rows": np.repeat(BASE[:6], 4, axis=0), "tiny": BASE*1e-12, "huge": BASE*1e6,
        "far away": BASE + 1e6, "zero width": BASE[:, :1]}

@pytest.mark.parametrize("name", ["MM-SMV", "MM-SMV-I", "MM-SBMV-I", "MM-S", "MM-MC"])
@pytest.mark.parametrize("what", HARD)
def test_hard_cases_give_certified_answers(what, name):
    y = np.where(np.arange(24) % 2, 1., -1.)
    labels = y if what != "duplicate rows" else np.repeat(y[:6], 4)
    U = UncertainData.from_replicates(HARD[what])
    for C, eps in ((1., .1), (1e-8, .1), (1e8, .5), (1., 1e-12), (1., 1 - 1e-9)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            clf = RobustSVC(name, C=C, eps=eps).fit(U, labels)
        assert np.isfinite(clf.coef_).all() and np.isfinite(clf.objective_)
        assert clf.objective_ <= 2*C*12*(1 + 1e-9)
        assert clf.gap_ < 1e-5, (C, eps, clf.message_)


def test_hopeless_data_give_the_zero_plane_with_its_value():
    U = UncertainData.from_replicates(np.random.default_rng(7).normal(size=(9, 5, 2)))
    clf = RobustSVC("MM-MC", C=.5, eps=1e-3).fit(U, [1, 1, 1, 0, 0, 0, 0, 0, 0])
    assert abs(clf.objective_ - 2*.5*3) < 1e-9 and abs(clf.coef_).max() < 1e-6            # 2 C min(n+, n-)


@pytest.mark.parametrize("offset, h", [(2000., 1e-5), (1e6, 5e-3), (2000., 1e-3)])
def test_second_moments_far_from_the_origin_certify_nothing_false(offset, h):
    # the law x +- .95h has these moments; half of it lies on the wrong side
    x = np.array([[offset], [offset + h]])
    U = UncertainData(x - h, x + h, mean=x, second_moment=x**2 + (.95*h)**2)
    clf = RobustSVC("MM-SMV", C=1e4/h**2, eps=.1).fit(U, [0, 1])
    sure = clf.misclassification_bound(U, [0, 1])
    for i, s in ((0, -1.), (1, 1.)):
        wrong = np.mean([s*(v*clf.coef_[0] + clf.intercept_) <= 0
                         for v in (x[i, 0] - .95*h, x[i, 0] + .95*h)])
        assert wrong <= sure[i]


@pytest.mark.parametrize("scale", [1e-150, 1e-75, 1e75, 1e150])
@pytest.mark.parametrize("name", ["SVM", "MM-S", "MM-SMV", "MM-SMV-I", "MM-MC"])
def test_scales_far_from_one(name, scale):
    X, y = np.array([[-.9, .1], [-.5, -.2], [.6, 0.], [.8, .3]]), [0, 0, 1, 1]
    ref = RobustSVC(name, C=1e4).fit(UncertainData.from_box(X, .1, "uniform"), y)
    C = min(max(1e4/scale**2, 1e-290), 1e290)
    clf = RobustSVC(name, C=C).fit(UncertainData.from_box(X*scale, .1*scale, "uniform"), y)
    assert clf.gap_ <= clf.tol and clf.status_ == "optimal"
    # the root of the gap
    if 1e-290 < C < 1e290: np.testing.assert_allclose(clf.coef_*scale, ref.coef_, atol=1e-3)


def test_names_of_columns_and_fitting_first():
    pd = pytest.importorskip("pandas")
    from sklearn.exceptions import NotFittedError
    X = pd.DataFrame(np.random.default_rng(3).normal(size=(60, 2)), columns=["a", "b"])
    y = np.where(X["a"] > 0, "up", "down")
    clf = RobustSVC("SVM").fit(X, y)
    assert list(clf.feature_names_in_) == ["a", "b"] and clf.score(X, y) > .8
    assert list(clf.fit_path(X, y, [1.], [.1])[0][0].feature_names_in_) == ["a", "b"]
    with pytest.raises(ValueError, match="feature names"): clf.predict(X[["b", "a"]])
    for call in (lambda: RobustSVC().predict(X), lambda: RobustSVC().score(X, y),
                 lambda: nom_err(RobustSVC(), X, y)):
        with pytest.raises(NotFittedError): call()
    assert not hasattr(clf.fit(UncertainData.from_box(X.to_numpy(), .1), y), "feature_names_in_")


@pytest.mark.parametrize("unit", ["datetime64[s]", "timedelta64[s]"])
def test_times_are_no_numbers(unit):
    times = np.arange(12).reshape(6, 2).astype(unit)
    with pytest.raises(ValueError, match="^X must be .*, not of times"): RobustSVC("SVM").fit(times, [0, 1]*3)
