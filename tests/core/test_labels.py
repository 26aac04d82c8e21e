"""Tests of nbs/core/03_labels.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.base import ClassifierMixin

from reject_nb.core.labels import TwoClassMixin, choose_reject_label, with_rejections

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
                                            ([False, True], None, [-1, 1]), ([2., 5.], 2, [1, -1])])
def test_signs_and_back(y, safe, signs):
    model = _Model(safe)
    found = model._fit_labels(np.array(y))
    assert found.tolist() == signs and model._as_labels(found > 0).tolist() == y
    assert model._as_labels(found > 0).dtype == np.asarray(y).dtype


@pytest.mark.parametrize("y, safe, words", [([0, 1, 2], None, "binary"),
                                            ([1, 1], None, "y must be labels of two"),
    ([0, 1], 2, "safe_label must be one of"), ([0, 1], True, "safe_label must be"),
    ([.5, 1.5], None, "Unknown label type")])
def test_other_than_two_classes(y, safe, words):
    with pytest.raises(ValueError, match=words): _Model(safe)._fit_labels(np.array(y))


def test_later_labels_are_those_of_the_fit():
    model = _Model()
    model._fit_labels(np.array(["a", "b"]))
    with pytest.raises(ValueError, match="y must be labels of the fit"): model._signs(np.array(["a", "c"]))
    assert not model.__sklearn_tags__().classifier_tags.multi_class
