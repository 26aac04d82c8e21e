"""Tests of nbs/ood/04_models.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.ood.laws import likelihood_ratio
from reject_nb.ood.models import least_recall
from types import SimpleNamespace

from reject_nb.ood.models import (
    BoundedPrecisionRecall, BoundedTPRFPR, boundary_acceptance, charnes_cooper, check_model, fill,
    linear_program,
)

def _random_distribution(rng):
    "(p_id, p_ood, risk) of 2 to 11 inputs, some without ID or OOD mass, some with tied risks."
    n = int(rng.integers(2, 12))
    p_id, p_ood, risk = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n)), rng.random(n)
    if rng.random() < .3: p_id = np.append(0, p_id[1:])/p_id[1:].sum()
    if rng.random() < .3: p_ood = np.append(p_ood[:-1], 0)/p_ood[:-1].sum()
    if rng.random() < .5: risk = np.round(risk, 1)
    return p_id, p_ood, risk


@pytest.mark.parametrize("seed", range(3))
def test_tpr_fpr_against_two_linear_programs(seed):
    rng, seen = np.random.default_rng(seed), {"optimal": 0, "infeasible": 0}
    for _ in range(60):
        law = _random_distribution(rng)
        tpr, fpr = rng.uniform(.05, 1), rng.uniform(0, 1)
        s = BoundedTPRFPR(tpr, fpr).solve(*law)
        a, b = linear_program(*law, tpr, fpr), charnes_cooper(*law, tpr, fpr)
        seen[s.status] += 1
        assert (s.status == "infeasible") == (a is None) == (b is None)
        if a is None: continue
        # HiGHS works to 1e-7 and ends on vertices
        assert abs(s.selective_risk - a[0]) < 1e-9 and abs(s.selective_risk - b[0]) < 1e-9
        assert s.tpr >= tpr - 1e-12 and s.fpr <= fpr + 1e-12 and abs(s.gap_abs) < 1e-12 and s.multiplier >= 0
        assert ((s.acceptance >= 0) & (s.acceptance <= 1)).all()
    assert min(seen.values()) > 5


def test_theorem_3_threshold_on_one_score():
    rng = np.random.default_rng(4)
    for _ in range(100):
        p_id, p_ood, risk = _random_distribution(rng)
        s = BoundedTPRFPR(rng.uniform(.1, .9), rng.uniform(.1, .9)).solve(p_id, p_ood, risk)
        if s.status == "infeasible": continue
        score, on = s.score(risk, likelihood_ratio(p_id, p_ood)), p_id > 0
        assert (s.acceptance[on & (score < s.threshold - 1e-10)] == 1).all()  # ties are blurred by rounding
        assert (s.acceptance[on & (score > s.threshold + 1e-10)] < 1e-10).all()


def test_precision_recall_against_the_fractional_program():
    rng, seen = np.random.default_rng(5), {"optimal": 0, "infeasible": 0}
    for _ in range(150):
        law = _random_distribution(rng)
        model = BoundedPrecisionRecall(rng.uniform(.3, 1), rng.uniform(.05, 1), rng.uniform(.05, .6))
        s, b = model.solve(*law), charnes_cooper(*law, model.min_recall, 0., model.beta())
        seen[s.status] += 1
        assert (s.status == "infeasible") == (b is None)
        if b is None: continue
        assert abs(s.selective_risk - b[0]) < 1e-9 and abs(s.gap_abs) < 1e-12
        assert s.precision >= model.min_precision - 1e-12 and s.tpr >= model.min_recall - 1e-12
    assert min(seen.values()) > 15


@pytest.mark.parametrize("max_fpr", [0, 1e-3, .2, 1])
def test_without_a_floor_the_least_risk_counts(max_fpr):
    "min_tpr = 0 is the limit of small TPRs; the dual of a solution holds for the linear program at any TPR."
    rng, n_mu = np.random.default_rng(17), 0
    for _ in range(60):
        p_id, p_ood, risk = _random_distribution(rng)
        s = BoundedTPRFPR(0, max_fpr).solve(p_id, p_ood, risk)
        may = (p_id > 0) & ((p_ood == 0) if max_fpr == 0 else True)
        assert (s.status == "infeasible") == (not may.any())
        if not may.any(): continue
        assert abs(s.selective_risk - risk[may].min()) < 1e-12 and s.fpr <= max_fpr + 1e-15 and s.tpr > 0
        assert s.bound == risk[may].min()
        score = s.score(risk, likelihood_ratio(p_id, p_ood))
        n_mu += s.multiplier > 0
        assert (score[p_id > 0] >= s.threshold - 1e-12).all()
        assert abs(score[s.acceptance > 0] - s.threshold).max() < 1e-12
    assert (n_mu > 3) == (max_fpr == 0)


def test_of_inputs_of_least_risk_the_least_strange_is_taken():
    "Three tie in risk: the one of least likelihood ratio lets the fewest strangers in."
    p_id, p_ood, risk = [.1, .3, .2, .4], [.4, .3, .1, .2], [.1, .1, .1, .3]
    for order in ([0, 1, 2, 3], [2, 1, 0, 3], [1, 2, 0, 3], [3, 0, 2, 1]):
        s = BoundedTPRFPR(0, .05).solve(*(np.array(a)[order] for a in (p_id, p_ood, risk)))
        assert np.flatnonzero(s.acceptance).tolist() == [order.index(2)]
        assert abs(s.tpr - .1) < 1e-15 and abs(s.fpr - .05) < 1e-15 and s.selective_risk == pytest.approx(.1)


def test_reductions():
    rng, n_checked = np.random.default_rng(6), 0
    for _ in range(100):
        law = _random_distribution(rng)
        tpr, fpr, prior = rng.uniform(.1, 1), rng.uniform(.05, 1), rng.uniform(.1, .9)
        model = BoundedTPRFPR(tpr, fpr)
        s = model.solve(*law)
        if s.status == "infeasible": continue
        n_checked += 1
        cost = model.as_cost_based(s, prior)
        c = cost.solve(*law)
        assert abs(c.objective - cost.cost(s.tpr, s.fpr, s.selective_risk*s.tpr)) < 1e-12
        if c.tpr > 0:
            assert abs(BoundedTPRFPR(c.tpr, c.fpr).solve(*law).selective_risk - c.selective_risk) < 1e-9
        pr = BoundedPrecisionRecall(max(.01, rng.random()), tpr, prior)
        q = pr.solve(*law)
        if q.status == "optimal":
            assert abs(pr.as_tpr_fpr().solve(*law).selective_risk - q.selective_risk) < 1e-12
    assert n_checked > 30


def test_without_ood_it_is_bounded_abstention():
    rng = np.random.default_rng(7)
    p, r = rng.dirichlet(np.ones(8)), rng.random(8)
    c = fill(np.argsort(r), p, .6)
    for s in (BoundedTPRFPR(.6, .3).solve(p, None, r),
              BoundedTPRFPR(.6, 1).solve(p, rng.dirichlet(np.ones(8)), r),
              BoundedPrecisionRecall(.9, .6, 0).solve(p, None, r)):
        assert np.allclose(s.acceptance, c, atol=1e-14) and s.multiplier == 0


def test_nearest_targets_are_attained():
    rng, n_checked = np.random.default_rng(8), 0
    for _ in range(100):
        law = _random_distribution(rng)
        m = BoundedTPRFPR(rng.uniform(.5, 1), rng.uniform(0, .3))
        s = m.solve(*law)
        if s.status == "infeasible":
            n_checked += 1
            tpr, fpr = s.nearest["tpr"], s.nearest["fpr"]
            assert abs(s.tpr - tpr) < 1e-15 and s.fpr <= m.max_fpr + 1e-12 and s.gap == 0
            assert np.isinf(s.objective)
            assert linear_program(*law, m.min_tpr, min(1, fpr + 1e-9)) is not None
            if tpr > 1e-6: assert linear_program(*law, tpr - 1e-9, m.max_fpr) is not None
            assert linear_program(*law, min(1, tpr + 1e-6), m.max_fpr) is None
            assert fpr < 1e-6 or linear_program(*law, m.min_tpr, fpr - 1e-6) is None
        k = BoundedPrecisionRecall(rng.uniform(.8, 1), rng.uniform(.5, 1), .5)
        s = k.solve(*law)
        if s.status == "infeasible":
            precision, recall = s.nearest["precision"], s.nearest["recall"]
            for dx, status in ((-1e-9, "optimal"), (1e-6, "infeasible")):
                if 0 < precision + dx < 1:
                    assert BoundedPrecisionRecall(precision + dx, k.min_recall,
                                                  .5).solve(*law).status == status
                if 1e-6 < recall + dx < 1:
                    assert BoundedPrecisionRecall(k.min_precision, recall + dx,
                                                  .5).solve(*law).status == status
    assert n_checked > 20


def test_targets_zero_and_one():
    law = np.array([.5, .3, .2, 0]), np.array([.2, 0, .3, .5]), np.array([.1, .4, .2, np.nan])
    assert abs(BoundedTPRFPR(0, .5).solve(*law).selective_risk - .1) < 1e-15
    s = BoundedTPRFPR(0, 0).solve(*law)                  # only the second input is never OOD
    assert s.selective_risk == .4 and s.fpr == 0
    s = BoundedTPRFPR(1, .5).solve(*law)                 # all ID inputs
    assert s.status == "optimal" and abs(s.tpr - 1) < 1e-12 and abs(s.fpr - .5) < 1e-12
    assert s.acceptance[3] == 0
    assert BoundedTPRFPR(1, .49).solve(*law).status == "infeasible"
    assert abs(BoundedPrecisionRecall(1, .2, .5).solve(*law).selective_risk - .4) < 1e-15
    assert BoundedPrecisionRecall(1, .4, .5).solve(*law).status == "infeasible"
    assert abs(BoundedPrecisionRecall(0, 0, .5).solve(*law).selective_risk - .1) < 1e-15


def test_messages_of_targets_out_of_reach():
    # accepting nothing meets the targets, but has no selective risk
    s = BoundedTPRFPR(0, 0).solve([1, 0], [.75, .25], [.2, 0])
    assert s.status == "infeasible" and "0/0" in s.message and "raise max_fpr above 0" in s.message
    assert not s.nearest and s.tpr == s.fpr == 0
    assert BoundedTPRFPR(0, 1e-9).solve([1, 0], [.75, .25], [.2, 0]).selective_risk == .2
    s = BoundedTPRFPR(.5, 0).solve([1, 0], [.75, .25], [.2, 0])        # min_tpr = 0 would not help either
    assert "lower" not in s.message and "raise max_fpr to 0.375" in s.message
    assert "lower min_tpr to 0.5 or raise max_fpr to 0.5" in BoundedTPRFPR(.75, 0).solve([.5, .5], [0, 1],
                                                                                         [0, 0]).message
    assert "lower min_precision to 0.5 or min_recall to 0.5" in BoundedPrecisionRecall(1, 1,
                                                                                       .5).solve([.5, .5],
                                                                                                 [0, 1],
                                                                                                 [0,
                                                                                                  0]).message

OK = np.array([.5, .5])

@pytest.mark.parametrize("make, args, named", [
    (BoundedTPRFPR, (1.2, .1), "min_tpr"), (BoundedTPRFPR, (.2, np.nan), "max_fpr"),
    (BoundedTPRFPR, (True, .1), "min_tpr"),
    (BoundedPrecisionRecall, (.9, .5, 1.), "prior"), (BoundedPrecisionRecall, (-.1, .5), "min_precision"),
    (BoundedPrecisionRecall, (.9, 2), "min_recall")])
def test_bad_models_are_named(make, args, named):
    with pytest.raises(ValueError, match=f"^{named} must be"): make(*args)


@pytest.mark.parametrize("args, named", [
    (([.5, np.nan], OK, OK), "p_id"), ((OK, [.9, .9], OK), "p_ood"), ((OK, OK, [np.nan, 0]), "risk"),
    ((OK, OK, [0, 1, 2]), "risk"), ((OK, OK, .3), "risk"),
    ((OK, OK, ["a", "b"]), "risk"), ((OK, [1j, 1], OK), "p_ood"), (([], [], []), "p_id"),
    ((OK, OK, None), "risk"), ((OK, OK, [[1], [2, 3]]), "risk"),
    ((OK, OK, np.ma.masked_less([.1, .9], .5)), "risk"), (([.5, .4], OK, OK), "p_id"),
    ((OK, OK, [-1, 0]), "risk")])
def test_bad_laws_are_named(args, named):
    with pytest.raises(ValueError, match=f"^{named} must be"): BoundedTPRFPR(.5, .5).solve(*args)


@pytest.mark.parametrize("call, named", [
    (lambda: BoundedPrecisionRecall(.9, .5).solve(OK, OK, OK), "prior"),
    (lambda: BoundedPrecisionRecall(.9, .5, .2).solve(OK, None, OK), "p_ood"),
    (lambda: BoundedPrecisionRecall(.9, 0, .2).as_tpr_fpr(), "min_recall"),
    (lambda: BoundedTPRFPR(.5, .5).as_cost_based(BoundedTPRFPR(.5, .5).solve(OK, OK, OK), 1.), "prior"),
    (lambda: BoundedTPRFPR(.5, .5).as_cost_based("s", .5), "solution"),
    (lambda: BoundedTPRFPR(1, 0).as_cost_based(BoundedTPRFPR(1, 0).solve(OK, OK, OK), .5), "solution"),
    (lambda: BoundedTPRFPR(.5, .5).solve(OK, OK, OK).score([.1], [np.nan]), "ratio"),
    (lambda: check_model(3), "model")],
    ids=["no prior", "no OOD", "no recall", "prior", "solution", "infeasible solution", "ratio", "model"])
def test_other_bad_input_is_named(call, named):
    with pytest.raises(ValueError, match=f"^{named} must be"): call()


@pytest.mark.parametrize("seed", range(3))
def test_corrected_theorem_7_against_the_linear_program(seed):
    rng, n_checked = np.random.default_rng(9 + seed), 0
    for _ in range(60):
        n = int(rng.integers(2, 9))
        p_id, p_ood, mu = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n)), rng.uniform(-.5, .5)
        tpr, fpr = rng.uniform(.05, 1), rng.uniform(.05, 1)
        lost = 5*p_id - mu*p_ood  # R; lambda = 5 keeps most risks positive, and (21) does not need more
        c = boundary_acceptance(p_id, p_ood, tpr, fpr, mu)
        lp = linear_program(p_id, p_ood, lost/p_id, tpr, fpr)
        assert (c is None) == (lp is None)
        if c is None: continue
        n_checked += 1
        assert abs(lost@c/(p_id@c) - lp[0]) < 1e-9 and abs(p_id@c - tpr) < 1e-12 and p_ood@c <= fpr + 1e-9
    assert n_checked > 20


@pytest.mark.parametrize("change, named", [(dict(min_tpr=0), "min_tpr"), (dict(max_fpr=2), "max_fpr"),
                                           (dict(mu="a"), "mu"), (dict(p_id=3.), "p_id")])
def test_bad_input_of_the_boundary(change, named):
    with pytest.raises(ValueError, match=named):
        boundary_acceptance(**{**dict(p_id=OK, p_ood=OK, min_tpr=.5, max_fpr=.5, mu=.1), **change})


@pytest.mark.parametrize("asked, least", [(0., .1), (.05, .05), (.25, .25), (.9, .4)])
def test_the_recall_that_is_asked_for(asked, least):
    "Where none is asked for, the smallest that there is; never more than all ID inputs."
    law = SimpleNamespace(p_id=np.array([.3, 0., .1]))
    assert least_recall(SimpleNamespace(min_recall=asked), law) == pytest.approx(least, abs=1e-15)
