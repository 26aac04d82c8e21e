"""Tests of nbs/bernstein/01_moments.ipynb, extracted from its test cells: edit them there."""
import numpy as np

from reject_nb.bernstein.moments import curvature, extremal_law, log_moment_bound, moment_bound

def test_extremal_law_has_the_moments():
    for mu in np.linspace(-.7, .7, 15):
        for side in (1, -1):
            x, m = extremal_law(mu, .7, side)
            assert abs(x).max() <= 1 + 1e-15 and m.min() >= 0
            np.testing.assert_allclose([m.sum(), x@m, (x**2)@m], [1, mu, .49], atol=1e-14)   # rounding of a few operations


def test_bound_is_attained_by_the_extremal_law_and_holds_for_random_laws():
    rng = np.random.default_rng(3)
    for _ in range(300):
        x = rng.uniform(-1, 1, 4); p = rng.dirichlet(np.ones(4))
        mu, sigma, t = x@p, np.sqrt(x**2@p), rng.normal()*4
        g = moment_bound(t, mu, sigma)
        assert np.exp(t*x)@p <= g*(1 + 1e-12)
        points, mass = extremal_law(mu, sigma, 1 if t >= 0 else -1)
        np.testing.assert_allclose(np.exp(t*points)@mass, g, rtol=1e-12)     # rounding


def test_bound_survives_large_arguments_and_degenerate_moments():
    np.testing.assert_allclose(log_moment_bound([800., -800.], 0, .5), 800 + np.log(.2), rtol=1e-14)
    np.testing.assert_array_equal(log_moment_bound([2., -2.], .5, .5), [1., -1.])    # zero variance: a point mass
    np.testing.assert_allclose(moment_bound(1.5, .3, 1), np.cosh(1.5) + .3*np.sinh(1.5), rtol=1e-14)


def test_bound_grows_with_the_second_moment():
    s = np.linspace(.4, 1, 200)
    for t in (-5, -.5, .5, 5):
        assert (np.diff(log_moment_bound(t, .3, s)) >= -1e-15).all()


def test_curvature_is_the_second_derivative_and_at_most_one():
    for mu, s in ((.2, .5), (-.6, .7), (0, 1), (.1, .15)):
        t, e = np.array([-3., -.7, .4, 2.5]), 1e-4
        numeric = (log_moment_bound(t + e, mu, s) - 2*log_moment_bound(t, mu, s) + log_moment_bound(t - e, mu, s))/e**2
        np.testing.assert_allclose(curvature(t, mu, s), numeric, atol=1e-6)    # rounding 1e-16/e^2
    grid = np.linspace(-40, 40, 4001)
    for s in np.linspace(.05, 1, 20):
        for mu in np.linspace(-s, s, 21):
            assert curvature(grid, mu, s).max() <= 1 + 1e-12
