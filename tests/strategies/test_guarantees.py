"""Tests of nbs/strategies/22_guarantees.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from fractions import Fraction
from reject_nb.core.tails import clopper_pearson_upper
from reject_nb.strategies import BoundedAbstention
from reject_nb.strategies import BoundedImprovement
from reject_nb.strategies import ltt
from reject_nb.strategies.certified import certified_risk
from reject_nb.strategies.learn_then_test import CertifiedSelection
from reject_nb.strategies.models import CostBased
from reject_nb.strategies.shift import thin
from scipy.stats import beta
from scipy.stats import binom

from reject_nb.strategies.guarantees import certify, order_statistic, sgr

def _thresholds_by_repetition(method, repetitions, n, seed):
    "Thresholds cut to [0, 1]: coverages c, scores s being uniform; errors of probability s/5, so risk c/10."
    rng, out = np.random.default_rng(seed), []
    for _ in range(repetitions):
        s = rng.random(n)
        out.append(method((rng.random(n) < s/5).astype(float), s).threshold)
    return np.clip(out, 0, 1)


def test_violations_of_sgr_stay_below_delta():
    # 600 repetitions at delta .1: more than 83 violations have probability below .001 for a valid method
    violated = _thresholds_by_repetition(lambda l, s: sgr(l, s, .05, .1), 600, 800, 2) > .5
    assert violated.sum() <= binom.ppf(.999, 600, .1)


def test_a_tuned_threshold_promises_nothing():
    tuned = _thresholds_by_repetition(lambda l, s: certify(BoundedImprovement(.05), l, s, None), 600, 800, 2)
    assert (tuned > .5).mean() > .35


def test_ltt_covers_more_than_sgr():
    ours, theirs = (_thresholds_by_repetition(lambda l, s: f(l, s, .05), 100, 2000, 5) for f in (ltt, sgr))
    assert ours.mean() > theirs.mean() + .02


@pytest.mark.parametrize("side", ["at least", "at most"])
def test_coverage_is_certified_exactly(side):
    # uniform scores: the threshold is the coverage; the Beta law is exact, so violations are close to delta
    # from below
    rng = np.random.default_rng(4)
    coverage = np.array([order_statistic(rng.random(300), .8, .1, side).threshold for _ in range(1500)])
    bad = coverage < .8 if side == "at least" else coverage > .8
    assert .06 < bad.mean() <= binom.ppf(.999, 1500, .1)/1500


@pytest.mark.parametrize("n", [1, 7, 40])
@pytest.mark.parametrize("target, delta", [(.05, .06), (.5, .1), (.8, .1), (.99, .3), (0., .1), (1., .1)])
def test_ranks_are_those_of_the_beta_law(n, target, delta):
    k, s = np.arange(1, n + 1), np.arange(n)*1.
    least = np.flatnonzero(beta.cdf(target, k, n + 1 - k) <= delta)
    most = np.flatnonzero(beta.sf(target, k, n + 1 - k) <= delta)
    assert order_statistic(s, target, delta).threshold == (s[least[0]] if len(least) else np.inf)
    assert order_statistic(s, target, delta, "at most").threshold == (s[most[-1]] if len(most) else -np.inf)


def test_what_order_statistics_hold():
    assert order_statistic(np.zeros(300), .8).coverage == 1 and order_statistic(np.zeros(300), .8,
        side="at most").coverage == 0
    least, most = order_statistic(range(1, 21), .8, .1), order_statistic(range(1, 21), .2, .1, "at most")
    assert (least.threshold, least.accept_at_threshold, least.coverage, least.certified, least.n) == (19., 1.,
        .95, .8, 20)
    assert (most.threshold, most.accept_at_threshold, most.coverage, most.certified, most.status) == (2., 0.,
        .05, .2, "certified")
    everything, nothing = order_statistic([1, 2, 3], .9), order_statistic([1, 2, 3], .1, side="at most")
    assert (everything.status, everything.threshold, everything.certified, everything.coverage) == ("trivial",
        np.inf, 1., 1.)
    assert (nothing.status, nothing.threshold, nothing.certified, nothing.coverage) == ("trivial", -np.inf,
        0., 0.)
    assert "too few" in everything.message and "too few" in nothing.message


def _sgr_slowly(l, s, target, delta):
    "Algorithm 2 as printed, on distinct ascending scores: coverage."
    n, low, high, best = len(l), 1, len(l), 0
    steps = int(np.ceil(np.log2(n)))
    for _ in range(steps):
        z = int(np.ceil((low + high)/2))
        k = int(sum(l[:z]))
        upper = 1. if k == z else beta.ppf(1 - delta/steps, k + 1, z - k)
        if upper <= target: low, best = z, max(best, z)
        else: high = z
    return best/n


@pytest.mark.parametrize("seed", range(15))
def test_sgr_is_its_algorithm(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 400))
    l = (rng.random(n) < .3*np.arange(n)/n*rng.random()).astype(float)
    assert sgr(l, np.arange(n), .12, .1).coverage == _sgr_slowly(l, np.arange(n), .12, .1)


def test_what_sgr_holds():
    l, s = np.zeros(100), np.arange(100.)
    assert (sgr(l, s, .2).status, sgr(l, s, .2).threshold) == ("trivial", np.inf)
    # one example: 1 - .05, no union bound to pay
    assert sgr([0.], [0.], .96).certified == pytest.approx(.95)
    for found in (sgr(l[:30], s[:30], .05), sgr(l + 1, s, .5)):
        assert found.status == "infeasible" and found.coverage == 0 and np.isnan(found.certified)
    percent = sgr(100.*(s >= 80), s, 20., bound=100.)
    assert percent.status == "certified" and percent.certified <= 20
    assert percent.selective_risk == 100*(s[s <= percent.threshold] >= 80).mean()
    tied = sgr([0]*60 + [1]*40, [1]*60 + [2]*40, .2)
    assert tied.coverage == .6 and tied.threshold == 1.


def test_certify_takes_the_procedure_of_the_model():
    l, s = np.array([0.]*80 + [1.]*20), np.arange(100.)
    assert certify(BoundedImprovement(.1), l, s, "ltt") == ltt(l, s, .1) and certify(BoundedImprovement(.2),
                                                                                     l, s,
        "sgr") == sgr(l, s, .2)
    assert certify(BoundedImprovement(.1), l, s, thresholds=[70., 90.]) == ltt(l, s, .1,
        thresholds=[70., 90.])
    for guarantee in ("ltt", "sgr"):
        found = certify(BoundedAbstention(.9), l, s, guarantee, .1)
        assert found.guarantee == "order statistic" and found.threshold == order_statistic(s, .9,
            .1).threshold
        assert found.selective_risk == l[s <= found.threshold].mean()
    tuned = certify(BoundedImprovement(.1), l, s, None)
    assert "not certified" in tuned.message and tuned.coverage == .88 and not isinstance(tuned,
        CertifiedSelection)


def test_certify_takes_groups_and_weights():
    rng = np.random.default_rng(0)
    s = rng.random(1200)
    g, l = np.arange(1200) % 3, (rng.random(1200) < s/5).astype(float)
    for model, guarantee in ((BoundedImprovement(.1), "auto"), (BoundedImprovement(.1), "sgr"),
                             (BoundedAbstention(.5), "auto")):
        found = certify(model, l, s, guarantee, .1, groups=g)
        for k in range(3):
            alone = certify(model, l[g == k], s[g == k], guarantee, .1/3)
            assert found.threshold[k] == alone.threshold and found.selections[k].guarantee == alone.guarantee
    w = np.where(s < .5, 2., .5)
    keep = thin(w, 2.)
    assert certify(BoundedImprovement(.1), l, s, weights=w,
                   weight_bound=2.) == certify(BoundedImprovement(.1),
                                                                                        l[keep], s[keep])
    both = certify(BoundedImprovement(.1), l, s, groups=g, weights=w, weight_bound=2.)
    assert both.threshold == certify(BoundedImprovement(.1), l[keep], s[keep], groups=g[keep]).threshold

ZEROS = np.zeros(100)
PLACES = np.arange(100.)
BAD = [(lambda: sgr(ZEROS + .5, PLACES, .1), "losses must be 0 or bound"),
       (lambda: sgr(ZEROS, PLACES, .1, 1.), "delta must"), (lambda: order_statistic(PLACES, 1.2),
                                                            "target must"), (lambda: order_statistic(PLACES,
                                                                .5, side="x"), "side must"),
       (lambda: order_statistic(PLACES, .5, np.nan), "delta must"),
       (lambda: order_statistic([np.nan], .5), "scores must"),
       (lambda: certify(CostBased(.1), ZEROS, PLACES), "model must have a target"),
       (lambda: certify(BoundedImprovement(.1), ZEROS, PLACES, guarantee="pac"), "guarantee must"),
       (lambda: certify("risk", ZEROS, PLACES), "model must"),
       (lambda: certify(BoundedImprovement, ZEROS, PLACES, None), "model must"),
       (lambda: certify(BoundedAbstention(.5), ZEROS, PLACES[:4]), "scores must"),
       (lambda: certify(BoundedAbstention(.5), ZEROS - 1, PLACES), "losses must"),
       (lambda: certify(BoundedImprovement(.5), ZEROS, PLACES, "sgr", thresholds=[1.]), "thresholds must"),
       (lambda: certify(BoundedImprovement(.5), ZEROS, PLACES, None, delta=2), "delta must"),
       (lambda: certify(BoundedImprovement(.5), ZEROS, PLACES, None, bound="x"), "bound must"),
       (lambda: certify(BoundedImprovement(.5), ZEROS, PLACES, None, groups=ZEROS), "groups must be None"),
       (lambda: certify(BoundedImprovement(.5), ZEROS, PLACES, groups=[1, 2]), "groups must"),
       (lambda: certify(BoundedImprovement(.5), ZEROS, PLACES, weights=PLACES), "weight_bound must"),
       (lambda: certify(BoundedImprovement(.5), ZEROS, PLACES, weights=ZEROS, weight_bound=1.),
        "weights must"),
       (lambda: certify(BoundedImprovement(.5), ZEROS, PLACES, weights=PLACES, weight_bound=1.),
        "weights must"),
       (lambda: clopper_pearson_upper(-1, 5, .1), "errors must"),
       (lambda: clopper_pearson_upper(3.5, 20, .1), "errors must"),
       (lambda: clopper_pearson_upper(6, 5, .1), "errors must")]

@pytest.mark.parametrize("call, words", BAD)
def test_bad_input_is_named(call, words):
    with pytest.raises(ValueError, match=words): call()


@pytest.mark.parametrize("model, change", [
    (BoundedImprovement(.2), dict(guarantee="sgr")), (BoundedImprovement(.2), dict(guarantee="ltt")),
    (BoundedImprovement(.2), dict(guarantee=None)), (BoundedImprovement(.2), dict(thresholds=[70., 90.])),
    (BoundedAbstention(.5), {}), (CostBased(.1), dict(guarantee=None))], ids=str)
def test_an_assumption_without_a_use_is_refused(model, change):
    l, s = np.zeros(100), np.arange(100.)
    assert certify(model, l, s, **change) == certify(model, l, s, assume="every law", **change)
    with pytest.raises(ValueError, match="^assume must be 'every law'"):
        certify(model, l, s, assume="single crossing", **change)


def test_the_assumption_is_used_where_it_has_a_meaning():
    l, s = np.array([0.]*60 + [1.]*40), np.arange(100.)
    assert certify(BoundedImprovement(.2), l, s, assume="single crossing") == certified_risk(
        l, s, .2, assume="single crossing")


@pytest.mark.parametrize("way", [list, lambda g: np.array(g, dtype=object)])
def test_groups_of_a_column_of_objects_with_weights(way):
    names, weights = ["u", "v"]*100, np.ones(200)
    found = certify(BoundedImprovement(.2), [0]*200, range(200), groups=way(names), weights=weights,
                    weight_bound=1.)
    assert found.threshold == {"u": np.inf, "v": np.inf}
    with pytest.raises(ValueError, match="^groups must be labels of one kind"):
        certify(BoundedImprovement(.2), [0]*200, range(200), groups=way([1, "v"]*100), weights=weights,
                weight_bound=1.)


def test_a_bound_without_weights_is_refused():
    for model in (BoundedImprovement(.2), BoundedAbstention(.5)):
        with pytest.raises(ValueError, match="^weight_bound must be None where weights are None, got 2.0"):
            certify(model, [0]*200, range(200), weight_bound=2.)


@pytest.mark.parametrize("guarantee", ["auto", "ltt", "sgr", None])
@pytest.mark.parametrize("loss", [0, 1])
def test_a_target_may_be_a_fraction(guarantee, loss):
    l, s = np.r_[np.zeros(60), np.full(40, loss)], np.arange(100.)
    assert certify(BoundedImprovement(Fraction(1, 4)), l, s, guarantee, Fraction(1, 10)) == certify(
        BoundedImprovement(.25), l, s, guarantee, .1)
