"""Tests of nbs/gpc/02_bounds.ipynb, extracted from its test cells: edit them there."""
import math
import numpy as np

from reject_nb.gpc.bounds import exp_neg, lower_bound

def test_exp_neg_within_two_ulp():
    u = np.concatenate([np.linspace(0, 700, 20_001), 10.**np.arange(-18, 0)])
    out = np.empty_like(u)
    exp_neg(u, out)
    assert np.abs(out/np.exp(-u) - 1).max() < 3*2.3e-16          # numpy's own exp may be 1 ulp off
    exp_neg(np.array([1e308]), out[:1])
    assert 0 < out[0] < 1e-303


def test_bounds_below_samples_on_random_functionals():
    "Soundness: no sampled value, corner, face or centre below the bound, for widths from tiny to huge."
    rng = np.random.default_rng(1)
    for _ in range(150):
        n, d = rng.integers(1, 40), rng.integers(1, 6)
        X, coef = rng.normal(size=(n, d))*rng.choice([.3, 1, 4]), rng.normal(size=n)*rng.choice([1e-3, 1, 50])
        mid, half = rng.normal(size=d), 10.**rng.uniform(-6, 1)*rng.uniform(.2, 1, d)
        Z = mid + half*rng.uniform(-1, 1, size=(400, d))
        Z[:200] = mid + half*rng.choice([-1, 0, 1], size=(200, d))
        seen = (np.exp(-.5*((Z[:, None] - X[None])**2).sum(-1)) @ coef).min()
        for quadratic in (False, True): assert lower_bound(coef, X, mid - half, mid + half, quadratic) <= seen
        bump = rng.uniform(0, 5)
        seen = (np.exp(-.5*((Z[:, None] - X[None])**2).sum(-1)) @ coef + bump*np.exp(-.5*((Z - mid)**2).sum(-1))).min()
        assert lower_bound(coef, X, mid - half, mid + half, True, 1., bump) <= seen + 1e-14*bump     # the box's own centre is rounded


def test_bound_is_exact_on_a_point_and_converges():
    rng = np.random.default_rng(2)
    X, coef, x = rng.normal(size=(30, 2)), rng.normal(size=30), np.array([.2, -.1])
    value = np.exp(-.5*((x - X)**2).sum(-1)) @ coef
    assert 0 <= value - lower_bound(coef, X, x, x) < 1e-11               # the rounding allowance alone
    gaps = []
    for half in (.04, .02, .01):
        Z = x + half*rng.uniform(-1, 1, size=(20_000, 2)); Z[:4] = x + half*np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
        gaps.append((np.exp(-.5*((Z[:, None] - X)**2).sum(-1)) @ coef).min() - lower_bound(coef, X, x - half, x + half))
    assert gaps[1] < gaps[0]/3.5 and gaps[2] < gaps[1]/3.5               # at least second order


def test_one_bump_is_bounded_by_its_extremes():
    for sign in (1., -1.):
        got = lower_bound([sign], [[0.]], [-1.], [2.])
        true = math.exp(-2) if sign > 0 else -1.
        assert true - .35 < got <= true + 1e-15
