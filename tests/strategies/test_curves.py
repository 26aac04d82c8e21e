"""Tests of nbs/strategies/02_curves.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from itertools import permutations

from reject_nb.strategies.curves import aurc, aurc_bounds, risk_coverage_curve, sele, stable_order

def test_aurc_is_its_definition():
    rng = np.random.default_rng(0)
    for _ in range(20):
        n = int(rng.integers(1, 30))
        l, s = rng.random(n)*(rng.random(n) < .5), rng.integers(0, 6, n)/5
        order = sorted(range(n), key=lambda i: (s[i], i))
        slow = sum(sum(l[j] for j in order[:i])/i for i in range(1, n + 1))/n
        np.testing.assert_allclose(aurc(l, s), slow, atol=1e-13)
        np.testing.assert_allclose(risk_coverage_curve(l, s).risk.mean(), slow, atol=1e-13)


def test_expected_ties_are_the_mean_over_all_orders():
    l, s = np.array([.2, 1., 0., .7, .3]), np.array([1, 0, 1, 1, 0])
    every = [aurc(l[list(p)], s[list(p)]) for p in permutations(range(5))]
    np.testing.assert_allclose(aurc(l, s, ties="expected"), np.mean(every), rtol=1e-13)
    assert min(every) < aurc(l, s, ties="expected") < max(every)
    assert aurc(l, np.arange(5), ties="expected") == aurc(l, np.arange(5))


def test_order_of_ties_is_by_index():
    rng = np.random.default_rng(1)
    for levels in (3, 500, 100_000):
        s = rng.integers(0, levels, 3000)/7.
        np.testing.assert_array_equal(stable_order(s), np.argsort(s, kind="stable"))


def test_sele_is_its_definition():
    rng = np.random.default_rng(2)
    for _ in range(20):
        n = int(rng.integers(1, 40))
        l, s = rng.random(n), rng.integers(0, 8, n)/7
        np.testing.assert_allclose(sele(l, s), (l[:, None]*(s[:, None] <= s[None])).sum()/n**2, atol=1e-13)


def test_sele_of_distinct_scores_is_the_area_of_the_generalised_risk():
    rng = np.random.default_rng(3)
    l, s = rng.random(50), rng.permutation(50)
    c = risk_coverage_curve(l, s)
    np.testing.assert_allclose(sele(l, s), (c.risk*c.coverage).mean(), rtol=1e-13)


def test_curve_bad_input():
    for args, words in [(([1, 2], [1]), "scores has 1"), (([1, np.nan], [1, 2]), "losses has 1 NaN"), (([1, 2], [1, np.nan]), "scores has 1 NaN"),
                        (([-1, 2], [1, 2]), "losses must be at least 0"), (([], []), "non-empty"), ((["a"], [1]), "real numbers")]:
        with pytest.raises(ValueError, match=words): aurc(*args)
        with pytest.raises(ValueError, match=words): sele(*args)
    with pytest.raises(ValueError, match="ties"): aurc([1], [1], ties="random")
    assert aurc([0, 0], [1, 1]) == 0 and aurc([1, 1], [-np.inf, np.inf]) == 1


def test_theorem_8_is_false_and_the_corrected_bound_holds_and_is_attained():
    np.testing.assert_allclose(aurc([1, 0, 0, 0], range(4)), 25/48, rtol=1e-14)
    assert sele([1, 0, 0, 0], range(4)) == .25
    rng = np.random.default_rng(4)
    for _ in range(200):
        n = int(rng.integers(1, 20))
        l, s = rng.random(n)*(rng.random(n) < .4), rng.permutation(n)
        low, high = aurc_bounds(l, s)
        assert low*(1 - 1e-12) <= aurc(l, s) <= high*(1 + 1e-12)
        assert aurc(np.sort(l), np.arange(n)) <= 2*n/(n + 1)*sele(np.sort(l), np.arange(n))*(1 + 1e-12)
    first, last = np.eye(9)[0], np.eye(9)[-1]
    np.testing.assert_allclose(aurc(first, range(9)), aurc_bounds(first, range(9))[1], rtol=1e-13)
    np.testing.assert_allclose(aurc(last, range(9)), aurc_bounds(last, range(9))[0], rtol=1e-13)


def test_ties_break_the_lower_bound():
    assert sele([0, 1], [0, 0]) == .5 and aurc([0, 1], [0, 0]) == .25
    with pytest.raises(ValueError, match="distinct"): aurc_bounds([0, 1], [0, 0])
