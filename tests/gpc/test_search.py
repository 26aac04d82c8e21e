"""Tests of nbs/gpc/12_search.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from fractions import Fraction
from reject_nb.core.results import Clock
from reject_nb.core.results import Status
from reject_nb.gpc.certificate import reduce_box
from reject_nb.gpc.posterior import Prior
from unittest.mock import Mock

from reject_nb.gpc.search import Ball, Frontier, Limits, Looked, Oracle, _Open, ball_in, check_ball, minimise

def test_frontier_forgets_no_bound():
    f = Frontier(np.array([1., 2.]), -1.)
    assert f.lowest == -1. and len(f) == 1 and f.closed == np.inf
    f.replace(np.array([0]), _Open(np.zeros((3, 2)), np.ones((3, 2)), np.array([.5, .2, .9]),
                                   np.ones((3, 2))))
    f.close(.5)
    assert f.open.bound.tolist() == [.2] and f.closed == .5 and f.lowest == .2
    f.close(.1)
    assert len(f) == 0 and f.closed == .2 and f.lowest == .2


def test_split_halves_along_the_best_coordinate():
    f = Frontier(np.array([1., 2.]), 0.)
    f.replace(np.array([0]), _Open(np.array([[0., 0.], [0., 0.], [1., 1.]]),
                                   np.array([[1., 4.], [1., 4.], [1., 2.]]), np.array([.3, .1, .2]),
                                   np.array([[2., 1.], [-1., -1.], [3., 1.]])))
    assert f.pick(1).tolist() == [1] and sorted(f.pick(2)) == [1, 2] and f.pick(9).tolist() == [0, 1, 2]
    got, able = f.split(np.array([0, 1, 2]))
    assert able.tolist() == [True, False,
                             False]                     # no score helps; no double between the ends
    assert got.lo.tolist() == [[0., 0.], [.5, 0.]] and got.hi.tolist() == [[.5, 4.], [1., 4.]]
    assert got.parent.tolist() == [.3, .3]
    f.replace(np.array([1, 2]), _Open(got.lo, got.hi, np.array([.4, .6]), np.ones((2, 2))))
    assert f.open.bound.tolist() == [.3, .4, .6]


def _distance_oracle(**changes):
    "|x - 1/3| in d dimensions, and its bounds."
    class Distance(Oracle):
        half, floor, batch, calls = np.ones(2), 0., 4, 0
        def attained(self, points): return points, np.abs(points - 1/3).sum(1)
        def starts(self, given): return np.zeros((1, 2)) if given is None else np.atleast_2d(given)
        def look(self, lo, hi, goal):
            self.calls += 1
            low = np.maximum(np.maximum(lo - 1/3, 1/3 - hi), 0).sum(1)
            points, values = self.attained(.5*(lo + hi))
            return Looked(low=low, score=hi - lo, points=points, values=values, corners=points[:0])
    oracle = Distance()
    for name, value in changes.items(): setattr(oracle, name, value)
    return oracle


def _limits(**changes): return Limits(**{"tol": 1e-3, "clock": Clock(None), **changes})


@pytest.mark.parametrize("batch", [1, 4, 64])
@pytest.mark.parametrize("tol", [.1, 1e-3, 1e-6])
def test_the_minimum_is_found(batch, tol):
    got = minimise(_distance_oracle(batch=batch), _limits(tol=tol))
    assert got.status == "optimal" and got.lower == 0. and 0 <= got.upper <= tol and got.gap_abs == got.upper
    assert np.abs(got.x - 1/3).sum() == got.upper


def test_limits_stop_and_bounds_hold():
    got = minimise(_distance_oracle(), _limits(tol=1e-9, max_boxes=7))
    assert got.status == Status.iteration_limit and 7 <= got.n_boxes <= 8 and got.lower <= 0 <= got.upper
    clock = Mock(limit=1., out_of_time=Mock(side_effect=[False, False, True]))
    got = minimise(_distance_oracle(), _limits(tol=1e-9, clock=clock))
    assert got.status == Status.time_limit and got.n_boxes == 1 + 2 + 4 and got.lower <= 0 <= got.upper
    seen = []
    def stop(lower, upper, n):
        seen.append((lower, upper, n))
        if len(seen) == 4: raise KeyboardInterrupt
    got = minimise(_distance_oracle(), _limits(tol=1e-9, progress=stop))
    assert got.status == Status.interrupted and got.lower <= 0 <= got.upper == seen[-1][1]
    assert [s[2] for s in seen][:2] == [1, 3]


@pytest.mark.parametrize("level, word", [(.5, "below"), (-.1, "above")])
def test_a_decision_stops_as_soon_as_it_is_clear(level, word):
    got = minimise(_distance_oracle(), _limits(tol=1e-12, decide=level))
    assert got.status == "optimal" and (got.upper < level if word == "below"
                                        else got.lower >= level) and got.n_boxes < 40
    at_once = minimise(_distance_oracle(), _limits(tol=1e-12, decide=level), starts=[[1/3, 1/3]])
    assert at_once.n_boxes == 0 if word == "below" else at_once.upper == 0


def test_unsplittable_boxes_are_closed_with_their_bounds():
    class Blunt(type(_distance_oracle())):
        def look(self, lo, hi, goal):
            got = super().look(lo, hi, goal)
            return got._replace(score=np.where((hi - lo).max(1, keepdims=True) < .6, -1., got.score))
    got = minimise(Blunt(), _limits(tol=1e-3))
    assert got.status == Status.precision and got.lower == 0. and got.upper > 1e-3


def test_local_search_corners_and_sharpening_are_used():
    class Helped(type(_distance_oracle())):
        def refine(self, points): return np.full((len(points), 2), 1/3 + 1e-2)
        def sharpen(self, point): return 1e-5
    got = minimise(Helped(), _limits(tol=.05))
    assert got.upper == 1e-5 and got.n_boxes <= 3
    class Cornered(type(_distance_oracle())):
        def look(self, lo, hi, goal): return super().look(lo, hi, goal)._replace(corners=np.full((1, 2), 1/3))
    assert minimise(Cornered(), _limits(tol=.01)).upper == 0.
    assert minimise(_distance_oracle(hopeless=lambda best, low: True), _limits()).status == Status.precision


def test_a_point_is_bounded_once():
    class Point(type(_distance_oracle())):
        half = np.empty(0)
        def attained(self, points): return points, np.full(len(points), .5)
        def starts(self, given): return np.zeros((1, 0))
        def look(self, lo, hi, goal): return Looked(np.full(1, self.least), np.empty((1, 0)),
                                                    np.zeros((1, 0)), np.full(1, .5), np.empty((0, 0)))
    for least, word in ((.4995, "optimal"), (.4, "precision")):
        oracle = Point()
        oracle.least = least
        got = minimise(oracle, _limits())
        assert (got.lower, got.upper, got.n_boxes, str(got.status)) == (least, .5, 1, word)


def test_excluded_boxes_are_cut_off():
    oracle = _distance_oracle(excluded=lambda lo, hi: lo[:, 0] >= 0)
    got = minimise(oracle, _limits())
    assert got.lower > .3 and got.upper > got.lower


@pytest.mark.parametrize("seed", range(40))
def test_pulled_points_lie_in_ball_and_box(seed):
    "Centres inside and outside the box, coordinates that do not move, shifts up to 1e6."
    rng = np.random.default_rng(seed)
    d = int(rng.integers(1, 5))
    lower = rng.normal(size=d)*10.**rng.integers(0, 7)
    width = rng.uniform(.1, 2, d)*(rng.random(d) < .8)
    width[0] = 1.
    upper, p = lower + width, int(rng.integers(1, 3))
    touch = rng.uniform(lower, upper)
    centre = touch + rng.normal(size=d)
    ball = Ball(centre, Ball(centre, 0., p).norm(touch - centre)*rng.uniform(1.01, 2), p)
    check_ball(ball, lower, upper)
    box = reduce_box(Prior(lower[None], rng.uniform(.3, 3, d), 1.), lower, upper)
    seen = ball_in(ball, box)
    points = box.half*rng.uniform(-1, 1, size=(200, len(box.free)))
    moved = np.array([box.point(x) for x in seen.pull(points)])
    size = 1e-9*(1 + np.abs(lower).max())
    assert (ball.norm(moved - centre) <= ball.radius
            + 1e-6*size).all() and (moved >= lower).all() and (moved <= upper).all()
    inside = np.array([ball.norm(box.point(x) - centre) for x in points]) < ball.radius - size
    np.testing.assert_allclose(seen.pull(points)[inside], points[inside], atol=1e-9*(1 + np.abs(lower).max()))
    assert not seen.excludes(points[inside], points[inside]).any()
    reach = ball.radius + 1e-6*(1 + np.abs(lower).max())
    far = np.array([ball.norm(box.point(x) - centre) for x in points]) > reach
    assert seen.excludes(points[far], points[far]).all()
    wide = np.maximum(points - .3, -box.half), np.minimum(points + .3, box.half)
    has_one = np.array([((points >= a) & (points <= b)).all(1)[inside].any() for a, b in zip(*wide)])
    assert not seen.excludes(*wide)[has_one].any()


def test_membership_is_exact():
    one = Ball([0.], 1., 1)
    assert one.contains([1.]) and not one.contains([1 + 2.**-52])
    assert Ball([.1], .2, 2).contains([.30000000000000004]) == (
        Fraction(.30000000000000004) - Fraction(.1) <= Fraction(.2))
    assert Ball([0., 0.], 1., 1).contains([.5, .5]) and not Ball([0., 0.], 1., 1).contains([.5, .5000001])
    assert Ball([0., 0.], 5., 2).contains([3., 4.])

BAD_BALLS = [("centre", ([np.nan], 1., 1)), ("centre", ("a", 1., 1)), ("radius", ([0.], -1., 1)),
             ("radius", ([0.], np.nan, 1)), ("p", ([0.], 1., 3)), ("p", ([0.], 1., True))]

@pytest.mark.parametrize("name, bad", BAD_BALLS)
def test_bad_balls_are_named(name, bad):
    with pytest.raises(ValueError, match=name): Ball(*bad)


@pytest.mark.parametrize("ball", [Ball([0.], 1., 1), Ball([5., 5.], 1., 2), 7, [0., 0.]])
def test_balls_that_do_not_fit_are_named(ball):
    with pytest.raises(ValueError, match="ball"): check_ball(ball, np.zeros(2), np.ones(2))


@pytest.mark.parametrize("p, centre, radius, good", [
    (1, [2., 2.], 2., True), (1, [2., 2.], 1.999999, False), (2, [2., 1.], 1., True),
    (2, [2., 1.], .999, False), (2, [.5, .5], 0., True), (1, [-1., .5], 1., True), (1, [-1., .5], .9, False)])
def test_a_ball_meets_a_box_where_its_nearest_point_is_within_the_radius(p, centre, radius, good):
    "The unit square; touching counts."
    if good: assert check_ball(Ball(centre, radius, p), np.zeros(2), np.ones(2)) is None
    else:
        with pytest.raises(ValueError, match="^ball must be one that meets the box"):
            check_ball(Ball(centre, radius, p), np.zeros(2), np.ones(2))


@pytest.mark.parametrize("p", [1, 2])
def test_sizes_and_what_lies_outside_by_hand(p):
    "A fixed coordinate .3 away from the centre, scales 1 and 2, a ball of radius 1 about (0, 0, 0)."
    box = reduce_box(Prior(np.eye(3), [1., 2., 1.], 1.), np.array([-2., -2., .3]), np.array([2., 2., .3]))
    inner = ball_in(Ball(np.zeros(3), 1., p), box)
    offsets = np.array([[.4, 0.], [.3, .4], [0., 0.]])
    assert inner.size(offsets) == pytest.approx([.7, 1., .3] if p == 1 else [.5, np.sqrt(.34), .3])
    lo, hi = np.array([[.5, 0.], [.8, .2], [-2., .6]]), np.array([[1., .5], [1., .3], [2., 1.]])
    near = np.maximum(np.maximum(lo*[1., 2.], -hi*[1., 2.]), 0)                 # in the units of x
    full = np.hstack([near, np.full((3, 1), .3)])
    far = (np.abs(full).sum(1) if p == 1 else np.linalg.norm(full, axis=1)) > 1
    assert inner.excludes(lo, hi).tolist() == far.tolist() and far.any() and not far.all()
    moved = inner.pull(np.array([[2., 0.], [0., 1.], [.1, .1]]))
    full = np.hstack([moved*[1., 2.], np.full((3, 1), .3)])
    sizes = np.abs(full).sum(1) if p == 1 else np.linalg.norm(full, axis=1)
    assert moved[2].tolist() == [.1, .1]
    if p == 1: assert sizes[:2] == pytest.approx([1., 1.], abs=1e-9)
    # the share of the way to the nearest point by which the norm is too large
    size = np.array([2., 2.]) + .3 if p == 1 else np.sqrt(np.array([4., 4.]) + .09)
    left = 1 - (size - 1)/(size - .3)
    assert [moved[0, 0], 2*moved[1, 1]] == pytest.approx(2*left, rel=1e-9)
    assert moved[0, 1] == 0 and moved[1, 0] == 0 and (sizes <= 1).all()


@pytest.mark.parametrize("floor, tol, decide, status", [
    (-.05, .1, None, "optimal"), (-.05, .01, None, "precision"), (-.05, .01, -.1, "optimal"),
    (-.05, .01, -.001, "precision")])
def test_a_gap_that_no_point_allows_to_close_is_one_of_precision(floor, tol, decide, status):
    "A bound that a point keeps .05 below its value: closed where the tolerance, or the decision, allows it."
    class Blunt(Oracle):
        half, batch = np.ones(1), 4

        def attained(self, points): return points, (points**2).sum(1)

        def look(self, lo, hi, goal):
            c, value = .5*(lo + hi), (.25*(lo + hi)**2).sum(1)
            near = np.maximum(np.maximum(lo, -hi), 0).max(1)**2
            return Looked(low=near + floor, score=hi - lo, points=c, values=value, corners=lo[:0])

        def floor_at(self, point, goal): return float((point**2).sum()) + floor

    got = minimise(Blunt(), _limits(tol=tol, decide=decide, max_boxes=4_000))
    assert (got.status, got.upper) == (status, 0.) and floor*1.5 < got.lower <= floor


def test_norms_of_offsets_without_an_end_and_of_none():
    ball = Ball([0., 0.], 1., 2)
    assert ball.norm([np.inf, 0.]) == np.inf and ball.norm(np.zeros((0, 2))).shape == (0,)
    assert ball.norm([[3., 4.], [0., -2.]]).tolist() == [5., 2.]
