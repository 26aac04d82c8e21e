"""Tests of nbs/strategies/12_bounded.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest

from reject_nb.strategies.bounded import capital, capital_rank

def _steps(s, edges, rates): return np.asarray(rates)[np.searchsorted(edges, s, side="right")]

RATES = {"flat": lambda s: np.full(len(s), .1), "ties": lambda s: np.full(len(s), .1),
         "rising to the target": lambda s: .2*s,
         "two crossings": lambda s: _steps(s, [.09, .1, .6, .78, .8], [0., 1., .1, 0., 1., .1])}

@pytest.mark.parametrize("law", ["flat", "rising to the target", "two crossings", "ties"])
def test_failures_stay_below_delta(law):
    "600 samples at delta .1: more than 83 failures have probability below .001."
    rng, n, target, failures = np.random.default_rng(1), 400, .1, 0
    for _ in range(600):
        s = np.sort(rng.random(n))
        rate = RATES[law](s)
        if law == "ties": s = np.ceil(5*s)/5
        losses = (rng.random(n) < rate).astype(float)
        rank = capital_rank(losses, s, target, .1)
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


@pytest.mark.parametrize("change, name", [(dict(losses=[2., 0]), "losses"), (dict(scores=[1]), "scores"),
                                          (dict(target=0), "target"), (dict(delta="1"), "delta")])
def test_arguments_are_named(change, name):
    with pytest.raises(ValueError, match=f"^{name} must be"):
        capital_rank(**{**dict(losses=[0., 0], scores=[0., 1], target=.1, delta=.1), **change})
