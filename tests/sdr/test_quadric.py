"""Tests of nbs/sdr/08_quadric.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from reject_nb.sdr.amounts import Gamma
from reject_nb.sdr.families import Independent
from reject_nb.sdr.gaussian import Gaussian

from reject_nb.sdr.quadric import kind_of, quadric, vertex_value

KINDS = [([0, 0], [0, 0], 0, "everything"), ([0, 0], [0, 0], -1e-9, "empty"),
         ([0, 0], [0, 0], -1e-11, "everything"),
         ([0, 1e-11], [0, 1], 0, "hyperplane"), ([.3, .2], [1, 1], 0, "ellipsoid inside"),
         ([-.3], [1], 0, "ellipsoid outside"),
         ([.3, 0], [1, 0], 0, "cylinder inside"), ([-.3, 0], [1, 0], 0, "cylinder outside"),
         ([.3, 0], [1, .1], 0, "paraboloid inside"),
         ([-.3, 0], [1, .1], 0, "paraboloid outside"), ([.3, -.2], [1, 1], 0, "hyperbola"),
         ([.3, -.2, .1], [1, 1, 0], 0, "hyperboloid"),
         ([.3, -.2, 0], [1, 1, 0], 0, "hyperbolic cylinder"),
         ([.3, -.2, 0], [1, 1, 1], 0, "hyperbolic paraboloid"),
         # levels at and around the vertex: -(1/(4*.25)) = -1 for the bowls, 0 for the saddle
         ([.25], [1], -1, "point"), ([.25], [1], -1.001, "empty"), ([.25, 0], [1, 0], -1, "flat"),
         ([-.25], [1], 1, "everything"),
         ([-.25], [1], .999, "ellipsoid outside"), ([-.25], [1], 1.001, "everything"),
         ([.25, -.25], [1, 1], 0, "cone"),
         ([.25, -.25], [1, 1], 1e-6, "hyperbola"), ([.25, -.25, 0], [1, 1, 0], 0, "cone"),
         ([.25], [1], -1 + 1e-9, "ellipsoid inside"),
         ([1e-11, 1], [0, 0], 1, "cylinder inside"), ([1e-9, 1], [0, 0], 1, "ellipsoid inside")]

@pytest.mark.parametrize("lam, b, level, kind", KINDS)
def test_kinds(lam, b, level, kind): assert kind_of(np.array(lam, float), np.array(b, float), level) == kind


@pytest.mark.parametrize("lam, b, value", [([.25], [1], -1), ([.25, -.5], [1, 2], 1), ([0, .25], [5, 2], -4)])
def test_vertex(lam, b, value): assert vertex_value(np.array(lam, float), np.array(b, float)) == value

PLANE = np.array([[1.3, .9], [.9, 1.3]])
THREE = Gaussian([0, 0, 0], np.eye(3))
PAIRS = [
    (Gaussian([4., 6.], PLANE), Gaussian([3., 8.], PLANE), "hyperplane"),
    (Gaussian([4., 6.], PLANE), Gaussian([3., 8.], 2.5*PLANE), "ellipsoid inside"),
    (Gaussian([4., 6.], PLANE), Gaussian([3., 8.], .4*PLANE), "ellipsoid outside"),
    (Gaussian([4., 6.], PLANE), Gaussian([3., 8.], np.diag([.6, 1.4])), "hyperbola"),
    (Gaussian([4., 6.], PLANE), Gaussian([4., 6.], PLANE), "everything"),
    (Gaussian([0, 0], np.eye(2)), Gaussian([0, 0], np.diag([1, 2.])), "cylinder inside"),
    (Gaussian([0, 0], np.diag([1, 2.])), Gaussian([0, 0], np.eye(2)), "cylinder outside"),
    (Gaussian([1, 0], np.eye(2)), Gaussian([0, 0], np.diag([1, 2.])), "paraboloid inside"),
    (Gaussian([1, 0], np.diag([1, 2.])), Gaussian([0, 0], np.eye(2)), "paraboloid outside"),
    (THREE, Gaussian([0, 0, 0], np.diag([2., .5, .5])), "hyperboloid"),
    (THREE, Gaussian([0, 0, 0], np.diag([2., .3, 1])), "hyperbolic cylinder"),
    (THREE, Gaussian([0, 0, 1], np.diag([2., .3, 1])), "hyperbolic paraboloid"),
    (THREE, Gaussian([0, 0, 0], np.diag([2., .5, 1])), "cone"), # the logarithms of 2 and 1/2 cancel
    (Gaussian(0, 1), Gaussian(1, 1), "hyperplane"), (Gaussian(0, 1), Gaussian(1, 2), "ellipsoid inside"),
    (Independent([Gaussian(0, 1), Gaussian(0, 2)]), Gaussian([0, 0], np.eye(2)), "cylinder outside")]

@pytest.mark.parametrize("safe, unsafe, kind", PAIRS)
def test_kinds_of_the_cases(safe, unsafe, kind):
    q = quadric(safe, unsafe)
    assert q.kind == kind and q.rho == 0
    has_centre = "paraboloid" not in kind and kind not in ("hyperplane", "everything")
    assert (q.centre is not None) == (q.centre_value is not None) == has_centre
    if has_centre:
        assert abs(q([q.centre.tolist()])[0] - q.centre_value) < 1e-12 and np.abs(q.A @ q.centre
                                                                                  + q.a).max() < 1e-12


def test_identical_laws_below_level_zero():
    law = Gaussian([4., 6.], PLANE)
    assert quadric(law, law, -1e-3).kind == "empty" and quadric(law, law, 1e-3).kind == "everything"


@pytest.mark.parametrize("d", [1, 2, 3, 7])
def test_quadric_is_gamma(d):
    # A, a, b and the centred form reproduce the difference of log densities;
    # rounding grows with the size of the terms
    rng = np.random.default_rng(d)
    laws = []
    for _ in range(2):
        B = rng.normal(size=(d, d))
        laws.append(Gaussian(rng.normal(size=d), B @ B.T + .2*np.eye(d)))
    X = rng.normal(size=(30, d))*3
    q = quadric(*laws)
    gamma = laws[0].g_tilde(X) - laws[1].g_tilde(X)
    np.testing.assert_allclose(q(X), gamma, rtol=1e-10, atol=1e-10)
    Z = X - q.centre
    np.testing.assert_allclose(.5*np.einsum("ni,ij,nj->n", Z, q.A, Z) + q.centre_value, gamma, rtol=1e-7,
                               atol=1e-7)
    assert (q.A == q.A.T).all()


def test_levels_degenerate():
    safe, unsafe = Gaussian([0, 0], np.eye(2)), Gaussian([1, 0], 3*np.eye(2))
    least, most = quadric(safe, unsafe).centre_value, quadric(unsafe, safe).centre_value
    found = [quadric(safe, unsafe, least + step).kind for step in (-.01, 0, .01)]
    assert found == ["empty", "point", "ellipsoid inside"]
    found = [quadric(unsafe, safe, most + step).kind for step in (-.01, 0, .01)]
    assert found == ["ellipsoid outside", "everything", "everything"]
    crossing = Gaussian([1, 1], np.diag([.5, 2.]))
    assert quadric(safe, crossing).kind == "hyperbola"
    assert quadric(safe, crossing, quadric(safe, crossing).centre_value).kind == "cone"


@settings(deadline=None, max_examples=40, derandomize=True)
@given(st.integers(1, 6), st.integers(0, 10**6))
def test_kind_does_not_depend_on_coordinates(d, seed):
    rng = np.random.default_rng(seed)
    sizes, shift = rng.choice([.5, 1, 3], size=d), rng.integers(0, 2, size=d)
    T, t = rng.normal(size=(d, d)) + 3*np.eye(d), rng.normal(size=d)
    plain = Gaussian(np.zeros(d), np.eye(d)), Gaussian(shift, np.diag(sizes))
    moved = [Gaussian(T @ law.mean + t, T @ law.cov @ T.T) for law in plain]
    assert quadric(*plain, rho=.1).kind == quadric(*moved, rho=.1).kind


@pytest.mark.parametrize("safe, unsafe, word",
                         [(Gamma(2), Gamma(3), "^safe must be Gaussian"),
                          (Gaussian(0, 1), Gamma(3), "^unsafe must be"),
                                                (None, Gaussian(0, 1), "^safe must be")])
def test_only_gaussians(safe, unsafe, word):
    with pytest.raises(ValueError, match=word): quadric(safe, unsafe)


def test_bad_levels_and_points():
    for rho in (np.nan, None, "0", True):
        with pytest.raises(ValueError, match="^rho must be"): quadric(THREE, THREE, rho)
    q = quadric(Gaussian(0, 1), Gaussian(1, 2))
    for X, word in (([np.nan], "^X must be"), ([[1, 2]], "^X must be"), ([1e200], "^X must be")):
        with pytest.raises(ValueError, match=word): q(X)
    with pytest.raises(ValueError, match="^X is too far out"):
        quadric(Gaussian(0, 1e-20), Gaussian(1, 2e-20))([1e149])
