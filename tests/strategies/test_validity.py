"""Tests of nbs/strategies/13_validity.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.strategies.band_and_chain import Design
from reject_nb.strategies.band_and_chain import certified_rank
from reject_nb.strategies.band_and_chain import gate_of
from reject_nb.strategies.walks import band_probability

from reject_nb.strategies.validity import failure_by_enumeration, split_at_crossings

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
