"""Tests of nbs/mcsvm/04_interior_point.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.mcsvm.offsets import offsets_and_losses
from reject_nb.mcsvm.problem import Costs
from reject_nb.mcsvm.problem import cost_weights
from reject_nb.mcsvm.problem import hinge_sum
from reject_nb.mcsvm.problem import solve_reference

from reject_nb.mcsvm.interior_point import (
    ALPHA, COST, Pairs, Problem, R, _advance, _assemble, _begin, _correct, _direction, _gram, _gram_small,
    _ridge_start, _sums, make_pairs, solve_all_pairs, whiten,
)

@pytest.mark.parametrize("scales", ([1., 1., 1.], [1., 1e-6, 1e3]))
def test_whitened_problem_has_the_same_scores_and_penalty(scales):
    # the second set of scales goes through the triangular factor; a spread of 1e9 leaves 7 digits of the
    # smallest direction
    rng, eta = np.random.default_rng(1), .2
    Z = rng.normal(size=(50, 3))@rng.normal(size=(3, 3))*scales+5
    w = rng.normal(size=3)/scales
    Q, lam, back = whiten(Z, eta)
    u = Q.T@((Z-Z.mean(0))@w)/50
    np.testing.assert_allclose(Q.T@Q/50, np.eye(3), atol=1e-6)
    np.testing.assert_allclose(Q@u, (Z-Z.mean(0))@w, atol=1e-6)
    np.testing.assert_allclose(.5*np.sum(lam*u**2), w@w/(2*eta), rtol=1e-6)
    np.testing.assert_allclose(back@u, w, rtol=1e-4)


def test_constant_features_vanish():
    Q, lam, _ = whiten(np.ones((5, 2)), 1.)
    assert Q.shape == (5, 0) and lam.shape == (0,)
    assert whiten(np.ones((5, 0)), 1.).Q.shape == (5, 0) and whiten(np.ones((2, 5)), 1.).Q.shape == (2, 0)


def test_more_features_than_points():
    Z = np.random.default_rng(2).normal(size=(6, 40))
    Q, lam, back = whiten(Z, .5)
    assert Q.shape == (6, 5)
    np.testing.assert_allclose((Z-Z.mean(0))@back, Q, atol=1e-12)
    np.testing.assert_allclose(Q.T@Q/6, np.eye(5), atol=1e-12)
    np.testing.assert_allclose(np.sum(back**2, 0)/.5, lam, rtol=1e-10)


def _two_clouds(n, seed=0, d=2, shift=.7):
    "Two Gaussian classes with unit covariance and alternating labels, the safe one at lower coordinates."
    y = np.where(np.arange(n) % 2 == 0, 1., -1.)
    return np.random.default_rng(seed).normal(size=(n, d))-shift*y[:, None], y


def _pairs_of_seven(seed=0):
    "Pairs of seven points at a random place inside, with everything filled."
    rng, y = np.random.default_rng(seed), np.array([1., -1, 1, 1, -1, -1, 1])
    costs = Costs(rng.uniform(.2, .8, 3), rng.uniform(.2, .8, 3))
    pairs = make_pairs(y, costs, np.ones(7), np.array([0, 1, 0, 2, 0, 1, 1]), np.array([3, 2, 2, 3, 0, 3, 2]))
    pairs.values[R:] = rng.uniform(.1, 1, pairs.values[R:].shape)
    pairs.values[ALPHA] *= pairs.values[COST]
    return pairs, y, costs


@pytest.mark.parametrize("n, d, eta, balanced",
                         [(30, 2, 1e-2, False), (60, 4, 1., False), (30, 20, 1., False), (60, 2, 30., True)])
def test_all_pairs_agree_with_the_reference(n, d, eta, balanced):
    # an independent solver on the paper's dual; 20 features go through BLAS. Tolerance: ten times what was
    # asked for
    X, y = _two_clouds(n, n, d, .4)
    taus = np.array([.1, .5, .8])
    costs = cost_weights(taus, y, balanced)
    coordinates = whiten(X, eta)
    w, alpha, _ = solve_all_pairs(Problem(coordinates.Q, coordinates.lam, y, costs, np.ones(n)), 1e-8)
    w = coordinates.back@w
    biases = offsets_and_losses(X@w, y, np.ones(n), costs)[0]
    ref = solve_reference(X@X.T, y, taus, eta, balanced)
    np.testing.assert_allclose(w@w/(2*eta)+hinge_sum(X@w, y, biases, *costs), ref.objective, rtol=1e-7)
    np.testing.assert_allclose(alpha.sum(), ref.alpha.sum(), rtol=1e-4)
    assert alpha.min() >= 0 and np.all(alpha <= np.where(y[:, None] > 0, costs.safe, costs.unsafe))


def test_pairs_lie_side_by_side():
    pairs, y, costs = _pairs_of_seven()
    row = pairs.rows
    assert pairs.start.tolist() == [0, 3, 4, 6, 7, 7, 9, 10]
    assert pairs.tau.tolist() == [0, 1, 2, 1, 0, 1, 2, 1, 2, 1]
    point = np.repeat(np.arange(7), np.diff(pairs.start))
    np.testing.assert_array_equal(row.cost,
                                  np.where(y[point] > 0, costs.safe[pairs.tau], costs.unsafe[pairs.tau]))


def test_the_start_is_centred():
    pairs, y, _ = _pairs_of_seven()
    row = pairs.rows
    _begin(pairs, .3)
    np.testing.assert_allclose(row.u-row.v, row.r, atol=1e-15)
    np.testing.assert_allclose(row.alpha*row.v, (row.cost-row.alpha)*row.u, rtol=1e-14)
    assert np.isclose(min(row.u.min(), row.v.min()), .3)


def test_sums_equal_those_of_a_dense_table():
    pairs, y, _ = _pairs_of_seven()
    row = pairs.rows
    point = np.repeat(np.arange(7), np.diff(pairs.start))
    at_point, at_tau = _sums(7), _sums(3)
    complementarity, losses, total = _assemble.py_func(pairs, y, at_point, at_tau)
    theta = 1/(row.u/(row.cost-row.alpha)+row.v/row.alpha)
    np.testing.assert_allclose(row.theta, theta, rtol=1e-13)
    for name, value in (("theta", theta), ("right", y[point]*theta*row.r), ("alpha", y[point]*row.alpha)):
        np.testing.assert_allclose(getattr(at_point, name), np.bincount(point, value, 7), rtol=1e-12,
                                   atol=1e-15)
        np.testing.assert_allclose(getattr(at_tau, name), np.bincount(pairs.tau, value, 3), rtol=1e-12,
                                   atol=1e-15)
    np.testing.assert_allclose(complementarity, np.sum(row.alpha*row.v+(row.cost-row.alpha)*row.u),
                               rtol=1e-13)
    np.testing.assert_allclose((losses, total), (np.sum(row.cost*row.r), row.alpha.sum()), rtol=1e-13)


def test_the_matrix_is_that_of_the_formula():
    pairs, y, _ = _pairs_of_seven()
    row = pairs.rows
    Q, theta = np.random.default_rng(1).normal(size=(7, 18)), np.zeros((7, 3))
    point = np.repeat(np.arange(7), np.diff(pairs.start))
    theta[point, pairs.tau] = row.theta
    for D in (4, 18):  # the loop and BLAS
        H, C = _gram(Q[:, :D].copy(), theta.sum(1), pairs, 3)
        np.testing.assert_allclose(np.tril(H), np.tril(Q[:, :D].T@np.diag(theta.sum(1))@Q[:, :D]), atol=1e-13)
        np.testing.assert_allclose(C, Q[:, :D].T@theta, atol=1e-13)


def test_the_direction_solves_the_linearised_conditions():
    # alpha dv + v dalpha = e_v - alpha v, (c - alpha) du - u dalpha = e_u - (c - alpha) u, du - dv = r + dr
    # - (u - v)
    pairs, y, _ = _pairs_of_seven(3)
    row = pairs.rows
    rng = np.random.default_rng(4)
    row.theta[:] = 1/(row.u/(row.cost-row.alpha)+row.v/row.alpha)
    row.aim_v[:], row.aim_u[:] = rng.uniform(0, .1, (2, len(pairs.tau)))
    ds, db = rng.normal(size=7), rng.normal(size=3)
    length, cross = _direction.py_func(pairs, y, ds, db)
    point = np.repeat(np.arange(7), np.diff(pairs.start))
    dr, rest = y[point]*(ds[point]-db[pairs.tau]), row.cost-row.alpha
    np.testing.assert_allclose(row.alpha*row.d_v+row.v*row.d_alpha, row.aim_v-row.alpha*row.v, atol=1e-13)
    np.testing.assert_allclose(rest*row.d_u-row.u*row.d_alpha, row.aim_u-rest*row.u, atol=1e-13)
    np.testing.assert_allclose(row.d_u-row.d_v, row.r+dr-(row.u-row.v), atol=1e-12)
    np.testing.assert_allclose(cross, np.sum(row.d_alpha*(row.d_v-row.d_u)), rtol=1e-12)
    ahead = np.r_[row.alpha+length*row.d_alpha, rest-length*row.d_alpha, row.u+length*row.d_u,
                  row.v+length*row.d_v]
    assert abs(ahead.min()) < 1e-12  # the first number that reaches its limit


def test_the_aims_carry_the_second_order_terms():
    pairs, y, _ = _pairs_of_seven(5)
    row = pairs.rows
    at_point, at_tau = _sums(7), _sums(3)
    _correct.py_func(pairs, y, .2, at_point, at_tau)
    np.testing.assert_allclose(row.aim_v, .2-row.d_alpha*row.d_v, rtol=1e-14)
    np.testing.assert_allclose(row.aim_u, .2+row.d_alpha*row.d_u, rtol=1e-14)
    point = np.repeat(np.arange(7), np.diff(pairs.start))
    x = y[point]*row.theta*(row.r-row.aim_u/(row.cost-row.alpha)+row.aim_v/row.alpha)
    np.testing.assert_allclose(at_point.right, np.bincount(point, x, 7), atol=1e-13)
    np.testing.assert_allclose(at_tau.right, np.bincount(pairs.tau, x, 3), atol=1e-13)


def test_a_step_stays_strictly_inside():
    pairs, _, _ = _pairs_of_seven(6)
    row = pairs.rows
    one = Pairs(*(a.copy() for a in pairs))
    nowhere = np.zeros(7), np.zeros(7), np.zeros(3)
    _advance.py_func(one, *nowhere, .5)
    np.testing.assert_allclose(one.rows.u, row.u+.5*row.d_u, rtol=1e-15)
    np.testing.assert_allclose(one.rows.v, row.v+.5*row.d_v, rtol=1e-15)
    np.testing.assert_allclose(one.rows.alpha, np.minimum(row.alpha+.5*row.d_alpha, row.cost*(1-1e-16)),
                               rtol=1e-15)
    for name in ("d_alpha", "d_u", "d_v"): getattr(pairs.rows, name)[:] = -9.
    _advance(pairs, *nowhere, 1.)
    assert row.alpha.min() > 0 and row.u.min() == row.v.min() == 1e-100
    row.d_alpha[:] = 9.
    _advance(pairs, *nowhere, 1.)
    assert np.all(row.alpha < row.cost)


def test_residuals_and_gram_compiled_and_not():
    pairs, y, _ = _pairs_of_seven(7)
    row = pairs.rows
    rng = np.random.default_rng(8)
    s, b, Q = rng.normal(size=7), rng.normal(size=3), rng.normal(size=(7, 2))
    _advance.py_func(pairs, y, s, b, 0.)
    point = np.repeat(np.arange(7), np.diff(pairs.start))
    np.testing.assert_allclose(row.r, 1+y[point]*(s[point]-b[pairs.tau]), rtol=1e-14)
    out = np.zeros((2, 2)), np.zeros((3, 2))
    theta, nothing = rng.random(7), np.zeros((0, 2))
    _gram_small.py_func(Q, theta, pairs, *out)
    dense = np.zeros((7, 3))
    dense[point, pairs.tau] = row.theta
    np.testing.assert_allclose(out[1], dense.T@Q, atol=1e-13)
    np.testing.assert_allclose(out[0], np.tril(Q.T@np.diag(theta)@Q), atol=1e-13)
    _gram_small(Q, theta, pairs, nothing, out[1])
    np.testing.assert_allclose(out[1], 2*dense.T@Q, atol=1e-13)


def test_the_ridge_start_solves_its_normal_equations():
    X, y = _two_clouds(50, 2)
    problem = Problem(*whiten(X, 1.)[:2], y, cost_weights(np.array([.2, .6]), y), np.ones(50))
    w, b = _ridge_start(problem)
    # a point costs 1.2 (safe) or .8 (unsafe) over both taus, 1 on average
    np.testing.assert_allclose(problem.Q.T@(problem.Q@w+y)+(problem.lam+1e-9*50)*w, 0, atol=1e-10)
    np.testing.assert_allclose(b, offsets_and_losses(problem.Q@w, y, np.ones(50), problem.costs)[0])


def test_a_point_that_outweighs_all_others_has_a_start():
    "One row alone makes the normal equations singular; any start that is finite will do."
    Q, y = np.outer(np.ones(6), [2., 1.]), np.array([1., -1, 1, -1, 1, -1])
    problem = Problem(Q, np.ones(2), y, cost_weights(np.array([.5]), y), np.r_[1e20, np.ones(5)])
    w, b = _ridge_start(problem)
    np.testing.assert_allclose(Q[0]@w, -1., rtol=1e-9)
    assert np.isfinite(b).all()
