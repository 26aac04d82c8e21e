"""Tests of nbs/strategies/01_models.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from reject_nb.strategies.models import (
    BoundedAbstention, BoundedImprovement, CostBased, bayes_predict, conditional_risk, convert,
    linear_program, objective,
)

def test_randomisation_raises_coverage():
    # by hand: .6*.1 + .4*.6*t = .2*(.6 + .4*t) gives t = .375
    s = BoundedImprovement(.2).solve([.1, .6], [.6, .4])
    assert (s.threshold, s.status) == (.6, "randomised")
    np.testing.assert_allclose([s.accept_at_threshold, s.coverage, s.selective_risk], [.375, .75, .2], rtol=1e-12)
    np.testing.assert_allclose(s([.1, .6, .7]), [1, .375, 0], rtol=1e-12)
    d = BoundedImprovement(.2).solve([.1, .6], [.6, .4], randomise=False)
    assert d.coverage == .6 and d.threshold == .1 and d.accept_at_threshold == 1


def test_infeasible_trivial_and_exact_targets_have_a_status():
    assert BoundedImprovement(.05).solve([.1, .6]).status == "infeasible"
    assert BoundedImprovement(.05).solve([.1, .6])([.0]) == 0
    t = BoundedImprovement(.5).solve([.1, .6])
    assert t.status == "trivial" and t.threshold == np.inf and t.coverage == 1 and t([1e9]) == 1
    e = BoundedImprovement(.1).solve([.1, .6])
    assert e.status == "optimal" and e.coverage == .5 and e.selective_risk == .1
    assert BoundedImprovement(0).solve([0., 0., 1.]).coverage == 2/3
    assert BoundedImprovement(0).solve(np.zeros(5)).status == "trivial"
    # 29 errors in 100 answers meet a target of .29 although .29*100 < 29 in floating point
    assert BoundedImprovement(.29).solve(np.repeat([0., 1.], [71, 29]), scores=np.zeros(100)).status == "trivial"


def test_bounded_abstention_by_hand():
    s = BoundedAbstention(.8).solve([.1, .6], [.6, .4])      # kappa = (.8 - .6)/.4
    np.testing.assert_allclose([s.threshold, s.accept_at_threshold, s.coverage, s.selective_risk], [.6, .5, .8, (.06 + .12)/.8], rtol=1e-12)
    t = BoundedAbstention(.5).solve([.1, .5], [.6, .4])
    assert t.status == "tied"
    np.testing.assert_allclose(t.selective_risk, .1, rtol=1e-12)
    assert BoundedAbstention(1).solve([.1, .5]).status == "trivial"


def test_a_sample_meets_its_coverage():
    # (24) read literally rejects a boundary without mass; on ten distinct losses a target of .5 must accept five
    s = BoundedAbstention(.5).solve(np.arange(10.))
    assert s.coverage == .5 and s(np.arange(10.)).sum() == 5


def test_scores_that_are_not_proper_may_gain_by_accepting_more():
    s = BoundedAbstention(.3).solve([1., 0., 0., 1.], scores=[1, 2, 3, 4])
    assert s.coverage == .75 and abs(s.selective_risk - 1/3) < 1e-12


def test_solutions_equal_linear_programs():
    # 150 random finite laws with ties and atoms of weight zero; 1e-9 is HiGHS' own feasibility tolerance class
    rng = np.random.default_rng(1)
    seen = set()
    for _ in range(50):
        n = int(rng.integers(1, 12))
        r = rng.choice(6, n)/5 if rng.random() < .6 else rng.random(n)
        p = rng.dirichlet(np.ones(n))*(rng.random(n) < .85)
        if p.sum() == 0: continue
        for model in (CostBased(float(rng.choice([.2, .4, rng.random()]))), BoundedImprovement(float(rng.choice([.2, rng.random()]))), BoundedAbstention(float(1 - rng.random()*.9))):
            s = model.solve(r, p)
            best, _ = linear_program(model, r, p)
            np.testing.assert_allclose(objective(model, s), best, atol=1e-9)
            c = s(r)                                            # what it says it achieves is what it achieves
            np.testing.assert_allclose((p*c).sum()/p.sum(), s.coverage, atol=1e-12)
            if s.coverage > 0: np.testing.assert_allclose((p*c*r).sum()/(p*c).sum(), s.selective_risk, atol=1e-12)
            seen.add(s.status)
    assert seen == {"optimal", "randomised", "tied", "trivial", "infeasible"}


@settings(deadline=None, max_examples=50, derandomize=True)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=8), st.integers(0, 5))
def test_bounded_improvement_is_feasible_and_not_improvable(losses, target):
    model = BoundedImprovement(target/5)
    s = model.solve(losses)
    assert s.status == "infeasible" or s.selective_risk <= target/5*(1 + 1e-12) + 1e-15
    c = s(losses)
    i = np.argmin(np.where(c < 1, losses, np.inf))              # the cheapest atom that is not fully accepted
    if (c < 1).any() and c.sum() > 0:
        more = np.minimum(1, c + np.where(np.arange(len(c)) == i, 1e-6, 0))
        assert (more*losses).sum()/more.sum() > target/5


def test_conversion_keeps_the_strategy():
    rng = np.random.default_rng(2)
    kinds = (CostBased, BoundedImprovement, BoundedAbstention)
    for _ in range(40):
        r, p = rng.random(7), rng.dirichlet(np.ones(7))
        for model in (CostBased(r[3], .4), BoundedImprovement(float(r.min() + (p@r - r.min())*rng.random()) + 1e-3), BoundedAbstention(.3 + .7*rng.random())):
            s = model.solve(r, p)
            if s.status in ("infeasible", "tied") and not isinstance(model, CostBased) or (np.sort(r) < s.threshold).sum() == 0: continue
            for kind in kinds:
                np.testing.assert_allclose(convert(model, kind, r, p).solve(r, p)(r), s(r), atol=1e-9)


def test_conversion_that_cannot_be_says_so():
    import pytest
    with pytest.raises(ValueError, match="does not determine"): convert(BoundedAbstention(.5), BoundedImprovement, [.2, .2])
    with pytest.raises(ValueError, match="smallest that can be met"): convert(BoundedImprovement(.1), CostBased, [.2, .3])


def test_plug_in_rules():
    P = np.random.default_rng(3).dirichlet(np.ones(4), 20)
    np.testing.assert_array_equal(bayes_predict(P), P.argmax(1))
    np.testing.assert_allclose(conditional_risk(P), 1 - P.max(1), atol=1e-15)
    mae = np.abs(np.subtract.outer(range(4), range(4)))
    median = (P.cumsum(1) < .5).sum(1)                          # the Bayes decision under absolute loss
    np.testing.assert_array_equal(bayes_predict(P, mae), median)
    np.testing.assert_allclose(conditional_risk(P, mae, median), conditional_risk(P, mae), atol=1e-15)


def test_bad_input_is_named():
    for call, words in [(lambda: BoundedImprovement(-.1), "target_risk"), (lambda: BoundedAbstention(0), "target_coverage"), (lambda: BoundedAbstention(1.1), "target_coverage"),
                        (lambda: CostBased(np.nan), "reject_cost"), (lambda: CostBased("a"), "reject_cost"), (lambda: CostBased(.1).solve([]), "risk"),
                        (lambda: CostBased(.1).solve([.1, np.nan]), "risk has 1 NaN"), (lambda: CostBased(.1).solve([-.1]), "risk must be at least 0"),
                        (lambda: CostBased(.1).solve([.1], [-1.]), "weight"), (lambda: CostBased(.1).solve([.1], [0.]), "positive sum"),
                        (lambda: BoundedImprovement(.1).solve([.1, .2], scores=[1.]), "scores has 1 entries"), (lambda: BoundedImprovement(.1).solve([.1], scores=[np.nan]), "scores has 1 NaN"),
                        (lambda: bayes_predict([[.5, .6]]), "sum to 1"), (lambda: bayes_predict([[np.nan, 1]]), "NaN"), (lambda: bayes_predict([[.5, .5]], np.eye(3)), "2 rows"),
                        (lambda: conditional_risk([[.5, .5]], prediction=[2]), "column indices"), (lambda: BoundedAbstention(.5).solve([.1])([np.nan]), "scores"),
                        (lambda: BoundedImprovement(.2).solve([1e308, 1e308]), "risk goes up"), (lambda: BoundedImprovement(.2).solve(np.ma.array([.1, .9], mask=[0, 1])), "risk has masked")]:
        with pytest.raises(ValueError, match=words): call()


def test_weights_of_any_size():
    r = [.1, .3, .6]
    for model in (BoundedImprovement(.2), BoundedAbstention(.5), CostBased(.2)):
        expected = model.solve(r, [1., 1., 2.])
        for size in (2.**1022, 2.**-1000, 5e-324): assert model.solve(r, np.array([1., 1., 2.])*size) == expected
    assert BoundedImprovement(.2).solve(r, [1e308]*3).coverage == BoundedImprovement(.2).solve(r).coverage


def test_ties_everywhere_and_weights_as_counts():
    s = BoundedAbstention(.25).solve(np.full(8, .3))
    assert s.status == "tied" and s.coverage == .25
    a = BoundedImprovement(.2).solve([.1, .1, .6], scores=None)
    b = BoundedImprovement(.2).solve([.1, .6], [2, 1])
    assert a == b
