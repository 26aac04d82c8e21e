"""Tests of nbs/ood/04_double.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.ood.models import BoundedPrecisionRecall
from reject_nb.ood.models import BoundedTPRFPR
from reject_nb.ood.models import CostBasedOOD
from reject_nb.ood.single import target_of
from reject_nb.ood.single import value_by_definition

from reject_nb.ood.double import (
    branch_and_bound, brute_force_double, brute_force_nearest, correlated_sample, merged, models_for_double,
    naive_grid, same_when_applied, sweep_arc, tune_double_score,
)

def test_against_brute_force_with_ties():
    rng, status = np.random.default_rng(1), set()
    for _ in range(60):
        n = int(rng.integers(3, 14))
        is_ood = rng.random(n) < .35
        is_ood[:2] = False, True
        s_r, s_g = rng.integers(0, int(rng.integers(2, 12)), n).astype(float), rng.integers(0, int(rng.integers(2, 12)), n) + 2.*is_ood
        losses = (rng.random(n) < .4).astype(float) if rng.random() < .6 else rng.random(n)
        for model in models_for_double(rng):
            best = brute_force_double(losses, s_r, s_g, is_ood, model)
            for method in ("exact", "certified"):
                t = tune_double_score(losses, s_r, s_g, is_ood, model, method)
                status.add(t.status)
                assert (t.status == "infeasible") == np.isinf(best), (method, t, best)
                if np.isfinite(best): assert abs(t.objective - best) < 1e-12, (method, t, best)
    assert status == {"optimal", "infeasible"}


def test_branch_and_bound_against_the_sweep():
    rng = np.random.default_rng(2)
    for _ in range(24):
        losses, s_r, s_g, is_ood = correlated_sample(rng, int(rng.integers(100, 500)))
        for model in models_for_double(rng):
            a, b = (tune_double_score(losses, s_r, s_g, is_ood, model, method) for method in ("exact", "certified"))
            assert a.status == b.status
            if a.status == "optimal": assert abs(a.objective - b.objective) < 1e-12 and b.gap < 1e-9


def test_scales_do_not_matter():
    rng = np.random.default_rng(3)
    for _ in range(6):
        losses, s_r, s_g, is_ood = correlated_sample(rng, 400)
        for model in models_for_double(rng):
            a = tune_double_score(losses, s_r, s_g, is_ood, model)
            b = tune_double_score(losses, s_r*1e-4 + 3e-4, s_g*1e5 - 7e5, is_ood, model)
            assert a.status == b.status
            if a.status == "optimal":
                assert abs(a.objective - b.objective) < 1e-12


def test_rounded_scores():
    "Many ties, collinear points and repeated points: certified, exact and brute force agree, in any units."
    rng, seen = np.random.default_rng(11), set()
    for trial in range(40):
        n, digits = int(rng.integers(4, 15)), int(rng.integers(0, 2))
        is_ood = rng.random(n) < rng.choice([.2, .5])
        is_ood[:2] = False, True
        s_r, s_g = np.round(rng.exponential(size=n), digits), np.round(rng.gamma(1 + is_ood), digits)
        losses = (rng.random(n) < .4).astype(float) if trial % 2 else np.round(rng.random(n), 1)
        for model in models_for_double(rng):
            best = brute_force_double(losses, s_r, s_g, is_ood, model)
            for method, r, g in (("exact", s_r, s_g), ("certified", s_r, s_g), ("certified", s_r*1e-3 + 5, s_g*7e4), ("certified", 3*s_r, s_g/128 - 1)):
                t = tune_double_score(losses, r, g, is_ood, model, method)
                seen.add((t.status, type(model).__name__))
                assert (t.status == "infeasible") == np.isinf(best), (trial, method, model)
                if np.isfinite(best): assert abs(t.objective - best) < 1e-12, (trial, method, model)
                else:
                    nearest = brute_force_nearest(s_r, s_g, is_ood, model)
                    assert all(abs(t.nearest[k] - x) < 1e-12 for k, x in nearest.items()), (trial, method, model)
    assert len(seen) == 5                     # all but a cost-based target that is out of reach


def test_rounded_scores_of_larger_samples():
    rng = np.random.default_rng(12)
    for _ in range(12):
        n = int(rng.integers(50, 300))
        is_ood = rng.random(n) < .3
        s_r, s_g, losses = np.round(rng.beta(1, 3, n), 1), np.round(rng.gamma(1 + 1.5*is_ood), int(rng.integers(0, 2))), (rng.random(n) < .2).astype(float)
        for model in models_for_double(rng):
            a, b = (tune_double_score(losses, s_r, s_g, is_ood, model, method) for method in ("exact", "certified"))
            assert a.status == b.status and a.nearest.keys() == b.nearest.keys()
            assert all(abs(a.nearest[k] - b.nearest[k]) < 1e-12 for k in a.nearest)
            if a.status == "optimal": assert abs(a.objective - b.objective) < 1e-12


def test_nearest_targets_are_those_of_all_lines():
    rng, moved = np.random.default_rng(13), 0
    for _ in range(8):
        losses, s_r, s_g, is_ood = correlated_sample(rng, 300)
        s_r = s_r + .3*is_ood                  # both scores know something of OOD
        for model in (BoundedTPRFPR(.9, .05), BoundedPrecisionRecall(.99, .8)):
            a, b, grid = (tune_double_score(losses, s_r, s_g, is_ood, model, method) for method in ("exact", "certified", "grid"))
            assert a.status == b.status == "infeasible"
            for k, sign in (("tpr", 1), ("fpr", -1)) if isinstance(model, BoundedTPRFPR) else (("precision", 1), ("recall", 1)):
                assert abs(a.nearest[k] - b.nearest[k]) < 1e-12 and sign*(b.nearest[k] - grid.nearest[k]) > -1e-12
                moved += sign*(b.nearest[k] - grid.nearest[k]) > 1e-12
            reach = BoundedTPRFPR(b.nearest["tpr"], .05) if isinstance(model, BoundedTPRFPR) else BoundedPrecisionRecall(.99, b.nearest["recall"])
            assert tune_double_score(losses, s_r, s_g, is_ood, reach).status == "optimal"
    assert moved                              # the grid misses some


def test_stopped_early_the_bound_holds():
    rng, limits, closer = np.random.default_rng(14), 0, 0
    for _ in range(8):
        losses, s_r, s_g, is_ood = correlated_sample(rng, 2000)
        for model in (BoundedTPRFPR(.6, .4), BoundedPrecisionRecall(.8, .5), CostBasedOOD(.3, 1., 0., .4)):
            best = tune_double_score(losses, s_r, s_g, is_ood, model)
            if best.status != "optimal": continue
            for arcs in (0, 1, 5, 20):
                t = tune_double_score(losses, s_r, s_g, is_ood, model, max_arcs=arcs)
                assert t.bound <= best.objective + 1e-12 <= t.objective + 2e-12
                if t.status == "limit":
                    limits += 1
                    assert "stopped" in t.message and abs(t.gap - (t.objective - t.bound)) < 1e-15
                    closer += t.bound > .5*best.objective
                else: assert t.objective == best.objective
    assert limits > 40 and closer > limits/2  # not the trivial bound
    losses, s_r, s_g, is_ood = correlated_sample(np.random.default_rng(17), 2000)
    s_r = s_r + .3*is_ood
    reach = tune_double_score(losses, s_r, s_g, is_ood, BoundedTPRFPR(.9, .05)).nearest["tpr"]
    unmet = tune_double_score(losses, s_r, s_g, is_ood, BoundedTPRFPR(reach, .05), max_arcs=0)   # met by few angles only
    assert unmet.status == "limit" and not unmet.accept(s_r, s_g).any() and "max_arcs" in unmet.message


def test_no_cell_is_lost():
    r = np.random.default_rng(178)
    s_r, s_g, is_ood, losses = r.normal(size=8), r.normal(size=8), np.arange(8) >= 6, r.random(8)
    t = tune_double_score(losses, s_r, s_g, is_ood, BoundedTPRFPR(.5, .2))
    assert abs(t.objective - .470162) < 1e-6 and t.bound <= t.objective       # in a cell .0013 rad wide


def test_no_cell_is_lost_in_many_samples():
    rng, status = np.random.default_rng(21), set()
    for trial in range(600):
        n = int(rng.integers(3, 41))
        is_ood = rng.random(n) < rng.choice([0, .35])
        is_ood[0] = False
        losses, s_r, s_g = rng.random(n), rng.normal(size=n) + is_ood, rng.normal(size=n) + is_ood
        if trial % 4 == 1: s_g = np.clip(s_g, -.5, .5)
        if trial % 4 == 2: s_g = 1000 + 1e-3*s_g
        model = models_for_double(rng)[trial % (2 if not is_ood.any() else 3)]
        a, b = (tune_double_score(losses, s_r, s_g, is_ood, model, method) for method in ("exact", "certified"))
        status.add(a.status)
        assert a.status == b.status, trial
        if a.status == "infeasible": assert all(abs(a.nearest[k] - b.nearest[k]) < 1e-12 for k in a.nearest), trial
        else: assert abs(a.objective - b.objective) < 1e-12 and b.bound <= a.objective and same_when_applied(b, losses, s_r, s_g, is_ood, model), trial
        if n < 15 and trial % 4 == 0 and a.status == "optimal":
            assert abs(brute_force_double(losses, s_r, s_g, is_ood, model) - a.objective) < 1e-12, trial
    assert status == {"optimal", "infeasible"}


def test_small_leaves():
    "Pruned to the last points, the search finds what the sweep of all points does."
    rng, found = np.random.default_rng(22), 0
    for trial in range(60):
        n = int(rng.integers(20, 60))
        is_ood, losses = np.arange(n) < n//3, rng.random(n)
        s_r, s_g = (np.round(rng.normal(size=n) + .5*is_ood, 1 if trial % 3 == 0 else 9) for _ in range(2))
        model = BoundedTPRFPR(.5, .4) if trial % 2 else BoundedPrecisionRecall(.7, .4)
        target = target_of(model, n - n//3, n//3)
        w = np.where(is_ood, 0., losses)
        points = merged(s_r, s_g, is_ood, w)
        best, bound, _, done = branch_and_bound(points, target, (np.inf, np.nan, np.nan), arcs=3, leaf=8)
        exact = sweep_arc(*points, 0., np.pi/2, np.zeros(3), target.ratio, target.min_id, target.max_ood, target.w_id, target.w_ood, np.inf, np.empty((0, 4)), points, (0., 0.))
        assert done and (best[0] == exact[0] or abs(best[0] - exact[0]) < 1e-12) and bound <= exact[0], trial
        found += np.isfinite(best[0])
    assert found > 30


def test_any_scale():
    "Integers times any powers of ten: the rule returned meets the target and is the best of all lines."
    s_r, s_g, losses, is_ood = np.array([3., 1, 2]), np.array([1., 4, 3]), np.array([.7, .8, .2]), np.array([False, False, True])
    for scale in (1e-12, 1e-6, 1e-3, 1., 1e3, 1e6, 1e9, 1e12, 1e15):
        for method in ("exact", "certified"):
            t = tune_double_score(losses, s_r*scale, s_g, is_ood, BoundedTPRFPR(.6, 0.), method)
            assert t.status == "optimal" and abs(t.objective - .75) < 1e-12 and t.tpr == 1 and t.accept(s_r*scale, s_g).tolist() == [True, True, False], (scale, method)
    rng = np.random.default_rng(23)
    for trial in range(60):
        n = 8
        s_r, s_g, losses = rng.integers(-9, 10, n).astype(float), rng.integers(-9, 10, n).astype(float), rng.random(n)
        is_ood = rng.random(n) < .35
        is_ood[:2] = False, True
        x, y = 10.**rng.integers(-9, 10, 2)
        for model in models_for_double(rng):
            best = brute_force_double(losses, s_r, s_g, is_ood, model)
            for method in ("exact", "certified"):
                t = tune_double_score(losses, s_r*x, s_g*y, is_ood, model, method)
                assert (t.status == "infeasible") == np.isinf(best), (trial, method)
                if np.isfinite(best): assert abs(t.objective - best) < 1e-12 and same_when_applied(t, losses, s_r*x, s_g*y, is_ood, model), (trial, method)


def test_nearly_collinear():
    s_r, s_g = np.array([542., 408, 843, 673, 193, 142]), np.array([459., 593, 159, 329, 809, 860])
    is_ood, model = np.array([True, False, False, True, False, False]), BoundedTPRFPR(.8, .5)
    nearest = brute_force_nearest(s_r, s_g, is_ood, model)
    for method in ("exact", "certified"):
        for x, y in ((1, 1), (.1, .001)):
            t = tune_double_score(np.zeros(6), s_r*x, s_g*y, is_ood, model, method)
            assert t.status == "infeasible" and all(abs(t.nearest[k] - v) < 1e-12 for k, v in nearest.items()), (method, x)
    rng, status = np.random.default_rng(24), set()
    for trial in range(40):
        s_r = rng.integers(0, 1000, 7).astype(float)
        s_g, losses, is_ood = 1000 - s_r + rng.integers(0, 3, 7), rng.random(7), np.arange(7) > 4
        for model in models_for_double(rng):
            best = brute_force_double(losses, s_r, s_g, is_ood, model)
            for method in ("exact", "certified"):
                t = tune_double_score(losses, .1*s_r, .001*s_g, is_ood, model, method)
                status.add(t.status)
                assert (t.status == "infeasible") == np.isinf(best) and (np.isinf(best) or abs(t.objective - best) < 1e-12), (trial, method)
    assert status == {"optimal", "infeasible"}


def test_grid_keeps_ties():
    "At 0, 45 and 90 degrees integer sums are known exactly."
    rng, status = np.random.default_rng(25), set()
    s_r, s_g, is_ood = np.array([2., 2, 2, 1, 3, 1, 0, 1, 1]), np.array([0., 1, 2, 0, 3, 0, 3, 3, 2]), np.array([0, 1, 0, 0, 0, 0, 1, 1, 0]) > 0
    samples = [(np.array([.41, .87, .35, .82, .7, .11, .25, .98, .05]), s_r, s_g, is_ood)]
    for _ in range(200): samples.append((rng.random(9), rng.integers(0, 4, 9)*1., rng.integers(0, 4, 9)*1., np.arange(9) < rng.integers(1, 5)))
    for losses, s_r, s_g, is_ood in samples:
        for model in (BoundedTPRFPR(.6, .4), BoundedPrecisionRecall(.6, .5), CostBasedOOD(.3, 1., 0., .4)):
            t = tune_double_score(losses, s_r, s_g, is_ood, model, "grid", n_angles=3)
            best = min([model.cost(0, 0, 0) if isinstance(model, CostBasedOOD) else np.inf]
                       + [value_by_definition(losses, s <= x, is_ood, model) for s in (s_r, s_r + s_g, s_g) for x in np.unique(s)])
            status.add(t.status)
            assert (t.status == "infeasible") == np.isinf(best)
            if np.isfinite(best): assert abs(t.objective - best) < 1e-12 and same_when_applied(t, losses, s_r, s_g, is_ood, model)
    assert status == {"grid", "infeasible"}


def test_double_edges():
    losses, ood = np.array([0., 1, 0, 0]), np.array([False, False, True, True])
    for method in ("exact", "certified", "grid"):
        t = tune_double_score(losses, np.ones(4), np.ones(4), ood, BoundedTPRFPR(.5, .5), method)       # constant scores
        assert t.status == "infeasible" and t.nearest == {"tpr": 0., "fpr": 1.} and not t.accept([1.], [1.]).any()
        t = tune_double_score(losses, [1., 2, 1, 1], [0, 0, np.inf, np.inf], ood, BoundedTPRFPR(1, 0), method)
        assert t.status != "infeasible" and t.fpr == 0 and t.tpr == 1, method
        t = tune_double_score(losses, [1, np.inf, 3, 4], [1., 2, 3, 4], ood, BoundedTPRFPR(1, 0), method) # only angle pi/2 accepts the second
        assert t.status != "infeasible" and t.angle == np.pi/2 and t.selective_risk == .5
        t = tune_double_score(losses, np.full(4, np.inf), np.full(4, np.inf), ood, BoundedTPRFPR(.5, .5), method)
        assert t.status == "infeasible" and t.nearest == {"tpr": 0., "fpr": 1.}, method
        t = tune_double_score(losses, [1, 2, 3, 4], [4, 3, 2, 1], [False]*4, BoundedTPRFPR(.5, 0), method)
        assert t.status != "infeasible" and t.selective_risk == 0. and t.fpr == 0
        assert tune_double_score(losses, [1, 2, 3, 4], [4, 3, 2, 1], ood, BoundedTPRFPR(1, 1), method).tpr == 1
        with pytest.raises(ValueError, match="every input"): tune_double_score(losses, [1, 2, 3, 4], [4, 3, 2, 1], [True]*4, BoundedTPRFPR(.5, .5), method)
        with pytest.raises(ValueError, match="NaN"): tune_double_score(losses, [1, np.nan, 3, 4], [4, 3, 2, 1], ood, BoundedTPRFPR(.5, .5), method)
    with pytest.raises(ValueError, match="-inf"): tune_double_score(losses, [1, -np.inf, 3, 4], [4, 3, 2, 1], ood, BoundedTPRFPR(.5, .5))
    with pytest.raises(ValueError, match="method"): tune_double_score(losses, [1, 2, 3, 4], [4, 3, 2, 1], ood, BoundedTPRFPR(.5, .5), "best")
    with pytest.raises(ValueError, match="one shape"): tune_double_score(losses, [1, 2, 3], [4, 3, 2, 1], ood, BoundedTPRFPR(.5, .5))
    with pytest.raises(ValueError, match="s_r"): tune_double_score(losses, None, [4, 3, 2, 1], ood, BoundedTPRFPR(.5, .5))
    for name, value in (("n_angles", 0), ("n_angles", 2.5), ("upper", np.nan), ("max_arcs", -1), ("max_arcs", "a")):
        with pytest.raises(ValueError, match=name): tune_double_score(losses, [1, 2, 3, 4], [4, 3, 2, 1], ood, BoundedTPRFPR(.5, .5), **{name: value})


def test_grid_is_the_paper_s():
    rng = np.random.default_rng(4)
    losses, s_r, s_g, is_ood = correlated_sample(rng, 3000)
    angles = np.linspace(0, np.pi/2, 60)
    for model in (BoundedTPRFPR(.6, .3), BoundedTPRFPR(.3, .6), BoundedPrecisionRecall(.8, .5), CostBasedOOD(.3, 1., 0., .4)):
        t, naive = tune_double_score(losses, s_r, s_g, is_ood, model, "grid", n_angles=60), naive_grid(losses, s_r, s_g, is_ood, model, angles)
        value = naive[0] + target_of(model, (~is_ood).sum(), is_ood.sum()).constant
        assert abs(t.objective - value) < 1e-12 and t.gap == np.inf
        assert tune_double_score(losses, s_r, s_g, is_ood, model).objective <= value + 1e-12
