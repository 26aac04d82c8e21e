"""Tests of nbs/strategies/03_curves.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from itertools import permutations

from reject_nb.strategies.curves import aurc, aurc_bounds, risk_coverage_curve, sele

@pytest.mark.parametrize("seed", range(20))
def test_aurc_is_its_definition(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 30))
    l, s = rng.random(n)*(rng.random(n) < .5), rng.integers(0, 6, n)/5
    order = sorted(range(n), key=lambda i: (s[i], i))
    slow = sum(sum(l[j] for j in order[:i])/i for i in range(1, n + 1))/n
    np.testing.assert_allclose(aurc(l, s), slow, atol=1e-13)
    np.testing.assert_allclose(risk_coverage_curve(l, s).risk.mean(), slow, atol=1e-13)
    np.testing.assert_allclose(risk_coverage_curve(l, s).coverage, [i/n for i in range(1, n + 1)], rtol=1e-15)


def test_expected_ties_are_the_mean_over_all_orders():
    l, s = np.array([.2, 1., 0., .7, .3]), np.array([1, 0, 1, 1, 0])
    every = [aurc(l[list(p)], s[list(p)]) for p in permutations(range(5))]
    np.testing.assert_allclose(aurc(l, s, ties="expected"), np.mean(every), rtol=1e-13)
    assert min(every) < aurc(l, s, ties="expected") < max(every)
    np.testing.assert_allclose(aurc(l, np.arange(5), ties="expected"), aurc(l, np.arange(5)), rtol=1e-15)


def test_large_samples_are_sorted_alike():
    # from 65,536 scores on another sort is used: the last example, of the largest score, changes the area by
    # its loss over n^2
    rng = np.random.default_rng(1)
    l, s = rng.random(70_000), rng.integers(-500, 500, 70_000)/7.
    slow = np.cumsum(l[np.argsort(s, kind="stable")])/np.arange(1, 70_001)
    np.testing.assert_allclose(aurc(l, s), slow.mean(), rtol=1e-13)


@pytest.mark.parametrize("seed", range(20))
def test_sele_is_its_definition(seed):
    rng = np.random.default_rng(100 + seed)
    n = int(rng.integers(1, 40))
    l, s = rng.random(n), rng.integers(0, 8, n)/7
    np.testing.assert_allclose(sele(l, s), (l[:, None]*(s[:, None] <= s[None])).sum()/n**2, atol=1e-13)


def test_sele_of_distinct_scores_is_the_area_of_the_generalised_risk():
    rng = np.random.default_rng(3)
    l, s = rng.random(50), rng.permutation(50)
    c = risk_coverage_curve(l, s)
    np.testing.assert_allclose(sele(l, s), (c.risk*c.coverage).mean(), rtol=1e-13)

BAD = [(([1, 2], [1]), "scores must"), (([1, np.nan], [1, 2]), "losses must be without NaN"),
       (([1, 2], [1, np.nan]), "scores must be without NaN"),
       (([-1, 2], [1, 2]), "losses must be at least 0"),
       (([], []), "losses must"), ((["a"], [1]), "losses must"),
       (([1e308, 1e308], [1, 2]), "losses must be at most"), (([1, 2], [1 + 1j, 2]), "scores must"),
       ((np.ma.array([1., 2.], mask=[0, 1]), [1, 2]), "losses must be without masked")]

@pytest.mark.parametrize("args, words", BAD)
@pytest.mark.parametrize("function", [aurc, sele, risk_coverage_curve])
def test_curve_bad_input(function, args, words):
    with pytest.raises(ValueError, match=words): function(*args)


def test_extreme_scores_and_unknown_ties():
    with pytest.raises(ValueError, match="ties must"): aurc([1], [1], ties="random")
    assert aurc([0, 0], [1, 1]) == 0 and aurc([1, 1], [-np.inf, np.inf]) == 1 and sele([1, 0],
        [np.inf, -np.inf]) == .25


def test_theorem_8_is_false():
    np.testing.assert_allclose(aurc([1, 0, 0, 0], range(4)), 25/48, rtol=1e-14)
    assert sele([1, 0, 0, 0], range(4)) == .25


@pytest.mark.parametrize("seed", range(200))
def test_the_corrected_bounds_hold(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 20))
    l, s = rng.random(n)*(rng.random(n) < .4), rng.permutation(n)
    low, high = aurc_bounds(l, s)
    assert low*(1 - 1e-12) <= aurc(l, s) <= high*(1 + 1e-12)
    assert aurc(np.sort(l), np.arange(n)) <= 2*n/(n + 1)*sele(np.sort(l), np.arange(n))*(1 + 1e-12)


def test_both_bounds_are_attained():
    first, last = np.eye(9)[0], np.eye(9)[-1]
    np.testing.assert_allclose(aurc(first, range(9)), aurc_bounds(first, range(9))[1], rtol=1e-13)
    np.testing.assert_allclose(aurc(last, range(9)), aurc_bounds(last, range(9))[0], rtol=1e-13)


def test_ties_break_the_lower_bound():
    assert sele([0, 1], [0, 0]) == .5 and aurc([0, 1], [0, 0]) == .25
    with pytest.raises(ValueError, match="distinct"): aurc_bounds([0, 1], [0, 0])
