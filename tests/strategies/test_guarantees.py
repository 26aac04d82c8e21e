"""Tests of nbs/strategies/06_guarantees.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.strategies.models import BoundedAbstention
from reject_nb.strategies.models import BoundedImprovement
from reject_nb.strategies.models import CostBased
from scipy.stats import binom

from reject_nb.strategies.guarantees import (
    binomial_p_value, certify, clopper_pearson_upper, hoeffding_bentkus_p_value, ltt, order_statistic, sgr,
    thresholds_by_repetition,
)

def test_violations_stay_below_delta():
    # 600 repetitions at delta .1: more than 83 violations have probability below .001 for a valid method
    most = binom.ppf(.999, 600, .1)
    for f in (lambda l, s: ltt(l, s, .05, .1), lambda l, s: sgr(l, s, .05, .1), lambda l, s: ltt(.5*l, s, .025, .1), lambda l, s: ltt(100*l, s, 5., .1, bound=100.),
              lambda l, s: ltt(l, s, .05, .1, thresholds=np.linspace(.1, 1, 50))):
        assert (thresholds_by_repetition(f, 600, 800, np.random.default_rng(2)) > .5).sum() <= most
    tuned = thresholds_by_repetition(lambda l, s: BoundedImprovement(.05).solve(l, scores=s, randomise=False), 600, 800, np.random.default_rng(2))
    assert (tuned > .5).mean() > .35                                # a tuned threshold promises nothing


def test_violations_with_ties_and_a_score_that_means_nothing():
    # all examples have risk .06 > .05: whatever is accepted violates
    rng = np.random.default_rng(3)
    for levels in (1, 4, 10**6):
        bad = 0
        for _ in range(400):
            l, s = (rng.random(500) < .06).astype(float), rng.integers(0, levels, 500)
            bad += ltt(l, s, .05, .1).coverage > 0
        assert bad <= binom.ppf(.999, 400, .1)


def test_violations_where_the_risk_is_not_monotone():
    # conditional risks by place in [0, 1]; at 400 repetitions, .999 quantiles as above; risks stay within 1e-6 to .03 of the target where they exceed it
    rng = np.random.default_rng(7)
    laws = {"high first": ([0, .02, .6, 1], [.5, 0, .3]), "U": ([0, .25, .5, 1], [.07, .030001, .050001]), "falls to the target": ([0, .1, .5, 1], [.3, .0314, .025011])}
    for edges, risks in laws.values():
        true = lambda t: np.clip(t - np.array(edges[:-1]), 0, np.diff(edges)) @ risks/t
        for levels, given in ((0, None), (4, None), (0, np.linspace(.05, 1, 20))):
            bad = 0
            for _ in range(400):
                u = rng.random(600)
                l = (rng.random(600) < np.array(risks)[np.searchsorted(edges, u, side="right") - 1]).astype(float)
                found = ltt(l, np.ceil(u*levels)/levels if levels else u, .05, .5, thresholds=given)
                bad += found.coverage > 0 and true(min(found.threshold, 1.)) > .05
            assert bad <= binom.ppf(.999, 400, .5)


def test_everything_is_certified_where_its_risk_is_low():
    # errors only among the most certain: a risk of .02 against a target of .25, by one test at delta/16
    rng = np.random.default_rng(8)
    for n in (1000, 100_000):
        s = rng.random(n)
        l = ((s < .04) & (rng.random(n) < .5)).astype(float)
        assert ltt(l, s, .25).status == "trivial" and ltt(l, s, .25, thresholds=[.01, .5, 1.]).threshold == 1.
    assert "least mean loss" in ltt((s < .5).astype(float), s, .25).message


def test_chains_are_the_fallback_procedure():
    # step by step, for losses without ties: level = carried + share; a failure empties it
    rng = np.random.default_rng(9)
    for n, slope in ((800, .15), (2000, .2), (2500, .25), (3000, .12)):
        for _ in range(20):
            s = np.sort(rng.random(n))
            l = (rng.random(n) < slope*np.abs(s - .3)).astype(float)
            share = {n//4: .1/16, n//2: .1/16, 3*n//4: .1/16, n: .1/16}
            share[200] = share.get(200, 0.) + .75*.1                                  # m0 = 10/.05
            level, best = 0., 0
            for m in range(200, n + 1):
                level += share.get(m, 0.)
                if level > 0 and binom.cdf(l[:m].sum(), m - (m in share and m < n), .05) <= level: best = m
                else: level = 0.
            assert ltt(l, s, .05, .1).coverage == best/n


def test_coverage_is_certified_exactly():
    # uniform scores: the threshold is the coverage; the Beta law is exact, so violations are close to delta from below
    rng = np.random.default_rng(4)
    at_least = np.array([order_statistic(rng.random(300), .8, .1).threshold for _ in range(1500)]) < .8
    at_most = np.array([order_statistic(rng.random(300), .8, .1, "at most").threshold for _ in range(1500)]) > .8
    for bad in (at_least, at_most): assert .06 < bad.mean() <= binom.ppf(.999, 1500, .1)/1500
    ties = np.array([(rng.integers(0, 5, (2, 200)) <= 0)[0].mean() for _ in range(3)])
    assert ties.size == 3 and order_statistic(np.zeros(300), .8).coverage == 1 and order_statistic(np.zeros(300), .8, side="at most").coverage == 0


def test_ltt_covers_more_than_sgr():
    ours, theirs = (thresholds_by_repetition(lambda l, s: f(l, s, .05), 100, 2000, np.random.default_rng(5)) for f in (ltt, sgr))
    assert ours.mean() > theirs.mean() + .02


def test_p_values():
    np.testing.assert_allclose(binomial_p_value(1, 10, .2), .8**10 + 10*.2*.8**9, rtol=1e-12)
    u = clopper_pearson_upper(3, 50, .05)
    np.testing.assert_allclose(binomial_p_value(3, 50, u), .05, rtol=1e-9)
    assert clopper_pearson_upper(5, 5, .1) == 1
    # super-uniform for two-point losses in [0, 1] with mean exactly at the target
    rng = np.random.default_rng(6)
    p = hoeffding_bentkus_p_value((rng.random((4000, 60)) < .2).sum(1)*.5, 60, .1)
    assert (p <= .1).mean() <= .1 and hoeffding_bentkus_p_value(0., 10, .5) <= .5**10*(1 + 1e-9) and hoeffding_bentkus_p_value(9., 10, .5) == 1


def test_guarantees_bad_input_and_hard_cases():
    l, s = np.zeros(100), np.arange(100.)
    assert ltt(l, s, .05).status == "trivial" and ltt(l, s, .05).threshold == np.inf
    for found in (ltt(l[:30], s[:30], .05), sgr(l[:30], s[:30], .05), ltt(l, s, 0.), ltt(l + 1, s, .5), sgr(l + 1, s, .5)):
        assert found.status == "infeasible" and found.coverage == 0 and found(s[:3]).sum() == 0 and np.isnan(found.certified)
    assert ltt(l + 1, s, 1.).status == "trivial"
    assert order_statistic(s[:3], .9).status == "trivial" and order_statistic(s[:3], .9).threshold == np.inf
    for call, words in [(lambda: ltt(l + 2, s, .1), "bound"), (lambda: ltt(l, s*np.nan, .1), "scores"), (lambda: ltt(l, s, .1, delta=1), "delta"), (lambda: sgr(l + .5, s, .1), "0 and bound"),
                        (lambda: ltt(l, s, .1, thresholds=[2, 1]), "ascend"), (lambda: ltt(l[:3], s[:3], .1, thresholds=[2, 1]), "ascend"), (lambda: ltt(l[:3], s[:3], .1, thresholds=[np.nan]), "thresholds"), (lambda: order_statistic(s, 1.2), "target"), (lambda: order_statistic(s, .5, side="x"), "side"),
                        (lambda: certify(CostBased(.1), l, s), "cost-based"), (lambda: certify(BoundedImprovement(.1), l, s, guarantee="pac"), "guarantee"), (lambda: certify("risk", l, s), "model must"), (lambda: certify(BoundedImprovement, l, s, None), "model must"),
                        (lambda: ltt(l, s, .1, delta="a"), "delta"), (lambda: order_statistic(s, .5, np.nan), "delta"), (lambda: clopper_pearson_upper(-1, 5, .1), "errors"), (lambda: ltt(l + 2, s, .1, bound=1), "above bound")]:
        with pytest.raises(ValueError, match=words): call()
    assert "not certified" in certify(BoundedImprovement(.1), l, s, None).message and certify(BoundedAbstention(.5), l, s).guarantee == "order statistic"
