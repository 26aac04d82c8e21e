"""Tests of nbs/sdr/10_region_per_class.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.sdr.classifier import SafeRegionClassifier
from reject_nb.sdr.families import Exponential
from reject_nb.sdr.families import Gaussian
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from reject_nb.sdr.region_per_class import RegionPerClass, gamma_per_class, split_rows

def _three(n, rng):
    y = np.repeat(["a", "b", "c"], n)
    return rng.exponential(np.repeat([1., 3., 9.], n))[:, None], y


def test_check_estimator():
    with np.errstate(invalid="ignore"): # scikit-learn casts missing values to whole numbers
        results = check_estimator(RegionPerClass(random_state=0), on_skip=None)
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
    assert [law.scale for law in model.laws_] == [X[rows][y[rows] == k].mean() for k in "abc"]
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
    with pytest.raises(ValueError, match="two points"): split_rows(np.array([0, 0, 1]), .5,
                                                                   np.random.default_rng(0))


@pytest.mark.parametrize("options, word", [(dict(eps=0.), "eps"), (dict(delta=1.), "delta"),
                                           (dict(calibration_share=2), "calibration_share"),
                                           (dict(estimator=3), "estimator"), (dict(random_state="x"),
                                                                              "random_state"),
                                           (dict(estimator=SafeRegionClassifier("beta")),
                                            "class 'a' with n_samples")])
def test_bad_parameters(options, word):
    X, y = _three(20, np.random.default_rng(0))
    with pytest.raises(ValueError, match=word): RegionPerClass(**options).fit(X, y)
