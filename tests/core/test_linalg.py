"""Tests of nbs/core/04_linalg.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from scipy.linalg import LinAlgError
from scipy.linalg import cho_factor
from scipy.linalg import cho_solve

from reject_nb.core.linalg import cholesky, damped, i_plus_sks

@pytest.mark.parametrize("n", [0, 1, 2, 7])
def test_solutions_solve(n):
    rng = np.random.default_rng(n)
    Z = rng.normal(size=(n, n + 3))*10.**rng.uniform(-8, 8, (n, 1))
    A, b = Z @ Z.T, rng.normal(size=(n, 2))
    found = cholesky(A)
    x = found.solve(b)
    size = np.abs(A) @ np.abs(x) + np.abs(b)
    assert (np.abs(A @ x - b) <= 1e-12*size).all()    # backward stable, row by row
    assert found.ridge == 0 and found.solve(b[:, 0]).shape == (n,)


def test_scaling_changes_no_digit():
    A = np.array([[3., 1.], [1., 2.]])
    assert (np.log2(cholesky(A).scale) % 1 == 0).all()
    np.testing.assert_array_equal(cholesky(A).solve(np.ones(2)),
                                  cho_solve(cho_factor(A, lower=True), np.ones(2)))


def test_the_factor_lies_below_what_was_there():
    "Scaled by 1/2 the matrix is (1, .5; .5, 1.25), its factor (1, 0; .5, 1); the entry above stays."
    found = cholesky(np.array([[4., 2.], [2., 5.]]))
    assert found.scale.tolist() == [.5, .5] and found.lower.tolist() == [[1., .5], [.5, 1.]]


def test_indefinite_matrices_are_refused_but_for_rounding():
    assert cholesky(np.array([[1., 1. + 1e-12], [1. + 1e-12, 1.]])).ridge > 0
    for bad in (np.array([[1., 2.], [2., 1.]]), np.array([[1., np.nan], [np.nan, 1.]]),
                np.diag([1., np.inf]), -np.eye(2)):
        with pytest.raises(LinAlgError): cholesky(bad)
    with pytest.raises(LinAlgError): cholesky(np.array([[1., 1. + 1e-12], [1. + 1e-12, 1.]]), ridges=(0.,))


def test_i_plus_sks_gives_the_inverse():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(6, 6))
    K, W = Z @ Z.T, rng.uniform(.1, 9, 6)
    S = np.sqrt(W)
    inverse = S[:, None]*cho_solve(i_plus_sks(K, S), np.diag(S))
    np.testing.assert_allclose(inverse @ (K + np.diag(1/W)), np.eye(6), atol=1e-10)


@pytest.mark.parametrize("step, size", [(-1., 1.), (-4., .5), (-16., .125), (-2., 1.)])
def test_steps_are_halved_until_they_help(step, size):
    assert damped(lambda t: (-(1 + t*step)**2, t), -1.)[1] == size


def test_rounding_is_relative_to_large_objectives():
    assert damped(lambda t: (-1e6 - 1e-7, t), -1e6)[1] == 1. and damped(lambda t: (-1e6 - 1e-5, t), -1e6,
                                                                        2)[1] == .5
    assert damped(lambda t: (-1e-6 - 1e-13, t), -1e-6)[1] == 1.


def test_the_shortest_step_is_returned_where_none_helps():
    assert damped(lambda t: (-2., t), -1., halvings=3)[1] == .25
    assert damped(lambda t: (-1 - 1e-13, t), -1.)[1] == 1. and damped(lambda t: (-1 - 1e-11, t), -1.,
                                                                      halvings=2)[1] == .5
