"""Tests of nbs/strategies/02_losses.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from itertools import permutations
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from reject_nb.strategies.losses import (
    bayes_predict, conditional_risk, is_fitted, loss_matrix, numeric_features, plug_in, pointwise_loss,
    predict_labels,
)

ABSOLUTE = np.abs(np.subtract.outer(range(4), range(4)))

def test_plug_in_rules():
    P = np.random.default_rng(3).dirichlet(np.ones(4), 20)
    np.testing.assert_array_equal(bayes_predict(P), P.argmax(1))
    np.testing.assert_allclose(conditional_risk(P), 1 - P.max(1), atol=1e-15)
    median = (P.cumsum(1) < .5).sum(1)                          # the Bayes decision under absolute loss
    np.testing.assert_array_equal(bayes_predict(P, ABSOLUTE), median)
    np.testing.assert_allclose(conditional_risk(P, ABSOLUTE, median), conditional_risk(P, ABSOLUTE),
                               atol=1e-15)


def test_rows_close_to_one_are_normalised():
    np.testing.assert_allclose(conditional_risk([[.5, .5008]]), .5/1.0008, rtol=1e-12)

BAD_RULES = [
    (lambda: bayes_predict([[.5, .6]]), "posterior must have rows that sum to 1"),
    (lambda: bayes_predict([[np.nan, 1]]), "posterior.*NaN"),
    (lambda: bayes_predict([[.5, .502]]), "sum to 1"), (lambda: bayes_predict([[1.5, -.5]]),
                                                        "posterior must be at least 0"),
    (lambda: bayes_predict([[.5, .5]], np.eye(3)), "loss must"),
    (lambda: bayes_predict([[.5, .5]], -np.eye(2)), "loss must"),
    (lambda: conditional_risk([[.5, .5]], prediction=[2]), "column indices"),
    (lambda: conditional_risk([[.5, .5]], prediction=[-1]), "column indices"),
    (lambda: conditional_risk([[.5, .5]], prediction=[.5]), "column indices"),
    (lambda: conditional_risk([[.5 + 0j, .5]]), "posterior must"),
    (lambda: bayes_predict(np.ma.array([[.5, .5]], mask=[[0, 1]])), "posterior must be without masked")]

@pytest.mark.parametrize("call, words", BAD_RULES)
def test_bad_posteriors_are_named(call, words):
    with pytest.raises(ValueError, match=words): call()


@pytest.mark.parametrize("order", list(permutations("abc")))
def test_losses_follow_the_order_of_the_classes(order):
    L = np.array([[0, 1, 7], [5, 0, 2], [3, 4, 0.]])
    y, p = list("abcabcabcaac"), list("aaabbbcccbcc")
    np.testing.assert_array_equal(pointwise_loss(y, p, L, order),
                                  [L[order.index(u), order.index(v)] for u, v in zip(y, p)])
    np.testing.assert_array_equal(pointwise_loss(y, p, L), pointwise_loss(y, p, L, list("abc")))


def test_losses_of_pairs():
    assert loss_matrix(None, [1, 2]) is None
    np.testing.assert_array_equal(loss_matrix("absolute", [1, 2, 4]), [[0, 1, 3], [1, 0, 2], [3, 2, 0]])
    np.testing.assert_array_equal(loss_matrix(lambda y, p: np.maximum(p - y, 0), [1, 2, 4]),
                                  [[0, 1, 3], [0, 0, 2], [0, 0, 0]])


def test_structured_labels_need_a_function():
    y = np.arange(12.).reshape(3, 2, 2)
    np.testing.assert_array_equal(pointwise_loss(y, 0*y, lambda a, b: np.abs(a - b).sum((1, 2))), [6, 22, 38])
    with pytest.raises(ValueError, match="y must"): pointwise_loss(y, y)

BAD_LOSSES = [
    (lambda: pointwise_loss([0., np.nan], [0, 1]), "y must be without missing"),
    (lambda: pointwise_loss([0, 1], [0., np.nan]), "predictions must be without missing"),
    (lambda: pointwise_loss(["1", "2"], [1, 2]), "y holds text"),
    (lambda: pointwise_loss([1, 2], ["1", "2"]), "predictions holds text"),
    (lambda: pointwise_loss(["1"], ["2"], "absolute"), "numbers"),
    (lambda: pointwise_loss(np.array([None, "a"], object), ["a", "a"]), "y must be without missing"),
    (lambda: pointwise_loss([[0], [1]], [0, 1]), "y must"), (lambda: pointwise_loss([0, 1], [0, 1, 1]),
                                                             "predictions must"),
    (lambda: pointwise_loss([0, 1], [0, 1], np.eye(2), [1, 1]), "distinct"),
    (lambda: pointwise_loss([0, 1], [0, 2], np.eye(2)), "predictions must be labels among the classes"),
    (lambda: pointwise_loss([0, 1], [0, 1], np.eye(3)), "loss must"),
    (lambda: pointwise_loss([0, 1], [0, 1], "square"), "loss must be None, 'absolute'"),
    (lambda: pointwise_loss([0, 1], [0, 1], lambda y, p: p - 1.), "losses must be at least 0"),
    (lambda: pointwise_loss([0, 1], [0], lambda y, p: y), "of one length"),
    (lambda: pointwise_loss(np.ma.array([0, 1], mask=[0, 1]), [0, 1]), "y must be without masked")]

@pytest.mark.parametrize("call, words", BAD_LOSSES)
def test_bad_losses_are_named(call, words):
    with pytest.raises(ValueError, match=words): call()

LINE = np.array([[0.], [1.], [2.], [3.], [4.]])

def test_plug_in_follows_the_loss_matrix():
    m = LogisticRegression().fit(LINE, np.array(["ill", "ill", "well", "ill", "well"]))
    P, L = m.predict_proba(LINE), np.array([[0, 10.], [1, 0]])            # calling the ill well costs 10
    labels, risk = plug_in(m, LINE, L)
    np.testing.assert_array_equal(labels, np.where(P[:, 1] < 10*P[:, 0], "ill", "well"))
    np.testing.assert_allclose(risk, np.minimum(P[:, 1], 10*P[:, 0]), rtol=1e-12)
    np.testing.assert_array_equal(plug_in(m, LINE)[0], m.predict(LINE))
    # a third decision: columns, not labels
    third = plug_in(m, LINE, np.column_stack([L, [.3, .3]]))
    assert set(third[0]) <= {0, 1, 2} and 2 in third[0] and third[1].max() <= .3 + 1e-12

BAD_X = ["abc", LINE[0], np.ma.array(LINE, mask=LINE > 3), None, LINE*1j, LINE*np.nan, [[1.], [2., 3.]],
         np.zeros((0, 1)), LINE[None]]

@pytest.mark.parametrize("X", BAD_X, ids=range(len(BAD_X)))
def test_features_are_finite_numbers(X):
    with pytest.raises((ValueError, TypeError), match=r"X\b"): numeric_features(LogisticRegression(), X)
    assert numeric_features(LogisticRegression(), LINE.astype(int)).dtype == float


def test_what_a_classifier_says():
    m = LogisticRegression().fit(LINE, [0, 0, 1, 1, 1])
    assert is_fitted(m) and not is_fitted(LogisticRegression()) and is_fitted(len) and not is_fitted(3)
    np.testing.assert_array_equal(predict_labels(m, LINE), m.predict(LINE))
    with pytest.raises(NotFittedError): predict_labels(LogisticRegression(), LINE)
    for X in ("abc", LINE[0], np.ma.array(LINE, mask=LINE > 3), None):
        with pytest.raises((ValueError, TypeError), match=r"X\b"): predict_labels(m, X)
    with pytest.raises(ValueError, match="estimator must return"): predict_labels(lambda X: [1], LINE)
    with pytest.raises(ValueError, match="predict_proba"): plug_in(LinearSVC(), LINE)
