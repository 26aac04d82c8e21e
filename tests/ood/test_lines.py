"""Tests of nbs/ood/06_lines.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from itertools import combinations
from reject_nb.ood.single import Target
from reject_nb.ood.single import meets

from reject_nb.ood.lines import (
    Counts, Found, NOTHING, NO_LINE, NO_WALLS, Points, between_walls, clear_cut, deal_into, direction,
    merge_points, next_edge, room_for_events, shell_sort, sort_into, span, sweep_arc, sweep_lines,
    turn_about, value_of,
)

SIX = merge_points(np.array([0., 1, 2, 3, 0, 4]), np.array([2., 1, 0, 3, 4, 0]), np.arange(6) > 3,
                   np.array([0., 1, 0, 0, 0, 0]))

@pytest.mark.parametrize("counts, change, expected", [
    ((3., 0., 1.), {}, 1/3), ((2., 0., 1.), {}, np.inf), ((3., 1., 1.), {}, np.inf),
    ((3., 1., 1.), dict(max_ood=1), 1/3),
    ((3., 2., 1.), dict(ratio=False, max_ood=2), 1.), ((0., 0., 0.), dict(min_id=0), np.inf),
    ((0., 0., -1.), dict(ratio=False, min_id=0), -1.),
    ((4., 2., 1.), dict(max_ood=9, w_id=.5, w_ood=1.), .25),
    ((4., 3., 1.), dict(max_ood=9, w_id=.5, w_ood=1.), np.inf),
    ((3., .3, 1.), dict(max_ood=9, w_id=.1, w_ood=1.), 1/3)])        # equal but for rounding
def test_value_of_counts(counts, change, expected):
    target = Target(True, 3, 0, 0., 0., .5, 0.)._replace(**change)
    assert value_of(Counts(*counts), target) == expected


@pytest.mark.parametrize("large", [False, True])
def test_merging_keeps_all_counts(large):
    rng = np.random.default_rng(0)
    n = 30_000 if large else 60
    r, g = rng.integers(0, 200 if large else 4, (2, n))*1.
    ood, loss = rng.random(n) < .3, rng.random(n)
    p = merge_points(r, g, ood, loss, (2, 3))
    assert len(p.r) == len({*zip(r, g)}) and (p.shift_r, p.shift_g) == (2., 3.)
    for k in range(0, len(p.r), max(1, len(p.r)//20)):
        same = (r == p.r[k]) & (g == p.g[k])
        assert (p.n_id[k], p.n_ood[k]) == ((same & ~ood).sum(),
                                           (same & ood).sum()) and abs(p.loss[k] - loss[same].sum()) < 1e-9


def test_large_samples_without_ties_are_kept_as_they_are():
    r = np.random.default_rng(1).normal(size=30_000)
    assert (merge_points(r, -r, r > 0, r*0).r == r).all()


@pytest.mark.parametrize("angle, line, min_id, value, cut", [
    (np.pi/4, 1.5, 3, 1/3, 1.5*np.sqrt(2)), (np.pi/4, 1.5, 4, np.inf, 1.5*np.sqrt(2)),
    (0., 0., 1, np.inf, .5),
    (np.pi/4, 1., 1, np.inf, np.nan),           # nothing is accepted
    (0., 9., 1, np.inf, 4.000000008)])  # all are, the strangers too: the cut is a little above the last
def test_clear_cut(angle, line, min_id, value, cut):
    target = Target(True, min_id, 0, 0., 0., .5, 0.)
    found = clear_cut(SIX, direction(angle), line, target)
    assert (found[0] == value or abs(found[0] - value) < 1e-15) and (np.isnan(cut) and np.isnan(found[1])
                                                                     or abs(found[1] - cut) < 1e-12)


@pytest.mark.parametrize("shift, apart, clear",
                         [(0., 1e-15, True), (0., 2e-16, False), (1e6, 1e-9, True), (1e6, 1e-10, False)])
def test_sums_within_their_rounding_are_ties(shift, apart, clear):
    p = Points(np.array([.5, .5 + apart]), np.zeros(2), np.ones(2), np.zeros(2), np.zeros(2), shift, 0.)
    assert (clear_cut(p, direction(0), .5 + .25*apart, Target(True, 1, 0, 0., 0., .5, 0.))[0] == 0) == clear


def _all_lines(r, g):
    "What every line with an angle in (0, pi/2) accepts: all thresholds at, and between, angles of ties."
    cuts = {0., np.pi/2}
    for i, j in combinations(range(len(r)), 2):
        if (r[i] - r[j])*(g[i] - g[j]) < 0: cuts.add(float(np.arctan2(abs(r[i] - r[j]), abs(g[i] - g[j]))))
    cuts = np.array(sorted(cuts))
    cuts = cuts[np.append(True, np.diff(cuts) > 1e-9)]
    scores = [np.round(np.cos(a)*r + np.sin(a)*g, 9)
              for a in np.concatenate([cuts[1:-1], (cuts[1:] + cuts[:-1])/2])]
    return np.unique(np.concatenate([s <= np.unique(s)[:, None] for s in scores]), axis=0)


def _random_target(rng, n_id, n_ood):
    ratio = rng.random() < .6
    precision = ratio and rng.random() < .4
    w_id, w_ood = (rng.random()/n_id, rng.random()/max(n_ood, 1)) if precision else (0., 0.)
    return Target(ratio, int(rng.integers(1, n_id + 1)) if ratio else 0, n_ood if precision or not ratio
                  else int(rng.integers(0, n_ood + 1)),
                  w_id, w_ood, .5, 0.)


def _best(points, target):
    "Least value of all lines by counting; inf where none meets the target."
    least = np.inf
    for on in _all_lines(points.r, points.g):
        counts = points.n_id[on].sum(), points.n_ood[on].sum()
        if not meets(*counts, target) or target.ratio and not counts[0]: continue
        least = min(least, points.loss[on].sum()/(counts[0] if target.ratio else 1))
    return least


def _random_points(rng, most=9):
    n, ties = int(rng.integers(2, most)), rng.random() < .6
    ood = rng.random(n) < .35
    ood[0] = False
    r, g = (rng.integers(0, 6, (2, n))*1. if ties else rng.normal(size=(2, n)))
    loss = np.where(ood, 0., rng.random(n) if rng.random() < .5 else rng.random(n) < .4)
    return merge_points(r, g, ood, loss), int((~ood).sum()), int(ood.sum())


@pytest.mark.parametrize("seed", range(4))
def test_the_sweep_finds_the_best_of_all_lines(seed):
    rng, none = np.random.default_rng(seed), 0
    for _ in range(100):
        points, n_id, n_ood = _random_points(rng)
        target = _random_target(rng, n_id, n_ood)
        if not target.ratio: points = points._replace(loss=points.loss - .3*points.n_id + .2*points.n_ood)
        best, found = _best(points, target), sweep_lines(points, target)
        none += np.isinf(best)
        assert found.value == best or abs(found.value - best) < 1e-12
        if np.isfinite(best):
            at = direction(found.angle)
            on = points.r*at.c + points.g*at.s <= found.cut  # the line has the value it claims
            assert abs(points.loss[on].sum()/(points.n_id[on].sum() if target.ratio else 1) - best) < 1e-12
    assert none > 5


def test_a_line_to_beat_is_beaten_or_kept():
    points, target = SIX, Target(True, 3, 0, 0., 0., .5, 0.)
    assert sweep_lines(points, target, Found(.3, .1, .2)) == Found(.3, .1, .2)
    assert abs(sweep_lines(points, target, Found(.4, .1, .2)).value - 1/3) < 1e-15


def test_the_sweep_uncompiled():
    import reject_nb.ood.lines as module
    rng = np.random.default_rng(5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "next_edge", next_edge.py_func)
        for _ in range(40):
            points, n_id, n_ood = _random_points(rng, 7)
            target = _random_target(rng, n_id, n_ood)
            found, best = module.sweep_lines(points, target), _best(points, target)
            assert found.value == best or abs(found.value - best) < 1e-12


def test_only_lines_between_walls_count():
    "A wall through the cell of the optimum leaves what lies beyond it."
    target = Target(True, 1, 0, 0., 0., .5, 0.)
    # below 1.45 lies a line that accepts the first ID input alone
    for low, value in ((-9., 0.), (1.45, 1/3)):
        walls = np.array([[low*np.sqrt(.5)]*2 + [9., 9.]])
        assert abs(sweep_arc(SIX, span(.7, .9), NOTHING, target, NO_LINE, walls, SIX).value - value) < 1e-15


@pytest.mark.parametrize("n", [0, 1, 2, 5, 14, 60, 500])
def test_sorting(n):
    keys, order = np.random.default_rng(n).integers(0, 50, n + 3)*1., np.full(n + 3, -7)
    sort_into(order, keys, n)
    assert sorted(order[:n].tolist()) == list(range(n)) and (np.diff(keys[order[:n]]) >= 0).all()
    assert (order[n:] == -7).all()


@pytest.mark.parametrize("low, high", [(0., 49.), (0., 50.), (-1e3, 1e3), (-1e300, 1e-300)])
@pytest.mark.parametrize("n", [0, 1, 2, 5, 60, 500])
def test_dealing(n, low, high):
    rng = np.random.default_rng(n)
    keys = rng.integers(0, 50, n + 3)*1. if low == 0 else rng.uniform(low, high, n + 3)
    order = np.full(n + 3, -7)
    deal_into(order, keys, n, low, high, np.empty(n + 1, int))
    assert sorted(order[:n].tolist()) == list(range(n)) and (order[n:] == -7).all()
    fell = np.maximum.accumulate(keys[order[:n]]) - keys[order[:n]]
    assert (fell <= (high - low)/max(n - 1, 1)).all()                # never by more than a bucket
    shell_sort(order, keys, n)
    assert (np.diff(keys[order[:n]]) >= 0).all() and sorted(order[:n].tolist()) == list(range(n))


def test_dealing_of_equal_keys():
    order = np.empty(3, int)
    deal_into(order, np.full(3, 2.), 3, 2., 2., np.empty(4, int))
    assert order.tolist() == [0, 1, 2]


@pytest.mark.parametrize("line, inside", [(.5, True), (0., True), (1., True), (-1e-8, False),
                                          (1 + 1e-8, False), (-5e-10, True), (1 + 5e-10, True)])
def test_walls(line, inside):
    walls = np.array([[-9., -9., 9., 9.], [0., 0., 1., 0.]])
    assert between_walls(line, direction(0.), walls) == inside and between_walls(line, direction(0.),
                                                                                 NO_WALLS)

EVERY = [(45., 1), (45., 1), (63.4, 1)]      # (degrees, in or out) about the first ID input

@pytest.mark.parametrize("low, high, accepted, counts, events", [
    (0., np.pi/2, NOTHING, (1., 0., 0.), EVERY), (0., np.pi/2, Counts(2., 1., .5), (3., 1., .5), EVERY),
    (.9, np.pi/2, NOTHING, (3., 0., 1.), EVERY[2:]), (.2, .7, NOTHING, (1., 0., 0.), [])])
def test_turning_about_a_point(low, high, accepted, counts, events):
    i, room = int(np.flatnonzero((SIX.r == 0) & (SIX.g == 2))[0]), room_for_events(6)
    found, n = turn_about(SIX, i, span(low, high), accepted, room)
    assert tuple(found) == counts
    assert [(round(np.degrees(room.angle[k]), 1), int(room.times[k])) for k in room.order[:n]] == events


@pytest.mark.parametrize("low, high, inside", [(1., 0., 1.), (0., 1., 0.), (1., 1., 1.)])
def test_a_tie_at_an_end_counts_as_what_it_is_inside(low, high, inside):
    "Directions (1, 0) and (0, 1): the two points tie where their first or second scores are equal."
    p = Points(np.array([0., low - 1.]), np.array([0., high - 1.]), np.ones(2), np.zeros(2), np.zeros(2), 0.,
               0.)
    counts, n = turn_about(p, 0, span(0., np.pi/2), NOTHING, room_for_events(2))
    assert (counts.n_id, n) == ({(1., 0.): 2., (0., 1.): 2., (1., 1.): 2.}[low, high], 0)
