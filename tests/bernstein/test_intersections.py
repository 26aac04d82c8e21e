"""Tests of nbs/bernstein/09_intersections.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.bernstein.cones import Values
from reject_nb.bernstein.formulations import UncertaintySet
from reject_nb.bernstein.intersections import _over
from reject_nb.bernstein.scaling import empty_scaling
from reject_nb.bernstein.scaling import nesterov_todd

from reject_nb.bernstein.intersections import (
    Force, HullSystem, _apply, _start, _transpose, hull_data, lines, reach, respond, springs, unknowns,
)

def _sets(kind, n=5, d=3, seed=0):
    "Random sets: kind holds 'r' for intervals of means, '0' for some features without width or variance."
    rng = np.random.default_rng(seed)
    half, scale = rng.uniform(.1, .5, (2, n, d))
    r = half*rng.uniform(0, .3, (n, d))*[1., 0., 1.] if "r" in kind else None
    if "0" in kind: half[0, 0] = scale[0, 0] = scale[1, 1] = half[2, 2] = 0
    centre = rng.normal(size=(n, d))
    return UncertaintySet(centre=centre + half*rng.uniform(-.4, .4, (n, d)),
                          radius=r if "0" not in kind or r is None else r*(half > 0),
                          scale=scale, box_centre=centre, box_half=half, bound="bernstein")


def _random(kind, seed=0):
    "HullData and random unknowns and multipliers for it."
    rng = np.random.default_rng(seed + 100)
    data = hull_data(_sets(kind, seed=seed), np.array([1., -1, 1, -1, 1]), 1.3, .7)
    x = rng.normal(size=4 + 5 + 15*(2 if data.kinked is None else 3))
    value = _apply(data, x)
    return data, x, Values(rng.normal(size=value.linear.shape), rng.normal(size=value.cone.shape))

KINDS = pytest.mark.parametrize("kind", ["", "r", "0", "r0"])

@KINDS
def test_transpose_is_the_adjoint(kind):
    data, x, z = _random(kind)
    value = _apply(data, x)
    np.testing.assert_allclose(value.linear@z.linear + np.vdot(value.cone, z.cone), x@_transpose(data, z),
                               rtol=1e-12)


@KINDS
def test_constraints_say_what_the_model_says(kind):
    data, x, _ = _random(kind)
    sets, at, value = _sets(kind), unknowns(data, x), _apply(data, x)
    s, c = sets.box_half, sets.box_centre
    y, wall = data.y[:, None], (s > 0) & (sets.scale > 0)
    w, plus, minus = at.plane[:-1], np.where(wall, at.plus, 0), np.where(wall, at.minus, 0)
    z = w - plus + minus
    q = at.kink if sets.radius is not None else 0
    offset = y*(sets.centre - c)
    first = data.y*(sets.centre@w + at.plane[-1]) + at.slack
    first -= ((s + offset)*plus + (s - offset)*minus).sum(axis=1)
    if sets.radius is not None: first -= (sets.radius*q).sum(1)
    np.testing.assert_allclose(value.cone[:, 0], first, rtol=1e-12)
    np.testing.assert_allclose(value.cone[:, 1:], 1.3*sets.scale*z, rtol=1e-12)
    found = lines(data, value.linear)
    np.testing.assert_array_equal(found.slack, at.slack)
    np.testing.assert_array_equal(found.plus, plus)
    np.testing.assert_array_equal(found.minus, minus)
    if sets.radius is not None:
        np.testing.assert_allclose(found.up, np.where(sets.radius > 0, q - z, 0), atol=1e-15)
        np.testing.assert_allclose(found.down, np.where(sets.radius > 0, q + z, 0), atol=1e-15)


def _blocks(data, at, omega, i, j):
    "The local block of one coordinate, in (P+, P-, q), and its coupling to w_j."
    own = lines(data, omega)
    s = data.split[i, j]
    up, down = (0., 0.) if data.kinked is None else (own.up[i, j]*data.kinked[i, j],
                                                     own.down[i, j]*data.kinked[i, j])
    h = at.cone[i, j] + up + down
    block = np.array([[own.plus[i, j] + s*h, -s*h, s*(up - down)],
                      [-s*h, own.minus[i, j] + s*h, -s*(up - down)],
                      [s*(up - down), -s*(up - down), up + down if up + down > 0 else 1.]])
    return block, np.array([-s*h, s*h, down - up])


@pytest.mark.parametrize("seed", range(3))
@KINDS
def test_local_blocks_against_dense_inverses(kind, seed):
    data, _, z = _random(kind, seed)
    rng = np.random.default_rng(seed)
    omega = rng.uniform(.1, 3, len(z.linear))
    at = springs(data, omega, rng.uniform(.5, 2, 5))
    plus, minus, push, kink = rng.normal(size=(4, 5, 3))
    plus, minus, push = plus*data.split, minus*data.split, push*data.split
    kink = None if data.kinked is None else kink*data.kinked
    moved = respond(data, at, Force(plus, minus, kink, push))
    pulled = reach(data, at, Force(plus, minus, kink, None))
    np.testing.assert_allclose(moved.difference, moved.plus - moved.minus, atol=1e-12)
    for i, j in np.ndindex(5, 3):
        block, coupling = _blocks(data, at, omega, i, j)
        q = 0. if kink is None else kink[i, j]
        want = np.linalg.solve(block, [plus[i, j] + push[i, j], minus[i, j] - push[i, j], q])
        np.testing.assert_allclose([moved.plus[i, j], moved.minus[i, j]], want[:2], atol=1e-12)
        if kink is not None: np.testing.assert_allclose(moved.kink[i, j], want[2], atol=1e-12)
        still = np.linalg.solve(block, [plus[i, j], minus[i, j], q])
        np.testing.assert_allclose(pulled[i, j], -coupling@still, atol=1e-12)
        stiff = at.alone[i, j] - coupling@np.linalg.solve(block, coupling)
        np.testing.assert_allclose(at.eased[i, j]*at.through[i, j], stiff, atol=1e-12)


def test_absent_forces_are_zero():
    data, _, z = _random("r")
    at = springs(data, np.ones(len(z.linear)), np.ones(5))
    push, none = np.random.default_rng(0).normal(size=(5, 3)), np.zeros((5, 3))
    for a, b in zip(respond(data, at, Force(None, None, None, push)),
                    respond(data, at, Force(none, none, none, push))): np.testing.assert_array_equal(a, b)


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


def _inside(n, k, seed):
    "A scaling between random points inside cones."
    rng = np.random.default_rng(seed)
    S, Z = rng.normal(size=(2, n, 1 + k))
    for X in (S, Z): X[:, 0] = np.linalg.norm(X[:, 1:], axis=1) + rng.uniform(.2, 2, n)
    at = empty_scaling(n, k)
    assert nesterov_todd(S, Z, at)
    return at


@KINDS
def test_the_start_is_strictly_inside_and_balanced(kind):
    data, _, _ = _random(kind)
    x, z = _start(data)
    value, live = _apply(data, x), HullSystem(*data).live
    assert (value.linear[live > 0] > 0).all() and z.linear.min() > 0 and not value.linear[live == 0].any()
    assert (value.cone[:, 0] - 1 > .5 + np.linalg.norm(value.cone[:, 1:], axis=1)).all()
    assert (z.cone[:, 0] > 0).all()
    rest = unknowns(data, _transpose(data, Values(z.linear*live, z.cone)))
    # the gradient of the sum of slacks
    np.testing.assert_allclose(rest.slack, 1, rtol=1e-14)
    assert abs(rest.plane[-1]) < 1e-14
    for block in (rest.plus, rest.minus, rest.kink): assert block is None or abs(block).max() < 1e-14


@KINDS
@pytest.mark.parametrize("seed", range(4))
def test_elimination_solves_the_full_system(kind, seed):
    data, x, _ = _random(kind, seed)
    system = HullSystem(*data)
    rng = np.random.default_rng(seed)
    at, omega = _inside(5, 3, seed), rng.uniform(.1, 3, len(system.live))
    omega[system.live == 0] = 1.
    M = _full_matrix(system, omega, at, len(x))
    # unknowns that are not there stay 0
    exists = M.diagonal() > 0
    x = np.where(exists, x, 0.)
    np.testing.assert_allclose(system.solve(system.factor(omega, at), M@x)[exists], x[exists], rtol=1e-8,
                               atol=1e-9)
    local = exists.copy()
    local[:4] = False
    schur = M[:4, :4] - M[:4, local]@np.linalg.solve(M[np.ix_(local, local)], M[local][:, :4])
    np.testing.assert_allclose(system.factor(omega, at).normal.matrix, schur, atol=1e-9)


@KINDS
def test_weights_times_points_is_the_gradient_of_the_multipliers(kind):
    data, _, z = _random(kind)
    z.cone[:, 0] = abs(z.cone[:, 0]) + .1
    points = HullSystem(*data).points(_sets(kind), z)
    np.testing.assert_allclose((z.cone[:, 0]*data.y)@points, _transpose(data, z)[:3], rtol=1e-12)


def test_shapes_of_the_whole_system():
    system = HullSystem(*_random("r0")[0])
    assert np.arange(60)[system.slots].tolist() == [4, 5, 6, 7, 8]
    live = lines(system, system.live)
    assert live.slack.tolist() == [1]*5 and live.plus.sum() == 12 and live.minus.sum() == 12
    assert live.up.sum() == live.down.sum() == system.kinked.sum() == 8


def test_what_is_not_there_has_no_inverse():
    assert _over(np.array([1., 0, 1]), np.array([4., 2, .5])).tolist() == [.25, 0, 2]
