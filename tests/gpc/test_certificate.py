"""Tests of nbs/gpc/04_certificate.ipynb, extracted from its test cells: edit them there."""
import numpy as np
from reject_nb.gpc.posterior import GPPosterior

from reject_nb.gpc.certificate import lower_bounds, ratio_min, reduce, value_up

def test_certificates_hold_on_random_posteriors():
    "5,400 such queries were fuzzed in the notes; here 120 posteriors, 200 points each, three levels, both signs and both likelihoods."
    for seed in range(120):
        rng = np.random.default_rng(1000 + seed)
        n, d = rng.integers(3, 40), rng.integers(1, 5)
        post = GPPosterior(rng.normal(size=(n, d)), rng.normal(size=n)*rng.choice([.2, 1, 3]), 10.**rng.uniform(-3, 1, n), rng.uniform(.3, 2, d),
                           10.**rng.uniform(-1, 2.5), "logistic" if seed % 4 == 0 else "probit")
        mid, half = rng.normal(size=d), 10.**rng.uniform(-4, .5)*rng.uniform(.2, 1, d)
        Z = mid + half*rng.uniform(-1, 1, size=(200, d)); Z[:60] = mid + half*rng.choice([-1, 0, 1], size=(60, d))
        p = post.predict_proba(Z)
        for sign in (1., -1.):
            seen = (p if sign > 0 else 1 - p).min()
            problem = reduce(post, mid - half, mid + half, sign)
            for level in (.2, .8, min(max(seen, .001), .999)):
                for q in (max(1, n//3), n):
                    got, point, _, at = lower_bounds(problem, -problem.half[None], problem.half[None], level, q)
                    assert got[0] <= seen + 1e-9, (seed, sign, level, q, got[0], seen)      # predict_proba's own rounding
                    assert value_up(problem, at)[0] >= (lambda v: v if sign > 0 else 1 - v)(post.predict_proba(problem.point(np.zeros(len(problem.free)))[None])[0]) - 1e-9


def test_point_boxes_are_tight():
    post = GPPosterior(np.random.default_rng(0).normal(size=(60, 2)), np.random.default_rng(1).normal(size=60), np.full(60, .4), [.8, 1.1], 46.)
    for sign in (1., -1.):
        problem = reduce(post, np.array([.3, .1]) - 1e-12, np.array([.3, .1]) + 1e-12, sign)
        p = post.predict_proba([[.3, .1]])[0]
        got = lower_bounds(problem, -problem.half[None], problem.half[None], p if sign > 0 else 1 - p, 60)[0][0]
        assert abs(got - (p if sign > 0 else 1 - p)) < 1e-7


def test_ratio_min_is_the_minimum():
    rng = np.random.default_rng(5)
    for _ in range(200):
        nu, kappa, a = rng.normal(0, 3), rng.normal(0, 1), rng.uniform(0, 4)
        b = a + rng.uniform(0, 5)
        v = np.linspace(a, b, 20_001)
        seen = ((nu + kappa*v)/np.sqrt(1 + v)).min()
        assert -1e-6 < seen - ratio_min(nu, kappa, a, b) + 1e-15 and seen - ratio_min(nu, kappa, a, b) < 1e-6    # grid of 2.5e-4


def test_derivatives_of_the_logistic_function_are_bounded():
    f = np.linspace(-12, 12, 100_001)
    p = 1/(1 + np.exp(-f))
    q = p*(1 - p)
    assert np.abs(q*(1 - 2*p)).max() <= .09623 and np.abs(q*(1 - 6*q)).max() <= .1251
    assert np.abs(q*(1 - 2*p)*(1 - 12*q)).max() <= .1300
