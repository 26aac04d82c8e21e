"""Tests of nbs/mcsvm/04_solver.ipynb, extracted from its test cells: edit them there."""
import numpy as np
from reject_nb.mcsvm.problem import cost_weights
from reject_nb.mcsvm.problem import solve_reference
from reject_nb.mcsvm.problem import two_clouds

from reject_nb.mcsvm.solver import _certify, _whole, solve_features, whiten

def test_whitened_problem_has_the_same_scores_and_penalty():
    rng = np.random.default_rng(1); Z = rng.normal(size=(50, 3))@rng.normal(size=(3, 3))+5; eta = .2
    Q, lam, back = whiten(Z, eta); w = rng.normal(size=3)
    u = Q.T@((Z-Z.mean(0))@w)/50
    np.testing.assert_allclose(Q@u, (Z-Z.mean(0))@w, atol=1e-10)
    np.testing.assert_allclose(.5*np.sum(lam*u**2), w@w/(2*eta), rtol=1e-9); np.testing.assert_allclose(back@u, w, rtol=1e-8)


def test_constant_features_vanish():
    Q, lam, _ = whiten(np.ones((5, 2)), 1.); assert Q.shape == (5, 0) and lam.shape == (0,)


def test_more_features_than_points():
    rng = np.random.default_rng(2); Z = rng.normal(size=(6, 40)); Q, lam, back = whiten(Z, .5)
    assert Q.shape == (6, 5)
    np.testing.assert_allclose((Z-Z.mean(0))@back, Q, atol=1e-12); np.testing.assert_allclose(Q.T@Q/6, np.eye(5), atol=1e-12)
    np.testing.assert_allclose(np.sum(back**2, 0)/.5, lam, rtol=1e-10)


def test_agrees_with_the_reference_solver():
    # an independent solver on the paper's dual; 1e-6 is the gap asked for, the reference is good to 1e-9
    for n, d, eta, balanced in ((30, 2, 1e-2, False), (60, 4, 1., False), (50, 3, 1e3, False), (12, 20, 1., False), (60, 2, 30., True)):
        X, y = two_clouds(n, n, d, .4); X = X@np.random.default_rng(n).normal(size=(d, d)); taus = np.array([.8, .1, .5, .5])
        found = solve_features(X, y, *cost_weights(taus, y, balanced), eta, 1e-7)
        ref = solve_reference(X@X.T, y, taus, eta, balanced)
        assert found.status == "optimal"
        np.testing.assert_allclose(found.objective, ref.objective, rtol=1e-6)


def test_frozen_pairs_do_not_change_the_answer():
    # two roads: levels with frozen pairs, and every pair free
    X, y = two_clouds(3000, 7, 3, .4); taus = np.arange(1, 10)/10; safe, unsafe = cost_weights(taus, y)
    found = solve_features(X, y, safe, unsafe, 1e-2, 1e-8)
    Q, lam, _ = whiten(X, 1e-2*.5); costs = np.stack([safe, unsafe])/.5
    w, _, alpha, _ = _whole(Q, lam, y, costs, 1e-9)
    np.testing.assert_allclose(found.objective, _certify(Q, lam, y, alpha, costs, w).objective*.5, rtol=1e-8)


def test_shift_and_order_do_not_matter():
    X, y = two_clouds(200, 11, shift=.4); taus = np.array([.3, .7]); costs = cost_weights(taus, y)
    base = solve_features(X, y, *costs, .1, 1e-9)
    moved = solve_features(X+100, y, *costs, .1, 1e-9)
    p = np.random.default_rng(0).permutation(200); mixed = solve_features(X[p], y[p], *costs, .1, 1e-9)
    turned = solve_features(X, y, costs[0][::-1], costs[1][::-1], .1, 1e-9)
    for other in (moved, mixed, turned): np.testing.assert_allclose(other.objective, base.objective, rtol=1e-8)
    np.testing.assert_allclose(turned.biases[::-1], base.biases, atol=1e-4)


def test_no_features_leaves_the_class_weights():
    # constant features: w = 0 and each tau costs 2 min(c_S n_S, c_U n_U)
    y = np.array([1., 1, 1, -1]); taus = np.array([.2, .9]); found = solve_features(np.ones((4, 1)), y, 1-taus, taus, 1.)
    np.testing.assert_allclose(found.objective, 2*(min(.8*3, .2)+min(.1*3, .9)), rtol=1e-9)


def test_hard_margin_limit():
    # x = -1 safe, x = 1 unsafe: w = 1 separates with margin 1 on each side, so the optimum is 1/(2 eta) for every set of taus
    X, y = np.array([[-1.], [-1.], [1.]]), np.array([1., 1., -1.])
    for eta in (1e3, 1e6, 1e9):
        found = solve_features(X, y, np.array([.5, .2]), np.array([.5, .8]), eta)
        np.testing.assert_allclose(found.objective, 1/(2*eta), rtol=2e-6)


def test_tiny_eta_limit():
    y = np.repeat([1., -1.], [6, 4]); X = np.random.default_rng(0).normal(size=(10, 2)); taus = np.array([.3])
    np.testing.assert_allclose(solve_features(X, y, 1-taus, taus, 1e-12).objective, 2*min(.7*6, .3*4), rtol=1e-6)
