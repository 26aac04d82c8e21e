"""Tests of nbs/strategies/09_walks.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from scipy.stats import binom

from reject_nb.strategies.walks import _advance, band_probability, calibrated_band, shaped_band

def _by_enumeration(band, target):
    "Every sequence of errors, weighed."
    n, total = len(band) - 1, 0.
    for code in range(2**n):
        labels = [(code >> i) & 1 for i in range(n)]
        if (np.cumsum(labels) <= band[1:]).any(): total += target**sum(labels)*(1 - target)**(n - sum(labels))
    return total


@pytest.mark.parametrize("function", [band_probability, band_probability.py_func], ids=["compiled", "python"])
@pytest.mark.parametrize("band, target", [([-1, -1, -1], .3), ([-1, 0, 0, 1], .3),
                                          ([-1, -1, 0, 0, 1, 1, 2, 2, 2], .2), ([-1, 1], .5),
                                          ([-1, -1, -1, -1, 0, 1, 1, 1, 3, 3], .6)])
def test_the_recursion_is_exact(function, band, target):
    assert abs(function(np.array(band), target) - _by_enumeration(np.array(band), target)) < 1e-14


def test_what_is_dropped_counts_as_a_hit():
    empty = np.full(20_001, -1)
    assert 0 < band_probability(empty, .05) < 1e-12


def test_a_step_moves_the_window():
    mass = np.array([0., .5, .5, 0., 0.])
    assert _advance.py_func(mass, 1, 2, .5, 1) == (2, 3, .25) and mass.tolist() == [0, 0, .5, .25, 0]


@pytest.mark.parametrize("n, target, eps", [(200, .1, .01), (1000, .05, 1e-4), (500, .5, .2), (60, .01, .05)])
def test_a_band_is_made_of_single_tests(n, target, eps):
    band, m = shaped_band(n, target, eps), np.arange(n + 1)
    inside = band >= 0
    assert (binom.cdf(band[inside], m[inside], target) <= eps*(1 + 1e-9)).all()
    if n*target < 200:
        assert (binom.cdf(band + 1, m, target) > eps*(1 - 1e-9)).all()       # and no larger one is


def test_interpolated_bands_are_near():
    "Between knots the bound may be one error off, not more."
    band, m = shaped_band(20_000, .1, 1e-3), np.arange(20_001)
    exact = binom.ppf(1e-3, m, .1) - 1
    assert np.abs(band - exact)[50:].max() <= 2 and (np.diff(band) >= 0).all()


@pytest.mark.parametrize("n, target, level", [(200, .1, .05), (1000, .05, .1), (5000, .01, .03),
                                              (300, .5, .2)])
def test_calibrated_bands_use_their_level(n, target, level):
    band = calibrated_band(n, target, level)
    assert level*.9 < band_probability(band, target) <= level
