"""Tests of nbs/strategies/21_confidence.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.strategies import BoundedImprovement
from reject_nb.strategies import MaxClassProbability
from reject_nb.strategies import SelectiveClassifier
from reject_nb.strategies import aurc
from scipy.optimize import minimize_scalar
from sklearn.base import is_classifier
from sklearn.datasets import load_digits
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.estimator_checks import check_estimator

from reject_nb.strategies.confidence import ConfidenceScore, TemperatureScaling, fit_temperature, softmax

DIGITS = load_digits()
EARLY = DIGITS.data[:600]/16
MIDDLE = DIGITS.data[600:1197]/16
LATE = DIGITS.data[1197:]/16
Y_EARLY = DIGITS.target[:600]
Y_MIDDLE = DIGITS.target[600:1197]
Y_LATE = DIGITS.target[1197:]
TREE = DecisionTreeRegressor(max_depth=3, min_samples_leaf=20, random_state=0)
BAYES = GaussianNB(var_smoothing=1e-3).fit(EARLY, Y_EARLY)

def _logits(seed, n=400, K=4):
    rng = np.random.default_rng(seed)
    z = 3*rng.normal(size=(n, K))
    return z, np.array([rng.choice(K, p=p) for p in softmax(z/2)])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("scale", [.01, 1., 30.])
def test_temperature_is_the_minimum(seed, scale):
    z, y = _logits(seed)
    found = fit_temperature(scale*z, y)
    nll = lambda log_t: -np.log(np.maximum(softmax(scale*z/np.exp(log_t))[np.arange(len(z)), y],
                                           1e-300)).mean()
    best = minimize_scalar(nll, bounds=(-6.9, 6.9), method="bounded", options={"xatol": 1e-10})
    assert nll(np.log(found)) <= best.fun + 1e-9 and abs(found/(2*scale) - 1) < .25


def test_ends_of_the_temperature():
    z = np.array([[5., 0], [0, 5]])
    # all right: no finite temperature is best, all wrong: the largest one
    assert fit_temperature(z, [0, 1]) < .3 and fit_temperature(z, [1, 0]) >= 999
    assert fit_temperature(z + 1e6, [0, 1]) < .3 and np.isfinite(fit_temperature(1e5*z, [0, 0]))


def test_scaling_keeps_answers_and_calibrates():
    scaled = TemperatureScaling(BAYES).fit(MIDDLE, Y_MIDDLE)
    np.testing.assert_array_equal(scaled.predict(LATE), BAYES.predict(LATE))
    np.testing.assert_array_equal(scaled.predict_proba(LATE).argmax(1), BAYES.predict_proba(LATE).argmax(1))
    np.testing.assert_allclose(scaled.predict_proba(LATE).sum(1), 1)
    def loss(m): return -np.log(m.predict_proba(LATE)[np.arange(600), Y_LATE] + 1e-300).mean()
    assert scaled.temperature_ > 2 and loss(scaled) < .7*loss(BAYES)
    assert scaled.estimator_ is BAYES and is_classifier(scaled)
    whole = TemperatureScaling(GaussianNB(), random_state=0).fit(np.concatenate([EARLY, MIDDLE]),
                                                                 np.append(Y_EARLY, Y_MIDDLE))
    assert whole.estimator_ is not BAYES and len(whole.classes_) == 10
    words = TemperatureScaling(FrozenEstimator(GaussianNB().fit(EARLY,
                                                                np.array(list("abcdefghij"))[Y_EARLY])))
    assert set(words.fit(MIDDLE, np.array(list("abcdefghij"))[Y_MIDDLE]).predict(LATE)) <= set("abcdefghij")


def test_scaling_follows_scikit_learn(): check_estimator(TemperatureScaling(), on_skip=None)


def test_confidence_learns_where_errors_are():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(1500, 2))
    y = ((X[:, 0] > 0) ^ ((X[:, 1] > .7) & (rng.random(1500) < .5))).astype(int)
    base = LogisticRegression().fit(X[:300], y[:300])
    found = ConfidenceScore(base, TREE).fit(X[300:900], y[300:900])
    wrong = (base.predict(X[900:]) != y[900:]).astype(float)
    s = found.predict(X[900:])
    assert aurc(wrong, s) < .6*aurc(wrong, MaxClassProbability(base).fit(X, y).predict(X[900:]))
    assert s[X[900:, 1] > .9].mean() > .3 > .1 > s[X[900:, 1] < .5].mean()
    blind = ConfidenceScore(base, TREE, use_inputs=False).fit(X[300:900], y[300:900])
    assert aurc(wrong, blind.predict(X[900:])) > 1.2*aurc(wrong, s)
    costs = ConfidenceScore(base, TREE, [[0, 1], [7, 0]]).fit(X[300:900], y[300:900]).predict(X[900:])
    assert costs.max() > 1.5 > s.max()
    boxed = ConfidenceScore(lambda X: (X[:, 0] > 0).astype(int)).fit(X[:600], y[:600])      # no probabilities
    assert aurc(wrong, boxed.predict(X[900:])) < .2


def test_confidence_in_a_selective_classifier():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(3000, 2))
    y = np.array(["no", "yes"])[((X[:, 0] > 0) ^ ((X[:, 1] > .5) & (rng.random(3000) < .4))).astype(int)]
    clf = SelectiveClassifier(uncertainty=ConfidenceScore(learner=TREE), model=BoundedImprovement(.06),
                              random_state=0).fit(X, y)
    assert clf.selection_.status == "certified" and clf.selection_.coverage > .4 and clf.selection_.n == 900
    assert clf.accept(X)[X[:, 1] > 1].mean() < .4 < .7 < clf.accept(X)[X[:, 1] < 0].mean()


@pytest.mark.parametrize("call, name", [
    (lambda: fit_temperature([[1., 2]], [2]), "y"), (lambda: fit_temperature([[1., 2]], [.5]), "y"),
    (lambda: fit_temperature([1.], [0]), "logits"), (lambda: fit_temperature([[1., np.nan]], [0]), "logits"),
    (lambda: TemperatureScaling(holdout=0).fit(MIDDLE, Y_MIDDLE), "holdout"),
    (lambda: TemperatureScaling(len).fit(MIDDLE, Y_MIDDLE), "estimator"),
    (lambda: TemperatureScaling(BAYES).fit(MIDDLE, Y_MIDDLE + 100), "y"),
    (lambda: ConfidenceScore(learner="x").fit(MIDDLE, Y_MIDDLE), "learner"),
    (lambda: ConfidenceScore(use_inputs=1).fit(MIDDLE, Y_MIDDLE), "use_inputs")])
def test_arguments_are_named(call, name):
    with pytest.raises(ValueError, match=f"^{name} must"): call()
