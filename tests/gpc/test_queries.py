"""Tests of nbs/gpc/06_queries.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.gpc.posterior import GPPosterior
from reject_nb.gpc.search import classification_range

from reject_nb.gpc.queries import is_safe, minimal_perturbation, robustness

def test_range_against_a_fine_grid():
    "Known to 1e-6: the grid's minimum, polished by Newton-free golden refinement (grids of shrinking width)."
    for seed in range(6):
        rng = np.random.default_rng(seed)
        post = GPPosterior(rng.normal(size=(40, 2)), rng.normal(size=40)*.4, rng.uniform(.05, .6, 40), rng.uniform(.7, 1.3, 2), 6., "logistic" if seed == 5 else "probit")
        lo, hi = np.array([-.6, -.2]), np.array([.5, .9])
        r = classification_range(post, lo, hi, tol=1e-6)
        assert r.status == "optimal" and r.gap <= 1e-6
        for sign, low, up in ((1, r.min_lower, r.min_upper), (-1, 1 - r.max_upper, 1 - r.max_lower)):
            a, b = lo, hi
            for _ in range(6):
                g = np.stack(np.meshgrid(*(np.linspace(s, t, 61) for s, t in zip(a, b))), -1).reshape(-1, 2)
                p = post.predict_proba(g) if sign > 0 else 1 - post.predict_proba(g)
                best, step = g[p.argmin()], (b - a)/60
                a, b = np.maximum(lo, best - 2*step), np.minimum(hi, best + 2*step)
            assert low <= p.min() + 1e-9 and abs(p.min() - low) < 1.1e-6 and abs(p.min() - up) < 1.1e-6


def test_no_random_point_leaves_the_range():
    rng = np.random.default_rng(7)
    for d in (1, 3, 5):
        post = GPPosterior(rng.normal(size=(50, d)), rng.normal(size=50)*.5, rng.uniform(.05, .6, 50), rng.uniform(.7, 2, d), 4.)
        mid = rng.normal(size=d)*.5
        r = classification_range(post, mid - .4, mid + .4, tol=.05)
        p = post.predict_proba(mid + .4*rng.uniform(-1, 1, size=(20_000, d)))
        assert r.min_lower <= p.min() and p.max() <= r.max_upper
        assert abs(post.predict_proba(r.x_min[None])[0] - r.min_upper) < 1e-8 and abs(post.predict_proba(r.x_max[None])[0] - r.max_lower) < 1e-8
        assert (np.abs(r.x_min - mid) <= .4 + 1e-12).all()


def test_degenerate_boxes():
    rng = np.random.default_rng(8)
    post = GPPosterior(rng.normal(size=(30, 2)), rng.normal(size=30), rng.uniform(.05, .6, 30), [.8, 1.2], 3.)
    x = np.array([.3, -.2])
    p = post.predict_proba(x[None])[0]
    r = classification_range(post, x, x)
    assert r.status == "optimal" and abs(r.min_lower - p) < 1e-8 and abs(r.max_upper - p) < 1e-8 and np.array_equal(r.x_min, x)
    far = classification_range(post, [1e6, 1e6], [2e6, 3e6])
    assert far.min_lower <= .5 <= far.max_upper and far.max_upper - far.min_lower < 1e-6
    line = classification_range(post, [-.3, .1], [.4, .1], tol=1e-5)
    q = post.predict_proba(np.column_stack([np.linspace(-.3, .4, 2001), np.full(2001, .1)]))
    assert abs(line.min_lower - q.min()) < 3e-5 and abs(line.max_upper - q.max()) < 3e-5
    for name, lo, hi in (("lower", [1, 0], [0, 1]), ("lower", [np.nan, 0], [1, 1]), ("upper", [0, 0], [1]), ("upper", [0, 0], [1, np.nan]), ("lower", [np.inf, 0], [np.inf, 1])):
        with pytest.raises(ValueError, match=name): classification_range(post, lo, hi)
    for name, bad in (("tol", 0.), ("tol", np.nan), ("max_boxes", 0), ("max_boxes", "a"), ("max_boxes", np.nan), ("max_boxes", np.inf), ("time_limit", -1.), ("bounds", "other"), ("n_jobs", 0), ("n_jobs", "x"), ("n_jobs", np.inf)):
        with pytest.raises(ValueError, match=name): classification_range(post, [0, 0], [1, 1], **{name: bad})


def test_an_infinite_box_has_the_range_of_a_large_one():
    rng = np.random.default_rng(9)
    post = GPPosterior(rng.normal(size=(8, 1)), rng.normal(size=8), rng.uniform(.05, .6, 8), [.8], 3.)
    r = classification_range(post, [-np.inf], [np.inf], tol=1e-4)
    p = post.predict_proba(np.linspace(-20, 20, 100_001)[:, None])
    assert r.status == "optimal" and abs(r.min_lower - p.min()) < 2e-4 and abs(r.max_upper - p.max()) < 2e-4
    assert np.isfinite(r.x_min).all()


def test_tiny_and_huge_lengthscales():
    X, a, W = [[0.], [1.]], [1., -2.], [.3, .4]
    for scale in (1e-9, 1e-3, 1e3, 1e9):
        post = GPPosterior(X, a, W, scale, 2.)
        r = classification_range(post, [-.1*min(scale, 1)], [.2*min(scale, 1)], tol=1e-4)
        p = post.predict_proba(np.linspace(-.1*min(scale, 1), .2*min(scale, 1), 5001)[:, None])
        assert r.min_lower - 1e-9 <= p.min() and p.max() <= r.max_upper + 1e-9 and r.gap < 2e-4


def test_limits_return_sound_bounds():
    rng = np.random.default_rng(10)
    post = GPPosterior(rng.normal(size=(40, 6)), rng.normal(size=40)*.3, rng.uniform(.05, .6, 40), np.full(6, .9), 4.)
    p = post.predict_proba(rng.uniform(-1, 1, size=(5000, 6)))
    for limit in (dict(max_boxes=20), dict(time_limit=.05)):
        r = classification_range(post, np.full(6, -1.), np.full(6, 1.), tol=1e-6, **limit)
        assert r.status in ("max_boxes", "time_limit") and r.min_lower <= p.min() and r.max_upper >= p.max()
        assert r.min_upper >= r.min_lower and r.max_upper >= r.max_lower


def test_interruption_returns_sound_bounds():
    rng = np.random.default_rng(11)
    post = GPPosterior(rng.normal(size=(40, 4)), rng.normal(size=40)*.3, rng.uniform(.05, .6, 40), np.full(4, .9), 4.)
    calls = []
    def stop(lower, upper, n):
        calls.append(n)
        if len(calls) % 3 == 0: raise KeyboardInterrupt
    r = classification_range(post, np.full(4, -1.), np.full(4, 1.), tol=1e-6, progress=stop)
    p = post.predict_proba(rng.uniform(-1, 1, size=(5000, 4)))
    assert r.status == "interrupted" and r.min_lower <= p.min() and r.max_upper >= p.max()


def test_one_thread_and_all_cores_agree():
    rng = np.random.default_rng(12)
    post = GPPosterior(rng.normal(size=(40, 3)), rng.normal(size=40), rng.uniform(.05, .6, 40), np.full(3, .8), 4.)
    a, b = (classification_range(post, np.full(3, -.5), np.full(3, .5), tol=1e-4, n_jobs=n) for n in (1, 2))
    assert abs(a.min_lower - b.min_lower) < 1e-4 and abs(a.max_upper - b.max_upper) < 1e-4


def test_rigour_costs_little_and_changes_nothing_visible():
    rng = np.random.default_rng(13)
    post = GPPosterior(rng.normal(size=(40, 2)), rng.normal(size=40), rng.uniform(.05, .6, 40), np.full(2, .8), 4.)
    a, b = (classification_range(post, [-.5, -.5], [.5, .5], tol=1e-4, rigorous=flag) for flag in (True, False))
    assert abs(a.min_lower - b.min_lower) < 1e-6 + 1e-4 and abs(a.min_upper - b.min_upper) < 1e-7


def test_a_perturbed_or_single_precision_R_changes_no_certificate():
    rng = np.random.default_rng(14)
    make = lambda: GPPosterior(np.random.default_rng(3).normal(size=(40, 2)), np.random.default_rng(4).normal(size=40), np.full(40, .3), [.8, .9], 46.)
    exact = classification_range(make(), [-.3, -.3], [.3, .3], tol=1e-4)
    for R in (make().R.astype(np.float32), make().R + .1*rng.normal(size=(40, 40))):
        post = make(); post.R = R
        r = classification_range(post, [-.3, -.3], [.3, .3], tol=1e-4)
        assert (r.min_lower, r.max_upper) == (exact.min_lower, exact.max_upper)


def test_balls_are_subsets_of_their_boxes():
    rng = np.random.default_rng(15)
    post = GPPosterior(rng.normal(size=(40, 2)), rng.normal(size=40)*.5, rng.uniform(.05, .6, 40), [.8, .9], 4.)
    x, radius = np.array([.2, .1]), .7
    Z = rng.uniform(-1, 1, size=(40_000, 2))*radius
    for norm, size in ((1, np.abs(Z).sum(1)), (2, np.sqrt((Z**2).sum(1))), ("inf", np.abs(Z).max(1))):
        p = post.predict_proba(x + Z[size <= radius])
        r = robustness(post, x, radius, norm=norm, tol=1e-3)
        p0 = post.predict_proba(x[None])[0]
        delta = max(p.max() - p0, p0 - p.min())
        assert r.lower <= r.upper and delta <= r + 1e-9 and r.upper <= delta + .01       # sampling sees the extremes to a few 1e-3
        inside = np.abs(r.range.x_min - x).sum() if norm == 1 else np.sqrt(((r.range.x_min - x)**2).sum()) if norm == 2 else np.abs(r.range.x_min - x).max()
        assert inside <= radius*(1 + 1e-12)


def test_safety_agrees_with_the_range_and_the_attack_is_real():
    rng = np.random.default_rng(16)
    words = []
    for _ in range(30):
        post = GPPosterior(rng.normal(size=(20, 2)), rng.normal(size=20)*.5, rng.uniform(.05, .6, 20), [.8, .9], 4.)
        x, radius = rng.normal(size=2), rng.choice([.05, .2, .6])
        safe = is_safe(post, x, radius)
        r = classification_range(post, x - radius, x + radius, tol=1e-4)
        one = post.predict(x[None])[0] == 1
        words.append(str(safe))
        if safe == "unsafe":
            assert post.predict(safe.adversarial[None])[0] != post.predict(x[None])[0] and np.abs(safe.adversarial - x).max() <= radius*(1 + 1e-12)
            assert (r.min_lower < .5) if one else (r.max_upper > .5)
        else: assert safe and (r.min_upper > .5 - 1e-9 if one else r.max_lower < .5 + 1e-9)
    assert {"safe", "unsafe"} == set(words)


def test_minimal_perturbation_brackets():
    post = GPPosterior([[0., 0.], [2., 0.]], [1., -1.], [.3, .3], [1., 1.], 2.)       # the boundary is x_0 = 1
    for norm, true in (("inf", .6), (2, .6), (1, .6)):
        certified, attack = minimal_perturbation(post, [.4, .3], norm=norm, tol=1e-4)
        assert certified <= true <= attack*(1 + 1e-9) and attack - certified < 1e-3
    none = minimal_perturbation(post, [.4, .3], dims=[1], max_radius=2.)
    assert none.status == "no_attack" and none.certified == 2. and np.isinf(none.attack)


def test_bad_questions_name_the_argument():
    post = GPPosterior([[0., 0.], [2., 0.]], [1., -1.], [.3, .3], [1., 1.], 2.)
    for name, call in (("x", lambda: is_safe(post, [np.nan, 0], .1)), ("radius", lambda: is_safe(post, [0, 0], -1)), ("radius", lambda: is_safe(post, [0, 0], [1, 2, 3])),
                       ("dims", lambda: is_safe(post, [0, 0], .1, dims=[5])), ("dims", lambda: robustness(post, [0, 0], .1, dims=[.5])), ("norm", lambda: is_safe(post, [0, 0], .1, norm=3)),
                       ("limits", lambda: is_safe(post, [0, 0], .1, limits=(.5, 1))), ("limits", lambda: is_safe(post, [0, 0], .1, limits=5)), ("limits", lambda: is_safe(post, [0, 0], .1, limits=(-1,))),
                       ("limits", lambda: is_safe(post, [0, 0], .1, limits=(-1, "a"))), ("post", lambda: is_safe(None, [0, 0], .1)), ("max_radius", lambda: minimal_perturbation(post, [0, 0], max_radius=-1))):
        with pytest.raises(ValueError, match=name): call()


@pytest.mark.slow
def test_a_million_points_stay_inside():
    rng = np.random.default_rng(17)
    post = GPPosterior(rng.normal(size=(50, 5)), rng.normal(size=50)*.5, rng.uniform(.05, .6, 50), rng.uniform(.7, 2, 5), 4.)
    r = classification_range(post, np.full(5, -.4), np.full(5, .4), tol=.01)
    for _ in range(20):
        p = post.predict_proba(rng.uniform(-.4, .4, size=(50_000, 5)))
        assert r.min_lower <= p.min() and p.max() <= r.max_upper
