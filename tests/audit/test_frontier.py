"""Tests of nbs/audit/05_frontier.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.audit.frontier import _upper
from reject_nb.audit.metrics import Path
from reject_nb.audit.sample import Sample
from reject_nb.audit.sorting import ordered
from reject_nb.core.tails import clopper_pearson_upper
from reject_nb.core.tails import hoeffding_bentkus_p_value
from reject_nb.strategies import certified_risk
from reject_nb.strategies.band_and_chain import design_band_and_chain

from reject_nb.audit.frontier import (
    METHODS, _fixed_thresholds, _flat_band, _grid_band, certified_ends, frontier_table, risk_band,
)

TARGETS = (.05, .1, .2, .3)
LAWS = {"rising": ([1.], [0., .4]), "falling": ([1.], [.3, 0.]), "step": ([.4, 1.], [0., .3]),
        "stairs": ([.4, .5, .7, .85, 1.], [.052, .302, .102, .669, .202])}

def _law(name, s):
    "Error rate at a score, and its mean up to it; straight between two rates, constant on several pieces."
    ends, rates = LAWS[name]
    if len(ends) == 1: return rates[0] + (rates[1] - rates[0])*s, rates[0] + (rates[1] - rates[0])*s/2
    knots, rates = np.append(0., ends), np.array(rates)
    total = np.append(0., np.cumsum(rates*np.diff(knots)))
    return rates[np.searchsorted(ends, s)], np.interp(s, knots, total)/s


def _broken(name, repetitions, n=600, delta=.1, seed=0):
    "Share of samples in which some line is false: the menu, and single certificates of the same targets."
    rng, menu, single = np.random.default_rng(seed), 0, 0
    shared = [design_band_and_chain(n, t, delta/len(TARGETS)) for t in TARGETS]
    alone = [design_band_and_chain(n, t, delta) for t in TARGETS]
    ends = np.arange(1, n + 1)
    for _ in range(repetitions):
        s = np.sort(rng.random(n))
        rate, mean = _law(name, s)
        errors = np.append(0, np.cumsum(rng.random(n) < rate))
        menu += any((certified_ends(errors, ends, d) & (mean > t)).any()
                    for d, t in zip(shared, TARGETS) if d)
        single += any((certified_ends(errors, ends, d) & (mean > t)).any()
                      for d, t in zip(alone, TARGETS) if d)
    return menu/repetitions, single/repetitions

RNG = np.random.default_rng(0)
SCORES = RNG.random(2000)
LOSSES = (RNG.random(2000) < .2*SCORES).astype(float)
SAMPLE = Sample(losses=LOSSES, scores={"good": SCORES, "noisy": SCORES + .5*RNG.random(2000)})

def test_the_menu_is_the_certificate_of_each_target():
    band, n = risk_band(LOSSES, SCORES, .1), 2000
    for target in (.02, .05, .1):
        alone = certified_risk(LOSSES, SCORES, target, delta=.01)
        at = band.rank_at(target)
        assert (band.ranks[at] if at >= 0 else 0) >= round(alone.coverage*n)
        if target == .1: assert band.ranks[at] == round(alone.coverage*n)


@pytest.mark.parametrize("name", list(LAWS))
def test_no_line_of_the_menu_is_false_too_often(name):
    "More than 44 of 300 at level .1 has probability below .005."
    assert _broken(name, 300, seed=1)[0] <= 44/300


def test_looking_at_single_certificates_breaks_them():
    "On a law whose risk rests just above three targets: more than 40 of 300 at .1 has probability .03."
    assert _broken("stairs", 300, seed=2)[1] > 40/300


@pytest.mark.parametrize("binary", [True, False])
def test_the_grid_holds_at_all_thresholds(binary):
    "100 samples of 2,000 with ties: more than 20 of 100 at level .1 has probability below .001."
    rng, wrong = np.random.default_rng(3), 0
    for _ in range(100):
        s = rng.integers(0, 50, 2000)/50
        l = (rng.random(2000) < .2*s).astype(float) if binary else .4*s*rng.random(2000)
        band = _grid_band(l, s, 1., .1)
        accepted = np.arange(50)[None]/50 <= band.thresholds[:, None]
        truth = (accepted*.2*np.arange(50)/50).sum(1)/np.maximum(accepted.sum(1), 1)
        wrong += (truth > band.risk + 1e-12).any()
    assert wrong <= 20


def test_thresholds_are_quantiles_of_both_spacings():
    "Of 1,000 scores that are their own ranks; few scores are all taken but the last, for which inf stands."
    even = {round(1 + 999*k/99) for k in range(100)}
    growing = {round(1000**(k/99)) for k in range(100)}
    ranks = sorted(even | growing)[:-1]
    scores = np.random.default_rng(7).permutation(np.arange(1., 1001.))
    assert _fixed_thresholds(scores).tolist() == [*ranks, np.inf]
    assert _fixed_thresholds(np.array([.3, .1, .2, .1])).tolist() == [.1, .2, np.inf]


def test_the_flat_band_holds_for_the_flat_law():
    "300 samples: the share of broken bands is at most .1, and not far below: it is exact for the flat law."
    rng, wrong = np.random.default_rng(4), 0
    for _ in range(300):
        path = Path(ordered(np.arange(500.), (rng.random(500) < .3).astype(float)))
        wrong += (_flat_band(path, .1).risk < .3).any()
    assert 12 <= wrong <= 46


def test_ties_are_certified_as_a_whole():
    s = np.repeat(np.arange(20.), 100)
    l = (np.random.default_rng(5).random(2000) < .01*s).astype(float)
    for method in METHODS: assert set(risk_band(l, s, .1, method=method).ranks) <= set(range(100, 2001, 100))


def test_losses_between_are_certified_by_bets():
    rng = np.random.default_rng(6)
    s = rng.random(1000)
    l = .2*s*rng.random(1000)
    band = risk_band(l, s, .1)
    assert "bets" in band.method and band.ranks[band.rank_at(.2)] == 1000
    five = risk_band(5*l, s, .1, bound=5.)
    assert np.array_equal(five.risk, 5*band.risk)


def test_menus_of_bad_targets_are_refused():
    for bad in ([0.], [1.], [.2, .1], [.1, .1], []):
        with pytest.raises(ValueError, match="targets must be"): frontier_table(SAMPLE, targets=bad)
    with pytest.raises(ValueError, match="method must"): frontier_table(SAMPLE, method="any")
    with pytest.raises(ValueError, match="score must"): frontier_table(SAMPLE, score="best")


def test_upper_limits_of_counts_are_those_of_clopper_and_pearson():
    trials = np.array([10, 10, 10, 10, 1, 1])
    errors = np.array([0, 1, 9, 10, 0, 1])
    want = [clopper_pearson_upper(int(k), int(n), .05) for k, n in zip(errors, trials)]
    np.testing.assert_allclose(_upper(errors.astype(float), trials, .05, True), want, rtol=1e-9)
    assert _upper(np.zeros(1), np.zeros(1, int), .05, True) == 1


@pytest.mark.parametrize("delta", [.01, .2])
def test_upper_limits_of_losses_are_the_least_that_are_refuted(delta):
    total, trials = np.array([0., 0., .5, 3.25, 60., 199.]), np.array([1, 5, 5, 20, 200, 200])
    limits = _upper(total, trials, delta, False)
    least, few = limits*(1 + 1e-9) + 1e-11, limits - 1e-9
    assert (limits < 1).any() and (limits >= total/trials).all()
    refuted = hoeffding_bentkus_p_value(total, trials, np.minimum(least, 1)) <= delta
    assert (refuted | (limits >= 1 - 1e-9)).all()
    assert (hoeffding_bentkus_p_value(total, trials, few) > delta).all()
    assert _upper(np.zeros(2), np.array([0, 3]), delta, False)[0] == 1
