"""Tests of nbs/strategies/07_selective.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.strategies.models import BoundedAbstention
from reject_nb.strategies.models import BoundedImprovement
from reject_nb.strategies.models import CostBased
from reject_nb.strategies.ordinal import OrdinalSVM
from reject_nb.strategies.scores import MarginScore
from reject_nb.strategies.scores import MaxClassProbability
from reject_nb.strategies.scores import RegressionScore
from reject_nb.strategies.scores import SeleScore
from reject_nb.strategies.scores import noisy_sign
from sklearn.base import clone
from sklearn.ensemble import IsolationForest
from sklearn.exceptions import DataConversionWarning
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import check_estimator

from reject_nb.strategies.selective import SelectiveClassifier

def test_selective_classifier_follows_scikit_learn():
    # the parameter `score` hides the method ClassifierMixin.score, which that one check would call
    check_estimator(SelectiveClassifier(), on_skip=None, expected_failed_checks={"check_n_features_in_after_fitting": "score is a parameter here, not a method"})


def test_certified_risk_holds_on_new_data_by_repetition():
    # 150 fits at delta .1: more than 27 violations have probability below .001 for a valid method
    Xt, yt = noisy_sign(40_000, np.random.default_rng(1), .3)
    bad = 0
    for seed in range(150):
        X, y = noisy_sign(600, np.random.default_rng(100 + seed), .3)
        clf = SelectiveClassifier(lambda X: (X[:, 0] > 0).astype(int), lambda X: X[:, 1], BoundedImprovement(.1), "ltt", .1, random_state=seed, calibration_size=.6, score_size=.1).fit(X, y)
        keep = clf.accept(Xt)
        bad += keep.any() and (clf.predict(Xt) != yt)[keep].mean() > .1 + .003     # .003: two standard errors of the test risk
    assert bad <= 27


def test_every_combination_runs_and_says_what_it_does():
    X, y = noisy_sign(900, np.random.default_rng(2), .3); Xt, yt = noisy_sign(500, np.random.default_rng(3), .3)
    for estimator in (LogisticRegression(), LogisticRegression().fit(X, y), LinearSVC(), OrdinalSVM(), lambda X: (X[:, 0] > 0).astype(int)):
        for score in (None, MarginScore(), RegressionScore(), SeleScore(C=.01), lambda X: X[:, 1]):
            if score is None and not hasattr(estimator, "predict_proba") or isinstance(score, MarginScore) and not hasattr(estimator, "fit"): continue
            for model, guarantee in ((BoundedImprovement(.12), "ltt"), (BoundedImprovement(.14), "sgr"), (BoundedAbstention(.5), "ltt"), (BoundedAbstention(.5), None), (CostBased(.2), None), (None, None)):
                clf = SelectiveClassifier(estimator, score, model, guarantee, random_state=0).fit(X, y)
                out, keep, r = clf.predict(Xt), clf.accept(Xt), clf.report(Xt, yt)
                assert ((out == -1) == ~keep).all() and r["coverage"] == keep.mean()
                assert ("not certified" in r["statement"]) == (guarantee is None)
                if keep.any(): np.testing.assert_allclose(r["selective risk"], (out != yt)[keep].mean())
                np.testing.assert_allclose(clf.risk_coverage(Xt, yt).risk.mean(), r["AuRC"])


def test_reject_labels():
    X, y = noisy_sign(400, np.random.default_rng(4), .3)
    words = np.array(["no", "yes"])[y]
    out = SelectiveClassifier(model=BoundedAbstention(.5), random_state=0).fit(X, words).predict(X)
    assert set(out) == {"no", "yes", "reject"}
    assert set(SelectiveClassifier(model=BoundedAbstention(.5), reject_label=9, random_state=0).fit(X, y).predict(X)) == {0, 1, 9}
    assert None in list(SelectiveClassifier(model=BoundedAbstention(.5), reject_label=None, random_state=0).fit(X, y).predict(X))
    assert set(SelectiveClassifier(model=BoundedAbstention(.5), random_state=0).fit(X, 2*y - 1).predict(X)) == {-2, -1, 1}
    with pytest.raises(ValueError, match="reject_label"): SelectiveClassifier(reject_label=1).fit(X, y)


def test_infeasible_targets_reject_everything_and_say_so():
    X, y = noisy_sign(300, np.random.default_rng(5), .3)
    clf = SelectiveClassifier(model=BoundedImprovement(.001), guarantee="ltt", random_state=0).fit(X, y)
    assert not clf.accept(X).any() and clf.selection_.status == "infeasible" and (clf.predict(X) == -1).all()
    report = clf.report(X, y)
    assert np.isnan(report["selective risk"]) and report["status"] == "infeasible" and report["coverage"] == 0 and "0/0" in report["remark"]


def test_one_class_ties_everywhere_and_no_losses():
    X, right = np.random.default_rng(9).normal(size=(400, 2)), np.zeros(400, int)
    for model, guarantee in ((BoundedImprovement(.05), "ltt"), (BoundedImprovement(.05), "sgr"), (BoundedImprovement(.05), None), (BoundedAbstention(.5), "ltt"), (BoundedAbstention(.5), None), (CostBased(.1), None)):
        for score in (lambda X: np.zeros(len(X)), SeleScore(), RegressionScore()):           # a box that knows one class and is always right
            r = SelectiveClassifier(lambda X: np.zeros(len(X), int), score, model, guarantee, random_state=0).fit(X, right).report(X, right)
            assert r["selective risk"] == r["AuRC"] == r["sele"] == 0 and r["coverage"] > 0
        always_wrong = SelectiveClassifier(lambda X: np.ones(len(X), int), lambda X: np.zeros(len(X)), model, guarantee, random_state=0).fit(X, right).report(X, right)
        assert always_wrong["AuRC"] == 1 and (always_wrong["coverage"] == 0) == (not isinstance(model, BoundedAbstention))


def test_recalibration_and_losses():
    X, y = noisy_sign(900, np.random.default_rng(6), .3)
    clf = SelectiveClassifier(score=SeleScore(), model=BoundedAbstention(.9), loss=[[0, 1], [5, 0]], bound=5., random_state=0).fit(X, y)
    before = clf.accept(X).mean()
    clf.set_params(model=BoundedImprovement(.5), guarantee="ltt").calibrate(*noisy_sign(2000, np.random.default_rng(7), .3))
    assert clf.accept(X).mean() != before and clf.selection_.certified == .5
    assert set(np.unique(clf._losses(X, y))) <= {0., 1., 5.}


def test_other_losses_with_the_default_score():
    rng = np.random.default_rng(10)
    X = rng.normal(size=(600, 2))
    y = np.digitize(X[:, 0] + .5*rng.normal(size=600), [-.5, .5])
    L = np.abs(np.subtract.outer(np.arange(3), np.arange(3)))
    scores = [SelectiveClassifier(loss=loss, bound=2., model=BoundedImprovement(.4), guarantee="ltt", random_state=0).fit(X, y).uncertainty(X) for loss in ("absolute", lambda y, p: np.abs(y - p), L)]
    np.testing.assert_array_equal(scores[0], scores[2]); np.testing.assert_array_equal(scores[1], scores[2])
    with pytest.raises(ValueError, match="loss"): SelectiveClassifier(loss="absolute").fit(X, np.array(list("abc"))[y])


def test_a_rare_class_may_be_in_any_part():
    X, y = noisy_sign(200, np.random.default_rng(11), .3)
    y[0] = 2
    L = np.array([[0, 1, 3.], [1, 0, 3], [9, 9, 0]])
    known = set()
    for seed in range(8):
        for score in (None, SeleScore(C=.1)):
            clf = SelectiveClassifier(loss=L, bound=9., score=score, model=BoundedAbstention(.8), random_state=seed).fit(X, y)
            known.add(len(clf.classifier_.classes_))
            assert clf._losses(X, y)[0] == 9 and np.isfinite(clf.uncertainty(X)).all()
    assert known == {2, 3}                                                # both cases were met
    with pytest.raises(ValueError, match="loss must"): SelectiveClassifier(loss=np.eye(4)).fit(X, y)


def test_the_estimator_of_the_score_is_the_classifier():
    X, y = noisy_sign(300, np.random.default_rng(12), .3)
    clf = SelectiveClassifier(score=SeleScore(OrdinalSVM(), C=.1), random_state=0).fit(X, y)
    assert isinstance(clf.classifier_, OrdinalSVM) and clf.score_.estimator_ is clf.classifier_
    m = LogisticRegression().fit(X, y)
    assert SelectiveClassifier(score=MaxClassProbability(m), random_state=0).fit(X, y).classifier_ is m
    same = SelectiveClassifier(OrdinalSVM(), score=SeleScore(OrdinalSVM(), C=.1), random_state=0)
    clone(same).fit(X, y)
    for estimator in (LogisticRegression(), OrdinalSVM(C=2.), m):
        with pytest.raises(ValueError, match="estimator=.*score="): same.set_params(estimator=estimator).fit(X, y)
    with pytest.raises(ValueError, match="score must"): SelectiveClassifier(score=make_pipeline(StandardScaler(), SeleScore())).fit(X, y)
    plain = SelectiveClassifier(score=IsolationForest(n_estimators=5, random_state=0), random_state=0).fit(X, y)      # any fit and predict will do
    assert set(plain.uncertainty(X)) <= {-1., 1.}


def test_columns_of_labels():
    X, y = noisy_sign(300, np.random.default_rng(13), .3)
    clf = SelectiveClassifier(model=BoundedAbstention(.8), random_state=0).fit(X, y)
    with pytest.warns(DataConversionWarning): assert clf.report(X, y[:, None]) == clf.report(X, y)
    for call in (clf.report, clf.risk_coverage):
        with pytest.raises(ValueError, match="y"): call(X, np.column_stack([y, y]))
        with pytest.raises(ValueError, match="X has 300 rows, y 5"): call(X, y[:5])


def test_selective_bad_input():
    X, y = noisy_sign(60, np.random.default_rng(8), .3)
    for kw, args, words in [({"guarantee": "pac", "model": BoundedAbstention(.5)}, (X, y), "guarantee"), ({"score_size": 0}, (X, y), "score_size"), ({"score_size": .6, "calibration_size": .5}, (X, y), "below 1"),
                            ({}, (X, np.zeros(60)), "one class"), ({}, (X*np.nan, y), "NaN"), ({"score": lambda X: X}, (X, y), "score returned"), ({"estimator": lambda X: [1], "score": lambda X: X[:, 0]}, (X, y), "predictions"),
                            ({"model": CostBased(.1), "guarantee": "ltt"}, (X, y), "cost-based"), ({"score": lambda X: X[:, 0]*np.nan}, (X, y), "NaN"),
                            ({"model": "risk"}, (X, y), "model must"), ({"model": BoundedImprovement}, (X, y), "model must"), ({"score": "sele"}, (X, y), "score must"), ({"estimator": "lr"}, (X, y), "estimator must"),
                            ({"guarantee": "ltt"}, (X, y), "needs a model"), ({"model": BoundedImprovement(.1), "guarantee": "ltt", "delta": 2}, (X, y), "delta"),
                            ({"delta": 0}, (X, y), "delta"), ({"delta": 2}, (X, y), "delta"), ({"bound": -1}, (X, y), "bound"), ({"calibration_size": 1e-9}, (X, y), "calibration_size"), ({"calibration_size": "x"}, (X, y), "calibration_size"),
                            ({"reject_label": b"x"}, (X, y), "reject_label"), ({"reject_label": ("r", 1)}, (X, y), "reject_label"), ({"reject_label": ("r", 1)}, (X, np.array(["a", "b"])[y]), "reject_label")]:
        with pytest.raises(ValueError, match=words): SelectiveClassifier(**kw).fit(*args)
