"""Tests of nbs/strategies/09_walks.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.strategies.walks import _halved
from reject_nb.strategies.walks import _knots
from reject_nb.strategies.walks import _near
from scipy.stats import binom

from reject_nb.strategies.walks import (
    _advance, _last_below, band_probability, calibrated_band, ranks_needed, shaped_band,
)

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


@pytest.mark.parametrize("target", [.001, .05, .3, .5, .9])
@pytest.mark.parametrize("eps", [1e-6, .01, .4])
def test_ranks_are_the_smallest(target, eps):
    "The search is right wherever it begins: rare at the rank, not rare at the one before."
    errors = np.array([0, 1, 2, 7, 40, 333])
    m = ranks_needed(errors, target, eps)
    assert (binom.cdf(errors, m, target) <= eps).all() and (m > errors).all()
    assert ((binom.cdf(errors, m - 1, target) > eps) | (m - 1 == errors)).all()


@pytest.mark.parametrize("n, target, level", [(200, .1, .05), (1000, .05, .1), (5000, .01, .03),
                                              (300, .5, .2)])
def test_calibrated_bands_use_their_level(n, target, level):
    band = calibrated_band(n, target, level)
    assert level*.9 < band_probability(band, target) <= level


def _by_halving(n, target, level, steps=14):
    "The same grid, halved."
    low, high, best = np.log(level/(1000 + 100*np.log(n))), np.log(level), np.full(n + 1, -1)
    for _ in range(steps):
        middle = (low + high)/2
        band = shaped_band(n, target, np.exp(middle))
        if band_probability(band, target) <= level: best, low = band, middle
        else: high = middle
    return best


@pytest.mark.parametrize("n, target, level", [(7, .3, .1), (64, .02, .2), (400, .02, .05), (900, .9, .01),
                                              (3000, .05, .07)])
def test_the_secant_finds_what_halving_finds(n, target, level):
    assert np.array_equal(calibrated_band(n, target, level), _by_halving(n, target, level))


@pytest.mark.parametrize("power", [.2, 1., 5.])
@pytest.mark.parametrize("guess", [1, 500, 1023])
def test_the_last_below_is_found_from_anywhere(power, guess):
    "Steps and curvature may not mislead the search."
    for last in (0, 1, 2, 511, 700, 1022, 1023):
        seen = []
        def f(i):
            seen.append(i)
            return np.sign(i - last - .5)*np.ceil(abs(i - last - .5)**power/3)
        assert _last_below(f, 1024, guess, 1/400) == last
        assert len(set(seen)) == len(seen) < 60


def _visits(f, most, guess, slope):
    seen = []
    def told(i):
        seen.append(i)
        return f(i)
    return _last_below(told, most, guess, slope), seen


def test_places_that_the_search_visits():
    """A straight line of the slope 1/2: from 100 the height -45.25 tells 90 more; then a step to the same
    side again, of 2. A line of slope 1, thought to be 1/10: too long a step, from then on the secant."""
    assert _visits(lambda i: (i - 190.5)/2, 1000, 100, .5) == (190, [100, 190, 192, 191])
    assert _visits(lambda i: i - 190.5, 1000, 100, .1) == (190, [100, 999, 190, 191])
    assert _visits(lambda i: i - 190.5, 1000, 400, 1.) == (190, [400, 190, 191])


def test_steps_grow_on_one_side():
    "A function that says nothing of the distance: steps of at least 1, 2, 4, 8 until the side changes."
    def sign(last): return lambda i: -1e-9 if i <= last else 1e-9
    found, seen = _visits(sign(40), 1000, 10, 1.)
    assert found == 40 and seen[:6] == [10, 11, 13, 17, 25, 41]
    found, seen = _visits(sign(10), 1000, 40, 1.)
    assert found == 10 and seen[:6] == [40, 39, 37, 33, 25, 9]


@pytest.mark.parametrize("last", range(8))
def test_every_end_of_a_short_search(last):
    for guess in range(8):
        for slope in (.01, 1., 100.):
            found, seen = _visits(lambda i: i - last - .5, 8, guess, slope)
            assert found == last and all(0 < i < 8 for i in seen) and len(set(seen)) == len(seen)


def test_halving_reaches_its_points():
    assert [_halved(0., 1., i, 2) for i in range(4)] == [0, .25, .5, .75]
    assert [_halved(1., 3., i, 0) for i in range(1)] == [1] and _halved(-1., 1., 5, 3) == .25


def test_knots_are_dense_first():
    assert _knots(3).tolist() == [0, 1, 2, 3] and len(_knots(256)) == 257
    many = _knots(257)
    assert many[:200].tolist() == list(range(200)) and many[-1] == 257 and len(many) == 258
    wide = _knots(100_000)
    assert wide[200] == 200 and wide[-1] == 100_000 and 450 < len(wide) <= 500 and (np.diff(wide) > 0).all()


def test_a_first_rank_is_near():
    for errors in (0, 3, 50):
        near = _near(np.array([errors]), .1, .01)[0]
        exact = next(m for m in range(errors + 1, 2000) if binom.cdf(errors, m, .1) <= .01)
        assert abs(near - exact) <= 1 + .02*exact and near >= errors + 1
    assert _near(np.array([5]), .999, .9)[0] == 6


def test_a_band_of_short_walks_by_enumeration():
    "Up to 40 inputs: the single tests at every rank, and the level of the widest band."
    band = shaped_band(40, .3, .1)
    for m in range(1, 41):
        below = [k for k in range(m) if binom.cdf(k, m, .3) <= .1]
        assert band[m] == (max(below) if below else -1)
    assert band[0] == -1 and len(band) == 41


def test_mass_that_is_followed():
    "One more example moves a share of each count up; what lies on the band or is negligible counts as hit."
    for step in (_advance.py_func, _advance):
        mass = np.array([.2, .3, .5, 0., 0., 0.])
        low, high, hit = step(mass, 0, 2, .25, 0)
        assert (low, high) == (1, 3) and hit == pytest.approx(.15)
        np.testing.assert_allclose(mass, [0, .275, .45, .125, 0, 0])
        mass = np.array([0., 1e-19, 1., 1e-19, 0., 0.])
        low, high, hit = step(mass, 1, 3, .5, -1)
        assert (low, high) == (2, 3) and hit == pytest.approx(5e-20 + 5e-20) and mass[4] == 0
        mass = np.array([1., 0., 0., 0.])
        assert step(mass, 0, 0, .5, 5)[2] == 1 and (mass == 0).all()
