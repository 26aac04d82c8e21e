"""Tests of nbs/bernstein/07_scaling.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest

from reject_nb.bernstein.scaling import (
    LEAST, _depth, _fill_row, _reach, centring, corrected, empty_scaling, nesterov_todd, scaled_directions,
    unscale,
)

def _points(n, k, seed=0, least=1e-3):
    "n random points inside cones of dimension 1+k."
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 1 + k))
    X[:, 0] = np.linalg.norm(X[:, 1:], axis=1) + rng.uniform(least, 2, n)
    return X


def _dense(at, i):
    "W of row i as a matrix: the symmetric square root of eta^2 (2 u u' - J), by eigenvalues."
    J = np.diag([1.] + [-1.]*(at.u.shape[1] - 1))
    values, vectors = np.linalg.eigh(at.eta2[i]*(2*np.outer(at.u[i], at.u[i]) - J))
    return vectors*np.sqrt(values)@vectors.T

BOTH = pytest.mark.parametrize("scale, undo", [(nesterov_todd, unscale),
                                               (nesterov_todd.py_func, unscale.py_func)],
                               ids=["compiled", "python"])

@BOTH
@pytest.mark.parametrize("k", [1, 2, 5])
def test_one_map_takes_both_sides_to_one_point(scale, undo, k):
    S, Z = _points(4, k), _points(4, k, seed=1)
    at, back = empty_scaling(4, k), np.empty_like(S)
    assert scale(S, Z, at)
    undo(at, S, back)
    np.testing.assert_allclose(back, at.lam, rtol=1e-10)                     # cones 1e-3 from their boundary
    np.testing.assert_allclose(at.u[:, 0]**2 - (at.u[:, 1:]**2).sum(axis=1), 1, rtol=1e-10)
    for i in range(4):
        W = _dense(at, i)
        np.testing.assert_allclose(W@Z[i], at.lam[i], rtol=1e-9)
        np.testing.assert_allclose(W@W@Z[i], S[i], rtol=1e-9)
        np.testing.assert_allclose(W@back[i], S[i], rtol=1e-9)


def test_mirror_images_meet_on_the_axis():
    at = empty_scaling(2, 1)
    assert nesterov_todd(np.array([[5., 3.], [5., 3.]]), np.array([[5., -3.], [20., -12.]]), at)
    # four times the multiplier: twice the point
    np.testing.assert_allclose(at.lam, [[4, 0], [8, 0]], atol=1e-14)
    np.testing.assert_allclose(at.eta2, [1, .25], rtol=1e-15)
    np.testing.assert_allclose(at.u, [[1.25, .75]]*2, rtol=1e-15)


@pytest.mark.parametrize("scale", [nesterov_todd, nesterov_todd.py_func])
@pytest.mark.parametrize("s, z", [([1., 2.], [2., 0.]), ([2., 0.], [1., 1.]), ([1., 1.], [2., 0.]),
                                  ([float("nan"), 0.], [2., 0.])])
def test_points_outside_or_on_the_boundary_are_reported(scale, s, z):
    rows = np.array([[2., 1.], s]), np.array([[2., 1.], z])
    assert not scale(*rows, empty_scaling(2, 1))
    assert scale(rows[0][:1], rows[1][:1], empty_scaling(1, 1))


def test_depth_by_hand():
    for depth in (_depth, _depth.py_func):
        assert depth(5., 9.) == 16 and depth(5., 25.) == 0 and depth(1., 4.) == -3
    S, Z = _points(1, 2), _points(1, 2, seed=1)
    a, b = empty_scaling(1, 2), empty_scaling(1, 2)
    for fill, at in ((_fill_row, a), (_fill_row.py_func, b)): fill(S, Z, at, 0, .3, .7, 2.)
    np.testing.assert_allclose(a.u[0], .3*S[0] + .7*Z[0]*[1, -1, -1], rtol=1e-14)
    for x, y in zip(a, b): np.testing.assert_allclose(x, y, rtol=1e-14)

DIRECTIONS = pytest.mark.parametrize("directions", [scaled_directions, scaled_directions.py_func],
                                     ids=["compiled", "python"])

@DIRECTIONS
@pytest.mark.parametrize("seed", range(6))
def test_the_longest_step_ends_on_the_boundary(directions, seed):
    S, Z = _points(3, 3, seed), _points(3, 3, seed + 50)
    rng = np.random.default_rng(seed)
    at, ds, dz = empty_scaling(3, 3), np.empty_like(S), np.empty_like(S)
    nesterov_todd(S, Z, at)
    dS, w = rng.normal(size=S.shape), rng.normal(size=S.shape)
    t = 1/directions(at, w, dS, ds, dz)
    np.testing.assert_allclose(ds + dz, -w, atol=1e-12)
    for i in range(3): np.testing.assert_allclose(_dense(at, i)@ds[i], dS[i], atol=1e-9)
    ends = lambda step: np.concatenate([at.lam + step*ds, at.lam + step*dz])
    depth = lambda step: min(p[0] - np.linalg.norm(p[1:]) for p in ends(step))
    assert abs(depth(t)) < 1e-8*(1 + t) and depth(.999*t) > 0 > depth(1.001*t)


@DIRECTIONS
def test_directions_into_the_cone_have_no_longest_step(directions):
    S = np.array([[2., 0.]])
    at, ds, dz = empty_scaling(1, 1), np.empty((1, 2)), np.empty((1, 2))
    nesterov_todd(S, S, at)
    assert directions(at, np.array([[-2., 0.]]), np.array([[1., 0.]]), ds, dz) == 0


@pytest.mark.parametrize("reach", [_reach, _reach.py_func])
def test_reach_by_hand(reach):
    assert reach(2., 0., -1., 0., 0.) == .5 and reach(2., 0., 0., 0., 1.) == .5
    np.testing.assert_allclose(reach(5., 9., -3., 3., 1.), 2, rtol=1e-14)      # 5 - 3t = 3 + t: after t = 1/2


def test_the_corrector_aims_low_but_not_at_nothing():
    assert centring(2., 8.) == 1. and centring(1e-300, 3.) == .03 and centring(1., 1.) == LEAST
    assert centring(4., 64.) == 27.


def _product(x, y):
    "x o y, row by row."
    return np.column_stack([(x*y).sum(axis=1), x[:, :1]*y[:, 1:] + y[:, :1]*x[:, 1:]])


@pytest.mark.parametrize("correct", [corrected, corrected.py_func], ids=["compiled", "python"])
@pytest.mark.parametrize("shift", [0., .3])
def test_the_correction_solves_its_equation(correct, shift):
    S, Z = _points(5, 3, 7), _points(5, 3, 8)
    rng = np.random.default_rng(9)
    at, w, out, back = empty_scaling(5, 3), np.empty_like(S), np.empty_like(S), np.empty_like(S)
    nesterov_todd(S, Z, at)
    ds, dz = rng.normal(size=(2, 5, 4))
    correct(at, ds, dz, shift, w, out)
    wanted = _product(ds, dz) - shift*np.array([1., 0, 0, 0])
    np.testing.assert_allclose(_product(at.lam, w - at.lam), wanted, atol=1e-9*abs(wanted).max())
    unscale(at, w, back)
    np.testing.assert_array_equal(out, back)
