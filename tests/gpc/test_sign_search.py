"""Tests of nbs/gpc/17_sign_search.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.core.results import Clock
from reject_nb.gpc.exponents import Cut
from reject_nb.gpc.exponents import Region
from reject_nb.gpc.exponents import sign_terms
from reject_nb.gpc.exponents import view
from reject_nb.gpc.posterior import GPPosterior
from unittest import mock

from reject_nb.gpc.sign_search import (
    _Narrowing, _into, descent, examine, lowest_corner, settle_sign, tightened,
)

def _crowd(seed, d=60, n=300):
    "Random bumps around two centres, and a point near the first."
    rng = np.random.default_rng(seed)
    y = np.repeat([1., -1.], n//2)
    X = rng.normal(size=(n, d)) + .35*y[:, None]
    return GPPosterior(X, y*rng.uniform(.5, 1.5, n), np.full(n, .3), 1.5*np.sqrt(d), 2.), np.full(d,
        .3) + .1*rng.normal(size=d)


def _interval(post, x, p=None, most=4., tol=1e-3):
    "Largest proved and smallest refuted radius, by bisection."
    sign, low, high = np.sign(post.latent(x[None])[0][0]), 0., most
    while high - low > tol*high:
        radius = .5*(low + high)
        terms = sign_terms(post, sign*post.alpha, x - radius, x + radius,
                           None if p is None else (p, radius, x))
        got = settle_sign(terms, Clock(1.), 20)
        if not got.proved and not got.value < 0: return low, high
        low, high = (radius, high) if got.proved else (low, radius)
    return low, high


def _model(seed):
    "Random posterior in two to twelve dimensions, some length-scales far shorter than the box."
    rng = np.random.default_rng(seed)
    d, n = int(rng.integers(2, 13)), int(rng.integers(5, 80))
    X, scale = rng.normal(size=(n, d)), 10.**rng.uniform(-.2, .8, d)
    if seed % 4 == 1: scale[0] = 10.**rng.uniform(-3, -1)
    if seed % 5 == 2: X[:, 1] = 0.
    return rng, GPPosterior(X, rng.normal(size=n)*rng.choice([.1, 1., 30.]), np.full(n, .3), scale, 2.)


def _ask(post, x, radius, p, sign, boxes=150):
    terms = sign_terms(post, sign*post.alpha, x - radius, x + radius, None if p is None else (p, radius, x))
    return terms, settle_sign(terms, Clock(2.), boxes)


def _ball(rng, x, radius, p, m=400):
    Z = x + radius*rng.uniform(-1, 1, (m, len(x)))
    Z[: m//2] = x + radius*rng.choice([-1., 1.], (m//2, len(x)))
    if p is None: return Z
    size = np.linalg.norm(Z - x, p, axis=1)
    Z = x + (Z - x)*(radius/size)[:, None]
    for i in range(0, m, 3): Z[i] = x + radius*rng.choice([-1, 1])*np.eye(len(x))[rng.integers(len(x))]
    return Z


@pytest.mark.parametrize("p", [None, 2, 1])
@pytest.mark.parametrize("seed", range(30))
def test_no_sampled_point_contradicts_a_proof_and_refutations_are_real(seed, p):
    rng, post = _model(seed)
    x = post.X[0] + .1*rng.normal(size=post.d)
    mean, size = post.latent(x[None])[0][0], np.abs(post.alpha).sum()
    sign = 1. if mean > 0 else -1.
    for radius in (.01, .1, .4):
        terms, got = _ask(post, x, radius, p, sign)
        if got.proved or np.isfinite(got.low):
            values = sign*post.latent(_ball(rng, x, radius, p))[0]
            assert values.min() >= got.low*post.variance - 1e-12*size
            assert got.low >= 0 or not got.proved
        if got.value < 0:
            point = x.copy()
            point[terms.keep] = terms.origin[terms.keep] + got.point*post.lengthscale[terms.keep]
            assert np.linalg.norm(point - x, np.inf if p is None else p) <= radius*(1 + 1e-9)
            assert sign*post.latent(point[None])[0][0] < 1e-12*size


@pytest.mark.parametrize("p", [None, 2])
@pytest.mark.parametrize("seed", range(6))
def test_proof_and_refutation_meet(seed, p):
    post, x = _crowd(seed, 30, 100)
    low, high = _interval(post, x, p, 8.)
    assert .998*high < low < high


@pytest.mark.parametrize("p", [None, 2, 1])
@pytest.mark.parametrize("seed", range(4))
def test_just_beyond_an_attack_nothing_is_proved(seed, p):
    "Without looking for points: the bound alone must not pass a ball that holds one."
    post, x = _crowd(seed, 12, 60)
    sign, (_, high) = np.sign(post.latent(x[None])[0][0]), _interval(post, x, p, 20.)
    for factor in (1.000001, 1.001, 1.1):
        radius = factor*high
        terms = sign_terms(post, sign*post.alpha, x - radius, x + radius,
                           None if p is None else (p, radius, x))
        seen = view(terms, terms.region)
        state = _Narrowing(seen, terms.region)
        worst = state.point
        state.point, state.value = terms.region.mid, np.inf
        for share in (.5, 1., 0.):
            found = state.bound(share, False)
            assert found.low <= 0 and not state.empty
            state.narrow(found)
            assert not state.empty
            assert (worst >= state.region.lo - 1e-12).all() and (worst <= state.region.hi + 1e-12).all()
            at = seen.V @ (worst - seen.centre)
            assert (at >= state.low - 1e-12).all() and (at <= state.high + 1e-12).all()


@pytest.mark.parametrize("seed", range(5))
def test_ball_arithmetic_agrees(seed):
    "At 200 bits, from the arrays as they are: no point of a proved ball has the other sign."
    flint = pytest.importorskip("flint")
    rng, post = _model(seed)
    x = post.X[0] + .1*rng.normal(size=post.d)
    sign = 1. if post.latent(x[None])[0][0] > 0 else -1.
    radius = next((r for r in (.3, .1, .03, .01, .003) if _ask(post, x, r, None, sign)[1].proved), None)
    if radius is None: return
    flint.ctx.prec = 200
    exact = lambda v: flint.arb(*(float(v).as_integer_ratio())[:1])/flint.arb(float(v).as_integer_ratio()[1])
    for z in np.nextafter(_ball(rng, x, radius, None, 12), x):
        total = flint.arb(0)
        for point, weight in zip(post.X, post.alpha):
            square = sum((((exact(a) - exact(b))/exact(s))**2 for a, b,
                          s in zip(z, point, post.lengthscale)), flint.arb(0))
            total += exact(weight)*(-square/2).exp()
        assert (total*int(sign)).lower() > 0


def test_points_given_are_tried_first():
    post, x = _crowd(0, 12, 60)
    sign, (_, high) = np.sign(post.latent(x[None])[0][0]), _interval(post, x)
    terms = sign_terms(post, sign*post.alpha, x - 1.01*high, x + 1.01*high)
    attack = settle_sign(terms, Clock(None)).point
    got = settle_sign(terms, Clock(None), starts=np.array([terms.region.mid, 2*attack]))
    assert got.n_boxes == 0 and got.value < 0 and not got.proved
    assert got.value <= view(terms, terms.region).value(np.clip(2*attack, terms.region.lo, terms.region.hi))


def test_limits_are_kept():
    post, x = _crowd(0, 60, 100)
    sharp = GPPosterior(post.X, post.alpha, np.full(100, .3), 1., 2.)
    terms = sign_terms(sharp, sharp.alpha, x - 3, x + 3)
    got = settle_sign(terms, Clock(None), 4)
    assert not got.proved and (got.value < 0 or got.status == "iteration_limit" and got.n_boxes >= 4)
    assert settle_sign(terms, Clock(1e-9)).n_boxes <= 3


def test_a_smaller_one_norm_ball_holds_the_part_of_a_box():
    rng = np.random.default_rng(0)
    for _ in range(50):
        ball = Cut(1, 1., rng.uniform(.5, 2, 3), rng.normal(size=3)*.2)
        lo = rng.uniform(-1, .5, 3)
        region = Region(lo, lo + rng.uniform(.1, 1, 3), ball)
        small = tightened(region)
        Z = rng.uniform(region.lo, region.hi, (300, 3))
        inside = Z[np.abs(ball.scale*Z + ball.shift).sum(1) <= ball.radius]
        assert (np.abs(small.ball.scale*inside + small.ball.shift).sum(1) <= small.ball.radius + 1e-12).all()
        assert small.ball.radius <= ball.radius


def test_a_descent_starts_inside_the_ball():
    "A slab that the ball only touches: its middle is no point of the set, so nothing found there counts."
    post, x = _crowd(0, 12, 60)
    sign, (low, _) = np.sign(post.latent(x[None])[0][0]), _interval(post, x, 2, 20.)
    terms = sign_terms(post, sign*post.alpha, x - low, x + low, (2, low, x))
    for j in range(12):
        lo = terms.region.lo.copy()
        lo[j] = .9*terms.region.hi[j]
        slab = terms.region._replace(lo=lo)
        seen, ball = view(terms, slab), slab.ball
        point, value = descent(seen, slab, slab.mid)
        assert np.linalg.norm(ball.scale*point + ball.shift) <= ball.radius*(1 + 1e-12) and value > 0
        assert slab.meets_ball and not examine(terms, slab).value < 0
    assert Region(terms.region.lo, terms.region.hi).meets_ball


@pytest.mark.parametrize("p", [1, 2])
def test_a_box_that_misses_the_ball_is_dropped(p):
    "By hand: the unit ball and the square from (.8, .8); for the 1-norm from (.6, .6)."
    ball, start = Cut(p, 1., np.ones(2), np.zeros(2)), .6 if p == 1 else .8
    assert not Region(np.full(2, start), np.full(2, 2.), ball).meets_ball
    assert Region(np.full(2, start - .15), np.full(2, 2.), ball).meets_ball
    assert Region(np.array([1., 0.]), np.full(2, 2.), ball).meets_ball
    assert not Region(np.array([1. + 1e-8, 0.]), np.full(2, 2.), ball).meets_ball


def test_points_are_moved_into_the_box_and_the_ball():
    "By hand: |2 delta + 1| <= 1 is -1 <= delta <= 0. Then balls off the origin, cut by boxes."
    line = Region(np.array([-3.]), np.array([3.]), Cut(2, 1., np.array([2.]), np.array([1.])))
    for start, end in ((3., 0.), (-2., -1.), (-.25, -.25)):
        assert _into(line, np.array([start]))[0] == pytest.approx(end, abs=1e-11)
    for slope, end in ((1., -1.), (-3., 0.)):
        assert lowest_corner(line, np.array([slope]))[0] == pytest.approx(end, abs=1e-11)
    rng = np.random.default_rng(1)
    for k in range(100):
        p, scale, shift = 1 + k % 2, rng.uniform(.5, 2, 4), rng.normal(size=4)
        lo = -shift/scale - rng.uniform(0, 1, 4)
        region = Region(lo, lo + rng.uniform(1, 2, 4), Cut(p, .7, scale, shift))
        delta = _into(region, lo + rng.uniform(-1, 3, 4))
        assert np.linalg.norm(scale*delta + shift, p) <= .7*(1 + 1e-12)
        assert (delta >= region.lo - 1e-12).all() and (delta <= region.hi + 1e-12).all()


def test_a_smaller_ball_by_hand():
    """The box [1, 2] x [-1, 1], the ball of radius 2 around (-.2, .5): its nearest point is (1, .5).

    That is 1.2 away. Left is .8, and rounding of what was moved: 1.2, four times .2, and the radius."""
    region = Region(np.array([1., -1.]), np.array([2., 1.]), Cut(1, 2., np.ones(2), np.array([.2, -.5])))
    with mock.patch.dict(tightened.__globals__, rounding=lambda n: 1e-3*n):
        got = tightened(region).ball
        assert got.radius == pytest.approx(.8 + .01*(1.2 + 4*.2 + 2)) and got.shift.tolist() == [-1., -.5]
        far = tightened(region._replace(ball=region.ball._replace(radius=1.))).ball
        assert far.radius == pytest.approx(.01*(1.2 + 4*.2 + 1))          # the box misses the ball
    for same in (region._replace(ball=None), region._replace(ball=region.ball._replace(p=2)),
                 region._replace(lo=-np.ones(2))):
        assert tightened(same) is same
