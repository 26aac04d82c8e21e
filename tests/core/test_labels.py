"""Tests of nbs/core/03_labels.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from decimal import Decimal
from sklearn.base import BaseEstimator
from sklearn.base import ClassifierMixin
from unittest import mock

from reject_nb.core.labels import (
    TwoClassMixin, check_classes, check_points, choose_reject_label, fit_weights, point_weights,
    with_rejections,
)

@pytest.mark.parametrize("labels, reject, found", [
    ([1, 2], -1, [1, -1]), ([1, 2], "reject", [1, "reject"]), (["a", "bb"], "reject", ["a", "reject"]),
    (["a", "b"], None, ["a", None]),
    ([True, False], -1, [True, -1]), ([1., 2.], -1, [1., -1.])])
def test_rejections_lose_nothing(labels, reject, found):
    out = with_rejections(labels, [True, False], reject)
    assert out.tolist() == found and [type(x) for x in out.tolist()] == [type(x) for x in found]
    assert with_rejections(labels, [True, True], reject).dtype == np.asarray(labels).dtype


@pytest.mark.parametrize("classes, wanted, label", [
    ([0, 1], "auto", -1), ([-1, 1], "auto", -2), ([-1.5, -1.], "auto", -3), (["a", "b"], "auto", "reject"),
    ([0, 1], None, None),
    ([0, 1], "no", "no"), ([False, True], "auto", -1)])
def test_reject_labels(classes, wanted, label): assert choose_reject_label(np.array(classes), wanted) == label


@pytest.mark.parametrize("classes, wanted", [([0, 1], 1), (["reject", "b"], "auto"), ([0, 1], [2]),
                                             ([0, 1], b"x"), ([0, 1], 1.)])
def test_reject_labels_are_no_classes(classes, wanted):
    with pytest.raises(ValueError, match="^reject_label must be"):
        choose_reject_label(np.array(classes), wanted)


class _Model(TwoClassMixin, ClassifierMixin, BaseEstimator):
    def __init__(self, safe_label=None): self.safe_label = safe_label


@pytest.mark.parametrize("y, safe, signs", [([0, 1], None, [-1, 1]), ([1, 0], 0, [-1, 1]),
                                            (["a", "b"], "a", [1, -1]),
                                            ([False, True], None, [-1, 1]), ([2., 5.], 2, [1, -1]),
                                            ([False, True], np.True_, [-1, 1]),
                                            ([2., 5.], np.array(2), [1, -1])])
def test_signs_and_back(y, safe, signs):
    model = _Model(safe)
    found = model._fit_labels(np.array(y))
    assert found.tolist() == signs and model._as_labels(found > 0).tolist() == y
    assert model._as_labels(found > 0).dtype == np.asarray(y).dtype


@pytest.mark.parametrize("y, safe, words", [([0, 1, 2], None, "binary"),
                                            ([1, 1], None, "y must be labels of two"),
    ([0, 1], 2, "safe_label must be one of"), ([0, 1], True, "safe_label must be"),
    ([0., 1.], 10**400, "safe_label must be one of"), ([0., 1.], Decimal("sNaN"), "safe_label must be"),
    ([0, 1], [1], "safe_label must be one of"), ([0, 1], np.array([1]), "safe_label must be one of"),
    ([0, 1], mock.ANY, "safe_label must be one of"),
    ([.5, 1.5], None, "Unknown label type")])
def test_other_than_two_classes(y, safe, words):
    with pytest.raises(ValueError, match=words): _Model(safe)._fit_labels(np.array(y))


def test_later_labels_are_those_of_the_fit():
    model = _Model()
    model._fit_labels(np.array(["a", "b"]))
    with pytest.raises(ValueError, match="y must be labels of the fit"): model._signs(np.array(["a", "c"]))
    assert not model.__sklearn_tags__().classifier_tags.multi_class


@pytest.mark.parametrize("given, weights", [(None, [1, 1, 1]), (2, [2, 2, 2]), (.5, [.5]*3),
                                            ([0, 1, 2.], [0, 1, 2]), (np.float32(3), [3]*3)])
def test_weights(given, weights):
    found = point_weights(given, 3)
    assert found.dtype == np.float64 and found.tolist() == weights


@pytest.mark.parametrize("bad", [0, -1, True, "2", np.nan, np.inf, [1, 2], [1, -1, 1], [0, 0, 0],
                                 [1, np.nan, 1], [[1], [1], [1]], ["a", "b", "c"], [1, [2], 3], 1j,
                                 np.ma.masked_array([1., 2., 3.], [0, 1, 0]), [1e9, 1, 1]])
def test_bad_weights_are_named(bad):
    with pytest.raises(ValueError, match="^sample_weight must be"): point_weights(bad, 3, 1e6)


@pytest.mark.parametrize("X, reset, words", [
    ([[1.], [2.]], True, None), ([[1.]], False, None), ([[1.]], True, "minimum of 2"),
    ([[1., 2.]], False, "2 features"),
    ([1., 2.], False, "Reshape"), ([[np.nan], [1.]], True, "NaN"), ([["a"], ["b"]], True, "a matrix of"),
    ([[1e7], [1.]], True, "of size at most 1e"),
    (np.ma.masked_array([[1.], [2.]], [[0], [1]]), True, "masked"),
    ([["1"], ["2"]], True, "got [['1'], ['2']]"), (np.array([[b"1"], [b"2"]]), False, "real numbers"),
    (np.array([[1.], ["2"]], object), False, "real numbers"),
    (np.array([["2020-01-01"]], "datetime64[D]"), False, "real numbers"),
    (np.array([[3]], "timedelta64[s]"), False, "real numbers"),
    (np.array([[1.], [np.timedelta64(1)]], object), True, "real numbers"),
    (np.array([[1.], [10**400]], object), True, "too large"), (10**400, True, "too large"),
    (memoryview(np.ones((2, 1))), True, "real numbers"), (bytearray(b"12"), True, "real numbers"),
    (None, True, ""), ([], True, "2D")])
def test_points_are_named(X, reset, words):
    model = _Model()
    check_points(model, [[0.], [1.]], True)
    if words is None:
        np.testing.assert_array_equal(check_points(model, X, reset, largest=1e6), X)
        return
    with pytest.raises(ValueError, match="^X must be") as caught: check_points(model, X, reset, largest=1e6)
    assert words in str(caught.value)


def test_frames_of_texts_are_refused_and_objects_that_are_numbers_taken():
    pd, model = pytest.importorskip("pandas"), _Model()
    frame = pd.DataFrame({"a": [1., 2.], "b": [3, 4]}, index=[9, 3])
    assert check_points(model, frame, True).tolist() == [[1, 3], [2, 4]]
    assert check_points(model, frame.astype(object), False).tolist() == [[1, 3], [2, 4]]
    days = pd.to_datetime(["2020-01-01", "2021-01-01"])
    for column in (["1", "2"], days):
        for bad in (frame.assign(b=column), frame.assign(a=column, b=column)):
            with pytest.raises((TypeError, ValueError), match="^X must be"): check_points(model, bad, True)


def test_columns_are_learned_in_a_fit():
    model = _Model()
    check_points(model, [[0., 1.], [1., 2.]], True)
    assert model.n_features_in_ == 2
    check_points(model, [[0.], [1.]], True)
    assert model.n_features_in_ == 1


def test_classes():
    assert check_classes(_Model(), ["b", "a"], 2).tolist() == ["b", "a"]
    with pytest.warns(UserWarning, match="column-vector"):
        assert check_classes(_Model(), np.array([[1], [2]]), 2).shape == (2,)
    for bad, words in ((None, "_Model requires y"), ([1, 2, 3], "y must"),
                       ([.5, 1.5], "labels of classes: Unknown"), ([b"a", b"b"], "numbers or text")):
        with pytest.raises(ValueError, match="^y must") as caught: check_classes(_Model(), bad, 2)
        assert words in str(caught.value)


def test_zeros_are_refused_where_no_point_may_be_left_out():
    assert point_weights([1, 2], 2, positive=True).tolist() == [1, 2]
    with pytest.raises(ValueError, match="^sample_weight must be positive everywhere"):
        point_weights([1, 0], 2, positive=True)

SIGNS = np.array([1., 1., -1.])

def test_weights_of_a_fit():
    weights, costly = fit_weights([2., 0., 1.], {0: 3., 1: .5}, [1, 1, 0], SIGNS)
    assert weights.tolist() == [2, 0, 1] and costly.tolist() == [1, 0, 3]
    plain, balanced = fit_weights(None, "balanced", [1, 1, 0], SIGNS)
    assert plain.tolist() == [1, 1, 1] and balanced.tolist() == [.75, .75, 1.5]


@pytest.mark.parametrize("given, factors, name", [
    ([0, 0, 1], None, "sample_weight"), ([1, 1, 0], None, "sample_weight"), (None, {0: 0.}, "class_weight"),
    (None, {0: -1.}, "class_weight"), (None, {0: np.nan}, "class_weight"), (None, "heavy", "class_weight"),
    (None, {}, "class_weight"), (None, 3., "class_weight"), (None, {0: "a"}, "class_weight")])
def test_bad_weights_of_a_fit_are_named(given, factors, name):
    with pytest.raises(ValueError, match=f"^{name} must be"): fit_weights(given, factors, [1, 1, 0], SIGNS)
