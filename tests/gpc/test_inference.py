"""Tests of nbs/gpc/02_inference.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from scipy.special import expit
from scipy.special import log_ndtr

from reject_nb.gpc.inference import (
    LIKELIHOODS, ep_targets, expectation_propagation, kernel, laplace, site_derivatives,
)

@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_site_derivatives_against_differences(likelihood):
    f, y, step = np.array([-30., -3., 0., 2., 9.]), np.array([1., 1., -1., 1., -1.]), 1e-4
    log_p, grad, W = site_derivatives(f, y, likelihood)
    up, down = site_derivatives(f + step, y, likelihood), site_derivatives(f - step, y, likelihood)
    np.testing.assert_allclose(grad, (up[0] - down[0])/(2*step), rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(W, -(up[1] - down[1])/(2*step), rtol=1e-5, atol=1e-7)


def test_kernel_is_the_formula():
    A, B, scale = np.array([[0., 1.], [2., 3.]]), np.array([[1., -1.]]), np.array([.5, 2.])
    expected = [[3*np.exp(-.5*(4 + 1))], [3*np.exp(-.5*(4 + 4))]]
    np.testing.assert_allclose(kernel(A, B, scale, 3.), expected, rtol=1e-14)


@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_laplace_mode_is_stationary_and_self_consistent(likelihood):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(30, 2)), np.sign(rng.normal(size=30))
    K = kernel(X, X, np.ones(2), 9.)
    got = laplace(K, y, likelihood)
    _, grad, curvature = site_derivatives(K @ got.alpha, y, likelihood)
    assert np.abs(got.alpha - grad).max() < 1e-8 and np.abs(got.site_precision - curvature).max() < 1e-8
    assert got.residual <= 1e-10
    again = laplace(K, y, likelihood, start=got.alpha)
    np.testing.assert_allclose(again.alpha, got.alpha, atol=1e-9)


def test_laplace_of_one_point_by_hand():
    got = laplace(np.ones((1, 1)), np.ones(1), "logistic")
    f = got.alpha[0]                                             # K is 1
    assert abs(f - expit(-f)) < 1e-10 and abs(f - .40105813754) < 1e-10


def test_laplace_needs_its_halved_steps():
    "Full Newton steps diverge for the probit at a large variance, far off: the objective must not fall."
    K, y = np.array([[400.]]), np.array([1.])
    got = laplace(K, y, "logistic", start=np.array([-2.]))        # f = -800
    assert got.residual <= 1e-10 and abs(got.alpha[0] - expit(-400*got.alpha[0])) < 1e-9


def test_laplace_says_when_it_fails():
    turning = np.array([[1., 50.],
                        [0., 1.]])                      # no covariance: there is no mode to climb to
    with pytest.raises(ArithmeticError, match="residual"): laplace(turning, np.array([1., -1.]), "probit")


def test_ep_fixed_point_matches_tilted_moments():
    "At the fixed point each tilted distribution has the mean and variance of the posterior's marginal."
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(8, 1)), np.sign(rng.normal(size=8))
    K = kernel(X, X, np.ones(1), 25.)
    got = expectation_propagation(K, y)
    mean = K @ got.alpha
    var = np.diag(K - K @ np.linalg.inv(K + np.diag(1/got.tau)) @ K)
    for i in range(8):
        m, s = got.targets.cavity_nu[i]/got.targets.cavity_tau[i], got.targets.cavity_tau[i]**-.5
        f = m + s*np.linspace(-12, 12, 200_001)
        weight = np.exp(log_ndtr(y[i]*f) - .5*((f - m)/s)**2)
        tilted = (weight*f).sum()/weight.sum()
        # 200,001 nodes
        assert abs(tilted - mean[i]) < 1e-7
        assert abs((weight*f*f).sum()/weight.sum() - tilted**2 - var[i]) < 1e-6
        assert abs(np.exp(got.targets.log_z[i]) - weight.sum()*(f[1] - f[0])/(s*np.sqrt(2*np.pi))) < 1e-7


def test_ep_converges_where_fixed_damping_oscillates_and_says_when_it_stops():
    rng = np.random.default_rng(7)
    X, y = rng.normal(size=(40, 1)), np.sign(rng.normal(size=40))
    K = kernel(X, X, np.full(1, .4), 300.)
    got = expectation_propagation(K, y)
    assert got.residual <= 1e-10
    warm = expectation_propagation(K, y, start=(got.tau, got.nu), max_sweeps=1)
    np.testing.assert_array_equal(warm.tau, got.tau)
    with pytest.raises(ArithmeticError, match="3 sweeps"): expectation_propagation(K, y, max_sweeps=3)


def test_one_site_by_hand():
    got = ep_targets(np.ones((1, 1)), np.ones(1), np.zeros(1), np.zeros(1))
    mean = np.sqrt(1/np.pi)
    assert got.tau[0] == pytest.approx(1/(1 - mean**2) - 1,
                                       rel=1e-12) and got.nu[0] == pytest.approx(mean/(1 - mean**2),
                                                                                 rel=1e-12)
