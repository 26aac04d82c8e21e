"""Tests of nbs/sdr/02_region.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from reject_nb.sdr.families import Bernoulli
from reject_nb.sdr.families import Beta
from reject_nb.sdr.families import Exponential
from reject_nb.sdr.families import Gamma
from reject_nb.sdr.families import Gaussian
from reject_nb.sdr.families import Independent
from reject_nb.sdr.families import Poisson

from reject_nb.sdr.region import SafeDecisionRegion, radius

@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.floats(1e-6, 1 - 1e-6), st.floats(1e-6, 1 - 1e-6))
def test_radius(p, eps):
    # symmetric in its arguments, additive, odd about one half; the log of a quotient loses a few ulp near 1
    assert radius(p, eps) == radius(eps, p)
    assert abs(radius(p, eps) - np.log(p*eps/((1 - p)*(1 - eps)))) < 1e-9
    assert abs(radius(p, .5) + radius(.5, eps) - radius(p, eps)) < 1e-12


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.one_of(st.floats(max_value=0), st.floats(min_value=1), st.just(float("nan"))))
def test_radius_refuses(value):
    with pytest.raises(ValueError, match="p_safe"): radius(value, .5)
    with pytest.raises(ValueError, match="eps"): radius(.5, [.5, value])


def test_posterior_is_bayes():
    # against densities multiplied out, where they do not underflow
    rng = np.random.default_rng(0)
    pairs = [(Gaussian([0, 1], [[2, .5], [.5, 1]]), Gaussian([1, 0], np.eye(2))), (Gamma(2, 1), Gamma(5, .7)), (Beta(2, 3), Beta(3, 1)),
             (Poisson(3), Poisson(5)), (Independent([Gamma(2), Poisson(3)]), Independent([Exponential(2), Poisson(1)]))]
    for safe, unsafe in pairs:
        region = SafeDecisionRegion(safe, unsafe)
        X = np.concatenate([safe.sample(50, rng), unsafe.sample(50, rng)])
        fs, fu = np.exp(safe.log_density(X)), np.exp(unsafe.log_density(X))
        for p in (.01, .5, .9): np.testing.assert_allclose(region.posterior(X, p), p*fs/(p*fs + (1-p)*fu), rtol=1e-9)
        np.testing.assert_allclose(np.exp(region.gamma(X)), fu/fs, rtol=1e-9)


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.floats(.01, .99), st.floats(.01, .99), st.integers(0, 10**6))
def test_scaling_form_is_the_definition(p, eps, seed):
    # Proposition 3, away from ties; 1e-9 is far above the rounding of the posterior
    region = SafeDecisionRegion(Gaussian([4, 6], [[1.3, .9], [.9, 1.3]]), Gaussian([3, 8], [[.6, 0], [0, 1.4]]))
    X = np.random.default_rng(seed).normal([3.5, 7], 3, size=(30, 2))
    posterior = region.posterior(X, p)
    clear = np.abs(posterior - (1 - eps)) > 1e-9
    assert (region.contains(X, p, eps) == (posterior >= 1 - eps))[clear].all()


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.floats(.01, .99), st.floats(.01, .99), st.floats(.01, .99))
def test_boundary_points_are_inside(p_safe, a, b):
    # eps chosen so that x = 1 is on the boundary in exact arithmetic
    eps = (1 - p_safe)*b/(p_safe*a + (1 - p_safe)*b)
    region = SafeDecisionRegion(Bernoulli(a), Bernoulli(b))
    assert region.contains([1], p_safe, eps)[0]
    assert not region.contains([1], p_safe, eps*(1 - 1e-9))[0]


def test_common_axes():
    # the one-product form against the difference of two log densities; their rounding is relative to the larger one
    rng = np.random.default_rng(4)
    for d in (1, 2, 5, 12):
        laws = []
        for _ in range(2):
            B = rng.normal(size=(d, d)); laws.append(Gaussian(rng.normal(size=d), B @ B.T + .1*np.eye(d)))
        X = rng.normal(size=(5000, d))*3
        s, u = (law.log_density(X) for law in laws)
        assert (np.abs(SafeDecisionRegion(*laws).gamma(X) - (u - s)) <= 1e-12*(1 + np.abs(s) + np.abs(u))).all()
    with pytest.raises(ValueError, match="X is too far"): SafeDecisionRegion(Gaussian(0, 1), Gaussian(1, 2)).gamma([1e200])


def test_zero_densities():
    region = SafeDecisionRegion(Exponential(1), Gaussian(2, 1))
    assert region.gamma([-1.])[0] == np.inf and region.posterior([-1.], .5)[0] == 0 and not region.contains([-1.], .999, .999)[0]
    mirrored = SafeDecisionRegion(Gaussian(2, 1), Exponential(1))
    assert mirrored.gamma([-1.])[0] == -np.inf and mirrored.posterior([-1.], .5)[0] == 1 and mirrored.contains([-1.], .001, .001)[0]
    with pytest.raises(ValueError, match="outside the support of both"): SafeDecisionRegion(Gamma(2), Exponential(1)).gamma([1, -1])
    with pytest.raises(ValueError, match="outside the support of both"): SafeDecisionRegion(Poisson(2), Poisson(3)).contains([1.5], .5, .5)


def test_bad_pairs_and_points():
    with pytest.raises(ValueError, match="unsafe"): SafeDecisionRegion(Gaussian([0, 0], np.eye(2)), Gaussian(0, 1))
    with pytest.raises(ValueError, match="unsafe"): SafeDecisionRegion(Poisson(2), Gamma(2))
    with pytest.raises(ValueError, match="safe"): SafeDecisionRegion("gaussian", Gamma(2))
    region = SafeDecisionRegion(Gaussian([0, 0], np.eye(2)), Gaussian([1, 0], np.eye(2)))
    for call in (region.gamma, lambda X: region.posterior(X, .5), lambda X: region.contains(X, .5, .5)):
        for X in ([[1., np.nan]], [[1., 2., 3.]], [1., 2.], [["a", "b"]], [[1j, 0]]):
            with pytest.raises(ValueError, match="X"): call(X)
    for p, eps, name in ((0, .5, "p_safe"), (.5, 1, "eps"), (1.5, .5, "p_safe"), (.5, -.1, "eps"), (None, .5, "p_safe")):
        with pytest.raises(ValueError, match=name): region.contains([[0, 0]], p, eps)
    with pytest.raises(ValueError, match="p_safe"): region.posterior([[0, 0]], 2)


def test_identical_laws():
    region = SafeDecisionRegion(Gamma(2, 3), Gamma(2, 3))
    rng = np.random.default_rng(0)
    for d in (1, 2, 6):
        B = rng.normal(size=(d, d)); law = Gaussian(rng.normal(size=d)*100, B @ B.T + .01*np.eye(d))
        assert (SafeDecisionRegion(law, Gaussian(law.mean, law.cov)).gamma(rng.normal(size=(9, d))*100) == 0).all()
    x = np.linspace(.1, 9, 20)
    assert (region.gamma(x) == 0).all() and region.contains(x, .5, .5).all() and not region.contains(x, .5, .4999).any()
