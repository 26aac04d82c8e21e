"""Tests of nbs/bernstein/05_worst_case.ipynb, extracted from its test cells: edit them there."""
import cvxpy as cp
import numpy as np
import pytest
from reject_nb.bernstein.formulations import FORMULATIONS
from reject_nb.bernstein.formulations import UncertaintySet
from reject_nb.bernstein.formulations import kappa
from reject_nb.bernstein.formulations import uncertainty_set
from reject_nb.bernstein.uncertain_data import UncertainData

from reject_nb.bernstein.worst_case import (
    _moves, _multiplier, _shrunk, inside, margins, norm_direction, worst_points,
)

def _cut_data(rng):
    "Three points whose box cuts the ellipsoid, some means known exactly."
    g = rng.normal(size=(3, 8, 4))
    mean, lower, upper = g.mean(axis=1), g.min(axis=1), g.max(axis=1)
    r = rng.uniform(0, .2, mean.shape)*(rng.random(mean.shape) < .7)
    return UncertainData(lower, upper, mean_lower=np.maximum(mean - r, lower),
                         mean_upper=np.minimum(mean + r, upper),
                         second_moment=(g**2).mean(axis=1) + .5)


@pytest.mark.parametrize("trial", range(6))
def test_lemma_3_worst_point_of_the_intersection_against_a_conic_program(trial):
    rng = np.random.default_rng([4, trial])
    U = _cut_data(rng)
    S, y = uncertainty_set("MM-SBMV-I", U), np.array([1., -1, 1])
    w, k = rng.normal(size=4), rng.uniform(.1, 3)
    x = worst_points(S, w, y, k)
    for i in range(3):
        # Lemma 3, (22): both sides of the infimal convolution
        a, b = cp.Variable(4), cp.Variable(4)
        box = cp.sum(cp.maximum(cp.multiply(U.lower[i], b), cp.multiply(U.upper[i], b)))
        ball = S.centre[i]@a + S.radius[i]@cp.abs(a) + k*cp.norm(cp.multiply(S.scale[i], a))
        p = cp.Problem(cp.Minimize(box + ball), [a + b == -y[i]*w])
        p.solve(solver="CLARABEL")
        assert abs(-y[i]*w@x[i] - p.value) < 1e-6*(1 + abs(p.value))      # the conic solver's tolerance
    np.testing.assert_allclose(inside(S, x, k), x, atol=1e-12)


@pytest.mark.parametrize("name", FORMULATIONS)
def test_worst_points_are_inside_and_beat_random_points(name):
    rng = np.random.default_rng(5)
    U = UncertainData.from_replicates(rng.normal(size=(5, 9, 3)))
    S, k = uncertainty_set(name, U), kappa(FORMULATIONS[name].bound, .2)
    w, y = rng.normal(size=3), np.array([1., -1, 1, -1, 1])
    x = worst_points(S, w, y, k)
    np.testing.assert_allclose(inside(S, x, k), x, atol=1e-12)
    for _ in range(100):
        z = inside(S, S.centre + rng.normal(size=(5, 3)), k)
        assert (y*(z@w) >= y*(x@w) - 1e-12).all()


def test_full_covariance_with_independent_features_is_the_diagonal_one():
    rng = np.random.default_rng(6)
    U = UncertainData.from_replicates(rng.normal(size=(4, 9, 3)))
    V = UncertainData(U.lower, U.upper, mean=U.mean, covariance=U.covariance[:, :, None]*np.eye(3))
    w, y = rng.normal(size=3), np.array([1., 1, -1, -1])
    a, b = uncertainty_set("MM-MC", U), uncertainty_set("MM-MC", V)
    np.testing.assert_allclose(margins(a, w, .3, y, 2.), margins(b, w, .3, y, 2.), atol=1e-12)
    x = U.mean + rng.normal(size=(4, 3))*3
    np.testing.assert_allclose(inside(a, x, 2.), inside(b, x, 2.), atol=1e-12)

ROOMS = [([2., 2.], [.6, .8]), ([2., .5], [.75**.5, .5]), ([.5, .5], [.5, .5]), ([0., 2.], [0., 1.])]

@pytest.mark.parametrize("room, moves", ROOMS)
def test_moves_by_hand(room, moves):
    np.testing.assert_allclose(_moves(np.array([room]), np.ones((1, 2)), np.array([[3., 4.]]))[0], moves,
                               rtol=1e-14)


def test_moves_without_axis_or_without_weight_stay():
    room = np.ones((1, 3))
    np.testing.assert_allclose(_moves(room, np.array([[0., 2., 2.]]), np.array([[1., 0., 1.]])), [[0, 0, 1]])
    # .04 + (2 theta)^2 = 1
    np.testing.assert_allclose(_multiplier(np.array([[.2, 9.]]), np.array([[1., 2.]])), [[.24**.5]])


@pytest.mark.parametrize("seed", range(4))
def test_moves_are_the_best_in_box_and_ball(seed):
    rng = np.random.default_rng(seed)
    room, half, size = rng.uniform(0, 1, (3, 1, 5))
    best = _moves(room, half, size)
    assert (best <= room + 1e-15).all() and ((best/half)**2).sum() <= 1 + 1e-12
    z = np.clip(_shrunk(rng.normal(size=(4000, 5)))*half, 0, room)
    assert (z@size[0]).max() <= best[0]@size[0] + 1e-12


def test_norm_by_hand():
    for scale in (np.array([[3., 4.]]), np.array([[[3., 0.], [0., 4.]]])):
        length, place = norm_direction(scale, np.array([1., 1.]))
        np.testing.assert_allclose(length, [5])
        np.testing.assert_allclose(place, [[1.8, 3.2]])
        assert not norm_direction(0*scale, np.array([1., 1.]))[1].any()


def test_axes_of_no_length_do_not_shrink_the_others():
    S = UncertaintySet(centre=np.zeros((1, 3)), scale=np.array([[2., 0., 1.]]), bound="bernstein")
    # on the boundary: stays
    np.testing.assert_allclose(inside(S, np.array([[2., 5., 0.]]), 1.), [[2, 0, 0]])
    np.testing.assert_allclose(inside(S, np.array([[6., 5., 4.]]), 1.), [[2*.6, 0, .8]])     # (3, -, 4)/5
    full = UncertaintySet(centre=S.centre, scale=np.array([np.diag([2., 0., 1.])]), bound="chebyshev")
    np.testing.assert_allclose(inside(full, np.array([[6., 5., 4.]]), 1.), [[2*.6, 0, .8]], atol=1e-12)


def test_intervals_come_before_ellipsoids():
    S = UncertaintySet(centre=np.zeros((1, 2)), radius=np.array([[1., 0.]]), scale=np.ones((1, 2)),
                       bound="bernstein")
    np.testing.assert_allclose(worst_points(S, [3., 4.], [-1.], 2.), [[1 + 1.2, 1.6]])
    np.testing.assert_allclose(worst_points(S, [3., -4.], [1.], 2.), [[-1 - 1.2, 1.6]])
    assert margins(S, [3., 4.], 1., [1.], 2.)[0] == -(3*2.2 + 4*1.6) + 1
    np.testing.assert_allclose(inside(S, np.array([[9., 0.]]), 2.), [[3., 0.]])
    box = UncertaintySet(centre=np.zeros((1, 2)), radius=np.array([[1., 2.]]))
    np.testing.assert_allclose(worst_points(box, [1., -1.], [1.], 0.), [[-1., 2.]])
    np.testing.assert_allclose(inside(box, np.array([[-9., 1.]]), 0.), [[-1., 1.]])
    assert margins(box, [1., -1.], .5, [-1.], 0.)[0] == -3.5
