"""Tests of nbs/sdr/06_likelihood_ratio.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from reject_nb.sdr.amounts import Beta
from reject_nb.sdr.amounts import Exponential
from reject_nb.sdr.amounts import Gamma
from reject_nb.sdr.counts import Poisson
from reject_nb.sdr.families import Independent
from reject_nb.sdr.gaussian import Gaussian

from reject_nb.sdr.likelihood_ratio import (
    check_pair, common_axes, factors_of, log_densities, radius, slack, term_size,
)

@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.floats(1e-6, 1 - 1e-6), st.floats(1e-6, 1 - 1e-6))
def test_radius(p, eps):
    # symmetric in its arguments, additive, odd about one half; the log of a quotient loses a few ulp near 1
    assert radius(p, eps) == radius(eps, p)
    assert abs(radius(p, eps) - np.log(p*eps/((1 - p)*(1 - eps)))) < 1e-9
    assert abs(radius(p, .5) + radius(.5, eps) - radius(p, eps)) < 1e-12


@pytest.mark.parametrize("value", [0, 1, -.1, 1.5, np.nan, np.inf, None, "x", True, 1j, [], [[.1], [.2, .3]],
                                   np.ma.array([.5], mask=[1])])
def test_radius_refuses(value):
    with pytest.raises(ValueError, match="^p_safe must be"): radius(value, .5)
    with pytest.raises(ValueError, match="^eps must be"): radius(.5, value)


def test_radius_broadcasts():
    assert radius([.2, .5], .5).shape == (2,) and radius(np.array([[.2], [.5]]), [.1, .2, .3]).shape == (2, 3)
    assert isinstance(radius(.5, .5), float) and radius(.5, .5) == 0
    with pytest.raises(ValueError, match="^eps must broadcast"): radius([.1, .2], [.1, .2, .3])
    with pytest.raises(ValueError, match="^eps must be .* got 1.0"): radius(.5, [.5, 1., 2.])


@pytest.mark.parametrize("safe, unsafe, word", [
    (Gaussian([0, 0], np.eye(2)), Gaussian(0, 1),
     "^unsafe must be a law of as many columns as safe, got 1 and 2"),
    (Poisson(2), Gamma(2), "^unsafe must be discrete"), ("gaussian", Gamma(2), "^safe must be a law"),
    (Gamma(2), None, "^unsafe must be a law"),
    (Independent([Poisson(2), Gamma(2)]), Independent([Gamma(2), Poisson(2)]), "^unsafe must be discrete"),
    (Gamma, Gamma(2), "^safe")])
def test_pairs_refused(safe, unsafe, word):
    with pytest.raises(ValueError, match=word): check_pair(safe, unsafe)


def test_pairs_taken():
    nested = Independent([Independent([Poisson(2), Gamma(2)]), Gaussian([0, 0], np.eye(2))])
    assert check_pair(nested, Independent([Poisson(2), Gaussian([0, 0, 0], np.eye(3))])) is None
    assert [type(f).__name__ for f in factors_of(nested)] == ["Poisson", "Gamma", "Gaussian"]


def test_no_density_at_all():
    with pytest.raises(ValueError, match="outside the support of both .*, first -1.0"):
        log_densities(Gamma(2), Exponential(1), [1., -1.])
    with pytest.raises(ValueError, match="outside the support of both"):
        log_densities(Poisson(2), Poisson(3), [1.5])
    with pytest.raises(ValueError, match="outside the support of both"):
        log_densities(Beta(.5, .5), Beta(.3, 2), [0.]) # both unbounded
    s, u = log_densities(Exponential(1), Gaussian(2, 1), [-1.])
    assert np.isneginf(s[0]) and np.isfinite(u[0])
    assert term_size(np.array([-np.inf, -3.]), np.array([2., np.inf])).tolist() == [2., 3.]


def test_slack():
    unit = np.finfo(float).eps
    assert slack(0, 0) == 32*unit and slack(0, -5.) == 160*unit and slack(np.array([7.]), 2.)[0] == 224*unit


def _pair(rng, d):
    laws = []
    for _ in range(2):
        B = rng.normal(size=(d, d))
        laws.append(Gaussian(rng.normal(size=d), B @ B.T + .1*np.eye(d)))
    return laws


@pytest.mark.parametrize("d", [1, 2, 5, 12])
def test_common_axes(d):
    # the sum over coordinates against the difference of two log densities,
    # whose rounding is relative to the larger one
    rng = np.random.default_rng(d)
    safe, unsafe = _pair(rng, d)
    X = rng.normal(size=(500, d))*3
    s, u = log_densities(safe, unsafe, X)
    axes = common_axes(safe, unsafe)
    z = (X - safe.mean) @ axes.W
    assert (np.abs((axes.lam*z*z + axes.b*z).sum(1) + axes.const - (u - s))
            <= 1e-12*(1 + np.abs(s) + np.abs(u))).all()
    # safe is standard normal in these axes, unsafe has variances 1/sigma^2
    np.testing.assert_allclose(axes.W.T @ safe.cov @ axes.W, np.eye(d), atol=1e-11)
    np.testing.assert_allclose(axes.W.T @ unsafe.cov @ axes.W, np.diag(axes.sigma**-2.),
                               atol=1e-9*(axes.sigma**-2.).max())


def test_equal_laws_have_no_differences():
    rng = np.random.default_rng(1)
    for d in (1, 3, 8):
        law = _pair(rng, d)[0]
        axes = common_axes(law, Gaussian(law.mean, law.cov))
        assert (axes.lam == 0).all() and (axes.b == 0).all() and axes.const == 0
