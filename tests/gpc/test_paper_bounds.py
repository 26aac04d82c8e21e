"""Tests of nbs/gpc/14_paper_bounds.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.core.results import Clock
from reject_nb.gpc.certificate import one_side
from reject_nb.gpc.certificate import reduce_box
from reject_nb.gpc.logistic import logistic_mean
from reject_nb.gpc.posterior import GPPosterior
from reject_nb.gpc.search import Limits
from scipy import sparse
from scipy.optimize import linprog
from scipy.special import ndtr

from reject_nb.gpc.paper_bounds import (
    Intervals, PaperOracle, _Program, _dual_bound, _linear_program, conditional_product, gaussian_interval,
    interval_extremes, lemma_3, mean_bounds, paper_minimum, proposition_1, relaxation, variance_high,
    variance_low,
)

def _random_interval(seed):
    rng = np.random.default_rng(seed)
    a = rng.normal(0, 2)
    b = a + rng.exponential(1)
    if seed % 5 == 0: a = -np.inf
    elif seed % 5 == 1: b = np.inf
    m, v = np.sort(rng.normal(0, 2, 2)), np.sort(rng.uniform(.05, 4, 2))
    return a, b, Intervals(m[0], m[1], v[0], v[1])


@pytest.mark.parametrize("seed", range(100))
def test_proposition_2_against_a_grid(seed):
    "No violation, and the extremes are attained: against a 60 x 60 grid of means and variances."
    a, b, box = _random_interval(seed)
    low, high = interval_extremes(a, b, box)
    M, V = np.meshgrid(np.linspace(box.mean_low, box.mean_high, 60),
                       np.linspace(box.var_low, box.var_high, 60))
    p = gaussian_interval(a, b, M, V)
    assert low <= p.min() + 1e-13 and p.max() <= high + 1e-13
    assert p.min() - low < 1e-9 and high - p.max() < .01          # the maximum may lie between grid points


def test_intervals_in_both_tails():
    assert gaussian_interval(8., 9., 0., 1.) == pytest.approx(gaussian_interval(-9., -8., 0., 1.),
                                                              rel=1e-12) and gaussian_interval(8., 9., 0.,
                                                                                               1.) > 0
    assert interval_extremes(-np.inf, np.inf, Intervals(0., 1., 1., 2.)) == (1., 1.)
    assert gaussian_interval(0., 1., .5, 0.) == 1.


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("likelihood", ["probit", "logistic"])
def test_lemma_3_and_proposition_1_enclose_all_models(seed, likelihood):
    _, _, box = _random_interval(seed)
    value = (lambda a, b: ndtr(a/np.sqrt(1 + b))) if likelihood == "probit" else np.vectorize(logistic_mean)
    p = value(*np.meshgrid(np.linspace(box.mean_low, box.mean_high, 12),
                           np.linspace(box.var_low, box.var_high, 12)))
    low, high = lemma_3(box, likelihood)
    assert abs(low - p.min()) < 1e-9 and abs(high - p.max()) < 1e-9      # attained at grid corners
    wide = proposition_1(box, likelihood, 50)
    assert wide[0] <= low + 1e-9 and high <= wide[1] + 1e-9


@pytest.mark.parametrize("likelihood", ["probit", "logistic"])
def test_proposition_1_is_sharp_where_nothing_is_open(likelihood):
    "Mean and variance known: the sums are Riemann sums of the integral, off by at most 1/n."
    box = Intervals(.4, .4, .7, .7)
    exact = lemma_3(box, likelihood)[0]
    for n in (2, 7, 100):
        low, high = proposition_1(box, likelihood, n)
        assert exact - 1/n <= low <= exact <= high <= exact + 1/n and high - low == pytest.approx(1/n,
                                                                                                  abs=1e-12)
    assert proposition_1(box, likelihood) == proposition_1(box, likelihood, 100)
    assert proposition_1(Intervals(30., 40., .1, .2), likelihood, 4)[1] == 1.


def _small(seed, n=12, likelihood="probit"):
    rng = np.random.default_rng(seed)
    post = GPPosterior(rng.normal(size=(n, 2)), rng.normal(size=n), rng.uniform(.05, .6, n),
                       rng.uniform(.6, 1.5, 2), 3., likelihood)
    mid, half = rng.normal(size=2), rng.uniform(.05, .3, 2)
    side = one_side(post, reduce_box(post, mid - half, mid + half), 1., False)
    return post, side, mid + half*rng.uniform(-1, 1, size=(3000, 2))


@pytest.mark.parametrize("seed", range(4))
def test_variance_programs_enclose_samples(seed):
    post, side, Z = _small(seed)
    (mean, var), half = post.latent(Z), side.box.half
    low, high = variance_low(side, post.R, -half, half), variance_high(side, post.R, -half, half)
    assert low <= var.min() and var.max() <= high and high - var.max() < .5 and var.min() - low < 1.5
    low, high = mean_bounds(side, -half, half)
    assert low <= mean.min() and mean.max() <= high and high - low < 2*(mean.max() - mean.min()) + .1


@pytest.mark.parametrize("seed", range(4))
def test_relaxation_holds_and_touches(seed):
    post, side, Z = _small(seed)
    r, x = post.kernel(Z), side.box.scaled(Z)
    found = relaxation(side, -side.box.half, side.box.half)
    assert (found.low_0 + x @ found.low_1.T <= r + 1e-12).all() and (r <= found.high_0 + x @ found.high_1.T
                                                                     + 1e-12).all()
    assert (found.r_low <= r + 1e-12).all() and (r <= found.r_high + 1e-12).all()
    point = relaxation(side, np.zeros(2), np.zeros(2))
    centre = post.kernel(side.box.point(np.zeros(2))[None])[0]
    for value in (point.low_0, point.high_0, point.r_low, point.r_high):
        np.testing.assert_allclose(value, centre, rtol=1e-9)


def test_dual_bounds_hold_for_any_multipliers():
    rng = np.random.default_rng(5)
    A, b, c = rng.normal(size=(6, 4)), rng.uniform(.5, 1, 6), rng.normal(size=4)
    program = _Program(A=sparse.csr_matrix(A), b=b, low=-np.ones(4), high=np.ones(4))
    true = linprog(c, A_ub=A, b_ub=b, bounds=[(-1, 1)]*4, method="highs")
    for _ in range(50): assert _dual_bound(c, program, rng.normal(size=6)) <= true.fun + 1e-12
    assert abs(_dual_bound(c, program, -true.ineqlin.marginals) - true.fun) < 1e-9
    assert abs(_linear_program(c, program) - true.fun) < 1e-9


def test_proposition_4_needs_a_plus():
    mean, cov, cell = np.zeros(2), np.array([[1., .9], [.9, 1.]]), np.array([[1., 1.3], [1., 1.3]])
    z = np.random.default_rng(6).multivariate_normal(mean, cov, 200_000)
    true = ((z > cell[:, 0]) & (z < cell[:, 1])).all(1).mean()
    (low, high), printed = conditional_product(mean, cov, cell), conditional_product(mean, cov, cell, -1.)
    assert low <= true <= high < 2*true and not printed[0] <= true <= printed[1]


@pytest.mark.parametrize("seed", range(6))
def test_proposition_4_encloses_samples(seed):
    rng = np.random.default_rng(seed)
    A, mean = rng.normal(size=(3, 3)), rng.normal(size=3)*.5
    cov, low = A @ A.T + .2*np.eye(3), rng.normal(size=3) - .5
    cell = np.column_stack([low, low + rng.uniform(.5, 2, 3)])
    z = rng.multivariate_normal(mean, cov, 200_000)
    true = ((z > cell[:, 0]) & (z < cell[:, 1])).all(1).mean()
    a, b = conditional_product(mean, cov, cell)
    assert a <= true + 4e-3 and true <= b + 4e-3                       # three standard errors and more
    independent = conditional_product(mean, np.diag(np.diag(cov)), cell)
    product = np.prod([gaussian_interval(*cell[j], mean[j], cov[j, j]) for j in range(3)])
    assert independent[0] == pytest.approx(independent[1]) == pytest.approx(product)


@pytest.mark.parametrize("way", ["lemma3", "proposition1"])
@pytest.mark.parametrize("likelihood", ["probit", "logistic"])
@pytest.mark.parametrize("sign", [1., -1.])
def test_the_paper_s_search_encloses_the_minimum(way, likelihood, sign):
    post, side, Z = _small(1, 8, likelihood)
    lower, upper = side.box.lower, side.box.lower + .3*(side.box.upper - side.box.lower)
    Z = lower + (Z - side.box.lower)*.3
    p = post.predict_proba(Z) if sign > 0 else 1 - post.predict_proba(Z)
    got = paper_minimum(post, lower, upper, Limits(tol=.03, clock=Clock(None), max_boxes=12), sign, way)
    assert got.lower <= p.min() <= got.upper + .02 and (lower <= got.x).all() and (got.x <= upper).all()
    at = post.predict_proba(got.x[None])[0]
    assert got.upper == pytest.approx(at if sign > 0
                                      else 1 - at) and (got.status == "optimal") == (got.gap_abs <= .03)


def test_given_bounds_stand_for_the_programs():
    post, side, _ = _small(2)
    calls = []
    got = paper_minimum(post, side.box.lower, side.box.upper, Limits(tol=.9, clock=Clock(None)),
                        bound=lambda s, lo, hi: calls.append(s) or .1)
    assert got.lower == .1 and calls[0].post is post and got.n_boxes == len(calls) == 1


def test_the_widest_side_is_halved():
    side = _small(1, 8)[1]
    oracle = PaperOracle(side, bound=lambda lo, hi: 0.)
    lo, hi = np.array([[-.4, .1], [.2, -.3]]), np.array([[-.1, .2], [.2, -.3]])
    got = oracle.look(lo, hi, .5)
    np.testing.assert_allclose(got.score, [[.3, .1], [-1., -1.]])       # a point has no side to halve
    np.testing.assert_array_equal(got.corners, lo[:0])
