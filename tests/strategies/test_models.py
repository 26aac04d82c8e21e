"""Tests of nbs/strategies/01_models.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from reject_nb.strategies.models import (
    BoundedAbstention, BoundedImprovement, CostBased, convert, linear_program, objective,
)

COSTS = [
    (.3, 1., None, "tied", .3, .9, (.04 + .06 + .06)/.9),
    (.3, .5, None, "tied", .3, .8, (.04 + .06 + .03)/.8),
    (.25, 1., None, "optimal", .25, .7, .1/.7),
    (.7, 1., None, "trivial", .7, 1., .22),
    (.05, 1., None, "trivial", .05, 0., np.nan),
    (.25, 1., [1, 2, 3, 4], "optimal", 2., .7, .1/.7),
    (.3, 1., [1, 2, 3, 4], "optimal", 3., .9, .16/.9),
    (.7, 1., [1, 2, 3, 4], "trivial", np.inf, 1., .22),
    (.05, 1., [1, 2, 3, 4], "trivial", -np.inf, 0., np.nan),
    (.25, 1., [4, 3, 2, 1], "trivial", np.inf, 1., .22),       # worst first: all or nothing, .22 < .25
]

@pytest.mark.parametrize("cost, tau, scores, status, threshold, coverage, risk", COSTS)
def test_costs_by_hand(cost, tau, scores, status, threshold, coverage, risk):
    s = CostBased(cost, tau).solve([.1, .2, .3, .6], [.4, .3, .2, .1], scores)
    assert (s.status, s.threshold, s.accept_at_threshold) == (status, threshold,
                                                              0. if threshold == -np.inf else tau)
    np.testing.assert_allclose([s.coverage, s.selective_risk], [coverage, risk], rtol=1e-12)


@pytest.mark.parametrize("tau, whole", [(0., 0.), (.3, 1.), (1., 1.)])
def test_a_threshold_is_taken_as_a_whole_on_request(tau, whole):
    assert CostBased(.3, tau).solve([.1, .3], randomise=False).accept_at_threshold == whole


def test_randomisation_raises_coverage():
    # by hand: .6*.1 + .4*.6*t = .2*(.6 + .4*t) gives t = .375
    s = BoundedImprovement(.2).solve([.1, .6], [.6, .4])
    assert (s.threshold, s.status) == (.6, "randomised")
    np.testing.assert_allclose([s.accept_at_threshold, s.coverage, s.selective_risk], [.375, .75, .2],
                               rtol=1e-12)
    np.testing.assert_allclose(s([.1, .6, .7]), [1, .375, 0], rtol=1e-12)
    d = BoundedImprovement(.2).solve([.1, .6], [.6, .4], randomise=False)
    assert d.coverage == .6 and d.threshold == .1 and d.accept_at_threshold == 1

EXACT = [   # target, risks, scores; status and coverage
    (.05, [.1, .6], None, "infeasible", 0.),
    (.5, [.1, .6], None, "trivial", 1.),
    (.1, [.1, .6], None, "optimal", .5),
    (0, [0., 0., 1.], None, "optimal", 2/3),
    (0, np.zeros(5), None, "trivial", 1.),
    (.29, np.repeat([0., 1.], [71, 29]), np.zeros(100), "trivial", 1.),   # .29*100 < 29 in floating point
    (.3, [1., 0., 0., 1.], [1, 2, 3, 4], "infeasible", 0.),               # no prefix is below 1/3
    # the first prefix fails, a later one does not
    (1/3, [1., 0., 0., 1.], [1, 2, 3, 4], "optimal", .75),
]

@pytest.mark.parametrize("target, risk, scores, status, coverage", EXACT)
def test_infeasible_trivial_and_exact_targets_have_a_status(target, risk, scores, status, coverage):
    s = BoundedImprovement(target).solve(risk, scores=scores)
    assert (s.status, s.coverage) == (status, coverage) and np.isnan(s.selective_risk) == (coverage == 0)


def test_everything_and_nothing_are_thresholds_at_infinity():
    everything, nothing = BoundedImprovement(.5).solve([.1, .6]), BoundedImprovement(.05).solve([.1, .6])
    assert everything.threshold == np.inf and everything([1e9]) == 1
    assert nothing.threshold == -np.inf and nothing([.0]) == 0 and "is 0.1" in nothing.message


def test_bounded_abstention_by_hand():
    s = BoundedAbstention(.8).solve([.1, .6], [.6, .4])      # kappa = (.8 - .6)/.4
    np.testing.assert_allclose([s.threshold, s.accept_at_threshold, s.coverage, s.selective_risk],
                               [.6, .5, .8, (.06 + .12)/.8], rtol=1e-12)
    t = BoundedAbstention(.5).solve([.1, .5], [.6, .4])
    assert t.status == "tied"
    np.testing.assert_allclose(t.selective_risk, .1, rtol=1e-12)
    assert BoundedAbstention(1).solve([.1, .5]).status == "trivial"
    whole = BoundedAbstention(.8).solve([.1, .6, .7], [.6, .3, .1], randomise=False)
    assert whole.status == "optimal" and whole.accept_at_threshold == 1
    assert whole.coverage == pytest.approx(.9)


def test_a_sample_meets_its_coverage():
    # (24) read literally rejects a boundary without mass; on ten distinct losses a target of .5 must accept
    # five
    s = BoundedAbstention(.5).solve(np.arange(10.))
    assert s.coverage == .5 and s(np.arange(10.)).sum() == 5 and s.status == "optimal"

IMPROPER = [   # losses along the score, target; coverage and risk of the best rule, by hand
    ([1., 0., 0., 1.], .3, .75, 1/3),
    ([0., 1., 0., 0., 1.], .4, .8, .25),       # .4: (0 + 1)/2; all four: 1/4
    # in part: .2 free and .05 of loss 1; the prefixes after have .5, 1/3, .5, .6
    ([0., 1., 0., 1., 1.], .25, .25, .05/.25),
    # in part: (.05 + .04)/.3; the prefixes after have .5, .383, .325
    ([.2, .8, .15, .15], .3, .3, .3),
    ([1., 0., 1., 0.], .6, 1., .5),            # 2/3 after three, 1/2 after all; in part (.25 + .1)/.6 = .583
]

@pytest.mark.parametrize("losses, target, coverage, risk", IMPROPER)
def test_scores_that_are_not_proper_may_gain_by_accepting_more(losses, target, coverage, risk):
    s = BoundedAbstention(target).solve(losses, scores=np.arange(len(losses)))
    np.testing.assert_allclose([s.coverage, s.selective_risk], [coverage, risk], rtol=1e-12)


def _random_law(rng):
    "A finite law with ties and atoms of weight zero."
    n = int(rng.integers(1, 12))
    r = rng.choice(6, n)/5 if rng.random() < .6 else rng.random(n)
    return r, rng.dirichlet(np.ones(n))*(rng.random(n) < .85)


def _random_models(rng):
    cost, target = float(rng.choice([.2, .4, rng.random()])), float(rng.choice([.2, rng.random()]))
    return CostBased(cost), BoundedImprovement(target), BoundedAbstention(float(1 - rng.random()*.9))


def test_solutions_equal_linear_programs():
    # 150 problems; 1e-9 is HiGHS' own feasibility tolerance class
    rng, seen = np.random.default_rng(1), set()
    for _ in range(50):
        r, p = _random_law(rng)
        if p.sum() == 0: continue
        for model in _random_models(rng):
            s = model.solve(r, p)
            np.testing.assert_allclose(objective(model, s), linear_program(model, r, p)[0], atol=1e-9)
            c = s(r)                                            # what it says it achieves is what it achieves
            np.testing.assert_allclose((p*c).sum()/p.sum(), s.coverage, atol=1e-12)
            if s.coverage > 0:
                np.testing.assert_allclose((p*c*r).sum()/(p*c).sum(), s.selective_risk, atol=1e-12)
            seen.add(str(s.status))
    assert seen == {"optimal", "randomised", "tied", "trivial", "infeasible"}


def _best_of_all_prefixes(model, losses, scores):
    "Objective of the best deterministic threshold rule, by trying each."
    best = None
    for t in [-np.inf, *np.unique(scores)]:
        keep = scores <= t
        coverage, risk = keep.mean(), losses[keep].mean() if keep.any() else np.nan
        if isinstance(model, CostBased):
            value = -(losses[keep].sum()/len(losses) + (1 - coverage)*model.reject_cost)
        elif isinstance(model, BoundedImprovement):
            value = coverage if coverage == 0 or risk <= model.target_risk + 1e-12 else -np.inf
        else: value = -risk if coverage >= model.target_coverage - 1e-12 else -np.inf
        best = value if best is None or value > best else best
    return best if isinstance(model, BoundedImprovement) else -best


@pytest.mark.parametrize("seed", range(20))
def test_deterministic_rules_along_any_score_are_the_best_prefix(seed):
    rng = np.random.default_rng(seed)
    losses, scores = rng.integers(0, 3, 9)/2., rng.integers(0, 6, 9)/1.
    for model in (CostBased(.4), BoundedImprovement(.45), BoundedAbstention(.35)):
        s = model.solve(losses, scores=scores, randomise=False)
        np.testing.assert_allclose(objective(model, s), _best_of_all_prefixes(model, losses, scores),
                                   rtol=1e-12)


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=8), st.integers(0, 5))
def test_bounded_improvement_is_feasible_and_not_improvable(losses, target):
    s = BoundedImprovement(target/5).solve(losses)
    assert s.status == "infeasible" or s.selective_risk <= target/5*(1 + 1e-12) + 1e-15
    c = s(losses)
    i = np.argmin(np.where(c < 1, losses, np.inf))              # the cheapest atom that is not fully accepted
    if (c < 1).any() and c.sum() > 0:
        more = np.minimum(1, c + np.where(np.arange(len(c)) == i, 1e-6, 0))
        assert (more*losses).sum()/more.sum() > target/5


def test_conversion_keeps_the_strategy():
    rng, converted = np.random.default_rng(2), 0
    for _ in range(40):
        r, p = rng.random(7), rng.dirichlet(np.ones(7))
        target = float(r.min() + (p@r - r.min())*rng.random()) + 1e-3
        for model in (CostBased(r[3], .4), CostBased(2.), BoundedImprovement(target),
                      BoundedAbstention(.3 + .7*rng.random())):
            s = model.solve(r, p)
            split = s.status in ("infeasible", "tied") and not isinstance(model, CostBased)
            if split or (np.sort(r) < s.threshold).sum() == 0: continue
            for kind in (CostBased, BoundedImprovement, BoundedAbstention):
                converted += 1
                np.testing.assert_allclose(convert(model, kind, r, p).solve(r, p)(r), s(r), atol=1e-9)
    assert converted > 300

IMPOSSIBLE = [(BoundedAbstention(.5), BoundedImprovement, [.2, .2], "does not determine"),
              (BoundedImprovement(.1), CostBased, [.2, .3], "smallest that can be met"),
              (CostBased(.1), BoundedAbstention, [.2, .3], "nothing is accepted"),
              (CostBased(.1), dict, [.2], "kind must be"),
              (CostBased(.1), np.ones(2), [.2], "kind must be"), (.1, CostBased, [.2], "model must be")]

@pytest.mark.parametrize("model, kind, risk, words", IMPOSSIBLE)
def test_conversion_that_cannot_be_says_so(model, kind, risk, words):
    with pytest.raises(ValueError, match=words): convert(model, kind, risk)

BAD = [
    (lambda: BoundedImprovement(-.1), "target_risk"), (lambda: BoundedAbstention(0), "target_coverage"),
    (lambda: BoundedAbstention(1.1), "target_coverage"),
    (lambda: CostBased(np.nan), "reject_cost"), (lambda: CostBased("a"), "reject_cost"),
    (lambda: CostBased(True), "reject_cost"),
    (lambda: CostBased(.1, 1.1), "accept_at_threshold"), (lambda: CostBased(.1).solve([]), "risk"),
    (lambda: CostBased(.1).solve([.1, np.nan]), "risk must be without NaN"),
    (lambda: CostBased(.1).solve([-.1]), "risk must be at least 0"),
    (lambda: CostBased(.1).solve([.1], [-1.]), "weight"),
    (lambda: CostBased(.1).solve([.1], [0.]), "positive sum"),
    (lambda: CostBased(.1).solve([.1], randomise=1), "randomise must"),
    (lambda: BoundedImprovement(.1).solve([.1], randomise=None), "randomise must"),
    (lambda: BoundedImprovement(.1).solve([.1, .2], scores=[1.]), "scores must"),
    (lambda: BoundedImprovement(.1).solve([.1], scores=[np.nan]), "scores must be without NaN"),
    (lambda: BoundedAbstention(.5).solve([.1])([np.nan]), "scores"),
    (lambda: BoundedImprovement(.2).solve([1e308, 1e308]), "risk must be at most"),
    (lambda: BoundedImprovement(.2).solve(np.ma.array([.1, .9], mask=[0, 1])), "risk must be without masked"),
    (lambda: BoundedImprovement(.2).solve([.1 + 1j]), "risk must"),
    (lambda: linear_program(.1, [.1]), "model must"),
    (lambda: linear_program(CostBased(.1), [.1], [0.]), "weight must")]

@pytest.mark.parametrize("call, words", BAD)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words): call()


@pytest.mark.parametrize("model", [BoundedImprovement(.2), BoundedAbstention(.5), CostBased(.2)])
def test_weights_of_any_size(model):
    expected = model.solve([.1, .3, .6], [1., 1., 2.])
    for size in (2.**1022, 2.**-1000, 5e-324):
        assert model.solve([.1, .3, .6], np.array([1., 1., 2.])*size) == expected
    assert model.solve([.1, .3, .6], [1e308]*3).coverage == model.solve([.1, .3, .6]).coverage


def test_ties_everywhere_and_weights_as_counts():
    s = BoundedAbstention(.25).solve(np.full(8, .3))
    assert s.status == "tied" and s.coverage == .25
    model = BoundedImprovement(.2)
    assert model.solve([.1, .1, .6], scores=None) == model.solve([.1, .6], [2, 1])
