"""Tests of nbs/strategies/23_selective.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pandas as pd
import pytest
import sklearn
from reject_nb.strategies import BoundedAbstention
from reject_nb.strategies.losses import legacy_random_state
from reject_nb.strategies.models import BoundedImprovement
from reject_nb.strategies.models import CostBased
from reject_nb.strategies.ordinal import OrdinalSVM
from reject_nb.strategies.scores import MarginScore
from reject_nb.strategies.scores import MaxClassProbability
from reject_nb.strategies.scores import RegressionScore
from reject_nb.strategies.scores import SeleScore
from reject_nb.strategies.scores import noisy_sign
from scipy.stats import binom
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.ensemble import IsolationForest
from sklearn.exceptions import DataConversionWarning
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import check_estimator

from reject_nb.strategies.selective import SelectiveClassifier, split_parts

def _sign(X): return (X[:, 0] > 0).astype(int)


def _second(X): return X[:, 1]


def test_selective_classifier_follows_scikit_learn():
    check_estimator(SelectiveClassifier(), on_skip=None)


def test_certified_risk_holds_on_new_data_by_repetition():
    # 150 fits at delta .1: more than 27 violations have probability below .001 for a valid method
    Xt, yt = noisy_sign(40_000, np.random.default_rng(1), .3)
    bad = 0
    for seed in range(150):
        X, y = noisy_sign(360, np.random.default_rng(100 + seed), .3)
        clf = SelectiveClassifier(_sign, _second, BoundedImprovement(.1), "ltt", .1).fit(X, y)
        keep = clf.accept(Xt)
        # .003: two standard errors of the test risk
        bad += keep.any() and (clf.predict(Xt) != yt)[keep].mean() > .1 + .003
    assert bad <= binom.ppf(.999, 150, .1)

ESTIMATORS = {"logistic": LogisticRegression(), "fitted": LogisticRegression().fit(*noisy_sign(200,
    np.random.default_rng(2), .3)), "svm": LinearSVC(), "ordinal": OrdinalSVM(), "function": _sign}
SCORES = {"none": None, "margin": MarginScore(), "regression": RegressionScore(),
          "sele": SeleScore(penalty=.01), "function": _second}
MODELS = [(BoundedImprovement(.12), "ltt"), (BoundedImprovement(.14), "sgr"), (BoundedAbstention(.5), "ltt"),
          (BoundedAbstention(.5), None), (CostBased(.2), None), (None, None),
          (BoundedImprovement(.12), "auto"),
          (BoundedAbstention(.5), "auto"), (CostBased(.2), "auto"), (None, "auto")]

@pytest.mark.parametrize("score", list(SCORES))
@pytest.mark.parametrize("estimator", list(ESTIMATORS))
def test_every_combination_runs_and_says_what_it_does(estimator, score):
    if score == "none" and estimator in ("svm", "ordinal", "function") or (score, estimator) == ("margin",
        "function"):
        return
    X, y = noisy_sign(900, np.random.default_rng(2), .3)
    Xt, yt = noisy_sign(500, np.random.default_rng(3), .3)
    for model, guarantee in MODELS:
        clf = SelectiveClassifier(ESTIMATORS[estimator], SCORES[score], model, guarantee,
                                  random_state=0).fit(X, y)
        out, keep, r = clf.predict(Xt), clf.accept(Xt), clf.report(Xt, yt)
        assert ((out == -1) == ~keep).all() and r["coverage"] == keep.mean() and r["n"] == 500
        promised = guarantee is not None and isinstance(model, (BoundedImprovement, BoundedAbstention))
        assert ("not certified" in r["statement"]) == (not promised)
        if keep.any():
            np.testing.assert_allclose([r["selective risk"], 1 - clf.score(Xt, yt)], (out != yt)[keep].mean())
        np.testing.assert_allclose(clf.risk_coverage(Xt, yt).risk.mean(), r["AuRC"])

LABELS = [(["no", "yes"], "auto", {"no", "yes", "reject"}), ([0, 1], 9, {0, 1, 9}),
          ([-1, 1], "auto", {-2, -1, 1}), ([0., 1.], "auto", {-1., 0., 1.}), ([0, 1], "?", {0, 1, "?"}),
          ([0, 1], None, {0, 1, None})]

@pytest.mark.parametrize("names, wanted, all_labels", LABELS)
def test_reject_labels(names, wanted, all_labels):
    X, y = noisy_sign(400, np.random.default_rng(4), .3)
    y = np.array(names)[y]
    clf = SelectiveClassifier(model=BoundedAbstention(.5), reject_label=wanted, random_state=0).fit(X, y)
    assert set(clf.predict(X).tolist()) == all_labels


def test_infeasible_targets_reject_everything_and_say_so():
    X, y = noisy_sign(300, np.random.default_rng(5), .3)
    clf = SelectiveClassifier(model=BoundedImprovement(.001), guarantee="ltt", random_state=0).fit(X, y)
    assert not clf.accept(X).any() and clf.selection_.status == "infeasible" and (clf.predict(X) == -1).all()
    report = clf.report(X, y)
    assert np.isnan(report["selective risk"]) and "0/0" in report["remark"]
    assert report["status"] == "infeasible" and report["coverage"] == 0
    assert np.isnan(clf.score(X, y))


@pytest.mark.parametrize("model, guarantee", [(BoundedImprovement(.05), "ltt"),
                                              (BoundedImprovement(.05), "sgr"),
                                              (BoundedImprovement(.05), None), (BoundedAbstention(.5), "ltt"),
                                              (BoundedAbstention(.5), None), (CostBased(.1), None)])
def test_one_class_ties_everywhere_and_no_losses(model, guarantee):
    X, right = np.random.default_rng(9).normal(size=(400, 2)), np.zeros(400, int)
    # a box that knows one class and is always right
    zero = lambda X: np.zeros(len(X), int)
    for score in (zero, SeleScore(), RegressionScore()):
        r = SelectiveClassifier(zero, score, model, guarantee, random_state=0).fit(X, right).report(X, right)
        assert r["selective risk"] == r["AuRC"] == r["sele"] == 0 and r["coverage"] > 0
    wrong = SelectiveClassifier(lambda X: np.ones(len(X), int), zero, model, guarantee, random_state=0).fit(X,
        right).report(X, right)
    assert wrong["AuRC"] == 1 and (wrong["coverage"] == 0) == (not isinstance(model, BoundedAbstention))


def test_recalibration_and_losses():
    X, y = noisy_sign(900, np.random.default_rng(6), .3)
    clf = SelectiveClassifier(uncertainty=SeleScore(), model=BoundedAbstention(.9), loss=[[0, 1], [5, 0]],
                              bound=5., random_state=0).fit(X, y)
    before = clf.accept(X).mean()
    clf.set_params(model=BoundedImprovement(.5), guarantee="ltt").calibrate(*noisy_sign(2000,
        np.random.default_rng(7), .3))
    assert clf.accept(X).mean() != before and clf.selection_.certified == .5 and clf.selection_.n == 2000
    assert set(np.unique(clf._losses(X, y))) <= {0., 1., 5.}


def test_other_losses_with_the_default_score():
    rng = np.random.default_rng(10)
    X = rng.normal(size=(600, 2))
    y = np.digitize(X[:, 0] + .5*rng.normal(size=600), [-.5, .5])
    losses = "absolute", lambda y, p: np.abs(y - p), np.abs(np.subtract.outer(np.arange(3), np.arange(3)))
    a, b, c = (SelectiveClassifier(loss=loss, bound=2., model=BoundedImprovement(.4), guarantee="ltt",
                                   random_state=0).fit(X, y).predict_uncertainty(X) for loss in losses)
    np.testing.assert_array_equal(a, c)
    np.testing.assert_array_equal(b, c)
    with pytest.raises(ValueError, match="loss"):
        SelectiveClassifier(loss="absolute").fit(X, np.array(list("abc"))[y])


def test_a_rare_class_may_be_in_any_part():
    X, y = noisy_sign(200, np.random.default_rng(11), .3)
    y[0] = 2
    L, known = np.array([[0, 1, 3.], [1, 0, 3], [9, 9, 0]]), set()
    for seed in range(8):
        for score in (None, SeleScore(penalty=.1)):
            clf = SelectiveClassifier(loss=L, bound=9., uncertainty=score, model=BoundedAbstention(.8),
                                      random_state=seed).fit(X, y)
            known.add(len(clf.classifier_.classes_))
            assert clf._losses(X, y)[0] == 9 and np.isfinite(clf.predict_uncertainty(X)).all()
    assert known == {2, 3}                                                # both cases were met
    with pytest.raises(ValueError, match="loss must"): SelectiveClassifier(loss=np.eye(4)).fit(X, y)


def test_the_estimator_of_the_score_is_the_classifier():
    X, y = noisy_sign(300, np.random.default_rng(12), .3)
    clf = SelectiveClassifier(uncertainty=SeleScore(OrdinalSVM(), penalty=.1), random_state=0).fit(X, y)
    assert isinstance(clf.classifier_, OrdinalSVM) and clf.uncertainty_.estimator_ is clf.classifier_
    m = LogisticRegression().fit(X, y)
    assert SelectiveClassifier(uncertainty=MaxClassProbability(m), random_state=0).fit(X, y).classifier_ is m
    same = SelectiveClassifier(OrdinalSVM(), SeleScore(OrdinalSVM(), penalty=.1), random_state=0)
    clone(same).fit(X, y)
    for estimator in (LogisticRegression(), OrdinalSVM(C=2.), m):
        with pytest.raises(ValueError, match="estimator=.*uncertainty="):
            same.set_params(estimator=estimator).fit(X, y)
    with pytest.raises(ValueError, match="uncertainty must"):
        SelectiveClassifier(uncertainty=make_pipeline(StandardScaler(), SeleScore())).fit(X, y)
    # any fit and predict will do
    plain = SelectiveClassifier(uncertainty=IsolationForest(n_estimators=5, random_state=0),
                                random_state=0).fit(X, y)
    assert set(plain.predict_uncertainty(X)) <= {-1., 1.}

ROWS = noisy_sign(1000, np.random.default_rng(20), .3)

@pytest.mark.parametrize("kind", ["fitted", "frozen", "function", "not fitted", "learned score"])
def test_who_learns_from_which_rows(kind):
    X, y = ROWS
    fitted = LogisticRegression().fit(*noisy_sign(300, np.random.default_rng(21), .3))
    estimator = {"fitted": fitted, "frozen": FrozenEstimator(fitted), "function": _sign}.get(kind,
        LogisticRegression())
    score = {"function": _second, "learned score": SeleScore(penalty=.1)}.get(kind)
    clf = SelectiveClassifier(estimator, score, BoundedImprovement(.2), "ltt", random_state=0).fit(X, y)
    assert clf.selection_.n == (1000 if kind in ("fitted", "frozen", "function") else 300)
    if kind in ("fitted", "frozen"): assert clf.classifier_ is estimator


def test_prefit_demands_what_is_fitted():
    X, y = ROWS
    fitted = LogisticRegression().fit(X[:300], y[:300])
    learned = SeleScore(fitted, penalty=.1).fit(X[300:600], y[300:600])
    clf = SelectiveClassifier(fitted, learned, BoundedImprovement(.15), "ltt", prefit=True).fit(X[600:],
        y[600:])
    assert clf.selection_.n == 400 and clf.uncertainty_ is learned
    np.testing.assert_array_equal(clf.predict_uncertainty(X), learned.predict(X))
    with pytest.raises(ValueError, match="estimator must be fitted.*FrozenEstimator"):
        clone(SelectiveClassifier(fitted, prefit=True)).fit(X, y)
    with pytest.raises(ValueError, match="uncertainty must be fitted"):
        SelectiveClassifier(fitted, SeleScore(), prefit=True).fit(X, y)
    again = clone(SelectiveClassifier(FrozenEstimator(fitted), prefit=True)).fit(X, y)
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))


def test_inputs_are_passed_on_as_they_are():
    X, y = ROWS
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(colour=np.where(X[:, 1] > 0, "red", "blue"))
    frame.loc[::5, "c"] = np.nan
    columns = make_column_transformer((OneHotEncoder(sparse_output=False), ["colour"]),
                                      remainder="passthrough")
    model = make_pipeline(columns, HistGradientBoostingClassifier(max_iter=5, random_state=0))
    clf = SelectiveClassifier(model, model=BoundedAbstention(.5), random_state=0).fit(frame, y)
    assert clf.feature_names_in_.tolist() == ["a", "b", "c", "colour"] and .3 < clf.accept(frame).mean() < .8
    with pytest.raises(ValueError, match="X must be like that of the fit"): clf.predict(frame[["a", "b"]])


def test_text_and_sparse_matrices():
    from scipy.sparse import csr_array
    from sklearn.feature_extraction.text import CountVectorizer
    texts, y = ["good day", "bad day", "good night", "bad night"]*20, ["+", "-", "+", "-"]*20
    clf = SelectiveClassifier(make_pipeline(CountVectorizer(), LogisticRegression()),
                              model=BoundedAbstention(.9), random_state=0).fit(texts, y)
    sure, unsure = clf.predict_uncertainty(["good day", "bad night"]), clf.predict_uncertainty(["fog"])
    assert sure.max() < .3 < unsure[0] and clf.predict(["good day", "bad night"]).tolist() == ["+", "-"]
    sparse = SelectiveClassifier(model=BoundedAbstention(.9), random_state=0).fit(csr_array(ROWS[0]), ROWS[1])
    dense = SelectiveClassifier(model=BoundedAbstention(.9), random_state=0).fit(*ROWS)
    np.testing.assert_allclose(sparse.predict_uncertainty(csr_array(ROWS[0])),
                               dense.predict_uncertainty(ROWS[0]), atol=1e-3)


def test_score_is_selective_accuracy():
    X, y = ROWS
    clf = SelectiveClassifier(model=BoundedAbstention(.6), random_state=0).fit(X, y)
    keep, right = clf.accept(X), clf.classifier_.predict(X) == y
    weight = np.random.default_rng(0).random(1000)
    np.testing.assert_allclose([clf.score(X, y), clf.score(X, y, weight)],
                               [right[keep].mean(), np.average(right[keep], weights=weight[keep])],
                               rtol=1e-12)
    values = cross_val_score(clf, X, y)
    assert np.isfinite(values).all() and values.mean() > right.mean() - .05
    search = GridSearchCV(clf, {"model": [BoundedAbstention(.9), BoundedAbstention(.3)]}).fit(X, y)
    assert search.best_params_["model"].target_coverage == .3


def test_the_classifier_shows_through():
    X, y = ROWS
    clf = SelectiveClassifier(random_state=0).fit(X, y)
    np.testing.assert_array_equal(clf.predict_proba(X), clf.classifier_.predict_proba(X))
    np.testing.assert_array_equal(clf.decision_function(X), clf.classifier_.decision_function(X))
    assert not hasattr(SelectiveClassifier(LinearSVC()),
                       "predict_proba") and hasattr(SelectiveClassifier(LinearSVC()), "decision_function")
    for method in ("predict", "accept", "predict_uncertainty", "predict_proba"):
        with pytest.raises(NotFittedError): getattr(SelectiveClassifier(), method)(X)


def test_inside_nested_pipelines_and_searched():
    X, y = ROWS
    inner = make_pipeline(StandardScaler(), LogisticRegression())
    clf = SelectiveClassifier(inner, model=BoundedAbstention(.6), random_state=0)
    outer = Pipeline([("keep", "passthrough"), ("rest", make_pipeline(StandardScaler(), clf))])
    names = np.array(["no", "yes"])[y]
    fitted = clone(outer).fit(X, names)
    deep = fitted[-1][-1]
    Z = fitted[-1][:-1].transform(X)
    np.testing.assert_array_equal(fitted.predict(X), deep.predict(Z))
    assert set(fitted.predict(X)) == {"no", "yes", "reject"}
    assert fitted.score(X, names) == deep.score(Z, names)
    np.testing.assert_array_equal(fitted.predict_proba(X), deep.predict_proba(Z))
    key = "rest__selectiveclassifier__"
    grid = {key + "estimator__logisticregression__C": [.01, 1.],
            key + "model": [BoundedAbstention(.9), BoundedAbstention(.5)]}
    search = GridSearchCV(outer, grid, cv=2).fit(X, names)
    scores = search.cv_results_["mean_test_score"]
    best = max(cross_val_score(clone(outer).set_params(**p), X, names, cv=2).mean()
               for p in search.cv_results_["params"])
    assert np.isfinite(scores).all() and np.isclose(search.best_score_, best)
    assert search.predict(X).shape == (1000,) and search.best_params_[key + "model"].target_coverage == .5


def test_one_example_may_be_all_there_is_for_the_threshold():
    X, y = np.arange(10.)[:, None], np.repeat([0, 1], 5)
    clf = SelectiveClassifier(model=BoundedAbstention(.5), calibration_size=.1, random_state=0).fit(X, y)
    assert clf.selection_.n == 1 and clf.selection_.status == "trivial"
    assert clf.set_params(guarantee=None).fit(X, y).selection_.message.startswith("tuned on 1 examples")


def test_random_states():
    X, y = ROWS
    fit = lambda r: SelectiveClassifier(model=BoundedAbstention(.6), random_state=r).fit(X,
        y).selection_.threshold
    assert fit(3) == fit(3) == fit(np.random.RandomState(3)) != fit(4)
    assert fit(np.random.default_rng(3)) == fit(np.random.default_rng(3)) != fit(np.random.default_rng(4))


def test_columns_of_labels():
    X, y = ROWS
    clf = SelectiveClassifier(model=BoundedAbstention(.8), random_state=0).fit(X, y)
    with pytest.warns(DataConversionWarning): assert str(clf.report(X, y[:, None])) == str(clf.report(X, y))
    for call in (clf.report, clf.risk_coverage, clf.score):
        for wrong in (np.column_stack([y, y]), y[:5], y*np.nan):
            with pytest.raises(ValueError, match="y must"): call(X, wrong)


def test_the_default_certifies_what_can_be_certified():
    X, y = noisy_sign(3000, np.random.default_rng(22), .3)
    for model, guarantee in ((BoundedImprovement(.15), "auto"), (BoundedAbstention(.5), "order statistic"),
                             (CostBased(.2), None), (None, None)):
        found = SelectiveClassifier(model=model, random_state=0).fit(X, y).selection_
        assert getattr(found, "guarantee", None) == guarantee
        assert ("not certified" in found.message) == (guarantee is None)


class _Remembers(LogisticRegression):
    "Keeps the weights and the groups that its fit was given."
    def fit(self, X, y, sample_weight=None, note=None):
        self.weights_, self.note_ = sample_weight, note
        return super().fit(X, y, sample_weight)


def test_parameters_of_the_fit_reach_the_classifier():
    X, y = ROWS
    w = np.arange(1., 1001.)
    plain = SelectiveClassifier(_Remembers(), random_state=0).fit(X, y)
    clf = SelectiveClassifier(_Remembers(), random_state=0).fit(X, y, sample_weight=w, note="kept")
    kept = split_parts(y, [0., .3], legacy_random_state(0))[0]
    np.testing.assert_array_equal(clf.classifier_.weights_, w[kept])
    assert clf.classifier_.note_ == "kept" and plain.classifier_.weights_ is None
    assert np.abs(clf.classifier_.coef_ - plain.classifier_.coef_).max() > 1e-3
    series = SelectiveClassifier(_Remembers(), random_state=0).fit(X, y,
                                                                   sample_weight=pd.Series(w, index=w[::-1]))
    np.testing.assert_array_equal(series.classifier_.weights_, w[kept])
    for estimator in (_sign, FrozenEstimator(plain.classifier_)):
        with pytest.raises(ValueError, match="sample_weight must go"):
            SelectiveClassifier(estimator, _second).fit(X, y, sample_weight=w)


def test_metadata_routing():
    X, y = ROWS
    w = np.arange(1., 1001.)
    with sklearn.config_context(enable_metadata_routing=True):
        inner = _Remembers().set_fit_request(sample_weight=True, note=False)
        clf = SelectiveClassifier(inner, model=BoundedAbstention(.9), random_state=0)
        assert len(clf.fit(X, y, sample_weight=w).classifier_.weights_) == 700
        clf.set_score_request(sample_weight=False)
        search = GridSearchCV(clf, {"calibration_size": [.2, .4]}, cv=2).fit(X, y, sample_weight=w)
        assert len(search.best_estimator_.classifier_.weights_) in (800, 600)
        with pytest.raises(TypeError, match="note"): clf.fit(X, y, note=w)
        with pytest.raises(sklearn.exceptions.UnsetMetadataPassedError):
            SelectiveClassifier(_Remembers(), random_state=0).fit(X, y, sample_weight=w)
        weighted = clf.set_score_request(sample_weight=True)
        both = cross_val_score(weighted, X, y, params={"sample_weight": w}, cv=2)
        assert np.isfinite(both).all()


def test_a_promise_for_each_predicted_class_or_group():
    X, y = noisy_sign(4000, np.random.default_rng(23), .3)
    names = np.array(["no", "yes"])[y]
    clf = SelectiveClassifier(uncertainty=_second, model=BoundedImprovement(.15), groups="prediction",
                              random_state=0).fit(X, names)
    assert set(clf.selection_.threshold) == {"no", "yes"} and clf.selection_.n == 1200
    answers, s = clf.classifier_.predict(X), clf.predict_uncertainty(X)
    wanted = s <= np.array([clf.selection_.threshold[a] for a in answers])
    np.testing.assert_array_equal(clf.accept(X), wanted)
    assert set(clf.predict(X)) == {"no", "yes", "reject"} and clf.report(X, names)["certified"] == .15
    side = SelectiveClassifier(_sign, _second, BoundedAbstention(.5), groups=lambda X: X[:, 2] > 0).fit(X, y)
    assert side.selection_.guarantee == "order statistic" and len(side.selection_.selections) == 2
    assert side.selection_.selections[True].delta == .025


def test_calibration_for_another_law():
    X, y = noisy_sign(1500, np.random.default_rng(24), .3)
    clf = SelectiveClassifier(_sign, _second, BoundedImprovement(.1)).fit(X, y)
    w = np.where(X[:, 2] > 0, 1.5, .5)
    plain, kept = clf.selection_.n, clf.calibrate(X, y, w, 1.5).selection_.n
    assert plain == 1500 and abs(kept - 1000) < 80
    with pytest.raises(ValueError, match="weight_bound"): clf.calibrate(X, y, w)

FEW = noisy_sign(60, np.random.default_rng(8), .3)
BAD = [({"guarantee": "pac", "model": BoundedAbstention(.5)}, "guarantee must"),
       ({"score_size": 0}, "score_size must"), ({"score_size": .6, "calibration_size": .5}, "below 1"),
       ({"calibration_size": 1.}, "calibration_size must"),
       ({"uncertainty": lambda X: X}, "uncertainty must"), ({"groups": "class"}, "groups must be"),
       ({"groups": "prediction"}, "groups must be None"),
       ({"groups": "prediction", "model": BoundedAbstention(.5), "guarantee": None}, "groups must be None"),
       ({"groups": lambda X: [1], "model": BoundedAbstention(.5)}, "groups must"),
       ({"uncertainty": _second, "estimator": lambda X: [1]}, "estimator must return"),
       ({"model": CostBased(.1), "guarantee": "ltt"}, "cost-based"),
       ({"uncertainty": lambda X: X[:, 0]*np.nan}, "uncertainty must be without NaN"),
       ({"model": "risk"}, "model must"), ({"model": BoundedImprovement}, "model must"),
       ({"uncertainty": "sele"}, "uncertainty must"), ({"estimator": "lr"}, "estimator must"),
       ({"estimator": LogisticRegression}, "estimator must"), ({"guarantee": "ltt"}, "needs a model"),
       ({"model": BoundedImprovement(.1), "guarantee": "ltt", "delta": 2}, "delta must"),
       ({"delta": 0}, "delta must"), ({"bound": -1}, "bound must"),
       ({"calibration_size": 1e-9}, "calibration_size"), ({"calibration_size": "x"}, "calibration_size must"),
       ({"reject_label": b"x"}, "reject_label"), ({"reject_label": ("r", 1)}, "reject_label"),
       ({"reject_label": 1}, "reject_label"),
       ({"prefit": 1}, "prefit must"), ({"random_state": "x"}, "random_state must"),
       ({"random_state": -1}, "random_state must"), ({"random_state": True}, "random_state must"),
       ({"loss": "square"}, "loss must")]

@pytest.mark.parametrize("wrong, words", BAD)
def test_bad_parameters_are_named(wrong, words):
    with pytest.raises(ValueError, match=words): SelectiveClassifier(**wrong).fit(*FEW)

BAD_DATA = [(FEW[0], np.zeros(60), "y has one class"), (FEW[0]*np.nan, FEW[1], "X"),
            (FEW[0], FEW[1][:5], "y must"), (np.ma.array(FEW[0], mask=FEW[0] > 2), FEW[1], "X must"),
            (3, FEW[1], "X must"), (FEW[0], None, "y")]

@pytest.mark.parametrize("X, y, words", BAD_DATA, ids=range(len(BAD_DATA)))
def test_bad_data_is_named(X, y, words):
    with pytest.raises((ValueError, TypeError), match=words): SelectiveClassifier().fit(X, y)


def _frame():
    rng = np.random.default_rng(12)
    X = pd.DataFrame({"a": rng.normal(size=600), "side": ["u", "v"]*300})
    return X, (X["a"] + .1*rng.normal(size=600) > 0).astype(int).to_numpy()


def _label(X): return (X["a"] > 0).astype(int).to_numpy()


def _near(X): return -np.abs(X["a"].to_numpy())


@pytest.mark.parametrize("column", [lambda X: X["side"], lambda X: X["side"].astype("category"),
                                    lambda X: X["side"].to_numpy(object)])
def test_groups_are_a_column_of_a_frame(column):
    X, y = _frame()
    clf = SelectiveClassifier(_label, _near, BoundedImprovement(.1), groups=column).fit(X, y)
    assert set(clf.selection_.threshold) == {"u", "v"} and clf.accept(X).any()


def test_a_grid_holds_whole_models():
    X, y = _frame()
    models = [BoundedImprovement(.1), BoundedImprovement(.2)]
    grid = GridSearchCV(SelectiveClassifier(random_state=0), {"model": models}, cv=3).fit(X[["a"]], y)
    assert grid.best_params_["model"] in models and np.isfinite(grid.cv_results_["mean_test_score"]).any()


@pytest.mark.parametrize("wrong, words", [
    (dict(bound=0.), "bound must"), (dict(bound=-1), "bound must"), (dict(delta=1.), "delta must"),
    (dict(prefit=1), "prefit must"), (dict(guarantee="x"), "guarantee must"),
    (dict(groups="x"), "groups must"),
    (dict(score_size=0.), "score_size must"), (dict(guarantee="sgr"), "guarantee='sgr' needs a model")])
def test_parameters_are_checked_before_any_data(wrong, words):
    with pytest.raises(ValueError, match=f"^{words}"): SelectiveClassifier(**wrong)._check_parameters()


def test_parameters_that_are_fine():
    for fine in (dict(), dict(bound=1e-9), dict(groups="prediction"), dict(groups=len), dict(guarantee=None)):
        assert SelectiveClassifier(**fine)._check_parameters() is None
