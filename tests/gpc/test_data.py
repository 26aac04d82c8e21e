"""Tests of nbs/gpc/81_data.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.gpc.experiments.data import SPAM_COLUMNS
from reject_nb.gpc.experiments.data import mnist14
from reject_nb.gpc.experiments.data import spam11
from types import SimpleNamespace
from unittest import mock

from reject_nb.gpc.experiments.data import _split, digits38, synthetic2d

def test_synthetic2d_is_as_described():
    X, y, X_test, y_test = synthetic2d(3)
    both, labels = np.vstack([X, X_test]), np.concatenate([y, y_test])
    assert X.shape == (1000, 2) and X_test.shape == (200, 2) and np.bincount(labels).tolist() == [600, 600]
    np.testing.assert_allclose(both.mean(0), 0, atol=1e-12)
    np.testing.assert_allclose(both.std(0), 1, rtol=1e-12)
    assert (both[labels == 1].mean(0) > [.8, -np.inf]).all() and both[labels == 1, 1].mean() < -.8
    few = synthetic2d(3, 10)
    np.testing.assert_array_equal(few.X, X[:10])
    np.testing.assert_array_equal(few.X_test, X_test)


def test_digits38_are_as_described():
    X, y, X_test, y_test = digits38()
    assert X.shape == (1000, 196) and X_test.shape == (50, 196)
    assert 0 <= X.min() and X.max() <= 1 and set(y) == set(y_test) == {0, 1}
    first = X[0].reshape(14, 14)
    copies = [i for i in range(len(X)) if np.array_equal(X[i].reshape(14, 14)[:, 1:], first[:, :-1])]
    assert any(y[i] == y[0] for i in copies)                         # the image moved right by one pixel


def test_splits_do_not_overlap():
    rows = np.arange(10.)[:, None]
    got = _split(rows, np.arange(10), np.arange(10)[::-1], 3, 4)
    assert got.y.tolist() == [9, 8, 7] and got.y_test.tolist() == [6, 5, 4, 3] and got.X[0, 0] == 9.


def test_eleven_columns_of_spam_are_scaled_and_split():
    "Of 1,300 rows 1,000 train and 200 test; columns as the paper counts them, from 1."
    rng = np.random.default_rng(0)
    raw = SimpleNamespace(X=rng.normal(3, 1, (1300, 57))*np.arange(1, 58),
                          y=np.where(rng.random(1300) < .4, 1, 0))
    with mock.patch.dict(spam11.__globals__, load=lambda name: {"spambase": raw}[name]):
        split, few, other = spam11(1), spam11(1, 100), spam11(2)
    assert SPAM_COLUMNS.tolist() == [4, 6, 15, 16, 18, 20, 22, 24, 51, 52, 56]
    scaled = raw.X[:, SPAM_COLUMNS] - raw.X[:, SPAM_COLUMNS].mean(0)
    scaled /= raw.X[:, SPAM_COLUMNS].std(0)
    row = {round(x, 9): i for i, x in enumerate(scaled[:, 0])}
    used = [row[round(x, 9)] for x in np.r_[split.X[:, 0], split.X_test[:, 0]]]
    assert len(split.X) == 1000 and len(split.X_test) == 200 and len(set(used)) == 1200
    np.testing.assert_allclose(np.vstack([split.X, split.X_test]), scaled[used], atol=1e-12)
    assert np.r_[split.y, split.y_test].tolist() == raw.y[used].tolist()
    np.testing.assert_array_equal(few.X, split.X[:100])
    assert not np.array_equal(other.X, split.X)


@pytest.mark.parametrize("scale", [1., 255.])
def test_digits_are_pooled_to_a_quarter_of_their_pixels(scale):
    "Pictures of digits 3, 5 and 8 whose pixels say which they are; the mean of two by two is known."
    rng = np.random.default_rng(0)
    label = rng.integers(0, 3, 600)
    X = np.zeros((600, 28, 28))
    X[:, ::2, 1::2], X[:, 0, 0] = .8, rng.random(600)
    raw = SimpleNamespace(X=scale*X, y=label, target_names=("3", "5", "8"))
    with mock.patch.dict(mnist14.__globals__, load=lambda name: {"mnist": raw}[name]):
        split, three = mnist14(0, 100), mnist14(0, 100, digits=(3, 5, 8))
    assert split.X.shape == (100, 196) and len(split.X_test) == 200 and set(split.y) == {0, 1}
    assert set(three.y) == {0, 1, 2}
    np.testing.assert_allclose(split.X[:, 1:], .2, atol=1e-12)
    row = {round((x + .8)/4, 9): i for i, x in enumerate(X[:, 0, 0])}
    used = [row[round(x, 9)] for x in np.r_[split.X[:, 0], split.X_test[:, 0]]]
    assert len(set(used)) == 300
    assert np.r_[split.y, split.y_test].tolist() == [{0: 0, 2: 1}[label[i]] for i in used]
