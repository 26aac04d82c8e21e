"""Tests of nbs/ood/04_double.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.ood.models import BoundedPrecisionRecall
from reject_nb.ood.models import BoundedTPRFPR
from reject_nb.ood.models import CostBasedOOD
from reject_nb.ood.single import target_of

from reject_nb.ood.double import brute_force_double, brute_force_nearest, correlated_sample, models_for_double, naive_grid, tune_double_score

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


def test_grid_is_the_paper_s():
    rng = np.random.default_rng(4)
    losses, s_r, s_g, is_ood = correlated_sample(rng, 3000)
    angles = np.linspace(0, np.pi/2, 60)
    for model in (BoundedTPRFPR(.6, .3), BoundedTPRFPR(.3, .6), BoundedPrecisionRecall(.8, .5), CostBasedOOD(.3, 1., 0., .4)):
        t, naive = tune_double_score(losses, s_r, s_g, is_ood, model, "grid", n_angles=60), naive_grid(losses, s_r, s_g, is_ood, model, angles)
        value = naive[0] + target_of(model, (~is_ood).sum(), is_ood.sum()).constant
        assert abs(t.objective - value) < 1e-12 and t.gap == np.inf
        assert tune_double_score(losses, s_r, s_g, is_ood, model).objective <= value + 1e-12
