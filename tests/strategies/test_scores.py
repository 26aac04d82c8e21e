"""Tests of nbs/strategies/04_scores.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from itertools import permutations
from reject_nb.strategies.curves import aurc
from reject_nb.strategies.ordinal import OrdinalSVM
from sklearn.exceptions import ConvergenceWarning
from sklearn.exceptions import DataConversionWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import check_estimator

from reject_nb.strategies.scores import (
    Blocks, MarginScore, MaxClassProbability, RegressionScore, SeleScore, TrueClassProbabilityScore,
    fit_ridge, fit_sele, loss_matrix, noisy_sign, plug_in, pointwise_loss, sele_objective,
)

def test_ridge_is_the_minimiser():
    rng = np.random.default_rng(1)
    Z, h, t = rng.normal(size=(90, 3)), rng.integers(0, 3, 90), rng.random(90)
    b = Blocks(Z, h, 4)                                          # block 3 is empty
    P = np.zeros((90, 16))
    for i in range(90): P[i, 4*h[i]:4*h[i] + 4] = np.append(Z[i], 1)
    for C in (0., .1, 10.):
        theta = fit_ridge(b, t, C)
        slow = np.linalg.lstsq(np.vstack([P*np.sqrt(2/90), np.sqrt(C)*np.eye(16)]), np.append(t*np.sqrt(2/90), np.zeros(16)), rcond=None)[0]
        np.testing.assert_allclose(theta.ravel(), slow, atol=1e-10)
    assert (theta[3] == 0).all()
    Z, t = rng.normal(size=(15, 40)), rng.random(15)              # more features than rows
    for C in (0., .3):
        slow = np.linalg.lstsq(np.vstack([np.column_stack([Z, np.ones(15)])*np.sqrt(2/15), np.sqrt(C)*np.eye(41)]), np.append(t*np.sqrt(2/15), np.zeros(41)), rcond=None)[0]
        np.testing.assert_allclose(fit_ridge(Blocks(Z, np.zeros(15, int), 1), t, C)[0], slow, atol=1e-10)


def test_sele_fit_reaches_its_certificate():
    rng = np.random.default_rng(2)
    Z, h, l = rng.normal(size=(200, 3)), rng.integers(0, 2, 200), rng.random(200)*(rng.random(200) < .3)
    b = Blocks(Z, h, 2)
    for C in (1e-3, 1., 100.):
        theta, gap, _, status = fit_sele(b, l, C, tol=1e-8)
        rough = fit_sele(b, l, C, tol=1e-2)[0]
        best, worse = sele_objective(b, l[b.order], theta, C)[0], sele_objective(b, l[b.order], rough, C)[0]
        assert status == "optimal" and gap <= 1e-8 and best <= worse <= best*1.0101
    assert fit_sele(b, np.zeros(200), 0.)[3] == "optimal"        # all losses zero: any score does


def test_scores_follow_scikit_learn():
    for score in (MaxClassProbability(), MarginScore(), RegressionScore(), SeleScore(), TrueClassProbabilityScore()): check_estimator(score, on_skip=None)


def test_plug_in_scores_are_their_formulas():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(200, 3)), rng.choice(["a", "b", "c"], 200)
    m = LogisticRegression().fit(X, y)
    P, f = m.predict_proba(X), m.decision_function(X)
    np.testing.assert_allclose(MaxClassProbability(m).fit(X, y).predict(X), 1 - P.max(1), atol=1e-14)
    np.testing.assert_allclose(MarginScore(m).fit(X, y).predict(X), -f.max(1), atol=1e-14)
    np.testing.assert_allclose(MarginScore(m, kind="difference").fit(X, y).predict(X), np.sort(f, 1)[:, 1] - np.sort(f, 1)[:, 2], atol=1e-14)
    L = rng.random((3, 3))
    np.testing.assert_allclose(MaxClassProbability(m, loss=L).fit(X, y).predict(X), (P @ L)[np.arange(200), f.argmax(1)], atol=1e-14)
    o = OrdinalSVM().fit(X, y)
    np.testing.assert_array_equal(MarginScore(o).fit(X, y).predict(X), -o.margin(X))
    s = LinearSVC().fit(X, y == "a")
    np.testing.assert_array_equal(MarginScore(s).fit(X, y == "a").predict(X), -np.abs(s.decision_function(X)))


def test_plug_in_follows_the_loss_matrix():
    X, y = noisy_sign(400, np.random.default_rng(8))
    m = LogisticRegression().fit(X, np.array(["ill", "well"])[y])
    P, L = m.predict_proba(X), np.array([[0, 10.], [1, 0]])            # calling the ill well costs 10
    labels, risk = plug_in(m, X, L)
    np.testing.assert_array_equal(labels, np.where(P[:, 1] < 10*P[:, 0], "ill", "well"))
    np.testing.assert_allclose(risk, np.minimum(P[:, 1], 10*P[:, 0]), rtol=1e-12)
    np.testing.assert_array_equal(plug_in(m, X)[0], m.predict(X))
    assert set(plug_in(m, X, np.column_stack([L, [.3, .3]]))[0]) <= {0, 1, 2}
    with pytest.raises(ValueError, match="predict_proba"): plug_in(LinearSVC(), X)


def test_regression_score_equals_a_regression_per_predicted_class():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(300, 2)), rng.integers(0, 3, 300)
    m = LogisticRegression().fit(X, y)
    h, s = m.predict(X), RegressionScore(m).fit(X, y).predict(X)
    for k in np.unique(h):
        A = np.column_stack([X, np.ones(300)])[h == k]
        np.testing.assert_allclose(s[h == k], A @ np.linalg.lstsq(A, (y != h)[h == k].astype(float), rcond=None)[0], atol=1e-9)


def test_black_boxes_arrays_and_functions_agree():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(300, 2)), rng.integers(0, 2, 300)
    h = (X[:, 0] > 0).astype(int)
    for kind in (RegressionScore, SeleScore):
        a = kind(lambda X: (X[:, 0] > 0).astype(int), C=.1).fit(X, y).predict(X)
        b = kind(C=.1).fit_arrays(X, y != h, h).predict_arrays(X, h)
        np.testing.assert_array_equal(a, b)
    one = SeleScore(C=.1).fit_arrays(X, np.abs(X[:, 1]))         # a structured output: losses only
    assert one.coef_.shape == (1, 2) and np.isfinite(one.predict_arrays(X)).all()
    new = RegressionScore().fit_arrays(X, y != h, h).predict_arrays(X[:2], [0, 7])
    assert np.isfinite(new[0]) and new[1] == np.inf               # label 7 never occurred


def test_learned_scores_beat_plug_in_where_the_noise_is_elsewhere():
    rng = np.random.default_rng(6)
    X, y = noisy_sign(6000, rng)
    m = LogisticRegression().fit(X[:2000], y[:2000])
    lost = pointwise_loss(y[4000:], m.predict(X[4000:]))
    area = {type(s).__name__: aurc(lost, s.fit(X[2000:4000], y[2000:4000]).predict(X[4000:])) for s in (MaxClassProbability(m), SeleScore(m), RegressionScore(m), TrueClassProbabilityScore(m))}
    assert all(area[k] < .75*area["MaxClassProbability"] for k in area if k != "MaxClassProbability")


def test_losses_follow_the_order_of_the_classes():
    L, names = np.array([[0, 1, 7], [5, 0, 2], [3, 4, 0.]]), "abc"
    y, p = list("abcabcabcaac"), list("aaabbbcccbcc")
    for order in permutations(names):
        np.testing.assert_array_equal(pointwise_loss(y, p, L, order), [L[order.index(u), order.index(v)] for u, v in zip(y, p)])
    np.testing.assert_array_equal(pointwise_loss(y, p, L), pointwise_loss(y, p, L, list(names)))
    assert loss_matrix(None, [1, 2]) is None
    np.testing.assert_array_equal(loss_matrix("absolute", [1, 2, 4]), [[0, 1, 3], [1, 0, 2], [3, 2, 0]])
    np.testing.assert_array_equal(loss_matrix(lambda y, p: np.maximum(p - y, 0), [1, 2, 4]), [[0, 1, 3], [0, 0, 2], [0, 0, 0]])


def test_maximum_class_probability_under_other_losses():
    rng = np.random.default_rng(10)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 3, 200)
    m = LogisticRegression().fit(X, y)
    expected = MaxClassProbability(m, loss=[[0, 1, 2], [1, 0, 1], [2, 1, 0]]).fit(X, y).predict(X)
    for loss in ("absolute", lambda y, p: np.abs(y - p)): np.testing.assert_array_equal(MaxClassProbability(m, loss=loss).fit(X, y).predict(X), expected)


def test_columns_of_labels_and_warnings():
    X, y = noisy_sign(300, np.random.default_rng(11))
    with pytest.warns(DataConversionWarning): a = SeleScore(C=.1).fit(X, y[:, None])
    np.testing.assert_array_equal(a.predict(X), SeleScore(C=.1).fit(X, y).predict(X))
    with pytest.warns(ConvergenceWarning, match="max_iter"): assert SeleScore(C=1e-6, max_iter=1).fit(X, y).status_ == "not converged"


def test_scores_bad_input():
    X, y = np.random.default_rng(7).normal(size=(20, 2)), np.arange(20) % 2
    m = LogisticRegression().fit(X, y)
    for call, words in [(lambda: RegressionScore(m, C=-1).fit(X, y), "C must"), (lambda: MarginScore(m, kind="x").fit(X, y), "kind"), (lambda: RegressionScore(m).fit(X, y[:3]), "rows"),
                        (lambda: MaxClassProbability(LinearSVC().fit(X, y)).fit(X, y), "predict_proba"), (lambda: TrueClassProbabilityScore(LinearSVC().fit(X, y)).fit(X, y), "predict_proba"),
                        (lambda: RegressionScore(m, loss="square").fit(X, y), "absolute"), (lambda: RegressionScore(m, loss=np.eye(3)).fit(X, y), "matrix"),
                        (lambda: SeleScore().fit_arrays(X, -np.ones(20)), "at least 0"), (lambda: SeleScore().fit_arrays(X, np.full(20, np.nan)), "NaN"),
                        (lambda: SeleScore(m, tol=-1).fit(X, y), "tol must"), (lambda: SeleScore(m, max_iter=0).fit(X, y), "max_iter"), (lambda: SeleScore(m, n_rounds=-1).fit(X, y), "n_rounds"),
                        (lambda: SeleScore(m, standardise="x").fit(X, y), "standardise"), (lambda: SeleScore(m, learning_rate=np.nan).fit(X, y), "learning_rate"), (lambda: MaxClassProbability(m, loss=np.eye(3)).fit(X, y), "loss must"),
                        (lambda: MaxClassProbability(LogisticRegression(), loss="absolute").fit(X, np.array(["a", "b"])[y]), "numbers"),
                        (lambda: SeleScore(m).fit(X*np.nan, y), "NaN"), (lambda: SeleScore().fit_arrays(X, np.ones(20), [1]), "predictions has 1"),
                        (lambda: SeleScore().fit_arrays(X, np.ones(20)).predict(X), "arrays"), (lambda: SeleScore().fit_arrays(X, np.ones(20)).predict_arrays(X, y), "if and only if")]:
        with pytest.raises(ValueError, match=words): call()
    for call, words in [(lambda: pointwise_loss([0., np.nan], [0, 1]), "y has NaN"), (lambda: pointwise_loss([0, 1], [0., np.nan]), "predictions has NaN"),
                        (lambda: pointwise_loss(["1", "2"], [1, 2]), "y holds text"), (lambda: pointwise_loss([1, 2], ["1", "2"]), "predictions holds text"), (lambda: pointwise_loss(["1"], ["2"], "absolute"), "numbers"),
                        (lambda: pointwise_loss([[0], [1]], [0, 1]), "y has shape"), (lambda: pointwise_loss([0, 1], [0, 1], np.eye(2), [1, 1]), "twice")]:
        with pytest.raises(ValueError, match=words): call()
    perfect = SeleScore(m, C=1.).fit(X, m.predict(X))             # all losses zero
    assert perfect.status_ == "optimal" and np.isfinite(perfect.predict(X)).all()
