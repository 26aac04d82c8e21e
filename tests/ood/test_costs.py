"""Tests of nbs/ood/03_costs.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from itertools import product
from reject_nb.core.results import Status

from reject_nb.ood.costs import CostBasedOOD, bayes_classifier, decide

def test_cost_based_is_the_best_of_all_rules():
    rng, rejected = np.random.default_rng(1), 0
    for _ in range(40):
        p_joint, p_ood = rng.dirichlet(np.ones(8)).reshape(4, 2), rng.dirichlet(np.ones(4))
        loss = rng.random((2, 2))
        model = CostBasedOOD(*np.sort(rng.random(3))[[0, 2, 1]], prior=rng.uniform(0, .9))
        out = np.full((2, 1), model.reject_id)
        extended = np.block([[loss, out], [np.full((1, 2), model.accept_ood),
                                           np.full((1, 1), model.reject_ood)]])
        best = min(sum((1 - model.prior)*p_joint[x]@extended[:2, q] + model.prior*p_ood[x]*extended[2, q]
                       for x, q in enumerate(rule))
                   for rule in product(range(3), repeat=4))
        h, s = model.solve_joint(p_joint, p_ood, loss)
        assert abs(s.objective - best) < 1e-12      # sums of a dozen numbers below 1
        assert abs(s.gap_abs) < 1e-12 and s.gap < 1e-11 and s.status == Status.optimal
        q, value = decide(p_joint, p_ood, model.prior, extended)
        assert abs(value - best) < 1e-12 and ((q == -1) == (s.acceptance == 0)).all()
        rejected += s.tpr == 0
        assert bool(s.message) == (s.tpr == 0)
    assert rejected


def test_without_ood_it_is_chow():
    rng = np.random.default_rng(2)
    p, r = rng.dirichlet(np.ones(9)), rng.random(9)
    s = CostBasedOOD(.4, 7., 3., prior=0).solve(p, None, r)
    assert (s.acceptance == (r <= .4)).all() and s.multiplier == 0 and s.precision == 1


def test_a_bound_that_no_rule_is_below():
    "Where probabilities sum to a little less than 1, the rest is rejected."
    s = CostBasedOOD(.3, 1., .1, .25).solve([.4, .6 - 5e-7], [.5, .5 - 5e-7], [.2, .01])
    assert abs(s.gap_abs) < 1e-15


@pytest.mark.parametrize("p_joint, decision, risk",
                         [([[.5, 0], [0, .5]], [0, 1], [0, 0]), ([[.3, .3], [.4, 0]], [0, 0], [.5, 0]),
                          ([[1., 0], [0, 0]], [0, 0], [0, 0])])
def test_bayes_classifier(p_joint, decision, risk):
    h, r = bayes_classifier(p_joint)
    assert h.tolist() == decision and np.allclose(r, risk, atol=1e-15)

OK = np.array([.5, .5])

@pytest.mark.parametrize("args, named", [
    ((.1, .1, .2, .5), "accept_ood"), ((.1, 1., 0., 1.), "prior"), (("a", 1.), "reject_id"),
    ((.1, True), "accept_ood"), ((.1, 1., None), "reject_ood"), ((.1, np.inf), "accept_ood")])
def test_bad_costs_are_named(args, named):
    with pytest.raises(ValueError, match=f"^{named} must be"): CostBasedOOD(*args)


@pytest.mark.parametrize("call, named", [
    (lambda: CostBasedOOD(.1, 1.).solve(OK, None, OK), "p_ood"),
    (lambda: CostBasedOOD(.1, 1.).cost(-.1, 0, 0), "tpr"),
    (lambda: CostBasedOOD(.1, 1.).cost(0, 1.1, 0), "fpr"),
    (lambda: CostBasedOOD(.1, 1.).cost(0, 0, -.1), "lost"),
    (lambda: bayes_classifier([[.5, .6]]), "p_joint"),
    (lambda: bayes_classifier([[.5, .5]], [[1, 2]]), "loss"),
    (lambda: decide([[.5, .5]], [1], .5, np.zeros((2, 3))), "loss"),
    (lambda: decide([[.5, .5]], [1], 2, np.zeros((3, 3))), "prior")],
    ids=["without OOD", "tpr", "fpr", "lost", "joint", "loss", "extended loss", "prior"])
def test_bad_input_is_named(call, named):
    with pytest.raises(ValueError, match=f"^{named} must be"): call()
