"""Tests of nbs/gpc/28_queries.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from fractions import Fraction
from reject_nb.core.results import Clock
from reject_nb.core.results import Status
from reject_nb.gpc import GPPosterior
from reject_nb.gpc.ranges import RangeResult
from reject_nb.gpc.safety import Safety
from reject_nb.gpc.safety import is_safe
from reject_nb.gpc.softmax import fit_multiclass_gpc
from unittest.mock import patch

from reject_nb.gpc.queries import (
    FEW, FEW_IN_BALL, PART, TRIES, _Bracket, _binary_value, _boxes_of, _default_radius, _delta, _lead_up,
    _length, _seconds, _smallest, _spread, _starts, minimal_perturbation, robustness,
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


@pytest.mark.parametrize("norm", ["inf", 1, 2])
def test_balls_are_subsets_of_their_boxes(norm):
    post, rng = _posterior(15, 40)
    x, radius = np.array([.2, .1]), .7
    Z = rng.uniform(-1, 1, size=(40_000, 2))*radius
    size = {1: np.abs(Z).sum(1), 2: np.sqrt((Z**2).sum(1)), "inf": np.abs(Z).max(1)}[norm]
    p, p0 = post.predict_proba(x + Z[size <= radius]), post.predict_proba(x[None])[0]
    r = robustness(post, x, radius, norm=norm, tol=1e-3)
    delta, spread = max(p.max() - p0, p0 - p.min()), p.max() - p.min()
    # sampling sees the extremes to a few 1e-3
    assert r.lower - 1e-9 <= r.upper and delta <= r.upper + 1e-9 and r.upper <= delta + .01
    assert spread <= r.spread[1] and r.spread[0] <= spread + .01 and r.gap_abs < 3e-3 and float(r) == r.upper
    assert _length(r.range.x_min - x, norm) <= radius*(1 + 1e-12)


def test_delta_by_hand():
    found = RangeResult(min_lower=.2, min_upper=.21, max_lower=.8, max_upper=.82, x_min=None, x_max=None,
                        n_boxes=1, status=Status.optimal, tol=.02)
    low, high = _delta(found, .29, .31)
    assert low == pytest.approx(.49) and high == pytest.approx(.53) and high > .82 - .29
    low, high = _delta(found, .69, .71)
    assert low == pytest.approx(.48) and high == pytest.approx(.51)
    assert _spread(found)[0] == pytest.approx(.59) and _spread(found)[1] > .82 - .2


@pytest.mark.parametrize("norm", ["inf", 2, 1])
def test_minimal_perturbation_brackets(norm):
    found = minimal_perturbation(PLANE, [.41, .3], norm=norm, tol=1e-4)
    assert found.certified <= .59 <= found.attack*(1 + 1e-9) and found.gap_abs < 1e-3 and found.gap <= 4e-4
    assert found.status == "optimal" and PLANE.predict(found.adversarial[None])[0] == 0
    assert _length(found.adversarial - [.41, .3], norm) == pytest.approx(found.attack)


def test_no_attack_time_and_unknown():
    none = minimal_perturbation(PLANE, [.4, .3], dims=[1], max_radius=2.)
    assert none.status == "no_attack" and none.certified == 2. and np.isinf(none.attack)
    assert none.gap == np.inf
    assert minimal_perturbation(PLANE, [.4, .3], dims=[]).n_queries == 0
    short = minimal_perturbation(_posterior(3, 40)[0], [.1, .2], time_limit=1e-9)
    assert short.status == "time_limit" and short.certified == 0
    assert minimal_perturbation(PLANE, [1., 0.]).status == "unknown"
    near = minimal_perturbation(PLANE, [.4, .3], limits=(-1., .9))
    assert near.status == "no_attack" and near.certified == pytest.approx(1.4)
    within = minimal_perturbation(PLANE, [.41, .3], limits=(0., 2.))
    assert within.certified <= .59 <= within.attack


def test_default_radius_reaches_all_data():
    assert _default_radius(PLANE, np.array([.5, 0.]), np.arange(2), "inf", None) == 7.5
    assert _default_radius(PLANE, np.array([.5, 0.]), np.arange(2), 1,
                           None) == 13.5 and _default_radius(PLANE, np.zeros(2), [], 2, None) == 0.


def test_what_a_bracket_learns():
    answer = lambda word, z=None: Safety(status=Status(word), adversarial=z, margin_lower=0.,
                                         margin_upper=0., n_boxes=1, search=Status.optimal)
    b = _Bracket(8., .1)
    b.learn(1., answer("safe"), None)
    assert b.next(1.) == 2.
    b.learn(2., answer("unsafe", np.array([1.8])), lambda z: float(z[0]))
    assert (b.safe, b.attack) == (1., 1.8) and b.next(2.) == 1.4
    b.learn(1.4, answer("unknown"), None)
    assert b.next(1.4) == 1.2
    b.learn(1.3, answer("safe"), None)
    assert b.next(1.3) == pytest.approx(.5*(1.4 + 1.8))
    b.learn(1.7, answer("unknown"), None)
    assert b.next(1.7) is None and b.status == Status.optimal
    b.learn(1.75, answer("safe"), None)     # a larger ball was easier: no radius twice
    assert (b.open_low, b.open_high) == (np.inf, 0.) and b.next(1.75) is None
    c = _Bracket(1., .1)
    c.learn(1., answer("unknown"), None)
    assert c.next(1.) == .5 and c.status == Status.unknown                # where the large ball was too hard
    c.learn(.5, answer("unsafe", np.array([.5])), lambda z: float(z[0]))
    assert c.next(.5) == .25 and c.status == Status.optimal
    d = _Bracket(1., .1)
    d.learn(.91, answer("safe"), None)
    d.learn(1., answer("unknown"), None)
    assert d.next(1.) is None and d.status == Status.unknown and d.attack == np.inf


@pytest.mark.parametrize("bad", [dict(max_radius=-1), dict(tol=0), dict(tol="a"), dict(dims=[9]),
                                 dict(rigorous="no"), dict(limits=(1, 2))])
def test_bad_searches_for_attacks_are_named(bad):
    with pytest.raises(ValueError, match=next(iter(bad))): minimal_perturbation(PLANE, [0, 0], **bad)


def test_robustness_of_several_classes():
    post, x = _three(), np.array([0., 2.])
    moved = robustness(post, x, .2, tol=.03)
    p = post.predict_proba(x + .2*np.random.default_rng(0).uniform(-1, 1, size=(300, 2)))
    delta = np.abs(p - post.predict_proba(x[None])).max()
    assert delta <= moved.upper + 1e-6 and moved.lower <= delta + .05 and moved.upper < delta + .1


def _many(seed, d=None, n=40, stretch=1.):
    "Random posterior in five to eight dimensions, one length-scale sometimes very short, and a point."
    rng = np.random.default_rng(seed)
    d = int(rng.integers(5, 9)) if d is None else d
    scale = stretch*10.**rng.uniform(-.1, .6, d)
    if seed % 4 == 1: scale[0] = 10.**rng.uniform(-3, -1)
    X = rng.normal(size=(n, d))
    if seed % 5 == 2: X[:, 1] = 0.
    return GPPosterior(X, rng.normal(size=n), np.full(n, .3), scale, 2.), X[0] + .1*rng.normal(size=d), rng


@pytest.mark.parametrize("norm", ["inf", 2])
@pytest.mark.parametrize("seed", [0, 1, 2, 3, 7])
def test_radii_meet_in_many_dimensions(seed, norm):
    post, x, _ = _many(seed, 12, 80, 3.)
    found = minimal_perturbation(post, x, norm=norm)
    assert found.attack*(1 - 3e-3) < found.certified < found.attack
    assert is_safe(post, x, found.certified, norm=norm) and not is_safe(post, x, found.attack*(1 + 1e-9),
                                                                        norm=norm)
    other, own = post.predict(found.adversarial[None]), post.predict(x[None])
    assert other[0] != own[0]


def test_without_an_attack_the_radius_is_the_largest():
    X = np.random.default_rng(0).normal(size=(20, 6))
    found = minimal_perturbation(GPPosterior(X, np.ones(20), np.full(20, .3), 1., 2.), X[0], max_radius=.5)
    assert found.certified == .5 and np.isinf(found.attack) and found.status == "no_attack"


class _Turns(Clock):
    "A clock that goes forward by one with every query, and so never runs while nothing is asked."
    turns = 0

    def __init__(self, limit):
        super().__init__(limit)
        self.first = _Turns.turns

    @property
    def elapsed(self): return float(_Turns.turns - self.first)


def _by_turns(post, x, limit, **options):
    "A radius with a limit in queries, and the boxes and the time that each was given."
    given, _Turns.turns = [], 0
    def asked(post, x, radius, dims, norm, limits, max_boxes, seconds, *more):
        _Turns.turns += 1
        given.append((max_boxes, seconds))
        return is_safe(post, x, radius, dims, norm, limits, max_boxes, None, *more)
    with patch.dict(minimal_perturbation.__globals__, is_safe=asked, Clock=_Turns):
        return minimal_perturbation(post, x, time_limit=limit, **options), given


def _classes_in_many(d=30, C=3, seed=3):
    "Softmax of several classes, a few points each, and one of the points."
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(8*C, d)) + 1.2*np.repeat(np.eye(C, d), 8, axis=0)
    return fit_multiclass_gpc(X, np.repeat(list("abcdefgh")[:C], 8), 0, 6., 4.), X[0]


def _one_against_the_rest(d=30, C=3):
    "One latent function a class."
    from reject_nb.gpc.kernel_posterior import KernelPosterior, OneVsRestPosterior
    from reject_nb.gpc.kernels import SquaredExponential
    post, x = _classes_in_many(d, C)
    kernel = SquaredExponential(4., np.full(d, 6.))
    A = np.linalg.inv(kernel.matrix(post.X, post.X) + np.eye(post.n))
    return OneVsRestPosterior(tuple(
        KernelPosterior(kernel, post.X, A @ np.where(np.arange(post.n)//8 == c, 3., -3.), A, link="logistic")
        for c in range(C)), range(C)), x


def test_looking_for_an_attack_counts_as_time():
    "Every look is a query with its share of the time; what the looks found is returned when it is over."
    (post, x), few = _one_against_the_rest(), _boxes_of(_one_against_the_rest()[0], "inf")
    whole, given = _by_turns(post, x, None, tol=.02)
    looks = [boxes for boxes, _ in given].index(few)
    assert whole.n_queries == len(given) > looks > 8 and few == 4*FEW
    assert {boxes for boxes, _ in given[:looks]} == {1} and {seconds for _, seconds in given} == {None}
    other, own = post.predict(whole.adversarial[None]), post.predict(x[None])
    assert other[0] != own[0] and 0 < whole.certified < whole.attack
    for limit in (1, 7, looks - 1):
        found, given = _by_turns(post, x, limit, tol=.02)
        half = -(-limit//2)
        assert found.status == "time_limit" and found.n_queries == limit
        assert [boxes for boxes, _ in given] == [1]*half + [few]*(limit - half)
        assert [s for _, s in given] == [max(.5*(limit - k), min(PART*limit, limit - k))
                                         for k in range(limit)]
        assert found.certified <= whole.attack and whole.certified <= found.attack
        assert (found.certified, found.attack) == (0., np.inf) or limit > 1
    assert found.attack < np.inf


def test_the_last_queries_keep_a_part_of_the_time():
    class Late(Clock):
        elapsed = 0.
    for gone, given in ((0., 4.), (3., 2.5), (5., 2.), (7.5, .5)):
        Late.elapsed = gone
        assert _seconds(Late(8.)) == given
    assert _seconds(Clock(None)) is None and PART == .25


def test_a_look_that_is_interrupted_ends_the_search():
    post, x = _one_against_the_rest()
    stop = Safety(status=Status.unknown, margin_lower=-1., margin_upper=1., n_boxes=0,
                  search=Status.interrupted)
    with patch.dict(minimal_perturbation.__globals__, is_safe=lambda *a: stop):
        found = minimal_perturbation(post, x)
    assert (found.status, found.n_queries, found.certified, found.attack) == ("interrupted", 1, 0., np.inf)


def test_corner_steps_count_as_time():
    "A clock that has run out after the first corner steps: no query is asked any more."
    post, x, _ = _many(12, 80, 80, 3.)
    class Late(Clock):
        asked = 0
        @property
        def elapsed(self):
            Late.asked += 1
            return 2. if Late.asked > 1 else 0.
    with patch.dict(minimal_perturbation.__globals__, Clock=Late):
        found = minimal_perturbation(post, x, time_limit=1.)
    assert (found.status, found.n_queries) == ("time_limit", 0) and Late.asked <= 3


def _in_ball(rng, x, radius, norm, m=60):
    "Points of a ball: corners, its surface and its inside."
    corners = rng.uniform(size=(m, 1)) < .5
    Z = np.where(corners, rng.choice([-1., 1.], (m, len(x))), rng.uniform(-1, 1, (m, len(x))))
    if norm != "inf": Z /= np.linalg.norm(Z, norm, axis=1)[:, None]
    return x + radius*Z


@pytest.mark.parametrize("norm", ["inf", 2, 1])
@pytest.mark.parametrize("C", [2, 3, 4, 6])
def test_radii_of_a_softmax_hold_at_sampled_points(C, norm):
    post, x = _classes_in_many(26, C, C)
    found, rng = minimal_perturbation(post, x, norm=norm, tol=.02), np.random.default_rng(C)
    own = post.predict(x[None])[0]
    assert 0 < found.certified < found.attack < np.inf
    assert (post.predict(_in_ball(rng, x, found.certified, norm)) == own).all()
    z = found.adversarial
    assert post.predict(z[None])[0] != own and _length(z - x, norm) <= found.attack*(1 + 1e-12)
    assert norm == 1 or found.certified > .3*found.attack    # the 1-norm: a vertex moves one coordinate far


def test_few_queries_certify_much_of_the_attack():
    "A limit of queries that the bisection alone would need for its first certificate."
    post, x = _classes_in_many(30, 6)
    whole = minimal_perturbation(post, x, limits=(-9, 9), tol=.01)
    kind = minimal_perturbation.__globals__["_Asking"]
    usual, _Turns.turns = kind.answer, 0
    def answer(*asked):
        got = usual(*asked)
        _Turns.turns += 1
        return got
    with patch.object(kind, "answer", answer), patch.dict(minimal_perturbation.__globals__, Clock=_Turns):
        found = minimal_perturbation(post, x, limits=(-9, 9), tol=.01, time_limit=5.)
    assert found.status == "time_limit" and found.n_queries == 5 and found.attack == whole.attack
    assert .5*whole.certified < found.certified <= whole.certified


def test_the_class_of_x_needs_no_certificate_of_its_own():
    "Proved balls hold x, so that is_safe is not asked; before that no attack is taken over."
    post, x = _classes_in_many(30, 4)
    calls = []
    def counted(*a):
        calls.append(a[2])
        return is_safe(*a)
    with patch.dict(minimal_perturbation.__globals__, is_safe=counted):
        found = minimal_perturbation(post, x, tol=.01)
        assert not calls and found.n_queries > 4
        kind = minimal_perturbation.__globals__["_Asking"]
        asking = kind(_Bracket(9., .01), Clock(None), post, x, None, "inf", None, True, None)
        asking.top = 0
        for safe in (0., .01):
            asking.bracket.safe = safe
            assert asking.answer(found.attack*1.1, 100, None, None).status == "unsafe"
        assert len(calls) == 1
    assert is_safe(post, x, found.certified, max_boxes=_boxes_of(post, "inf"))
    assert not is_safe(post, x, found.attack*(1 + 1e-9))


def test_an_attack_that_is_not_certified_is_none():
    post, x = _classes_in_many(30, 4)
    asked = []
    def never(post, z, top):
        asked.append(z)
        return 1e-6
    with (patch.dict(minimal_perturbation.__globals__, _lead_up=never),
          patch.dict(is_safe.__globals__, _lead_over_best=lambda *a: 1e-6)):
        found = minimal_perturbation(post, x, tol=.01, max_radius=.8)
    assert np.isinf(found.attack) and found.adversarial is None and found.certified > 0
    sizes = [_length(z - x, "inf") for z in asked]
    assert len(asked) == TRIES and (np.diff(sizes) > 0).all()


@pytest.mark.parametrize("C", [3, 4, 7])
def test_the_lead_at_a_point_is_bounded_as_by_boxes(C):
    "Above the computed lead, and no wider than what bounds of a box of that one point say."
    post, _ = _classes_in_many(6, C, C)
    for z in np.random.default_rng(C).normal(size=(6, 6))*2:
        p, top = post.predict_proba(z[None])[0], C % 3
        high, box = _lead_up(post, z, top), is_safe.__globals__["_lead_over_best"](post, z, top)
        assert p[top] - np.delete(p, top).max() <= high + 2e-3 and abs(high - box) < 2e-3


def test_boxes_grow_with_the_sums_to_prove():
    two = GPPosterior([[0., 0.], [2., 0.]], [1., -1.], [.3, .3], 1., 2.)
    assert [_boxes_of(two, norm) for norm in ("inf", 2, 1)] == [FEW, FEW_IN_BALL, FEW_IN_BALL]
    assert _boxes_of(_classes_in_many(30, 4)[0], "inf") == 9*FEW
    assert _boxes_of(_one_against_the_rest()[0], 2) == 4*FEW_IN_BALL


def test_the_smallest_radius_is_found_to_a_fifth_of_the_tolerance():
    asking = type("Asking", (), {"clock": Clock(None)})
    for true in (.003, .6, 7.):
        found = _smallest(asking, lambda radius: radius >= true, .05, 100., .01)
        assert true <= found <= true*1.0021
    assert _smallest(asking, lambda radius: False, .05, 100., .01) is None
    assert _smallest(asking, lambda radius: None, .05, 100., .01) is None
    over = type("Asking", (), {"clock": Clock(0.)})
    assert _smallest(over, lambda radius: radius > 1., .05, 100., .01) is None


def test_differences_of_bounds_are_rounded_outward():
    "Upper bounds of delta and of the spread: two ulp of one above the difference, and at most 1."
    found = RangeResult(min_lower=.1, min_upper=.2, max_lower=.7, max_upper=.8, x_min=None, x_max=None,
                        n_boxes=1, status=Status.optimal, tol=.02)
    for low, high in ((.3, .35), (.6, .65)):
        exact = max(Fraction(.8) - Fraction(low), Fraction(high) - Fraction(.1))
        assert 3e-16 < Fraction(_delta(found, low, high)[1]) - exact < 7e-16
    assert 3e-16 < Fraction(_spread(found)[1]) - (Fraction(.8) - Fraction(.1)) < 7e-16
    whole = RangeResult(**{**vars(found), "min_lower": 0., "max_upper": 1.})
    assert _spread(whole)[1] == 1. == _delta(whole, 0., 1.)[1]
    assert _delta(RangeResult(**{**vars(found), "max_lower": .2}), .15, .4)[0] == 0.


@pytest.mark.parametrize("x", [[.4, .3], [1., 0.], [3., -1.]])
def test_a_probability_at_a_point_is_enclosed_closely(x):
    low, high = _binary_value(PLANE, np.array(x))
    assert low <= PLANE.predict_proba([x])[0] <= high and 1e-15 < high - low < 1e-12


def test_a_known_attack_is_drawn_into_a_smaller_ball():
    bracket, x = _Bracket(9., .1), np.array([1., 1.])
    assert _starts(bracket, x, 1.) is None
    bracket.hit(2., np.array([3., 0.]))
    np.testing.assert_allclose(_starts(bracket, x, .5), [[1.5, .75]])
    np.testing.assert_allclose(_starts(bracket, x, 5.), [[3., 0.]])
