"""Tests of nbs/mcsvm/13_probabilities.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest

from reject_nb.mcsvm.probabilities import fit_sigmoid

@pytest.mark.parametrize("seed", range(4))
def test_the_sigmoid_is_that_of_logistic_regression(seed):
    # each point twice, with weights t and 1 - t: an independent solver of the same convex problem
    from sklearn.linear_model import LogisticRegression
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(200) < .3, 1., -1.)
    s = 50**seed*(rng.normal(size=200)+y)
    t = np.where(y > 0, (np.sum(y > 0)+1)/(np.sum(y > 0)+2), 1/(np.sum(y < 0)+2))
    other = LogisticRegression(C=1e12, tol=1e-10, max_iter=1000).fit(np.tile(s/50**seed, 2)[:, None],
                                                                     np.repeat([1, 0], 200),
                                                                   sample_weight=np.r_[t, 1-t])
    found = fit_sigmoid(s, y)
    np.testing.assert_allclose([found.slope*50**seed, found.intercept],
                               [other.coef_[0, 0], other.intercept_[0]], rtol=1e-4)


def test_separated_and_constant_scores():
    y = np.repeat([1., -1.], [30, 10])
    apart = fit_sigmoid(np.where(y > 0, 2., -3.), y)
    np.testing.assert_allclose(apart(np.array([2., -3.])), [31/32, 1/12], rtol=1e-6)
    flat = fit_sigmoid(np.zeros(40), y)
    # all scores equal: the mean target
    np.testing.assert_allclose(flat(np.array([0., 5.]))[0], (30*31/32+10/12)/40, rtol=1e-6)
    assert apart(np.array([np.inf, -np.inf])).tolist() == [1., 0.]
