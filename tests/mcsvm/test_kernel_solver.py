"""Tests of nbs/mcsvm/11_kernel_solver.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.mcsvm.frozen_pairs import solve_features
from reject_nb.mcsvm.kernels import MatrixKernel
from reject_nb.mcsvm.kernels import PointKernel
from reject_nb.mcsvm.kernels import kernel_function
from reject_nb.mcsvm.kernels import monomials
from reject_nb.mcsvm.problem import cost_weights
from reject_nb.mcsvm.problem import solve_reference
from unittest import mock

from reject_nb.mcsvm.kernel_solver import sample_rank, solve_kernel

def _two_clouds(n, seed=0, d=2, shift=.7):
    "Two Gaussian classes with unit covariance and alternating labels, the safe one at lower coordinates."
    y = np.where(np.arange(n) % 2 == 0, 1., -1.)
    return np.random.default_rng(seed).normal(size=(n, d))-shift*y[:, None], y


@pytest.mark.parametrize("kern, eta", [(kernel_function("rbf", gamma=.5), 1.),
                                       (kernel_function("rbf", gamma=20.), .1),
                                       (kernel_function("poly"), 1e-2),
                                       (lambda A, B: np.tanh(1)*A@B.T+1, 2.)])
def test_kernels_agree_with_the_reference(kern, eta):
    # the paper's dual by a general solver; tolerance: both gaps together
    X, y = _two_clouds(60, 0, shift=.5)
    taus = np.array([.2, .5, .7])
    s, ref = solve_kernel(kern, X, y, *cost_weights(taus, y), eta), solve_reference(kern(X, X), y, taus, eta)
    assert s.status == "optimal" and s.w is None
    np.testing.assert_allclose(s.objective, ref.objective, rtol=1.1e-6)
    np.testing.assert_allclose(kern(X, X)@s.dual_coef, s.scores, atol=1e-8)


def test_matrix_function_and_features_agree():
    X, y = _two_clouds(80, 1, shift=.5)
    costs, k = cost_weights(np.array([.3, .6]), y), kernel_function("poly", 2, .7, 1.)
    values = [solve_kernel(k, X, y, *costs, .1, 1e-8).objective,
              solve_kernel(k(X, X), None, y, *costs, .1, 1e-8).objective,
              solve_features(monomials(X, 2, .7, 1.), y, *costs, .1, 1e-8).objective]
    np.testing.assert_allclose(values, values[0], rtol=2e-8)


@pytest.mark.parametrize("K", ([[0., 1], [1, 0]], [[-1., 0], [0, -1]], [[1., 3], [3, 1]]))
def test_indefinite_matrices_are_refused(K):
    with pytest.raises(ValueError, match="kernel"): solve_kernel(np.array(K), None, [1., -1.], [.5], [.5], 1.)


def test_a_matrix_in_single_precision_is_accepted():
    X, y = _two_clouds(40, 6)
    single = solve_kernel((X@X.T).astype(np.float32), None, y, [.6], [.4], 1., 1e-4)
    np.testing.assert_allclose(single.objective, solve_features(X, y, [.6], [.4], 1.).objective, rtol=1e-3)


def test_huge_eta_with_a_kernel():
    X, y = _two_clouds(40, 5, shift=.5)
    s = solve_kernel(kernel_function("rbf", gamma=.1), X, y, [.6], [.4], 1e6)
    assert s.status == "optimal"
    np.testing.assert_allclose(kernel_function("rbf", gamma=.1)(X, X)@s.dual_coef, s.scores,
                               atol=1e-5*np.abs(s.scores).max())


def test_a_loose_tolerance_may_need_no_pivot():
    # a tiny eta and a loose gap: w = 0 is good enough, and the certificate says so; 4,000 points are enough
    # for freezing
    X, y = _two_clouds(4000, 2)
    costs = cost_weights(np.array([.2, .4, .6, .8]), y)
    s = solve_kernel(kernel_function("rbf"), X, y, *costs, 1e-7, 1e-3)
    assert s.status == "optimal" and s.gap <= 1e-3
    np.testing.assert_allclose(s.objective, 2*np.minimum(costs.safe, costs.unsafe).sum()*2000, rtol=1e-3)

GOOD = dict(kernel=kernel_function("rbf"), X=_two_clouds(20)[0], y=_two_clouds(20)[1], safe=[.5], unsafe=[.5],
            eta=1., tol=1e-6)

@pytest.mark.parametrize("name, value", [("kernel", np.ones((3, 3))), ("kernel", None), ("X", None),
                                         ("X", np.ones((3, 2))), ("y", np.ones(20)),
                                         ("safe", [0.]), ("unsafe", [np.nan]), ("eta", 0.), ("tol", 1.)])
def test_solve_kernel_names_the_bad_argument(name, value):
    with pytest.raises(ValueError, match=f"^{name} must be"): solve_kernel(**{**GOOD, name: value})


def test_the_rank_of_a_sample():
    X = np.random.default_rng(0).normal(size=(900, 4))
    assert sample_rank(MatrixKernel(X@X.T), 1e-9) == 4
    assert sample_rank(PointKernel(kernel_function("linear"), X), 1e-9) == 4
    assert sample_rank(PointKernel(kernel_function("rbf", gamma=50.), X), 1e-9) > 290
    assert sample_rank(PointKernel(kernel_function("rbf", gamma=50.), X), 10.) == 0


def test_both_solvers_agree():
    import reject_nb.mcsvm.kernel_solver as module
    X, y = _two_clouds(200, 3, 4, .4)
    costs, values = cost_weights(np.array([.2, .5, .7]), y), []
    for rank in (0, 10**6):
        with mock.patch.object(module, "_RANK", rank):
            values.append(module.solve_kernel(kernel_function("rbf", gamma=.3), X, y, *costs, 1., 1e-8))
    np.testing.assert_allclose(values[0].objective, values[1].objective, rtol=1e-7)
    assert np.mean(values[0].alpha == 0) > np.mean(values[1].alpha == 0)
