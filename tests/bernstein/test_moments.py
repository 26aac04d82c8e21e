"""Tests of nbs/bernstein/01_moments.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest

from reject_nb.bernstein.moments import curvature, extremal_law, log_moment_bound, moment_bound

@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("mu", [-.7, -.35, 0., .1, .5, .7])
def test_extremal_law_has_the_moments(mu, side):
    x, m = extremal_law(mu, .7, side)
    assert abs(x).max() <= 1 + 1e-15 and m.min() >= 0 and x[1] == side
    # rounding of a few operations
    np.testing.assert_allclose([m.sum(), x@m, (x**2)@m], [1, mu, .49], atol=1e-14)


@pytest.mark.parametrize("arguments, name", [((.6, .5), "mu"), ((0, 1.1), "sigma"), ((0, -.1), "sigma"),
                                             ((0, .5, 2), "side"),
                                             (("x", .5), "mu"), ((True, .5), "mu"), ((0, None), "sigma")])
def test_impossible_moments_are_named(arguments, name):
    with pytest.raises(ValueError, match=f"^{name} must be"): extremal_law(*arguments)


@pytest.mark.parametrize("seed", range(3))
def test_bound_is_attained_by_the_extremal_law_and_holds_for_random_laws(seed):
    rng = np.random.default_rng([3, seed])
    for _ in range(100):
        x, p = rng.uniform(-1, 1, 4), rng.dirichlet(np.ones(4))
        mu, sigma, t = x@p, np.sqrt(x**2@p), rng.normal()*4
        g = moment_bound(t, mu, sigma)
        assert np.exp(t*x)@p <= g*(1 + 1e-12)
        points, mass = extremal_law(mu, sigma, 1 if t >= 0 else -1)
        np.testing.assert_allclose(np.exp(t*points)@mass, g, rtol=1e-12)     # rounding


def test_bound_survives_large_arguments_and_degenerate_moments():
    np.testing.assert_allclose(log_moment_bound([800., -800.], 0, .5), 800 + np.log(.2), rtol=1e-14)
    # zero variance: a point mass
    np.testing.assert_array_equal(log_moment_bound([2., -2.], .5, .5), [1., -1.])
    np.testing.assert_allclose(moment_bound(1.5, .3, 1), np.cosh(1.5) + .3*np.sinh(1.5), rtol=1e-14)
    assert log_moment_bound(0., .2, .6) == 0 and moment_bound([0., 0.], 1., 1.).tolist() == [1, 1]


@pytest.mark.parametrize("t", [-5, -.5, .5, 5])
def test_bound_grows_with_the_second_moment(t):
    assert (np.diff(log_moment_bound(t, .3, np.linspace(.4, 1, 200))) >= -1e-15).all()


@pytest.mark.parametrize("mu, sigma", [(.2, .5), (-.6, .7), (0, 1), (.1, .15)])
def test_curvature_is_the_second_derivative(mu, sigma):
    t, e = np.array([-3., -.7, .4, 2.5]), 1e-4
    h = [log_moment_bound(t + k*e, mu, sigma) for k in (-1, 0, 1)]
    # rounding 1e-16/e^2
    np.testing.assert_allclose(curvature(t, mu, sigma), (h[0] - 2*h[1] + h[2])/e**2, atol=1e-6)


def test_curvature_is_at_most_one_and_the_variance_at_zero():
    grid = np.linspace(-40, 40, 4001)
    for s in np.linspace(.05, 1, 20):
        means = np.linspace(-s, s, 21)[:, None]
        assert curvature(grid, means, s).max() <= 1 + 1e-12
        np.testing.assert_allclose(curvature(0., means, s), s**2 - means**2, atol=1e-15)
