"""Tests of nbs/gpc/81_data.ipynb, extracted from its test cells: edit them there."""
import numpy as np

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
