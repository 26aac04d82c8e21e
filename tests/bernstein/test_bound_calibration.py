"""Tests of nbs/bernstein/13_bound_calibration.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.bernstein.bound_calibration import _group
from reject_nb.bernstein.bound_calibration import _limits
from reject_nb.bernstein.bound_calibration import check_levels
from scipy.stats import binom

from reject_nb.bernstein.bound_calibration import calibrate_bound

@pytest.mark.parametrize("n", [1, 4, 15, 60])
@pytest.mark.parametrize("delta", [.05, .3])
def test_each_limit_holds_for_every_law(n, delta):
    # exact coverage by enumeration; just above a limit is where it is hardest to hold
    errors = np.arange(n + 1)
    lower, upper = _limits(errors[:, None], np.full((n + 1, 1), n), delta)[..., 0]
    for p in np.r_[np.linspace(0, 1, 41), upper + 1e-9, upper - 1e-9, lower + 1e-9, lower - 1e-9].clip(0, 1):
        weights = binom.pmf(errors, n, p)
        assert weights[upper < p].sum() <= delta + 1e-12 and weights[lower > p].sum() <= delta + 1e-12


@pytest.mark.parametrize("n, wrong", [(1, 0), (15, 0), (15, 4), (60, 59)])
def test_no_smaller_limit_holds(n, wrong):
    upper = _limits([wrong], [n], .1)[1, 0]
    p = upper - 1e-7
    # a limit below p would break the promise there
    assert binom.cdf(wrong, n, p) > .1
    assert abs(binom.cdf(wrong, n, upper) - .1) < 1e-12

LAWS = {"certificate far above": ([.5, .3, .2], [.001, .02, .2]),
        "at the level": ([.4, .4, .2], [.05, .5, .9]),
        "certificate broken": ([.6, .3, .1], [.2, .7, .99]),
        "a rare group": ([.97, .02, .01], [.03, .4, .5])}

@pytest.mark.parametrize("law", LAWS)
def test_all_limits_hold_together_in_10000_repetitions(law):
    share, p = map(np.array, LAWS[law])
    rng, times, delta = np.random.default_rng(5), 10_000, .1
    n = rng.multinomial(80, share, times)
    lower, upper = _limits(rng.binomial(n, p), n, delta)
    allowed = delta + 4*np.sqrt(delta*(1 - delta)/times)
    assert (upper < p).any(1).mean() <= allowed and (lower > p).any(1).mean() <= allowed
    # the union of accepted groups, at every risk at once
    for risk in (.05, .1, .3, .6):
        taken = upper <= risk
        mass = (taken*share).sum(1)
        assert ((taken*share*p).sum(1) > risk*mass + 1e-12).mean() <= allowed


def test_limits_are_near_what_they_bound():
    # with a single group of many points the limit is within a few standard deviations of the truth
    errors = np.random.default_rng(0).binomial(5000, .02, 2000)
    upper = _limits(errors[:, None], np.full((2000, 1), 5000), .1)[1, :, 0]
    # .0226 is the truth and 1.28 standard deviations; counts are whole, so misses are somewhat rarer than .1
    assert abs(upper.mean() - .0228) < .0005 and .05 < (upper < .02).mean() < .12


def test_points_fall_into_their_groups():
    group = _group([0., .04, .05, .0500001, .5, .51, 1.], np.array([0., .05, .5]))
    assert group.tolist() == [0, 1, 1, 2, 2, 3, 3]
    found = calibrate_bound([0., .04, 1., 1.], [False, True, True, False], levels=(0., .05, .5))
    assert found.n.tolist() == [1, 1, 0, 2] and found.errors.tolist() == [0, 1, 0, 1]
    # nobody in the third group: nothing is said about it
    assert found.upper[2] == 1 and found.lower[2] == 0 and found.bound([.3]) == 1
    assert found.accepts([0., .3], 1.).all() and not found.accepts([0.], .1).any()
    assert "4 groups" in found.statement


@pytest.mark.parametrize("bad, name", [
    (dict(certified=[.1, 1.1]), "certified"), (dict(certified=[]), "certified"),
    (dict(wrong=[2, 0]), "wrong"), (dict(wrong=[True]), "wrong"),
    (dict(delta=0), "delta"), (dict(delta="a"), "delta"), (dict(levels=[]), "levels"),
    (dict(levels=[.5, .1]), "levels"), (dict(levels=[.5, 1.]), "levels"), (dict(levels=[-.1]), "levels"),
    (dict(levels=[.2, .2]), "levels")])
def test_bad_input_is_named(bad, name):
    with pytest.raises(ValueError, match=name):
        calibrate_bound(**(dict(certified=[.1, .2], wrong=[True, False]) | bad))


def test_bad_bounds_and_risks_are_named():
    found = calibrate_bound([.1, .2], [True, False])
    for bad in ([-.1], [np.nan], "a", [1.5], []):
        with pytest.raises(ValueError, match="certified"): found.bound(bad)
    with pytest.raises(ValueError, match="risk"): found.accepts([.1], 2.)


def test_levels_increase_and_stay_below_one():
    assert check_levels([0., .1, .999]).tolist() == [0, .1, .999] and check_levels([.5]).tolist() == [.5]
    for levels in ([.1, .1], [.1, .3, .2], [.3, .2, .4], [.1, .5, 1.], [1.], [], [np.nan], [-.1], [.2, 1.1]):
        with pytest.raises(ValueError, match="^levels must be"): check_levels(levels)
