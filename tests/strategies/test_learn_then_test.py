"""Tests of nbs/strategies/08_learn_then_test.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.core.tails import hoeffding_bentkus_p_value
from scipy.stats import binom

from reject_nb.strategies.learn_then_test import (
    _candidates, calibration_sample, examples_needed, fallback, ltt, p_values, starts_and_shares,
)

def _thresholds_by_repetition(method, repetitions, n, seed):
    "Thresholds cut to [0, 1]: coverages c, scores s being uniform; errors of probability s/5, so risk c/10."
    rng, out = np.random.default_rng(seed), []
    for _ in range(repetitions):
        s = rng.random(n)
        out.append(method((rng.random(n) < s/5).astype(float), s).threshold)
    return np.clip(out, 0, 1)

METHODS = {"exact": lambda l, s: ltt(l, s, .05, .1), "halves": lambda l, s: ltt(.5*l, s, .025, .1),
           "percent": lambda l, s: ltt(100*l, s, 5., .1, bound=100.),
           "mild": lambda l, s: ltt(.5*l + .5*l*(s*1e4 % 1 < .9), s, .0475, .1),
           "mild, grid": lambda l, s: ltt(.3*l, s, .015, .1, thresholds=np.linspace(.1, 1, 50)),
           "grid": lambda l, s: ltt(l, s, .05, .1, thresholds=np.linspace(.1, 1, 50))}

@pytest.mark.parametrize("name", list(METHODS))
def test_violations_stay_below_delta(name):
    # 600 repetitions at delta .1: more than binom.ppf(.999) = 83 violations have probability below .001 for a
    # valid method
    violated = _thresholds_by_repetition(METHODS[name], 600, 800, 2) > .5
    assert violated.sum() <= binom.ppf(.999, 600, .1)


@pytest.mark.parametrize("levels", [1, 4, 10**6])
def test_violations_with_ties_and_a_score_that_means_nothing(levels):
    # all examples have risk .06 > .05: whatever is accepted violates
    rng, bad = np.random.default_rng(3), 0
    for _ in range(400):
        l, s = (rng.random(500) < .06).astype(float), rng.integers(0, levels, 500)
        bad += ltt(l, s, .05, .1).coverage > 0
    assert bad <= binom.ppf(.999, 400, .1)

LAWS = {"high first": ([0, .02, .6, 1], [.5, 0, .3]), "U": ([0, .25, .5, 1], [.07, .030001, .050001]),
        "falls to the target": ([0, .1, .5, 1], [.3, .0314, .025011])}

@pytest.mark.parametrize("levels, given", [(0, None), (4, None), (0, np.linspace(.05, 1, 20))],
                         ids=["distinct", "ties", "grid"])
@pytest.mark.parametrize("name", list(LAWS))
def test_violations_where_the_risk_is_not_monotone(name, levels, given):
    edges, risks = np.array(LAWS[name][0]), np.array(LAWS[name][1])
    true_risk = lambda t: np.clip(t - edges[:-1], 0, np.diff(edges)) @ risks/t
    rng, bad = np.random.default_rng(7), 0
    for _ in range(400):
        u = rng.random(600)
        l = (rng.random(600) < risks[np.searchsorted(edges, u, side="right") - 1]).astype(float)
        found = ltt(l, np.ceil(u*levels)/levels if levels else u, .05, .5, thresholds=given)
        bad += found.coverage > 0 and true_risk(min(found.threshold, 1.)) > .05
    assert bad <= binom.ppf(.999, 400, .5)


@pytest.mark.parametrize("n", [1000, 100_000])
def test_everything_is_certified_where_its_risk_is_low(n):
    # errors only among the most certain: a risk of .02 against a target of .25, by one test at delta/16
    rng = np.random.default_rng(8)
    s = rng.random(n)
    l = ((s < .04) & (rng.random(n) < .5)).astype(float)
    assert ltt(l, s, .25).status == "trivial" and ltt(l, s, .25, thresholds=[.01, .5, 1.]).threshold == 1.
    assert "least mean loss" in ltt((s < .5).astype(float), s, .25).message


@pytest.mark.parametrize("n, slope", [(800, .15), (2000, .2), (2500, .25), (3000, .12)])
def test_chains_are_the_fallback_procedure(n, slope):
    # step by step, for losses without ties: level = carried + share; a failure empties it
    rng = np.random.default_rng(9)
    share = {200: .75*.1, n//2: .1/16, 3*n//4: .1/16, n: .1/16}                       # m0 = 10/.05
    share[n//4] = share.get(n//4, 0.) + .1/16
    for _ in range(20):
        s = np.sort(rng.random(n))
        l = (rng.random(n) < slope*np.abs(s - .3)).astype(float)
        level, best = 0., 0
        for m in range(200, n + 1):
            level += share.get(m, 0.)
            if level > 0 and binom.cdf(l[:m].sum(), m - (m in share and m < n), .05) <= level: best = m
            else: level = 0.
        assert ltt(l, s, .05, .1).coverage == best/n

CHAINS = [([.01, .2, .03, .9], [0, 2], [.05, .05], 2), ([.01, .04, .08, .9], [0, 2], [.05, .05], 2),
          ([.01, .04, .11, .9], [0, 2], [.05, .05], 1),
          ([.2, .01, .9], [0], [.05], -1), ([.05, .05, .05], [0], [.05], 2),
          ([.9, .9, .01], [0, 1, 2], [.01, .01, .01], 2), ([.9, .02, .02], [0, 1, 2], [.01, .01, .01], -1),
          ([], [], [.05], -1)]

@pytest.mark.parametrize("p, starts, shares, best", CHAINS)
def test_fallback_by_hand(p, starts, shares, best):
    assert fallback(p, starts, shares) == best


@pytest.mark.parametrize("n", [1, 5, 60, 199, 236, 799, 800, 5000])
@pytest.mark.parametrize("target", [.01, .05, .3, .9, 1.])
def test_starts_are_ascending_and_shares_sum_to_delta(n, target):
    starts, shares = starts_and_shares(n, target, .05)
    assert starts == sorted(starts) and 1 <= starts[0] and starts[-1] <= n and len(starts) == len(shares)
    assert sum(shares) == pytest.approx(.05, rel=1e-12) and len(starts) in (1, 5)
    if examples_needed(target, .05) < n: assert starts[0] > examples_needed(target, shares[0]) - 1e-9

NEEDS = [(.05, .05, 59), (.5, .05, 5), (.01, .1, 230), (1., .05, 1), (0., .05, np.inf)]

@pytest.mark.parametrize("target, level, need", NEEDS)
def test_examples_needed_are_the_first_that_certify(target, level, need):
    assert examples_needed(target, level) == need
    if 0 < target < 1: assert (1 - target)**need <= level < (1 - target)**(need - 1)


def test_p_values_of_a_sample():
    sample = calibration_sample([0, 1, 1, 0], [1, 2, 3, 4], .3, None)
    np.testing.assert_allclose(p_values(sample, np.array([2, 4]), np.array([2, 4])),
                               [1 - .3**2, binom.cdf(2, 4, .3)], rtol=1e-12)
    # more errors than trials
    np.testing.assert_allclose(p_values(sample, np.array([3, 3]), np.array([2, 1])), 1.)
    half = calibration_sample([0, .5, .5, 0], [1, 2, 3, 4], .3, None)
    np.testing.assert_allclose(p_values(half, np.array([4]), np.array([3])),
                               hoeffding_bentkus_p_value([1.], [3], .3), rtol=1e-12)
    assert p_values(half, np.array([1]), np.array([0]))[0] == 1


def test_the_test_of_a_start_takes_one_example_less():
    sample = calibration_sample(np.zeros(8), [1, 1, 2, 3, 4, 4, 5, 6], .3, None)
    own = _candidates(sample, None, [3, 6, 8])
    assert own.accepted.tolist() == [3, 4, 6, 7, 8] and own.starts == [0, 2, 4] and own.trials.tolist() == [2,
        4, 5, 7, 8]
    given = _candidates(sample, np.array([0., 2., 4.5, 9.]), [3, 6, 8])
    assert given.accepted.tolist() == [3, 6, 8] and given.trials.tolist() == [2, 6,
        8] and given.at.tolist() == [2., 4.5, 9.]

ZEROS = np.zeros(100)
PLACES = np.arange(100.)
NOTHING = {"few": lambda: ltt(ZEROS[:30], PLACES[:30], .05), "target 0": lambda: ltt(ZEROS, PLACES, 0.),
           "all wrong": lambda: ltt(ZEROS + 1, PLACES, .5),
           "no threshold accepts enough": lambda: ltt(ZEROS, PLACES, .05, thresholds=[3.])}

@pytest.mark.parametrize("name", list(NOTHING))
def test_nothing_is_certified_and_the_message_says_why(name):
    found = NOTHING[name]()
    assert found.status == "infeasible" and found.coverage == 0 and found([0., 1., 2.]).sum() == 0
    assert np.isnan(found.certified) and np.isnan(found.selective_risk) and found.message
    words = {"few": "needs 59", "target 0": "target of 0", "all wrong": "least mean loss",
             "no threshold accepts enough": "none accepts the 60"}
    assert words[name] in found.message


def test_what_a_result_holds():
    found = ltt(ZEROS, PLACES, .05)
    assert (found.status, found.threshold, found.coverage, found.selective_risk, found.certified,
            found.n) == ("trivial", np.inf, 1., 0., .05, 100)
    assert ltt(ZEROS + 1, PLACES, 1.).status == "trivial"
    percent = ltt(100.*(PLACES >= 95), PLACES, 8., bound=100.)
    assert (percent.status, percent.certified, percent.n, percent.guarantee) == ("certified", 8., 100, "ltt")
    kept = PLACES <= percent.threshold
    assert percent.coverage == kept.mean()
    assert percent.selective_risk == pytest.approx(100*(PLACES[kept] >= 95).mean())

BAD = [(lambda: ltt(ZEROS + 2, PLACES, .1), "losses go up to 2: give bound"),
       (lambda: ltt(ZEROS + 2, PLACES, .1, bound=1), "above bound"),
       (lambda: ltt(ZEROS, PLACES*np.nan, .1), "scores must"),
       (lambda: ltt(ZEROS, PLACES[:5], .1), "scores must"),
       (lambda: ltt(-1 - ZEROS, PLACES, .1), "losses must"),
       (lambda: ltt(ZEROS, PLACES, .1, delta=1), "delta must"),
       (lambda: ltt(ZEROS, PLACES, .1, delta="a"), "delta must"),
       (lambda: ltt(ZEROS, PLACES, -.1), "target_risk must"),
       (lambda: ltt(ZEROS, PLACES, "abc"), "target_risk must"),
       (lambda: ltt(ZEROS, PLACES, .1, bound=0), "bound must"),
       (lambda: ltt(ZEROS, PLACES, .1, bound=True), "bound must"),
       (lambda: ltt(ZEROS, PLACES, .1, thresholds=[2, 1]), "thresholds must ascend"),
       (lambda: ltt(ZEROS[:3], PLACES[:3], .1, thresholds=[2, 1]), "thresholds must ascend"),
       (lambda: ltt(ZEROS, PLACES, .1, thresholds=[np.nan]), "thresholds must")]

@pytest.mark.parametrize("call, words", BAD)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words): call()


def test_a_bound_of_any_size_is_taken():
    assert ltt(ZEROS, PLACES, .1, bound=1e308).status == "infeasible"


def test_thresholds_may_end_with_everything():
    "A threshold of inf accepts all, one of -inf nothing; with 10 errors of 100 at the end, 90 are answered."
    losses, scores = [0]*90 + [1]*10, np.arange(100.)
    found = ltt(losses, scores, target_risk=.05, thresholds=[-np.inf, 50., 89., np.inf])
    assert found.threshold == 89 and found.coverage == .9
    whole = ltt([0]*100, scores, target_risk=.05, thresholds=[-np.inf, np.inf])
    assert whole.threshold == np.inf and whole.coverage == 1
