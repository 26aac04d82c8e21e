"""Tests of nbs/gpc/19_many_coordinates.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.core.results import Clock
from reject_nb.gpc.certificate import one_side
from reject_nb.gpc.certificate import reduce_box
from reject_nb.gpc.exponents import joint_parabola
from reject_nb.gpc.exponents import view
from reject_nb.gpc.many_coordinates import DualOracle
from reject_nb.gpc.many_coordinates import _value
from reject_nb.gpc.many_coordinates import dual_bound
from reject_nb.gpc.many_coordinates import dual_minimum
from reject_nb.gpc.many_coordinates import functional_terms
from reject_nb.gpc.many_coordinates import less_constant
from reject_nb.gpc.many_coordinates import tau_range
from reject_nb.gpc.oracles import ProbabilityOracle
from reject_nb.gpc.posterior import GPPosterior
from reject_nb.gpc.search import Limits
from reject_nb.gpc.search import minimise
from reject_nb.gpc.sign_search import exponents
from unittest.mock import patch

def _terms(seed, d, half, extra=0.):
    rng = np.random.default_rng(seed)
    post = GPPosterior(rng.normal(size=(30, d)), rng.normal(size=30), np.full(30, .3), rng.uniform(1, 4, d),
                       2.)
    mid = rng.normal(size=d)*.5
    box = reduce_box(post, mid - half, mid + half)
    side = one_side(post, box, variance=False)
    return functional_terms(side, post.alpha, extra, -box.half, box.half), rng, post, box


@pytest.mark.parametrize("extra", [0., 1.5])
def test_terms_are_the_functional(extra):
    terms, rng, post, box = _terms(0, 6, .3, extra)
    delta = box.half*rng.uniform(-1, 1, 6)
    mean = float((post.kernel(box.point(delta)[None]) @ post.alpha)[0])
    assert _value(terms, delta)[0] == pytest.approx(mean + extra*np.exp(-.5*delta @ delta), rel=1e-12)
    slope = [(_value(terms, delta + 1e-6*e)[0] - _value(terms, delta - 1e-6*e)[0])/2e-6 for e in np.eye(6)]
    np.testing.assert_allclose(_value(terms, delta)[1], slope, atol=1e-8)


@pytest.mark.parametrize("m", [-2., -.1, .1, 2.])
@pytest.mark.parametrize("half", [.05, .5, 1.5])
def test_the_constant_stays_above_its_parabola(m, half):
    for seed in range(3):
        terms, rng, _, _ = _terms(seed, 5, half)
        region, seen = terms.region, view(terms, terms.region)
        low, high = exponents(seen, region)
        p = region.half*rng.uniform(-1, 1, 5)
        plain = joint_parabola(seen, region, low, high, p)
        under, (least, most) = less_constant(plain, seen, region, m), tau_range(seen, region)
        touch = np.exp(.5*p @ p - seen.b @ p - seen.top)
        assert under.value == pytest.approx(plain.value - m*touch) and under.allowance > plain.allowance
        for _ in range(100):
            e = region.half*np.sign(rng.normal(size=5))*rng.uniform(size=5)**.2 - p
            delta = p + e
            tau = .5*delta @ delta - seen.b @ delta - seen.top
            assert least <= tau <= most
            gained, before = (q.value + q.slope @ e + e @ q.curve @ e for q in (under, plain))
            gained -= before
            assert gained <= -m*np.exp(tau) + under.allowance
            assert gained >= -m*np.exp(tau) - abs(m)*np.exp(tau)*10*(np.abs(e) @ (region.half + 1))**2


@pytest.mark.parametrize("d", [1, 4, 30])
@pytest.mark.parametrize("half", [.02, .2, .6])
def test_minimum_is_enclosed(d, half):
    for seed in range(4):
        terms, rng, _, box = _terms(seed, d, half, extra=float(seed % 2))
        got = dual_minimum(terms)
        Z = terms.region.half*np.vstack([rng.choice([-1., 1.], size=(100, d)), rng.uniform(-1, 1, (100, d))])
        seen = min(_value(terms, z)[0] for z in Z)
        assert got.low <= min(got.value, seen) + 1e-12
        assert _value(terms, got.point)[0] == pytest.approx(got.value)
        if half == .02: assert got.value - got.low < 1e-3*(1 + abs(got.value))


@pytest.mark.parametrize("likelihood", ["probit", "logistic"])
@pytest.mark.parametrize("half", [.05, .2, .5])
def test_probability_is_enclosed(likelihood, half):
    for seed in range(3):
        rng, d = np.random.default_rng(seed), 26
        post = GPPosterior(rng.normal(size=(30, d)), rng.normal(size=30), rng.uniform(.1, 2., 30),
                           rng.uniform(2, 6, d), 3., likelihood)
        mid = rng.normal(size=d)*.5
        box = reduce_box(post, mid - half, mid + half)
        Z = mid + half*np.vstack([rng.choice([-1., 1.], size=(200, d)), rng.uniform(-1, 1, (100, d))])
        p = post.predict_proba(Z)
        for sign in (1., -1.):
            side, seen = one_side(post, box, sign), p if sign > 0 else 1 - p
            for level in (.2, .45, .7, float(seen.min())):
                low, about = dual_bound(side, -box.half, box.half, level, post.n)
                at = float(post.predict_proba(box.point(about)[None])[0])
                least = min(seen.min(), at if sign > 0 else 1 - at)
                assert low <= least + 1e-9
            if half == .05: assert dual_bound(side, -box.half, box.half, least, post.n)[0] > least - .02


def test_search_agrees_with_the_former_one():
    terms, rng, post, _ = _terms(5, 26, .2)
    x, found = rng.normal(size=26)*.3, []
    box = reduce_box(post, x - .1, x + .1)
    for kind in (ProbabilityOracle, DualOracle):
        side = one_side(post, box)
        found.append(minimise(kind(side, .01), Limits(tol=.01, clock=Clock(None), max_boxes=100)))
    old, new = found
    assert new.status == "optimal" and new.lower <= old.upper and old.lower <= new.upper
    assert new.n_boxes <= old.n_boxes


def test_a_coarser_arithmetic_gives_a_lower_bound():
    terms = _terms(3, 8, .2)[0]
    fine = dual_minimum(terms).low
    with patch.dict(less_constant.__globals__, {"rounding": lambda n: 1e-9*n}):
        assert dual_minimum(terms).low < fine
