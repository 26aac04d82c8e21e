"""Tests of nbs/mcsvm/10_decomposition.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.mcsvm.kernels import MatrixKernel
from reject_nb.mcsvm.kernels import PointKernel
from reject_nb.mcsvm.kernels import kernel_function
from reject_nb.mcsvm.problem import Costs
from reject_nb.mcsvm.problem import cost_weights
from reject_nb.mcsvm.problem import solve_reference
from unittest import mock

from reject_nb.mcsvm.decomposition import (
    Box, RowCache, State, _batch, _partner, _shift, _take, _top, _within, _worst, solve_decomposed,
)

def _two_clouds(n, seed=0, d=2, shift=.7):
    "Two Gaussian classes with unit covariance and alternating labels, the safe one at lower coordinates."
    y = np.where(np.arange(n) % 2 == 0, 1., -1.)
    return np.random.default_rng(seed).normal(size=(n, d))-shift*y[:, None], y


def _solve(K, y, taus, eta, tol=1e-8, weights=None, **kwargs):
    taus = np.asarray(taus)
    return solve_decomposed(MatrixKernel(K), y, Costs(1-taus, taus),
                            np.ones(len(y)) if weights is None else weights, eta,
                            tol, **kwargs)


@pytest.mark.parametrize("kernel, gamma, eta", [("rbf", 1., 1.), ("rbf", .05, .01), ("rbf", 5., 100.),
                                                ("linear", 1., .1),
                                                ("poly", .5, .1)])
@pytest.mark.parametrize("taus", ([.5], [.2, .5, .5, .7], [.01, .99]))
def test_agrees_with_the_reference(kernel, gamma, eta, taus):
    # the paper's dual by a general solver
    X, y = _two_clouds(60, 1, 3, .4)
    K = kernel_function(kernel, 2, gamma)(X, X)
    found, ref = _solve(K, y, taus, eta), solve_reference(K, y, np.array(taus), eta)
    assert found.gap <= 1e-6
    np.testing.assert_allclose(found.objective, ref.objective, rtol=1.1e-6)
    assert found.bound <= ref.objective*(1+1e-8)
    np.testing.assert_allclose(K@found.dual_coef, found.scores, atol=1e-10*np.abs(found.scores).max())


def test_weights_and_unbalanced_costs():
    X, y = _two_clouds(50, 2)
    K, weights = kernel_function("rbf")(X, X), np.random.default_rng(0).integers(1, 4, 50)
    i = np.repeat(np.arange(50), weights)
    one = _solve(K, y, [.1, .6], 2., weights=weights.astype(float))
    many = _solve(K[np.ix_(i, i)], y[i], [.1, .6], 2.)
    np.testing.assert_allclose(one.objective, many.objective, rtol=1e-7)
    costs = cost_weights(np.array([.3, .8]), y, True)
    balanced = solve_decomposed(MatrixKernel(K), y, costs, np.ones(50), 40., 1e-8)
    np.testing.assert_allclose(balanced.objective,
                               solve_reference(K, y, np.array([.3, .8]), 40., True).objective, rtol=1e-7)


@pytest.mark.parametrize("whole, batch, room",
                         [(0, 5000, 1e9), (0, 60, 1e9), (0, 90, 0.), (10**6, 5000, 1e9)])
def test_batches_and_a_small_cache_do_not_change_the_answer(whole, batch, room):
    import reject_nb.mcsvm.decomposition as module
    with mock.patch.multiple(module, _WHOLE=whole, _BATCH=batch):
        X, y = _two_clouds(300, 3, 6, .3)
        K = kernel_function("rbf", gamma=.15)(X, X)
        found = _solve(K, y, [.2, .4, .6, .8], 1., 1e-7, room=room)
        plain = _solve(K, y, [.2, .4, .6, .8], 1., 1e-9)
        assert found.gap <= 1e-7 and found.status == "optimal"
        np.testing.assert_allclose(found.objective, plain.objective, rtol=2e-7)


def test_far_points_in_single_precision_are_corrected_by_the_exact_scores():
    # two clusters 3e3 apart: single precision leaves few digits of a distance
    X, y = _two_clouds(80, 4, 3, .5)
    X[::4] += 3e3
    K = PointKernel(kernel_function("rbf", gamma=.3), X, single=True)
    found = solve_decomposed(K, y, cost_weights(np.array([.3, .6]), y), np.ones(80), 1., 1e-6)
    ref = solve_reference(kernel_function("rbf", gamma=.3)(X, X), y, np.array([.3, .6]), 1.)
    assert found.status == "optimal"
    np.testing.assert_allclose(found.objective, ref.objective, rtol=2e-6)


def test_twins_of_both_classes():
    # every point twice, once with each label: w = 0 is optimal for equal costs, no curvature between twins
    X = np.repeat(np.random.default_rng(5).normal(size=(20, 2)), 2, 0)
    y = np.tile([1., -1.], 20)
    found = _solve(kernel_function("rbf")(X, X), y, [.5], 1.)
    np.testing.assert_allclose(found.objective, 20., rtol=1e-7)


def test_most_dual_variables_are_exactly_at_a_limit():
    X, y = _two_clouds(400, 6)
    found = _solve(kernel_function("rbf", gamma=.5)(X, X), y, [.3, .5, .7], 1., 1e-6)
    limits = np.where(y[:, None] > 0, [.7, .5, .3], [.3, .5, .7])
    inside = (found.alpha > 0) & (found.alpha < limits*(1-1e-6))
    assert inside.sum() < 100 and np.mean(found.alpha == 0) > .3


def _box(beta, low, high):
    beta, low, high = (np.array(a, float) for a in (beta, low, high))
    return Box(beta, low, high, np.where(beta < high, 0., -1e30), np.where(beta > low, 0., 1e30))


@pytest.mark.parametrize("take", (_take, _take.py_func), ids=("compiled", "python"))
def test_a_move_takes_what_there_is_room_for(take):
    box = _box([[0., .5, .2]], [[0., 0., 0.]], [[.3, .5, .5]])
    assert take(box, 0, 0, 1, .1) == .1
    np.testing.assert_allclose(box.beta, [[.1, .4, .2]])
    assert box.up.tolist() == [[0., 0., 0.]] and box.down.tolist() == [[0., 0., 0.]]
    np.testing.assert_allclose(take(box, 0, 0, 1, 9.), .2)
    assert box.beta[0, 0] == .3 and box.up[0, 0] == -1e30 and take(box, 0, 0, 1, 1.) == 0.
    np.testing.assert_allclose(take(box, 0, 1, 2, 9.), .2-0., atol=.11)
    # what is left below 1e-10 of the range goes too
    box = _box([[0., .5]], [[0., 0.]], [[.3, .5]])
    take(box, 0, 0, 1, .3-1e-12)
    assert box.beta[0, 0] == .3


def test_the_search_finds_extremes_across_chunks():
    rng = np.random.default_rng(7)
    for n in (1, 63, 64, 65, 300):
        kappa, K = rng.normal(size=n), rng.normal(size=(n, n)).astype(np.float32)
        up, down = np.where(rng.random(n) < .3, -1e30, 0.), np.where(rng.random(n) < .3, 1e30, 0.)
        up[0] = down[-1] = 0.
        tops, moved = np.empty((n+63)//64), kappa.copy()
        i, j = rng.integers(0, n, 2)
        smallest = _shift(moved, K, i, j, .5, up, down, tops)
        np.testing.assert_allclose(moved, kappa-.5*(K[i].astype(float)-K[j]), rtol=1e-5, atol=1e-6)
        at, largest = _top(moved, up, tops)
        assert largest == (moved+up).max() == moved[at] and smallest == (moved+down).min()
        diagonal = np.ones(n, np.float32)
        partner = _partner(moved, K[at], diagonal, at, largest, down, tops, 1e-7)
        gains = np.maximum(largest-moved-down, 0)**2/np.maximum(2-2*K[at], 1e-7)
        assert gains[partner] >= gains.max()*(1-1e-5)


def test_rows_are_kept_and_the_oldest_go():
    asked = []
    def compute(points):
        asked.append(points.tolist())
        return np.outer(points, np.arange(200.))
    cache = RowCache(compute, 200, room=0)
    assert cache.capacity == 64
    slots = cache.slots(np.arange(40))
    np.testing.assert_array_equal(cache.values[slots, 1], np.arange(40))
    cache.slots(np.arange(10))
    assert len(asked) == 1
    slots = cache.slots(np.arange(100, 140))
    np.testing.assert_array_equal(cache.values[slots, 2], 2.*np.arange(100, 140))
    slots = cache.slots(np.arange(10))  # used last but one: still there
    assert asked[1:] == [list(range(100, 140))]
    np.testing.assert_array_equal(cache.values[slots, 1], np.arange(10))
    cache.slots(np.arange(10, 40))
    assert sum(len(a) for a in asked[2:]) == 16


def test_batches_hold_free_points_and_the_worst():
    state = State(np.array([3., 2., 1., 0., -1., -2.]), _box([[0., 0., .2, .5, .5, .5]], [[0.]*6], [[.5]*6]))
    assert _batch(state, 4).tolist()[-1] == 5 and 0 in _batch(state, 4) and 2 in _batch(state, 4)
    assert _worst(np.array([1., 5., 3., 4.]), np.array([True, False, True, True]), 2).tolist() == [3, 2]
    assert sorted(_worst(np.zeros(9), np.ones(9, bool), 4).tolist()).__len__() == 4


def test_rows_lie_in_their_place_where_all_fit():
    cache = RowCache(lambda points: np.outer(points, np.arange(100.)), 100, room=1e6)
    assert cache.slots(np.array([3, 7])).tolist() == [3, 7]
    assert cache.slots(np.arange(100)).tolist() == list(range(100))
    np.testing.assert_array_equal(cache.values, np.outer(np.arange(100.), np.arange(100.)))


@pytest.mark.parametrize("reach, points", [(0., []), (.9, [2, 3]), (1., [2, 3]), (1.5, [1, 2, 3]),
                                           (9., range(6))])
def test_points_that_may_move(reach, points):
    # the first three may rise and end at -3, -1, 0; the last four may fall and begin at 0, .5, 2, 4
    box = _box([[0., 0., .2, .5, .5, .5]], [[0.]*6], [[.5]*6])
    assert _within(State(np.array([-3., -1., 0., .5, 2., 4.]), box), reach).tolist() == list(points)


def test_points_for_which_one_weight_may_move():
    # for the first weight only points at 2 and 3, for the second only those at 0 and 1
    beta = [[.5, .5, .2, .2], [.2, .2, 0., 0.]]
    box = _box(beta, [[0.]*4]*2, [[.5]*4]*2)
    assert _within(State(np.array([5., 5., 1., 1.]), box), .1).tolist() == [0, 1, 2, 3]
    box = _box(beta[:1], [[0.]*4], [[.5]*4])
    assert _within(State(np.array([5., 5., 1., 1.]), box), .1).tolist() == [2, 3]


def test_few_points_first_and_all_later_give_the_same_answer():
    X, y = _two_clouds(200, 4, 6, .3)
    K, chosen = kernel_function("rbf", gamma=.2)(X, X), []
    within = _within
    def few_first(state, reach):
        chosen.append(within(state, reach))
        return np.array([7, 3, 150, 90]) if len(chosen) == 1 else chosen[-1]
    plain = _solve(K, y, [.2, .5, .8], 1., 1e-8)
    with mock.patch.dict(solve_decomposed.__globals__, _within=few_first):
        found = _solve(K, y, [.2, .5, .8], 1., 1e-8)
    assert len(chosen[0]) == 200 and min(map(len, chosen)) < 100 and found.status == "optimal"
    np.testing.assert_allclose(found.objective, plain.objective, rtol=2e-8)
