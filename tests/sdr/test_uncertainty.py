"""Tests of nbs/sdr/14_uncertainty.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.sdr.amounts import Exponential
from reject_nb.sdr.amounts import Gamma
from reject_nb.sdr.counts import Bernoulli
from reject_nb.sdr.counts import Binomial
from reject_nb.sdr.counts import Poisson
from reject_nb.sdr.families import Independent
from reject_nb.sdr.gaussian import Gaussian
from reject_nb.sdr.region import SafeDecisionRegion

from reject_nb.sdr.uncertainty import bootstrap_rates

EXPONENTIALS = SafeDecisionRegion(Exponential(1), Exponential(3))

def test_intervals_cover_what_regions_realise():
    # 120 fits to 40 points a class: the true rates of the fitted region lie in its own 80 % interval
    # about as often; four standard errors of 120 trials
    rng, hits, times = np.random.default_rng(0), np.zeros(2), 120
    for _ in range(times):
        laws = Exponential.fit(rng.exponential(1., 40)), Exponential.fit(rng.exponential(3., 40))
        region = SafeDecisionRegion(*laws)
        found = bootstrap_rates(region, .5, .4, 40, 40, n_bootstrap=40, confidence=.8, n_test=1000,
                                random_state=rng)
        # the region is [0, cut]; its rates under the true laws
        a, b = laws[0].scale, laws[1].scale
        cut = max((np.log(.4/.6) - np.log(a/b))/(1/a - 1/b), 0.) if a < b else np.inf
        for k, (scale, interval) in enumerate(((1., found.tpr), (3., found.fpr))):
            hits[k] += interval[0] <= -np.expm1(-cut/scale) <= interval[1]
    assert (np.abs(hits/times - .8) < 4*np.sqrt(.8*.2/times) + .05).all()


def test_more_points_less_doubt():
    narrow, wide = (bootstrap_rates(EXPONENTIALS, .5, .4, n, n, random_state=1) for n in (1000, 10))
    for name in ("tpr", "fpr", "fdr", "mass"):
        a, b = getattr(narrow, name), getattr(wide, name)
        assert 0 <= b[0] <= b[1] <= 1 and a[1] - a[0] < b[1] - b[0]
        assert a[0] - .02 <= getattr(narrow.rates,
                                     name) <= a[1] + .02 # counting noise of 10,000 draws, four times
    assert narrow.rates == EXPONENTIALS.rates(.5,
                                              .4) and narrow.n_bootstrap == 200 and narrow.confidence == .9
    again = bootstrap_rates(EXPONENTIALS, .5, .4, 1000, 1000, random_state=1)
    assert again == narrow and again != bootstrap_rates(EXPONENTIALS, .5, .4, 1000, 1000, random_state=2)
    inner = bootstrap_rates(EXPONENTIALS, .5, .4, 1000, 1000, confidence=.5, random_state=1)
    assert narrow.tpr[0] < inner.tpr[0] < inner.tpr[1] < narrow.tpr[1]


@pytest.mark.parametrize("safe, unsafe, shrinkage", [
    (Binomial(9, .3), Binomial(9, .6), None), (Bernoulli(.9), Bernoulli(.2), None),
    (Gaussian(np.zeros(6), np.eye(6)), Gaussian(np.ones(6), np.eye(6)), "ledoit_wolf"),
    (Independent([Gamma(2), Poisson(1)]), Independent([Gamma(3), Poisson(2)]), None)])
def test_templates_are_kept(safe, unsafe, shrinkage):
    found = bootstrap_rates(SafeDecisionRegion(safe, unsafe), .5, .3, 5, 5, n_bootstrap=20, n_test=200,
                            shrinkage=shrinkage, random_state=0)
    assert 0 <= found.tpr[0] <= found.tpr[1] <= 1


def test_draws_that_cannot_be_fitted_to():
    with pytest.raises(ValueError, match="cannot be fitted"):
        bootstrap_rates(SafeDecisionRegion(Gaussian(np.zeros(6), np.eye(6)), Gaussian(np.ones(6), np.eye(6))),
                        .5, .3, 4, 4, n_bootstrap=1, n_test=10)
