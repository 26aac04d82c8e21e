"""Tests of nbs/gpc/01_logistic.ipynb, extracted from its test cells: edit them there."""
import math
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import expit

from reject_nb.gpc.logistic import (
    FOURTH, LOGISTIC_ERROR, SECOND, THIRD, logistic_mean, logistic_means, logistic_moments, logistic_slope,
    sigma,
)

LOGISTIC_CASES = list(zip(np.random.default_rng(0).normal(0, 4, 20).tolist(),
                          (10**np.random.default_rng(1).uniform(-6, 3, 20)).tolist()))

def _by_quadrature(m, v):
    s = math.sqrt(v)
    kink = [0.] + ([-m/s] if abs(m/s) < 10 else [])
    return quad(lambda u: expit(m + s*u)*math.exp(-u*u/2)/math.sqrt(2*math.pi), -10, 10, epsabs=1e-13,
                limit=2000, points=kink)[0]


@pytest.mark.parametrize("m, v", LOGISTIC_CASES)
def test_logistic_mean_against_adaptive_quadrature(m, v):
    exact = _by_quadrature(m, v)
    assert abs(logistic_mean(m, v) - exact) < 1e-11                # the adaptive rule's own error
    assert abs(logistic_mean.py_func(m, v) - logistic_mean(m, v)) < 1e-14


@pytest.mark.parametrize("v", [0., 1e-8, 1., 1e4, 1e6])
def test_logistic_mean_is_antisymmetric(v):
    assert abs(logistic_mean(1.3, v) + logistic_mean(-1.3, v) - 1) < 2*LOGISTIC_ERROR


def test_logistic_mean_at_the_ends():
    assert logistic_mean.py_func(-800., 0.) == 0.
    assert logistic_mean.py_func(-20., 0.) == pytest.approx(math.exp(-20), rel=1e-8)
    assert logistic_mean.py_func(60., 1e-2) <= 1. and logistic_mean(1.,
                                                                    0.) == pytest.approx(1/(1
                                                                                            + math.exp(-1)),
                                                                                            abs=1e-15)
    assert sigma.py_func(-750.) < 1e-300 and sigma.py_func(750.) == 1. and sigma.py_func(0.) == .5
    np.testing.assert_array_equal(logistic_means.py_func(np.array([0., 1.]), np.array([1., 2.])),
                                  [logistic_mean(0., 1.), logistic_mean(1., 2.)])


def test_derivatives_of_the_logistic_function_are_bounded():
    p = expit(np.linspace(-12, 12, 100_001))
    q = p*(1 - p)
    for derivative, bound in ((q*(1 - 2*p), SECOND), (q*(1 - 6*q), THIRD), (q*(1 - 2*p)*(1 - 12*q), FOURTH)):
        assert .975*bound < np.abs(derivative).max() <= bound  # above the largest value, and not far above


@pytest.mark.parametrize("level", [.02, .3, .5, .9])
@pytest.mark.parametrize("variance", [.01, 1., 30.])
def test_slope_is_the_derivative_of_the_level_curve(level, variance):
    from scipy.optimize import brentq
    step = 1e-3*variance
    curve = [brentq(lambda m: logistic_mean(m, v) - level, -200, 200, xtol=1e-13)
             for v in (variance - step, variance + step)]
    assert logistic_slope(level, variance) == pytest.approx((curve[1] - curve[0])/(2*step), rel=2e-3,
                                                            abs=1e-6)   # the coarse rule's error


def test_moments_uncompiled():
    level, first, second = logistic_moments.py_func(.7, 2.)
    assert level == pytest.approx(logistic_mean(.7, 2.), abs=1e-5)
    step = 1e-4
    up, mid, low = (logistic_mean(.7 + s, 2.) for s in (step, 0., -step))
    assert first == pytest.approx((up - low)/(2*step),
                                  abs=1e-5) and second == pytest.approx((up - 2*mid + low)/step**2, abs=1e-4)
    assert logistic_slope.py_func(.8, 2.) == pytest.approx(logistic_slope(.8, 2.), rel=1e-12)


@pytest.mark.parametrize("scale", [4., 4.5])
def test_the_rule_ends_where_it_says(scale):
    """Far below zero E sigma is e^(m + v/2) times the mass of a Gaussian shifted by the scale.

    The last node lies at most a step beyond 8.5: left out is the tail from there, less half a step."""
    m = -2*scale*scale - 10
    missing = 1 - logistic_mean(m, scale**2)/math.exp(m + .5*scale**2)
    step = 2*math.pi*(.5*math.pi/scale)/(34.7 + .5*(.5*math.pi/scale)**2)
    tail = lambda end: .5*math.erfc((end - scale)/math.sqrt(2))
    assert tail(8.5 + 1.5*step) < missing < tail(8.5 + .5*step)
    assert logistic_mean.py_func(m, scale**2) == pytest.approx(logistic_mean(m, scale**2), rel=1e-12)
