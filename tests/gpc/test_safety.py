"""Tests of nbs/gpc/27_safety.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.gpc import GPPosterior
from reject_nb.gpc import safety
from reject_nb.gpc.ranges import classification_range
from reject_nb.gpc.softmax import fit_multiclass_gpc

from reject_nb.gpc.safety import _lead, _lead_here, _lead_over_best, around, is_safe

PLANE = GPPosterior([[0., 0.], [2., 0.]], [1., -1.], [.3, .3], [1., 1.], 2.)       # the boundary is x_0 = 1

def _posterior(seed, n=20):
    rng = np.random.default_rng(seed)
    return GPPosterior(rng.normal(size=(n, 2)), rng.normal(size=n)*.5, rng.uniform(.05, .6, n), [.8, .9],
                       4.), rng


def _three(seed=5):
    rng = np.random.default_rng(seed)
    X = np.vstack([rng.normal(size=(12, 2)) + c for c in ([0, 2.], [2, -1], [-2, -1])])
    return fit_multiclass_gpc(X, np.repeat(["a", "b", "c"], 12), max_evaluations=0, lengthscale=1.5,
                              variance=4.)


@pytest.mark.parametrize("seed", range(30))
def test_safety_agrees_with_the_range_and_the_attack_is_real(seed):
    post, rng = _posterior(seed)
    x, radius = rng.normal(size=2), rng.choice([.05, .2, .6])
    safe = is_safe(post, x, radius)
    r = classification_range(post, x - radius, x + radius, tol=1e-4)
    one = post.predict(x[None])[0] == 1
    assert safe.status in ("safe", "unsafe")
    if safe.status == "unsafe":
        assert not safe and post.predict(safe.adversarial[None])[0] != post.predict(x[None])[0]
        assert (r.min_lower < .5) if one else (r.max_upper > .5)
        assert around(post, x, radius).contains(safe.adversarial) and safe.margin_upper < 0
    else:
        assert safe and (r.min_upper > .5 - 1e-9 if one else r.max_lower < .5
                         + 1e-9) and safe.margin_lower >= 0


def test_both_words_occur():
    words = {str(is_safe(_posterior(seed)[0], [.1, .2], .5)) for seed in range(12)}
    assert words == {"safe", "unsafe"}


@pytest.mark.parametrize("norm", ["inf", 1, 2])
@pytest.mark.parametrize("shift", [0., 1., 1e4, 1e8])
def test_attacks_lie_in_the_ball_exactly(norm, shift):
    "At 1e8 the last digit is 1e-8: a point that is reported is inside all the same."
    X = np.array([[0., 0.], [2., 0.]]) + shift
    post = GPPosterior(X, [1., -1.], [.3, .3], [1., 1.], 2.)
    x = np.array([.4, .3]) + shift
    found = is_safe(post, x, .75, norm=norm)
    assert found.status == "unsafe" and around(post, x, .75, norm=norm).contains(found.adversarial)
    assert post.predict(found.adversarial[None])[0] != post.predict(x[None])[0]


def test_a_class_that_is_not_certified_is_unknown():
    found = is_safe(PLANE, [60., 0.], 58.)                       # the mean underflows at x
    assert found.status == "unknown" and found.search == "precision" and found.n_boxes == 0
    assert is_safe(PLANE, [1., 0.], .1).status == "unknown"       # exactly on the boundary
    three = _three()
    assert is_safe(three, [500., 500.], .1).search == "precision"


def test_radii_dims_limits():
    found = around(PLANE, [.5, .5], [[.1, .2], [.3, .4]], limits=(.4, [2., .6]))
    assert found.lower.tolist() == [.4, .4] and found.upper[1] == .6 and .8 < found.upper[0] < .8 + 1e-12
    only = around(PLANE, [.5, .5], .1, dims=[1])
    assert only.lower[0] == only.upper[0] == .5 and only.lower[1] < .4 and only.size.tolist() == [[0., .1],
                                                                                                  [0., .1]]
    assert around(PLANE, [.5, .5], .1, norm=2).ball.p == 2 and around(PLANE, [.5, .5], 0.,
                                                                      norm=2).ball is None
    assert not around(PLANE, [.5, .5], .1,
                      dims=[1]).contains(np.array([.5, .5 + .1000001])) and only.contains(np.array([.5, .45]))
    assert only.settle(np.array([.5, .7])) is None and only.settle(only.lower) is not None


def test_safety_of_several_classes():
    post, x = _three(), np.array([0., 2.])
    found = is_safe(post, x, .05, max_boxes=2000)
    assert found.status == "safe" and found.margin_lower > 0
    found = is_safe(post, x, 3., norm=2)
    assert found.status == "unsafe" and post.predict(found.adversarial[None])[0] != post.predict(x[None])[0]
    assert np.hypot(*(found.adversarial - x)) <= 3. and is_safe(post, x, 1.5,
                                                                max_boxes=1).status in ("unknown", "unsafe")

BAD_QUESTIONS = [dict(x=[np.nan, 0]), dict(x=[0]), dict(radius=-1), dict(radius=[1, 2, 3]),
                 dict(radius=True), dict(radius=[.1, .1], norm=2), dict(dims=[5]), dict(dims=[.5]),
                 dict(dims=1), dict(norm=3), dict(norm=True), dict(norm="2"), dict(limits=(.5, 1)),
                 dict(limits=5), dict(limits=(-1,)), dict(limits=(-1, "a")),
                 dict(post=None), dict(starts="a"), dict(starts=[[1.]]), dict(max_boxes=0),
                 dict(time_limit=0), dict(rigorous=1), dict(progress=2), dict(n_jobs=0)]

@pytest.mark.parametrize("bad", BAD_QUESTIONS)
def test_bad_questions_are_named(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        is_safe(**{"post": PLANE, "x": [0, 0], "radius": .1, **bad})


def test_one_class_or_two_say_what_all_say_of_a_lead():
    "Above one half the class alone is enough; at an attack the class and the best of the others."
    post, kinds = _three(), set()
    for z in np.random.default_rng(0).normal(size=(30, 2))*1.5:
        p = post.predict_proba(z[None])[0]
        for top in range(3):
            low, high = _lead(post, z, top)
            here, over = _lead_here(post, z, top), _lead_over_best(post, z, top)
            assert abs(over - high) < 1e-3 and low <= over + 1e-12
            assert here[0] <= low + 1e-3 and here[1] >= low
            kinds.add((p[top] > .5, here[0] > 0))
            if p[top] > .5: assert here[1] == 1. and abs(here[0] - (2*p[top] - 1)) < .02
            if p[top] < .49: assert here == (low, high)
    assert {(True, True), (False, True), (False, False)} <= kinds


def _many(seed, d=None, n=40, stretch=1.):
    "Random posterior in five to eight dimensions, one length-scale sometimes very short, and a point."
    rng = np.random.default_rng(seed)
    d = int(rng.integers(5, 9)) if d is None else d
    scale = stretch*10.**rng.uniform(-.1, .6, d)
    if seed % 4 == 1: scale[0] = 10.**rng.uniform(-3, -1)
    X = rng.normal(size=(n, d))
    if seed % 5 == 2: X[:, 1] = 0.
    return GPPosterior(X, rng.normal(size=n), np.full(n, .3), scale, 2.), X[0] + .1*rng.normal(size=d), rng


@pytest.mark.parametrize("norm", ["inf", 2, 1])
@pytest.mark.parametrize("seed", range(8))
def test_all_bumps_together_say_what_splitting_says(seed, norm):
    post, x, rng = _many(seed)
    for radius in (.02, .1, .3):
        new = is_safe(post, x, radius, norm=norm, max_boxes=100)
        safety.FROM = 99
        try: old = safety.is_safe(post, x, radius, norm=norm, max_boxes=2000)
        finally: safety.FROM = 5
        assert {str(new.status), str(old.status)} != {"safe", "unsafe"}
        assert new.margin_lower <= old.margin_upper + 1e-12 and old.margin_lower <= new.margin_upper + 1e-12
        if new.status == "unsafe":
            assert around(post, x, radius, norm=norm).contains(new.adversarial) and new.margin_upper < 0
            assert post.predict(new.adversarial[None])[0] != post.predict(x[None])[0]
        if new.status == "safe": assert new.margin_lower >= 0


def test_limits_and_radii_by_dimension_hold_in_many_dimensions():
    post, x, rng = _many(3, 7)
    size = rng.uniform(0, .3, (2, 7))
    size[:, 2] = 0.
    for limits in (None, (x - .1, x + .2)):
        found = is_safe(post, x, size, limits=limits, max_boxes=300)
        box = around(post, x, size, limits=limits)
        Z = rng.uniform(box.lower, box.upper, (4000, 7))
        same = post.predict(Z) == post.predict(x[None])[0]
        assert same.all() if found else found.status == "unsafe" and box.contains(found.adversarial)
    assert is_safe(post, x, .3, max_boxes=1).n_boxes <= 3


def test_a_point_that_no_double_shows_is_not_reported():
    "The mean changes its sign only where it is below 1e-300: unknown, with the reason."
    X = np.zeros((2, 6))
    X[1, 0] = 1.
    post = GPPosterior(X, [1., -1e-280], [.3, .3], [.02]*6, 2.)
    found = is_safe(post, X[0], .9)
    assert found.status == "unknown" and found.search == "precision" and found.adversarial is None
