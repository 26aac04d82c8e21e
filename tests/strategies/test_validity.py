"""Tests of nbs/strategies/13_validity.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.strategies.band_and_chain import Design
from reject_nb.strategies.band_and_chain import certified_rank
from reject_nb.strategies.band_and_chain import design_band_and_chain
from reject_nb.strategies.band_and_chain import gate_of
from reject_nb.strategies.walks import band_probability
from scipy.stats import binom

from reject_nb.strategies.validity import (
    failure_by_enumeration, failure_by_sampling, hard_laws, split_at_crossings,
)

def _coupled(z, widths, rates):
    "Scores and errors of a piecewise constant law from uniform numbers."
    theta, A = np.append(0, np.cumsum(widths)), np.append(0, np.cumsum(np.multiply(widths, rates)))
    wrong = z <= A[-1]
    by_errors, by_right = _inverse(z, A, theta), _inverse(1 - z, theta - A, theta)
    return np.where(wrong, by_errors, by_right), wrong


def _inverse(values, heights, theta):
    "Where an increasing, piecewise linear function first reaches the values."
    k = np.clip(np.searchsorted(heights, values, side="left"), 1, len(heights) - 1)
    rise = heights[k] - heights[k - 1]
    return theta[k - 1] + (values - heights[k - 1])/np.where(rise > 0, rise, 1)*(theta[k] - theta[k - 1])


def _counts(at, score, wrong):
    "Errors and correct answers with score at most each of `at`."
    below = score <= at[:, None]
    return (below & wrong).sum(1), (below & ~wrong).sum(1)


def _random_law(rng):
    "Widths, rates, target; some pieces without errors, with errors only, or at the target."
    target, k = rng.uniform(.1, .6), int(rng.integers(1, 6))
    return rng.dirichlet(np.ones(k)), rng.choice([0., 1., target, rng.random()], k), target


def _risk_is_bad(theta, widths, rates, target):
    "Whether A(theta) >= target theta, for many theta."
    edges = np.append(0, np.cumsum(widths))
    A = np.interp(theta, edges, np.append(0, np.cumsum(widths*rates)))
    return A >= target*theta - 1e-12


@pytest.mark.parametrize("seed", range(40))
def test_each_step_of_the_proofs(seed):
    rng = np.random.default_rng(seed)
    widths, rates, target = _random_law(rng)
    z = rng.random(60)
    score, wrong = _coupled(z, widths, rates)
    flat_score, flat_wrong = _coupled(z, [1.], [target])
    theta = np.sort(np.append(rng.random(300), score))
    E, C = _counts(theta, score, wrong)
    E_flat, C_flat = _counts(theta, flat_score, flat_wrong)
    clear = np.abs(theta[:, None] - flat_score).min(1) > 1e-9           # not where two roundings decide
    bad = _risk_is_bad(theta, widths, rates, target) & clear
    assert (E[bad] >= E_flat[bad]).all() and (C[bad] <= C_flat[bad]).all()                         # step 2
    walk, flat = wrong[np.argsort(score)].cumsum(), flat_wrong[np.argsort(flat_score)].cumsum()
    ranks = np.flatnonzero(_risk_is_bad(np.sort(score), widths, rates, target - 1e-9))
    assert (flat[ranks] <= walk[ranks]).all()                                                      # step 4


@pytest.mark.parametrize("seed", range(10))
def test_at_a_crossing_the_counts_agree(seed):
    rng = np.random.default_rng(seed)
    widths, rates, target = [.3, .2, .5], [0., .9, .1], .3          # A = .3 theta at .45 and .65
    z = rng.random(80)
    at = np.array([.45, .65])
    assert np.allclose(np.interp(at, [0, .3, .5, 1], [0, 0, .18, .23]), target*at)
    ours, flat = _counts(at, *_coupled(z, widths, rates)), _counts(at, *_coupled(z, [1.], [target]))
    assert np.array_equal(ours, flat)                                                              # step 3


@pytest.mark.parametrize("seed", range(10))
def test_the_coupling_has_both_laws(seed):
    "On a grid of a million points: errors and correct answers of each piece; flat labels beside scores."
    rng = np.random.default_rng(seed)
    widths, rates, target = _random_law(rng)
    z, edges = (np.arange(1_000_000) + .5)/1_000_000, np.cumsum(widths)[:-1]
    score, wrong = _coupled(z, widths, rates)
    share = np.bincount(2*np.searchsorted(edges, score) + wrong, minlength=2*len(widths))/1_000_000
    law = np.stack([widths*(1 - rates), widths*rates], 1)
    assert np.allclose(share.reshape(-1, 2), law, atol=1e-5)                                       # step 1
    score, wrong = _coupled(z, [1.], [target])
    for low, high in rng.random((5, 2)).round(2):
        inside = (score > min(low, high)) & (score <= max(low, high))
        assert abs((inside & wrong).mean() - target*inside.mean()) < 1e-5                          # step 5


def _certify_by(design):
    "The procedure as a function of many samples."
    ends = np.arange(1, len(design.band))
    return lambda errors: np.array([certified_rank(e, ends, design) for e in errors])


def _lowest(band):
    return lambda errors: np.where(errors[:, 1:] <= band[1:], np.arange(1, len(band)), 0).max(1)


@pytest.mark.parametrize("seed", range(12))
def test_no_law_is_worse_for_a_band_than_the_flat_one(seed):
    rng, n = np.random.default_rng(seed), 7
    target = rng.uniform(.1, .6)
    band = np.append(-1, np.sort(rng.integers(-1, 3, n)))
    pieces = int(rng.integers(1, 5))
    law = rng.dirichlet(np.ones(pieces)), rng.choice([0., 1., target, rng.random()], pieces)
    flat = band_probability(band, target)
    assert failure_by_enumeration(_lowest(band), *law, target, n) <= flat + 1e-12
    assert abs(failure_by_enumeration(_lowest(band), [1.], [target], target, n) - flat) < 1e-12


@pytest.mark.parametrize("seed", range(8))
def test_no_law_breaks_band_and_chain(seed):
    rng, n, delta = np.random.default_rng(100 + seed), 7, .35
    target = rng.uniform(.2, .5)
    band = np.append(-1, np.minimum(np.sort(rng.integers(-1, 2, n)), np.arange(n)))
    if band_probability(band, target) > delta: band = np.full(n + 1, -1)
    start = int(rng.integers(1, n))
    gate = np.maximum(band, gate_of(band, target, delta, start))
    procedure = _certify_by(Design(band, gate, start))
    for _ in range(4):
        pieces = int(rng.integers(1, 5))
        law = rng.dirichlet(np.ones(pieces)), rng.choice([0., 1., target, rng.random()], pieces)
        assert failure_by_enumeration(procedure, *law, target, n) <= delta + 1e-12


@pytest.mark.parametrize("n, target", [(200, .1), (400, .05)])
@pytest.mark.parametrize("name", list(hard_laws(.1)))
def test_the_default_keeps_its_promise_on_hard_laws(name, n, target):
    widths, rates, tied = hard_laws(target)[name]
    design = design_band_and_chain(n, target, .1)
    failed = failure_by_sampling(lambda e, ends: certified_rank(e, ends, design), widths, rates, target, n,
                                 600, tied, random_state=n)
    assert failed*600 <= binom.ppf(.9999, 600, .1)


@pytest.mark.parametrize("tied", [None, [False]*3, [True, False, True]])
def test_sampling_agrees_with_enumeration(tied):
    "Within four standard errors; with ties only ends of groups are ranks."
    law, n, samples = ([.3, .4, .3], [0., .6, .2]), 6, 4000
    def lowest(errors, ends): return max([m for m in ends if errors[m] <= m//3], default=0)
    def of_all(errors): return np.array([lowest(e, range(1, n + 1)) for e in errors])
    found = failure_by_sampling(lowest, *law, .3, n, samples, tied, random_state=0)
    if tied is None or not any(tied):
        assert abs(found - failure_by_enumeration(of_all, *law, .3, n)) < 4*np.sqrt(.25/samples)
    else: assert found < failure_by_sampling(lowest, *law, .3, n, samples, None, random_state=0)


def test_tied_pieces_are_judged_at_their_end():
    "Risk 0 then 1 in one tie: at its end the risk is .5, so it is bad as a whole for .5 and good for .6."
    def end(errors, ends): return int(ends[-1])
    for target, failed in ((.5, 1.), (.6, 0.)):
        assert failure_by_sampling(end, [.5, .5], [.2, .8], target, 4, 5, [True, True], 0) == failed


def test_hard_laws_are_hard():
    "What their names say: crossings, and risks above the target somewhere."
    for target in (.02, .1, .3):
        laws = hard_laws(target)
        for widths, rates, tied in laws.values():
            bad = split_at_crossings(widths, rates, target)[2]
            assert bad.any() and np.isclose(widths.sum(), 1) and (widths > 0).all()
        widths, rates, _ = laws["three crossings"]
        assert np.abs(np.diff(split_at_crossings(widths, rates, target)[2].astype(int))).sum() == 3


@pytest.mark.parametrize("widths, rates, words",
                         [([.5, .4], [0, 1], "widths must be"), ([.5, .5], [0, 2], "rates must be"),
                                                  ([1.], [0, 1], "rates must be"),
                                                  ([.5, .5], [0, None], "rates must be")])
def test_laws_are_checked(widths, rates, words):
    with pytest.raises(ValueError, match=words): split_at_crossings(widths, rates, .2)


def test_pieces_are_bad_or_good_as_a_whole():
    widths, rates, bad = split_at_crossings([.2, .3, .5], [.5, 0., .3], .2)
    theta, errors = np.append(0, np.cumsum(widths)), np.append(0, np.cumsum(widths*rates))
    for k in range(len(widths)):
        inside = theta[k] + widths[k]*np.array([.01, .5, .99])
        risk = (errors[k] + rates[k]*(inside - theta[k]))/inside
        assert ((risk >= .2) == bad[k]).all()
