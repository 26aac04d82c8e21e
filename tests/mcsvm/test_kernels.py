"""Tests of nbs/mcsvm/05_kernels.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.mcsvm.problem import cost_weights
from reject_nb.mcsvm.problem import solve_reference
from reject_nb.mcsvm.problem import two_clouds
from reject_nb.mcsvm.solver import solve_features

from reject_nb.mcsvm.kernels import (
    PivotedCholesky, _blocks, kernel_function, monomials, n_monomials, solve_kernel,
)

def test_bad_kernel_parameters_are_named():
    for kwargs, name in ((dict(kernel="sigmoid"), "kernel"), (dict(kernel="rbf", gamma=0.), "gamma"), (dict(kernel="poly", gamma=-1.), "gamma"),
                         (dict(kernel="poly", degree=1.5), "degree"), (dict(kernel="poly", coef0=-1.), "coef0"), (dict(kernel="rbf", gamma="wide"), "gamma")):
        with pytest.raises(ValueError, match=name): kernel_function(**kwargs)


def test_rbf_survives_a_large_constant():
    A = np.random.default_rng(0).normal(size=(20, 2)); far = np.c_[A, np.full(20, 1e7)]
    np.testing.assert_allclose(kernel_function("rbf")(far, far), kernel_function("rbf")(A, A), rtol=1e-12)


def test_monomials_reproduce_the_kernel():
    rng = np.random.default_rng(0); A, B = rng.normal(size=(5, 3)), rng.normal(size=(4, 3))
    for degree, gamma, coef0 in ((1, .3, 2.), (2, 1., 0.), (3, .5, 1.), (4, 2., .1)):
        F, G = monomials(A, degree, gamma, coef0), monomials(B, degree, gamma, coef0)
        assert F.shape[1] == n_monomials(3, degree, coef0)
        np.testing.assert_allclose(F@G.T, kernel_function("poly", degree, gamma, coef0)(A, B), rtol=1e-10, atol=1e-12)


def test_cholesky_reproduces_a_matrix_of_low_rank():
    rng = np.random.default_rng(1); A = rng.normal(size=(40, 5)); K = A@A.T
    f = PivotedCholesky(lambda p: K[:, p], np.diag(K)).extend(0.)
    assert len(f.pivots) == 5 and f.exhausted
    np.testing.assert_allclose(f.L.T@f.L, K, atol=1e-10)


def test_remainder_is_exact_on_the_diagonal_and_semidefinite():
    X = np.random.default_rng(2).normal(size=(60, 2)); K = kernel_function("rbf")(X, X)
    f = PivotedCholesky(lambda p: K[:, p], np.diag(K)).extend(1e-2); E = K-f.L.T@f.L
    np.testing.assert_allclose(np.diag(E), f.rest, atol=1e-12); assert np.linalg.eigvalsh(E)[0] > -1e-10 and f.rest.sum() <= 1e-2


def test_extending_equals_going_at_once():
    X = np.random.default_rng(3).normal(size=(50, 2)); K = kernel_function("rbf")(X, X)
    a = PivotedCholesky(lambda p: K[:, p], np.diag(K)).extend(1.).extend(1e-3); b = PivotedCholesky(lambda p: K[:, p], np.diag(K)).extend(1e-3)
    assert a.pivots == b.pivots; np.testing.assert_array_equal(a.L, b.L)


def test_kernels_agree_with_the_reference():
    # the paper's dual by a general solver; tolerance: both gaps together
    X, y = two_clouds(60, 0, shift=.5); taus = np.array([.2, .5, .7])
    for kern, eta in ((kernel_function("rbf", gamma=.5), 1.), (kernel_function("rbf", gamma=20.), .1), (kernel_function("poly"), 1e-2), (lambda A, B: np.tanh(1)*A@B.T+1, 2.)):
        s = solve_kernel(kern, X, y, *cost_weights(taus, y), eta); ref = solve_reference(kern(X, X), y, taus, eta)
        assert s.status == "optimal"
        np.testing.assert_allclose(s.objective, ref.objective, rtol=1.1e-6)
        np.testing.assert_allclose(kern(X, X)@s.dual_coef, s.scores, atol=1e-8)


def test_blocks_equal_the_whole_product():
    X = np.random.default_rng(8).normal(size=(37, 2)); v = np.random.default_rng(9).normal(size=37); v[[3, 20]] = 0.; k = kernel_function("rbf")
    for size in (1, 40, 300, 10**6): np.testing.assert_allclose(_blocks(k, X, np.flatnonzero(v), v, size), k(X, X)@v, atol=1e-12)


def test_matrix_function_and_features_agree():
    X, y = two_clouds(80, 1, shift=.5); costs = cost_weights(np.array([.3, .6]), y); k = kernel_function("poly", 2, .7, 1.)
    values = [solve_kernel(k, X, y, *costs, .1, 1e-8).objective, solve_kernel(k(X, X), None, y, *costs, .1, 1e-8).objective,
              solve_features(monomials(X, 2, .7, 1.), y, *costs, .1, 1e-8).objective]
    np.testing.assert_allclose(values, values[0], rtol=2e-8)


def test_indefinite_matrices_are_refused():
    y = np.array([1., -1.]); one = np.array([.5])
    for K in (np.array([[0., 1], [1, 0]]), -np.eye(2), np.array([[1., 3], [3, 1]])):
        with pytest.raises(ValueError, match="kernel"): solve_kernel(K, None, y, one, one, 1.)


def test_a_matrix_in_single_precision_is_accepted():
    X, y = two_clouds(40, 6); K = (X@X.T).astype(np.float32); taus = np.array([.4])
    np.testing.assert_allclose(solve_kernel(K, None, y, 1-taus, taus, 1., 1e-4).objective, solve_features(X, y, 1-taus, taus, 1.).objective, rtol=1e-3)


def test_huge_eta_with_a_kernel():
    X, y = two_clouds(40, 5, shift=.5); taus = np.array([.4])
    s = solve_kernel(kernel_function("rbf", gamma=.1), X, y, 1-taus, taus, 1e6)
    assert s.status == "optimal"
