"""Tests of nbs/ood/01_models.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from itertools import product

from reject_nb.ood.models import (
    BoundedPrecisionRecall, BoundedTPRFPR, CostBasedOOD, boundary_acceptance, charnes_cooper, decide, fill,
    likelihood_ratio, linear_program, random_distribution,
)

def test_cost_based_is_the_best_of_all_rules():
    rng = np.random.default_rng(1)
    for _ in range(40):
        p_joint, p_ood, loss = rng.dirichlet(np.ones(8)).reshape(4, 2), rng.dirichlet(np.ones(4)), rng.random((2, 2))
        model = CostBasedOOD(*np.sort(rng.random(3))[[0, 2, 1]], prior=rng.uniform(0, .9))
        extended = np.block([[loss, np.full((2, 1), model.reject_id)], [np.full((1, 2), model.accept_ood), np.full((1, 1), model.reject_ood)]])
        best = min(sum((1 - model.prior)*p_joint[x]@extended[:2, q] + model.prior*p_ood[x]*extended[2, q] for x, q in enumerate(rule))
                   for rule in product(range(3), repeat=4))
        h, s = model.solve_joint(p_joint, p_ood, loss)
        assert abs(s.objective - best) < 1e-12      # sums of a dozen numbers below 1
        assert abs(s.gap) < 1e-12
        q, value = decide(p_joint, p_ood, model.prior, extended)
        assert abs(value - best) < 1e-12 and ((q == -1) == (s.acceptance == 0)).all()


def test_without_ood_it_is_chow():
    rng = np.random.default_rng(2)
    p, r = rng.dirichlet(np.ones(9)), rng.random(9)
    s = CostBasedOOD(.4, 7., 3., prior=0).solve(p, None, r)
    assert (s.acceptance == (r <= .4)).all() and s.multiplier == 0


def test_tpr_fpr_against_two_linear_programs():
    rng, seen = np.random.default_rng(3), {"optimal": 0, "infeasible": 0}
    for _ in range(150):
        p_id, p_ood, risk = random_distribution(rng)
        tpr, fpr = rng.uniform(.05, 1), rng.uniform(0, 1)
        s = BoundedTPRFPR(tpr, fpr).solve(p_id, p_ood, risk)
        a, b = linear_program(p_id, p_ood, risk, tpr, fpr), charnes_cooper(p_id, p_ood, risk, tpr, fpr)
        seen[s.status] += 1
        assert (s.status == "infeasible") == (a is None) == (b is None)
        if a is None: continue
        assert abs(s.selective_risk - a[0]) < 1e-9 and abs(s.selective_risk - b[0]) < 1e-9   # HiGHS works to 1e-7 and ends on vertices
        assert s.tpr >= tpr - 1e-12 and s.fpr <= fpr + 1e-12 and abs(s.gap) < 1e-12 and s.multiplier >= 0
        assert ((s.acceptance >= 0) & (s.acceptance <= 1)).all()
    assert min(seen.values()) > 15


def test_theorem_3_threshold_on_one_score():
    rng = np.random.default_rng(4)
    for _ in range(100):
        p_id, p_ood, risk = random_distribution(rng)
        s = BoundedTPRFPR(rng.uniform(.1, .9), rng.uniform(.1, .9)).solve(p_id, p_ood, risk)
        if s.status == "infeasible": continue
        score, on = s.score(risk, likelihood_ratio(p_id, p_ood)), p_id > 0
        assert (s.acceptance[on & (score < s.threshold - 1e-10)] == 1).all()      # ties are blurred by rounding
        assert (s.acceptance[on & (score > s.threshold + 1e-10)] < 1e-10).all()


def test_precision_recall_against_the_fractional_program():
    rng, seen = np.random.default_rng(5), {"optimal": 0, "infeasible": 0}
    for _ in range(150):
        p_id, p_ood, risk = random_distribution(rng)
        model = BoundedPrecisionRecall(rng.uniform(.3, 1), rng.uniform(.05, 1), rng.uniform(.05, .6))
        s, b = model.solve(p_id, p_ood, risk), charnes_cooper(p_id, p_ood, risk, model.min_recall, 0., model.beta())
        seen[s.status] += 1
        assert (s.status == "infeasible") == (b is None)
        if b is None: continue
        assert abs(s.selective_risk - b[0]) < 1e-9
        assert s.precision >= model.min_precision - 1e-12 and s.tpr >= model.min_recall - 1e-12
    assert min(seen.values()) > 15


def test_reductions():
    rng, n_checked = np.random.default_rng(6), 0
    for _ in range(100):
        p_id, p_ood, risk = random_distribution(rng)
        tpr, fpr, prior = rng.uniform(.1, 1), rng.uniform(.05, 1), rng.uniform(.1, .9)
        model = BoundedTPRFPR(tpr, fpr)
        s = model.solve(p_id, p_ood, risk)
        if s.status == "infeasible": continue
        n_checked += 1
        cost = model.as_cost_based(s, prior)
        assert abs(cost.solve(p_id, p_ood, risk).objective - cost.cost(s.tpr, s.fpr, s.selective_risk*s.tpr)) < 1e-12
        c = cost.solve(p_id, p_ood, risk)
        if c.tpr > 0: assert abs(BoundedTPRFPR(c.tpr, c.fpr).solve(p_id, p_ood, risk).selective_risk - c.selective_risk) < 1e-9
        pr = BoundedPrecisionRecall(max(.01, rng.random()), tpr, prior)
        q = pr.solve(p_id, p_ood, risk)
        if q.status == "optimal": assert abs(pr.as_tpr_fpr().solve(p_id, p_ood, risk).selective_risk - q.selective_risk) < 1e-12
    assert n_checked > 30


def test_without_ood_it_is_bounded_abstention():
    rng = np.random.default_rng(7)
    p, r = rng.dirichlet(np.ones(8)), rng.random(8)
    order = np.argsort(r)
    c = fill(order, p, .6)
    for s in (BoundedTPRFPR(.6, .3).solve(p, None, r), BoundedTPRFPR(.6, 1).solve(p, rng.dirichlet(np.ones(8)), r),
              BoundedPrecisionRecall(.9, .6, 0).solve(p, None, r)):
        assert np.allclose(s.acceptance, c, atol=1e-14) and s.multiplier == 0


def test_nearest_targets_are_attained():
    rng = np.random.default_rng(8)
    for _ in range(100):
        p_id, p_ood, risk = random_distribution(rng)
        m = BoundedTPRFPR(rng.uniform(.5, 1), rng.uniform(0, .3))
        s = m.solve(p_id, p_ood, risk)
        if s.status == "infeasible":
            assert linear_program(p_id, p_ood, risk, m.min_tpr, min(1, s.nearest["fpr"] + 1e-9)) is not None
            if s.nearest["tpr"] > 1e-6: assert linear_program(p_id, p_ood, risk, s.nearest["tpr"] - 1e-9, m.max_fpr) is not None
            assert linear_program(p_id, p_ood, risk, m.min_tpr, max(0, s.nearest["fpr"] - 1e-6)) is None or s.nearest["fpr"] < 1e-6
        k = BoundedPrecisionRecall(rng.uniform(.8, 1), rng.uniform(.5, 1), .5)
        s = k.solve(p_id, p_ood, risk)
        if s.status == "infeasible":
            assert BoundedPrecisionRecall(max(0, s.nearest["precision"] - 1e-9), k.min_recall, .5).solve(p_id, p_ood, risk).status == "optimal"
            if s.nearest["recall"] > 1e-6: assert BoundedPrecisionRecall(k.min_precision, s.nearest["recall"] - 1e-9, .5).solve(p_id, p_ood, risk).status == "optimal"


def test_targets_zero_and_one():
    p_id, p_ood, risk = np.array([.5, .3, .2, 0]), np.array([.2, 0, .3, .5]), np.array([.1, .4, .2, np.nan])
    assert abs(BoundedTPRFPR(0, .5).solve(p_id, p_ood, risk).selective_risk - .1) < 1e-15
    s = BoundedTPRFPR(0, 0).solve(p_id, p_ood, risk)                  # only the second input is never OOD
    assert s.selective_risk == .4 and s.fpr == 0
    s = BoundedTPRFPR(1, .5).solve(p_id, p_ood, risk)                 # all ID inputs
    assert s.status == "optimal" and abs(s.tpr - 1) < 1e-12 and abs(s.fpr - .5) < 1e-12 and s.acceptance[3] == 0
    assert BoundedTPRFPR(1, .49).solve(p_id, p_ood, risk).status == "infeasible"
    s = BoundedTPRFPR(0, 0).solve([1, 0], [.75, .25], [.2, 0])         # accepting nothing meets the targets, but has no selective risk
    assert s.status == "infeasible" and "0/0" in s.message and "raise max_fpr above 0" in s.message and not s.nearest and s.tpr == s.fpr == 0
    assert BoundedTPRFPR(0, 1e-9).solve([1, 0], [.75, .25], [.2, 0]).selective_risk == .2
    s = BoundedTPRFPR(.5, 0).solve([1, 0], [.75, .25], [.2, 0])        # min_tpr = 0 would not help either
    assert "lower" not in s.message and "raise max_fpr to 0.375" in s.message
    assert "lower min_tpr to 0.5 or raise max_fpr to 0.5" in BoundedTPRFPR(.75, 0).solve([.5, .5], [0, 1], [0, 0]).message
    assert abs(BoundedPrecisionRecall(1, .2, .5).solve(p_id, p_ood, risk).selective_risk - .4) < 1e-15
    assert BoundedPrecisionRecall(1, .4, .5).solve(p_id, p_ood, risk).status == "infeasible"
    assert abs(BoundedPrecisionRecall(0, 0, .5).solve(p_id, p_ood, risk).selective_risk - .1) < 1e-15


def test_bad_input_is_named():
    ok = np.array([.5, .5])
    for make, said in ((lambda: BoundedTPRFPR(1.2, .1), "min_tpr"), (lambda: BoundedTPRFPR(.2, np.nan), "max_fpr"), (lambda: CostBasedOOD(.1, .1, .2, .5), "accept_ood"),
                       (lambda: CostBasedOOD(.1, 1., 0., 1.), "prior"), (lambda: BoundedPrecisionRecall(.9, .5).solve(ok, ok, ok), "prior"),
                       (lambda: BoundedTPRFPR(.5, .5).solve([.5, np.nan], ok, ok), "p_id"), (lambda: BoundedTPRFPR(.5, .5).solve(ok, [.9, .9], ok), "p_ood"),
                       (lambda: BoundedTPRFPR(.5, .5).solve(ok, ok, [np.nan, 0]), "risk"), (lambda: BoundedTPRFPR(.5, .5).solve(ok, ok, [0, 1, 2]), "risk must have the shape"), (lambda: BoundedTPRFPR(.5, .5).solve(ok, ok, .3), "risk must have the shape"),
                       (lambda: BoundedTPRFPR(.5, .5).solve(ok, ok, ["a", "b"]), "risk"), (lambda: BoundedTPRFPR(.5, .5).solve(ok, [1j, 1], ok), "p_ood"),
                       (lambda: CostBasedOOD("a", 1.), "reject_id"), (lambda: CostBasedOOD(.1, True), "accept_ood"), (lambda: CostBasedOOD(.1, 1., None), "reject_ood"),
                       (lambda: BoundedTPRFPR(.5, .5).solve([], [], []), "p_id")):
        with pytest.raises(ValueError, match=said): make()


def test_corrected_theorem_7_against_the_linear_program():
    rng, n_checked = np.random.default_rng(9), 0
    for _ in range(150):
        n = int(rng.integers(2, 9))
        p_id, p_ood, mu = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n)), rng.uniform(-.5, .5)
        tpr, fpr = rng.uniform(.05, 1), rng.uniform(.05, 1)
        lost = 5*p_id - mu*p_ood                       # R; lambda = 5 keeps most risks positive, and (21) does not need more
        c, lp = boundary_acceptance(p_id, p_ood, tpr, fpr, mu), linear_program(p_id, p_ood, lost/p_id, tpr, fpr)
        assert (c is None) == (lp is None)
        if c is None: continue
        n_checked += 1
        assert abs(lost@c/(p_id@c) - lp[0]) < 1e-9 and abs(p_id@c - tpr) < 1e-12 and p_ood@c <= fpr + 1e-9
    assert n_checked > 60
