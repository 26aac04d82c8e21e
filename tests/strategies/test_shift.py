"""Tests of nbs/strategies/19_shift.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.strategies.certified import certified_risk
from scipy.stats import binom

from reject_nb.strategies.shift import certified_under_shift, covariate_weights, target_if_wrong_by, thin

def test_what_is_kept_follows_the_new_law():
    x = np.random.default_rng(2).random(50_000)
    kept = thin(2*x, 2.)
    assert abs(kept.mean() - .5) < 4*np.sqrt(.25/50_000)
    assert abs(x[kept].mean() - 2/3) < 4*np.sqrt(1/18/25_000)        # density 2x: variance 1/18
    np.testing.assert_array_equal(kept, thin(6*x, 6.))
    assert thin(np.ones(9), 1.).all() and not thin(np.zeros(9), 1.).any()
    assert (thin(x, 1., 1) != thin(x, 1., 2)).any()
    same_seed = np.random.default_rng(0).random(50_000)             # as the default of the coins
    assert abs(same_seed[thin(2*same_seed, 2.)].mean() - 2/3) < 4*np.sqrt(1/18/25_000)


def test_equal_weights_change_nothing():
    rng = np.random.default_rng(3)
    s = rng.random(1000)
    losses, ones = (rng.random(1000) < s/5).astype(float), np.ones(1000)
    plain, same = certified_risk(losses, s, .05, .1), certified_under_shift(losses, s, ones, 1., .05, .1)
    assert plain.threshold == same.threshold > 0 and same.n == 1000 and same.certified == .05
    scaled = certified_under_shift(9*losses, s, ones, 1., .45, .1, bound=9.)
    assert scaled.threshold == same.threshold and scaled.certified == .45
    assert certified_under_shift(losses, s, 0*ones, 1., .05).status == "infeasible"


def test_worst_weights_attain_the_smaller_target():
    for target, factor in ((.05, 1.2), (.3, 2.), (.5, 1.)):
        p = target_if_wrong_by(target, factor)
        assert abs(factor**2*p/(factor**2*p + 1 - p) - target) < 1e-12 and (p < target or factor == 1)
    assert target_if_wrong_by(0., 2.) == 0 and target_if_wrong_by(1., 2.) == 1


def _piece_law(rng, n):
    "Errors .3 s for a quarter of the inputs, .01 for the others; among new ones it is three quarters."
    kind, s = rng.random(n) < .25, rng.random(n)
    return np.where(kind, 3., 1/3), s, (rng.random(n) < np.where(kind, .3*s, .01)).astype(float)


def _new_risk(theta):
    "Risk of the new law up to a threshold: shares .75 and .25."
    return .75*.15*theta + .25*.01


@pytest.mark.parametrize("weights, broken_at_least", [("true", 0), ("none", 120)])
def test_promises_under_known_weights(weights, broken_at_least):
    "200 samples at delta .2: more than 58 failures have probability below .001; without weights most fail."
    rng, broken = np.random.default_rng(4), 0
    for _ in range(200):
        w, s, losses = _piece_law(rng, 1200)
        found = (certified_under_shift(losses, s, w, 3., .05, .2) if weights == "true" else
                 certified_risk(losses, s, .05, .2))
        broken += found.threshold > -np.inf and _new_risk(min(found.threshold, 1)) > .05
    assert broken <= binom.ppf(.999, 200, .2) if weights == "true" else broken >= broken_at_least


def test_promises_when_weights_are_wrong_within_a_factor():
    rng, broken = np.random.default_rng(5), 0
    for _ in range(200):
        w, s, losses = _piece_law(rng, 1200)
        wrong = np.where(w > 1, w/1.3, w*1.3)              # the worst direction
        found = certified_under_shift(losses, s, wrong, 3., .05, .2, wrong_by=1.3)
        broken += found.threshold > -np.inf and _new_risk(min(found.threshold, 1)) > .05
    assert broken <= binom.ppf(.999, 200, .2)


def test_estimated_weights_come_near_the_true_ones():
    rng = np.random.default_rng(6)
    x, old, new = rng.normal(0, 1, 2000), rng.normal(0, 1, (5000, 1)), rng.normal(.7, 1, (8000, 1))
    found, true = covariate_weights(x[:, None], old, new), np.exp(.7*x - .245)
    assert np.quantile(np.abs(np.log(found/np.minimum(true, 10))), .9) < .15 and found.max() <= 10
    assert abs(found.mean() - 1) < .1


@pytest.mark.parametrize("change, name", [
    (dict(weights=[-1., 1]), "weights"), (dict(weights=[1.]), "weights"), (dict(weights=[1., 9.]), "weights"),
    (dict(weight_bound=0), "weight_bound"), (dict(wrong_by=.5), "wrong_by"), (dict(losses=[0., 2]), "losses"),
    (dict(scores=[0.]), "scores"), (dict(target_risk=-1), "target_risk"),
                                          (dict(random_state="x"), "random_state"),
    (dict(delta=0), "delta"), (dict(bound=-1), "bound")])
def test_arguments_are_named(change, name):
    good = dict(losses=[0., 1], scores=[0., 1], weights=[1., 2.], weight_bound=2., target_risk=.1)
    with pytest.raises(ValueError, match=name): certified_under_shift(**{**good, **change})


@pytest.mark.parametrize("change, name", [(dict(X_old=np.zeros((3, 1))), "X_old"),
                                          (dict(X_new=[[np.nan, 1.]]), "X_new"),
                                          (dict(X=np.zeros(3)), "X"),
                                          (dict(weight_bound=-1), "weight_bound")])
def test_arguments_of_the_estimate_are_named(change, name):
    with pytest.raises(ValueError, match=name):
        covariate_weights(**{**dict(X=np.zeros((3, 2)), X_old=np.eye(2), X_new=-np.eye(2)), **change})


def test_what_a_certificate_under_shift_says():
    losses, scores = np.repeat([0., 1.], [360, 40]), np.arange(400.)
    exact = certified_under_shift(losses, scores, np.ones(400), 1., .05)
    plain = certified_risk(losses, scores, .05)
    assert (exact.threshold, exact.coverage, exact.n) == (plain.threshold, plain.coverage, 400)
    said = "; for inputs of the weighted law, if the weights are right (400 of 400 examples kept)"
    assert exact.certified == .05 and exact.message == plain.message + said
    wrong = certified_under_shift(losses, scores, np.ones(400), 1., .05, wrong_by=1.5)
    assert "if the weights are right, or to within a factor of 1.5 (400 of 400" in wrong.message
    assert wrong.threshold <= exact.threshold and wrong.certified == .05
    nobody = certified_under_shift(losses, scores, np.zeros(400), 1., .05, delta=.2)
    assert nobody.n == 0 and nobody.threshold == -np.inf and nobody.delta == .2
    assert nobody.message == "no example was kept: the weights are too small"
    none = certified_under_shift(losses[::-1], scores, np.ones(400), 1., .001)
    assert none.threshold == -np.inf and np.isnan(none.certified)
    half = certified_under_shift(2*losses, scores, np.ones(400), 2., .1, bound=2., random_state=3)
    assert f"({half.n} of 400 examples kept)" in half.message and 150 < half.n < 250
