"""Tests of nbs/gpc/21_ranges.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.core.results import Clock
from reject_nb.core.results import Status
from reject_nb.gpc import GPPosterior
from reject_nb.gpc.search import Ball
from reject_nb.gpc.search import MinResult
from reject_nb.gpc.softmax import fit_multiclass_gpc
from unittest.mock import patch

from reject_nb.gpc.ranges import _ranged, check_progress, classification_range

def _posterior(seed, n=40, d=2, variance=4., likelihood="probit", spread=.5):
    rng = np.random.default_rng(seed)
    return GPPosterior(rng.normal(size=(n, d)), rng.normal(size=n)*spread, rng.uniform(.05, .6, n),
                       rng.uniform(.7, 1.3, d), variance, likelihood)


def _three_classes(seed=4, C=3):
    rng = np.random.default_rng(seed)
    X = np.vstack([rng.normal(size=(12, 2)) + 2*np.array([np.sin(a),
                                                          np.cos(a)]) for a in 2*np.pi*np.arange(C)/C])
    return fit_multiclass_gpc(X, np.repeat(np.arange(C), 12), max_evaluations=0, lengthscale=1.5, variance=4.)


def _polished(post, lo, hi, sign):
    "Minimum by grids of shrinking width."
    a, b = lo, hi
    for _ in range(6):
        g = np.stack(np.meshgrid(*(np.linspace(s, t, 61) for s, t in zip(a, b))), -1).reshape(-1, 2)
        p = post.predict_proba(g) if sign > 0 else 1 - post.predict_proba(g)
        best, step = g[p.argmin()], (b - a)/60
        a, b = np.maximum(lo, best - 2*step), np.minimum(hi, best + 2*step)
    return p.min()


@pytest.mark.parametrize("seed", range(6))
def test_range_against_a_fine_grid(seed):
    post = _posterior(seed, variance=6., likelihood="logistic" if seed == 5 else "probit", spread=.4)
    lo, hi = np.array([-.6, -.2]), np.array([.5, .9])
    r = classification_range(post, lo, hi, tol=1e-6)
    assert r.status == "optimal" and r.gap_abs <= 1e-6 and r.tol == 1e-6 and r.seconds > 0
    for sign, low, up in ((1, r.min_lower, r.min_upper), (-1, 1 - r.max_upper, 1 - r.max_lower)):
        seen = _polished(post, lo, hi, sign)
        assert low <= seen + 1e-9 and abs(seen - low) < 1.1e-6 and abs(seen - up) < 1.1e-6


@pytest.mark.parametrize("d", [1, 3, 5])
def test_no_random_point_leaves_the_range(d):
    rng, post = np.random.default_rng(7), _posterior(d, 50, d)
    mid = rng.normal(size=d)*.5
    r = classification_range(post, mid - .4, mid + .4, tol=.05)
    p = post.predict_proba(mid + .4*rng.uniform(-1, 1, size=(20_000, d)))
    assert r.min_lower <= p.min() and p.max() <= r.max_upper
    for x, value in ((r.x_min, r.min_upper), (r.x_max, r.max_lower)):
        assert abs(post.predict_proba(x[None])[0] - value) < 1e-8 and (np.abs(x - mid) <= .4 + 1e-12).all()


def test_points_lines_and_boxes_far_away():
    post, x = _posterior(8, 30, 2, 3., spread=1.), np.array([.3, -.2])
    p = post.predict_proba(x[None])[0]
    r = classification_range(post, x, x)
    assert r.status == "optimal" and abs(r.min_lower - p) < 1e-8 and abs(r.max_upper - p) < 1e-8
    assert np.array_equal(r.x_min, x)
    assert r.min_lower <= p <= r.max_upper and r.max_upper - r.min_lower < 1e-9
    far = classification_range(post, [1e6, 1e6], [2e6, 3e6])
    assert far.min_lower <= .5 <= far.max_upper and far.max_upper - far.min_lower < 1e-6
    assert (far.x_min >= 1e6).all()
    line = classification_range(post, [-.3, .1], [.4, .1], tol=1e-5)
    q = post.predict_proba(np.column_stack([np.linspace(-.3, .4, 2001), np.full(2001, .1)]))
    assert abs(line.min_lower - q.min()) < 3e-5 and abs(line.max_upper - q.max()) < 3e-5


def test_an_infinite_box_has_the_range_of_a_large_one():
    post = _posterior(9, 8, 1, 3., spread=1.)
    r = classification_range(post, [-np.inf], [np.inf], tol=1e-4)
    p = post.predict_proba(np.linspace(-20, 20, 100_001)[:, None])
    assert r.status == "optimal" and abs(r.min_lower - p.min()) < 2e-4 and abs(r.max_upper - p.max()) < 2e-4
    assert np.isfinite(r.x_min).all()


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1e3, 1e9])
def test_tiny_and_huge_lengthscales(scale):
    post = GPPosterior([[0.], [1.]], [1., -2.], [.3, .4], scale, 2.)
    ends = np.array([-.1, .2])*min(scale, 1)
    r = classification_range(post, ends[:1], ends[1:], tol=1e-4)
    p = post.predict_proba(np.linspace(*ends, 5001)[:, None])
    assert r.min_lower - 1e-9 <= p.min() and p.max() <= r.max_upper + 1e-9 and r.gap_abs < 2e-4


@pytest.mark.parametrize("limit, word",
                         [(dict(max_boxes=20), "iteration_limit"), (dict(time_limit=.05), "time_limit")])
def test_limits_return_sound_bounds(limit, word):
    post = _posterior(10, 40, 6, spread=.3)
    p = post.predict_proba(np.random.default_rng(0).uniform(-1, 1, size=(5000, 6)))
    r = classification_range(post, np.full(6, -1.), np.full(6, 1.), tol=1e-6, **limit)
    assert r.status == word and r.min_lower <= p.min() and r.max_upper >= p.max() and r.n_boxes <= 42 or (
        word == "time_limit")
    assert r.min_upper >= r.min_lower and r.max_upper >= r.max_lower


def test_interruption_returns_sound_bounds():
    post, calls = _posterior(11, 40, 4, spread=.3), []
    def stop(lower, upper, n):
        calls.append(n)
        if len(calls) % 3 == 0: raise KeyboardInterrupt
    r = classification_range(post, np.full(4, -1.), np.full(4, 1.), tol=1e-6, progress=stop)
    p = post.predict_proba(np.random.default_rng(0).uniform(-1, 1, size=(5000, 4)))
    assert r.status == "interrupted" and r.min_lower <= p.min() and r.max_upper >= p.max()


def test_threads_agree_and_rigour_changes_nothing_visible():
    post, low, high = _posterior(12, 40, 3, spread=1.), np.full(3, -.5), np.full(3, .5)
    base = classification_range(post, low, high, tol=1e-4)
    for other in (dict(n_jobs=2), dict(rigorous=False)):
        r = classification_range(post, low, high, tol=1e-4, **other)
        assert abs(base.min_lower - r.min_lower) < 1e-4 and abs(base.max_upper - r.max_upper) < 1e-4
        assert abs(base.min_upper - r.min_upper) < 1e-7


@pytest.mark.parametrize("noise", [0., .1])
def test_a_perturbed_or_single_precision_R_changes_no_certificate(noise):
    make = lambda: GPPosterior(np.random.default_rng(3).normal(size=(40, 2)),
                               np.random.default_rng(4).normal(size=40), np.full(40, .3), [.8, .9], 46.)
    exact, post = classification_range(make(), [-.3, -.3], [.3, .3], tol=1e-4), make()
    post.R = make().R.astype(np.float32) + noise*np.random.default_rng(14).normal(size=(40, 40))
    r = classification_range(post, [-.3, -.3], [.3, .3], tol=1e-4)
    assert (r.min_lower, r.max_upper) == (exact.min_lower, exact.max_upper)


@pytest.mark.parametrize("seed", range(24))
def test_balls_anywhere(seed):
    """Centres in the box and outside of it.

    No sampled point of the intersection leaves the range, and the extremes lie in it."""
    rng, post = np.random.default_rng(seed), _posterior(seed % 4)
    lower, upper = np.zeros(2), np.ones(2)
    if seed % 4 == 3: lower[1] = upper[1] = .4
    p, touch = 1 + seed % 2, rng.uniform(lower, upper)
    centre = touch + rng.normal(size=2)*rng.choice([.1, 1.])
    ball = Ball(centre, Ball(centre, 0., p).norm(touch - centre)*rng.uniform(1.02, 1.5) + .01, p)
    Z = rng.uniform(lower, upper, size=(20_000, 2))
    seen = post.predict_proba(Z[ball.norm(Z - centre) <= ball.radius])
    r = classification_range(post, lower, upper, tol=1e-3, ball=ball, max_boxes=4000)
    assert r.status == "optimal" and r.min_lower <= seen.min() and seen.max() <= r.max_upper
    for x in (r.x_min, r.x_max):
        assert ball.norm(x - centre) <= ball.radius*(1 + 1e-12) and (lower <= x).all() and (x <= upper).all()
    # 20,000 points see the extremes about so well
    assert seen.min() - r.min_lower < .05 and r.max_upper - seen.max() < .05


def test_a_ball_beyond_the_data_s_reach():
    post = _posterior(3)
    ball = Ball([1e5 + 1, 0.], 1., 2)
    r = classification_range(post, [1e5, -1.], [1e5 + 2, 1.], ball=ball)
    assert r.min_lower <= .5 <= r.max_upper and r.gap_abs < .02
    assert ball.norm(r.x_min - ball.centre) <= 1. >= ball.norm(r.x_max - ball.centre)


@pytest.mark.parametrize("likelihood", ["probit", "logistic"])
def test_both_engines_agree(likelihood):
    post = _posterior(0, 10, 2, 2., likelihood)
    a = classification_range(post, [0, 0], [.2, .2], tol=.02, bounds="paper")
    b = classification_range(post, [0, 0], [.2, .2], tol=1e-4)
    assert a.status == "optimal" and a.gap_abs <= .02 + 1e-12
    assert a.min_lower <= b.min_upper and b.min_lower <= a.min_upper + 1e-9 and a.max_upper >= b.max_lower
    assert b.max_upper >= a.max_lower - 1e-9


@pytest.mark.parametrize("C", [2, 3, 5, 10])
def test_ranges_of_several_classes(C):
    post, rng = _three_classes(4, C), np.random.default_rng(C)
    mid = rng.normal(size=2)*.7
    p = post.predict_proba(mid + .1*rng.uniform(-1, 1, size=(60, 2)))
    c = int(rng.integers(C))
    r = classification_range(post, mid - .1, mid + .1, tol=.05, max_boxes=40 if C < 10 else 6, target=c)
    assert 0 <= r.min_lower <= p[:, c].min() + 1e-8 and p[:, c].max() <= r.max_upper + 1e-8 <= 1 + 1e-8
    assert r.status in ("optimal", "iteration_limit") and (r.status != "optimal" or r.gap_abs <= .05 + 1e-12)
    assert classification_range(post, mid, mid,
                                target=c).gap_abs < .002               # sharp where the box is a point


@pytest.mark.parametrize("p", [1, 2])
def test_balls_are_cut_out_of_the_box_for_several_classes(p):
    rng, post, x = np.random.default_rng(7), _three_classes(), np.array([.2, .1])
    ball = Ball(x, .3, p)
    r, box = (classification_range(post, x - .3, x + .3, tol=.03, ball=b, target=0) for b in (ball, None))
    Z = x + .3*rng.uniform(-1, 1, size=(400, 2))
    seen = post.predict_proba(Z[ball.norm(Z - x) <= .3])[:, 0]
    assert r.min_lower <= seen.min() and seen.max() <= r.max_upper and r.status == "optimal"
    for z in (r.x_min, r.x_max): assert ball.norm(z - x) <= .3*(1 + 1e-9)
    assert r.max_upper < box.max_upper and r.min_lower > box.min_lower  # the corners hold the extremes here


def test_ends_are_nudged_outward():
    post = _posterior(1)
    got = classification_range(post, [.1, .1], [.3, .3], tol=.01)
    with patch.dict(_ranged.__globals__, {"RangeResult": lambda **parts: parts}):
        low, high = (MinResult(lower=.25, upper=.5, x=None, n_boxes=3,
                               status=Status.optimal) for _ in range(2))
        made = _ranged(low, high, None, None, .1, Clock(None), False, True)
        assert made["max_lower"] < .5 and made["max_upper"] > .75 and made["n_boxes"] == 6
        plain = _ranged(low, high, None, None, .1, Clock(None), True, True)
        assert (plain["max_lower"], plain["max_upper"]) == (-.5, -.25)
    assert got.min_lower <= got.min_upper <= got.max_lower <= got.max_upper

BAD_RANGES = [dict(lower=[1, 0], upper=[0, 1]), dict(lower=[np.nan, 0]), dict(upper=[1]),
              dict(upper=[1, np.nan]), dict(lower=[np.inf, 0], upper=[np.inf, 1]),
              dict(upper=[1, -np.inf], lower=[0, -np.inf]), dict(tol=0.), dict(tol=np.nan), dict(tol=True),
              dict(max_boxes=0), dict(max_boxes="a"), dict(max_boxes=2.), dict(time_limit=-1.),
              dict(time_limit="1"), dict(bounds="other"), dict(n_jobs=0), dict(n_jobs="x"),
              dict(rigorous="no"), dict(progress=3), dict(ball=7), dict(ball=Ball([9., 9.], 1., 2)),
              dict(ball=Ball([.5, .5], 1., 2), bounds="paper"), dict(target=1), dict(post=None)]

@pytest.mark.parametrize("bad", BAD_RANGES)
def test_bad_questions_are_named(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        classification_range(**{"post": _posterior(1), "lower": [0, 0], "upper": [1, 1], **bad})


@pytest.mark.parametrize("bad", [dict(target=7), dict(target=None), dict(bounds="paper")])
def test_bad_questions_about_several_classes_are_named(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        classification_range(**{"post": _three_classes(), "lower": [0, 0], "upper": [1, 1], "target": 0,
                                **bad})


@pytest.mark.slow
def test_a_million_points_stay_inside():
    rng, post = np.random.default_rng(17), _posterior(17, 50, 5)
    r = classification_range(post, np.full(5, -.4), np.full(5, .4), tol=.01)
    for _ in range(20):
        p = post.predict_proba(rng.uniform(-.4, .4, size=(50_000, 5)))
        assert r.min_lower <= p.min() and p.max() <= r.max_upper


@pytest.mark.parametrize("progress", [len, int, dict, 1, "bar", lambda low, high: None])
def test_what_can_not_be_told_of_progress_is_named(progress):
    "Classes, and functions that do not take three numbers."
    with pytest.raises(ValueError, match=r"^progress must be .* a function of \(lower, upper, n_boxes\)"):
        check_progress(progress, "lower", "upper", "n_boxes")


@pytest.mark.parametrize("progress", [None, True, False, print, max, lambda *given: None,
                                      lambda a, b, c=0: None])
def test_what_can_be_told_of_progress(progress):
    assert check_progress(progress, "lower", "upper", "n_boxes") is None
