"""Tests of nbs/gpc/24_bumps.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.core.results import Clock
from reject_nb.gpc.exponents import Region
from reject_nb.gpc.kernel_terms import M12
from reject_nb.gpc.kernel_terms import M32
from reject_nb.gpc.kernel_terms import RQ
from reject_nb.gpc.kernel_terms import SE
from reject_nb.gpc.kernel_terms import expand
from reject_nb.gpc.kernel_terms import profile
from reject_nb.gpc.kernels import Constant
from reject_nb.gpc.kernels import Linear
from reject_nb.gpc.kernels import Matern12
from reject_nb.gpc.kernels import Matern32
from reject_nb.gpc.kernels import Matern52
from reject_nb.gpc.kernels import RationalQuadratic
from reject_nb.gpc.kernels import SquaredExponential
from reject_nb.gpc.sign_search import _into
from reject_nb.gpc.sign_search import descent

from reject_nb.gpc.bumps import (
    Bumps, Group, Reach, Summand, _costliest, bend, bump_parabola, bumps_of, examine_bumps, least_of, reach,
    settle_bumps,
)

KINDS = ("SquaredExponential", "Matern52", "Matern32", "RationalQuadratic", "Matern12", "mixed")

def _kernel(rng, kind, d):
    scales = 10.**rng.uniform(-.3, .7, d)
    if kind == "mixed":
        return (Matern32(1., scales) + SquaredExponential(.5, float(scales[0]), dims=(0, 1))
                + Linear(variances=.1) + Constant(.3))
    if kind == "RationalQuadratic": return RationalQuadratic(2., scales, alpha=10.**rng.uniform(-.5, 1))
    return {"SquaredExponential": SquaredExponential, "Matern52": Matern52, "Matern32": Matern32,
            "Matern12": Matern12}[kind](2., scales)


def _problem(seed, kind, ball=None):
    "A random functional over a random box around a point close to a bump, and the function itself."
    rng = np.random.default_rng(seed)
    d, n = int(rng.integers(2, 13)), int(rng.integers(3, 50))
    first, second = _kernel(rng, kind, d), Matern52(1., 10.**rng.uniform(-.3, .7, d))
    Z, constant = rng.normal(size=(n, d)), float(rng.normal())
    coef = rng.normal(size=n), rng.normal(size=n)*(seed % 3 == 0)
    x, radius = Z[0] + .1*rng.normal(size=d), 10.**rng.uniform(-2, .3)
    fixed = rng.uniform(size=d) < .2*(seed % 2)
    lower, upper = np.where(fixed, x, x - radius), np.where(fixed, x, x + radius)
    lower[0], upper[0] = x[0] - radius, x[0] + radius
    if ball is not None: ball = ball, radius, x
    parts = [Summand(expand(k, d), Z, c) for k, c in zip((first, second), coef)]
    def f(X): return constant + first.matrix(X, Z) @ coef[0] + second.matrix(X, Z) @ coef[1]
    return rng, bumps_of(parts, constant, lower, upper, ball), f


def _cloud(rng, bumps, m=300):
    "Points of the region, corners and local minima among them, scaled."
    region, d = bumps.region, len(bumps.free)
    Z = region.lo + (region.hi - region.lo)*rng.uniform(size=(m, d))
    Z[: m//2] = np.where(rng.uniform(size=(m//2, d)) < .5, region.lo, region.hi)
    if region.ball is not None: Z = np.array([_into(region, z) for z in Z])
    low = [descent(bumps, region, region.mid)[0]]
    if region.ball is None:
        from scipy.optimize import minimize
        bounds = list(zip(region.lo, region.hi))
        options = dict(jac=bumps.gradient, method="L-BFGS-B", bounds=bounds)
        low += [minimize(bumps.value, z, **options).x for z in Z[:2]]
    return np.clip(np.vstack([Z, low]), region.lo, region.hi)


def _raw(bumps, Z):
    X = np.tile(bumps.origin, (len(Z), 1))
    X[:, bumps.free] += Z*bumps.scale
    return X


def _under(under, Z):
    e = Z - under.p
    return under.value + e @ under.slope + np.einsum("ij,jk,ik->i", e, under.curve, e) - under.allowance


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(12))
def test_value_gradient_and_parabola(seed, kind):
    "The sum is the functional, its gradient is right, the parabola lies below it and touches at p."
    rng, bumps, f = _problem(seed, kind)
    Z = _cloud(rng, bumps)
    values, size = f(_raw(bumps, Z)), 1 + sum(np.abs(g.coef).sum() for g in bumps.groups)
    np.testing.assert_allclose([bumps.value(z) for z in Z], values, atol=1e-11*size)
    for share in (0., .7):
        p = bumps.region.mid + share*(Z[-1] - bumps.region.mid)
        under = bump_parabola(bumps, bumps.region, p)
        assert (_under(under, Z) <= values + 1e-12*size).all()
        assert under.value == pytest.approx(f(_raw(bumps, p[None]))[0], abs=1e-11*size)
        step = 1e-6*rng.normal(size=len(p))
        change = (bumps.value(p + step) - bumps.value(p - step))/2
        off = 1e-8*size*np.abs(step).max()*len(p)**2 + 1e-13*size
        assert under.slope @ step == pytest.approx(change, abs=off)


@pytest.mark.parametrize("ball", [None, 1, 2])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_no_point_contradicts_a_proof(seed, kind, ball):
    rng, bumps, f = _problem(100 + seed, kind, ball)
    shift = f(_raw(bumps, _cloud(rng, bumps))).min()
    for level in (shift - .3, shift - 1e-3, shift + 1e-3):
        asked = bumps._replace(constant=bumps.constant - level)
        got = settle_bumps(asked, Clock(2.), 60)
        values = f(_raw(bumps, _cloud(rng, bumps))) - level
        assert not got.proved or values.min() >= -1e-11
        assert got.low <= values.min() + 1e-11
        if got.value < 0: assert f(_raw(bumps, got.point[None]))[0] - level < 1e-11


@pytest.mark.parametrize("seed", range(4))
def test_a_proved_least_value_is_near_and_not_above(seed):
    rng, bumps, f = _problem(200 + seed, KINDS[0], None)
    small = bumps._replace(region=Region(.02*bumps.region.lo, .02*bumps.region.hi))
    low, count = least_of(small, Clock(None))
    values = f(_raw(small, _cloud(rng, small)))
    assert count >= 1 and values.min() - .2 - .2*abs(values.min()) < low <= values.min() + 1e-11


def test_parabolas_in_t_are_on_their_side_of_the_function():
    "Every kind, ends close to and far from where it touches, at 0 too."
    rng = np.random.default_rng(0)
    for kind in (SE, M12, M32, M32 + 1, RQ):
        for _ in range(60):
            t, span = 10.**rng.uniform(-8, 1), 10.**rng.uniform(-14, 1)
            low, high = max(t - span*rng.choice([0., 1.]), 0.), t + span
            group = Group(kind, .7, np.zeros(1), np.zeros((2, 1)), np.full(2, t), np.array([1., -1.]))
            at = Reach(*(np.full(2, v) for v in (t, 1e-16*t)), np.zeros((2, 1)),
                       *(np.full(2, v) for v in (low, high)))
            own = bend(group, at)
            s = np.linspace(low, high, 50) - t
            curve = own.f[0] - own.fall[0]*s + own.gamma[:, None]*s*s
            f = profile(kind, .7, np.maximum(t + s, 0.))[0]
            assert (curve[0] <= f + 1e-14).all() and (curve[1] >= f - 1e-14).all()


@pytest.mark.parametrize("ball", [None, 1, 2])
@pytest.mark.parametrize("seed", range(6))
def test_t_stays_within_its_reach(seed, ball):
    "Away from the centre, in boxes and balls: no point has another t, and the parabola lies below there too."
    rng, bumps, _ = _problem(200 + seed, KINDS[seed], ball)
    Z = _cloud(rng, bumps, 100)
    values, size = [bumps.value(z) for z in Z], 1 + sum(np.abs(g.coef).sum() for g in bumps.groups)
    for p in (Z[0], Z[-1]):
        for g in bumps.groups:
            at, t = reach(g, bumps.region, p), np.array([g.squares(z) for z in Z])
            np.testing.assert_allclose(at.t, g.squares(p), rtol=1e-12)
            assert (at.low - 1e-12*(1 + t) <= t).all() and (t <= at.high + 1e-12*(1 + t)).all()
        assert (_under(bump_parabola(bumps, bumps.region, p), Z) <= np.array(values) + 1e-12*size).all()


@pytest.mark.parametrize("size", [1e-6, 1., 1e6])
def test_a_region_is_split_where_the_bumps_bend_whatever_their_size(size):
    "By hand: the first side is longer, but only along the second does the bump change."
    half = np.array([1., .9])
    hill = Group(SE, 0., np.array([1e-3, 1.]), np.zeros((1, 2)), np.zeros(1), np.array([size]))
    bumps = Bumps((hill,), np.zeros(2), 0., 0., np.zeros(2), np.ones(2), np.arange(2), Region(-half, half))
    assert _costliest(bumps, bumps.region) == 1


def test_kernels_of_another_kind_have_no_answer():
    d, Z = 2, np.zeros((1, 2))
    product = expand(Matern32(1., 1.)*Matern52(1., 1.), d)
    assert bumps_of([Summand(product, Z, np.ones(1))], 0., np.zeros(2), np.ones(2)) is None
    plain = Summand(expand(Matern32(1., 1.), d), Z, np.ones(1))
    assert bumps_of([plain], 0., np.zeros(2), np.array([1., np.inf])) is None
    assert bumps_of([plain], 0., np.zeros(2), np.zeros(2)) is None
    assert len(bumps_of([plain], 0., np.zeros(2), np.array([0., 1.])).free) == 1


def test_an_interrupted_search_proves_nothing():
    _, bumps, _ = _problem(3, "Matern32")
    def stop(*args): raise KeyboardInterrupt
    asked = bumps._replace(constant=bumps.constant - descent(bumps, bumps.region, bumps.region.mid)[1] + 1e-9)
    got = settle_bumps(asked, Clock(None), None, stop)
    assert not got.proved and got.low == -np.inf and str(got.status) in ("interrupted", "optimal")


def _ball_sum(bumps, delta):
    "The functional at a point, in ball arithmetic."
    import flint
    def arb(v): return flint.arb(float(v))
    total = arb(bumps.constant)
    for s, v in zip(bumps.slope, delta): total += arb(s)*arb(v)
    for g in bumps.groups:
        for z, still, c in zip(g.Z, g.still, g.coef):
            t = arb(still)
            for r, v, w in zip(g.rate, delta, z): t += arb(r)*(arb(v) - arb(w))**2/2
            total += arb(c)*_ball_profile(g.kind, g.shape, t)
    return total


def _ball_profile(kind, shape, t):
    import flint
    if kind == SE: return (-t).exp()
    if kind == RQ: return (-flint.arb(shape)*(1 + t/flint.arb(shape)).log()).exp()
    s = ((2, 6, 10)[kind - M12]*t).sqrt()
    return {M12: 1 + 0*s, M32: 1 + s}.get(kind, 1 + s + s*s/3)*(-s).exp()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(50))
def test_parabolas_lie_below_in_ball_arithmetic(seed):
    "At the point where it touches, at corners and inside, with 120 bits."
    flint = pytest.importorskip("flint")
    flint.ctx.prec = 120
    rng, bumps, _ = _problem(seed, KINDS[seed % 6])
    region = bumps.region
    p = region.mid + .5*(descent(bumps, region, region.mid)[0] - region.mid)
    under = bump_parabola(bumps, region, p)
    for z in (p, region.lo, region.hi, region.lo + (region.hi - region.lo)*rng.uniform(size=len(p))):
        e = [flint.arb(float(a)) - flint.arb(float(b)) for a, b in zip(z, p)]
        low = flint.arb(under.value) - flint.arb(under.allowance)
        for i, ei in enumerate(e):
            low += flint.arb(float(under.slope[i]))*ei
            for j, ej in enumerate(e): low += flint.arb(float(under.curve[i, j]))*ei*ej
        assert not low > _ball_sum(bumps, z)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(0, 1000, 50))
def test_a_thousand_problems_have_no_violation(seed):
    "Fifty random problems a case: bounds of the region against sampled and local minima."
    for k in range(seed, seed + 50):
        rng, bumps, f = _problem(1000 + k, KINDS[k % 6], (None, None, 2, 1)[k // 6 % 4])
        Z = _cloud(rng, bumps, 100)
        low = f(_raw(bumps, Z)).min()
        got = examine_bumps(bumps._replace(constant=bumps.constant - low - 1e-9*abs(low)), bumps.region)
        assert not got.proved and got.whole <= 1e-9*abs(low) + 1e-11
