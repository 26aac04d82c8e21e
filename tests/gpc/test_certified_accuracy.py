"""Tests of nbs/gpc/31_certified_accuracy.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.gpc.posterior import GPPosterior

from reject_nb.gpc.certified_accuracy import accuracy_curve

def test_curves_bound_the_robust_accuracy():
    rng = np.random.default_rng(0)
    post = GPPosterior(rng.normal(size=(30, 2)), rng.normal(size=30), np.full(30, .3), [.9, 1.2], 3.)
    X, radii = rng.normal(size=(12, 2)), np.array([0., .05, .2, .6])
    y = np.where(rng.uniform(size=12) < .8, post.predict(X), 1 - post.predict(X))
    curve = accuracy_curve(post, X, y, radii, time_limit=None)
    right = post.predict(X) == y
    assert curve.lower[0] <= right.mean() == curve.upper[0] and (np.diff(curve.lower) <= 0).all()
    for k, radius in enumerate(radii):
        seen = np.array([(post.predict(x + radius*rng.uniform(-1, 1, (300, 2))) == label).all()
                         for x, label in zip(X, y)])
        assert curve.lower[k] <= seen.mean() + 1e-12 and curve.lower[k] <= curve.upper[k] <= right.mean()
    assert (curve.certified[~right] == 0).all() and (curve.certified <= curve.attack).all()


def test_the_example_by_hand_and_bad_input():
    pair = GPPosterior([[0., 0.], [2., 0.]], [1., -1.], [.3, .3], 1., 2.)
    X = [[.81, 0.], [.51, 0.], [.01, 0.]]              # .19, .49 and .99 from the boundary
    curve = accuracy_curve(pair, X, [1, 1, 0], [0., .1, .3, .6], time_limit=None)
    np.testing.assert_allclose(curve.lower, [2/3, 2/3, 1/3, 0.])
    np.testing.assert_allclose(curve.upper, [2/3, 2/3, 1/3, 0.])
    np.testing.assert_allclose([curve.certified, curve.attack], [[.19, .49, 0.]]*2, rtol=2e-3)
    assert (curve.certified[:2] < [.19, .49]).all() and (curve.attack[:2] > [.19, .49]).all()
    with pytest.raises(ValueError, match="y must"): accuracy_curve(pair, X, [1, 1], [0.])
    with pytest.raises(ValueError, match="radii must"): accuracy_curve(pair, X, [1, 1, 0], [-1.])
