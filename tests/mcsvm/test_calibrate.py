"""Tests of nbs/mcsvm/07_calibrate.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from decimal import Decimal
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from scipy.stats import binom
from unittest import mock

from reject_nb.mcsvm.calibrate import (
    RULES, _cut, bias_adjustment, both_rates, calibrate_offset, conformal, conformal_unsafe,
    probabilistic_scaling, scaling_unsafe, weighted_hinge, z_svm,
)

def test_bias_adjustment_halves_the_gap_of_separated_classes():
    s, y = np.array([-4., -2., 1., 6.]), np.array([1., 1, -1, -1])
    found = bias_adjustment(s, y)
    assert found.bias == -.5 and found.kind == "none" and found.bound is None and found.status == "optimal"
    assert found.feasible
    assert (found.n_safe, found.n_unsafe) == (2, 2)
    # five unsafe, two safe: (5*1 + 2*(-2))/7
    weighted = bias_adjustment(np.r_[s, 7., 8., 9.], np.r_[y, -1, -1, -1], proportional=True)
    assert np.isclose(weighted.bias, 1/7) and weighted.rule == "bias_adjustment_proportional"


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.integers(0, 10**6))
def test_z_svm_beats_every_other_cut(seed):
    rng = np.random.default_rng(seed)
    y, s = np.where(rng.random(15) < .4, 1., -1.), np.round(rng.normal(size=15), 1)
    y[:2] = 1, -1
    mean = lambda b: np.sqrt(np.mean(s[y > 0] < b)*np.mean(s[y < 0] >= b))
    found, best = z_svm(s, y), max(mean(b) for b in np.r_[s, s.max()+1])
    assert mean(found.bias) >= best-1e-12 and f"{best:.4f}" in found.statement


def test_z_svm_with_all_scores_tied():
    assert np.isfinite(z_svm(np.zeros(4), np.array([1., 1, -1, -1])).bias)


@pytest.mark.parametrize("j, b", [(0, 1.), (1, 1.5), (2, 3.), (3, np.nextafter(4., 5.))])
def test_a_cut_lies_in_the_middle_of_its_gap(j, b):
    assert _cut(np.array([1., 2., 4.]), j) == b


def test_a_cut_between_neighbouring_floats_keeps_them_apart():
    s = np.array([1., np.nextafter(1., 2.)])
    assert s[0] < _cut(s, 1) <= s[1]


@pytest.mark.parametrize("n, eps, delta", [(1000, .05, .05), (59, .05, .05), (200, .1, 1e-6), (50, .5, .9)])
def test_scaling_keeps_r_minus_one_unsafe_points(n, eps, delta):
    # r is the largest that qualifies, by scipy's binomial law
    rng = np.random.default_rng(1)
    s, y = rng.normal(size=n), np.where(rng.random(n) < .2, 1., -1.)
    c = probabilistic_scaling(s, y, eps, delta)
    assert binom.cdf(c.rank-1, n, eps) <= delta < binom.cdf(c.rank, n, eps)
    assert np.sum(s[y < 0] < c.bias) == c.rank-1 and c.status == "certified" and c.confidence == 1-delta
    assert c.bound == eps


def test_scaling_says_when_it_cannot():
    s, y = np.arange(10.), np.ones(10)
    y[:2] = -1
    c = probabilistic_scaling(s, y, .05, .05)
    assert c.bias is None and not c.feasible and c.status == "infeasible" and "59" in c.message
    assert c.bound is None
    c = probabilistic_scaling(np.arange(400.), np.r_[np.ones(399), -1], .05, .05)
    assert c.bias == np.inf and c.status == "trivial" and c.message.startswith("whole space") and c.feasible


def test_scaling_violation_probability_is_the_binomial_level():
    # uniform scores, unsafe with probability 1/2: the joint risk of {s < b} is b/2 exactly. Violations in
    # 4,000 repetitions are
    # Binomial(4000, B(r-1; n, eps)); 4 standard deviations, p about 6e-5
    rng = np.random.default_rng(2)
    n, eps, delta, N = 200, .1, .1, 4000
    biases = [probabilistic_scaling(rng.random(n), np.where(rng.random(n) < .5, 1., -1.), eps, delta).bias
              for _ in range(N)]
    level = binom.cdf(probabilistic_scaling(np.arange(200.), -np.ones(200), eps, delta).rank-1, n, eps)
    frequency = np.mean(np.array(biases)/2 > eps)
    assert level <= delta and abs(frequency-level) < 4*np.sqrt(level*(1-level)/N)


def test_the_rate_among_unsafe_is_exceeded_with_the_binomial_level():
    # uniform unsafe scores: the rate of {s < b} is b exactly. 4,000 repetitions, 4 standard deviations, p
    # about 6e-5
    rng, n, eps, delta, N = np.random.default_rng(3), 120, .1, .1, 4000
    first = scaling_unsafe(rng.random(n), -np.ones(n), eps, delta)
    level = binom.cdf(first.rank-1, n, eps)
    assert level <= delta < binom.cdf(first.rank, n, eps)
    rates = np.array([scaling_unsafe(rng.random(n), -np.ones(n), eps, delta).bias for _ in range(N)])
    assert abs(np.mean(rates > eps)-level) < 4*np.sqrt(level*(1-level)/N)


def test_safe_points_play_no_part():
    rng = np.random.default_rng(4)
    s, y = rng.normal(size=400), np.where(rng.random(400) < .5, 1., -1.)
    alone, both = scaling_unsafe(s[y < 0], y[y < 0], .1, .2), scaling_unsafe(s, y, .1, .2)
    assert alone.bias == both.bias and alone.rank == both.rank == np.sum(s[y < 0] < both.bias)+1
    assert (both.status, both.risk, both.bound, both.confidence) == ("certified", "rate among unsafe", .1, .8)
    few = scaling_unsafe(np.r_[s[y > 0], 0.], np.r_[y[y > 0], -1.], .1, .2)
    assert few.status == "infeasible" and few.bias is None
    assert "1 unsafe" in few.message and "at least 16" in few.message
    assert scaling_unsafe(s, np.ones(400), .1, .2).status == "infeasible"


def test_conformal_rank_has_no_rounding_trap():
    # (1-.05)(99+1) is 95 exactly; floating point must not make it 96, nor .05*(19+1) fall to 0
    assert conformal(np.arange(99.), np.ones(99), .05).rank == 95
    assert conformal_unsafe(np.arange(19.), -np.ones(19), .05).rank == 1
    few = conformal_unsafe(np.arange(18.), -np.ones(18), .05)
    assert few.bias is None and few.status == "infeasible" and "at least 19" in few.message
    few = conformal(np.arange(18.), np.ones(18), .05)
    assert few.bias is None and few.status == "infeasible" and "at least 19" in few.message
    assert conformal(np.arange(19.), np.ones(19), .05).feasible
    # a level that asks for more than 95 by less than 1e-12 of 100 is rounding, by 1.5e-12 it is not
    assert [conformal(np.arange(99.), np.ones(99), .05-e).rank for e in (.5e-12, 1.5e-12)] == [95, 96]
    assert [conformal_unsafe(np.arange(19.), -np.ones(19), .1-e).rank for e in (.5e-12, 1.5e-12)] == [2, 1]


def test_conformal_by_hand():
    # y (s - 1) of the four points: -2, 0, -1, -4; eps .4 takes rank ceil(.6*5) = 3, the value -1, so b = 1 +
    # 1
    c = conformal([-1., 1., 2., 5.], [1, 1, -1, -1], .4, reference=1.)
    assert (c.rank, c.bias, c.bound, c.risk) == (3, 2., .4, "joint")


def test_conformal_follows_a_shift_of_the_scores():
    rng = np.random.default_rng(3)
    s, y = rng.normal(size=200), np.where(rng.random(200) < .5, 1., -1.)
    assert np.isclose(conformal_unsafe(s+7, y, .1).bias, conformal_unsafe(s, y, .1).bias+7)
    assert np.isclose(conformal(s+7, y, .1, reference=7.).bias, conformal(s, y, .1).bias+7)


def test_conformal_bounds_hold_on_average():
    # exact risks for uniform scores: rate b, joint b/2. The mean over 3,000 repetitions may exceed the level
    # by 4 standard errors (p about 3e-5)
    rng = np.random.default_rng(4)
    n, eps, N = 150, .1, 3000
    rate, joint = np.empty(N), np.empty(N)
    for i in range(N):
        y = np.where(rng.random(n) < .5, 1., -1.)
        s = np.where(y > 0, -1., 0.)+rng.random(n)
        rate[i] = np.clip(conformal_unsafe(s, y, eps).bias, 0, 1)
        joint[i] = np.clip(conformal(s, y, eps).bias, 0, 1)/2
    for risk in (rate, joint): assert risk.mean() <= eps+4*risk.std()/np.sqrt(N)
    assert rate.mean() > .8*eps  # the bound on the rate is nearly attained: r/(n_U+1)


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.integers(0, 10**6), st.sampled_from([.01, .05, .2, .5]))
def test_weighted_hinge_bounds_false_positives_on_its_sample(seed, eps):
    rng = np.random.default_rng(seed)
    n = rng.integers(4, 80)
    y = np.where(rng.random(n) < rng.uniform(.1, .9), 1., -1.)
    y[:2] = 1, -1
    s = np.round(rng.normal(size=n)-y*rng.uniform(0, 2), 1)
    c = weighted_hinge(s, y, eps)
    seen, most = np.sum(s[y < 0] < c.bias), eps/(1-eps)*np.sum(y > 0)
    assert seen <= most+1e-9 and f" {seen} seen" in c.statement


def test_weighted_hinge_attains_the_minimum_of_28():
    rng = np.random.default_rng(5)
    s, y, eps = rng.normal(size=60), np.where(rng.random(60) < .5, 1., -1.), .1
    loss = lambda b: .5*np.sum(np.maximum(0, ((1-2*(1-eps))*y+1)*(y*(s-b)+1)))
    assert loss(weighted_hinge(s, y, eps).bias) <= min(loss(b) for b in s+y)+1e-9
    assert f"at most {np.sum(y > 0)/9:.1f} false positives" in weighted_hinge(s, y, eps).statement


def test_weighted_hinge_depends_on_the_scale_of_the_scores():
    rng = np.random.default_rng(6)
    y = np.where(rng.random(400) < .5, 1., -1.)
    s = rng.normal(size=400)-y
    rates = [np.mean(s[y < 0] < weighted_hinge(k*s, y, .05).bias/k) for k in (.3, 10.)]
    assert abs(rates[0]-rates[1]) > .005


def test_both_rates_hold_together():
    # 2,000 calibration sets of two normal laws: the exact rates of each offset, violated together at most in
    # a share delta; 4 standard deviations of a binomial count
    from scipy.stats import norm
    rng, delta, broken, feasible = np.random.default_rng(11), .1, 0, 0
    y = np.repeat([1., -1.], [150, 120])
    for _ in range(2000):
        c = both_rates(rng.normal(size=270)-1.2*y, y, .2, delta, .25)
        if not c.feasible: continue
        feasible += 1
        broken += norm.cdf(c.bias, 1.2) > .2 or norm.sf(c.bias, -1.2) > .25
    assert feasible > 1500 and broken <= delta*2000+4*np.sqrt(2000*delta*(1-delta))


def test_both_rates_by_hand():
    # one point a side decides where (1-eps)^n <= delta/2: with eps .5, delta .5 two points of each class
    c = both_rates([-2., -1., 1., 3.], [1, 1, -1, -1], .5, .5)
    assert (c.bias, c.status, c.bound, c.bound_safe, c.rank) == (0., "certified", .5, .5, 1)
    assert both_rates([-2., -1., 1., 3.], [1, 1, -1, -1], .5, .5, .5) == c
    c = both_rates([-2., 2., 1., 3.], [1, 1, -1, -1], .5, .5)
    assert not c.feasible and "overlap" in c.message and "at most 1" in c.message and "above 2" in c.message
    assert "1 unsafe" in both_rates([-2., -1., 1.], [1, 1, -1], .5, .5).message
    assert "1 safe" in both_rates([-2., -1., 1.], [-1, -1, 1], .5, .5).message


def test_the_offset_of_both_rates_lies_above_the_safe_score():
    # neighbours in floating point: the middle rounds to the lower one, which would leave that safe point out
    top = np.nextafter(1., 2.)
    assert both_rates([1., 1., top, top], [1, 1, -1, -1], .5, .5).bias == top

GOOD = dict(scores=[0., 1.], y=[1, -1], rule="conformal", eps=.4, delta=None, reference=0., eps_safe=None,
            safe_label=None,
            high_is_safe=False)
BAD = [("rule", "best"), ("rule", ["conformal"]), ("rule", None), ("eps", 0.), ("eps", 1.), ("eps", None),
       ("eps", 1j), ("delta", 1.5), ("delta", "x"),
       ("y", [1., 2.]), ("y", np.ones(3)), ("scores", [np.nan, 1.]), ("scores", np.zeros((2, 2))),
       ("scores", []), ("reference", np.nan),
       ("reference", np.inf), ("eps_safe", 0.), ("eps_safe", "x"), ("high_is_safe", 1), ("safe_label", 7),
       ("safe_label", [1]), ("reference", 1e308), ("reference", 2e8), ("reference", 1j)]

@pytest.mark.parametrize("name, value", BAD)
def test_errors_name_the_argument(name, value):
    with pytest.raises(ValueError, match=f"^{name} must be"): calibrate_offset(**{**GOOD, name: value})


@pytest.mark.parametrize("rule", ("z_svm", "weighted_hinge", "bias_adjustment",
                                  "bias_adjustment_proportional"))
def test_rules_that_need_both_classes_say_so(rule):
    with pytest.raises(ValueError, match="^y must be of both classes"):
        calibrate_offset([0., 1.], [1, 1], rule)


def test_scaling_needs_a_delta():
    with pytest.raises(ValueError, match="^delta must be"):
        calibrate_offset(**{**GOOD, "rule": "probabilistic_scaling"})


def test_the_door_leads_to_each_rule():
    rng = np.random.default_rng(7)
    y = np.where(rng.random(300) < .5, 1., -1.)
    s = rng.normal(size=300)-y
    direct = {"weighted_hinge": weighted_hinge(s, y, .1),
              "probabilistic_scaling": probabilistic_scaling(s, y, .1, .2),
              "scaling_unsafe": scaling_unsafe(s, y, .1, .2), "both_rates": both_rates(s, y, .1, .2, .4),
              "conformal": conformal(s, y, .1, .3), "conformal_unsafe": conformal_unsafe(s, y, .1),
              "z_svm": z_svm(s, y),
              "bias_adjustment": bias_adjustment(s, y),
              "bias_adjustment_proportional": bias_adjustment(s, y, True)}
    assert set(direct) == set(RULES)
    for rule, expected in direct.items():
        assert calibrate_offset(s, y, rule, .1, .2, .3, .4) == expected and expected.rule == rule
        named = np.where(y > 0, "ok", np.where(s > 0, "bad", "worse"))
        assert calibrate_offset(s, named, rule, .1, .2, .3, .4, safe_label="ok") == expected
        turned = calibrate_offset(-s, named, rule, .1, .2, -.3, .4, safe_label="ok", high_is_safe=True)
        assert turned.bias == (None if expected.bias is None
                               else -expected.bias) and turned.status == expected.status


@pytest.mark.parametrize("rule", ("probabilistic_scaling", "scaling_unsafe", "both_rates", "conformal",
                                  "conformal_unsafe"))
@pytest.mark.parametrize("eps, words", [(5e-324, "more are needed than a float"), (1e-3, "at least ")])
def test_levels_too_small_for_the_sample_are_infeasible(rule, eps, words):
    found = calibrate_offset(**{**GOOD, "rule": rule, "eps": eps, "delta": .1})
    assert found.bias is None and found.status == "infeasible" and words in found.message


@pytest.mark.parametrize("label", [10**400, Decimal("sNaN"), None.__class__, mock.ANY, range(0)])
def test_safe_labels_of_no_class_are_named(label):
    with pytest.raises(ValueError, match="^safe_label must be one of the labels"):
        calibrate_offset(**{**GOOD, "safe_label": label})
