"""Tests of nbs/strategies/14_certified.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from scipy.stats import binom

from reject_nb.strategies.certified import certified_risk

def _violations(repetitions, n, target, delta, rate, bad_from, scale=1., **options):
    "Samples with a certified threshold beyond the last good one."
    rng, count = np.random.default_rng(3), 0
    for _ in range(repetitions):
        s = rng.random(n)
        found = certified_risk(scale*(rng.random(n) < rate(s)), s, scale*target, delta, **options)
        count += min(found.threshold, 1.) > bad_from
    return count


@pytest.mark.parametrize("options", [{}, dict(assume="single crossing"), dict(scale=.5),
                                     dict(scale=100., bound=100.)])
def test_violations_stay_below_delta(options):
    "Errors with probability s/5: the risk passes .05 at .5; at the flat law everything is bad."
    assert _violations(300, 400, .05, .1, lambda s: s/5, .5, **options) <= binom.ppf(.999, 300, .1)
    assert _violations(300, 300, .06, .1, lambda s: np.full(len(s), .0601), 0., **options) <= binom.ppf(.999,
                                                                                                        300,
                                                                                                        .1)


@pytest.mark.parametrize("change, name", [(dict(assume="none"), "assume"), (dict(delta=0), "delta"),
                                          (dict(losses=[2., 0, 1]), "losses"),
                                          (dict(scores=[np.nan, 1, 2]), "scores"),
                                          (dict(target_risk="a"), "target_risk")])
def test_arguments_are_named(change, name):
    with pytest.raises(ValueError, match=name):
        certified_risk(**{**dict(losses=[0, 0, 1], scores=[1, 2, 3], target_risk=.1), **change})


def test_ends_of_the_scale():
    scores = np.arange(200.)
    everything = certified_risk(np.zeros(200), scores, .05)
    nothing = certified_risk(np.ones(200), scores, .05)
    assert everything.status == "trivial" and everything.threshold == np.inf
    assert nothing.status == "infeasible"
    assert certified_risk(np.ones(200), scores, 1.).status == "trivial"
    few = certified_risk(np.zeros(20), scores[:20], .05, .1)
    assert few.status == "infeasible" and "45 calibration examples" in few.message
    assert certified_risk(np.zeros(200), scores, 0.).status == "infeasible"


def test_ties_are_accepted_as_a_whole():
    losses, scores = np.r_[np.zeros(100), np.ones(100)], np.r_[np.zeros(100), np.ones(100)]
    found = certified_risk(losses, scores, .05, .1)
    assert found.threshold == 0 and found.coverage == .5
    assert certified_risk(losses, np.zeros(200), .05, .1).status == "infeasible"
