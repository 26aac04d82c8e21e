"""Tests of nbs/gpc/16_shor.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.gpc.exponents import Cut
from reject_nb.gpc.exponents import Region

from reject_nb.gpc.shor import (
    MARGIN, Quadratic, _candidates, _corners, _factor, _lifted, contracted, ellipsoid_ranges, multipliers,
    shor_dual, unit_box,
)

def _problem(seed, p=None, convex=0.):
    "A random quadratic on a random region of two to eight dimensions."
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, 9))
    Q = rng.normal(size=(d, d))*10.**rng.uniform(-2, 1)
    mid, half = rng.normal(size=d), 10.**rng.uniform(-1, 1, d)
    ball = None
    if p is not None: ball = Cut(p, 10.**rng.uniform(-1, .5), 10.**rng.uniform(-1, 1, d), np.zeros(d))
    if ball is not None: ball = ball._replace(shift=-ball.scale*(mid + .5*half*rng.uniform(-1, 1, d)))
    region = Region(mid - half, mid + half, ball)
    from reject_nb.gpc.exponents import Parabola
    curve = .5*(Q + Q.T) + convex*np.eye(d)
    return rng, Parabola(mid + half*rng.uniform(-1, 1, d), rng.normal(), 3*rng.normal(size=d), curve,
                         0.), region


def _points(rng, region, m=400):
    Z = region.lo + (region.hi - region.lo)*rng.uniform(size=(m, len(region.lo)))
    Z[: m//2] = np.where(rng.uniform(size=(m//2, len(region.lo))) < .5, region.lo, region.hi)
    if region.ball is None: return Z
    ball = region.ball
    if ball.p == 1:
        Z[0] = -ball.shift/ball.scale
        for i in range(1, m//4):
            Z[i] = -ball.shift/ball.scale
            j = rng.integers(len(region.lo))
            Z[i, j] += rng.choice([-1, 1])*.9999*ball.radius/ball.scale[j]
    offset = ball.scale*Z + ball.shift
    size = np.linalg.norm(offset, ball.p, axis=1)
    Z = (offset*np.minimum(1, .999999*ball.radius/np.maximum(size, 1e-300))[:, None] - ball.shift)/ball.scale
    return Z[((Z >= region.lo) & (Z <= region.hi)).all(1)]


def _value(under, Z):
    e = Z - under.p
    return under.value + e @ under.slope + np.einsum("ij,jk,ik->i", e, under.curve, e)


@pytest.mark.parametrize("p", [None, 1, 2])
@pytest.mark.parametrize("seed", range(25))
def test_no_point_lies_below_the_bound_and_negative_ones_lie_in_the_ellipsoid(seed, p):
    rng, under, region = _problem(seed, p)
    form = unit_box(under, region)
    found = shor_dual(form, region)
    Z = _points(rng, region)
    values = _value(under, Z)
    assert found.low <= values.min() + 1e-9*abs(values).max() and np.isfinite(found.low)
    y = (Z - region.mid)/region.half
    np.testing.assert_allclose(form.c + y @ form.b + np.einsum("ij,jk,ik->i", y, form.Q, y), values,
                               atol=1e-8*abs(values).max())
    bad = y[values <= 0]
    if len(bad):
        inside = ((found.factor @ (bad - found.y0).T)**2).sum(0)
        assert inside.max() <= found.excess*(1 + 1e-9) + 1e-9
        U = rng.normal(size=(20, len(found.y)))
        low, high = ellipsoid_ranges(found, U)
        assert (bad @ U.T >= low - 1e-9).all() and (bad @ U.T <= high + 1e-9).all()
        left = contracted(found, region)
        assert left is not None and (Z[values <= 0] >= left.lo - 1e-9).all() and (Z[values <= 0] <= left.hi
                                                                                  + 1e-9).all()


@pytest.mark.parametrize("seed", range(10))
def test_a_nearly_linear_function_has_no_gap(seed):
    rng, under, region = _problem(seed)
    under = under._replace(curve=under.curve*.02/np.abs(under.curve).max()/(region.half.max()*len(region.lo)))
    form = unit_box(under, region)
    found = shor_dual(form, region)
    reached = form.c + form.b @ found.y + found.y @ form.Q @ found.y
    assert 0 <= reached - found.low < 1e-7*(1 + abs(reached))


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize("seed", range(10))
def test_a_linear_function_on_a_ball(seed, p):
    "Value minus radius times the dual norm of the slope, in closed form, where the box does not cut."
    rng, under, region = _problem(seed, p)
    region = Region(region.lo - 1e3, region.hi + 1e3, region.ball)
    ball = region.ball
    under = under._replace(curve=0*under.curve)
    centre = -ball.shift/ball.scale
    dual = np.linalg.norm(under.slope/ball.scale, np.inf if p == 1 else 2)
    exact = under.value + under.slope @ (centre - under.p) - ball.radius*dual
    found = shor_dual(unit_box(under, region), region)
    assert exact - 1e-3*ball.radius*dual <= found.low <= exact + 1e-9*(1 + abs(exact))


def test_a_saddle_and_a_bowl_by_hand():
    square = Region(-np.ones(2), np.ones(2))
    saddle = Quadratic(.2, np.zeros(2), np.array([[0., .5], [.5, 0.]]), 0., *np.zeros((3, 2)))
    assert -.801 < shor_dual(saddle, square).low <= -.8
    bowl = Quadratic(-.1, np.array([1., 0.]), np.eye(2), 0., *np.zeros((3, 2)))
    left = contracted(shor_dual(bowl, square), square)
    np.testing.assert_allclose(left.hi, [-.5 + .35**.5, .35**.5], atol=1e-2)
    assert contracted(shor_dual(bowl._replace(c=.4), square)._replace(excess=0.), square) is not None


@pytest.mark.parametrize("seed", range(6))
def test_lifting_along_eigenvectors_loses_little(seed):
    """The loss is (delta y)'S^-1(delta y), S has the margin asked for, and one factor for all loses more."""
    rng = np.random.default_rng(seed)
    d = 40
    root = rng.normal(size=(d, d))
    form = Quadratic(1., rng.normal(size=d), .015*(root + root.T), 0., *np.zeros((3, d)))
    square = Region(-np.ones(d), np.ones(d))
    vertex = multipliers(form, square)
    base = vertex.box + 1e-4*np.abs(form.b).mean()
    box = _lifted(form, base)
    S, y, delta = form.Q + np.diag(box), vertex.y, box - vertex.box
    assert np.linalg.eigvalsh(S/np.sqrt(base)/np.sqrt(base)[:, None])[0] >= .5*MARGIN - 1e-9
    reached = form.c + form.b @ y + y @ form.Q @ y
    low = form.c - box.sum() - .25*form.b @ np.linalg.solve(S, form.b)
    if (np.abs(y) == 1).all() and (vertex.box > 0).all():
        assert reached - low == pytest.approx((delta*y) @ np.linalg.solve(S, delta*y), rel=1e-6, abs=1e-9)
    lifted, by_factor = list(_candidates(form, vertex))[1:3]
    value = lambda more: -more.box.sum() - .25*form.b @ np.linalg.solve(form.Q + np.diag(more.box), form.b)
    if _factor(form.Q + np.diag(vertex.box)) is None: assert value(lifted) > value(by_factor)
    assert shor_dual(form, square).low <= reached + 1e-9


def test_the_hand_example():
    form = Quadratic(1., -np.ones(2), np.array([[0., -.3], [-.3, 0.]]), 0., *np.zeros((3, 2)))
    square = Region(-np.ones(2), np.ones(2))
    np.testing.assert_allclose(multipliers(form, square).box, [.8, .8])
    assert -1.6 - 1e-9 < shor_dual(form, square).low <= -1.6


def test_a_matrix_that_is_not_positive_is_not_trusted():
    "The allowance of a factor: a matrix with an eigenvalue of -1e-13 has a factor, or none; the bound holds."
    rng = np.random.default_rng(1)
    for _ in range(20):
        V = np.linalg.qr(rng.normal(size=(6, 6)))[0]
        Q = V @ np.diag([1e3, 1., 1., 1., 1e-3, -10.**rng.uniform(-16, -12)]) @ V.T
        form = Quadratic(0., 1e-9*rng.normal(size=6), .5*(Q + Q.T), 0., *np.zeros((3, 6)))
        found = shor_dual(form, Region(-np.ones(6), np.ones(6)))
        y = V[:, -1]/np.abs(V[:, -1]).max()
        assert found.low <= min(form.b @ s + s @ form.Q @ s for s in (y, -y, 0*y))


@pytest.mark.parametrize("d, radius", [(1, 1.), (2, .5), (4, 3.)])
def test_entries_of_corners_are_the_least_of_all_pairs(d, radius):
    """A 1-norm ball of radius r around -k/t in coordinates times t, the form spread over pairs of corners.

    An entry is the form's value at the centre, half its slope to both corners, and their product."""
    rng = np.random.default_rng(d)
    Q = rng.normal(size=(d, d))
    form = Quadratic(c=.3, b=rng.normal(size=d), Q=Q + Q.T, allowance=1e-3, t=rng.uniform(.5, 2, d),
                     k=rng.normal(size=d), slack=np.zeros(d))
    at = form.k/form.t
    c, g = form.c - form.b @ at + at @ form.Q @ at, .5*radius*(form.b - 2*form.Q @ at)/form.t
    corners = [s*radius*row for s in (1, -1) for row in np.diag(1/form.t)]
    sides = np.concatenate([g, -g])
    M = c + sides[:, None] + sides + np.array([[u @ form.Q @ v for v in corners] for u in corners])
    M[np.arange(2*d), (np.arange(2*d) + d) % (2*d)] = np.inf       # a corner and its opposite
    least = np.minimum(M.min(1), c + sides)                         # beside the centre
    got = _corners(form, radius)
    np.testing.assert_allclose([*got.up, *got.down], least, rtol=1e-12)
    assert got.centre == pytest.approx(c - np.abs(g).max()) and 1e-3 < got.allowance < 1e-3 + 1e-10
