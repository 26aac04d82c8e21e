"""Tests of nbs/gpc/08_bounds.ipynb, extracted from its test cells: edit them there."""
import math
import numpy as np
import pytest

from reject_nb.gpc.bounds import (
    Boxes, Bumps, _centre_bump, _exponentials, _folded, _minima, _parabola_min, _place, _slopes, _sums,
    _work, exp_neg, functional_min,
)

def test_exp_neg_within_two_ulp():
    u = np.concatenate([np.linspace(0, 700, 20_001), 10.**np.arange(-18, 0)])
    out = np.empty_like(u)
    exp_neg(u, out, out.view(np.int64))
    assert np.abs(out/np.exp(-u) - 1).max() < 3*2.3e-16          # numpy's own exp may be 1 ulp off
    exp_neg(np.array([1e308]), out[:1], out[:1].view(np.int64))
    assert out[0] == pytest.approx(math.exp(-700), rel=1e-12)


def test_exp_neg_uncompiled():
    u, out, same = np.array([0., .3, 2., 50., 800.]), np.empty(5), np.empty(5)
    exp_neg.py_func(u, out, out.view(np.int64))
    exp_neg(u, same, same.view(np.int64))
    np.testing.assert_allclose(out, same, rtol=3e-16)


def _bound(coef, X, lo, hi, quadratic=True, slack=1., extra=0.):
    "Minima of one box with unit weights."
    bumps = Bumps(np.ascontiguousarray(np.asarray(X, float).T), np.ones(len(X)))
    lo, hi = np.atleast_2d(np.asarray(lo, float)), np.atleast_2d(np.asarray(hi, float))
    return functional_min(bumps, Boxes(lo, hi), np.atleast_2d(np.asarray(coef, float)),
                          np.full(1, float(extra)), quadratic, float(((hi - lo)**2).sum()), slack)


def _values(coef, X, Z, extra=0., centre=0.):
    return np.exp(-.5*((Z[:,
                          None] - X[None])**2).sum(-1)) @ coef + extra*np.exp(-.5*((Z - centre)**2).sum(-1))


def _random_case(seed):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(1, 40), rng.integers(1, 6)
    X, coef = rng.normal(size=(n, d))*rng.choice([.3, 1, 4]), rng.normal(size=n)*rng.choice([1e-3, 1, 50])
    mid, half = rng.normal(size=d), 10.**rng.uniform(-6, 1)*rng.uniform(.2, 1, d)
    Z = mid + half*rng.uniform(-1, 1, size=(400, d))
    Z[:200] = mid + half*rng.choice([-1, 0, 1], size=(200, d))
    return X, coef, mid, half, Z, rng.uniform(0, 5)


def _polynomials(sign, D):
    "Coefficients (p0, p1) and (a0, a1, a2) in u of the two polynomials, by interpolation."
    if sign > 0:
        u0 = .5*D if D <= 2 else D - 1                                          # where the tangent touches
        line = np.exp(-u0)*np.array([1 + u0, -1])
        u1, u3 = .25*D, D
    else:
        line = np.array([1, (np.exp(-D) - 1)/D])
        u1, u3 = .75*D, 0.
    A = np.array([[1, u1, u1*u1], [0, 1, 2*u1], [1, u3, u3*u3]])
    return line, np.linalg.solve(A, [np.exp(-u1), -np.exp(-u1), np.exp(-u3)])


def _parabola(g, q, h):
    x = [-h, h] + ([-.5*g/q] if q > 0 and abs(.5*g/q) < h else [])
    best = min(x, key=lambda v: g*v + q*v*v)
    return best, g*best + q*best*best


def _by_formula(coef, X, mid, half, extra):
    "Both ways' bounds and minimisers, and the branching scores, from the formulas of the text."
    d, off = len(mid), mid - X
    near = .5*(np.maximum(np.abs(off) - half, 0)**2).sum(1)
    span, at = .5*((np.abs(off) + half)**2).sum(1) - near, .5*(off**2).sum(1) - near
    q = coef*np.exp(-near)
    lines, parabolas = zip(*(_polynomials(a, D) for a, D in zip(q, span)))
    (p0, p1), (a0, a1, a2) = np.array(lines).T, np.array(parabolas).T
    D = .5*(half**2).sum()
    u0 = .5*D if D <= 2 else D - 1
    bump = extra*np.exp(-u0)
    one = [(q*p1) @ off, .5*((q*p1).sum() - bump)*np.ones(d), (q*(p0 + p1*at)).sum() + bump*(1 + u0)]
    slope = q*(a1 + 2*a2*at)
    H, third, fourth = (off.T*(q*a2)) @ off, (q*a2) @ off, (q*a2).sum()
    fold = np.abs(third) @ half - .25*min(fourth, 0)*(half**2).sum()
    side = [sum(abs(H[j, l])*half[l]/half[j] for l in range(d) if l != j) for j in range(d)]
    two = [slope @ off, .5*(slope.sum() - bump) + np.diag(H) - fold - side,
           (q*(a0 + a1*at + a2*at*at)).sum() + bump*(1 + u0)]
    mass = np.abs(q)*span
    score = half*(mass @ np.abs(off) + half*(.5*mass.sum() + .5*bump*D + 1e-9*max(np.abs(coef).max(), extra)))
    ways = []
    for g, curve, value in (one, two):
        steps = [_parabola(*terms) for terms in zip(g, curve, half)]
        ways.append((value + sum(s[1] for s in steps), mid + np.array([s[0] for s in steps])))
    return ways, score


@pytest.mark.parametrize("seed", range(150))
def test_bounds_lie_below_samples(seed):
    "No sampled value, corner, face or centre below the bound, for widths from tiny to huge."
    X, coef, mid, half, Z, bump = _random_case(seed)
    for quadratic in (False, True):
        assert _bound(coef, X, mid - half, mid + half, quadratic).low[0] <= _values(coef, X, Z).min()
    seen = _values(coef, X, Z, bump, mid).min()
    assert _bound(coef, X, mid - half, mid + half, True, 1.,
                  bump).low[0] <= seen + 1e-14*bump     # the box's own centre is rounded


@pytest.mark.parametrize("seed", range(60))
def test_kernel_is_the_formula(seed):
    rng = np.random.default_rng(seed)
    n, d = rng.integers(2, 9), rng.integers(1, 5)
    X = rng.normal(size=(n, d))
    coef = rng.normal(size=n)
    mid = rng.normal(size=d)*.5
    half = rng.uniform(.1, 1.2, d)
    extra = 0. if seed % 3 else rng.uniform(0, 3)
    ways, score = _by_formula(coef, X, mid, half, extra)
    first, both = (_bound(coef, X, mid - half, mid + half, way, 0., extra) for way in (False, True))
    best = max(ways, key=lambda way: way[0])
    assert first.low[0] == pytest.approx(ways[0][0], abs=1e-11) and both.low[0] == pytest.approx(best[0],
                                                                                                 abs=1e-11)
    np.testing.assert_allclose(first.point[0], ways[0][1], atol=1e-6)
    np.testing.assert_allclose(both.point[0], best[1], atol=1e-6)
    np.testing.assert_allclose(both.score[0], score, rtol=1e-9)
    bumps = Bumps(np.ascontiguousarray(X.T), np.ones(n))
    low, point, again = np.empty(1), np.empty((1, d)), np.empty((1, d))
    _minima.py_func(*bumps, (mid - half)[None], (mid + half)[None], coef[None], np.full(1, extra), True, 1.,
                    0., *_exponentials(n), low, point, again)
    assert low[0] == pytest.approx(both.low[0], abs=1e-13)
    np.testing.assert_allclose(point, both.point, atol=1e-12)
    np.testing.assert_allclose(again, both.score, rtol=1e-12)


def _fresh(): return _work(2, 2, np.empty(2), np.empty(2))


def test_parts_uncompiled():
    X = np.array([[0., .5], [1., -1.]])
    coef = np.array([1., -2.])
    mid = np.array([.3, .1])
    half = np.array([.5, .8])
    XT, work = np.ascontiguousarray(X.T), _fresh()
    square = _place.py_func(XT, mid - half, mid + half, work)
    assert square == pytest.approx(.25 + .64) and work.span[0] == pytest.approx(.5*(.8**2 + 1.2**2) - .5*0)
    exp_neg(work.near, work.E, work.E.view(np.int64))
    exp_neg(.25*work.span, work.t, work.t.view(np.int64))
    sums = _sums.py_func(coef, np.ones(2), work)
    fresh = _fresh()
    _place(XT, mid - half, mid + half, fresh)
    exp_neg(fresh.near, fresh.E, fresh.E.view(np.int64))
    exp_neg(.25*fresh.span, fresh.t, fresh.t.view(np.int64))
    np.testing.assert_allclose(sums, _sums(coef, np.ones(2), fresh), rtol=1e-12)
    one, two, three, score = (np.empty(2) for _ in range(4))
    _slopes.py_func(work, half, .1, .2, 2., one, two, three, score)
    again = [np.empty(2) for _ in range(4)]
    _slopes(fresh, half, .1, .2, 2., *again)
    np.testing.assert_allclose([one, two, three, score], again, rtol=1e-12)
    points = np.empty(2), np.empty(2)
    slow = _folded.py_func(work, sums, -.3, .4, square, two, three, np.empty((2, 2)), points[0])
    assert slow == pytest.approx(_folded(fresh, sums, -.3, .4, square, two, three, np.empty((2, 2)),
                                         points[1]), rel=1e-12)
    np.testing.assert_allclose(points[0], points[1], rtol=1e-12)


@pytest.mark.parametrize("square, at", [(1., .25), (3., .75), (8., 3.)])
def test_tangent_of_the_centre_bump(square, at):
    value, slope, D = _centre_bump.py_func(2., square)
    assert D == .5*square and slope == pytest.approx(2*math.exp(-at))
    assert value == pytest.approx(2*math.exp(-at)*(1 + at))


@pytest.mark.parametrize("g, q, h, x", [(1., 1., 1., -.5), (4., 1., 1., -1.), (-4., 1., 1., 1.),
                                        (1., -1., 2., -2.), (0., 0., 1., 1.), (-2., 1., 1., 1.)])
def test_parabola_minimum(g, q, h, x):
    assert _parabola_min.py_func(g, q, h) == (x, g*x + q*x*x) == _parabola_min(g, q, h)


def test_rounding_is_subtracted_as_written():
    X, coef = np.random.default_rng(0).normal(size=(50, 2)), np.ones(50)
    with_it, without = (_bound(coef, X, [.1, .1], [.3, .3], True, slack).low[0] for slack in (1., 0.))
    near = .5*(np.maximum(np.abs(.2 - X) - .1, 0)**2).sum(1)
    span = .5*((np.abs(.2 - X) + .1)**2).sum(1) - near
    size, size_z = (np.exp(-near)*(1 + span)**2).sum(), (np.exp(-near)*(1 + span)*(near + span)).sum()
    allowance = 2.3e-16*(2*(50 + 64 + 32 + 4)*size + 32*(size_z + (.08 + 2)*size))
    assert without - with_it == pytest.approx(allowance, rel=1e-2)       # the difference itself is rounded


def test_bound_is_exact_on_a_point_and_converges():
    rng = np.random.default_rng(2)
    X, coef, x = rng.normal(size=(30, 2)), rng.normal(size=30), np.array([.2, -.1])
    # the rounding allowance alone
    assert 0 <= _values(coef, X, x[None])[0] - _bound(coef, X, x, x).low[0] < 1e-11
    gaps = []
    for half in (.04, .02, .01):
        Z = x + half*rng.uniform(-1, 1, size=(20_000, 2))
        Z[:4] = x + half*np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
        gaps.append(_values(coef, X, Z).min() - _bound(coef, X, x - half, x + half).low[0])
    assert gaps[1] < gaps[0]/3.5 and gaps[2] < gaps[1]/3.5               # at least second order


def test_far_bumps_are_covered_by_the_allowance():
    got = _bound([1.], [[0.]], [60.], [61.])
    assert -1e-270 < got.low[0] <= 0


def _several(seed, n=9, d=3, b=4):
    "Weighted bumps, boxes of different sizes, coefficients and centre bumps of their own."
    rng = np.random.default_rng(seed)
    X, k, mid = rng.normal(size=(n, d)), rng.uniform(.2, 3, n), rng.normal(size=(b, d))
    half = rng.uniform(.2, 1, (b, d))*np.array([.05, .4, 1.5, 2.5])[:b, None]
    return Bumps(np.ascontiguousarray(X.T), k), mid, half, rng.normal(size=(b, n)), rng.uniform(.1, 2, b)


def _allowance(bumps, mid, half, coef, extra, hsq):
    "By the formula, one box."
    off, n, d = np.abs(mid[:, None] - bumps.XT), bumps.XT.shape[1], len(mid)
    near = .5*(np.maximum(off - half[:, None], 0)**2).sum(0)
    span, D = .5*((off + half[:, None])**2).sum(0) - near, .5*half @ half
    q = np.abs(coef)*bumps.k*np.exp(-near)
    e = extra*(np.exp(-.5*D) if D <= 2 else np.exp(1 - D))
    size = (q*(1 + span)**2).sum() + 2*(e*(1 + .5*D if D <= 2 else D) + e*D)
    largest = max((np.abs(coef)*bumps.k).max(), extra)
    return (2.3e-16*(2*(n + 64 + 16*d + d*d)*size + 32*((q*(1 + span)*(near + span)).sum() + (hsq + d)*size))
            + 1e-280*(1 + largest)*n)


@pytest.mark.parametrize("quadratic", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_the_allowance_is_its_formula_and_boxes_are_independent(seed, quadratic):
    bumps, mid, half, coef, extra = _several(seed)
    boxes = Boxes(mid - half, mid + half)
    plain, wide = (functional_min(bumps, boxes, coef, extra, quadratic, 7., s) for s in (0., 1e12))
    for b in range(len(mid)):
        expected = _allowance(bumps, mid[b], half[b], coef[b], extra[b], 7.)
        assert plain.low[b] - wide.low[b] == pytest.approx(1e12*expected, rel=1e-9)
        one = functional_min(Bumps(bumps.XT, np.ones(9)), Boxes(boxes.lo[b:b + 1], boxes.hi[b:b + 1]),
                             (coef[b]*bumps.k)[None], extra[b:b + 1], quadratic, 7., 0.)
        assert one.low[0] == pytest.approx(plain.low[b], rel=1e-12)
        np.testing.assert_allclose(one.point[0], plain.point[b], rtol=1e-12)
        np.testing.assert_allclose(one.score[0], plain.score[b], rtol=1e-7)
    assert (plain.low < 0).any() and np.ptp(plain.low) > .1


def test_what_is_left_of_the_allowance_far_away():
    k, coef = np.array([2., 5., 1.]), np.array([3., -1., .5])
    for extra, most in ((0., 6.), (9., 9.)):
        got = functional_min(Bumps(np.full((2, 3), 40.), k), Boxes(np.zeros((1, 2)), np.zeros((1, 2))),
                             coef[None], np.full(1, extra), True, 1., 1e280)
        if not extra: assert got.low[0] == pytest.approx(-(1 + most)*3, rel=1e-12)
    tiny = functional_min(Bumps(np.full((2, 3), 40.), k), Boxes(np.full((1, 2), -60.), np.full((1, 2), 60.)),
                          0*coef[None], np.full(1, 9.), True, 1., 1e280)
    assert tiny.low[0] == pytest.approx(-(1 + 9.)*3, rel=1e-12)
