"""Tests of nbs/gpc/18_class_expansion.ipynb, extracted from its test cells: edit them there."""
import math
import numpy as np
import pytest
from reject_nb.gpc.certificate import reduce_box
from reject_nb.gpc.class_bounds import class_bounds
from reject_nb.gpc.class_bounds import pair_centre
from reject_nb.gpc.directions import PURE
from reject_nb.gpc.race import ARG
from reject_nb.gpc.race import _own_nodes
from reject_nb.gpc.race import race
from reject_nb.gpc.softmax import MulticlassPosterior
from unittest.mock import patch

from reject_nb.gpc.class_expansion import (
    ExpandedOracle, _integrals, _mixed, _nearby, expanded, expansion, joint_centre,
)

@pytest.mark.parametrize("C", [3, 5, 10])
@pytest.mark.parametrize("c", [0, 2])
def test_derivatives_are_those_of_the_race(C, c):
    rng, step = np.random.default_rng(C), 1e-3
    mean, own = rng.normal(size=C), rng.uniform(.2, 3., C)
    got = expansion(mean, own, c)
    assert got.value == pytest.approx(race(mean, np.diag(own))[0][c], abs=1e-7) and got.error < 1e-5
    assert abs(got.slope.sum()) < 1e-14 and np.abs(got.bend.sum(1)).max() < 1e-14
    np.testing.assert_array_equal(got.bend, got.bend.T)
    for j in range(C):
        sides = [expansion(mean + s*step*np.eye(C)[j], own, c) for s in (1, -1)]
        assert (sides[0].value - sides[1].value)/2/step == pytest.approx(got.slope[j], abs=1e-6)
        np.testing.assert_allclose((sides[0].slope - sides[1].slope)/2/step, got.bend[j], atol=1e-6)


def test_too_much_work_is_refused():
    assert expansion(np.zeros(3), np.full(3, 1e6), 0) is None
    assert expansion(np.zeros(3), np.full(3, 30.), 0) is not None


def _random_model(seed, C, n=30, d=3, sure=1.):
    rng = np.random.default_rng(seed)
    prob = rng.dirichlet(np.full(C, sure), n).T
    return MulticlassPosterior(rng.normal(size=(n, d)), rng.normal(size=(C, n))*.4, prob/prob.sum(0),
                               rng.uniform(.7, 2., d), float(rng.uniform(.3, 4.)))


@pytest.mark.parametrize("C", [3, 6])
def test_tangents_are_those_of_the_pairs(C):
    post = _random_model(C, C)
    r = post.kernel([[.1, .2, -.3]])[0]
    at, pairs = joint_centre(post, r, 0.), pair_centre(post, r, 0.)
    cov = post.latent([[.1, .2, -.3]])[1][0]
    np.testing.assert_allclose(post.variance*np.eye(C) - at.tangent, cov, atol=1e-8)
    form = np.diag(at.form)[:, None] + np.diag(at.form) - 2*at.form
    np.testing.assert_allclose(form, pairs.form, atol=1e-8)
    assert (at.err > 0).all() and (at.residual > 0).all() and at.residual.max() < 1e-4


@pytest.mark.parametrize("C", [3, 5, 10])
@pytest.mark.parametrize("half", [.01, .1, .4])
@pytest.mark.parametrize("sure", [.1, 3.])
def test_no_sample_lies_outside(C, half, sure):
    found = 0
    for seed in range(4):
        post, rng = _random_model(seed, C, sure=sure), np.random.default_rng(seed)
        mid = rng.normal(size=3)*.7
        size = half*rng.uniform(0, 1, size=3)
        box = reduce_box(post, mid - size, mid + size)
        got = expanded(post, box, seed % C, -box.half, box.half)
        if got is None: continue
        found += 1
        corners, inside = rng.choice([-1., 1.], size=(20, 3)), rng.uniform(-1, 1, (40, 3))
        Z = mid + size*np.vstack([np.zeros((1, 3)), corners, inside])
        p = post.predict_proba(Z)[:, seed % C]
        assert got.cell.low <= p.min() + 2e-4 and p.max() - 2e-4 <= got.cell.high
        assert got.cell.value_low - 2e-4 <= p[0] <= got.cell.value_high + 2e-4
        assert (got.cell.scores > 0).all()
    assert found >= (4 if half == .01 else 0)


def test_the_gap_falls_with_the_square_of_the_width():
    post, gaps = _random_model(7, 5), []
    for half in (.04, .02, .01):
        box = reduce_box(post, np.full(3, .2 - half), np.full(3, .2 + half))
        cell = expanded(post, box, 1, -box.half, box.half).cell
        old = class_bounds(post, box, [1], -box.half, box.half)[0]
        p = post.predict_proba(box.origin + half*np.array(np.meshgrid(*[[-1, 1]]*3)).reshape(3, -1).T)[:, 1]
        point = cell.value_high - cell.value_low
        gaps.append(cell.high - cell.low - np.ptp(p) - point)
        assert cell.high - cell.low < old.high - old.low
    assert gaps[0] > 2.5*gaps[1] > 0


def _forms(post, moved):
    "r'R_aa r of changes (m, n) of the kernel vector for each class, by dense algebra from the definition."
    C, n = post.prob.shape
    W = np.zeros((C*n, C*n))
    for i in range(n):
        own = slice(i, None, n)
        W[own, own] = np.diag(post.prob[:, i]) - np.outer(post.prob[:, i], post.prob[:, i])
    R = np.linalg.solve(np.eye(C*n) + W @ np.kron(np.eye(C), post.K), W)
    blocks = (R[a*n:(a + 1)*n, a*n:(a + 1)*n] for a in range(C))
    return np.array([np.einsum("mi,ij,mj->m", moved, block, moved) for block in blocks])


@pytest.mark.parametrize("seed", range(4))
def test_the_move_of_the_kernel_vector_is_bounded_in_its_own_norm(seed):
    "rho: no sample moves further, and a box of half the width lets it move half as far, a quarter squared."
    post, rng, rho = _random_model(seed, 3), np.random.default_rng(seed), []
    for half in (.02, .01):
        box = reduce_box(post, np.full(3, .3 - half), np.full(3, .3 + half))
        near = _nearby(post, box, -box.half, box.half)
        corners = np.array(np.meshgrid(*[[-1, 1]]*3)).reshape(3, -1).T
        Z = .3 + half*np.vstack([corners, rng.uniform(-1, 1, (20, 3))])
        moved = post.kernel(Z) - post.kernel(np.full((1, 3), .3))
        assert 0 < _forms(post, moved).max() <= near.rho
        rho.append(near.rho)
    assert 3.8 < rho[0]/rho[1] < 4.2
    assert near.rho <= post.variance*np.square(box.half).sum()*(1 + 1e-9)      # what K alone says


def test_rounding_always_widens():
    "With a coarser arithmetic lower bounds fall and upper bounds rise: no allowance has the wrong sign."
    post = _random_model(3, 5)
    box = reduce_box(post, np.full(3, -.02), np.full(3, .02))
    fine = expanded(post, box, 0, -box.half, box.half).cell
    with patch.dict(expanded.__globals__, {"rounding": lambda n: 1e-9*n}):
        rough = expanded(post, box, 0, -box.half, box.half).cell
    assert rough.low < fine.low <= fine.value_low <= fine.value_high <= fine.high < rough.high
    assert rough.value_low < fine.value_low and fine.value_high < rough.value_high


@pytest.mark.parametrize("C", [2, 3, 8])
def test_second_derivatives_stay_below_what_is_allowed(C):
    "The inequalities of the proof, on random probabilities, directions and couplings."
    rng = np.random.default_rng(C)
    for _ in range(300):
        p, u = rng.dirichlet(np.full(C, rng.choice([.2, 1., 5.]))), rng.choice([-1., 1., 0.], C)
        delta = rng.choice([-1., 1.], size=(C, C))
        delta = np.triu(delta, 1) + np.triu(delta, 1).T
        R, mean, q = np.ptp(u), p @ u, p[0]
        second = q*((u[0] - mean)**2 - p @ (u - mean)**2)
        assert -min(PURE, .25*q)*R*R - 1e-12 <= second <= min(PURE, q)*R*R + 1e-12
        own, shared = _mixed(q)
        for D, most in ((delta, own), (1 - np.eye(C), shared)):
            inner, turn = p @ D @ p - D[0] @ p, 2*D @ p - D[0]
            slope = q*((u[0] - mean)*inner + p @ ((u - mean)*turn))
            assert abs(slope) <= most*R + 1e-12
            assert abs(q*inner) <= min(2*q, .236) + 1e-12


def _worst_mixed(C, q, D, rng):
    "The largest mixed derivative for given p_c and couplings that a random search of p and u finds, R = 1."
    best = 0.
    for _ in range(200):
        p = np.r_[q, (1 - q)*rng.dirichlet(np.full(C - 1, rng.choice([.05, .5, 5.])))]
        weight = q*(p*(2*D @ p - D[0]))
        weight -= p*weight.sum()
        weight[0] += q*(p @ D @ p - D[0] @ p)
        weight -= p*q*(p @ D @ p - D[0] @ p)
        best = max(best, np.maximum(weight, 0).sum(), np.maximum(-weight, 0).sum())    # u is 0 or 1
    return best


@pytest.mark.parametrize("C", [2, 4, 10])
def test_the_mixed_bound_holds_where_the_direction_is_the_worst(C):
    "u in {0, 1}^C is the worst for a linear functional that a common shift does not change."
    rng, tight = np.random.default_rng(C), 0.
    for q in (.02, .1, .25, .4, .5, .6, .75, .9, .99):
        own, shared = _mixed(q)
        same = 1 - np.eye(C)
        assert _worst_mixed(C, q, same, rng) <= shared
        for k in range(12):
            D = np.triu(rng.choice([-1., 1.], (C, C)), 1)
            D = D + D.T if k > 1 else same*(-1.)**k
            D[0, 1:] = D[1:, 0] = rng.choice([-1., 1.]) if k % 2 else D[0, 1:]
            found = _worst_mixed(C, q, D, rng)
            assert found <= own
            tight = max(tight, found/own)
    assert tight > .25                                     # not far above what occurs


def test_the_lines_lie_above_what_is_derived():
    p = np.linspace(0, 1, 20_001)
    own = p*((1 - p)**2*(1 - p + abs(1 - 2*p)) + .5*np.maximum(1, 3 - 4*p))
    shared = p*((1 - p)*np.maximum(2*p - p*p, 1 - 4*p + 2*p*p) + .325)
    lines = np.array([_mixed(q) for q in p])
    assert (own <= lines[:, 0] + 1e-12).all() and (shared <= lines[:, 1] + 1e-12).all()
    assert (p*(1 - p)*(1 - p + abs(1 - 2*p))).max() < .236
    assert (np.diff(lines, axis=0) >= 0).all() and (np.diff(lines, 2, axis=0) <= 1e-9).all()   # concave


@pytest.mark.parametrize("seed", range(6))
def test_a_step_raises_a_probability_no_more_than_its_odds(seed):
    "The bound of H: the integral at moved means, for independent latent values."
    rng, C = np.random.default_rng(seed), 5
    mean, own = 2*rng.normal(size=C), rng.uniform(.2, 6., C)
    start = expansion(mean, own, 0).value
    for R in (.1, .6, 2.):
        most = max(expansion(mean + R*np.r_[1., rng.integers(0, 2, C - 1)], own, 0).value for _ in range(8))
        assert most <= start*np.exp(R)/(1 + start*np.expm1(R)) + 1e-6
        assert expansion(mean + R*np.eye(C)[0], own, 0).value > start


def test_oracle_agrees_with_the_former_one():
    from reject_nb.core.results import Clock
    from reject_nb.gpc.oracles import ClassOracle
    from reject_nb.gpc.search import Limits, minimise
    for seed, C in ((0, 3), (1, 4), (2, 7)):
        post = _random_model(seed, C)
        box = reduce_box(post, np.full(3, -.15), np.full(3, .15))
        for sign in (1., -1.):
            limits = Limits(tol=.02, clock=Clock(None))
            new, old = (minimise(kind(post, box, 1, sign), limits) for kind in (ExpandedOracle, ClassOracle))
            assert new.status == old.status == "optimal" and new.gap_abs <= .02
            assert new.lower <= old.upper and old.lower <= new.upper


def _integrals_plainly(m, c, h, nodes):
    C, s = len(m), nodes.spread
    low, high = (m - 7.5*s).max() - 3.7, (m + 7.5*s).max()
    n = int((high + 24 - low)/h) + 1
    x = np.exp(m - (low + h*np.arange(n + 1))[:, None])[:, :, None]*nodes.growth
    e = np.where(x <= 700, nodes.weight*np.exp(-np.minimum(x, 700)), 0)
    psi0, psi1, psi2 = e.sum(2), (e*x).sum(2), (e*x*x).sum(2)
    v = np.where(psi0 > 1e-290, psi1/np.maximum(psi0, 1e-300), 0)
    v[:, c], others = 0, h*np.delete(psi0, c, 1).prod(1)
    base, lean = others*psi1[:, c], others*(psi1[:, c] - psi2[:, c])
    bend = np.einsum("n,nj,nl->jl", base, v, v)
    bend[np.diag_indices(C)] = 0
    bend[c] = bend[:, c] = -lean @ v
    ahead = int(np.argmax(m - 7.5*s))
    return base.sum(), -base @ v, bend, (psi0 + psi1 + psi2)[0, ahead] + 1 - psi0[-1].min(), n*h


@pytest.mark.parametrize("digits", [9., 16.])
@pytest.mark.parametrize("C, c", [(3, 0), (4, 3), (6, 2)])
def test_the_integrals_against_plain_sums(C, c, digits):
    rng = np.random.default_rng(C)
    m, own, h = rng.normal(size=C), rng.uniform(.05, 2., C), 2*math.pi*ARG/(digits + 1)
    nodes = _own_nodes(np.sqrt(own), digits + 7)
    got, plain = _integrals(m, c, h, nodes), _integrals_plainly(m, c, h, nodes)
    for a, b in zip(got[:3], plain[:3]): np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-14)
    assert got[3] == pytest.approx(plain[3], rel=1e-6, abs=1e-14) and got[4] == plain[4]
    error = (4.04*math.exp(-digits - 1) + plain[3] + 12*C*(plain[4] + 1)*math.exp(-digits - 7)
             + 1e-14*(8 + np.abs(m).max() + 8*np.sqrt(own).max())*(plain[4] + 1))
    assert expansion(m, own, c, digits).error == pytest.approx(error, rel=1e-6)
