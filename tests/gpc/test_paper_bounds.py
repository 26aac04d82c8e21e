"""Tests of nbs/gpc/07_paper_bounds.ipynb, extracted from its test cells: edit them there."""
import numpy as np
from reject_nb.gpc.certificate import reduce
from reject_nb.gpc.posterior import GPPosterior
from reject_nb.gpc.posterior import logistic_mean
from reject_nb.gpc.search import classification_range
from scipy.optimize import linprog
from scipy.special import ndtr

from reject_nb.gpc.paper_bounds import (
    Intervals, _dual_bound, gaussian_interval, interval_extremes, lemma_3, mean_bounds, proposition_1,
    variance_high, variance_low,
)

def test_proposition_2_against_a_grid():
    "0 violations, and the extremes are attained: 300 random intervals against a 60 x 60 grid of means and variances."
    rng = np.random.default_rng(0)
    for _ in range(300):
        a = rng.normal(0, 2); b = a + rng.exponential(1)
        if rng.random() < .2: a = -np.inf
        elif rng.random() < .2: b = np.inf
        m, v = np.sort(rng.normal(0, 2, 2)), np.sort(rng.uniform(.05, 4, 2))
        low, high = interval_extremes(a, b, Intervals(m[0], m[1], v[0], v[1]))
        M, V = np.meshgrid(np.linspace(*m, 60), np.linspace(*v, 60))
        p = gaussian_interval(a, b, M, V)
        assert low <= p.min() + 1e-13 and p.max() <= high + 1e-13
        assert p.min() - low < 1e-9 and high - p.max() < .01          # the maximum may lie between grid points


def test_lemma_3_and_proposition_1_enclose_all_models():
    rng = np.random.default_rng(1)
    for _ in range(30):
        m, v = np.sort(rng.normal(0, 2, 2)), np.sort(rng.uniform(.05, 4, 2))
        box = Intervals(m[0], m[1], v[0], v[1])
        for likelihood, value in (("probit", lambda a, b: ndtr(a/np.sqrt(1 + b))), ("logistic", np.vectorize(logistic_mean))):
            M, V = np.meshgrid(np.linspace(*m, 12), np.linspace(*v, 12))
            p = value(M, V)
            low, high = lemma_3(box, likelihood)
            assert abs(low - p.min()) < 1e-9 and abs(high - p.max()) < 1e-9      # attained at grid corners
            wide = proposition_1(box, likelihood, 50)
            assert wide[0] <= low + 1e-9 and high <= wide[1] + 1e-9


def test_variance_programs_enclose_samples():
    for seed in range(4):
        rng = np.random.default_rng(seed)
        post = GPPosterior(rng.normal(size=(12, 2)), rng.normal(size=12), rng.uniform(.05, .6, 12), rng.uniform(.6, 1.5, 2), 3.)
        mid, half = rng.normal(size=2), rng.uniform(.05, .3, 2)
        problem = reduce(post, mid - half, mid + half)
        mean, var = post.latent(mid + half*rng.uniform(-1, 1, size=(3000, 2)))
        assert variance_low(problem, post.R, -problem.half, problem.half) <= var.min() and var.max() <= variance_high(problem, post.R, -problem.half, problem.half)
        low, high = mean_bounds(problem, -problem.half, problem.half)
        assert low <= mean.min() and mean.max() <= high


def test_dual_bounds_hold_for_any_multipliers():
    rng = np.random.default_rng(5)
    A, b, c = rng.normal(size=(6, 4)), rng.uniform(.5, 1, 6), rng.normal(size=4)
    true = linprog(c, A_ub=A, b_ub=b, bounds=[(-1, 1)]*4, method="highs")
    for _ in range(50): assert _dual_bound(c, A, b, -np.ones(4), np.ones(4), rng.normal(size=6)) <= true.fun + 1e-12
    assert abs(_dual_bound(c, A, b, -np.ones(4), np.ones(4), -true.ineqlin.marginals) - true.fun) < 1e-9


def test_both_engines_agree():
    for seed in (0, 1):
        rng = np.random.default_rng(seed)
        post = GPPosterior(rng.normal(size=(10, 2)), rng.normal(size=10)*.5, rng.uniform(.05, .6, 10), [.8, 1.1], 2., "probit" if seed == 0 else "logistic")
        a = classification_range(post, [0, 0], [.2, .2], tol=.02, bounds="paper")
        b = classification_range(post, [0, 0], [.2, .2], tol=1e-4)
        assert a.status == "optimal" and a.gap <= .02 + 1e-12
        assert a.min_lower <= b.min_upper and b.min_lower <= a.min_upper + 1e-9 and a.max_upper >= b.max_lower and b.max_upper >= a.max_lower - 1e-9
