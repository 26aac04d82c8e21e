"""Tests of nbs/bernstein/08_cones.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.bernstein.formulations import UncertaintySet
from reject_nb.bernstein.scaling import Scaling
from reject_nb.bernstein.scaling import empty_scaling
from reject_nb.bernstein.scaling import nesterov_todd
from types import SimpleNamespace

from reject_nb.bernstein.cones import (
    ConeSystem, Values, _apply, _diagonal_dyads, _start, _transpose, balanced, cone_data, dyads, kinked,
    normal_matrix,
)

def _sets(kind, n=5, d=3, seed=0):
    "Random sets: kind holds 'r' for intervals of means, 'd' for ellipsoids, 'f' for full covariances."
    rng = np.random.default_rng(seed)
    r = rng.uniform(0, .3, (n, d))*[1., 0., 1.] if "r" in kind else None
    scale = rng.uniform(.1, .5, (n, d)) if "d" in kind else None
    if "f" in kind: scale = rng.normal(size=(n, d, d))*.2
    return UncertaintySet(centre=rng.normal(size=(n, d)), radius=r, scale=scale, bound="bernstein")


def _random(kind, seed=0):
    "ConeData and random unknowns and multipliers for it."
    rng = np.random.default_rng(seed + 100)
    data = cone_data(_sets(kind, seed=seed), np.array([1., -1, 1, -1, 1]), 1.3, .7)
    x = rng.normal(size=data.n_plane + 5)
    value = _apply(data, x)
    return data, x, Values(rng.normal(size=value.linear.shape), rng.normal(size=value.cone.shape))

KINDS = pytest.mark.parametrize("kind", ["", "r", "d", "rd", "f", "rf"])

@KINDS
def test_transpose_is_the_adjoint(kind):
    data, x, z = _random(kind)
    value = _apply(data, x)
    np.testing.assert_allclose(value.linear@z.linear + np.vdot(value.cone, z.cone), x@_transpose(data, z),
                               rtol=1e-12)


@KINDS
def test_constraints_say_what_the_model_says(kind):
    data, x, _ = _random(kind)
    sets, w, b = _sets(kind), x[:3], x[3]
    value = _apply(data, x)
    v = np.zeros(3)
    v[data.kinks] = x[4:data.n_plane]
    radius = 0 if sets.radius is None else sets.radius@v
    np.testing.assert_allclose(value.cone[:, 0], data.y*(sets.centre@w + b) + x[data.n_plane:] - radius,
                               rtol=1e-12)
    if "d" in kind: np.testing.assert_allclose(value.cone[:, 1:], 1.3*sets.scale*w, rtol=1e-12)
    if "f" in kind:
        np.testing.assert_allclose((value.cone[:, 1:]**2).sum(1), [1.69*w@D@D.T@w for D in sets.scale],
                                   rtol=1e-12)
    np.testing.assert_array_equal(data.kinks, [0, 2] if "r" in kind else [])
    np.testing.assert_array_equal(value.linear,
                                  np.concatenate([x[data.n_plane:], (v - w)[data.kinks],
                                                  (v + w)[data.kinks]]))


@KINDS
def test_the_start_is_strictly_inside_and_balanced(kind):
    data, _, _ = _random(kind)
    x, z = _start(data)
    value = _apply(data, x)
    assert value.linear.min() > 0 and z.linear.min() > 0
    assert (value.cone[:, 0] - 1 > .5 + np.linalg.norm(value.cone[:, 1:], axis=1)).all()
    assert (z.cone[:, 0] > 0).all()
    rest = _transpose(data, z)
    # the gradient of the sum of slacks
    rest[data.n_plane:] -= 1
    np.testing.assert_allclose(rest[data.d:], 0, atol=1e-14)                # all equations but that of w
    assert not x[:data.d + 1].any()


def test_balanced_by_hand():
    np.testing.assert_allclose(balanced(np.array([1., 1, 1, -1])), [1/6, 1/6, 1/6, .5])
    np.testing.assert_allclose(balanced(np.array([1., -1, -1])), [.5, .25, .25])


def _full_matrix(system, omega, at, size):
    "P + A'W^-2 A in all unknowns, from A alone."
    values = [system.apply(e) for e in np.eye(size)]
    line = np.array([v.linear for v in values])
    mirror = np.ones(at.u.shape[1])
    mirror[1:] = -1
    M = line*omega@line.T + np.diag(np.where(np.arange(size) < system.d, system.phi, 0.))
    for i in range(len(at.u)):
        rows, turned = np.array([v.cone[i] for v in values]), at.u[i]*mirror
        M += rows@(2*np.outer(turned, turned) - np.diag(mirror))@rows.T/at.eta2[i]
    return M


def test_full_matrix_by_hand():
    one = ConeSystem(*cone_data(UncertaintySet(centre=np.array([[3.]])), np.array([1.]), 0., 2.))
    M = _full_matrix(one, np.array([5.]), Scaling(np.ones((1, 1)), np.array([4.]), np.ones((1, 1))), 3)
    # phi, (3, 1, 1)/eta, omega
    np.testing.assert_allclose(M, [[2 + 9/4, 3/4, 3/4], [3/4, 1/4, 1/4], [3/4, 1/4, 5 + 1/4]])


def _inside(n, k, seed):
    "Points inside cones, and a scaling between them."
    rng = np.random.default_rng(seed)
    S, Z = rng.normal(size=(2, n, 1 + k))
    for X in (S, Z): X[:, 0] = np.linalg.norm(X[:, 1:], axis=1) + rng.uniform(.2, 2, n)
    at = empty_scaling(n, k)
    assert nesterov_todd(S, Z, at)
    return at


@KINDS
@pytest.mark.parametrize("seed", range(3))
def test_elimination_solves_the_full_system(kind, seed):
    data, x, _ = _random(kind, seed)
    system = ConeSystem.of(data)
    rng = np.random.default_rng(seed)
    at, omega = _inside(5, 0 if data.axes is None else 3, seed), rng.uniform(.1, 3, len(system.live))
    M = _full_matrix(system, omega, at, len(x))
    np.testing.assert_allclose(system.solve(system.factor(omega, at), M@x), x, rtol=1e-9, atol=1e-9)
    own = dyads(data, omega[:5], at)
    N = data.n_plane
    schur = M[:N, :N] - M[:N, N:]@np.linalg.solve(M[N:, N:], M[N:, :N])
    np.testing.assert_allclose(normal_matrix(data, own, omega), schur, atol=1e-10)


@KINDS
def test_weights_times_points_is_the_gradient_of_the_multipliers(kind):
    data, _, z = _random(kind)
    z.cone[:, 0] = abs(z.cone[:, 0]) + .1
    pull = z.cone[:, 0]@-data.rows[:, 4:]                                   # so that the equation of v holds
    z.linear[5:] = np.concatenate([.3*pull, .7*pull])
    sets = _sets(kind)
    points = ConeSystem(*data).points(sets, z)
    np.testing.assert_allclose((z.cone[:, 0]*data.y)@points, _transpose(data, z)[:3], rtol=1e-12)
    if "r" in kind and "d" not in kind and "f" not in kind:
        assert (abs(points - sets.centre) <= sets.radius + 1e-15).all()


def test_dyads_uncompiled():
    data, _, _ = _random("rd")
    at, omega = _inside(5, 3, 0), np.linspace(1, 2, 5)
    own = dyads(data, omega, at)
    F, G = np.empty_like(own.F), np.empty_like(own.G)
    scales = own.c*own.k, -2*own.c*at.u[:, 0], -np.sqrt(2/(own.k*at.eta2))
    _diagonal_dyads.py_func(data.rows, data.axes, at.u, *scales, F, G)
    np.testing.assert_allclose(F, own.F, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(G, own.G, rtol=1e-12, atol=1e-15)


def test_slots_by_hand():
    system = ConeSystem(*_random("r")[0])
    assert np.arange(20)[:system.n_plane + 5][system.slots].tolist() == [6, 7, 8, 9, 10]
    assert system.live.tolist() == [1.]*9


def test_kinks_are_the_features_with_an_interval():
    "A feature whose mean is an interval for one point of three has a kink, one without any has none."
    radius = np.array([[0., .1, 0.], [0., 0., 0.], [.2, .3, 0.]])
    assert kinked(SimpleNamespace(radius=radius)).tolist() == [0, 1]
    assert kinked(SimpleNamespace(radius=None)).tolist() == []
