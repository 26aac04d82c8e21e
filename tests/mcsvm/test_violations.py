"""Tests of nbs/mcsvm/23_violations.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest

from reject_nb.mcsvm.violations import _rate, cauchy_law, count_violations, normal_law

@pytest.mark.parametrize("digits", (None, 0, 1))
def test_rates_of_a_law_are_those_of_its_draws(digits):
    law, rng = normal_law(.7, digits), np.random.default_rng(0)
    for sign, cdf in ((1., law.safe_cdf), (-1., law.unsafe_cdf)):
        s = law.draw(rng, np.full(200_000, sign))
        for b in (-1., -.55, 0., .3, 1.): assert abs(np.mean(s < b)-cdf(b)) < .006
    heavy = cauchy_law()
    assert abs(np.mean(heavy.draw(rng, np.full(200_000, -1.)) < 2.)-heavy.unsafe_cdf(2.)) < .006

CONFIDENT = ("probabilistic_scaling", "scaling_unsafe", "both_rates")

@pytest.mark.parametrize("rule", CONFIDENT)
def test_promises_with_confidence_are_kept(rule):
    # 400 sets; 4 standard deviations of the binomial count
    for law in (normal_law(1.5), normal_law(1.5, 1)):
        found = count_violations(law, rule, 150, .15, .2, 400)
        assert found.broken <= .2+4*np.sqrt(.16/400) and found.feasible > .9


def test_a_broken_rule_is_seen():
    # asked for 5 %, judged by 2 %: nearly every set breaks it
    law = normal_law()
    found = count_violations(law._replace(unsafe_cdf=lambda b: 2.5*law.unsafe_cdf(b)), "scaling_unsafe", 300,
                             .05, .1, 100)
    assert found.broken > .5


def test_joint_rates_are_shares_of_all_points():
    assert _rate(normal_law(), "joint", 0., .75) == .25*_rate(normal_law(), "rate among unsafe", 0., .75)
    assert count_violations(normal_law(), "scaling_unsafe", 10, .01, .01, 5) == (0., 0., 0.)
