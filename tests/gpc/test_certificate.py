"""Tests of nbs/gpc/10_certificate.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from fractions import Fraction
from reject_nb.gpc.bounds import Boxes
from reject_nb.gpc.certificate import probability_down
from reject_nb.gpc.certificate import probability_up
from reject_nb.gpc.logistic import logistic_mean
from reject_nb.gpc.logistic import logistic_slope
from reject_nb.gpc.posterior import GPPosterior
from reject_nb.gpc.rigour import quadratic_form
from unittest.mock import patch

from reject_nb.gpc.certificate import (
    _apart, _kernel_rows, _logistic_line_minima, _logistic_slopes, _variance_range, centres, kernel_rows,
    logistic_line_min, lower_bounds, one_side, ratio_min, reduce_box, value_up,
)

LINES = [tuple(v) for v in np.column_stack([np.random.default_rng(5).normal(0, 3, 60),
                                            np.random.default_rng(6).normal(0, 1, 60),
                                            np.random.default_rng(7).uniform(0, 4, 60),
                                            np.random.default_rng(8).uniform(0, 5, 60)]).round(4).tolist()]

@pytest.mark.parametrize("nu, kappa, a, width", LINES)
def test_ratio_min_is_the_minimum(nu, kappa, a, width):
    v = np.linspace(a, a + width, 20_001)
    seen = ((nu + kappa*v)/np.sqrt(1 + v)).min()
    got = ratio_min(*(np.array([x]) for x in (nu, kappa, a, a + width)))[0]
    assert got <= seen and seen - got < 1e-6                                       # grid of 2.5e-4


def test_ratio_min_is_rounded_down():
    one = np.ones(1)
    assert ratio_min(2*one, one, 0*one, 3*one)[0] == 2 - 2e-15*3 and ratio_min(5*one, one, 0*one,
                                                                               8*one)[0] == 4 - 2e-15*(3 + 4)


@pytest.mark.parametrize("nu, kappa, a, width", LINES[:30])
def test_logistic_line_minimum(nu, kappa, a, width):
    v = np.linspace(a, a + width, 401)
    seen = min(logistic_mean(nu + kappa*x, x) for x in v)
    got = logistic_line_min(nu, kappa, a, a + width)
    assert got <= seen - 1e-12 and seen - got < .125*(.09623*kappa**2 + .1251*abs(kappa)
                                                      + .0325)*(width/8)**2 + 1e-4
    assert logistic_line_min.py_func(nu, kappa, a, a + width) == pytest.approx(got, abs=1e-13)


def test_logistic_line_with_a_dip_between_the_nodes():
    "Where the curve's lowest point lies between two of the nine nodes the bound must stay below it."
    for nu in np.linspace(-3, 3, 13):
        for kappa in (-2., -1., 1., 2.):
            seen = min(logistic_mean(nu + kappa*x, x) for x in np.linspace(0, 6, 1201))
            assert logistic_line_min(nu, kappa, 0., 6.) <= seen


def _points() -> np.ndarray:
    "Values of g: both tails to where Phi underflows, and neighbours of where libraries switch formulas."
    rng = np.random.default_rng(0)
    half = np.array([0., 1e-300, np.sqrt(.5), 1., np.sqrt(2), 8*np.sqrt(2)])
    switch = np.concatenate([-half, half])
    return np.concatenate([rng.uniform(-38.6, 9., 3000), -np.geomspace(1e-8, 38.6, 1000), switch,
                           np.nextafter(switch, -50), np.nextafter(switch, 50)])


def _enclosure(flint, g:float) -> tuple:
    "Phi(g) between two rational numbers, by ball arithmetic at 200 bits."
    flint.ctx.prec = 200
    top, bottom = float(g).as_integer_ratio()
    value = (-(flint.arb(top)/flint.arb(bottom))/flint.arb(2).sqrt()).erfc()/2
    middle, radius = (Fraction(int(man))*Fraction(2)**int(exp)
                      for man, exp in (value.mid().man_exp(), value.rad().man_exp()))
    return middle - radius, middle + radius


def test_the_normal_law_is_rounded_outward():
    "Against ball arithmetic; the allowance for the last place of g itself, 4e-16, is on the upper side only."
    flint = pytest.importorskip("flint")
    points = _points()
    down, up = probability_down(points), probability_up(points)
    for g, low, high in zip(points.tolist(), down.tolist(), up.tolist()):
        least, most = _enclosure(flint, g)
        assert Fraction(low) <= least and (most <= Fraction(high) or high == 1.), g


def test_the_allowance_is_needed_and_small():
    "Scipy's own value leaves the enclosure by more than an ulp in the lower tail."
    flint = pytest.importorskip("flint")
    from scipy.special import ndtr
    tail = -np.linspace(20., 35., 400)
    off = [abs(Fraction(float(ndtr(g)))/_enclosure(flint, g)[0] - 1) for g in tail.tolist()]
    assert max(off) > 2**-50
    wide = probability_up(tail)/probability_down(tail) - 1
    assert wide.max() < 5e-12 and (probability_up(np.zeros(1)) - probability_down(np.zeros(1)))[0] < 2e-14


def _random_posterior(seed):
    rng = np.random.default_rng(1000 + seed)
    n, d = rng.integers(3, 40), rng.integers(1, 5)
    post = GPPosterior(rng.normal(size=(n, d)), rng.normal(size=n)*rng.choice([.2, 1, 3]),
                       10.**rng.uniform(-3, 1, n), rng.uniform(.3, 2, d),
                       10.**rng.uniform(-1, 2.5), "logistic" if seed % 4 == 0 else "probit")
    mid, half = rng.normal(size=d), 10.**rng.uniform(-4, .5)*rng.uniform(.2, 1, d)
    Z = mid + half*rng.uniform(-1, 1, size=(200, d))
    Z[:60] = mid + half*rng.choice([-1, 0, 1], size=(60, d))
    return post, mid, half, Z


def _whole(side, level, q): return lower_bounds(side, -side.box.half[None], side.box.half[None], level, q)


@pytest.mark.parametrize("seed", range(120))
def test_certificates_hold_on_random_posteriors(seed):
    """Three levels, both signs, both likelihoods, all and a third of the eigenpairs.

    The slack is predict_proba's own rounding."""
    post, mid, half, Z = _random_posterior(seed)
    box, p = reduce_box(post, mid - half, mid + half), post.predict_proba(Z)
    for sign in (1., -1.):
        values, side = p if sign > 0 else 1 - p, one_side(post, box, sign)
        centre = post.predict_proba(box.point(np.zeros(len(box.free)))[None])[0]
        for level in (.2, .8, min(max(values.min(), .001), .999)):
            for q in (max(1, post.n//3), post.n):
                got = _whole(side, level, q)
                assert got.low[0] <= values.min() + 1e-9
                assert value_up(side, got.at)[0] >= (centre if sign > 0 else 1 - centre) - 1e-9
        mean = sign*post.latent(Z)[0]
        assert _whole(one_side(post, box, sign, False), .5, 0).low[0] <= mean.min() + 1e-12*np.abs(mean).max()


@pytest.mark.parametrize("seed", range(0, 40, 3))
def test_variances_are_enclosed(seed):
    post, mid, half, Z = _random_posterior(seed)
    box, var = reduce_box(post, mid - half, mid + half), post.latent(Z)[1]
    side = one_side(post, box)
    boxes = Boxes(-box.half[None], box.half[None])
    for q in (max(1, post.n//3), post.n):
        at = centres(side, np.zeros((1, len(box.free))), q)
        low, high = _variance_range(side, boxes, at, at.z*side.spec.S, 0., True)
        slop = 1e-9*post.variance
        assert low[0] <= var.min() + slop and var.max() <= high[0] + slop
        centre = post.latent(box.point(np.zeros(len(box.free)))[None])[1][0]
        assert at.var_low[0] - slop <= centre <= at.var_high[0] + slop


@pytest.mark.parametrize("sign", [1., -1.])
@pytest.mark.parametrize("likelihood", ["probit", "logistic"])
def test_point_boxes_are_tight(sign, likelihood):
    rng = np.random.default_rng(0)
    post = GPPosterior(rng.normal(size=(60, 2)), np.random.default_rng(1).normal(size=60), np.full(60, .4),
                       [.8, 1.1], 46., likelihood)
    box = reduce_box(post, np.array([.3, .1]) - 1e-12, np.array([.3, .1]) + 1e-12)
    p = post.predict_proba([[.3, .1]])[0]
    p = p if sign > 0 else 1 - p
    got = _whole(one_side(post, box, sign), p, 60)
    assert 0 <= p - got.low[0] + 1e-9 < 2e-7 and 0 <= value_up(one_side(post, box, sign),
                                                               got.at)[0] - p + 1e-9 < 2e-7


def _margins(side, boxes, level, q):
    "Everything that rounding must widen: entries of the first list downwards, of the second upwards."
    at = centres(side, .5*(boxes.lo + boxes.hi), q)
    got = lower_bounds(side, boxes.lo, boxes.hi, level, q)
    tiny = lower_bounds.__globals__["rounding"](16)*(3*side.post.variance + at.form_high)
    low, high = _variance_range(side, boxes, at, at.z*side.spec.S, tiny, True)
    return [got.low, at.var_low, at.form_low, low], [at.var_high, at.form_high, at.mean_err, at.residual,
                                                     high, value_up(side, at)]


@pytest.mark.parametrize("level", [.15, .85])
@pytest.mark.parametrize("likelihood", ["probit", "logistic"])
@pytest.mark.parametrize("where", ["certificate", "both"])
def test_rounding_always_widens(level, likelihood, where):
    "With a coarser arithmetic lower bounds fall and upper bounds rise: no allowance has the wrong sign."
    rng = np.random.default_rng(3)
    post = GPPosterior(rng.normal(size=(30, 2)), rng.normal(size=30)*.5, rng.uniform(.1, .6, 30), [.8, 1.1],
                       4., likelihood)
    box = reduce_box(post, np.array([.1, .2]), np.array([.2, .4]))
    side, boxes = one_side(post, box), Boxes(-box.half[None], box.half[None])
    coarse = {"rounding": lambda n: 2e-5}
    exact = _margins(side, boxes, level, 30)
    with patch.dict(lower_bounds.__globals__, coarse), patch.dict(quadratic_form.__globals__,
                                                                  coarse if where == "both" else {}):
        box.kept.clear()
        rough = _margins(side, boxes, level, 30)
    for a, b in zip(exact[0], rough[0]): assert (b < a).all() or (where == "certificate" and (b == a).all())
    for a, b in zip(exact[1], rough[1]): assert (b > a).all() or (where == "certificate" and (b == a).all())
    assert rough[0][0] < exact[0][0] and rough[0][3] < exact[0][3] and rough[1][4] > exact[1][4]
    assert rough[1][5] > exact[1][5]


def test_what_a_box_keeps_is_what_it_would_compute():
    rng = np.random.default_rng(4)
    post = GPPosterior(rng.normal(size=(30, 2)), rng.normal(size=30)*.5, rng.uniform(.1, .6, 30), [.8, 1.1],
                       4.)
    lower, upper = np.array([.1, .2]), np.array([.2, .4])
    box = reduce_box(post, lower, upper)
    points = [np.full((1, 2), v) for v in (0., .01, 0., .02, .01)]
    for sign in (1., -1.):
        for C in points:
            for q in (30, 5):
                kept, fresh = (centres(one_side(post, b, sign), C, q)
                               for b in (box, reduce_box(post, lower, upper)))
                for a, b in zip(kept, fresh): np.testing.assert_array_equal(a, b)
    exact = centres(one_side(post, box, 1., True, False), np.zeros((1, 2)), 30)
    assert exact.mean_err[0] == 0 < kept.mean_err[0] and len(box.kept) == 2


def test_without_rigour_nothing_is_subtracted():
    rng = np.random.default_rng(8)
    post = GPPosterior(rng.normal(size=(30, 2)), rng.normal(size=30)*.1, rng.uniform(.1, .6, 30), [.8, 1.1],
                       4.)
    box = reduce_box(post, np.array([.1, .2]), np.array([.1, .4]))
    with_it, without = (_whole(one_side(post, box, 1., True, flag), .4, 30) for flag in (True, False))
    assert with_it.low[0] < without.low[0] < with_it.low[0] + 1e-9 and (without.at.mean_err == 0).all()


def test_coordinates_far_from_the_origin_widen_the_bounds():
    rng = np.random.default_rng(5)
    X, alpha = rng.normal(size=(20, 2)), rng.normal(size=20)
    near, far = (GPPosterior(X + shift, alpha, np.full(20, .4), 1., 2.) for shift in (0., 1e6))
    boxes = [reduce_box(post, np.zeros(2) + shift, np.ones(2) + shift)
             for post, shift in ((near, 0.), (far, 1e6))]
    assert boxes[1].hsq > 1e5 > boxes[0].hsq and (boxes[1].half > boxes[0].half).all()
    assert boxes[0].relative > 64*2.**-53
    low, high = (_whole(one_side(post, box), .5, 20).low[0] for post, box in zip((near, far), boxes))
    assert high < low                                           # the same model, moved, and more rounding


def test_boxes_are_cut_fixed_and_mapped_back():
    post = GPPosterior([[0., 0.], [1., 50.]], [1., -1.], [.5, .5], [1., 2.], 3.)
    box = reduce_box(post, np.array([-np.inf, 4.]), np.array([np.inf, 4.]))
    assert box.free.tolist() == [0] and abs(box.half[0] - 39.5) < 1e-12 and box.origin.tolist() == [.5, 4.]
    np.testing.assert_allclose(box.bumps.k, [3*np.exp(-2.), 3*np.exp(-.5*23**2)], rtol=1e-14)
    x = np.array([[3., 4.], [1e9, 4.]])
    np.testing.assert_allclose(box.point(box.scaled(x)[0]), x[0], rtol=1e-15)
    assert box.scaled(x)[1, 0] == box.half[0] and box.point(np.array([1e9]))[0] == 1e9 + .5
    far = reduce_box(post, np.array([1e8, 4.]), np.array([2e8, 4.]))
    assert far.free.size == 0 and far.bumps.k.max() < 1e-300


def test_kernel_rows_uncompiled():
    XT, k, C = np.array([[0., 1.], [2., -1.]]), np.array([2., 3.]), np.array([[.5, .5], [0., 2.]])
    out, same = np.empty((2, 2)), np.empty((2, 2))
    _kernel_rows.py_func(XT, k, C, out, out.view(np.int64))
    kernel_rows(XT, k, C, same)
    expected = k*np.exp(-.5*((C[:, None] - XT.T[None])**2).sum(-1))
    np.testing.assert_allclose(out, expected, rtol=1e-15)
    np.testing.assert_allclose(same, expected, rtol=1e-15)
    slopes, lines = np.empty(2), np.empty(2)
    _logistic_slopes.py_func(np.full(9, .7), np.array([1., 2.]), slopes)
    _logistic_line_minima.py_func(np.zeros(2), slopes, np.zeros(2), np.ones(2), lines)
    assert slopes[1] == logistic_slope(.7, 2.) and lines[0] == logistic_line_min(0., slopes[0], 0., 1.)


@pytest.mark.parametrize("half", [.25, 3.])
def test_a_wider_box_counts_the_rounding_of_far_coordinates_more(half):
    "An error of e in a coordinate moves half a squared distance by e |z|, so at most by e (1 + |z|)."
    post = GPPosterior([[1e6, 0.], [1e6, 1.]], [1., -1.], [.5, .5], [1., 2.], 3.)
    box = reduce_box(post, np.array([1e6 - half, .5]), np.array([1e6 + half, .5]))
    far = (.5/2)**2/2     # of the fixed coordinate, half its squared distance
    assert box.hsq == pytest.approx(half**2 + 1e6*(1 + half) + far + 1, rel=1e-9)


def test_each_of_many_fixed_coordinates_counts_once():
    "600 coordinates are summed in blocks of 256."
    rng = np.random.default_rng(7)
    X, origin, one, z = rng.normal(size=(3, 600)), rng.normal(size=600), rng.random(600), np.empty(3)
    for sums in (_apart, _apart.py_func):
        sums(X, origin, one, z)
        np.testing.assert_allclose(z, .5*np.square((X - origin)*one).sum(1), rtol=1e-13)
