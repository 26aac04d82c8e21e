"""Tests of nbs/mcsvm/90_paper.ipynb, extracted from its test cells: edit them there."""
import numpy as np
from reject_nb.core.tails import order_statistic_rank
from reject_nb.mcsvm.calibrate import probabilistic_scaling
from scipy.stats import binom
from scipy.stats import norm

def test_violation_frequency_matches_the_exact_level():
    # standard normal scores shifted by class; 2,000 repetitions, 4 standard deviations of the binomial (p
    # about 6e-5)
    rng, hits = np.random.default_rng(0), 0
    n, eps, delta, reps = 1000, .05, .05, 2000
    level = binom.cdf(order_statistic_rank(n, eps, delta)-1, n, eps)
    for _ in range(reps):
        y = np.where(rng.random(n) < .5, 1., -1.)
        s = rng.normal(size=n)-y
        hits += .5*norm.cdf(probabilistic_scaling(s, y, eps, delta).bias-1) > eps
    assert abs(hits/reps-level) < 4*np.sqrt(level*(1-level)/reps)
