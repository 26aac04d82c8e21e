"""Tests of nbs/gpc/27_safety.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.core.results import Clock
from reject_nb.core.results import Status
from reject_nb.gpc import GPPosterior
from reject_nb.gpc import safety
from reject_nb.gpc.questions import Proof
from reject_nb.gpc.ranges import classification_range
from reject_nb.gpc.search import Limits
from reject_nb.gpc.softmax import fit_multiclass_gpc
from types import SimpleNamespace
from unittest.mock import patch

from reject_nb.gpc.safety import (
    Around, MANY, _lead, _lead_here, _lead_over_best, _own_safety, around, is_safe,
)

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


class _Own:
    "A posterior with a margin of its own, that answers as it is told."
    def __init__(self, proof=None, margin=(.5, .6), at_point=-.2):
        self.proof, self.margin, self.at_point, self.asked = proof, margin, at_point, []

    def _class_at(self, x, rigorous): return 1, self.margin

    def _settled(self, lower, upper, ball, top, clock, max_boxes, starts):
        self.asked.append((top, max_boxes, starts))
        return self.proof

    def _margin_at(self, point, top, rigorous): return self.at_point

    def _asked_margin(self, lower, upper, ball, top, rigorous):
        return SimpleNamespace(oracle="oracle", placed=lambda x: x)


def _own(post, free=6, rigorous=True, minimum=None):
    "The answer in a box of so many free coordinates around 0, and whether boxes were searched."
    upper = np.r_[np.ones(free), 0.]
    question = Around(np.zeros(free + 1), np.ones((2, free + 1)), -upper, upper, None)
    searched = []
    def search(oracle, limits, starts):
        searched.append((oracle, starts))
        return minimum
    with patch.dict(_own_safety.__globals__, minimise=search):
        got = _own_safety(post, question, Limits(tol=0., clock=Clock(None), max_boxes=7), rigorous, "starts")
    return got, len(searched)


def _minimum(low, high, z=None):
    return SimpleNamespace(lower=low, upper=high, x=z, n_boxes=3, status=Status.optimal)


def test_a_margin_of_its_own_proved_or_refuted_at_once():
    "A proof's bound, rounded down; an attack clipped into the box, where the margin there is negative."
    post = _Own(Proof(Status.optimal, True, .25, None, 4))
    got, searched = _own(post)
    assert (got.status, got.margin_upper, got.n_boxes, searched) == ("safe", .6, 4, 0)
    assert got.margin_lower == np.nextafter(.25, 0.) and post.asked == [(1, 7, "starts")]
    assert _own(_Own(Proof(Status.optimal, True, 0., None, 4)))[0].margin_lower == 0.
    far = np.full(7, 9.)
    got, searched = _own(_Own(Proof(Status.optimal, False, -1., far, 2)))
    assert (got.status, got.margin_upper, got.margin_lower, searched) == ("unsafe", -.2, -1., 0)
    assert got.adversarial.tolist() == [1.]*6 + [0.]


@pytest.mark.parametrize("free, status, word, searched", [
    (6, Status.precision, "safe", 1), (MANY, Status.precision, "safe", 1),
    (MANY + 1, Status.precision, "unknown", 0), (6, Status.interrupted, "unknown", 0),
    (4, Status.optimal, "safe", 1)])
def test_boxes_decide_what_a_proof_leaves_open_where_they_can(free, status, word, searched):
    "Up to 24 free coordinates, unless somebody interrupted; below five no proof is asked for."
    post = _Own(Proof(status, False, -1., None, 2))
    got, count = _own(post, free, True, _minimum(.1, .2))
    assert (got.status, count, len(post.asked)) == (word, searched, int(free > 4))
    assert got.margin_upper == (.2 if searched else .6)
    assert _own(_Own(None), 30, True, _minimum(.1, .2))[1] == 1
    kept = _own(_Own(Proof(status, False, -1., np.zeros(MANY + 2), 2), at_point=0.), MANY + 1)[0]
    assert (kept.status, kept.adversarial, kept.margin_upper) == ("unknown", None, .6)


@pytest.mark.parametrize("low, high, at_point, word, search", [
    (0., 0., 0., "safe", "optimal"), (-.1, 0., 0., "unknown", "optimal"),
    (-.3, -.1, -.05, "unsafe", "optimal"), (-.3, -.1, 0., "unknown", "precision")])
def test_boxes_answer_by_their_bounds(low, high, at_point, word, search):
    "Zero keeps the class; an attack counts where the margin at its point is below zero."
    got, _ = _own(_Own(at_point=at_point), 2, True, _minimum(low, high, np.array([.5, .5, 0.])))
    assert (got.status, got.search, got.margin_lower, got.margin_upper) == (word, search, low, high)
    assert (got.adversarial is None) == (word != "unsafe")


def test_a_class_of_its_own_has_to_be_clear():
    "Margin bounds that hold zero: unknown, but for those who ignore rounding."
    got, searched = _own(_Own(margin=(0., .1)))
    assert (got.status, got.search, got.n_boxes, searched) == ("unknown", "precision", 0, 0)
    assert (got.margin_lower, got.margin_upper) == (0., .1)
    assert _own(_Own(margin=(0., .1)), 2, False, _minimum(.1, .2))[0].status == "safe"


@pytest.mark.parametrize("norm", [np.timedelta64(2, "s"), np.timedelta64(1), True, "2", 3, None, np.nan])
def test_odd_norms_are_named(norm):
    with pytest.raises(ValueError, match="^norm must be 'inf', 2 or 1"):
        around(PLANE, [0., 0.], .1, norm=norm)
