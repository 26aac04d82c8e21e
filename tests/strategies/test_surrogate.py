"""Tests of nbs/strategies/04_surrogate.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.strategies.curves import sele

from reject_nb.strategies.surrogate import (
    Cells, _CellSums, _DEGREES, _TABLES, _add_far, _add_near, _chebyshev, _evaluate, _local, _moments,
    logistic_sums, sele_surrogate, sele_surrogate_hvp, surrogate_by_definition,
)

@pytest.mark.parametrize("spread", [0., 1e-9, .3, 5., 60., 1e4, 1e9])
def test_sums_equal_their_definition_at_any_spread(spread):
    # 1e-13: a hundred roundings of 2^-53 on sums of positive terms
    rng = np.random.default_rng(1)
    s, q = rng.normal(0, 1, 300)*spread + 1e3, rng.random((300, 2))
    t = s[:, None] - s[None]
    e = np.exp(-np.abs(t))
    for order, f in enumerate((np.logaddexp(0, t), np.where(t > 0, 1, e)/(1 + e), e/(1 + e)**2)):
        np.testing.assert_allclose(logistic_sums(s, q, order), f @ q, rtol=1e-13, atol=1e-13*(f @ q).max())


def test_kernels_uncompiled():
    # eight points in five cells, one of them far away: each kernel as plain Python gives what its compiled
    # form gives
    s, q = np.array([0., .3, .9, 1.2, 3.7, 3.8, 60., 61.5]), np.arange(16.).reshape(8, 2)
    cells = Cells(s)
    moments = _moments.py_func(cells.u, cells.cell, len(cells.place), q)
    np.testing.assert_allclose(moments, cells.moments(q), rtol=1e-15)
    mass = moments[:, :, 0].copy()
    sums = _CellSums(cells.place, moments, mass, moments[:, :, 1]/2 + (cells.place[:, None] + .5)*mass)
    for order in range(3):
        found = _local.py_func(sums, _TABLES[order], order)
        np.testing.assert_allclose(found, _local(sums, _TABLES[order], order), rtol=1e-13, atol=1e-12)
        np.testing.assert_allclose(_evaluate.py_func(cells.u, cells.cell, found), cells.sums(moments, order),
                                   rtol=1e-12, atol=1e-12)
    out, T = np.zeros((1, 1, _DEGREES)), np.empty(_DEGREES)
    _chebyshev.py_func(.5, T)
    np.testing.assert_allclose(T, np.cos(np.arange(_DEGREES)*np.arccos(.5)), atol=1e-14)
    _add_far.py_func(out, 0, 50., np.array([2.]), np.array([3.]), 0)             # 2 t - 3 with t = 50 + u/2
    np.testing.assert_allclose(out[0, 0, :2], [97., 1.])
    _add_near.py_func(out, 0, np.ones((1, _DEGREES)), np.eye(_DEGREES))
    np.testing.assert_allclose(out[0, 0, :3], [98., 2., 1.])


@pytest.mark.parametrize("base", [np.e, 2.])
@pytest.mark.parametrize("spread", [0., 1., 100.])
def test_surrogate_equals_its_definition(spread, base):
    rng = np.random.default_rng(2)
    l, s = rng.random(200)*(rng.random(200) < .5), rng.normal(0, 1, 200)*spread
    v, g = sele_surrogate(l, s, base=base, return_gradient=True)
    v0, g0 = surrogate_by_definition(l, s, base)
    np.testing.assert_allclose(v, v0, rtol=1e-13)
    np.testing.assert_allclose(g, g0, atol=1e-13*max(np.abs(g0).max(), 1e-3))
    assert sele_surrogate(l, s, base=base) == v


def test_gradient_and_hessian_by_complex_differences():
    # the definition is analytic in s: a step of 1e-30 in the imaginary direction has no cancellation
    rng = np.random.default_rng(3)
    l, s, v = rng.random(40), rng.normal(0, 2, 40), rng.normal(0, 1, 40)
    z = s + 1e-30j*v
    t = z[None] - z[:, None]
    pull = l[:, None]/(1 + np.exp(-t))/1600
    np.testing.assert_allclose(sele_surrogate_hvp(l, s, v), (pull.sum(0) - pull.sum(1)).imag/1e-30,
                               atol=1e-14)
    np.testing.assert_allclose(sele_surrogate_hvp(l, s, v, 2.), sele_surrogate_hvp(l, s, v)/np.log(2),
                               rtol=1e-12, atol=1e-16)
    np.testing.assert_allclose(sele_surrogate(l, s, return_gradient=True)[1] @ v,
                               (l[:, None]*np.log(1 + np.exp(t))).sum().imag/1e-30/1600, rtol=1e-11)


def test_only_base_two_bounds_sele_at_ties():
    l, s = np.ones(5), np.zeros(5)
    assert sele(l, s) == 1
    np.testing.assert_allclose([sele_surrogate(l, s), sele_surrogate(l, s, base=2)], [np.log(2), 1],
                               rtol=1e-13)
    rng = np.random.default_rng(4)
    for _ in range(20):
        l, s = rng.random(30), rng.integers(0, 5, 30)
        assert sele_surrogate(l, s, base=2) >= sele(l, s)*(1 - 1e-12)


def test_invariances():
    rng = np.random.default_rng(5)
    l, s = rng.random(64), rng.normal(0, 4, 64)
    p = rng.permutation(64)
    np.testing.assert_allclose(sele_surrogate(l[p], s[p] + 12345.678), sele_surrogate(l, s), rtol=1e-12)
    np.testing.assert_allclose(sele_surrogate(3*l, s), 3*sele_surrogate(l, s), rtol=1e-13)
    assert abs(sele_surrogate(l, s, return_gradient=True)[1].sum()) < 1e-15
    assert sele_surrogate(np.zeros(4), s[:4]) == 0

BAD = [(lambda: sele_surrogate([1], [np.inf]), "scores must be finite"),
       (lambda: sele_surrogate([1, 1], [0, np.nan]), "scores must be without NaN"),
       (lambda: sele_surrogate([-1], [0]), "losses must"),
       (lambda: sele_surrogate([1, 1], [0]), "scores must"),
       (lambda: sele_surrogate([1, 1], [0, 1e16]), "scores must span less than 1e15"),
       (lambda: sele_surrogate([1e308, 1], [0, 1]), "losses must be at most"),
       (lambda: sele_surrogate([1], [0], return_gradient=1), "return_gradient must"),
       (lambda: sele_surrogate_hvp([1], [0], [1, 2]), "vector must"),
       (lambda: sele_surrogate_hvp([1], [0], [1], 1), "base must"),
       (lambda: logistic_sums([0.], [[1.]], 3), "order must"),
       (lambda: logistic_sums([0.], [1.]), "weights must"),
       *[(lambda base=base: sele_surrogate([1], [0], base=base), "base must")
         for base in (1, "a", np.nan, None, True)]]

@pytest.mark.parametrize("call, words", BAD)
def test_surrogate_bad_input(call, words):
    with pytest.raises(ValueError, match=words): call()
