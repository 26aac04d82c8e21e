"""Tests of nbs/ood/05_single.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.core.results import Status
from reject_nb.ood import BoundedTPRFPR
from reject_nb.ood.models import BoundedPrecisionRecall
from reject_nb.ood.models import CostBasedOOD

from reject_nb.ood.single import Line, TunedOOD, target_of, tune_single_score

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


def _brute_force(losses, scores, is_ood, model):
    "Every threshold by the definitions, and the empty acceptance."
    cuts = np.append(np.unique(scores), -np.inf)
    return min(_value_by_definition(losses, scores <= cut, is_ood, model) for cut in np.append(cuts, np.nan))


def _random_sample(rng):
    "(losses, scores, is_ood), with ties and infinite scores."
    n = int(rng.integers(2, 40))
    is_ood = rng.random(n) < .35
    is_ood[0] = False
    s = np.round(rng.normal(size=n) + is_ood, int(rng.integers(0, 3)))
    if rng.random() < .3: s[rng.random(n) < .2] = rng.choice([-np.inf, np.inf])
    losses = (rng.random(n) < .3).astype(float) if rng.random() < .5 else rng.random(n)
    return losses, s, is_ood


def _random_models(rng):
    "One model of each kind, targets 0 and 1 among them."
    return (BoundedTPRFPR(rng.choice([0, .3, .5, .8, 1]), rng.choice([0, .1, .2, .5, 1])),
            BoundedPrecisionRecall(rng.choice([0, .5, .7, .9, 1]), rng.choice([0, .3, .6, 1]), None
                                   if rng.random() < .5 else .2),
            CostBasedOOD(rng.random(), 1., .2*rng.random(), rng.uniform(0, .8)))


@pytest.mark.parametrize("kind", range(3))
def test_every_threshold(kind):
    rng, status = np.random.default_rng(1), set()
    for _ in range(150):
        losses, s, is_ood = _random_sample(rng)
        model = _random_models(rng)[kind]
        if kind == 2 and not is_ood.any(): continue
        t, best = tune_single_score(losses, s, is_ood, model), _brute_force(losses, s, is_ood, model)
        status.add(t.status)
        assert (t.status == Status.infeasible) == np.isinf(best)
        if np.isinf(best): continue
        assert abs(t.objective - best) < 1e-12 and t.bound == t.objective and t.gap_abs == t.gap == 0
        on = t.accept(s)
        rates = (on & ~is_ood).sum()/(~is_ood).sum(), (on & is_ood).sum()/max(is_ood.sum(), 1)
        assert abs(rates[0] - t.tpr) < 1e-15 and abs(rates[1] - t.fpr) < 1e-15
        if on[~is_ood].any(): assert abs(losses[on & ~is_ood].mean() - t.selective_risk) < 1e-12
        p = model.prior if kind == 2 or kind == 1 and model.prior is not None else is_ood.mean()
        mixed = (1 - p)*t.tpr + p*t.fpr
        if mixed > 0: assert abs(t.precision - (1 - p)*t.tpr/mixed) < 1e-15
    assert status == ({Status.optimal} if kind == 2 else {Status.optimal, Status.infeasible})


def test_of_equal_risks_the_largest_tpr_then_the_least_fpr():
    t = tune_single_score([0, 0, 0, 0], [1, 2, 3, 4], [0, 0, 1, 0], BoundedTPRFPR(.3, 1))
    assert t.threshold == 4 and t.tpr == 1 and t.fpr == 1
    t = tune_single_score([0, 0, 0, 1], [1, 2, 3, 4], [0, 0, 1, 0], BoundedTPRFPR(.3, 1))
    assert t.threshold == 2 and t.fpr == 0


@pytest.mark.parametrize("kind", ["tpr-fpr", "precision-recall"])
def test_nearest_is_attained_and_not_beaten(kind):
    rng, n_checked = np.random.default_rng(2), 0
    for _ in range(150):
        losses, s, is_ood = _random_sample(rng)
        if not is_ood.any(): continue
        first, second = ("tpr", "fpr") if kind == "tpr-fpr" else ("precision", "recall")
        make = BoundedTPRFPR if kind == "tpr-fpr" else BoundedPrecisionRecall
        m = BoundedTPRFPR(rng.uniform(.5, 1),
                          rng.uniform(0, .3)) if kind == "tpr-fpr" else make(rng.uniform(.8, 1),
                                                                             rng.uniform(.3, 1))
        kept = (m.min_tpr, m.max_fpr) if kind == "tpr-fpr" else (m.min_precision, m.min_recall)
        t = tune_single_score(losses, s, is_ood, m)
        if t.status != Status.infeasible: continue
        n_checked += 1
        again = tune_single_score(losses, s, is_ood, make(kept[0], t.nearest[second]))
        assert again.status == Status.optimal or kind != "tpr-fpr" and not t.nearest[second]
        if t.nearest[first] > 0:
            assert tune_single_score(losses, s, is_ood,
                                     make(t.nearest[first] - 1e-9, kept[1])).status == Status.optimal
        closer = t.nearest[second] - 1e-6 if kind == "tpr-fpr" else t.nearest[second] + 1e-6
        if 0 < closer < 1:
            assert tune_single_score(losses, s, is_ood, make(kept[0], closer)).status == Status.infeasible
        if t.nearest[first] < 1:
            assert tune_single_score(losses, s, is_ood,
                                     make(t.nearest[first] + 1e-6, kept[1])).status == Status.infeasible
    assert n_checked > 20


@pytest.mark.parametrize("model, n_id, n_ood, expected", [
    (BoundedTPRFPR(.7, .3), 10, 10, (7, 3)), (BoundedTPRFPR(.71, .29), 10, 10, (8, 2)),
    (BoundedTPRFPR(0, 0), 10, 10, (1, 0)),
    (BoundedTPRFPR(1, 1), 3, 7, (3, 7)), (BoundedPrecisionRecall(.9, .55), 10, 4, (6, 4)),
    (CostBasedOOD(.1, 1.), 3, 4, (0, 4))])
def test_counts_of_a_target(model, n_id, n_ood, expected):
    t = target_of(model, n_id, n_ood)
    assert (t.min_id, t.max_ood) == expected and t.ratio == (not isinstance(model, CostBasedOOD))

FOUR = np.array([0., 1, 0, 0])
OOD4 = np.array([False, False, True, True])

def test_a_constant_score_accepts_all_or_nothing():
    t = tune_single_score(FOUR, np.ones(4), OOD4, BoundedTPRFPR(.5, .5))
    assert t.status == Status.infeasible and t.nearest == {"tpr": 0., "fpr": 1.} and not t.accept([0.]).any()
    assert "lower" not in t.message and "raise max_fpr to 1" in t.message and t.gap == 0
    # a selective risk needs an accepted ID input
    t = tune_single_score(FOUR, np.ones(4), OOD4, BoundedTPRFPR(0, 0))
    assert t.status == Status.infeasible and "one ID input" in t.message
    assert tune_single_score(FOUR, np.ones(4), OOD4, BoundedTPRFPR(1, 1)).selective_risk == .5


@pytest.mark.parametrize("model, risk, tpr", [(BoundedTPRFPR(.5, 0), .25, 1),
                                              (BoundedPrecisionRecall(1, .25), 0, .25),
                                              (CostBasedOOD(.3, 1., 0., 0.), 0, .25)])
def test_without_ood_inputs(model, risk, tpr):
    t = tune_single_score(FOUR, [1, 2, 3, 4], [False]*4, model)
    assert t.status == Status.optimal and t.fpr == 0 and "no OOD" in t.message
    assert (t.selective_risk, t.tpr) == (risk, tpr)


def test_infinite_scores_and_costs_that_reject_all():
    t = tune_single_score(FOUR, [1, 2, np.inf, np.inf], OOD4, BoundedTPRFPR(1, 0))
    assert t.status == Status.optimal and t.fpr == 0 and t.tpr == 1
    t = tune_single_score([1., 1, 0, 0], [1, 2, 3, 4], OOD4, CostBasedOOD(.1, 1., 0., .5))
    assert t.threshold == -np.inf and t.tpr == 0 and abs(t.objective - .05) < 1e-15
    assert not t.accept([0., -1e300]).any()


@pytest.mark.parametrize("change, named", [
    (dict(is_ood=[True]*4), "is_ood"), (dict(scores=[1, np.nan, 3, 4]), "scores"),
    (dict(scores=np.zeros((4, 2))), "scores"),
    (dict(model="tpr"), "model"), (dict(losses=None), "losses"),
    (dict(is_ood=[False]*4, model=CostBasedOOD(.1, 1., 0., .5)), "is_ood")])
def test_bad_input_is_named(change, named):
    good = dict(losses=FOUR, scores=[1, 2, 3, 4], is_ood=OOD4, model=BoundedTPRFPR(.5, 0))
    with pytest.raises(ValueError, match=named): tune_single_score(**{**good, **change})


@pytest.mark.parametrize("args, named", [(([np.nan],), "s_r"), ((None,), "s_r"), (([1], [np.nan]), "s_g"),
                                         (([1], [1, 2]), "s_g"), ((["1"],), "s_r")])
def test_accept_names_bad_scores(args, named):
    with pytest.raises(ValueError, match=named):
        tune_single_score(FOUR, [1, 2, 3, 4], OOD4, BoundedTPRFPR(1, 1)).accept(*args)


def test_accept_by_angle_and_by_line():
    r, g = np.array([0., 1, 2]), np.array([4., 0, 1])
    by_angle = TunedOOD(status=Status.optimal, angle=np.pi/4, threshold=1.)
    assert by_angle.accept(r, g).tolist() == [False, True, False] and by_angle.accept([np.inf],
                                                                                      [0]).tolist() == [False]
    line = Line(angle=np.pi/4, cut=0., units=(2., 1.), centres=(1., 1.))
    assert TunedOOD(status=Status.optimal, angle=.1, line=line).accept(r, g).tolist() == [False, True, False]
    with pytest.raises(ValueError, match="s_g"): by_angle.accept(r)
