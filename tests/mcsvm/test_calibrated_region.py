"""Tests of nbs/mcsvm/22_calibrated_region.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.mcsvm.calibrate import calibrate_offset
from reject_nb.sdr.region_per_class import split_rows
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from reject_nb.mcsvm.calibrated_region import CalibratedRegion

def _clouds(n, seed=0):
    y = np.where(np.arange(n) % 2 == 0, 1., -1.)
    return np.random.default_rng(seed).normal(size=(n, 2))-y[:, None], y


@pytest.mark.parametrize("safe", ("bad", "good"))
@pytest.mark.parametrize("base", (LogisticRegression(), RandomForestClassifier(10, random_state=0), None),
                         ids=("logistic", "forest", "mcsvm"))
def test_the_rate_is_bounded_for_any_classifier(base, safe):
    # 60 samples, exact rates from 40,000 fresh points
    (A, b), broken, rounds = _clouds(40_000, 99), 0, 5 if base is None or hasattr(base,
                                                                                  "n_estimators") else 60
    names = np.where(b > 0, "good", "bad")
    for seed in range(rounds):
        X, y = _clouds(300, seed)
        model = CalibratedRegion(base, eps=.1, delta=.1, safe_label=safe,
                                 random_state=seed).fit(X, np.where(y > 0, "good", "bad"))
        inside = model.predict(A) == safe
        np.testing.assert_array_equal(inside, model.safe_score(A) > 0)
        np.testing.assert_array_equal(model.decision_function(A) > 0,
                                      inside if safe == "good" else ~inside & (model.safe_score(A) < 0))
        broken += inside[names != safe].mean() > .1+3*np.sqrt(.09/20_000)
        if base is None or seed > 9: continue
        assert model.calibration_.feasible
    assert broken <= .1*rounds+4*np.sqrt(rounds*.09)


def test_a_pipeline_sees_the_points_of_the_fit_only():
    X, y = _clouds(200)
    model = CalibratedRegion(make_pipeline(StandardScaler(), LogisticRegression()), random_state=3).fit(X, y)
    rows, held = split_rows(y, .3, np.random.default_rng(3))
    np.testing.assert_allclose(model.estimator_[0].mean_, X[rows].mean(0))
    assert model.calibration_.n_safe+model.calibration_.n_unsafe == len(held) == 60


def test_prefit_takes_all_points_for_the_calibration():
    (X, y), (A, b) = _clouds(200), _clouds(150, 1)
    fitted = LogisticRegression().fit(X, y)
    model = CalibratedRegion(fitted, prefit=True, eps=.2).fit(A, b)
    expected = calibrate_offset(-fitted.decision_function(A), b, "scaling_unsafe", .2, .05)
    assert model.estimator_ is fitted and model.calibration_ == expected and model.bias_ == expected.bias


def test_a_grid_search_takes_it():
    X, y = _clouds(300)
    search = GridSearchCV(CalibratedRegion(make_pipeline(StandardScaler(), LogisticRegression()),
                                           random_state=0, eps=.2),
                          {"estimator__logisticregression__C": [1e-3, 1.],
                           "rule": ["scaling_unsafe", "conformal_unsafe"]},
                          scoring="roc_auc", cv=3).fit(X, y)
    assert search.best_score_ > .8


@pytest.mark.parametrize("name, value", [("estimator", 3), ("estimator", LogisticRegression), ("rule", "x"),
                                         ("eps", 0.), ("delta", 1.),
                                         ("eps_safe", 2.), ("calibration_share", 0.), ("prefit", 1),
                                         ("safe_label", 9),
                                         ("random_state", "x")])
def test_bad_parameters_are_named(name, value):
    with pytest.raises(ValueError,
                       match=f"^{name} must be"): CalibratedRegion(**{name: value}).fit(*_clouds(40))


def test_an_estimator_of_other_labels_is_refused():
    X, y = _clouds(60)
    for other in (LogisticRegression().fit(X, y > 0), LogisticRegression()):
        with pytest.raises(ValueError, match="^estimator must be"): CalibratedRegion(other,
                                                                                     prefit=True).fit(X, y)


def test_check_estimator():
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        failed = [r["check_name"] for r in check_estimator(CalibratedRegion(rule="z_svm", random_state=0),
                                                           on_fail=None)
                  if r["status"] not in ("passed", "skipped")]
    assert not failed
