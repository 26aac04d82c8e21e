"""Tests of nbs/strategies/16_expectation.ipynb, extracted from its test cells: edit them there."""
import itertools
import numpy as np
import pytest

from reject_nb.strategies.expectation import conformal_risk

def _expected_loss(n, target, rates, values=(0., 1.)):
    "Exact mean loss of a new input: all orders and outcomes of n + 1 examples with distinct scores."
    total = 0.
    for new in range(n + 1):           # the place of the new example among n + 1
        others = [i for i in range(n + 1) if i != new]
        for outcome in itertools.product((0, 1), repeat=n):
            p = np.prod([rates[i] if o else 1 - rates[i] for i, o in zip(others, outcome)])
            found = conformal_risk([values[o] for o in outcome], [float(i) for i in others], target)
            total += p*rates[new]*values[1]*(new <= found.threshold)/(n + 1)
    return total


@pytest.mark.parametrize("rates", [(.1, .2, .3, .5, .8, .9), (.5,)*6, (.9, .1, .1, .1, .9, .9), (1.,)*6,
                                   (0.,)*6])
@pytest.mark.parametrize("target", [.2, .35, .5, .7])
def test_the_mean_is_bounded_exactly(rates, target):
    "Six places of a score, error rates by place: enumeration of all samples of five and new inputs."
    assert _expected_loss(5, target, rates) <= target + 1e-12


def test_where_all_are_wrong_the_bound_is_nearly_attained():
    "Two of five others may be accepted: the new one is below the second in two of six places."
    assert abs(_expected_loss(5, .5, (1.,)*6) - 1/3) < 1e-12


def test_by_definition_and_units():
    rng = np.random.default_rng(0)
    for trial in range(30):
        n, target = int(rng.integers(3, 40)), float(rng.uniform(.05, .6))
        losses, s = rng.random(n)*(rng.random(n) < .4), np.round(rng.random(n), 1)
        good = [t for t in s if (1 + losses[s <= t].sum())/(n + 1) <= target]
        found, scaled = conformal_risk(losses, s, target), conformal_risk(7*losses, s, 7*target, 7.)
        accepted = found(s) > .5
        np.testing.assert_array_equal(accepted, s <= max(good, default=-np.inf))
        assert scaled.threshold == found.threshold and np.isnan(found.delta)
        if accepted.any(): np.testing.assert_allclose(found.selective_risk, losses[accepted].mean())


def test_ends_of_the_scale():
    assert conformal_risk([0., 1], [0, 1], 1.).status == "trivial"
    assert "9 calibration examples" in conformal_risk([0.]*3, range(3), .1).message
    assert "infinitely" in conformal_risk([0.]*3, range(3), 0.).message
    assert "tied" in conformal_risk([1.]*30, [0.]*30, .2).message
    assert conformal_risk([0.]*9, range(9), .1).status == "trivial"


@pytest.mark.parametrize("change, name", [(dict(losses=[2., 0]), "losses"), (dict(scores=[1.]), "scores"),
                                          (dict(target_risk=-1), "target_risk"), (dict(bound=0), "bound")])
def test_arguments_are_named(change, name):
    with pytest.raises(ValueError, match=name):
        conformal_risk(**{**dict(losses=[0., 1], scores=[0., 1], target_risk=.1), **change})
