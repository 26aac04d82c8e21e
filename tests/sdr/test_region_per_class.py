"""Tests of nbs/sdr/17_region_per_class.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pickle
import pytest
from reject_nb import sdr
from reject_nb.sdr.amounts import Exponential
from reject_nb.sdr.calibration import calibrate_level
from reject_nb.sdr.classifier import SafeRegionClassifier
from reject_nb.sdr.gaussian import Gaussian
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV
from sklearn.model_selection import cross_val_predict
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from reject_nb.sdr.region_per_class import RegionPerClass, gamma_per_class, split_rows

def _three(n, rng):
    y = np.repeat(["a", "b", "c"], n)
    return rng.exponential(np.repeat([1., 3., 9.], n))[:, None], y


def test_check_estimator():
    with np.errstate(invalid="ignore"): # scikit-learn casts missing values to whole numbers
        # copies of a point are dealt out one by one, a point of weight 2 as one: the split is another
        name = "check_sample_weight_equivalence_on_{}_data"
        split = {name.format(kind): "random split" for kind in ("dense", "sparse")}
        results = check_estimator(RegionPerClass(random_state=0), on_skip=None, expected_failed_checks=split)
    assert len(results) > 40 and not [r for r in results if r["status"] == "failed"]


def test_gamma_against_densities():
    # two classes: the Gamma of the pair and its negative; three by direct densities
    rng = np.random.default_rng(0)
    X, priors = rng.normal(size=(50, 2)), np.array([.5, .3, .2])
    laws = [Gaussian([k, 0], np.eye(2)*(k + 1)) for k in range(3)]
    log_f = np.column_stack([law.log_density(X) for law in laws])
    two = gamma_per_class(log_f[:, :2], priors[:2])
    np.testing.assert_allclose(two[:, 0], log_f[:, 1] - log_f[:, 0])
    np.testing.assert_allclose(two[:, 1], -two[:, 0])
    f, three = np.exp(log_f), gamma_per_class(log_f, priors)
    np.testing.assert_allclose(np.exp(three[:, 1]), (.5*f[:, 0] + .2*f[:, 2])/.7/f[:, 1], rtol=1e-12)
    assert np.isposinf(gamma_per_class(np.full((1, 3), -np.inf), priors)).all()
    assert np.isneginf(gamma_per_class(np.array([[0., -np.inf, -np.inf]]), priors)[0, 0])


@pytest.mark.parametrize("family", ["exponential", "gaussian"])
def test_joint_guarantee_whatever_the_laws(family):
    # 300 samples: in at most delta of them some region lets in more than eps (four standard errors)
    rng, broken, times = np.random.default_rng(1), 0, 300
    fresh, labels = _three(4000, rng)
    for _ in range(times):
        model = RegionPerClass(SafeRegionClassifier(family), eps=.2, delta=.2,
                               calibration_share=.5).fit(*_three(60, rng))
        inside = model.predict_regions(fresh)
        broken += any(inside[labels != label, k].mean() > .2 for k, label in enumerate(model.classes_))
    assert broken/times <= .2 + 4*np.sqrt(.2*.8/times)


def test_levels_are_order_statistics():
    rng = np.random.default_rng(2)
    X, y = _three(100, rng)
    model = RegionPerClass(SafeRegionClassifier("exponential"), eps=.1, delta=.1, random_state=3).fit(X, y)
    rows, held = split_rows(y, .3, np.random.default_rng(3))
    means = [X[rows][y[rows] == k].mean() for k in "abc"]
    assert [law.scale for law in model.laws_] == pytest.approx(means, rel=1e-14)
    for k, (label, found) in enumerate(zip("abc", model.calibrations_)):
        inside = model.predict_regions(X[held])[:, k]
        assert inside[y[held] != label].sum() == found.rank - 1
        assert found.n_unsafe == 60 and found.delta == pytest.approx(.1/3)
    assert model.priors_.tolist() == [1/3]*3 and isinstance(model.laws_[0], Exponential)


def test_posteriors_and_predictions():
    X, y = _three(50, np.random.default_rng(4))
    model = RegionPerClass(SafeRegionClassifier("exponential"), random_state=0).fit(X, y)
    p = model.predict_proba([[0.], [2.], [50.], [-1.]])
    scales = np.array([law.scale for law in model.laws_])
    f = np.exp(-2./scales)/scales
    np.testing.assert_allclose(p[1], f/f.sum(), rtol=1e-12)
    np.testing.assert_allclose(p[3], model.priors_) # no class has a density there
    assert model.predict([[0.], [50.]]).tolist() == ["a", "c"] and not model.predict_regions([[-1.]]).any()
    assert clone(model).estimator.family == "exponential"


def test_splits():
    y = np.array([0]*10 + [1]*2)
    rows, held = split_rows(y, .9, np.random.default_rng(0))
    assert sorted([*rows, *held]) == list(range(12)) and len(held) == 10
    assert set(y[rows]) == set(y[held]) == {0, 1}
    with pytest.raises(ValueError, match="two points"):
        split_rows(np.array([0, 0, 1]), .5, np.random.default_rng(0))


@pytest.mark.parametrize("options, word",
                         [(dict(eps=0.), "eps"), (dict(delta=1.), "delta"),
                          (dict(calibration_share=2), "calibration_share"), (dict(estimator=3), "estimator"),
                          (dict(random_state="x"), "random_state"),
                          (dict(estimator=SafeRegionClassifier("beta")), "class 'a' with n_samples")])
def test_bad_parameters(options, word):
    X, y = _three(20, np.random.default_rng(0))
    with pytest.raises(ValueError, match=word): RegionPerClass(**options).fit(X, y)


def test_bytes_and_other_bad_labels_are_refused_by_name():
    X = np.arange(8.)[:, None]
    for bad in ([b"a", b"b"]*4, None, [.5, 1.5]*4, [1]*8, [1, 2]):
        with pytest.raises(ValueError, match="^y must be"): RegionPerClass().fit(X, bad)

PY3 = np.repeat(["left", "right", "top"], 120)
CENTRES3 = np.repeat([[-2., 0, 0], [2, 0, 0], [0, 3, 0]], 120, axis=0)
PX3 = np.random.default_rng(2).normal(size=(360, 3)) + CENTRES3

def test_weights_move_laws_and_priors():
    # weight 3 for a class triples its share; a point of weight 2 counts as two in its law
    weight = np.where(PY3 == "top", 3., 1.)
    plain, model = (sdr.RegionPerClass(random_state=0).fit(PX3, PY3, w) for w in (None, weight))
    np.testing.assert_allclose(model.priors_, [.2, .2, .6])
    np.testing.assert_allclose(model.laws_[2].mean, plain.laws_[2].mean, rtol=1e-12)
    drawn = np.random.default_rng(3).integers(0, 3, 360)
    moved = sdr.RegionPerClass(random_state=0).fit(PX3, PY3, drawn + .5)
    rows, _ = split_rows(PY3, .3, np.random.default_rng(0))
    kept = rows[PY3[rows] == "left"]
    np.testing.assert_allclose(moved.laws_[0].mean, np.average(PX3[kept], axis=0, weights=drawn[kept] + .5))
    with pytest.raises(ValueError, match="^sample_weight must"): plain.fit(PX3, PY3, [-1.]*360)


def test_tools_of_scikit_learn():
    model = sdr.RegionPerClass(random_state=0)
    grid = {"eps": [.05, .2], "estimator": [sdr.SafeRegionClassifier(shrinkage=s) for s in (0., 1.)]}
    found = GridSearchCV(model, grid, cv=3).fit(PX3, PY3)
    assert found.best_score_ > .9
    assert cross_val_score(model, PX3, PY3, cv=3, scoring="roc_auc_ovr").min() > .95
    assert cross_val_score(model, PX3[:240], PY3[:240], cv=3, scoring="roc_auc").min() > .95
    p = cross_val_predict(model, PX3, PY3, cv=3, method="predict_proba",
                          params={"sample_weight": np.ones(360)})
    assert (np.unique(PY3)[p.argmax(1)] == PY3).mean() > .9
    assert (CalibratedClassifierCV(model, cv=3).fit(PX3, PY3).predict(PX3) == PY3).mean() > .9
    pipe = make_pipeline(StandardScaler(), model).fit(PX3, PY3)
    for copy in (clone(pipe).fit(PX3, PY3), pickle.loads(pickle.dumps(pipe))):
        assert (copy.predict(PX3) == pipe.predict(PX3)).all()
    nested = clone(sdr.RegionPerClass(sdr.SafeRegionClassifier())).set_params(estimator__shrinkage=.5)
    assert nested.get_params()["estimator__shrinkage"] == .5
    found = permutation_importance(pipe, PX3, PY3, n_repeats=3, random_state=0).importances_mean
    assert found[2] < .03 < min(found[:2])


def test_joint_guarantee_in_10000_repetitions():
    # three classes, laws fitted once; held-out points drawn anew 10,000 times from a population of 6,000:
    # how often does any of the regions hold more than eps of the other classes?
    rng, eps, delta, times = np.random.default_rng(5), .1, .2, 10_000
    X = rng.normal(size=(6000, 2)) + np.repeat([[-1.5, 0], [1.5, 0], [0, 2.]], 2000, axis=0)
    label = np.repeat([0, 1, 2], 2000)
    laws = [sdr.Gaussian.fit(X[label == k][:50]*[1, 2.]) for k in range(3)] # a wrong law: no matter
    gamma = gamma_per_class(np.column_stack([law.log_density(X) for law in laws]), np.full(3, 1/3))
    broken = np.zeros(times, bool)
    for k in range(3):
        others = np.sort(gamma[label != k, k])
        held = np.sort(others[rng.integers(len(others), size=(times, 80))], axis=1)
        rank = calibrate_level(held[0], "scaling_unsafe", eps, delta/3).rank
        inside = np.searchsorted(others, held[:, rank - 1], side="left")/len(others)
        broken |= inside > eps
    assert rank > 1 and 0 < broken.mean() <= delta + 4*np.sqrt(delta*(1 - delta)/times)
