"""Tests of nbs/ood/09_double.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from itertools import combinations
from reject_nb.core.results import Status
from reject_nb.ood import BoundedTPRFPR
from reject_nb.ood.lines import Found
from reject_nb.ood.models import BoundedPrecisionRecall
from reject_nb.ood.models import CostBasedOOD
from reject_nb.ood.sample import line_score
from reject_nb.ood.sample import read_pair
from reject_nb.ood.single import TunedOOD
from reject_nb.ood.single import target_of

from reject_nb.ood.double import (
    applied, as_given, middle_of_gap, scale_of, selective_risk_at, tune_double_score,
)

LINES = ("exact", "certified")

def _value_by_definition(losses, on, is_ood, model):
    "Value of accepting the inputs `on`, by the definitions; inf where the targets are missed."
    n_id, n_ood = (~is_ood).sum(), is_ood.sum()
    x, y = (on & ~is_ood).sum(), (on & is_ood).sum()
    tpr, fpr, lost = x/n_id, y/n_ood if n_ood else 0., losses[on & ~is_ood].sum()
    if isinstance(model, CostBasedOOD): return model.cost(tpr, fpr, lost/n_id)
    if not x: return np.inf
    if isinstance(model, BoundedTPRFPR):
        return lost/x if tpr >= model.min_tpr and fpr <= model.max_fpr else np.inf
    p = is_ood.mean() if model.prior is None else model.prior
    kappa = (1 - p)*tpr/((1 - p)*tpr + p*fpr)
    return lost/x if tpr >= model.min_recall and kappa >= model.min_precision - 1e-13 else np.inf


def _all_lines(s_r, s_g):
    "What every line with an angle in [0, pi/2] accepts: all thresholds at, and between, angles of ties."
    cuts = {0., np.pi/2}
    for i, j in combinations(range(len(s_r)), 2):
        if (s_r[i] - s_r[j])*(s_g[i] - s_g[j]) < 0:
            cuts.add(float(np.arctan2(abs(s_r[i] - s_r[j]), abs(s_g[i] - s_g[j]))))
    cuts = np.array(sorted(cuts))
    cuts = cuts[np.append(True, np.diff(cuts) > 1e-9)]
    scores = [np.round(np.cos(a)*s_r + np.sin(a)*s_g, 9)
              for a in np.concatenate([cuts, (cuts[1:] + cuts[:-1])/2])]
    return np.unique(np.concatenate([s <= np.unique(s)[:, None] for s in scores]), axis=0)


def _brute_force(losses, s_r, s_g, is_ood, model):
    "Least objective of all lines by the definitions."
    best = model.cost(0, 0, 0) if isinstance(model, CostBasedOOD) else np.inf
    return min([best, *(_value_by_definition(losses, on, is_ood, model) for on in _all_lines(s_r, s_g))])


def _brute_force_nearest(s_r, s_g, is_ood, model):
    "The nearest targets of all lines, and of accepting nothing, by the definitions."
    lines = np.vstack([np.zeros(len(s_r), bool), _all_lines(s_r, s_g)])
    tpr, fpr = lines[:, ~is_ood].mean(1), lines[:, is_ood].mean(1)
    if isinstance(model, BoundedTPRFPR):
        return dict(tpr=tpr[fpr <= model.max_fpr + 1e-12].max(),
                    fpr=fpr[(tpr >= model.min_tpr - 1e-12) & (tpr > 0)].min())
    p = is_ood.mean() if model.prior is None else model.prior
    kappa = np.divide((1 - p)*tpr, (1 - p)*tpr + p*fpr, out=np.ones(len(tpr)), where=tpr + fpr > 0)
    return dict(precision=kappa[(tpr >= model.min_recall - 1e-12) & (tpr > 0)].max(),
                recall=tpr[kappa >= model.min_precision - 1e-12].max())


def _models(rng):
    "One model of each kind."
    return (BoundedTPRFPR(rng.choice([0, .3, .5, .8, 1]), rng.choice([0, .2, .4, 1])),
            BoundedPrecisionRecall(rng.choice([.5, .7, .9, 1]), rng.choice([0, .3, .6]), None),
            CostBasedOOD(rng.uniform(.1, .6), 1., 0., rng.uniform(.1, .8)))


def _correlated_sample(rng, n):
    "A sample with ties or real losses now and then: (losses, s_r, s_g, is_ood)."
    is_ood = rng.random(n) < .35
    s_r = rng.beta(1, 3, n)
    losses = (rng.random(n) < s_r).astype(float)
    s_g = rng.gamma(1 + 1.5*is_ood)
    if rng.random() < .3: s_r, s_g = np.round(s_r, 1), np.round(s_g, 1)
    elif rng.random() < .5: losses = rng.random(n)*s_r
    return losses, s_r, s_g, is_ood


def _holds(t, losses, s_r, s_g, is_ood, model):
    "Whether the values of a result are those of its rule, by the definitions."
    on = t.accept(s_r, s_g)
    own, ood = (on & ~is_ood).sum(), (on & is_ood).sum()
    rates = own/(~is_ood).sum(), ood/is_ood.sum() if is_ood.any() else 0.
    same = abs(_value_by_definition(losses, on, is_ood, model) - t.objective) < 1e-12
    return same and abs(rates[0] - t.tpr) < 1e-15 and abs(rates[1] - t.fpr) < 1e-15


def _near(a, b): return a.keys() == b.keys() and all(abs(a[k] - b[k]) < 1e-12 for k in a)


@pytest.mark.parametrize("kind", range(3))
@pytest.mark.parametrize("method", LINES)
def test_brute_force_with_ties_and_infinite_scores(kind, method):
    rng, status = np.random.default_rng(1), set()
    for trial in range(60):
        n = int(rng.integers(3, 13))
        is_ood = rng.random(n) < .35
        is_ood[:2] = False, True
        s_r = rng.integers(0, int(rng.integers(2, 12)), n)*1.
        s_g = rng.integers(0, int(rng.integers(2, 12)), n) + 2.*is_ood
        losses = (rng.random(n) < .4).astype(float) if rng.random() < .6 else rng.random(n)
        model = _models(rng)[kind]
        lines = _all_lines(s_r, s_g)
        if trial % 3 == 0:                     # infinite: accepted at an end only, where the weight is 0
            out_r, out_g = rng.random(n) < .2, rng.random(n) < .2
            ends = [s <= c for s in (np.where(out_r, np.inf, s_r), np.where(out_g, np.inf, s_g))
                    for c in np.unique(s)]
            lines = np.vstack([lines & ~(out_r | out_g), *ends])
            s_r, s_g = np.where(out_r, np.inf, s_r), np.where(out_g, np.inf, s_g)
        nothing = [model.cost(0, 0, 0)] if kind == 2 else [np.inf]
        best = min([*nothing, *(_value_by_definition(losses, on, is_ood, model) for on in lines)])
        t = tune_double_score(losses, s_r, s_g, is_ood, model, method)
        status.add(t.status)
        assert (t.status == Status.infeasible) == np.isinf(best), (trial, t, best)
        if np.isfinite(best):
            assert abs(t.objective - best) < 1e-12 and _holds(t, losses, s_r, s_g, is_ood, model), (trial, t,
                                                                                                    best)
    assert status == ({Status.optimal} if kind == 2 else {Status.optimal, Status.infeasible})


@pytest.mark.parametrize("kind", range(3))
def test_branch_and_bound_against_the_sweep(kind):
    rng = np.random.default_rng(2)
    for _ in range(24):
        losses, s_r, s_g, is_ood = _correlated_sample(rng, int(rng.integers(100, 500)))
        model = _models(rng)[kind]
        a, b = (tune_double_score(losses, s_r, s_g, is_ood, model, method) for method in LINES)
        assert a.status == b.status
        if a.status == Status.optimal:
            assert abs(a.objective - b.objective) < 1e-12 and b.gap_abs < 1e-9 and b.gap*b.objective < 1e-9


@pytest.mark.parametrize("kind", range(3))
def test_scales_do_not_matter(kind):
    rng = np.random.default_rng(3)
    for _ in range(6):
        losses, s_r, s_g, is_ood = _correlated_sample(rng, 400)
        model = _models(rng)[kind]
        a = tune_double_score(losses, s_r, s_g, is_ood, model)
        b = tune_double_score(losses, s_r*1e-4 + 3e-4, s_g*1e5 - 7e5, is_ood, model)
        assert a.status == b.status and (a.status == Status.infeasible
                                         or abs(a.objective - b.objective) < 1e-12)


@pytest.mark.parametrize("kind", range(3))
def test_rounded_scores(kind):
    "Many ties, collinear points and repeated points: certified, exact and brute force agree, in any units."
    rng, seen = np.random.default_rng(11), set()
    for trial in range(40):
        n, digits = int(rng.integers(4, 15)), int(rng.integers(0, 2))
        is_ood = rng.random(n) < rng.choice([.2, .5])
        is_ood[:2] = False, True
        s_r, s_g = np.round(rng.exponential(size=n), digits), np.round(rng.gamma(1 + is_ood), digits)
        losses = (rng.random(n) < .4).astype(float) if trial % 2 else np.round(rng.random(n), 1)
        model = _models(rng)[kind]
        best = _brute_force(losses, s_r, s_g, is_ood, model)
        for method, r, g in (("exact", s_r, s_g), ("certified", s_r, s_g),
                             ("certified", s_r*1e-3 + 5, s_g*7e4), ("certified", 3*s_r, s_g/128 - 1)):
            t = tune_double_score(losses, r, g, is_ood, model, method)
            seen.add(t.status)
            assert (t.status == Status.infeasible) == np.isinf(best), (trial, method)
            if np.isfinite(best): assert abs(t.objective - best) < 1e-12, (trial, method)
            else: assert _near(t.nearest, _brute_force_nearest(s_r, s_g, is_ood, model)), (trial, method)
    assert seen == ({Status.optimal} if kind == 2 else {Status.optimal, Status.infeasible})


@pytest.mark.parametrize("kind", range(3))
def test_rounded_scores_of_larger_samples(kind):
    rng = np.random.default_rng(12)
    for _ in range(12):
        n = int(rng.integers(50, 300))
        is_ood = rng.random(n) < .3
        s_r = np.round(rng.beta(1, 3, n), 1)
        s_g = np.round(rng.gamma(1 + 1.5*is_ood), int(rng.integers(0, 2)))
        losses, model = (rng.random(n) < .2).astype(float), _models(rng)[kind]
        a, b = (tune_double_score(losses, s_r, s_g, is_ood, model, method) for method in LINES)
        assert a.status == b.status and _near(a.nearest, b.nearest)
        if a.status == Status.optimal: assert abs(a.objective - b.objective) < 1e-12


@pytest.mark.parametrize("model, keys", [(BoundedTPRFPR(.9, .05), (("tpr", 1), ("fpr", -1))),
                                         (BoundedPrecisionRecall(.99, .8),
                                          (("precision", 1), ("recall", 1)))])
def test_nearest_targets_are_those_of_all_lines(model, keys):
    rng, moved = np.random.default_rng(13), 0
    for _ in range(8):
        losses, s_r, s_g, is_ood = _correlated_sample(rng, 300)
        s_r = s_r + .3*is_ood                  # both scores know something of OOD
        a, b, grid = (tune_double_score(losses, s_r, s_g, is_ood, model, method)
                      for method in (*LINES, "grid"))
        assert a.status == b.status == Status.infeasible and _near(a.nearest,
                                                                   b.nearest) and "angles" in grid.message
        for k, sign in keys:
            assert sign*(b.nearest[k] - grid.nearest[k]) > -1e-12
            moved += sign*(b.nearest[k] - grid.nearest[k]) > 1e-12
        first = (BoundedTPRFPR(b.nearest["tpr"], .05) if keys[0][0] == "tpr"
                 else BoundedPrecisionRecall(.99, b.nearest["recall"]))
        assert tune_double_score(losses, s_r, s_g, is_ood, first).status == Status.optimal
    assert moved                               # the grid misses some


@pytest.mark.parametrize("model", [BoundedTPRFPR(.6, .4), BoundedPrecisionRecall(.8, .5),
                                   CostBasedOOD(.3, 1., 0., .4)])
def test_stopped_early_the_bound_holds(model):
    rng, limits, closer = np.random.default_rng(14), 0, 0
    for _ in range(8):
        losses, s_r, s_g, is_ood = _correlated_sample(rng, 2000)
        best = tune_double_score(losses, s_r, s_g, is_ood, model)
        if best.status != Status.optimal: continue
        for arcs in (0, 1, 5, 20):
            t = tune_double_score(losses, s_r, s_g, is_ood, model, max_arcs=arcs)
            assert t.bound <= best.objective + 1e-12 <= t.objective + 2e-12
            if t.status == Status.iteration_limit:
                limits += 1
                assert "stopped" in t.message and abs(t.gap_abs - (t.objective - t.bound)) < 1e-15
                assert t.evaluated <= arcs
                assert abs(t.gap - t.gap_abs/t.objective) < 1e-15
                closer += t.bound > .5*best.objective
            else: assert t.objective == best.objective
    assert limits > 10 and closer > limits/3   # not the trivial bound


def test_stopped_before_any_line_met_the_target():
    losses, s_r, s_g, is_ood = _correlated_sample(np.random.default_rng(17), 2000)
    s_r = s_r + .3*is_ood
    reach = tune_double_score(losses, s_r, s_g, is_ood, BoundedTPRFPR(.9, .05)).nearest["tpr"]
    # met by few angles only
    t = tune_double_score(losses, s_r, s_g, is_ood, BoundedTPRFPR(reach, .05), max_arcs=0)
    assert t.status == Status.iteration_limit and not t.accept(s_r, s_g).any() and "max_arcs" in t.message
    assert t.gap_abs == t.gap == np.inf and t.bound < 1 and np.isinf(t.objective)
    late = tune_double_score(losses, s_r, s_g, is_ood, BoundedTPRFPR(reach, .05), time_limit=1e-9)
    assert late.status == Status.time_limit and "time_limit" in late.message and late.evaluated == 0


def test_a_limit_of_time_leaves_a_bound():
    losses, s_r, s_g, is_ood = _correlated_sample(np.random.default_rng(3), 500)
    model = BoundedTPRFPR(.5, .5)
    best = tune_double_score(losses, s_r, s_g, is_ood, model, time_limit=60)
    late = tune_double_score(losses, s_r, s_g, is_ood, model, time_limit=1e-9)
    assert best.status == Status.optimal and late.evaluated == 0
    assert late.status == Status.time_limit and late.bound <= best.objective <= late.objective


def test_no_cell_is_lost():
    r = np.random.default_rng(178)
    s_r, s_g, is_ood, losses = r.normal(size=8), r.normal(size=8), np.arange(8) >= 6, r.random(8)
    t = tune_double_score(losses, s_r, s_g, is_ood, BoundedTPRFPR(.5, .2))
    assert abs(t.objective - .470162) < 1e-6 and t.bound <= t.objective       # in a cell .0013 rad wide


@pytest.mark.parametrize("part", range(4))
def test_no_cell_is_lost_in_many_samples(part):
    rng, status = np.random.default_rng(21 + part), set()
    for trial in range(150):
        n = int(rng.integers(3, 41))
        is_ood = rng.random(n) < rng.choice([0, .35])
        is_ood[0] = False
        losses, s_r, s_g = rng.random(n), rng.normal(size=n) + is_ood, rng.normal(size=n) + is_ood
        if part == 1: s_g = np.clip(s_g, -.5, .5)
        if part == 2: s_g = 1000 + 1e-3*s_g
        model = _models(rng)[trial % (2 if not is_ood.any() else 3)]
        a, b = (tune_double_score(losses, s_r, s_g, is_ood, model, method) for method in LINES)
        status.add(a.status)
        assert a.status == b.status, trial
        if a.status == Status.infeasible: assert _near(a.nearest, b.nearest), trial
        else:
            assert abs(a.objective - b.objective) < 1e-12 and b.bound <= a.objective and _holds(b, losses,
                                                                                                s_r, s_g,
                                                                                                is_ood,
                                                                                                model), trial
        if n < 15 and part == 0 and a.status == Status.optimal:
            assert abs(_brute_force(losses, s_r, s_g, is_ood, model) - a.objective) < 1e-12, trial
    assert status == {Status.optimal, Status.infeasible}


@pytest.mark.parametrize("scale", [1e-12, 1e-6, 1e-3, 1., 1e3, 1e6, 1e9, 1e12, 1e15])
@pytest.mark.parametrize("method", LINES)
def test_any_scale(scale, method):
    s_r = np.array([3., 1, 2])
    s_g = np.array([1., 4, 3])
    losses = np.array([.7, .8, .2])
    is_ood = np.array([False, False, True])
    t = tune_double_score(losses, s_r*scale, s_g, is_ood, BoundedTPRFPR(.6, 0.), method)
    assert t.status == Status.optimal and abs(t.objective - .75) < 1e-12 and t.tpr == 1
    assert t.accept(s_r*scale, s_g).tolist() == [True, True, False]


@pytest.mark.parametrize("kind", range(3))
def test_integers_times_powers_of_ten(kind):
    "The rule returned meets the target and is the best of all lines."
    rng = np.random.default_rng(23)
    for trial in range(60):
        n = 8
        s_r, s_g, losses = rng.integers(-9, 10, n)*1., rng.integers(-9, 10, n)*1., rng.random(n)
        is_ood = rng.random(n) < .35
        is_ood[:2] = False, True
        x, y = 10.**rng.integers(-9, 10, 2)
        model = _models(rng)[kind]
        best = _brute_force(losses, s_r, s_g, is_ood, model)
        for method in LINES:
            t = tune_double_score(losses, s_r*x, s_g*y, is_ood, model, method)
            assert (t.status == Status.infeasible) == np.isinf(best), (trial, method)
            if np.isfinite(best):
                assert abs(t.objective - best) < 1e-12 and _holds(t, losses, s_r*x, s_g*y, is_ood,
                                                                  model), (trial, method)


@pytest.mark.parametrize("x, y", [(1, 1), (.1, .001)])
@pytest.mark.parametrize("method", LINES)
def test_nearly_collinear_and_out_of_reach(method, x, y):
    s_r, s_g = np.array([542., 408, 843, 673, 193, 142]), np.array([459., 593, 159, 329, 809, 860])
    is_ood, model = np.array([True, False, False, True, False, False]), BoundedTPRFPR(.8, .5)
    t = tune_double_score(np.zeros(6), s_r*x, s_g*y, is_ood, model, method)
    assert t.status == Status.infeasible and _near(t.nearest, _brute_force_nearest(s_r, s_g, is_ood, model))


@pytest.mark.parametrize("method", LINES)
def test_nearly_collinear(method):
    rng, status = np.random.default_rng(24), set()
    for trial in range(40):
        s_r = rng.integers(0, 1000, 7)*1.
        s_g, losses, is_ood = 1000 - s_r + rng.integers(0, 3, 7), rng.random(7), np.arange(7) > 4
        for model in _models(rng):
            best = _brute_force(losses, s_r, s_g, is_ood, model)
            t = tune_double_score(losses, .1*s_r, .001*s_g, is_ood, model, method)
            status.add(t.status)
            assert (t.status == Status.infeasible) == np.isinf(best), trial
            assert np.isinf(best) or abs(t.objective - best) < 1e-12, trial
    assert status == {Status.optimal, Status.infeasible}

FOUR = np.array([0., 1, 0, 0])
OOD4 = np.array([False, False, True, True])
INF = np.inf

@pytest.mark.parametrize("method", [*LINES, "grid"])
def test_edges(method):
    def tune(s_r, s_g, model, ood=OOD4): return tune_double_score(FOUR, s_r, s_g, ood, model, method)
    t = tune(np.ones(4), np.ones(4), BoundedTPRFPR(.5, .5))                          # constant scores
    assert t.status == Status.infeasible and t.nearest == {"tpr": 0., "fpr": 1.}
    assert not t.accept([1.], [1.]).any() and t.gap == 0
    t = tune([1., 2, 1, 1], [0, 0, INF, INF], BoundedTPRFPR(1, 0))
    assert t.status != Status.infeasible and t.fpr == 0 and t.tpr == 1
    t = tune([1, INF, 3, 4], [1., 2, 3, 4], BoundedTPRFPR(1, 0))  # only angle pi/2 accepts the second
    assert t.status != Status.infeasible and t.angle == np.pi/2 and t.selective_risk == .5
    assert t.threshold == 2.5
    t = tune(np.full(4, INF), np.full(4, INF), BoundedTPRFPR(.5, .5))
    assert t.status == Status.infeasible and t.nearest == {"tpr": 0., "fpr": 1.}
    t = tune([1, 2, 3, 4], [4, 3, 2, 1], BoundedTPRFPR(.5, 0), [False]*4)
    assert t.status != Status.infeasible and t.selective_risk == 0. and t.fpr == 0 and "no OOD" in t.message
    assert tune([1, 2, 3, 4], [4, 3, 2, 1], BoundedTPRFPR(1, 1)).tpr == 1
    # nothing is worth accepting but what is free
    t = tune([1, 2, 3, 4], [4, 3, 2, 1], CostBasedOOD(0., 1., 0., .9))
    assert t.status == (Status.grid if method == "grid" else Status.optimal) and t.fpr == 0


@pytest.mark.parametrize("change, named", [
    (dict(is_ood=[True]*4), "is_ood"), (dict(s_r=[1, np.nan, 3, 4]), "s_r"),
    (dict(s_r=[1, -INF, 3, 4]), "s_r"), (dict(method="best"), "method"),
    (dict(s_r=[1, 2, 3]), "s_g"), (dict(s_r=None), "s_r"), (dict(n_angles=0), "n_angles"),
    (dict(n_angles=2.5), "n_angles"), (dict(model=None), "model"),
    (dict(upper=np.nan), "upper"), (dict(upper=3.2), "upper"), (dict(max_arcs=-1), "max_arcs"),
    (dict(max_arcs="a"), "max_arcs"), (dict(losses=None), "losses"), (dict(time_limit=0), "time_limit"),
    (dict(time_limit=True), "time_limit")])
def test_bad_input_is_named(change, named):
    good = dict(losses=FOUR, s_r=[1, 2, 3, 4], s_g=[4, 3, 2, 1], is_ood=OOD4, model=BoundedTPRFPR(.5, .5))
    with pytest.raises(ValueError, match=named): tune_double_score(**{**good, **change})


@pytest.mark.parametrize("model", [BoundedTPRFPR(.6, .3), BoundedTPRFPR(.3, .6),
                                   BoundedPrecisionRecall(.8, .5), CostBasedOOD(.3, 1., 0., .4)])
def test_grid_is_the_paper_s(model):
    from reject_nb.ood.grid import naive_grid
    losses, s_r, s_g, is_ood = _correlated_sample(np.random.default_rng(4), 3000)
    naive = naive_grid(losses, s_r, s_g, is_ood, model, np.linspace(0, np.pi/2, 60))
    t = tune_double_score(losses, s_r, s_g, is_ood, model, "grid", n_angles=60)
    value = naive.objective + target_of(model, (~is_ood).sum(), is_ood.sum()).constant
    assert abs(t.objective - value) < 1e-12 and t.gap_abs == t.gap == np.inf and t.evaluated == 60
    assert tune_double_score(losses, s_r, s_g, is_ood, model).objective <= value + 1e-12


@pytest.mark.parametrize("s, threshold, expected", [
    ([0., 1, 2], 1., 1.5), ([0., 1, 2], 2., 2.000000004), ([0., INF], 0., 0.), ([1., 3, INF], INF, INF),
    ([1., 3], -INF, -INF),
    ([1., np.nextafter(1., 2.)], 1., 1.), ([-4., -2, INF], -2., -2 + 4e-9)])
def test_middle_of_gap(s, threshold, expected):
    middle = middle_of_gap(np.array(s), threshold)
    assert abs(middle - expected) < 1e-15 or middle == expected


@pytest.mark.parametrize("s, centre, unit", [([0., 1, 2, 3, 4], 2., 2.), ([7., 7], 7., 1.),
                                             ([1e300, 1.1e300], 1.1e300, 2.**992),
                                             ([0., 0, 0, 100], 0., 32.)])
def test_scale(s, centre, unit):
    found = scale_of(np.array(s))
    assert found.centre == centre and (found.unit == unit or unit > 1e200 and 2.**990 < found.unit < 2.**997)


def test_the_rule_as_given_is_the_rule_as_searched():
    rng = np.random.default_rng(0)
    for _ in range(50):
        s_r, s_g = rng.normal(3, 2, 40), rng.normal(-500, 100, 40)
        r, g = scale_of(s_r), scale_of(s_g)
        found = Found(0., rng.uniform(.01, 1.5), rng.normal())
        rule = as_given(found, r, g)
        searched = line_score(r.apply(s_r), g.apply(s_g), found.angle) <= found.cut
        assert (line_score(s_r, s_g, rule.angle) <= rule.threshold).tolist() == searched.tolist()
        assert (line_score(s_r, s_g, rule.line.angle, rule.line.units,
                           rule.line.centres) <= rule.line.cut).tolist() == searched.tolist()


def test_a_rule_that_misses_its_target_is_an_error():
    sample, model = read_pair(FOUR, [1, 2, 3, 4], [4, 3, 2, 1], OOD4), BoundedTPRFPR(.5, 0)
    wrong = TunedOOD(status=Status.optimal, threshold=9., angle=0., bound=0.)
    with pytest.raises(ArithmeticError, match="misses the target"):
        applied(wrong, sample, model, target_of(model, 2, 2))


@pytest.mark.parametrize("change, named", [(dict(model=CostBasedOOD(.1, 1.)), "model"),
                                           (dict(losses=None), "losses"),
                                           (dict(scores=np.zeros((4, 3))), "scores"),
                                           (dict(model="a"), "model")])
def test_bad_input_of_the_metric(change, named):
    with pytest.raises(ValueError, match=named):
        selective_risk_at(**{**dict(losses=FOUR, scores=[1, 2, 3, 4], is_ood=OOD4,
                                    model=BoundedTPRFPR(.5, .5)), **change})


def test_the_metric_is_the_tuned_risk():
    assert selective_risk_at(FOUR, [1, 2, 3, 4], OOD4, BoundedTPRFPR(1, 0)) == .5
    assert selective_risk_at(FOUR, [1, 2, 3, 4], OOD4, BoundedTPRFPR(.5, 0)) == 0
    assert selective_risk_at(FOUR, np.ones((4, 2)), OOD4, BoundedTPRFPR(.5, .5)) == INF
