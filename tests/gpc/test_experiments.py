"""Tests of nbs/gpc/10_experiments.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest

from reject_nb.gpc.experiments import digits38, stored_model, synthetic2d

def test_data_sets_are_as_described():
    X, y, X_test, y_test = synthetic2d(3)
    both = np.vstack([X, X_test])
    assert X.shape == (1000, 2) and X_test.shape == (200, 2)
    np.testing.assert_allclose(both.mean(0), 0, atol=1e-12); np.testing.assert_allclose(both.std(0), 1, rtol=1e-12)
    X, y, X_test, y_test = digits38()
    assert X.shape == (1000, 196) and X_test.shape == (50, 196) and 0 <= X.min() and X.max() <= 1 and set(y) == {0, 1}


def test_a_missing_model_says_how_to_make_it():
    with pytest.raises(FileNotFoundError, match="reproduce gpc"): stored_model("model-that-is-not-there")
