"""Tests of nbs/sdr/91_benchmark.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.sdr import Gaussian
from reject_nb.sdr import SafeDecisionRegion
from scipy.stats import multivariate_normal

@pytest.mark.parametrize("d", [1, 2, 10])
def test_contains_agrees_with_bayes(d):
    rng = np.random.default_rng(d)
    B = rng.normal(size=(d, d))
    safe, unsafe = Gaussian(np.zeros(d), np.eye(d)), Gaussian(rng.normal(size=d), B @ B.T + .5*np.eye(d))
    X = rng.normal(size=(4000, d))*1.5
    s, u = (multivariate_normal.pdf(X, law.mean, law.cov) for law in (safe, unsafe))
    posterior = s/(s + u)
    clear = np.abs(posterior - .95) > 1e-10
    assert (SafeDecisionRegion(safe, unsafe).contains(X, .5, .05) == (posterior >= .95))[clear].all()
