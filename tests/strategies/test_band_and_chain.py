"""Tests of nbs/strategies/10_band_and_chain.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.core.tails import order_statistic_rank
from reject_nb.strategies.band_and_chain import _beside_a_band
from reject_nb.strategies.learn_then_test import examples_needed
from reject_nb.strategies.learn_then_test import first_rank
from reject_nb.strategies.walks import calibrated_band

from reject_nb.strategies.band_and_chain import (
    Design, LATEST, _backward, _checkpoints, _gate, _smooth, _width, _window, certified_rank,
    design_band_and_chain, gate_of,
)

SIX = Design(band=np.array([-1, -1, 0, 0, 0, 0, 0]), gate=np.array([-1, -1, -1, 1, 1, 1, 1]), start=3)

@pytest.mark.parametrize("labels, ends, rank", [
    ([0, 0, 0, 1, 0, 1], [1, 2, 3, 4, 5, 6], 5), ([0, 0, 1, 1, 0, 0], [1, 2, 3, 4, 5, 6], 3),
    ([0, 0, 1, 1, 0, 0], [1, 2, 4, 5, 6], 2), ([1, 0, 1, 0, 0, 0], [1, 2, 3, 4, 5, 6], 0),
    ([0]*6, [1, 2, 3, 4, 5, 6], 6), ([0, 0, 0, 1, 0, 1], [2, 4, 6], 4), ([0, 0, 1, 1, 0, 0], [6], 0),
    ([1, 0, 0, 0, 0, 0], [6], 6),
    ([1, 1, 0, 0, 0, 0], [1, 6], 0)])
def test_the_walk_of_six(labels, ends, rank):
    assert certified_rank(np.append(0, np.cumsum(labels)), np.array(ends), SIX) == rank


def _passes(band, target, rank, count):
    "P(some S(m) <= band[m], or S(rank) <= count), by a band that has both at the one rank alone."
    n, total = len(band) - 1, 0.
    for code in range(2**n):
        S = np.append(0, np.cumsum([(code >> i) & 1 for i in range(n)]))
        if (S[1:] <= band[1:]).any() or S[rank] <= count: total += target**S[n]*(1 - target)**(n - S[n])
    return total


@pytest.mark.parametrize("band", [[-1]*11, [-1, -1, -1, 0, 0, 0, 1, 1, 1, 1, 2],
                                  [-1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0]])
@pytest.mark.parametrize("target, delta", [(.3, .3), (.5, .4), (.4, .5)])
def test_the_gate_is_the_largest(band, target, delta):
    band = np.array(band)
    gate = gate_of(band, target, delta, 1)
    for rank in range(1, 11):
        if gate[rank] >= 0: assert _passes(band, target, rank, gate[rank]) <= delta
        assert _passes(band, target, rank, gate[rank] + 1) > delta - 1e-9


def test_a_level_that_is_met_exactly_is_refused():
    "Sums are rounded: P(S(1) = 0) = .5 does not pass for .5, but for a little more it does."
    none = np.array([-1, -1])
    assert gate_of(none, .5, .5, 1)[1] == -1 and gate_of(none, .5, .5 + 1e-11, 1)[1] == 0


@pytest.mark.parametrize("low, high, bound, next_low, next_high",
                         [(3, 9, 4, 2, 9), (3, 9, -1, 3, 8), (3, 6, 2, 0, 9), (8, 9, 3, 1, 4),
                          (3, 9, -1, 2, 9), (5, 9, 0, 1, 8)])
def test_a_step_back_by_definition(low, high, bound, next_low, next_high):
    behind = np.random.default_rng(0).random(14)
    def after(k): return 1. if k <= max(bound, low - 1) else behind[min(k, high)]
    expected = [.7*after(k) + .3*after(k + 1) for k in range(next_low, next_high + 1)]
    for step in (_backward, _backward.py_func):
        found = behind.copy()
        step(found, low, high, bound, next_low, next_high, .3)
        assert np.array_equal(found[next_low:next_high + 1], expected)


def test_compiled_and_python_agree():
    band, target = calibrated_band(30, .2, .1), .2
    window, plain = _window(7, _width(band, target) + 1), _window(7, _width.py_func(band, target) + 1)
    _checkpoints(band, target, 5, window)
    _checkpoints.py_func(band, target, 5, plain)
    for a, b in zip(window, plain): np.testing.assert_array_equal(a, b)
    block = _window(6, window.mass.shape[1])
    found, again = (np.full(len(band), -1) for _ in range(2))
    _gate.py_func(band, band, target, .2, 10, 5, window, block, found)
    np.testing.assert_array_equal(found, _gate(band, band, target, .2, 10, 5, window, block, again))


def _band_or_gate(design, rank, target):
    "P(a hit, or S(rank) <= gate[rank]), by a plain forward recursion over all counts."
    n = len(design.band) - 1
    mass, passed = np.zeros(n + 2), 0.
    mass[0] = 1.
    for m in range(1, n + 1):
        mass[1:] = (1 - target)*mass[1:] + target*mass[:-1]
        mass[0] *= 1 - target
        bound = max(design.band[m], design.gate[m] if m == rank else -1)
        passed += mass[:bound + 1].sum()
        mass[:bound + 1] = 0
    return passed


@pytest.mark.parametrize("n, target, delta", [(60, .1, .1), (200, .05, .05), (250, .05, .05),
                                              (1000, .05, .1), (800, .02, .1), (3000, .01, .05)])
def test_a_design_uses_its_level_and_no_more(n, target, delta):
    design = design_band_and_chain(n, target, delta)
    for m in (design.start, (design.start + n)//2, n):
        assert _band_or_gate(design, m, target) <= delta
    steps = np.diff(design.gate[design.start:])
    assert (steps >= 0).all() and (steps <= 1).all()
    assert design.start <= LATEST*first_rank(n, target, examples_needed(target, delta/2) + 1) + 1


@pytest.mark.parametrize("n, target, delta, start", [(189, .05, .05, 96), (306, .05, .05, 157),
                                                     (371, .05, .05, 186)])
def test_the_start_moves_to_the_first_rank_that_keeps_the_errors(n, target, delta, start):
    first = first_rank(n, target, examples_needed(target, delta/2) + 1)
    design = design_band_and_chain(n, target, delta)
    gate = np.maximum(design.band, gate_of(design.band, target, delta, first))
    alone = order_statistic_rank(first, target, delta) - 1
    assert first < design.start == start and gate[start] >= alone > gate[first:start].max()


def test_a_smooth_gate_by_definition():
    rng = np.random.default_rng(0)
    for _ in range(50):
        gate, start = rng.integers(-1, 9, 12), int(rng.integers(0, 12))
        smooth = _smooth(gate, start)
        reach = [min(gate[j] + max(m - j, 0) for j in range(start, 12)) for m in range(start, 12)]
        assert smooth[start:].tolist() == reach and (smooth[:start] == -1).all()


def test_too_few_examples_have_no_design():
    least = int(examples_needed(.05, .1))
    assert .95**least <= .1 < .95**(least - 1)
    assert design_band_and_chain(least - 1, .05, .1) is None and design_band_and_chain(least, .05,
                                                                                       .1).gate[least] == 0


@pytest.mark.parametrize("n, target, delta, share, start, at", [
    (400, .1, .1, .8, 100, 101), (400, .1, .1, .95, 100, 108), (60, .1, .2, .8, 54, None),
    (30, .3, .1, .95, 7, None)])
def test_a_share_says_whether_it_keeps_the_errors_of_a_single_test(n, target, delta, share, start, at):
    "The chain starts `at` the first rank whose gate allows what a single test at `start` does."
    (keeps, early, allowed, said), design = _beside_a_band(n, target, delta, share, start)
    band = calibrated_band(n, target, share*delta)
    gate = np.maximum(band, gate_of(band, target, delta, start))
    alone = order_statistic_rank(start, target, delta) - 1
    assert keeps == (at is not None) and said == share and allowed == gate[-early]
    assert -early == design.start == (at or start) and (allowed >= alone) == keeps
    assert gate[start:-early].max(initial=-1) < alone
