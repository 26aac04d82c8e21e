"""Tests of nbs/gpc/84_sampler.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.gpc.experiments.sampler import distance_table
from reject_nb.gpc.fitting import fit_gpc
from scipy.special import log_ndtr
from types import SimpleNamespace
from unittest.mock import patch

from reject_nb.gpc.experiments.sampler import _Gaussian, _kl, sample_posterior, split_r_hat

def test_sampler_agrees_with_quadrature_at_one_point():
    post = fit_gpc([[0.], [50.]], [1, 0], "ep", 0, lengthscale=1.,
                   variance=4.)      # two points that do not see each other
    chains = sample_posterior(post, np.array([1, 0]), np.array([[0.]]), draws=20000, burn=100)
    f = np.linspace(-12, 12, 20001)
    weight = np.exp(-f*f/8 + log_ndtr(f))
    weight /= weight.sum()
    mean = (weight*f).sum()
    std = np.sqrt((weight*f*f).sum() - mean**2)
    # five standard errors of 10,000 effective draws
    assert abs(chains.mean() - mean) < 5*std/np.sqrt(10000) and abs(chains.std() - std) < .05*std
    assert split_r_hat(chains)[0] < 1.01


def test_draws_have_the_moments_of_ep():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(8, 1))
    y = (X[:, 0] > 0).astype(int)
    post = fit_gpc(X, y, "ep", 0, lengthscale=.7, variance=9.)
    gaussian = _Gaussian(post, y, np.array([[.2], [3.]]))
    draws, (mean, var) = gaussian.draw(rng, 40_000), post.latent(np.vstack([X, [[.2], [3.]]]))
    np.testing.assert_allclose(gaussian.centre, mean, atol=1e-6)
    np.testing.assert_allclose(draws.var(0), var, rtol=.05)
    assert np.abs(draws.mean(0)).max() < 5*np.sqrt(var.max()/40_000)
    move = draws[0]
    change = gaussian.log_ratio(move) - gaussian.log_ratio(0*move)
    signs, f, base = 2*y - 1, mean[:8] + move[:8], mean[:8]
    site = lambda v: (gaussian.nu*v - .5*gaussian.tau*v*v).sum()
    assert change == pytest.approx((log_ndtr(signs*f) - log_ndtr(signs*base)).sum() - site(f) + site(base),
                                   abs=1e-5)


def test_r_hat_sees_chains_that_disagree():
    chains = np.random.default_rng(0).normal(size=(2, 1000, 1))
    assert split_r_hat(chains)[0] < 1.02 and split_r_hat(chains + np.array([0., 3.])[:, None, None])[0] > 1.5
    drift = chains + np.linspace(0, 4, 1000)[None, :, None]
    assert split_r_hat(drift)[0] > 1.3                                  # halves of one chain disagree


def test_divergence_of_normal_samples():
    sample = np.random.default_rng(2).normal(1., 2., size=(200_000, 1))
    assert _kl(sample, np.zeros(1), np.ones(1)) == pytest.approx(.5*(4 + 1 - 1 - np.log(4)), abs=.05)
    assert abs(_kl(sample, np.ones(1), np.full(1, 4.))) < 1e-4


def test_the_table_has_a_row_for_every_model_of_every_set():
    "With distances that name their model: each number stands in its own column."
    def distance(post, y, X): return dict(kl=post[2], kl_halves=post[2] + 1, probability=len(X), r_hat=y)
    small = {"DATA": {"one": lambda seed: SimpleNamespace(y=seed, X_test=np.zeros((60, 1)))},
             "MODELS": [("ep", 3), ("laplace", 7)], "trained": lambda *name: name,
             "posterior_distance": distance}
    with patch.dict(distance_table.__globals__, small): got = distance_table()
    assert got == dict(set=["one", "one"], inference=["ep", "laplace"], evaluations=[3, 7], kl=[3, 7],
                       kl_halves=[4, 8], probability=[50, 50], r_hat=[0, 0])
