"""Tests of nbs/gpc/15_exponents.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from fractions import Fraction
from reject_nb.gpc.posterior import GPPosterior
from reject_nb.gpc.rigour import rounding
from unittest import mock

from reject_nb.gpc.exponents import Cut, Region, View, _scaled_box, joint_parabola, phi, sign_terms, view

def _case(seed, p=None):
    "Random posterior, box and ball in two to nine dimensions; length-scales over three decades."
    rng = np.random.default_rng(seed)
    d, n = int(rng.integers(2, 10)), int(rng.integers(3, 60))
    X = rng.normal(size=(n, d))
    if seed % 3 == 0: X[:, 0] = .7
    post = GPPosterior(X, rng.normal(size=n), np.full(n, .3), 10.**rng.uniform(-.5, 1, d), 2.)
    x, radius = rng.normal(size=d), 10.**rng.uniform(-2, 0)
    lower, upper = x - radius, x + radius*rng.uniform(size=d)
    if seed % 4 == 0: lower[-1] = upper[-1] = x[-1]
    return rng, post, lower, upper, None if p is None else (p, radius, x)


def _inside(rng, lower, upper, ball, m=200):
    Z = rng.uniform(lower, upper, size=(m, len(lower)))
    Z[: m//2] = np.where(rng.uniform(size=(m//2, len(lower))) < .5, lower, upper)
    if ball is None: return Z
    size = np.linalg.norm(Z - ball[2], ball[0], axis=1)
    return ball[2] + (Z - ball[2])*np.minimum(1, .999999*ball[1]/size)[:, None]


@pytest.mark.parametrize("p", [None, 1, 2])
@pytest.mark.parametrize("seed", range(12))
def test_the_sum_has_the_sign_of_the_mean_and_the_parabola_lies_below(seed, p):
    rng, post, lower, upper, ball = _case(seed, p)
    terms = sign_terms(post, post.alpha, lower, upper, ball)
    seen = view(terms, terms.region)
    Z = _inside(rng, lower, upper, ball)
    D = ((Z - terms.origin)/post.lengthscale)[:, terms.keep]
    values = np.array([seen.value(delta) for delta in D])
    mean = post.latent(Z)[0]
    ratio = np.log(np.abs(mean/values)/post.variance)
    least, most = np.add(seen.log_factor(terms.region), terms.flat)
    assert (ratio >= least - 1e-6).all() and (ratio <= most + 1e-6).all()
    clear = np.abs(mean) > 1e-9*np.abs(post.alpha).sum()
    assert (np.sign(values) == np.sign(mean))[clear].all()
    low, high = terms.region.support(seen.V, seen.size)
    at = (D - seen.centre) @ seen.V.T
    assert (at >= low - 1e-12).all() and (at <= high + 1e-12).all()
    for anchor in (seen.centre if p is None else D[0], D[0]):
        under = joint_parabola(seen, terms.region, low, high, anchor)
        e = D - anchor
        curve = under.value + e @ under.slope + np.einsum("ij,jk,ik->i", e, under.curve, e)
        assert (curve - under.allowance <= values + 1e-13*np.abs(seen.w).sum()).all()
        assert under.value == pytest.approx(seen.value(anchor), abs=1e-10*np.abs(seen.w).sum())


def test_phi_against_rational_arithmetic():
    from fractions import Fraction
    from math import factorial
    for s in (-3., -.5, -.25, -1e-9, 0., 1e-3, .499, .5, 2.):
        exact = sum(Fraction(s)**k/factorial(k + 2) for k in range(80))
        assert abs(Fraction(float(phi(s))) - exact) < Fraction(1, 10**14)*exact
    assert float(phi(0.)) == .5


def test_coordinates_where_all_points_agree_drop_out():
    post = GPPosterior([[0., 7.], [2., 7.]], [1., -1.], [.3, .3], [1., .001], 2.)
    terms = sign_terms(post, post.alpha, np.array([.5, 6.]), np.array([1.5, 9.]))
    assert terms.keep.tolist() == [0] and terms.region.lo.shape == (1,)
    np.testing.assert_allclose(terms.log_weight, -.5)
    assert terms.drift.max() < 1e-13


def test_a_view_is_the_same_function_up_to_a_factor():
    rng, post, lower, upper, _ = _case(5)
    terms = sign_terms(post, post.alpha, lower, upper)
    part = Region(terms.region.lo, .3*terms.region.hi + .7*terms.region.lo)
    whole, half = view(terms, terms.region), view(terms, part)
    points = part.lo + (part.hi - part.lo)*rng.uniform(size=(20, len(part.lo)))
    ratio = [np.log(half.value(x)/whole.value(x)) for x in points]
    fit = np.column_stack([points, np.ones(20)])
    wrong = fit @ np.linalg.lstsq(fit, np.array(ratio), rcond=None)[0] - ratio
    assert np.abs(wrong).max() < 1e-8                  # the factor is exp(linear)


def test_terms_too_steep_for_a_parabola_are_refused_and_small_ones_counted():
    post = GPPosterior([[0.], [1.]], [1., -1.], [.3, .3], .01, 2.)
    terms = sign_terms(post, post.alpha, np.array([-1.]), np.array([1.]))
    assert view(terms, terms.region) is None
    near = GPPosterior([[0.], [.1]], [1., -1.], [.3, .3], .01, 2.)
    seen = view(sign_terms(near, near.alpha, np.array([-.01]), np.array([-.009])),
                Region(np.array([-.1]), np.array([.1])))
    assert seen is not None and len(seen.w) == 1 and 0 < seen.dropped < 1e-19


def test_the_allowance_covers_a_term_that_is_off_by_all_its_drift():
    "One term -e^delta on [-1, 1], known to one part in a thousand: at the end it may be -1.001 e."
    one, region = np.ones((1, 1)), Region(np.array([-1.]), np.array([1.]))
    for drift in (1e-3, 1e-6):
        seen = View(np.zeros(1), np.zeros(1), -one[0], one, one, drift*one[0], 0., 0.)
        under = joint_parabola(seen, region, -one[0], one[0], np.zeros(1))
        for end in (-1., 1.):
            e, worst = np.array([end]), -(1 + drift)*np.exp(end)
            assert under.value + e @ under.slope + e @ under.curve @ e - under.allowance <= worst
        assert under.allowance <= 1.02*drift*np.e


@pytest.mark.parametrize("top, c", [(0., 0.), (1e10, 0.), (-1e10, 0.), (0., 1e5), (3e9, 1e5)])
def test_the_range_of_the_factor_counts_the_rounding_of_its_terms(top, c):
    "At a point the range is one number and what its terms may be off: top, and c^2 twice."
    one = np.array([c])
    seen = View(centre=one, b=one, w=np.ones(1), V=np.zeros((1, 1)), size=np.zeros((1, 1)), drift=np.zeros(1),
                dropped=0., top=top)
    low, high = seen.log_factor(Region(lo=one, hi=one))
    allowance = rounding(17)*(abs(top) + c*c) + 1e-15
    assert low < top - .5*c*c < high and .9 < (high - low)/(2*allowance) < 1.1


def test_the_range_of_the_factor_in_one_dimension():
    "-t^2/2 + 3 t on -1..2 runs from -3.5 to 4; its largest value beyond, at t = 3, is not reached."
    zero = np.zeros(1)
    seen = View(centre=zero, b=zero + 3, w=np.ones(1), V=np.zeros((1, 1)), size=np.zeros((1, 1)),
                drift=np.zeros(1), dropped=0., top=.25)
    low, high = seen.log_factor(Region(lo=zero - 1, hi=zero + 2))
    assert low == pytest.approx(.25 - 2 - 6) and high == pytest.approx(.25 - 2 + 6)   # by the farther end
    wider = seen.log_factor(Region(lo=zero - 1, hi=zero + 9))
    assert low <= .25 - 3.5 and wider[1] == pytest.approx(.25 + 4.5)


@pytest.mark.parametrize("p", [1, 2])
def test_supports_are_rounded_outward_in_boxes_and_balls(p):
    "A box, and a ball inside one, with a coarse unit: the allowance is that of the terms' sizes."
    rng, gamma = np.random.default_rng(p), lambda n: 1e-4*n
    V = rng.normal(size=(5, 3))
    scale, shift, mid, half = np.array([.5, 1., 2.]), np.array([.3, -.2, .1]), np.array([1., 2., -1.]), .7
    box = Region(mid - half, mid + half)
    with mock.patch.dict(view.__globals__, rounding=gamma):
        low, high = box.support(V, np.abs(V))
        far, off = np.abs(V).sum(1)*half, gamma(7)*(np.abs(V) @ (half + np.abs(mid)))
        np.testing.assert_allclose([low, high], [V @ mid - far - off, V @ mid + far + off], rtol=1e-9)
        ball = Region(mid - 99, mid + 99, Cut(p, .4, scale, shift))
        low, high = ball.support(V, np.abs(V))
    unit = V/scale
    far = .4*(np.abs(unit).max(1) if p == 1 else np.linalg.norm(unit, axis=1))
    off = gamma(11)*(far + np.abs(unit) @ np.abs(shift))
    np.testing.assert_allclose([low, high], [-unit @ shift - far - off, -unit @ shift + far + off], rtol=1e-9)


def test_halves_and_meeting_by_hand():
    "Half-widths are rounded up by 4 ulp; a ball that misses its box by a millionth does not meet it."
    assert 0 < Region(np.zeros(1), np.ones(1)).half[0]/.5 - 1 < 6e-16
    for gap, meets in ((1e-6, False), (1e-10, True), (-1e-6, True)):
        for shift in (np.array([-2. - gap]), np.array([2. + gap])):
            assert Region(np.array([-1.]), np.array([1.]), Cut(2, 1., np.ones(1), shift)).meets_ball == meets
    corner = Region(np.zeros(2), np.ones(2), Cut(1, 1., np.ones(2), np.array([.6, .6])))
    assert not corner.meets_ball and corner._replace(ball=corner.ball._replace(p=2)).meets_ball


def test_scaled_half_widths_are_rounded_up_by_eight_ulp():
    lower, upper = np.array([-.3, 1., 2.]), np.array([.4, 1.7, 2.])
    origin, half = _scaled_box(lower, upper, np.array([.5, 3., 1.]))
    np.testing.assert_allclose(origin, [.05, 1.35, 2.])
    exact = np.array([float(Fraction(b) - Fraction(a))/2/s for a, b, s in zip(lower, upper, (.5, 3., 1.))])
    assert (half[:2]/exact[:2] - 1 > 4e-16).all() and (half[:2]/exact[:2] - 1 < 2e-15).all() and half[2] == 0
