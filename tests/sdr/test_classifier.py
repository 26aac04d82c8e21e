"""Tests of nbs/sdr/16_classifier.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pandas as pd
import pickle
import pytest
import warnings
from reject_nb import sdr
from reject_nb.sdr.amounts import Beta
from reject_nb.sdr.amounts import Gamma
from reject_nb.sdr.counts import Binomial
from reject_nb.sdr.counts import Poisson
from reject_nb.sdr.families import Independent
from reject_nb.sdr.gaussian import Gaussian
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.inspection import permutation_importance
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from reject_nb.sdr.classifier import SafeRegionClassifier, fit_law

def test_check_estimator():
    # scikit-learn's own list of checks; one gives a class a single place, which has no normal law
    one_place = {"check_sample_weight_equivalence_on_dense_data": "a single point has no covariance"}
    results = check_estimator(SafeRegionClassifier(), on_skip=None, expected_failed_checks=one_place)
    assert len(results) > 40 and not [r for r in results if r["status"] == "failed"]


def _draws(name, d):
    rng = np.random.default_rng(1)
    return {"normal": rng.normal(size=(60, d)), "gamma": rng.gamma(2., size=(60, d)),
            "poisson": rng.poisson(4, size=(60, d)),
            "binomial": rng.binomial(9, .4, size=(60, d)),
            "beta": rng.beta(2, 3, size=(60, d))}[name].astype(float)


@pytest.mark.parametrize("family, draws, d", [
    ("gaussian", "normal", 3), ("gamma", "gamma", 2), ("poisson", "poisson", 2),
    (["gaussian", "exponential"], "gamma", 2),
    (Binomial(9, .5), "binomial", 2), (Beta, "beta", 1), ("chi_squared", "gamma", 1),
    ([Gaussian([0, 0], np.eye(2)), "gamma"], "gamma", 3)])
def test_plug_in_is_the_region(family, draws, d):
    X, y = _draws(draws, d), np.arange(60) % 2
    clf = SafeRegionClassifier(family, p_safe=.3, eps=.4).fit(X, y)
    inside = clf.region_.contains(X, .3, .4)
    assert (clf.predict(X) == inside).all()
    assert (clf.predict_region(X) == inside).all() and clf.predict_region(X).dtype == bool
    assert ((clf.posterior(X) >= .6 - 1e-12) == inside).all()
    assert ((clf.decision_function(X) > 0) == inside).all()
    assert clf.fit(X, y) is clf and clf.region_.safe.n_features == d and clone(clf).family is not None
    # the other class as the safe one, prior and risk mirrored: Gamma changes its sign, the level too
    first = SafeRegionClassifier(family, p_safe=.7, eps=.6, safe_label=0).fit(X, y)
    assert (first.predict(X) == clf.predict(X)).all()
    np.testing.assert_allclose(first.decision_function(X), clf.decision_function(X), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(first.posterior(X), 1 - clf.posterior(X), atol=1e-12)


def test_laws_are_those_of_their_class():
    X, y = np.array([[1.], [2.], [3.], [6.], [9.], [12.]]), np.array([1, 1, 1, 0, 0, 0])
    clf = SafeRegionClassifier("exponential").fit(X, y)
    assert (clf.region_.safe.scale, clf.region_.unsafe.scale) == (2, 9) and clf.p_safe_ == .5
    assert SafeRegionClassifier("exponential").fit(X[:4], y[:4]).p_safe_ == .75
    assert SafeRegionClassifier("gamma", .2).fit(X, y).p_safe_ == .2
    assert repr(fit_law(X, Poisson)) == "Poisson(5.5)" and isinstance(fit_law(np.hstack([X, X**2]), "gamma"),
                                                                      Independent)
    assert isinstance(fit_law(np.hstack([X, X**2]), "gaussian"), Gaussian)
    whole = fit_law(np.hstack([X, X**2]), Independent([Gamma(1), Gaussian(0, 1)]))
    assert [type(law) for law in whole.laws] == [Gamma, Gaussian]


@pytest.mark.parametrize("value", [0, 1, -1., 1.5, np.nan, "x", True, [.5]])
def test_bad_probabilities(value):
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2
    with pytest.raises(ValueError, match="^eps must be"): SafeRegionClassifier(eps=value).fit(X, y)
    with pytest.raises(ValueError, match="^p_safe must be"): SafeRegionClassifier(p_safe=value).fit(X, y)
    clf = SafeRegionClassifier().fit(X, y)
    several = isinstance(value, list) # for which there are several rates
    for call in (lambda **levels: clf.predict_region(X, **levels), clf.rates)[:2 - several]:
        with pytest.raises(ValueError, match="^p_safe must be"): call(p_safe=value)
        with pytest.raises(ValueError, match="^eps must be"): call(eps=value)
    with pytest.raises(ValueError, match="^p_safe must be"): clf.posterior(X, value)

POINTS = np.random.default_rng(0).normal(size=(20, 2))

@pytest.mark.parametrize("options, X, y, word", [
    (dict(family="gama"), POINTS, np.arange(20) % 2, "family must be"),
    (dict(family=None), POINTS, np.arange(20) % 2, "family must be"),
    (dict(family=["gaussian", 3]), POINTS, np.arange(20) % 2, "family must be"),
    (dict(family="gamma"), POINTS, np.arange(20) % 2, "class 1 .*support"),
    (dict(family=["gaussian"]), POINTS, np.arange(20) % 2, "family must cover the 2 columns"),
    (dict(), POINTS, np.zeros(20), "y must be"),
    (dict(safe_label="x"), POINTS, np.arange(20) % 2, "safe_label must be"),
    (dict(), POINTS*np.nan, np.arange(20) % 2, "NaN"),
    (dict(shrinkage=None), np.column_stack([POINTS, POINTS[:, 0]]), np.arange(20) % 2,
     "class 1 with n_samples=10: .*singular"),
    (dict(), POINTS, np.arange(20) % 3, "binary")])
def test_bad_data(options, X, y, word):
    with pytest.raises(ValueError, match=word): SafeRegionClassifier(**options).fit(X, y)


@pytest.mark.parametrize("X, y, word", [
    ("text", np.arange(20) % 2, "^X and y must be"), (POINTS, np.full(20, 1.5), "^y and safe_label must be"),
    (POINTS[:5], np.arange(20) % 2, "X and y"),
    (np.ma.array(POINTS, mask=POINTS > 0), np.arange(20) % 2, "^X must be without masked"),
    (POINTS, np.ma.array(np.arange(20) % 2, mask=np.arange(20) == 3), "^y must be without masked"),
    (POINTS[:1], [1], "1 sample")])
def test_errors_of_validation_name_the_argument(X, y, word):
    with pytest.raises(ValueError, match=word): SafeRegionClassifier().fit(X, y)


@pytest.mark.parametrize("label", [[], [[1.]], [1], {}, object()])
def test_labels_are_scalars(label):
    with pytest.raises(ValueError, match="^safe_label must be"):
        SafeRegionClassifier(safe_label=label).fit(POINTS, np.arange(20) % 2)


def test_other_columns_than_in_the_fit():
    clf = SafeRegionClassifier().fit(POINTS, np.arange(20) % 2)
    for call in (clf.predict, clf.predict_region, clf.decision_function, clf.posterior):
        with pytest.raises(ValueError, match="features"): call(POINTS[:, :1])
    with pytest.raises(Exception, match="not fitted"): SafeRegionClassifier().rates()


def test_string_labels_and_new_levels():
    X, y = np.random.default_rng(0).normal(size=(200, 2)), np.array(["bad", "good"]*100)
    X[y == "good"] += 1.5
    clf = SafeRegionClassifier(eps=.2).fit(X, y)
    assert clf.safe_label_ == "good" and set(clf.predict(X)) == {"bad", "good"}
    again = SafeRegionClassifier(eps=.4, p_safe=.7).fit(X, y)
    assert (clf.predict_region(X, p_safe=.7, eps=.4) == (again.predict(X) == "good")).all()
    np.testing.assert_allclose(clf.posterior(X, .7), again.posterior(X))
    assert clf.rates(.7, .4) == again.rates() and again.radius_ == clf.region_.quadric(.7, .4).rho


def _waiting(n, rng):
    "n safe and n unsafe waiting times, and their labels."
    return np.vstack([rng.gamma(2., 1., (n, 1)), rng.gamma(1.2, 4., (n, 1))]), np.repeat(["short", "long"], n)


@pytest.mark.parametrize("safe_label", ["short", "long"])
@pytest.mark.parametrize("family", ["gaussian", "gamma"])
def test_calibrated_level_is_the_order_statistic(safe_label, family):
    rng = np.random.default_rng(0)
    clf = SafeRegionClassifier(family, eps=.1, safe_label=safe_label).fit(*_waiting(50, rng))
    X, y = _waiting(100, rng)
    found = clf.calibrate(X, y, delta=.05)
    gamma = np.sort(clf.region_.gamma(X[y != safe_label]))
    assert found.level == clf.radius_ == gamma[found.rank - 1] and found.n_unsafe == 100
    # strictly below the level: one less than its rank among the unsafe
    inside = clf.predict_region(X)
    assert inside[y != safe_label].sum() == found.rank - 1 and inside[y == safe_label].any()
    other = "long" if safe_label == "short" else "short"
    assert (clf.predict(X) == np.where(inside, safe_label, other)).all()
    assert ((clf.decision_function(X) > 0) == (clf.predict(X) == clf.classes_[1])).all()
    # another prior or risk is the affair of the laws
    assert (clf.predict_region(X, eps=.1) == clf.region_.contains(X, clf.p_safe_, .1)).all()
    assert not hasattr(clf.fit(X, y), "calibration_") and not hasattr(clone(clf), "calibration_")


@pytest.mark.parametrize("rule", ["scaling_unsafe", "conformal_unsafe"])
def test_calibrated_promises_hold_whatever_the_laws(rule):
    # a family that does not fit; the points to come are 4,000, drawn from with replacement 10,000 times
    rng, eps, delta, times = np.random.default_rng(3), .1, .2, 10_000
    clf = SafeRegionClassifier("gaussian", safe_label="short").fit(*_waiting(30, rng))
    X, y = _waiting(4000, rng)
    gamma = np.sort(clf.region_.gamma(X[y == "long"]))
    n = 40
    found = clf.calibrate(X[y == "long"][:n], ["long"]*n, rule=rule, eps=eps, delta=delta)
    drawn = np.sort(rng.choice(gamma, (times, n)), axis=1)[:, found.rank - 1]
    inside = np.searchsorted(gamma, drawn, side="left")/len(gamma)
    if rule == "scaling_unsafe": assert (inside > eps).mean() <= delta + 4*np.sqrt(delta*(1 - delta)/times)
    else: assert inside.mean() <= eps + 4*inside.std()/np.sqrt(times)


def test_too_few_points_leave_nothing_inside():
    rng = np.random.default_rng(1)
    X, y = _waiting(20, rng)
    for label in ("short", "long"):
        clf = SafeRegionClassifier("gamma", safe_label=label).fit(X, y)
        assert not clf.calibrate(X[:5], y[:5]).feasible and clf.radius_ == -np.inf
        other = "long" if label == "short" else "short"
        assert not clf.predict_region(X).any() and set(clf.predict(X)) == {other}
        assert ((clf.decision_function(X) > 0) == (other == clf.classes_[1])).all()


def test_calibration_of_counts_has_its_border_outside():
    X = np.array([[0.], [1.], [2.], [5.], [6.], [9.]])
    clf = SafeRegionClassifier("poisson", safe_label=1).fit(X, [1, 1, 1, 0, 0, 0])
    clf.calibrate(np.full((60, 1), 4.), np.zeros(60))
    assert clf.predict([[3.], [4.], [5.]]).tolist() == [1, 0, 0]


@pytest.mark.parametrize("bad, name", [
    (dict(rule="best"), "rule"), (dict(eps=2.), "eps"), (dict(delta=0.), "delta"), (dict(y=[1]*5), "y"),
    (dict(y=[7]*6), "y"), (dict(X=[[1., 2.]]*6), "features")])
def test_bad_calibrations_are_named(bad, name):
    X, y = np.array([[1.], [2.], [3.], [6.], [9.], [12.]]), np.array([1, 1, 1, 0, 0, 0])
    clf = SafeRegionClassifier("exponential").fit(X, y)
    level = clf.radius_
    with pytest.raises(ValueError, match=name): clf.calibrate(**(dict(X=X, y=y) | bad))
    assert clf.radius_ == level and not hasattr(clf, "calibration_")

WY = np.arange(60) % 2
WX = np.random.default_rng(5).gamma(2., size=(60, 3))*np.where(WY == 0, 2., 1.)[:, None]

@pytest.mark.parametrize("family", ["gaussian", "gamma", ["exponential", ("gaussian", 2)]])
def test_weights_are_copies(family):
    weight = 1 + np.arange(60) % 3
    plain = SafeRegionClassifier(family, eps=.3, probability=True, shrinkage=None)
    one = clone(plain).fit(WX, WY, weight)
    copies = clone(plain).fit(np.repeat(WX, weight, 0), np.repeat(WY, weight))
    np.testing.assert_allclose(one.predict_proba(WX), copies.predict_proba(WX), atol=1e-9)
    assert abs(one.p_safe_ - weight[WY == 1].sum()/weight.sum()) < 1e-15
    kish = [round(weight[WY == k].sum()**2/(weight[WY == k]**2).sum()) for k in (1, 0)]
    assert list(one.n_effective_) == kish


@pytest.mark.parametrize("family", ["gaussian", "gamma", ["exponential", ("gaussian", 2)]])
@pytest.mark.parametrize("factor", [1e-200, .1, 1000.])
def test_a_factor_of_the_weights_changes_nothing(family, factor):
    one, other = (SafeRegionClassifier(family, probability=True).fit(WX, WY, np.full(60, w))
                  for w in (1., factor))
    assert other.n_effective_ == one.n_effective_ == (30, 30)
    np.testing.assert_allclose(other.predict_proba(WX), one.predict_proba(WX), atol=1e-9)


def test_class_weights_move_the_prior_only():
    y = np.r_[WY[:50], np.zeros(10, int)]
    plain, balanced, heavy = (SafeRegionClassifier("gamma", class_weight=w).fit(WX, y)
                              for w in (None, "balanced", {0: 1., 1: 3.}))
    assert plain.p_safe_ == y.mean() and abs(balanced.p_safe_ - .5) < 1e-15
    assert abs(heavy.p_safe_ - 3*y.sum()/(3*y.sum() + (1 - y).sum())) < 1e-15
    np.testing.assert_allclose(plain.posterior(WX, .4), heavy.posterior(WX, .4), atol=1e-12)


@pytest.mark.parametrize("bad", ["best", 3, {0: -1.}, {0: np.nan}, [1, 2], {0: 0., 1: 0.},
                                 {0: 0., 1: 1.}, {0: 1., 1: 0.}])
def test_bad_class_weights(bad):
    with pytest.raises(ValueError,
                       match="^class_weight must be"): SafeRegionClassifier(class_weight=bad).fit(WX, WY)


@pytest.mark.parametrize("label", ["a", "b"])
def test_probabilities(label):
    y = np.where(WY == 1, "a", "b")
    clf = SafeRegionClassifier("gamma", safe_label=label, probability=True).fit(WX, y)
    p = clf.predict_proba(WX)
    column = list(clf.classes_).index(label)
    assert (p[:, column] == clf.posterior(WX)).all() and np.abs(p.sum(1) - 1).max() < 1e-15
    assert not hasattr(SafeRegionClassifier().fit(WX, y), "predict_proba")
    with pytest.raises(ValueError,
                       match="^probability must be"): SafeRegionClassifier(probability="yes").fit(WX, y)


def test_blocks_beside_other_columns():
    law = fit_law(WX, [("gaussian", 2), "gamma"])
    np.testing.assert_allclose(law.laws[0].cov, np.cov(WX[:, :2].T, bias=True))
    assert law.laws[0].n_features == 2 and isinstance(law.laws[1], Gamma)
    both = fit_law(WX, ["gaussian", ("gamma", 2)])
    assert [type(one) for one in both.laws] == [Gaussian, Gamma, Gamma]
    clf = SafeRegionClassifier([("gaussian", 2), "gamma"], eps=.3).fit(WX, WY)
    r = clf.rates() # the block has a closed form, the third column joins it on the same contour
    draws = clf.region_.safe.sample(100_000, 0)
    assert abs(clf.region_.contains(draws, clf.p_safe_,
                                    .3).mean() - r.tpr) < 5*np.sqrt(.25/1e5) and r.status == "optimal"
    for bad in (("gaussian",), ("gaussian", 2, 1), ("gaussian", 0), ("gauss", 2), ("gaussian", "x")):
        with pytest.raises(ValueError, match="^family must be"): fit_law(WX, [bad, "gamma"])


@pytest.mark.parametrize("shrinkage", ["ledoit_wolf", "auto", .2])
def test_shrinkage_is_that_of_the_law(shrinkage):
    clf = SafeRegionClassifier(shrinkage=shrinkage).fit(WX[:12], WY[:12])
    np.testing.assert_allclose(clf.region_.safe.cov,
                               Gaussian.fit(WX[:12][WY[:12] == 1], shrinkage=shrinkage).cov)
    wide = np.hstack([WX[:12], WX[:12]**2, WX[:12]**3])
    with pytest.raises(ValueError, match="shrink"): SafeRegionClassifier(shrinkage=None).fit(wide, WY[:12])
    assert SafeRegionClassifier(shrinkage=shrinkage).fit(wide, WY[:12]).predict(wide).shape == (12,)
    with pytest.raises(ValueError,
                       match="^shrinkage must be"): SafeRegionClassifier(shrinkage="much").fit(WX, WY)


def test_rates_with_intervals():
    clf = SafeRegionClassifier("gamma", eps=.3).fit(WX, WY)
    found = clf.rates(n_bootstrap=50, random_state=0)
    assert found.rates == clf.rates() and found.tpr[0] < found.rates.tpr < found.tpr[1] + .1
    assert clf.rates(n_bootstrap=50, random_state=0) == found and clf.rates(.3, .2, 50,
                                                                            random_state=0) != found
    with pytest.raises(ValueError, match="^n_bootstrap must be"): clf.rates(n_bootstrap=0)
    with pytest.raises(ValueError, match="^confidence must be"): clf.rates(n_bootstrap=5, confidence=1.)


@pytest.mark.parametrize("weight, word",
                         [(np.zeros(60), "zero"), (-np.ones(60), "at least 0"), (np.ones(5), ""),
                          (np.where(WY == 1, 1., 0.), "class 0")])
def test_bad_weights(weight, word):
    with pytest.raises(ValueError, match=f"^sample_weight .*{word}"):
        SafeRegionClassifier("gamma").fit(WX, WY, weight)


def test_feature_names():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(WX, columns=["a", "b", "c"])
    clf = SafeRegionClassifier("gamma", eps=.3).fit(frame, WY)
    assert clf.feature_names_in_.tolist() == ["a", "b",
                                              "c"] and (clf.predict(frame) == clf.predict(frame)).all()
    with pytest.raises(ValueError, match="feature names"): clf.predict(frame[["b", "a", "c"]])

RNG_TOOLS = np.random.default_rng(11)
TY = np.arange(300) % 2
TX = pd.DataFrame(RNG_TOOLS.normal(size=(300, 3)) + np.outer(TY, [1.5, .5, 0]), columns=["a", "b", "noise"])
WORDS = np.where(TY == 1, "good", "bad")

@pytest.mark.parametrize("safe_label", ["good", "bad"])
def test_search_by_a_score_ranks_the_right_way(safe_label):
    clf = sdr.SafeRegionClassifier(safe_label=safe_label)
    grid = {"shrinkage": [None, 1.], "eps": [.01, .2]}
    found = GridSearchCV(clf, grid, scoring="roc_auc", cv=3).fit(TX, WORDS)
    auc = found.cv_results_["mean_test_score"]
    assert auc.min() > .8 and abs(auc[0] - auc[2]) < 1e-12 # eps moves the level, not the order


@pytest.mark.parametrize("method", ["predict", "predict_proba", "decision_function"])
def test_cross_validation_with_weights(method):
    clf, weight = sdr.SafeRegionClassifier(probability=True), np.arange(300) % 3
    found = cross_val_predict(clf, TX, TY, cv=3, method=method, params={"sample_weight": weight})
    assert len(found) == 300 and roc_auc_score(TY, found[:, 1] if found.ndim == 2 else found) > .5
    # the first fold by hand: rows without weight are not there
    from sklearn.model_selection import StratifiedKFold
    train, test = next(StratifiedKFold(3).split(TX, TY))
    kept = train[weight[train] > 0]
    fold = clone(clf).fit(TX.iloc[kept], TY[kept], sample_weight=weight[kept])
    by_hand = getattr(fold, method)(TX.iloc[test])
    np.testing.assert_allclose(found[test], by_hand, rtol=1e-9)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibration_wrappers(method):
    p = CalibratedClassifierCV(sdr.SafeRegionClassifier(safe_label="bad"), method=method, cv=3).fit(TX, WORDS)
    found = p.predict_proba(TX)
    assert p.classes_.tolist() == ["bad", "good"] and roc_auc_score(TY, found[:, 1]) > .8


def test_frames_copies_and_importance():
    pipe = make_pipeline(StandardScaler().set_output(transform="pandas"), sdr.SafeRegionClassifier(eps=.2))
    pipe.fit(TX, WORDS)
    assert pipe[-1].feature_names_in_.tolist() == ["a", "b", "noise"]
    copies = clone(pipe).fit(TX, WORDS), pickle.loads(pickle.dumps(pipe))
    for copy in copies: assert (copy.predict(TX) == pipe.predict(TX)).all()
    found = permutation_importance(pipe, TX, WORDS, n_repeats=5, random_state=0,
                                   scoring="roc_auc").importances_mean
    assert found.argmax() == 0 and abs(found[2]) < .02
    with pytest.raises(ValueError, match="feature names"): pipe[-1].predict(TX[["b", "a", "noise"]])


def test_a_refused_law_is_warned_of():
    rng = np.random.default_rng(0)
    second = np.concatenate([rng.exponential(size=400), rng.gamma(9, size=400)])
    X = np.column_stack([rng.normal(size=800), second])
    y = np.repeat([1, 0], 400)
    with pytest.warns(UserWarning, match=r"class 1, columns \[1\]: the 400 points refuse Gaussian"):
        clf = sdr.SafeRegionClassifier(family=["gaussian", "gaussian"]).fit(X, y)
    first, second = clf.goodness_[1]
    assert first.p_value > .01 and second.p_value < 1e-3 and second.columns == (1,) and second.n == 400
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        right = sdr.SafeRegionClassifier(family=["gaussian", "gamma"]).fit(X, y)
    assert min(fit.p_value for fits in right.goodness_.values() for fit in fits) > .01
    assert right.fit(X, y, sample_weight=np.ones(800)).goodness_ is None
