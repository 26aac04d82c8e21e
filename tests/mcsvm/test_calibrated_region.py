"""Tests of nbs/mcsvm/22_calibrated_region.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pandas as pd
import pytest
from reject_nb.mcsvm.calibrate import calibrate_offset
from reject_nb.mcsvm.classifier import MultiCostSVC
from reject_nb.sdr.region_per_class import split_rows
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

from reject_nb.mcsvm.calibrated_region import CalibratedRegion, _outside, risk_scores

BY_DESIGN = {f"check_sample_weight_equivalence_on_{kind}_data": "random split; the calibration counts points"
             for kind in ("dense", "sparse")}

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


@pytest.mark.parametrize("kind", [bool, int, str, float])
@pytest.mark.parametrize("chosen", [None, 0, 1])
def test_labels_of_every_kind_give_one_region(kind, chosen):
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(120, 2)), np.arange(120) % 2
    X[:, 0] += 1.5*y
    labels = y.astype(kind)
    given = None if chosen is None else sorted(set(labels.tolist()))[chosen]
    one = CalibratedRegion(eps=.2, delta=.2, random_state=0, safe_label=given).fit(X, labels)
    plain = CalibratedRegion(eps=.2, delta=.2, random_state=0, safe_label=chosen).fit(X, y)
    assert one.bias_ == plain.bias_ and one.calibration_.feasible
    assert (one.predict(X) == labels).tolist() == (plain.predict(X) == y).tolist()


def test_an_estimator_of_other_labels_is_refused():
    X, y = _clouds(60)
    for other in (LogisticRegression().fit(X, y > 0), LogisticRegression()):
        with pytest.raises(ValueError, match="^estimator must be"):
            CalibratedRegion(other, prefit=True).fit(X, y)


def test_check_estimator():
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = check_estimator(CalibratedRegion(rule="z_svm", random_state=0), on_fail=None,
                                expected_failed_checks=BY_DESIGN)
    assert not [r["check_name"] for r in found if r["status"] not in ("passed", "skipped", "xfail")]
    assert len(found) > 40


@pytest.mark.parametrize("safe", ("bad", "good"))
@pytest.mark.parametrize("base", (LogisticRegression(), RandomForestClassifier(10, random_state=0), None),
                         ids=("logistic", "forest", "mcsvm"))
def test_what_cannot_be_certified_is_ranked_all_the_same(base, safe):
    X, y = _clouds(60)
    names = np.where(y > 0, "good", "bad")
    model = CalibratedRegion(base, safe_label=safe, random_state=0).fit(X, names)
    assert model.bias_ == -np.inf and not model.calibration_.feasible
    decision, scores = model.decision_function(X), risk_scores(model.estimator_, X, safe)
    assert np.isfinite(decision).all() and not (model.predict(X) == safe).any()
    assert (decision < 0).all() if safe == "good" else (decision > 0).all()
    assert (model.safe_score(X) == -np.inf).all()
    assert roc_auc_score(names == safe, decision if safe == "good" else -decision) == pytest.approx(
        roc_auc_score(names == safe, -scores), abs=1e-12)
    found = cross_val_score(CalibratedRegion(base, safe_label=safe, random_state=0), X, names, cv=3,
                            scoring="roc_auc", error_score="raise")
    assert (found > .7).all()


def test_the_order_outside():
    scores = np.array([-1e300, -5., -1., -.5, 0., .5, 1., 5., 1e300])
    found = _outside(scores)
    assert (np.diff(found) < 0).all() and (found < 0).all() and np.isfinite(found).all()


def _frame(n):
    X, y = _clouds(n)
    return pd.DataFrame(X, columns=["a", "b"]), y


def test_a_frame_is_passed_on():
    X, y = _frame(300)
    base = make_pipeline(make_column_transformer((StandardScaler(), ["a", "b"])), LogisticRegression())
    found = CalibratedRegion(base, eps=.2, random_state=0).fit(X, y)
    plain = CalibratedRegion(make_pipeline(StandardScaler(), LogisticRegression()), eps=.2,
                             random_state=0).fit(X.to_numpy(), y)
    np.testing.assert_allclose(found.decision_function(X), plain.decision_function(X.to_numpy()))
    assert list(found.feature_names_in_) == ["a", "b"] and found.n_features_in_ == 2
    with pytest.raises(ValueError, match="feature names"): found.predict(X.rename(columns={"a": "c"}))
    np.testing.assert_array_equal(CalibratedRegion(random_state=0).fit(X, y).predict(X),
                                  CalibratedRegion(random_state=0).fit(X.to_numpy(), y).predict(X.to_numpy()))


def test_a_classifier_fitted_on_a_frame_does_not_warn():
    import warnings
    X, y = _frame(200)
    fitted = LogisticRegression().fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = CalibratedRegion(fitted, prefit=True).fit(X, y)
        assert set(model.predict(X)) <= {-1., 1.}


@pytest.mark.parametrize("kind", (lambda X: X, lambda X: X.to_numpy()), ids=("frame", "array"))
def test_missing_values_go_to_who_takes_them(kind):
    X, y = _frame(300)
    X.iloc[::7, 0] = np.nan
    model = CalibratedRegion(HistGradientBoostingClassifier(max_iter=5, random_state=0), eps=.2,
                             random_state=0).fit(kind(X), y)
    assert np.isfinite(model.decision_function(kind(X))).all() and model.calibration_.feasible
    for base in (None, LogisticRegression()):
        with pytest.raises(ValueError, match="NaN"): CalibratedRegion(base).fit(kind(X), y)


def _skewed(n, seed):
    "Two clouds, and weights that depend on point and label."
    X, y = _clouds(n, seed)
    return X, y, np.where((X[:, 0] > 0) & (y < 0), 0., 1+5*np.abs(X[:, 1]))

PLAIN = LogisticRegression()
SCALED = make_pipeline(StandardScaler(), LogisticRegression())

@pytest.mark.parametrize("base, direct", [(None, MultiCostSVC()), (PLAIN, PLAIN), (SCALED, SCALED)],
                         ids=("mcsvm", "logistic", "pipeline"))
def test_weights_go_to_the_fit_and_the_counts_are_of_points(base, direct):
    X, y, weight = _skewed(300, 5)
    model = CalibratedRegion(base, eps=.2, delta=.1, random_state=3).fit(X, y, weight)
    rows, held = split_rows(y, .3, np.random.default_rng(3))
    name = "logisticregression__sample_weight" if base is SCALED else "sample_weight"
    one = clone(direct).fit(X[rows], y[rows], **{name: weight[rows]})
    scores = risk_scores(one, X[held], 1.)
    np.testing.assert_array_equal(risk_scores(model.estimator_, X[held], 1.), scores)
    assert model.calibration_ == calibrate_offset(scores, y[held], "scaling_unsafe", .2, .1)
    assert model.calibration_.n_safe+model.calibration_.n_unsafe == len(held) > np.sum(weight[held] > 0)
    plain = CalibratedRegion(base, eps=.2, delta=.1, random_state=3).fit(X, y)
    assert np.abs(plain.safe_score(X)-model.safe_score(X)).max() > .01


def test_the_promise_holds_with_weights_that_depend_on_the_labels():
    # 100 samples, exact rates from 40,000 fresh points of the law that was drawn from
    (A, b), broken = _clouds(40_000, 99), 0
    for seed in range(100):
        model = CalibratedRegion(LogisticRegression(), eps=.1, delta=.1, random_state=seed)
        inside = model.fit(*_skewed(300, seed)).predict(A) > 0
        broken += inside[b < 0].mean() > .1
    assert broken <= 10+4*np.sqrt(9)


def test_weights_that_cannot_be_used_are_refused():
    X, y, weight = _skewed(100, 0)
    for model in (CalibratedRegion(LogisticRegression().fit(X, y), prefit=True),
                  CalibratedRegion(KNeighborsClassifier()),
                  CalibratedRegion(make_pipeline(StandardScaler(), KNeighborsClassifier()))):
        with pytest.raises(ValueError, match="^sample_weight must be None"): model.fit(X, y, weight)
    for bad in (weight[1:], -weight, weight*np.nan, weight*0, "x", np.where(y > 0, weight, 0.)):
        with pytest.raises(ValueError, match="^sample_weight must be"): CalibratedRegion().fit(X, y, bad)
