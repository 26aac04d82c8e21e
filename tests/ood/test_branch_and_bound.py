"""Tests of nbs/ood/08_branch_and_bound.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.core.results import Clock
from reject_nb.ood.lines import Found
from reject_nb.ood.lines import NOTHING
from reject_nb.ood.lines import NO_LINE
from reject_nb.ood.lines import Points
from reject_nb.ood.lines import direction
from reject_nb.ood.lines import merge_points
from reject_nb.ood.lines import rounding_at
from reject_nb.ood.lines import sweep_lines
from reject_nb.ood.single import Target
from reject_nb.ood.single import meets

from reject_nb.ood.branch_and_bound import (
    Wall, branch_and_bound, count_below, crossing, edges_of, make_arc, range_of_t, scan_lines, settle,
    turns, weighted_kth,
)

KERNELS = "surviving", "keep_open", "scan_lines"

def _plain(patch):
    "The module with its kernels as plain Python."
    import reject_nb.ood.branch_and_bound as module
    for name in KERNELS: patch.setattr(module, name, getattr(module, name).py_func)
    return module


def _points(rng, n, ties):
    "(points, ID inputs, OOD inputs) of a random sample; about a third OOD."
    ood = rng.random(n) < .35
    ood[0] = False
    r, g = rng.integers(0, 7, (2, n))*1. if ties else rng.normal(size=(2, n))
    loss = np.where(ood, 0., rng.random(n) if rng.random() < .5 else rng.random(n) < .4)
    return merge_points(r, g, ood, loss), int((~ood).sum()), int(ood.sum())


def _target(rng, kind, n_id, n_ood):
    "A target on TPR and FPR, on precision and recall, or a cost."
    if kind == "cost": return Target(False, 0, n_ood, 0., 0., .3, 0.)
    m = int(rng.integers(1, n_id + 1))
    if kind == "precision":
        return Target(True, m, n_ood, rng.random()/n_id, rng.random()/max(n_ood, 1), .3, 0.)
    return Target(True, m, int(rng.integers(0, n_ood + 1)), 0., 0., .3, 0.)


def _value(points, target, on):
    "Objective of a set by counting; inf where the target is missed."
    n_id, n_ood, loss = points.n_id[on].sum(), points.n_ood[on].sum(), points.loss[on].sum()
    if not meets(n_id, n_ood, target) or target.ratio and not n_id: return np.inf
    return loss/n_id if target.ratio else loss


def _case(rng, kind, n=None):
    ties = rng.random() < .5
    points, n_id, n_ood = _points(rng, int(rng.integers(2, 12)) if n is None else n, ties)
    target = _target(rng, kind, n_id, n_ood)
    if kind == "cost": points = points._replace(loss=points.loss - .3*points.n_id + .2*points.n_ood)
    return points, target


@pytest.mark.parametrize("kind", ["rates", "precision", "cost"])
@pytest.mark.parametrize("plain", [False, True], ids=["compiled", "python"])
def test_settling_keeps_its_promise(kind, plain):
    """Of random lines of an arc, those of a value below the one to beat lie between the t left, and agree
    with what was settled."""
    rng, n_better, n_settled, n_dead = np.random.default_rng(7), 0, 0, 0
    wall = Wall(-20., -20., 20., 20.)
    with pytest.MonkeyPatch.context() as patch:
        f = _plain(patch).settle if plain else settle
        for _ in range(60 if plain else 400):
            points, target = _case(rng, kind)
            low = rng.uniform(0, 1.4)
            high = min(np.pi/2, low + rng.choice([1e-3, .05, .5, 1.]))
            lines = [np.sort(points.r*np.cos(a) + points.g*np.sin(a))[rng.integers(len(points.r))]
                     for a in (low, high)]
            arc = make_arc(low, high, *lines, NOTHING, wall)
            value, (floor, ceil) = rng.random() if kind != "cost" else -rng.random(), range_of_t(arc)
            s = f(points, arc, target, value, 0.)
            n_dead += not s.alive
            gone = np.setdiff1d(np.arange(len(points.r)), s.kept)
            n_settled += len(gone)*s.alive
            for _ in range(15):
                # the line through two thresholds t apart from those at the ends
                t, share = rng.choice([s.t_low, s.t_high, rng.normal()*2]) + rng.normal()*.3, rng.random()
                x = share*arc.at_low.c + (1 - share)*arc.at_high.c
                y = share*arc.at_low.s + (1 - share)*arc.at_high.s
                cut = share*(lines[0] + t) + (1 - share)*(lines[1] + t)
                on = points.r*x + points.g*y <= cut
                if not floor <= t <= ceil or not _value(points, target, on) < value - 1e-9: continue
                n_better += 1
                assert s.alive and s.t_low - 1e-9 <= t <= s.t_high + 1e-9
                assert (on[gone].sum() == 0 or s.accepted.n_id + s.accepted.n_ood > 0)
                assert points.n_id[gone][on[gone]].sum() == s.accepted.n_id
                assert points.n_ood[gone][on[gone]].sum() == s.accepted.n_ood
    assert n_better > (10 if plain else 100) and n_settled > 20 and n_dead > 5


@pytest.mark.parametrize("kind", ["rates", "precision", "cost"])
@pytest.mark.parametrize("leaf", [96, 8, 3])
def test_the_search_finds_what_the_sweep_finds(kind, leaf):
    rng, found = np.random.default_rng(22), 0
    for _ in range(40):
        points, target = _case(rng, kind, int(rng.integers(2, 40)))
        start = NO_LINE if kind != "cost" else Found(0., 0., -np.inf)
        exact = sweep_lines(points, target, start)
        s = branch_and_bound(points, target, start, arcs=3, leaf=leaf)
        assert s.done and (s.best.value == exact.value or abs(s.best.value - exact.value) < 1e-12)
        assert s.bound <= exact.value and (np.isinf(exact.value) or s.bound >= exact.value - 1e-9)
        found += np.isfinite(exact.value)
        if s.best.angle > 0:
            at = direction(s.best.angle)
            assert abs(_value(points, target, points.r*at.c
                              + points.g*at.s <= s.best.cut) - exact.value) < 1e-12
    assert found > 15


@pytest.mark.parametrize("kind", ["rates", "precision", "cost"])
def test_stopped_early_the_bound_holds(kind):
    rng, open_, close = np.random.default_rng(23), 0, 0
    for _ in range(25):
        points, target = _case(rng, kind, 60)
        exact = sweep_lines(points, target)
        if np.isinf(exact.value): continue
        late = branch_and_bound(points, target, NO_LINE, arcs=2, leaf=4, clock=Clock(0.))
        assert late.seen == 0 and late.bound <= exact.value + 1e-12
        for max_arcs in (0, 1, 3, 8):
            s = branch_and_bound(points, target, NO_LINE, arcs=2, leaf=4, max_arcs=max_arcs)
            assert s.bound <= exact.value + 1e-12 <= s.best.value + 2e-12 and s.seen <= max_arcs
            open_ += not s.done
            close += not s.done and s.bound > np.minimum(points.loss, 0).sum() + 1e-3
    assert open_ > 20 and close > open_/4           # more than the trivial bound


@pytest.mark.parametrize("leaf", [3, 4])
def test_collinear_points_end_in_narrow_arcs(leaf):
    "All points tie at 45 degrees; without a sweep of narrow arcs their middle and their ends must do."
    rng, found = np.random.default_rng(3), 0
    for _ in range(20):
        r = np.arange(12.)
        ood = r % 3 == 2
        points = merge_points(r, 11 - r, ood, np.where(ood, 0, rng.random(12)))
        target = Target(True, int(rng.integers(1, 9)), int(rng.integers(0, 5)), 0., 0., .3, 0.)
        exact = sweep_lines(points, target)
        s = branch_and_bound(points, target, NO_LINE, arcs=3, leaf=leaf, few=0)
        assert s.done and (s.best.value == exact.value or abs(s.best.value - exact.value) < 1e-12)
        found += np.isfinite(exact.value)
    assert found > 8


def test_the_search_uncompiled():
    rng = np.random.default_rng(24)
    with pytest.MonkeyPatch.context() as patch:
        module = _plain(patch)
        for kind in ("rates", "precision", "cost", "rates"):
            points, target = _case(rng, kind, 25)
            s = module.branch_and_bound(points, target, NO_LINE, arcs=2, leaf=3)
            exact = sweep_lines(points, target)
            assert s.done and (s.best.value == exact.value or abs(s.best.value - exact.value) < 1e-12)

FOUR = Points(np.array([0., 2, 3, 0]), np.array([2., 0, .5, 4]), np.array([1., 1, 1, 0]),
              np.array([0., 0, 0, 1]), np.array([0., 1, 0, 0]), 0., 0.)

@pytest.mark.parametrize("sums, n_id, k, expected",
                         [([3., 1., 2.], [1., 1, 1], 2, 2.), ([3., 1., 2.], [1., 2, 0], 2, 1.),
                          ([3., 1., 2.], [1., 2, 0], 3, 3.),
                                                     ([3., 1., 2.], [1., 0, 1], 1, 2.),
                                                     ([5., 5., 2.], [2., 3, 4], 5, 5.)])
def test_quantiles(sums, n_id, k, expected):
    assert weighted_kth(np.array(sums), np.array(n_id), k) == expected


@pytest.mark.parametrize("first, last, expected",
                         [(.1, 1.5, True), (.75, .78, False), (0., np.arctan(2), True), (0., .2, False)])
def test_turns(first, last, expected):
    assert turns(FOUR, direction(first), direction(last)) == expected


def test_turning_by_counting_pairs():
    rng, n_turns = np.random.default_rng(3), 0
    for _ in range(200):
        p = FOUR._replace(r=rng.integers(0, 4, 4)*1., g=rng.integers(0, 4, 4)*1.)
        a, b = np.sort(rng.uniform(0, 1.5, 2))
        x, y = (p.r*np.cos(t) + p.g*np.sin(t) for t in (a, b))
        expected = bool(((x[:, None] < x) & (y[:, None] > y)).any())
        n_turns += expected
        assert turns(p, direction(a), direction(b)) == expected
    assert 20 < n_turns < 180


def test_bisection():
    edges = np.array([0., 1, 1.5, 4])
    for t in (-1., 0., .5, 1., 1.5, 2., 4., 9.):
        assert count_below(edges, t, False) == np.searchsorted(edges, t)
        assert count_below(edges, t, True) == np.searchsorted(edges, t, side="right")
    assert count_below(edges[:0], 1., True) == 0


@pytest.mark.parametrize("n", [1, 5, 400, 1000])
def test_edges_are_distinct_and_sorted(n):
    rng = np.random.default_rng(n)
    may = np.round(rng.normal(size=n), 1)
    sure = may + np.round(rng.random(n), 1)
    edges, step = edges_of(may, sure, -.5, 1.), max(1, n//400)
    both = np.concatenate([may[::step], sure[::step]])
    assert edges.tolist() == np.unique(both[(both >= -.5) & (both <= 1.)]).tolist()


@pytest.mark.parametrize("f", [scan_lines, scan_lines.py_func], ids=["compiled", "python"])
@pytest.mark.parametrize("best, low, high, min_id, value, line, quantile", [
    (np.inf, -np.inf, np.inf, 1, 0., 0., 0.), (np.inf, -np.inf, np.inf, 2, 1/3, 3., 2.),
    (.4, -np.inf, np.inf, 2, 1/3, 3., 2.),
    (1/3, -np.inf, np.inf, 2, np.inf, np.nan, 2.), (np.inf, -np.inf, 3., 2, .5, 2., 2.),
    (np.inf, -np.inf, 2., 2, np.inf, np.nan, 2.),
    (np.inf, 2.5, 3., 2, .5, 2.5, 2.), (np.inf, 3.1, np.inf, 2, 1/3, 3.1, 2.),
    (np.inf, 3.3, np.inf, 2, np.inf, np.nan, 2.),
    (np.inf, -np.inf, np.inf, 4, np.inf, np.nan, 3.2)])
def test_lines_at_one_angle(f, best, low, high, min_id, value, line, quantile):
    p = FOUR._replace(g=np.zeros(4), r=np.array([0., 2, 3, 3.2]), loss=np.array([0., 1, 0, 0]))
    target = Target(True, min_id, 0, 0., 0., .25, 0.)
    found = f(p, p.r, rounding_at(p, direction(0)), np.argsort(p.r), NOTHING, target, best, low, high)
    assert np.allclose(found, (value, line, quantile), equal_nan=True)


@pytest.mark.parametrize("low, high", [(0., np.pi/2), (0., 1e-9), (1., 1. + 1e-9), (np.pi/2 - 1e-9, np.pi/2),
                                       (.3, 1.2)])
def test_crossing(low, high):
    "Both lines pass through it, also where they are nearly one: the error is of the lines, not of the point."
    rng = np.random.default_rng(0)
    for _ in range(20):
        p, t = rng.normal(size=2), rng.normal()
        lines = [p[0]*direction(a).c + p[1]*direction(a).s - t for a in (low, high)]
        arc = make_arc(low, high, *lines, NOTHING, Wall(-9., -9., 9., 9.))
        r, g = crossing(arc, t)
        for at, line in ((arc.at_low, arc.line_low), (arc.at_high, arc.line_high)):
            assert abs(r*at.c + g*at.s - line - t) < 1e-14
