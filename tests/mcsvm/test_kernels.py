"""Tests of nbs/mcsvm/06_kernels.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.mcsvm import kernels
from reject_nb.mcsvm.problem import Costs
from reject_nb.mcsvm.problem import cost_weights
from reject_nb.mcsvm.problem import solve_reference
from unittest import mock

from reject_nb.mcsvm.kernels import (
    MatrixKernel, PivotedCholesky, PointKernel, first_trace, kernel_function, monomials, n_monomials,
    solve_low_rank,
)

BAD_KERNELS = [(dict(kernel="sigmoid"), "kernel"), (dict(kernel=None), "kernel"),
               (dict(kernel="rbf", gamma=0.), "gamma"),
               (dict(kernel="poly", gamma=-1.), "gamma"), (dict(kernel="poly", degree=1.5), "degree"),
               (dict(kernel="poly", degree=0), "degree"),
               (dict(kernel="poly", coef0=-1.), "coef0"), (dict(kernel="rbf", gamma="wide"), "gamma"),
               (dict(kernel="rbf", gamma=True), "gamma")]

@pytest.mark.parametrize("kwargs, name", BAD_KERNELS)
def test_bad_kernel_parameters_are_named(kwargs, name):
    with pytest.raises(ValueError, match=f"^{name} must be"): kernel_function(**kwargs)


def test_kernels_are_those_of_scikit_learn():
    from sklearn.metrics.pairwise import linear_kernel, polynomial_kernel, rbf_kernel
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(6, 3)), rng.normal(size=(4, 3))
    for name, other in (("linear", linear_kernel(A, B)), ("poly", polynomial_kernel(A, B, 2, .7, .5)),
                        ("rbf", rbf_kernel(A, B, .7))):
        np.testing.assert_allclose(kernel_function(name, 2, .7, .5)(A, B), other, rtol=1e-12)


def test_rbf_survives_a_large_constant():
    A = np.random.default_rng(0).normal(size=(20, 2))
    far = np.c_[A, np.full(20, 1e7)]
    np.testing.assert_allclose(kernel_function("rbf")(far, far), kernel_function("rbf")(A, A), rtol=1e-12)


@pytest.mark.parametrize("degree, gamma, coef0", [(1, .3, 2.), (2, 1., 0.), (3, .5, 1.), (4, 2., .1)])
def test_monomials_reproduce_the_kernel(degree, gamma, coef0):
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(5, 3)), rng.normal(size=(4, 3))
    F, G = monomials(A, degree, gamma, coef0), monomials(B, degree, gamma, coef0)
    assert F.shape[1] == n_monomials(3, degree, coef0)
    np.testing.assert_allclose(F@G.T, kernel_function("poly", degree, gamma, coef0)(A, B), rtol=1e-10,
                               atol=1e-12)


def test_cholesky_reproduces_a_matrix_of_low_rank():
    A = np.random.default_rng(1).normal(size=(40, 5))
    K = A@A.T
    f = PivotedCholesky(lambda p: K[:, p], np.diag(K)).extend(0.)
    assert len(f.pivots) == 5 and f.exhausted
    np.testing.assert_allclose(f.L.T@f.L, K, atol=1e-10)


def test_remainder_is_exact_on_the_diagonal_and_semidefinite():
    X = np.random.default_rng(2).normal(size=(60, 2))
    K = kernel_function("rbf")(X, X)
    f = PivotedCholesky(lambda p: K[:, p], np.diag(K)).extend(1e-2)
    E = K-f.L.T@f.L
    np.testing.assert_allclose(np.diag(E), f.rest, atol=1e-12)
    assert np.linalg.eigvalsh(E)[0] > -1e-10 and f.rest.sum() <= 1e-2 and not f.exhausted


def test_extending_equals_going_at_once():
    # more than 32 rows: the storage grows on the way
    X = np.random.default_rng(3).normal(size=(90, 2))
    K = kernel_function("rbf", gamma=5.)(X, X)
    a, b = (PivotedCholesky(lambda p: K[:, p], np.diag(K)) for _ in range(2))
    a.extend(1.).extend(1e-3)
    b.extend(1e-3)
    assert a.pivots == b.pivots and len(a.pivots) > 64
    np.testing.assert_array_equal(a.L, b.L)
    assert len(a._rows) <= 90  # doubled when full, never more than the points
    assert len(PivotedCholesky(lambda p: K[:, p], np.diag(K)).extend(0., 7).pivots) == 7


@pytest.mark.parametrize("block", (1, 40, 300, 10**6))
def test_blocks_equal_the_whole_product(block):
    rng, k = np.random.default_rng(8), kernel_function("rbf")
    X, v = rng.normal(size=(137, 2)), rng.normal(size=137)
    v[[3, 20]] = 0.
    points, matrix = PointKernel(k, X, block), MatrixKernel(k(X, X))
    np.testing.assert_allclose(points.multiply(v), k(X, X)@v, atol=1e-12)
    np.testing.assert_allclose(points.multiply(v*0), 0.)
    np.testing.assert_allclose(points.diagonal, matrix.diagonal)
    np.testing.assert_allclose(points.column(5), matrix.column(5))


def test_a_kernel_that_returns_nonsense_is_named():
    nans = lambda A, B: np.full((len(A), len(B)), np.nan)
    for bad in (lambda A, B: np.ones(3), nans, lambda A, B: None, len):
        with pytest.raises(ValueError, match="kernel"): PointKernel(bad, np.ones((4, 1)))


def _two_clouds(n, seed=0, d=2, shift=.7):
    "Two Gaussian classes with unit covariance and alternating labels, the safe one at lower coordinates."
    y = np.where(np.arange(n) % 2 == 0, 1., -1.)
    return np.random.default_rng(seed).normal(size=(n, d))-shift*y[:, None], y


@pytest.mark.parametrize("kern, eta", [(kernel_function("rbf", gamma=.5), 1.),
                                       (kernel_function("rbf", gamma=20.), .1),
                                       (kernel_function("poly"), 1e-2),
                                       (lambda A, B: np.tanh(1)*A@B.T+1, 2.)])
def test_low_rank_agrees_with_the_reference(kern, eta):
    # the paper's dual by a general solver; tolerance: both gaps together
    X, y = _two_clouds(60, 0, shift=.5)
    taus = np.array([.2, .5, .7])
    s = solve_low_rank(PointKernel(kern, X), y, cost_weights(taus, y), np.ones(60), eta, 1e-6)
    assert s.status == "optimal" and s.w is None
    np.testing.assert_allclose(s.objective, solve_reference(kern(X, X), y, taus, eta).objective, rtol=1.1e-6)
    np.testing.assert_allclose(kern(X, X)@s.dual_coef, s.scores, atol=1e-8)


def test_the_first_trace_costs_a_few_gaps():
    # one tau .5 on 30 + 10 points: w = 0 costs 2*.5*10, the guess of v is .5 everywhere
    y, half = np.repeat([1., -1.], [30, 10]), Costs(np.array([.5]), np.array([.5]))
    np.testing.assert_allclose(first_trace(y, half, np.ones(40), 2., 1e-6), 12*1e-6*10/(2*.25))


def test_pivots_end_where_the_remainder_is_small_enough():
    "Of the identity each pivot takes one from the trace; it stops at `trace`, not beyond it."
    for trace, pivots in ((4., 0), (3.5, 1), (3., 1), (1., 3), (0., 4)):
        assert len(PivotedCholesky(lambda p: np.eye(4)[p], np.ones(4)).extend(trace).pivots) == pivots
    assert len(PivotedCholesky(lambda p: np.eye(4)[p], np.ones(4)).extend(0., 2).pivots) == 2


def test_a_smooth_kernel_needs_few_pivots():
    "Once the gap is small enough no pivot is added."
    rng, factors = np.random.default_rng(0), []
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] + .3*rng.normal(size=60) > 0, 1., -1.)
    def counted(*args): return factors.append(PivotedCholesky(*args)) or factors[-1]
    K = PointKernel(lambda A, B: np.exp(-.05*((A[:, None] - B)**2).sum(2)), X)
    with mock.patch.multiple(kernels, PivotedCholesky=counted):
        found = kernels.solve_low_rank(K, y, cost_weights(np.array([.5]), y), np.ones(60), 1., 1e-2)
    assert found.gap <= 1e-2 and 0 < len(factors[0].pivots) < 30
