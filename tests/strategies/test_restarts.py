"""Tests of nbs/strategies/11_restarts.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.strategies.band_and_chain import certified_rank
from reject_nb.strategies.band_and_chain import design_band_and_chain
from reject_nb.strategies.band_and_chain import gate_of
from reject_nb.strategies.walks import band_probability
from reject_nb.strategies.walks import calibrated_band
from scipy.stats import binom

from reject_nb.strategies.restarts import TRIED, _last_alive, _main_trigger, design_restarts, restarts_rank

def _counterexample(target=.05, first=.0488, flat=.7689, second=.1733):
    "Widths and error rates of a law that returns to the target twice; what is left is flat."
    widths = [first*(1 - target), first*target, flat, second*(1 - target), second*target,
              1 - first - flat - second]
    return np.cumsum(widths), np.array([0, 1, target, 0, 1, target])


def _failures(rank_of, repetitions=2000, n=1000, target=.05, seed=0):
    "Share of samples in which a bad rank is certified."
    edges, rates = _counterexample(target)
    rng, failed, ends = np.random.default_rng(seed), 0, np.arange(1, n + 1)
    for _ in range(repetitions):
        s = np.sort(rng.random(n))
        piece = np.searchsorted(edges, s).clip(0, 5)
        rank = rank_of(np.append(0, np.cumsum(rng.random(n) < rates[piece])), ends)
        at_target = piece[rank - 1] in (2, 5)
        failed += rank > 0 and at_target
    return failed/repetitions

RESTARTS = design_restarts(1000, .05, .1)
ONE_CHAIN = design_band_and_chain(1000, .05, .1)

def _fails(law, n, target, delta, repetitions, seed):
    "Share of failures for a law with one crossing; scores uniform."
    rng, design = np.random.default_rng(seed), design_restarts(n, target, delta)
    ends, failed = np.arange(1, n + 1), 0
    rate, bad_from = law
    for _ in range(repetitions):
        s = np.sort(rng.random(n))
        rank = restarts_rank(np.append(0, np.cumsum(rng.random(n) < rate(s))), ends, design)
        failed += rank > 0 and s[rank - 1] >= bad_from
    return failed

ONE_CROSSING = {"flat": (lambda s: np.full(len(s), .05), 0.), "grows": (lambda s: s/5, .5), "dips beyond": (
    lambda s: np.where(s < .3, 0, np.where(s < .4, .4, np.where(s < .5, .2, .05))), .3 + .015/.35)}

@pytest.mark.parametrize("name", ONE_CROSSING)
def test_one_crossing_keeps_the_promise(name):
    assert _fails(ONE_CROSSING[name], 400, .05, .1, 400, 1) <= binom.ppf(.999, 400, .1)


def test_two_crossings_break_it():
    assert _failures(lambda e, ends: restarts_rank(e, ends, RESTARTS), 2000) > .1
    assert _failures(lambda e, ends: certified_rank(e, ends, ONE_CHAIN), 1000) < .09


def test_the_gate_counts_later_triggers():
    "With three examples, by hand: a trigger at rank 3 alone (no error in three) and t = .5."
    gate = gate_of(np.array([-1, -1, -1, 0]), .5, .51, 1, later=True)
    # rank 1: P(S = 0) = .5, and after S = 1 no trigger: .5 <= .51; rank 2: P(S = 0) = .25 and S <= 1: .75
    assert gate.tolist() == [-1, 0, 0, 1]


@pytest.mark.parametrize("n, target, delta", [(107, .1, .1), (373, .05, .05)])
def test_the_share_with_the_largest_main_trigger_is_taken(n, target, delta):
    (band, _, start), main = design_restarts(n, target, delta)
    mains = [_main_trigger(calibrated_band(n, target, s*delta), target, delta, start) for s in TRIED]
    assert main == max(mains) > min(mains)
    assert np.array_equal(band, calibrated_band(n, target, TRIED[mains.index(main)]*delta))


@pytest.mark.parametrize("n, target, delta", [(200, .05, .05), (1000, .05, .1), (60, .1, .1)])
def test_the_main_trigger_uses_what_is_left(n, target, delta):
    design, main = design_restarts(n, target, delta)
    band = design.band.copy()
    band[design.start] = main
    assert band_probability(band, target) <= delta
    band[design.start] = main + 1
    assert band_probability(band, target) > delta


def test_the_run_as_python():
    band, gate = np.array([-1, -1, 0, 0, 0, 0, 0]), np.array([-1, -1, 0, 1, 1, 1, 1])
    for labels, last in (([0, 0, 0, 1, 1, 0], 4), ([1, 0, 0, 0, 0, 0], 0), ([0, 0, 1, 1, 0, 0], 3),
                         ([0]*6, 6)):
        walk = np.append(0, np.cumsum(labels))
        compiled, plain = (f(walk, np.arange(1, 7), band, gate, 6, 0)
                           for f in (_last_alive, _last_alive.py_func))
        assert compiled == plain == last
    assert _last_alive(np.append(0, np.cumsum([1, 0, 0, 0, 0, 0])), np.arange(1, 7), band, gate, 5,
                       1) == 6    # the main trigger
    assert _last_alive(np.append(0, np.cumsum([1, 0, 0, 0, 0, 1])), np.array([3, 6]), band, gate, 2,
                       1) == 3   # met by the first group
