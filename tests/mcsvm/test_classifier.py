"""Tests of nbs/mcsvm/20_classifier.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.mcsvm.kernels import kernel_function
from reject_nb.mcsvm.offsets import offsets_and_losses
from reject_nb.mcsvm.problem import Costs
from reject_nb.mcsvm.problem import solve_reference
from scipy import sparse
from scipy.special import expit
from sklearn.svm import SVC

from reject_nb.mcsvm.classifier import MultiCostSVC, _few, _resolve_gamma, curve_offset

@pytest.mark.parametrize("rho, b", [(-2., -2.), (-1., 0.), (-.25, 1.5), (.5, 3.), (1.25, 3.5), (2., 4.),
                                    (3.5, 5.)])
def test_curve_by_hand(rho, b):
    # knots given out of order, none at 0; end segments with slopes 2 and 2/3
    assert np.isclose(curve_offset(rho, np.array([2., -1, .5]), np.array([4., 0, 3])), b)


def test_a_curve_needs_two_points():
    with pytest.raises(ValueError, match="taus"): curve_offset(0., np.array([1., 1.]), np.array([0., 0.]))


def _two_clouds(n, seed=0, d=2, shift=.7):
    "Two Gaussian classes with unit covariance and alternating labels, the safe one at lower coordinates."
    y = np.where(np.arange(n) % 2 == 0, 1., -1.)
    return np.random.default_rng(seed).normal(size=(n, d))-shift*y[:, None], y


def _square(A, B): return (A@B.T)**2

KERNELS = {"linear": dict(), "poly": dict(kernel="poly", degree=2, gamma=.5),
           "rbf": dict(kernel="rbf", gamma=.7), "function": dict(kernel=_square)}

@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("balanced, eta", [(False, .3), (True, 20.)])
def test_objective_agrees_with_the_reference(name, balanced, eta):
    X, y = _two_clouds(60)
    K = _square(X, X) if name == "function" else kernel_function(name, 2, .5 if name == "poly" else .7)(X, X)
    clf = MultiCostSVC(taus=[.8, .3], eta=eta, class_balanced=balanced, **KERNELS[name]).fit(X, y)
    ref = solve_reference(K, y, [.8, .3], eta, balanced)
    np.testing.assert_allclose(clf.objective_, ref.objective, rtol=1.1e-6)
    assert clf.status_ == "optimal" and clf.gap_ <= 1e-6 and clf.biases_[0] <= clf.biases_[1]
    assert clf.bound_ <= ref.objective*(1+1e-9)
    assert hasattr(clf, "coef_") == (name in ("linear", "poly")) != hasattr(clf, "dual_coef_")


@pytest.mark.parametrize("safe_label", (None, 1., -1.))
def test_signs(safe_label):
    X, y = _two_clouds(120)
    clf = MultiCostSVC(eta=1., safe_label=safe_label).fit(X, y)
    safe = 1. if safe_label is None else safe_label
    np.testing.assert_allclose(clf.projection(X), X@clf.coef_)
    np.testing.assert_allclose(clf.safe_score(X), clf.bias_-clf.projection(X))
    np.testing.assert_array_equal(clf.predict(X) == safe, clf.safe_score(X) > 0)
    np.testing.assert_array_equal(clf.decision_function(X) > 0, clf.predict(X) == clf.classes_[1])
    assert clf.safe_label_ == safe and clf.score(X, y) > .7 and clf.bias_ == clf.biases_[4]


@pytest.mark.parametrize("safe_label", ("benign", "malignant"))
def test_scorers_of_scikit_learn_work_with_either_safe_label(safe_label):
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import cross_val_score
    X, y = _two_clouds(200, 3)
    labels = np.where(y > 0, "benign", "malignant")
    clf = MultiCostSVC(eta=1., safe_label=safe_label).fit(X, labels)
    assert roc_auc_score(labels == "malignant", clf.decision_function(X)) > .8
    assert cross_val_score(clf, X, labels, scoring="roc_auc").mean() > .8


def test_precomputed_equals_rbf():
    rbf = kernel_function("rbf")
    (X, y), (A, _) = _two_clouds(120), _two_clouds(30, 5)
    one = MultiCostSVC(kernel="rbf", eta=1.).fit(X, y)
    two = MultiCostSVC(kernel="precomputed", eta=1.).fit(rbf(X, X), y)
    np.testing.assert_allclose(one.objective_, two.objective_, rtol=2e-6)
    np.testing.assert_allclose(one.projection(A), two.projection(rbf(A, X)), atol=1e-2)
    np.testing.assert_allclose(one.projection(A), rbf(A, X)@one.dual_coef_, atol=1e-10)
    np.testing.assert_array_equal(one.support_, np.flatnonzero(one.dual_coef_))


def test_cubic_through_monomials_or_through_the_kernel():
    # 40 points: explicit monomials. The same kernel as a function goes through Cholesky
    X, y = _two_clouds(40)
    one = MultiCostSVC(kernel="poly", eta=.01).fit(X, y)
    two = MultiCostSVC(kernel=lambda A, B: (1+A@B.T)**3, eta=.01).fit(X, y)
    np.testing.assert_allclose(one.objective_, two.objective_, rtol=2e-6)
    assert hasattr(one, "coef_") and not hasattr(two, "coef_")


def test_gamma_as_in_scikit_learn():
    X = np.random.default_rng(0).normal(size=(30, 4))*3
    assert _resolve_gamma("scale", X) == 1/(4*X.var()) and _resolve_gamma(.3, X) == .3
    assert _resolve_gamma("auto", X) == .25 == _resolve_gamma("scale", X*0)
    Z, y = _two_clouds(40)
    for name, value in (("scale", 1/(2*Z.var())), ("auto", .5)):
        np.testing.assert_allclose(MultiCostSVC(kernel="rbf", gamma=name).fit(Z, y).objective_,
                                   MultiCostSVC(kernel="rbf", gamma=value).fit(Z, y).objective_, rtol=1e-12)


def test_blocks_of_rows_do_not_show():
    # 3,000 support points: 666 rows a block
    X, y = _two_clouds(3000, 1)
    clf = MultiCostSVC(kernel="rbf", gamma=.5, taus=2, tol=1e-3).fit(X, y)
    assert len(clf.support_) > 2000
    np.testing.assert_allclose(clf.projection(X),
                               np.concatenate([clf.projection(X[i:i+100]) for i in range(0, 3000, 100)]),
                               rtol=1e-9, atol=1e-12)


def test_the_region_follows_the_curve_of_offsets():
    from scipy.special import logit
    X, y = _two_clouds(90)
    y[60:] = 1.  # 60 safe, 30 unsafe
    for balanced, shift in ((True, 0.), (False, np.log(2.))):
        clf = MultiCostSVC(eta=1., class_balanced=balanced).fit(X, y)
        for k in (0, 4, 7):  # at rho = ln((1-tau)/tau) + shift the offset is that of the tau
            p = 1/(1+np.exp(-(logit(1-clf.taus_[k])+shift-logit(.1))))
            np.testing.assert_allclose(clf.region_offset(p, .1), clf.biases_[k], rtol=1e-8)


def test_the_region_takes_prior_and_risk_of_the_fit():
    X, y = _two_clouds(90)
    y[60:] = 1.
    clf = MultiCostSVC(eta=1., eps=.2).fit(X, y)
    assert clf.p_safe_ == 2/3 and clf.region_offset() == clf.region_offset(2/3, .2)
    np.testing.assert_array_equal(clf.predict_region(X), clf.predict_region(X, 2/3, .2))
    assert MultiCostSVC(eta=1., p_safe=.9).fit(X, y).region_offset() == clf.region_offset(.9, .05)
    np.testing.assert_array_equal(clf.predict_region(X), clf.projection(X) <= clf.region_offset())


def test_the_border_belongs_to_the_region_and_not_to_the_prediction():
    X, y = _two_clouds(50)
    clf = MultiCostSVC(eta=1.).fit(X, y)
    clf._map.scores = lambda A: np.full(len(A), clf.region_offset())
    assert clf.predict_region(X[:3]).all()
    clf._map.scores = lambda A: np.full(len(A), clf.bias_)
    assert np.all(clf.predict(X[:3]) == -1)


def test_calibration_uses_eps_of_the_estimator_and_the_middle_offset():
    from reject_nb.mcsvm.calibrate import calibrate_offset
    (X, y), (A, b) = _two_clouds(120), _two_clouds(200, 9)
    clf = MultiCostSVC(eta=1., eps=.2).fit(X, y)
    middle = clf.bias_
    for rule in ("conformal", "weighted_hinge"):  # the reference stays that of the fit
        expected = calibrate_offset(clf.projection(A), b, rule, .2, None, middle)
        assert clf.calibrate(A, b, rule=rule) == expected == clf.calibration_
        assert clf.bias_ == clf.calibration_.bias


def test_infeasible_calibration_declares_nothing_safe():
    X, y = _two_clouds(120)
    clf = MultiCostSVC().fit(X, y)
    c = clf.calibrate(X[:20], y[:20], rule="probabilistic_scaling", eps=.01, delta=.01)
    assert not c.feasible and c.bias is None and clf.bias_ == -np.inf and not np.any(clf.predict(X) == 1)
    assert not clf.predict(X).any() or np.all(clf.decision_function(X) == -np.inf)
    assert clf.calibrate(X, y, rule="weighted_hinge", eps=.1).feasible and np.isfinite(clf.bias_)

PARAMETERS = [(dict(taus=0.), "taus"), (dict(taus=[.5, 1.]), "taus"), (dict(eta=0), "eta"),
              (dict(eta=np.nan), "eta"), (dict(eta="big"), "eta"),
              (dict(eta=True), "eta"), (dict(tol=0), "tol"), (dict(tol=True), "tol"),
              (dict(kernel="sigmoid"), "kernel"), (dict(kernel=3), "kernel"),
              (dict(kernel="rbf", gamma=-1.), "gamma"), (dict(kernel="rbf", gamma="wide"), "gamma"),
              (dict(safe_label=7), "safe_label"),
              (dict(class_balanced="yes"), "class_balanced"), (dict(eps=1.), "eps"),
              (dict(p_safe=0.), "p_safe"), (dict(kernel="poly", degree=0), "degree"),
              (dict(kernel="poly", coef0=-1.), "coef0"), (dict(kernel="poly", degree=True), "degree")]

@pytest.mark.parametrize("kwargs, name", PARAMETERS)
def test_bad_parameters_are_named(kwargs, name):
    with pytest.raises(ValueError, match=f"^{name} must be"): MultiCostSVC(**kwargs).fit(*_two_clouds(20))

CLOUD = _two_clouds(20)[0]
SIGNS = _two_clouds(20)[1]
BAD_SAMPLES = [(CLOUD, np.zeros(20), "y"), (np.where(CLOUD > 1, np.nan, CLOUD), SIGNS, "X"),
               (CLOUD*1e200, SIGNS, "X"),
               (CLOUD, np.arange(20) % 3, "y"), (CLOUD[:, 0], SIGNS, "X"), (CLOUD, SIGNS[:5], "y"),
               (CLOUD, None, "y")]

@pytest.mark.parametrize("X, y, name", BAD_SAMPLES)
def test_bad_samples_are_named(X, y, name):
    with pytest.raises(ValueError, match=rf"\b{name} must be"): MultiCostSVC().fit(X, y)


@pytest.mark.parametrize("K", (CLOUD, np.arange(400.).reshape(20, 20)))
def test_a_bad_kernel_matrix_is_named(K):
    with pytest.raises(ValueError, match="^X must be"): MultiCostSVC(kernel="precomputed").fit(K, SIGNS)


@pytest.mark.parametrize("kwargs, name",
                         [(dict(y=SIGNS+5), "y must be"), (dict(y=SIGNS[:5]), "y must be"),
                          (dict(rule="magic"), "rule must be"),
                                          (dict(eps=0.), "eps must be"), (dict(eps=True), "eps must be"),
                                          (dict(X=CLOUD[:, :1]), "X")])
def test_bad_calibrations_are_named(kwargs, name):
    with pytest.raises(ValueError, match=name):
        MultiCostSVC().fit(CLOUD, SIGNS).calibrate(**{**dict(X=CLOUD, y=SIGNS), **kwargs})


@pytest.mark.parametrize("kwargs, name",
                         [(dict(p_safe=1.), "p_safe"), (dict(eps=0.), "eps"), (dict(p_safe="x"), "p_safe"),
                          (dict(eps=np.nan), "eps")])
def test_bad_regions_are_named(kwargs, name):
    with pytest.raises(ValueError, match=f"^{name} must be"):
        MultiCostSVC().fit(CLOUD, SIGNS).predict_region(CLOUD, **kwargs)


def test_monomials_are_written_down_where_there_are_few_for_the_points():
    # 286 of ten variables up to the third degree: an eighth of 2,288 points
    assert [_few(10, 3, 1., n) for n in (400, 2287, 2288)] == [False, False, True]
    assert _few(5, 3, 1., 2) and not _few(10, 3, 1., 2)                   # 56 are few for any number


@pytest.mark.parametrize("unit", ["datetime64[s]", "timedelta64[s]"])
def test_times_are_no_numbers(unit):
    times = np.arange(12).reshape(6, 2).astype(unit)
    with pytest.raises(ValueError, match="^X must be a matrix of real numbers .*, not of times"):
        MultiCostSVC().fit(times, [0, 1]*3)
    fitted = MultiCostSVC().fit(times.astype(float), [0, 1]*3)
    with pytest.raises(ValueError, match="^X must"): fitted.predict(times)

HARD_X = _two_clouds(30)[0]
HARD_Y = _two_clouds(30)[1]
HARD = {"strings": (HARD_X, np.where(HARD_Y == 1, "b", "a")), "constant features": (np.ones((30, 2)), HARD_Y),
        "duplicates": (np.repeat(HARD_X[:2], 15, 0), np.repeat(HARD_Y[:2], 15)),
        "contradictory duplicates": (np.ones((30, 1))*3, HARD_Y),
        "n < m": (HARD_X[:3], HARD_Y[:3]), "single point of a class": (HARD_X[:5], [0, 1, 1, 1, 1]),
        "constant column": (np.c_[HARD_X, np.full(30, 1e6)], HARD_Y),
        "badly scaled": (HARD_X*[1e-4, 1e4], HARD_Y)}

@pytest.mark.parametrize("kwargs", (dict(), dict(kernel="rbf"), dict(kernel="poly", degree=2),
                                    dict(class_balanced=True)))
@pytest.mark.parametrize("case", HARD)
def test_hard_cases_give_certified_answers(case, kwargs):
    A, b = HARD[case]
    for eta in (1e-8, 1., 1e6):
        clf = MultiCostSVC(eta=eta, **kwargs).fit(A, b)
        assert 0 <= clf.gap_ <= 1e-6, eta
        assert np.all(np.isfinite(clf.biases_)) and np.all(np.isfinite(clf.projection(A)))
        assert set(np.unique(clf.predict(A))) <= set(np.unique(b))


def test_a_gap_that_stays_open_is_warned_of():
    # an eta at the end of floating point: the solver says that it could not close the gap, and the bounds
    # stay bounds
    from sklearn.exceptions import ConvergenceWarning
    rng = np.random.default_rng(0)
    y = np.where(np.arange(40) % 2, 1., -1.)
    with pytest.warns(ConvergenceWarning, match="not converged"):
        clf = MultiCostSVC(eta=1e100).fit(rng.normal(size=(40, 3))*1e90, y)
    assert clf.status_ == "not_converged" and 0 <= clf.gap_ <= 1 and clf.bound_ >= 0
    assert "raise tol" in clf.message_


def test_a_fit_forgets_the_one_before():
    clf = MultiCostSVC(kernel="rbf", eta=1.).fit(CLOUD, SIGNS)
    clf.calibrate(CLOUD, SIGNS, eps=.3)
    clf.set_params(kernel="linear").fit(CLOUD, SIGNS)
    assert not hasattr(clf, "dual_coef_") and not hasattr(clf, "support_")
    assert clf.calibration_ is None and clf.bias_ == clf.biases_[4]


def test_fits_can_be_pickled():
    import pickle
    for kwargs in (dict(), dict(kernel="rbf"), dict(kernel="poly"), dict(kernel=_square)):
        clf = MultiCostSVC(eta=1., **kwargs).fit(CLOUD, SIGNS)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(clf)).projection(CLOUD),
                                      clf.projection(CLOUD))


@pytest.mark.parametrize("kwargs",
                         (dict(), dict(kernel="rbf"), dict(kernel="poly"), dict(class_balanced=True, eta=50.),
                          dict(class_weight="balanced"), dict(class_weight={-1: 3., 1: .5})))
def test_a_weight_is_a_number_of_copies(kwargs):
    X, y = _two_clouds(80, 4)
    y[:20] = 1.
    weights = np.random.default_rng(0).integers(0, 4, 80)
    one = MultiCostSVC(**{**dict(eta=1., tol=1e-9), **kwargs}).fit(X, y, sample_weight=weights)
    if kwargs.get("class_weight") == "balanced":  # counts the points that were given, not their weights
        factors = {label: 80/(2*np.sum(y == label)) for label in (-1, 1)}
        kwargs = dict(class_weight=factors)
    many = MultiCostSVC(**{**dict(eta=1., tol=1e-9), **kwargs}).fit(np.repeat(X, weights, 0),
                                                                    np.repeat(y, weights))
    np.testing.assert_allclose(one.objective_, many.objective_, rtol=3e-9)
    np.testing.assert_allclose(one.projection(X), many.projection(X), atol=2e-3)
    np.testing.assert_allclose(one.p_safe_, many.p_safe_)
    np.testing.assert_allclose(one.region_offset(.4, .1), many.region_offset(.4, .1), atol=5e-3)


def test_class_weights_are_factors_of_the_costs():
    from reject_nb.mcsvm.frozen_pairs import solve_features
    X, y = _two_clouds(60, 2)
    taus = np.array([.2, .6])
    clf = MultiCostSVC(taus=taus, eta=.5, class_weight={1: 2., -1: .25}).fit(X, y)
    np.testing.assert_allclose(clf.objective_, solve_features(X, y, 2*(1-taus), .25*taus, .5).objective,
                               rtol=2e-6)


@pytest.mark.parametrize("kwargs", (dict(), dict(kernel="rbf", gamma="scale"), dict(kernel="poly"),
                                    dict(kernel="poly", degree=5)))
@pytest.mark.parametrize("columns", (3, 400))
def test_sparse_rows_are_taken(kwargs, columns):
    rng = np.random.default_rng(columns)
    y = np.where(np.arange(60) % 2, 1., -1.)
    X = np.where(rng.random((60, columns)) < .2, rng.normal(size=(60, columns))-y[:, None], 0.)
    thin = sparse.csr_matrix(X)
    one, two = (MultiCostSVC(eta=.1, tol=1e-8, **kwargs).fit(A, y) for A in (X, thin))
    np.testing.assert_allclose(one.objective_, two.objective_, rtol=3e-8)
    np.testing.assert_allclose(two.projection(thin), two.projection(X), atol=1e-9)
    np.testing.assert_allclose(one.projection(X), two.projection(thin),
                               atol=1e-2*np.abs(one.projection(X)).max())
    assert hasattr(one, "coef_") == hasattr(two, "coef_")


@pytest.mark.parametrize("weights", (-SIGNS, SIGNS[:5], "heavy", np.full(20, np.nan), np.zeros(20),
                                     np.maximum(SIGNS, 0)))
def test_bad_sample_weights_are_named(weights):
    with pytest.raises(ValueError, match="^sample_weight must be"): MultiCostSVC().fit(CLOUD, SIGNS, weights)


@pytest.mark.parametrize("weights", ("wide", {7: 1.}, {1: -1.}, {1: np.nan}, 3.))
def test_bad_class_weights_are_named(weights):
    with pytest.raises(ValueError,
                       match="^class_weight must be"): MultiCostSVC(class_weight=weights).fit(CLOUD, SIGNS)


def test_a_kernel_matrix_takes_no_zero_weight():
    K = CLOUD@CLOUD.T
    with pytest.raises(ValueError, match="^sample_weight must be"):
        MultiCostSVC(kernel="precomputed").fit(K, SIGNS, np.r_[0., np.ones(19)])
    two = MultiCostSVC(kernel="precomputed").fit(K, SIGNS, 2.)
    np.testing.assert_allclose(two.objective_,
                               2*MultiCostSVC(kernel="precomputed", eta=2e-3).fit(K, SIGNS).objective_,
                               rtol=2e-6)


def _random_problem(seed):
    "Points, labels, weights, taus, eta."
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(5, 61)), int(rng.integers(1, 9))
    X = rng.integers(-3, 4, (n, d)).astype(float)
    if rng.random() < .4: X[rng.integers(0, n, n//2)] = X[rng.integers(0, n, n//2)]
    if rng.random() < .2: X[:, rng.integers(d)] = 1.
    y = np.where(rng.random(n) < rng.choice([.5, .2]), 1., -1.)
    y[:2] = 1., -1.
    weights = rng.choice([0., 1., 2.], n) if rng.random() < .5 else np.ones(n)
    weights[:2] = 1.
    taus = np.sort(rng.choice(np.arange(1, 20)/20, int(rng.integers(1, 6))))
    return X, y, weights, taus, 10.**rng.uniform(-6, 3)


def _by_cvxpy(X, y, weights, taus, eta):
    "The optimum of the primal problem."
    import cvxpy as cp
    w, b = cp.Variable(X.shape[1]), cp.Variable(len(taus))
    hinges = [cp.pos(1+cp.multiply(y, X@w-b[k])) for k in range(len(taus))]
    losses = [(weights*np.where(y > 0, 1-tau, tau))@hinge for tau, hinge in zip(taus, hinges)]
    unit = min(1., eta)
    problem = cp.Problem(cp.Minimize(unit*(cp.sum_squares(w)/(2*eta)+sum(losses))))
    return problem.solve(cp.CLARABEL, tol_gap_rel=1e-10, tol_gap_abs=1e-10*unit, tol_feas=1e-10)/unit


def _by_svc(X, y, weights, taus, eta):
    "What the direction of SVC costs with its best offset."
    X, y, weights = (a[weights > 0] for a in (X, y, weights))
    costs = {1.: 1-taus[0], -1.: taus[0]}
    w = SVC(kernel="linear", C=eta, class_weight=costs, tol=1e-7).fit(X, y, weights).coef_[0]
    return w@w/(2*eta)+offsets_and_losses(-X@w, y, weights, Costs(1-taus, taus))[1].sum()


@pytest.mark.parametrize("block", range(5))
def test_random_problems_agree_with_general_solvers(block):
    for seed in range(8*block, 8*block+8):
        X, y, weights, taus, eta = _random_problem(seed)
        clf = MultiCostSVC(taus=taus, eta=eta).fit(X, y, weights)
        others = [_by_cvxpy(X, y, weights, taus, eta)]
        if len(taus) == 1 and eta < 10: others.append(_by_svc(X, y, weights, taus, eta))
        for other in others:
            assert clf.gap_ <= 1e-6 and clf.bound_ <= other*(1+1e-8), seed
            assert clf.objective_ <= other*(1+1e-6), seed


@pytest.mark.parametrize("safe_label", (-1., 1.))
def test_probabilities_follow_the_labels(safe_label):
    (X, y), (A, b), (N, _) = _two_clouds(200), _two_clouds(400, 1), _two_clouds(20_000, 2)
    clf = MultiCostSVC(eta=1., safe_label=safe_label).fit(X, y).calibrate_proba(A, b)
    chance = clf.predict_proba(N)
    np.testing.assert_allclose(chance.sum(1), 1.)
    # two clouds with the unit covariance: the log odds of +1 are -2*.7*(x1 + x2)
    assert np.mean(np.abs(chance[:, 1]-expit(-1.4*N.sum(1)))) < .05
    np.testing.assert_array_equal(clf.classes_, [-1., 1.])
    clf.fit(X, y)
    assert not hasattr(clf, "predict_proba")


def test_probabilities_need_both_classes():
    clf = MultiCostSVC().fit(CLOUD, SIGNS)
    for labels in (np.ones(20), SIGNS+7, SIGNS[:3]):
        with pytest.raises(ValueError, match="^y must be"): clf.calibrate_proba(CLOUD, labels)


@pytest.mark.parametrize("kwargs", (dict(), dict(class_balanced=True, eta=3.), dict(safe_label="bad")))
def test_blocks_give_the_fit_in_memory(kwargs):
    X, y = _two_clouds(300, 3)
    names = np.where(y > 0, "good", "bad")
    one, two = MultiCostSVC(**{**dict(eta=1.), **kwargs}), MultiCostSVC(**{**dict(eta=1.), **kwargs})
    one.fit(X, names), two.fit_blocks(X, names)
    np.testing.assert_allclose(two.objective_, one.objective_, rtol=2e-6)
    np.testing.assert_allclose(two.projection(X), one.projection(X), atol=1e-2)
    assert two.region_offset(.4, .1) == pytest.approx(one.region_offset(.4, .1), abs=2e-2)
    assert (two.n_safe_, two.n_unsafe_, two.p_safe_, two.n_features_in_) == (one.n_safe_, one.n_unsafe_,
                                                                             one.p_safe_, 2)
    np.testing.assert_array_equal(two.classes_, one.classes_)
    assert two.calibrate(X, names, "scaling_unsafe", .2, .1).feasible


@pytest.mark.parametrize("kwargs, name",
                         [(dict(kernel="rbf"), "kernel"), (dict(class_weight="balanced"), "class_weight")])
def test_blocks_are_for_the_plain_linear_problem(kwargs, name):
    with pytest.raises(ValueError, match=f"^{name} must be"): MultiCostSVC(**kwargs).fit_blocks(CLOUD, SIGNS)
    with pytest.raises(ValueError, match="^y must be"): MultiCostSVC().fit_blocks(CLOUD, np.arange(20))

EXPECTED = {f"check_sample_weight_equivalence_on_{kind}_data": "equal up to tol"
            for kind in ("dense", "sparse")}

@pytest.mark.parametrize("kwargs", (dict(), dict(kernel="rbf", eta=1.), dict(kernel="poly")))
def test_check_estimator(kwargs):
    import warnings
    from sklearn.exceptions import SkipTestWarning
    from sklearn.utils.estimator_checks import check_estimator
    with warnings.catch_warnings():
        for kind in (SkipTestWarning, RuntimeWarning): warnings.simplefilter("ignore", kind)
        results = check_estimator(MultiCostSVC(**kwargs), on_fail=None, expected_failed_checks=EXPECTED)
    failed = [r["check_name"] for r in results if r["status"] not in ("passed", "skipped", "xfail")]
    assert len(results) > 30 and not failed
