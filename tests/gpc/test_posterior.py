"""Tests of nbs/gpc/01_posterior.ipynb, extracted from its test cells: edit them there."""
import math
import numpy as np
import pytest
import tempfile
from pathlib import Path
from scipy.integrate import quad
from scipy.special import expit
from scipy.special import log_ndtr

from reject_nb.gpc.posterior import (
    GPPosterior, LIKELIHOODS, LOGISTIC_ERROR, expectation_propagation, fit_gpc, kernel, laplace,
    logistic_mean, site_derivatives,
)

def test_logistic_mean_against_adaptive_quadrature():
    rng = np.random.default_rng(0)
    for m, v in zip(rng.normal(0, 4, 20), 10**rng.uniform(-6, 3, 20)):
        s = math.sqrt(v)
        exact = quad(lambda u: expit(m + s*u)*math.exp(-u*u/2)/math.sqrt(2*math.pi), -10, 10, epsabs=1e-12, limit=2000,
                     points=[0.] + ([-m/s] if abs(m/s) < 10 else []))[0]
        assert abs(logistic_mean(m, v) - exact) < 1e-10          # the adaptive rule's own error


def test_logistic_mean_is_antisymmetric():
    for v in (0., 1e-8, 1., 1e4): assert abs(logistic_mean(1.3, v) + logistic_mean(-1.3, v) - 1) < 2*LOGISTIC_ERROR


def test_latent_against_the_plain_inverse():
    rng = np.random.default_rng(1)
    X, alpha, W = rng.normal(size=(9, 3)), rng.normal(size=9), rng.uniform(.1, 2, 9)
    scale, s2 = np.array([.5, 1., 2.]), 3.
    Z = rng.normal(size=(7, 3))
    k = lambda A, B: s2*np.exp(-.5*(((A[:, None] - B[None])/scale)**2).sum(-1))
    mean, var = GPPosterior(X, alpha, W, scale, s2).latent(Z)
    np.testing.assert_allclose(mean, k(Z, X) @ alpha, rtol=1e-12)
    R = np.linalg.inv(k(X, X) + np.diag(1/W))
    np.testing.assert_allclose(var, s2 - np.einsum("ij,jk,ik->i", k(Z, X), R, k(Z, X)), rtol=1e-9)


def test_gradient_against_differences():
    rng = np.random.default_rng(2)
    post = GPPosterior(rng.normal(size=(12, 2)), rng.normal(size=12), rng.uniform(.05, .6, 12), [.6, 1.2], 1.7)
    Z, step = rng.normal(size=(5, 2)), 1e-5
    dm, dv = post.gradient(Z)
    for j in range(2):
        up, down = post.latent(Z + step*np.eye(2)[j]), post.latent(Z - step*np.eye(2)[j])
        np.testing.assert_allclose(dm[:, j], (up[0] - down[0])/(2*step), atol=1e-8)   # error of central differences
        np.testing.assert_allclose(dv[:, j], (up[1] - down[1])/(2*step), atol=1e-8)


def test_a_site_of_zero_precision_says_nothing():
    X, W = [[0.], [1.], [2.]], [.5, 0., .3]
    full = GPPosterior(X, [1., 0., 2.], W, 1., 1.)
    less = GPPosterior([[0.], [2.]], [1., 2.], [.5, .3], 1., 1.)
    np.testing.assert_allclose(full.latent([[.3]]), less.latent([[.3]]), rtol=1e-14)


def test_save_and_load_bit_for_bit():
    post = GPPosterior([[0., 1.], [1., 2.]], [1., -.1], [.1, .2], [.3, .4], 2., "logistic")
    with tempfile.TemporaryDirectory() as folder: back = GPPosterior.load(post.save(Path(folder)/"model"))
    assert back.likelihood == "logistic" and back.variance == 2.
    for name in ("X", "alpha", "site_precision", "lengthscale"): assert np.array_equal(getattr(post, name), getattr(back, name))


def test_bad_input_names_the_argument():
    good = dict(X=[[0.], [1.]], alpha=[1., 2.], site_precision=[.1, .2], lengthscale=1., variance=1.)
    for name, bad in (("X", [[np.nan], [1.]]), ("X", [0., 1.]), ("alpha", [1.]), ("alpha", [np.inf, 1.]), ("site_precision", [-.1, .2]),
                      ("lengthscale", 0.), ("lengthscale", [1., 2.]), ("lengthscale", np.nan), ("variance", -1.), ("variance", np.nan), ("likelihood", "cauchit")):
        with pytest.raises(ValueError, match=name): GPPosterior(**{**good, name: bad})
    with pytest.raises(ValueError, match="variance must not exceed"): GPPosterior(**{**good, "variance": 2e6, "likelihood": "logistic"})
    with pytest.raises(ValueError, match="X"): GPPosterior(**good).latent([[1., 2.]])


def test_laplace_mode_is_stationary_and_self_consistent():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(30, 2)), np.sign(rng.normal(size=30))
    K = kernel(X, X, np.ones(2), 9.)
    for likelihood in LIKELIHOODS:
        alpha, W, residual = laplace(K, y, likelihood)
        _, grad, curvature = site_derivatives(K @ alpha, y, likelihood)
        assert np.abs(alpha - grad).max() < 1e-8 and np.abs(W - curvature).max() < 1e-8


def test_ep_fixed_point_matches_tilted_moments():
    "At the fixed point each tilted distribution has the mean and variance of the posterior's marginal."
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(8, 1)), np.sign(rng.normal(size=8))
    K = kernel(X, X, np.ones(1), 25.)
    alpha, tau, nu, _, (_, tau_c, nu_c) = expectation_propagation(K, y)
    mean = K @ alpha
    for i in range(8):
        m, s = nu_c[i]/tau_c[i], tau_c[i]**-.5
        f = m + s*np.linspace(-12, 12, 200_001)
        weight = np.exp(log_ndtr(y[i]*f) - .5*((f - m)/s)**2)
        assert abs((weight*f).sum()/weight.sum() - mean[i]) < 1e-7     # Riemann sum of 200,001 nodes


def test_site_derivatives_against_differences():
    f, y, step = np.array([-30., -3., 0., 2., 9.]), np.array([1., 1., -1., 1., -1.]), 1e-4
    for likelihood in LIKELIHOODS:
        log_p, grad, W = site_derivatives(f, y, likelihood)
        up, down = site_derivatives(f + step, y, likelihood), site_derivatives(f - step, y, likelihood)
        np.testing.assert_allclose(grad, (up[0] - down[0])/(2*step), rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(W, -(up[1] - down[1])/(2*step), rtol=1e-5, atol=1e-7)


def test_gpy_laplace_agrees():
    import GPy
    from GPy.inference.latent_function_inference import Laplace
    rng = np.random.default_rng(5)
    X = np.vstack([rng.normal(size=(20, 2)) + [2, 0], rng.normal(size=(20, 2)) + [0, 2]])
    y = np.repeat([1., 0.], 20)
    model = GPy.core.GP(X, y[:, None], kernel=GPy.kern.RBF(2, ARD=True, variance=3., lengthscale=[.7, 1.5]),
                        likelihood=GPy.likelihoods.Bernoulli(), inference_method=Laplace())
    post, Z = GPPosterior.from_gpy(model), rng.normal(size=(50, 2))
    mean, var = model._raw_predict(Z)
    np.testing.assert_allclose(post.latent(Z)[0], mean[:, 0], atol=1e-9)
    np.testing.assert_allclose(post.latent(Z)[1], var[:, 0], atol=1e-7)      # GPy stops Newton at 1e-4 in the objective
    np.testing.assert_allclose(fit_gpc(X, y, max_evaluations=0, lengthscale=[.7, 1.5], variance=3.).predict_proba(Z), post.predict_proba(Z), atol=1e-4)


def test_fit_improves_the_fit_and_both_engines_run():
    rng = np.random.default_rng(6)
    X = np.vstack([rng.normal(size=(20, 2)) + [2, 0], rng.normal(size=(20, 2)) + [0, 2]])
    y = np.repeat([1, 0], 20)
    for inference in ("laplace", "ep"):
        post = fit_gpc(X, y, inference, max_evaluations=5)
        assert (post.predict(X) == y).mean() > .9 and post.lengthscale.shape == (2,)


def test_fit_gpc_bad_input():
    X, y = np.eye(4), [0, 1, 0, 1]
    for name, call in (("y", lambda: fit_gpc(X, [0, 0, 0, 0])), ("y", lambda: fit_gpc(X, [0, 1])), ("inference", lambda: fit_gpc(X, y, "vi")),
                       ("max_evaluations", lambda: fit_gpc(X, y, max_evaluations=-1)), ("max_evaluations", lambda: fit_gpc(X, y, max_evaluations="a")), ("max_evaluations", lambda: fit_gpc(X, y, max_evaluations=np.inf)),
                       ("lengthscale", lambda: fit_gpc(X, y, lengthscale=-1)), ("lengthscale", lambda: fit_gpc(X, y, lengthscale="a")), ("lengthscale", lambda: fit_gpc(X, y, lengthscale=np.ones(7))), ("X", lambda: fit_gpc([[np.nan]], [0])),
                       ("likelihood", lambda: fit_gpc(X, y, "ep", likelihood="logistic"))):
        with pytest.raises(ValueError, match=name): call()


def test_duplicate_training_points_are_no_problem():
    X = np.repeat(np.random.default_rng(7).normal(size=(5, 2)), 4, 0)
    y = (X[:, 0] > 0).astype(int)
    mean, var = fit_gpc(X, y, max_evaluations=3).latent(X[:2])
    assert np.isfinite(mean).all() and (var >= 0).all()
