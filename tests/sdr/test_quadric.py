"""Tests of nbs/sdr/03_quadric.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from reject_nb.sdr.families import Gaussian
from reject_nb.sdr.families import Independent

from reject_nb.sdr.quadric import quadric

def test_quadric_is_gamma():
    # A, a, b and the centred form reproduce the difference of log densities; rounding grows with the size of the terms
    rng = np.random.default_rng(0)
    for d in (1, 2, 3, 7):
        for _ in range(5):
            laws = []
            for _ in range(2):
                B = rng.normal(size=(d, d)); laws.append(Gaussian(rng.normal(size=d), B @ B.T + .2*np.eye(d)))
            X = rng.normal(size=(30, d))*3
            q = quadric(*laws)
            gamma = laws[0].g_tilde(X) - laws[1].g_tilde(X)
            np.testing.assert_allclose(q(X), gamma, rtol=1e-10, atol=1e-10)
            Z = X - q.centre
            np.testing.assert_allclose(.5*np.einsum("ni,ij,nj->n", Z, q.A, Z) + q.centre_value, gamma, rtol=1e-7, atol=1e-7)
            np.testing.assert_allclose(q.A @ q.centre + q.a, 0, atol=1e-7)


def test_kinds_of_the_cases():
    S, mu, nu = np.array([[1.3, .9], [.9, 1.3]]), [4., 6.], [3., 8.]
    kind = lambda *args: quadric(*args).kind
    assert kind(Gaussian(mu, S), Gaussian(nu, S)) == "hyperplane"
    assert kind(Gaussian(mu, S), Gaussian(nu, 2.5*S)) == "ellipsoid inside"
    assert kind(Gaussian(mu, S), Gaussian(nu, .4*S)) == "ellipsoid outside"
    assert kind(Gaussian(mu, S), Gaussian(nu, np.diag([.6, 1.4]))) == "hyperbola"
    assert kind(Gaussian(mu, S), Gaussian(mu, S)) == "everything"
    assert kind(Gaussian(mu, S), Gaussian(mu, S), -1e-3) == "empty"
    assert kind(Gaussian([0, 0], np.eye(2)), Gaussian([0, 0], np.diag([1, 2.]))) == "cylinder inside"
    assert kind(Gaussian([0, 0], np.diag([1, 2.])), Gaussian([0, 0], np.eye(2))) == "cylinder outside"
    assert kind(Gaussian([1, 0], np.eye(2)), Gaussian([0, 0], np.diag([1, 2.]))) == "paraboloid inside"
    assert kind(Gaussian([1, 0], np.diag([1, 2.])), Gaussian([0, 0], np.eye(2))) == "paraboloid outside"
    three = Gaussian([0, 0, 0], np.eye(3))
    assert kind(three, Gaussian([0, 0, 0], np.diag([2., .5, .5]))) == "hyperboloid"
    assert kind(three, Gaussian([0, 0, 0], np.diag([2., .3, 1]))) == "hyperbolic cylinder"
    assert kind(three, Gaussian([0, 0, 1], np.diag([2., .3, 1]))) == "hyperbolic paraboloid"
    assert kind(three, Gaussian([0, 0, 0], np.diag([2., .5, 1]))) == "cone" # the logarithms of 2 and 1/2 cancel
    assert kind(Gaussian(0, 1), Gaussian(1, 1)) == "hyperplane" and kind(Gaussian(0, 1), Gaussian(1, 2)) == "ellipsoid inside"


def test_levels_degenerate():
    safe, unsafe = Gaussian([0, 0], np.eye(2)), Gaussian([1, 0], 3*np.eye(2))
    least = quadric(safe, unsafe).centre_value
    for rho, kind in ((least - .01, "empty"), (least, "point"), (least + .01, "ellipsoid inside")): assert quadric(safe, unsafe, rho).kind == kind
    most = quadric(unsafe, safe).centre_value
    for rho, kind in ((most - .01, "ellipsoid outside"), (most, "everything"), (most + .01, "everything")): assert quadric(unsafe, safe, rho).kind == kind
    cone = quadric(Gaussian([0, 0], np.eye(2)), Gaussian([1, 1], np.diag([.5, 2.])))
    assert cone.kind == "hyperbola" and quadric(Gaussian([0, 0], np.eye(2)), Gaussian([1, 1], np.diag([.5, 2.])), cone.centre_value).kind == "cone"


@settings(deadline=None, max_examples=40, derandomize=True)
@given(st.integers(1, 6), st.integers(0, 10**6))
def test_kind_does_not_depend_on_coordinates(d, seed):
    rng = np.random.default_rng(seed)
    sizes, shift = rng.choice([.5, 1, 3], size=d), rng.integers(0, 2, size=d)
    T, t = rng.normal(size=(d, d)) + 3*np.eye(d), rng.normal(size=d)
    plain = Gaussian(np.zeros(d), np.eye(d)), Gaussian(shift, np.diag(sizes))
    moved = [Gaussian(T @ law.mean + t, T @ law.cov @ T.T) for law in plain]
    assert quadric(*plain, rho=.1).kind == quadric(*moved, rho=.1).kind


def test_only_gaussians():
    from reject_nb.sdr.families import Gamma
    with pytest.raises(ValueError, match="safe"): quadric(Gamma(2), Gamma(3))
    with pytest.raises(ValueError, match="unsafe"): quadric(Gaussian(0, 1), Gamma(3))
    pair = Independent([Gaussian(0, 1), Gaussian(1, 2)]), Gaussian([0, 0], np.eye(2))
    assert quadric(*pair).kind == "cylinder outside" or "paraboloid" in quadric(*pair).kind
