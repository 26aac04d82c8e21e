"""Tests of nbs/strategies/06_scores.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.strategies import aurc
from reject_nb.strategies.losses import pointwise_loss
from reject_nb.strategies.ordinal import OrdinalSVM
from reject_nb.strategies.surrogate import sele_surrogate
from reject_nb.strategies.surrogate import sele_surrogate_hvp
from sklearn.base import BaseEstimator
from sklearn.base import ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.exceptions import DataConversionWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.estimator_checks import check_estimator

from reject_nb.strategies.scores import (
    MarginScore, MaxClassProbability, RegressionScore, SeleScore, TrueClassProbabilityScore,
    _newton_targets, check_kind, noisy_sign,
)

CLOUD = np.random.default_rng(3).normal(size=(200, 3))
LETTERS = np.random.default_rng(4).choice(["a", "b", "c"], 200)

def test_plug_in_scores_are_their_formulas():
    m = LogisticRegression().fit(CLOUD, LETTERS)
    P, f = m.predict_proba(CLOUD), m.decision_function(CLOUD)
    np.testing.assert_allclose(MaxClassProbability(m).fit(CLOUD, LETTERS).predict(CLOUD), 1 - P.max(1),
                               atol=1e-14)
    np.testing.assert_allclose(MarginScore(m).fit(CLOUD, LETTERS).predict(CLOUD), -f.max(1), atol=1e-14)
    top = np.sort(f, 1)
    np.testing.assert_allclose(MarginScore(m, kind="difference").fit(CLOUD, LETTERS).predict(CLOUD),
                               top[:, 1] - top[:, 2], atol=1e-14)
    L = np.random.default_rng(5).random((3, 3))
    np.testing.assert_allclose(MaxClassProbability(m, loss=L).fit(CLOUD, LETTERS).predict(CLOUD),
                               (P @ L)[np.arange(200), f.argmax(1)], atol=1e-14)


def test_margins_of_other_classifiers():
    ordinal, two = OrdinalSVM().fit(CLOUD, LETTERS), LinearSVC().fit(CLOUD, LETTERS == "a")
    np.testing.assert_array_equal(MarginScore(ordinal).fit(CLOUD, LETTERS).predict(CLOUD),
                                  -ordinal.margin(CLOUD))
    np.testing.assert_array_equal(MarginScore(two).fit(CLOUD, LETTERS == "a").predict(CLOUD),
                                  -np.abs(two.decision_function(CLOUD)))


@pytest.mark.parametrize("loss", ["absolute", lambda y, p: np.abs(y - p)])
def test_maximum_class_probability_under_other_losses(loss):
    y = np.random.default_rng(10).integers(0, 3, 200)
    m = LogisticRegression().fit(CLOUD, y)
    expected = MaxClassProbability(m, loss=[[0, 1, 2], [1, 0, 1], [2, 1, 0]]).fit(CLOUD, y).predict(CLOUD)
    np.testing.assert_array_equal(MaxClassProbability(m, loss=loss).fit(CLOUD, y).predict(CLOUD), expected)


def test_plug_in_scores_pass_inputs_on():
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.pipeline import make_pipeline
    texts, y = ["good day", "bad day", "good night", "bad night"], [1, 0, 1, 0]
    m = make_pipeline(CountVectorizer(), LogisticRegression()).fit(texts, y)
    s = MaxClassProbability(m).fit(texts, y).predict(["good", "day", "bad"])
    assert s[1] == pytest.approx(.5, abs=.01) and s[0] < .4 and s[2] < .4
    np.testing.assert_allclose(MarginScore(m).fit(texts, y).predict(texts),
                               -np.abs(m.decision_function(texts)))


@pytest.mark.parametrize("kind", [MaxClassProbability, MarginScore, RegressionScore, SeleScore,
                                  TrueClassProbabilityScore])
def test_scores_follow_scikit_learn(kind):
    check_estimator(kind(), on_skip=None)


def test_regression_score_equals_a_regression_per_predicted_class():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(300, 2)), rng.integers(0, 3, 300)
    m = LogisticRegression().fit(X, y)
    h, s = m.predict(X), RegressionScore(m).fit(X, y).predict(X)
    for k in np.unique(h):
        A = np.column_stack([X, np.ones(300)])[h == k]
        slow = A @ np.linalg.lstsq(A, (y != h)[h == k].astype(float), rcond=None)[0]
        np.testing.assert_allclose(s[h == k], slow, atol=1e-9)


def test_true_class_probability_equals_a_regression_of_it():
    X, y = noisy_sign(300, np.random.default_rng(14))
    m = LogisticRegression().fit(X, y)
    # a class that the classifier does not know
    strange = np.where(np.arange(300) < 5, 7, y)
    s, A = TrueClassProbabilityScore(m).fit(X, strange).predict(X), np.column_stack([X, np.ones(300)])
    p = np.where(strange == 7, 0., m.predict_proba(X)[np.arange(300), y])
    for k in (0, 1):
        at = m.predict(X) == k
        np.testing.assert_allclose(s[at], -A[at] @ np.linalg.lstsq(A[at], p[at], rcond=None)[0], atol=1e-9)


@pytest.mark.parametrize("kind", [RegressionScore, SeleScore])
def test_black_boxes_arrays_and_functions_agree(kind):
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(300, 2)), rng.integers(0, 2, 300)
    h = (X[:, 0] > 0).astype(int)
    by_function = kind(lambda X: (np.asarray(X)[:, 0] > 0).astype(int), penalty=.1).fit(X, y).predict(X)
    by_arrays = kind(penalty=.1).fit_arrays(X, y != h, h).predict_arrays(X, h)
    np.testing.assert_array_equal(by_function, by_arrays)


def test_one_block_and_labels_that_never_occurred():
    rng = np.random.default_rng(5)
    X, h = rng.normal(size=(300, 2)), rng.integers(0, 2, 300)
    one = SeleScore(penalty=.1).fit_arrays(X, np.abs(X[:, 1]))         # a structured output: losses only
    assert one.coef_.shape == (1, 2) and np.isfinite(one.predict_arrays(X)).all()
    new = RegressionScore().fit_arrays(X, h, h).predict_arrays(X[:3], [0, 7, -1])
    assert np.isfinite(new[0]) and new[1] == new[2] == np.inf          # labels 7 and -1 never occurred


def test_standardised_features_make_units_irrelevant():
    rng = np.random.default_rng(15)
    X, l = rng.normal(size=(100, 2)), rng.random(100)
    moved = X*[1e3, 1e-3] + [5, -7]
    a, b = RegressionScore(penalty=.1).fit_arrays(X, l), RegressionScore(penalty=.1).fit_arrays(moved, l)
    np.testing.assert_allclose(a.predict_arrays(X), b.predict_arrays(moved), atol=1e-9)
    raw = RegressionScore(penalty=.1, standardise=False).fit_arrays(X, l)
    np.testing.assert_array_equal(raw.mean_, [0, 0])
    assert np.abs(raw.predict_arrays(X) - a.predict_arrays(X)).max() > 1e-4


def test_boosting_takes_newton_steps():
    rng = np.random.default_rng(16)
    l, s = rng.random(30), rng.normal(size=30)
    step, weights = _newton_targets(l, s)
    H = np.array([sele_surrogate_hvp(l, s, e) @ e for e in np.eye(30)])*900
    np.testing.assert_allclose(weights, H, rtol=1e-9)
    np.testing.assert_allclose(step*H, -900*sele_surrogate(l, s, return_gradient=True)[1], rtol=1e-9,
                               atol=1e-9)


def test_learned_scores_beat_plug_in_where_the_noise_is_elsewhere():
    X, y = noisy_sign(6000, np.random.default_rng(6))
    m = LogisticRegression().fit(X[:2000], y[:2000])
    lost = pointwise_loss(y[4000:], m.predict(X[4000:]))
    kinds = MaxClassProbability, SeleScore, RegressionScore, TrueClassProbabilityScore
    area = {k: aurc(lost, k(m).fit(X[2000:4000], y[2000:4000]).predict(X[4000:])) for k in kinds}
    assert all(area[k] < .75*area[MaxClassProbability] for k in kinds[1:])


def test_boosted_scores_learn_what_lines_cannot():
    rng = np.random.default_rng(17)
    X = rng.normal(size=(1500, 2))
    l = (rng.random(1500) < np.exp(-3*(np.hypot(*X.T) - 1)**2)).astype(float)
    areas = [aurc(l[700:], s.fit_arrays(X[:700], l[:700]).predict_arrays(X[700:])) for s in
             (SeleScore(), SeleScore(regressor=DecisionTreeRegressor(max_depth=4, random_state=0),
                                     n_rounds=40))]
    assert areas[1] < .8*areas[0]
    none = SeleScore(regressor=DecisionTreeRegressor()).fit_arrays(X, 0*l)
    assert none.regressors_ == [] and (none.predict_arrays(X) == 0).all()


def test_text_is_no_label_among_numbers():
    for y, classes in ((["0", "1"], [0, 1]), ([0., 1.], np.array(["0", "1"], object))):
        with pytest.raises(ValueError, match="^y must be labels of the kind of"): check_kind(y, classes)
    mixed = np.array([0, "a"], object)
    for y, classes in (([0, 1], [0., 1.]), (["a"], ["b"]), ([0], mixed)): check_kind(y, classes)


def test_columns_of_labels_and_warnings():
    X, y = noisy_sign(300, np.random.default_rng(11))
    with pytest.warns(DataConversionWarning): a = SeleScore(penalty=.1).fit(X, y[:, None])
    np.testing.assert_array_equal(a.predict(X), SeleScore(penalty=.1).fit(X, y).predict(X))
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        assert SeleScore(penalty=1e-6, max_iter=1).fit(X, y).status_ == "not_converged"
    perfect = SeleScore(LogisticRegression().fit(X, y), penalty=1.)
    perfect.fit(X, perfect.estimator.predict(X))                       # all losses zero
    assert perfect.status_ == "optimal" and np.isfinite(perfect.predict(X)).all()

FEW = np.random.default_rng(7).normal(size=(20, 2))
HALVES = np.arange(20) % 2
FITTED = LogisticRegression().fit(FEW, HALVES)
BAD = [(lambda: RegressionScore(FITTED, penalty=-1), "penalty must"),
       (lambda: RegressionScore(FITTED, penalty=True), "penalty must"),
       (lambda: MarginScore(FITTED, kind="x"), "kind must"),
       (lambda: MaxClassProbability(LinearSVC().fit(FEW, HALVES)), "predict_proba"),
       (lambda: TrueClassProbabilityScore(LinearSVC().fit(FEW, HALVES)), "predict_proba"),
       (lambda: RegressionScore(FITTED, loss="square"), "loss must"),
       (lambda: RegressionScore(FITTED, loss=np.eye(3)), "loss must"),
       (lambda: SeleScore(FITTED, tol=-1), "tol must"),
       (lambda: SeleScore(FITTED, max_iter=0), "max_iter must"),
       (lambda: SeleScore(FITTED, n_rounds=-1), "n_rounds must"),
       (lambda: SeleScore(FITTED, standardise="x"), "standardise must"),
       (lambda: SeleScore(FITTED, learning_rate=np.nan), "learning_rate must"),
       (lambda: SeleScore(FITTED, regressor="tree"), "regressor must"),
       (lambda: SeleScore(FITTED, regressor=DecisionTreeRegressor), "regressor must"),
       (lambda: MaxClassProbability(FITTED, loss=np.eye(3)), "loss must"),
       (lambda: MarginScore("svm"), "estimator must"), (lambda: MarginScore(LinearSVC), "estimator must"),
       (lambda: SeleScore(lambda X: [1]), "estimator must return")]

@pytest.mark.parametrize("make, words", BAD)
def test_bad_parameters_of_scores_are_named(make, words):
    with pytest.raises(ValueError, match=words): make().fit(FEW, HALVES)

BAD_CALLS = [(lambda: RegressionScore(FITTED).fit(FEW, HALVES[:3]), "y must"),
             (lambda: SeleScore(FITTED).fit(FEW*np.nan, HALVES), "X"),
             (lambda: RegressionScore(FITTED).fit(FEW, HALVES*np.nan), "y must"),
             (lambda: RegressionScore(FITTED).fit(FEW, np.where(HALVES, np.inf, 0.)), "y must"),
             (lambda: RegressionScore(FITTED).fit(FEW, None), "y"),
             (lambda: SeleScore().fit_arrays(FEW, -np.ones(20)), "targets must be at least 0"),
             (lambda: SeleScore().fit_arrays(FEW, np.full(20, np.nan)), "targets must be without NaN"),
             (lambda: MaxClassProbability(LogisticRegression(), loss="absolute").fit(FEW,
                 np.array(["a", "b"])[HALVES]), "numbers"),
             (lambda: SeleScore().fit_arrays(FEW, np.ones(20), [1]), "predictions must"),
             (lambda: SeleScore().fit_arrays(FEW, np.ones(20)).predict(FEW), "arrays"),
             (lambda: SeleScore().fit_arrays(FEW, np.ones(20)).predict_arrays(FEW, HALVES), "if and only if"),
             (lambda: MarginScore(FITTED).fit(np.ma.array(FEW, mask=FEW > 1), HALVES), "X must"),
             (lambda: MarginScore(FITTED).fit(FEW, HALVES).predict(FEW[:, :1]), "X"),
             (lambda: MarginScore(FITTED).fit(3, HALVES), "X")]

@pytest.mark.parametrize("call, words", BAD_CALLS)
def test_bad_arguments_of_scores_are_named(call, words):
    with pytest.raises((ValueError, TypeError), match=words): call()


def test_a_fitted_classifier_says_at_once_what_it_has_against_the_inputs():
    "Its probabilities are never asked for while fitting, its labels are."
    class Picky(ClassifierMixin, BaseEstimator):
        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self
        def __sklearn_is_fitted__(self): return hasattr(self, "classes_")
        def predict_proba(self, X): return np.full((len(X), 2), .5)
        def predict(self, X):
            if np.max(X) > 1: raise ValueError("inputs must be at most 1")
            return np.zeros(len(X), int)
    X, y = np.linspace(0, 1, 6)[:, None], np.arange(6) % 2
    MaxClassProbability(Picky().fit(X, y)).fit(X, y)
    with pytest.raises(ValueError, match="at most 1"): MaxClassProbability(Picky().fit(X, y)).fit(2*X, y)
