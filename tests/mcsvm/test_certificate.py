"""Tests of nbs/mcsvm/03_certificate.ipynb, extracted from its test cells: edit them there."""
import numpy as np
from reject_nb.mcsvm.problem import cost_weights
from reject_nb.mcsvm.problem import hinge_sum
from reject_nb.mcsvm.problem import resolve_taus
from reject_nb.mcsvm.problem import solve_reference

from reject_nb.mcsvm.certificate import certify, repair

def test_repair_gives_a_feasible_point():
    rng = np.random.default_rng(1); taus = np.array([.1, .5, .9])
    for n in (2, 5, 40):
        y = np.where(np.arange(n) % 2, 1., -1.); alpha = rng.normal(size=(n, 3))
        repair(alpha, y, 1-taus, taus)
        assert alpha.min() >= 0 and np.all(alpha <= np.where(y[:, None] > 0, 1-taus, taus))
        np.testing.assert_allclose(y@alpha, 0, atol=1e-13*n)


def test_repair_leaves_a_feasible_point_alone():
    y, taus = np.array([1., -1.]), np.array([.4]); alpha = np.array([[.3], [.3]])
    repair(alpha, y, 1-taus, taus); assert alpha.ravel().tolist() == [.3, .3]


def test_certificate_encloses_the_optimum():
    rng = np.random.default_rng(2); y = np.where(np.arange(30) < 12, 1., -1.); X = rng.normal(size=(30, 3))-y[:, None]/2
    taus = resolve_taus(4); safe, unsafe = cost_weights(taus, y); K = X@X.T
    ref = solve_reference(K, y, taus, .3)
    assert certify(lambda v: K@v, y, ref.alpha.copy(), safe, unsafe, .3).gap < 1e-8
    for scale in (1e-3, 1e-1, 1.):
        c = certify(lambda v: K@v, y, ref.alpha+scale*rng.normal(size=ref.alpha.shape), safe, unsafe, .3)
        assert c.dual_objective <= ref.objective*(1+1e-9) and c.objective >= ref.dual_objective*(1-1e-9)


def test_certificate_agrees_with_the_double_sum():
    rng = np.random.default_rng(3); y = np.where(np.arange(20) < 9, 1., -1.); X = rng.normal(size=(20, 2))
    taus = np.array([.2, .7]); safe, unsafe = cost_weights(taus, y)
    c = certify(lambda v: X@(X.T@v), y, rng.uniform(0, 1, (20, 2)), safe, unsafe, .5)
    w = X.T@c.dual_coef
    np.testing.assert_allclose(c.objective, w@w/(2*.5)+hinge_sum(X@w, y, c.biases, safe, unsafe), rtol=1e-12)


def test_zero_alpha_has_gap_one():
    # w = 0 costs 2 min(c_S n_S, c_U n_U) for each tau, and the dual value is 0
    y = np.array([1., 1, -1]); taus = np.array([.25]); c = certify(lambda v: v*0, y, np.zeros((3, 1)), 1-taus, taus, 1.)
    assert c.gap == 1. and c.objective == 2*min(.75*2, .25)
