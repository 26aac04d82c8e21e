"""Tests of nbs/bernstein/02_nu.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.bernstein.moments import log_moment_bound

from reject_nb.bernstein.nu_values import (
    _curve, _exact_side, _interval_side, _nu_exact, _nu_interval, _soft_plus, nu, nu_bisection, nu_support,
)

GOLD = [((0, 0, .5), .581490885748307), ((.3, .3, .5), .596025555093497), ((-.5, .5, .5), .301786190372306),
        ((.6, .7, .8), .755968260391093)]
MPMATH = [((1e-09, 1e-09, 0.5), 0.58149088598787314),
          ((0, 0, 1e-12), 0.095119933275406299),
          ((0, 0, 1e-100), 0.032950511449113041),
          ((0.001, 0.001, 0.0010000001), 0.13089171027986552),
          ((0.5, 0.5, 0.5000000000001), 0.19129097580829884),
          ((-0.3, -0.3, 0.99999999999), 0.98450187291323607),
          ((0.999999, 0.999999, 0.9999999), 0.36993886913446896),
          ((0.7, 0.7, 1), 0.89838856345690084),
          ((0.125, 0.125, 0.5), 0.60197704117974413),
          ((0.3333, 0.3333, 0.61), 0.673284807490599),
          ((-0.05, -0.05, 0.9), 0.90587710641625461),
          ((1e-200, 1e-200, 1e-199), 0.023357870180936421),
          ((0.999999999, 0.999999999, 1), 0.30559175351753454),
          ((-0.2, 0.2, 0.2), 0.31570089511536291),
          ((0.1, 0.39, 0.4), 0.53416627117292358),
          ((-0.6, 0.5, 0.65), 0.42010222454390241),
          ((0.45, 0.6, 0.62), 0.6529302876183141),
          ((-0.01, 0.009, 0.01), 0.23089940444459327),
          ((0.2, 0.3, 0.31), 0.47066456333335381)]

@pytest.mark.parametrize("args, value", GOLD)
def test_gold_values(args, value):
    assert abs(nu(*args) - value) < 2e-15


@pytest.mark.parametrize("args, value", MPMATH)
def test_values_computed_with_fifty_digits(args, value):
    assert abs(nu(*args) - value) < 1e-13


def test_symmetry_broadcast_and_range():
    rng = np.random.default_rng(0)
    s = rng.uniform(0, 1, 400)
    lo, hi = np.sort(rng.uniform(-1, 1, (2, 400)), axis=0)*s
    k = nu(lo, hi, s)
    np.testing.assert_allclose(k, nu(-hi, -lo, s), atol=1e-15)           # mirror image
    assert k.shape == (400,) and (k <= 1).all()
    assert nu(np.zeros((3, 1)), np.zeros(4), .5).shape == (3, 4)
    floor = np.sqrt(s**2 - np.maximum(abs(lo), abs(hi))**2)
    assert (k >= floor - 1e-15).all()
    assert isinstance(nu(0, 0, .5), float)


def test_zero_variance_and_full_range():
    assert nu(.5, .5, .5) == 0 and nu(0, 0, 0) == 0 and nu(1, 1, 1) == 0 and nu(0, 0, 1) == 1
    assert nu(-.9, .9, .2) == nu(-.2, .2, .2)                               # an interval is cut at sigma
    m = np.array([.1, .5, .9, 1 - 1e-9])
    np.testing.assert_allclose(nu(m, m, 1), np.sqrt(m/np.arctanh(m)), rtol=1e-14)


@pytest.mark.parametrize("args, value", GOLD + MPMATH)
def test_kernels_uncompiled_give_the_same(args, value):
    lo, hi, sigma = (np.array([float(a)]) for a in args)
    out = np.empty(1)
    if args[0] == args[1]: _nu_exact.py_func(lo, sigma, out)
    else: _nu_interval.py_func(lo, hi, sigma, out)
    assert abs(out[0] - value) < 1e-13
    assert _exact_side.py_func(lo[0], sigma[0]) == _exact_side(lo[0], sigma[0])
    at = lo[0], hi[0], sigma[0]
    assert abs(_interval_side.py_func(*at) - _interval_side(*at)) < 1e-14


@pytest.mark.parametrize("curve", [_curve, _curve.py_func], ids=["compiled", "python"])
@pytest.mark.parametrize("s, sigma", [(.7, .6), (1.5, .6), (20., .3), (39., .05), (41., .05), (300., .9),
                                      (705., .5), (50., 1e-15)])
def test_the_curve_is_where_the_worst_mean_lies_inside(curve, s, sigma):
    at = curve(s, sigma)
    np.testing.assert_allclose(at.h, log_moment_bound(at.t, at.mu, sigma), rtol=1e-9, atol=1e-13)
    e = 1e-5*at.t
    slope = (log_moment_bound(at.t + e, at.mu, sigma) - log_moment_bound(at.t - e, at.mu, sigma))/(2*e)
    np.testing.assert_allclose(at.slope, slope, rtol=1e-6, atol=1e-9)
    step = 1e-4*min(at.mu, 1 - at.mu)
    others = log_moment_bound(at.t, at.mu + np.array([-step, step]), sigma)
    # concave in the mean, with its top here
    assert (others <= at.h + 1e-12*abs(at.h)).all()


def test_soft_plus_by_hand():
    for f in (_soft_plus, _soft_plus.py_func):
        np.testing.assert_allclose([f(0.), f(800.), f(-800.)], [np.log(2), 800., 0.])


@pytest.mark.parametrize("args, name", [
    ((0, 0, 1.2), "sigma"), ((0, 0, float("nan")), "sigma"), ((0, 0, -.1), "sigma"),
    ((-2, 0, .5), "mean_lower"), ((0, 3, .5), "mean_upper"),
    ((.3, .1, .5), "mean_lower"), ((.6, .7, .5), "mean_lower"), ((-.7, -.6, .5), "mean_upper"),
    ((0, "x", .5), "mean_upper")])
def test_bad_arguments_are_named(args, name):
    with pytest.raises(ValueError, match=f"^{name} must be"): nu(*args)


def test_bad_entries_are_located():
    with pytest.raises(ValueError, match=r"got 7 at index 2"): nu(0, 0, [.1, .2, 7])
    with pytest.raises(ValueError, match=r"mean_lower must be at most mean_upper, got 0.3 at index \(1, 0\)"):
        nu([[0], [.3]], [.1, .2], .5)
    with pytest.raises(ValueError, match="broadcast"): nu([0, 0], [0, 0, 0], .5)
    # rounding of a mean that equals sigma
    assert nu(.5*(1 + 3e-16), .5*(1 + 3e-16), .5) == 0


def test_claim_of_the_paper_about_the_interval():
    rng = np.random.default_rng(1)
    s = rng.uniform(0, 1, 5000)
    lo, hi = np.sort(rng.uniform(-1, 1, (2, 5000)), axis=0)*s
    floor = np.sqrt(s**2 - np.minimum(abs(lo), abs(hi))**2)
    assert (nu(lo, hi, s) >= floor - 1e-14).all() and (nu(lo, hi, s) <= 1).all()


def test_sigma_one_agrees_with_the_general_formula():
    rng = np.random.default_rng(2)
    lo, hi = np.sort(rng.uniform(-1, 1, (2, 2000)), axis=0)
    np.testing.assert_allclose(nu_support(lo, hi), nu(lo, hi, 1.), atol=1e-14)
    np.testing.assert_allclose(nu_support(lo, lo), nu(lo, lo, 1.), atol=1e-14)
    assert nu_support(0, 0) == 1 and nu_support(-1, -1) == 0 and nu_support(1e-12, 1e-12) == 1


@pytest.mark.parametrize("check", ["grid", "minimiser"])
@pytest.mark.parametrize("case", [(0, 0, .5), (.3, .3, .5)])
def test_bisection_agrees_for_exact_means(case, check):
    # bisection width
    assert abs(nu_bisection(*case, check=check, n_means=1, tol=1e-5) - nu(*case)) < 2e-5


def test_bisection_is_unsafe_on_few_means():
    # too small: unsafe
    assert nu_bisection(-.438, .514, .533, n_means=7) < nu(-.438, .514, .533) - 5e-4
    with pytest.raises(ValueError, match="^check must be"): nu_bisection(0, 0, .5, check="luck")


@pytest.mark.parametrize("seed", range(15))
def test_interval_value_against_brute_force(seed):
    rng = np.random.default_rng([7, seed])
    t = np.concatenate([-np.geomspace(80, 1e-3, 800), np.geomspace(1e-3, 80, 800)])[:, None]
    s = rng.uniform(.02, 1)
    lo, hi = np.sort(rng.uniform(-s, s, 2))
    f = 2*(log_moment_bound(t, np.linspace(lo, hi, 200), s) - np.maximum(lo*t, hi*t))/t**2
    brute, exact = max(f.max(), 0), nu(lo, hi, s)**2
    assert brute <= exact + 1e-9                                 # 1e-16/t^2 at t = .001 with some room
    # the grid: third derivative times t/3 at t = .001, and 200 means
    assert exact <= brute + 1e-3
