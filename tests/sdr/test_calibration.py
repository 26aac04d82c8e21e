"""Tests of nbs/sdr/15_calibration.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.sdr.calibration import LEVEL_RULES
from reject_nb.sdr.calibration import _fewest
from scipy.stats import binom
from scipy.stats import norm

from reject_nb.sdr.calibration import calibrate_level

def test_ranks_by_hand():
    gamma = np.arange(29.)[::-1]
    full = calibrate_level(gamma, eps=.1, delta=.05)
    assert full.level == 0 and full.feasible
    short = calibrate_level(gamma[1:], eps=.1, delta=.05)
    assert short.level == -np.inf and short.status == "infeasible"
    assert not short.feasible and "29" in short.message
    # floor(.1 * 30) = 3
    assert calibrate_level(gamma, "conformal_unsafe", .1).level == 2
    assert calibrate_level(gamma[:8], "conformal_unsafe", .1).message.endswith("at least 9 are needed")
    assert calibrate_level(gamma[:9], "conformal_unsafe", .1).rank == 1
    assert calibrate_level([], eps=.1).rank == 0


@pytest.mark.parametrize("rule", LEVEL_RULES)
@pytest.mark.parametrize("eps, delta", [(.3, .2), (.1, .05), (.01, .1), (.5, .5), (.29, .01)])
def test_the_fewest_points_are_those_that_do(rule, eps, delta):
    n = _fewest(rule, eps, delta)
    assert calibrate_level(np.zeros(n), rule, eps, delta).rank == 1
    assert calibrate_level(np.zeros(n - 1), rule, eps, delta).rank == 0


@pytest.mark.parametrize("n, eps, delta", [(29, .1, .05), (200, .1, .05), (500, .02, .2), (77, .29, .01)])
def test_no_larger_rank_keeps_the_promise(n, eps, delta):
    rank = calibrate_level(np.arange(n), eps=eps, delta=delta).rank
    assert binom.cdf(rank - 1, n, eps) <= delta < binom.cdf(rank, n, eps)
    rank = calibrate_level(np.arange(n), "conformal_unsafe", eps).rank
    assert rank/(n + 1) <= eps < (rank + 1)/(n + 1)

LAWS = {"normal": (lambda rng, size: rng.normal(size=size), norm.cdf),
        "rounded": (lambda rng, size: rng.normal(size=size).round(1),
                    lambda t: norm.cdf(np.round(np.round(t*10) - .5, 6)/10)),
        "half infinite": (lambda rng, size: np.where(rng.random(size) < .5, np.inf, rng.random(size)),
                          lambda t: np.where(t == np.inf, .5, np.clip(t, 0, 1)/2)),
        "an atom at the quantile": (lambda rng, size: np.where(rng.random(size) < .3, 0., rng.random(size)),
                                    lambda t: np.where(t <= 0, 0., .3 + .7*t))}

@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("eps, delta", [(.1, .05), (.2, .3)])
def test_promises_hold_in_10000_repetitions(law, eps, delta):
    draw, below = LAWS[law]
    times, gamma = 10_000, np.sort(draw(np.random.default_rng(7), (10_000, 60)))
    rank = {rule: calibrate_level(gamma[0], rule, eps, delta).rank for rule in LEVEL_RULES}
    inside = {rule: below(gamma[:, rank[rule] - 1]) for rule in LEVEL_RULES}
    assert (inside["scaling_unsafe"] > eps).mean() <= delta + 4*np.sqrt(delta*(1 - delta)/times)
    assert inside["conformal_unsafe"].mean() <= eps + 4*inside["conformal_unsafe"].std()/np.sqrt(times)
    if law == "normal":
        # for a continuous law both probabilities are known exactly
        exact = binom.cdf(rank["scaling_unsafe"] - 1, 60, eps)
        assert abs((inside["scaling_unsafe"] > eps).mean() - exact) <= 4*np.sqrt(exact*(1 - exact)/times)
        assert abs(inside["conformal_unsafe"].mean() - rank["conformal_unsafe"]/61) < .003


@pytest.mark.parametrize("bad, name", [
    (dict(gamma=[np.nan]), "gamma"), (dict(gamma="a"), "gamma"), (dict(gamma=[[1.]]), "gamma"),
    (dict(rule="best"), "rule"), (dict(rule=["scaling_unsafe"]), "rule"), (dict(eps=0), "eps"),
    (dict(eps=None), "eps"), (dict(delta=1), "delta"), (dict(delta="a"), "delta")])
def test_bad_input_is_named(bad, name):
    with pytest.raises(ValueError, match=name): calibrate_level(**(dict(gamma=[1., 2.]) | bad))


@pytest.mark.parametrize("rule, sure", [("scaling_unsafe", True), ("conformal_unsafe", False)])
def test_words_say_which_promise(rule, sure):
    found = calibrate_level(np.arange(100.), rule, eps=.1, delta=.05)
    assert ("confidence 0.95" in found.statement) == sure == ("on average" not in found.statement)
    assert ("on average" in found.message) != sure and (found.delta is None) != sure and found.eps == .1
