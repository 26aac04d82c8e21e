"""Tests of nbs/strategies/12_bounded.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.strategies.learn_then_test import chain_rank
from reject_nb.strategies.learn_then_test import learned_stakes

from reject_nb.strategies.bounded import betting_rank, capital, capital_rank

def _steps(s, edges, rates): return np.asarray(rates)[np.searchsorted(edges, s, side="right")]

RATES = {"flat": lambda s: np.full(len(s), .1), "ties": lambda s: np.full(len(s), .1),
         "rising to the target": lambda s: .2*s,
         "two crossings": lambda s: _steps(s, [.09, .1, .6, .78, .8], [0., 1., .1, 0., 1., .1])}

@pytest.mark.parametrize("find", [capital_rank, betting_rank], ids=["mixture", "mixture and chain"])
@pytest.mark.parametrize("law", ["flat", "rising to the target", "two crossings", "ties"])
def test_failures_stay_below_delta(law, find):
    "600 samples at delta .1: more than 83 failures have probability below .001."
    rng, n, target, failures = np.random.default_rng(1), 400, .1, 0
    for _ in range(600):
        s = np.sort(rng.random(n))
        rate = RATES[law](s)
        if law == "ties": s = np.ceil(5*s)/5
        losses = (rng.random(n) < rate).astype(float)
        rank = find(losses, s, target, .1)
        bad = {"flat": rank > 0, "ties": rank > 0, "rising to the target": rank == n,
               "two crossings": rank > 0 and (abs(s[rank - 1] - .1) < 1e-9 or .1 <= s[rank - 1] <= .6
                                              or s[rank - 1] >= .8)}[law]
        failures += bad
    assert failures <= 83


def test_capital_is_a_fair_game():
    "The mean over all outcomes of five losses in {0, 1} with rate t is 1."
    target, n = .3, 5
    outcomes = ((np.arange(2**n)[:, None] >> np.arange(n)) & 1).astype(float)
    weights = np.where(outcomes == 1, target, 1 - target).prod(1)
    assert abs(weights @ [capital(o, target)[-1] for o in outcomes] - 1) < 1e-12
    assert (capital(np.ones(50), .3) > 0).all() and np.isfinite(capital(np.zeros(100_000), .3)).all()


def test_the_gambler_who_learns_plays_a_fair_game():
    "The mean capital over all outcomes of eight losses with rate t is 1: stakes look at other examples only."
    target, n = .3, 8
    outcomes = ((np.arange(2**n)[:, None] >> np.arange(n)) & 1).astype(float)
    weights = np.where(outcomes == 1, target, 1 - target).prod(1)
    scores = np.random.default_rng(0).random(n)
    def ends(order): return [np.prod(1 + _early(target - o[order], scores[order], target)*(target - o[order]))
                             for o in outcomes]
    for seed in range(3):
        assert abs(weights @ ends(np.random.default_rng(seed).permutation(n)) - 1) < 1e-12


def _early(gains, scores, target):
    "Stakes that are learned after two examples already, by the rule of learned_stakes."
    return np.array([.5 if i < 2 else learned_stakes(np.tile(gains[:i], 20), np.tile(scores[:i], 20), target,
                                                      .1)[-1] for i in range(len(gains))])


def test_stakes_do_not_look_ahead():
    rng = np.random.default_rng(3)
    gains, scores = .1 - rng.random(200)**3, rng.random(200)
    whole = learned_stakes(gains, scores, .1, .1)
    for i in (0, 15, 16, 40, 199):
        other = np.append(gains[:i], -.9*np.ones(200 - i))
        np.testing.assert_array_equal(learned_stakes(other, scores, .1, .1)[:i + 1], whole[:i + 1])


def test_chain_by_hand():
    "Gains of .5 at a stake of at most 1.9: a factor of at least 1.3; then -.5 until the capital is gone."
    gains, scores = np.r_[np.full(60, .5), np.full(60, -.5)], np.arange(120.)
    rank = chain_rank(gains, scores, .5, .1, 20)
    assert 60 < rank < 120 and chain_rank(gains, scores, .5, .1, 110) == 0
    assert chain_rank(gains, scores, .5, .1, 121) == 0 and chain_rank(-gains, scores, .5, .1, 1) == 0
    # the example at the start counts only where it loses
    assert chain_rank(np.full(1, .5), np.zeros(1), .5, .9, 1) == 0
    assert chain_rank(np.full(60, .5), np.zeros(60), .5, .1, 20) == 60


def test_only_the_order_of_scores_matters():
    rng = np.random.default_rng(4)
    s = np.sort(rng.random(900))
    losses = rng.beta(1, 4, 900)*s
    rank = betting_rank(losses, s, .05, .1)
    assert rank == betting_rank(losses, 5*s - 2, .05, .1) > 0
    assert betting_rank(losses, np.zeros(900), .05, .1) in (0, 900)


def test_learning_pays():
    rng, more, less = np.random.default_rng(5), 0, 0
    for _ in range(20):
        s = np.sort(rng.random(800))
        losses = rng.beta(1, 4, 800)*s
        more += betting_rank(losses, s, .05, .1)
        less += capital_rank(losses, s, .05, .1)
    assert more > 1.05*less


@pytest.mark.parametrize("change, name", [(dict(losses=[2., 0]), "losses"), (dict(scores=[1]), "scores"),
                                          (dict(target=0), "target"), (dict(delta="1"), "delta")])
def test_arguments_are_named(change, name):
    for find in (capital_rank, betting_rank):
        with pytest.raises(ValueError, match=f"^{name} must be"):
            find(**{**dict(losses=[0., 0], scores=[0., 1], target=.1, delta=.1), **change})
