"""Tests of nbs/mcsvm/21_region_per_class.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.mcsvm.classifier import MultiCostSVC
from reject_nb.sdr.region_per_class import split_rows
from sklearn.utils.estimator_checks import check_estimator

from reject_nb.mcsvm.region_per_class import RegionPerClass

BY_DESIGN = {f"check_sample_weight_equivalence_on_{kind}_data": "random split; the calibration counts points"
             for kind in ("dense", "sparse")}

def _three(n, seed=0, shift=1.5):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    return rng.normal(size=(n, 2))+shift*np.array([[-1., 0.], [1., 0.], [0., 1.5]])[y], y


def test_all_regions_hold_together_with_confidence():
    # 25 samples; a violation where any of the three rates on 20,000 fresh points exceeds eps by more than the
    # 3 standard deviations of that estimate; at most delta + 4 standard deviations of the count
    (A, b), delta, broken = _three(20_000, 99), .2, 0
    room = 3*np.sqrt(.1*.9/13_000)
    for seed in range(25):
        model = RegionPerClass(MultiCostSVC(taus=1, eta=.1), eps=.1, delta=delta,
                               random_state=seed).fit(*_three(300, seed))
        inside = model.predict_regions(A)
        broken += max(inside[b != c, c].mean() for c in range(3)) > .1+room
    assert broken <= 25*delta+4*np.sqrt(25*delta*(1-delta))


def test_each_region_is_that_of_one_class_against_the_others():
    X, y = _three(240)
    model = RegionPerClass(MultiCostSVC(eta=.1, kernel="rbf"), eps=.2, delta=.3, random_state=4).fit(X, y)
    rows, held = split_rows(y, .3, np.random.default_rng(4))
    assert not set(rows) & set(held) and len(rows)+len(held) == 240 and len(held) == 72
    for c in range(3):
        one = MultiCostSVC(eta=.1, kernel="rbf").fit(X[rows], y[rows] == c)
        assert one.calibrate(X[held], y[held] == c, "scaling_unsafe", .2, .1) == model.calibrations_[c]
        np.testing.assert_array_equal(model.predict_regions(X)[:, c], one.predict(X))
    assert model.score(X, y) > .8


def test_too_few_points_give_empty_regions_and_say_so():
    model = RegionPerClass(eps=.01, delta=.01).fit(*_three(30))
    assert not any(c.feasible for c in model.calibrations_) and not model.predict_regions(_three(9)[0]).any()
    assert model.score(*_three(300, 1)) > .6


@pytest.mark.parametrize("name, value",
                         [("estimator", 3), ("eps", 1.), ("delta", 0.), ("calibration_share", 1.),
                          ("eps", "x"), ("random_state", "x")])
def test_bad_parameters_are_named(name, value):
    with pytest.raises(ValueError, match=f"^{name} must be"): RegionPerClass(**{name: value}).fit(*_three(30))


def test_a_class_of_one_point_is_refused():
    X, y = _three(30)
    with pytest.raises(ValueError, match="^y must be"): RegionPerClass().fit(X, np.r_[7, y[1:]])
    with pytest.raises(ValueError, match="^y must be"): RegionPerClass().fit(X, y*0)


def test_weights_change_the_machines_and_not_the_counts():
    X, y = _three(240)
    weight = np.random.default_rng(1).integers(0, 4, 240).astype(float)
    model = RegionPerClass(eps=.2, delta=.3, random_state=4).fit(X, y, weight)
    rows, held = split_rows(y, .3, np.random.default_rng(4))
    for c in range(3):
        one = MultiCostSVC().fit(X[rows], y[rows] == c, weight[rows])
        assert one.calibrate(X[held], y[held] == c, "scaling_unsafe", .2, .1) == model.calibrations_[c]
        np.testing.assert_array_equal(model.estimators_[c].coef_, one.coef_)
        assert model.calibrations_[c].n_safe == np.sum(y[held] == c)
    plain = RegionPerClass(eps=.2, delta=.3, random_state=4).fit(X, y)
    twos = RegionPerClass(eps=.2, delta=.3, random_state=4).fit(X, y, np.ones(240))
    assert (twos.decision_function(X) == plain.decision_function(X)).all()
    assert (model.decision_function(X) != plain.decision_function(X)).any()


@pytest.mark.parametrize("weight", (np.ones(29), -np.ones(30), np.full(30, np.nan), np.zeros(30), "x",
                                    np.where(np.arange(30) % 3 == 1, 0., 1.)),
                         ids=("short", "negative", "nan", "zero", "text", "zero for a class"))
def test_bad_weights_are_named(weight):
    with pytest.raises(ValueError, match="^sample_weight must be"): RegionPerClass().fit(*_three(30), weight)


def test_check_estimator():
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = check_estimator(RegionPerClass(random_state=0), on_fail=None,
                                expected_failed_checks=BY_DESIGN)
    assert not [r["check_name"] for r in found if r["status"] not in ("passed", "skipped", "xfail")]
    assert len(found) > 40
