"""Tests of nbs/strategies/20_metrics.ipynb, extracted from its test cells: edit them there."""
import math
import numpy as np
import pytest
from reject_nb.strategies.curves import aurc
from reject_nb.strategies.curves import sele
from sklearn.metrics import average_precision_score
from sklearn.metrics import roc_auc_score

from reject_nb.strategies.metrics import _harmonic, _numbers, compare_scores, selective_metrics, sort_sample

def _sample(seed, binary=True):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 300))
    losses = (rng.random(n) < .3).astype(float) if binary else rng.exponential(size=n)
    scores = np.round(rng.normal(size=n) + .5*losses, seed % 3 if seed % 2 else 8)
    if binary: losses[:2] = 0, 1
    return losses, scores


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("binary", [True, False])
def test_values_are_those_of_their_definitions(seed, binary):
    losses, s = _sample(seed, binary)
    found, n = selective_metrics(losses, s), len(losses)
    np.testing.assert_allclose(found["AURC"], aurc(losses, s, "expected"), rtol=1e-11)
    np.testing.assert_allclose(found["AURC by index"], aurc(losses, s), rtol=1e-11)
    np.testing.assert_allclose(found["e-AURC"], aurc(losses, s, "expected") - aurc(losses, losses), rtol=1e-9,
                               atol=1e-12)
    np.testing.assert_allclose(found["AUGRC"], .5*(sele(losses, s) + losses.mean() - sele(losses, -s)),
                               rtol=1e-11)
    assert found["risk"] == pytest.approx(losses.mean()) and found.n == n
    if not binary:
        assert "AUROC" not in found.values
        return
    np.testing.assert_allclose(found["AUROC"], roc_auc_score(losses, s), rtol=1e-11)
    np.testing.assert_allclose(found["AUPR errors"], average_precision_score(losses, s), rtol=1e-11)
    np.testing.assert_allclose(found["AUPR right"], average_precision_score(1 - losses, -s), rtol=1e-11)


@pytest.mark.parametrize("seed", range(6))
def test_working_points(seed):
    losses, s = _sample(seed)
    found = selective_metrics(losses, s, coverages=[0, .33, .8, 1], risks=[0, .2, .5, 1])
    thresholds = np.unique(s)
    coverage = np.array([(s <= t).mean() for t in thresholds])
    risk = np.array([losses[s <= t].mean() for t in thresholds])
    for c in (0, .33, .8, 1):
        assert found[f"risk at coverage {c:g}"] == pytest.approx(risk[coverage >= c - 1e-12][0])
    for t in (0, .2, .5, 1):
        good = coverage[risk <= t + 1e-12]
        assert found[f"coverage at risk {t:g}"] == pytest.approx(good[-1] if len(good) else 0)


def test_resampling_is_counting():
    "Weights give what the repeated examples give."
    rng = np.random.default_rng(3)
    for seed in range(8):
        losses, s = _sample(seed, seed % 4 != 3)
        weights = rng.integers(0, 4, len(losses)).astype(float)
        again = np.repeat(np.arange(len(losses)), weights.astype(int))
        if len(again) < 2: continue
        sample, direct = sort_sample(losses, s), selective_metrics(losses[again], s[again])
        by_loss = None if sample.binary else sort_sample(losses, losses)
        found = _numbers(sample, weights, (.7, .8, .9), (.01, .05, .1), _harmonic(int(weights.sum())),
                         by_loss)
        for name, value in direct.values.items():
            np.testing.assert_allclose(found[name], value, rtol=1e-9, atol=1e-12)


def test_intervals_cover():
    "AUROC and AURC of a known law, 60 samples, confidence .8: below 37 or above 58 is unlikely."
    rng, hits = np.random.default_rng(4), np.zeros(2)
    u = (np.arange(20_000) + .5)/20_000
    # errors with probability .4 s: scores of errors have density 2 s, of right answers (1 - .4 s)/.8
    truth = np.array([float(2*u @ (u - .2*u**2)/.8)/20_000, .2*.5])
    for _ in range(60):
        s = rng.random(300)
        found = selective_metrics((rng.random(300) < .4*s).astype(float), s, (), (), 150, .8, rng)
        for k, name in enumerate(("AUROC", "AURC")):
            low, high = found.intervals[name]
            hits[k] += low <= truth[k] <= high
    assert (hits >= 37).all() and (hits <= 58).all(), hits
    low, high = found.intervals["risk"]
    assert low < found["risk"] < high and set(found.intervals) == set(found.values)


def test_paired_comparison():
    rng = np.random.default_rng(5)
    s, rejected = rng.random(400), 0
    errors = (rng.random(400) < .4*s).astype(float)
    same = compare_scores(errors, s, 3*s - 1, n_bootstrap=50)
    assert same.difference == 0 and same.p_value == 1 and same.interval == (0., 0.)
    better = compare_scores(errors, s, rng.random(400), "AUROC", 300)
    assert better.p_value < .02 and better.interval[0] > 0 and better.first == selective_metrics(errors,
                                                                                                 s)["AUROC"]
    assert compare_scores(errors, s, rng.random(400), n_bootstrap=300).difference < 0
    for _ in range(60):      # equal in law: p below .1 in about a tenth, more than 14 of 60 have probability
                             # .001
        a, b = s + .2*rng.normal(size=400), s + .2*rng.normal(size=400)
        rejected += compare_scores(errors, a, b, n_bootstrap=99, random_state=rng).p_value < .1
    assert rejected <= 14
    point = compare_scores(errors, s, -s, "coverage at risk 0.1", 20)
    assert point.first > point.second and abs(compare_scores(s, s, -s, "e-AURC", 20).first) < 1e-12


def test_one_kind_only():
    for value in (0., 1.):
        found = selective_metrics(np.full(5, value), range(5), n_bootstrap=3)
        assert math.isnan(found["AUROC"]) and found["AURC"] == value and found["e-AURC"] == pytest.approx(0)
    assert selective_metrics([1.], [np.inf])["risk at coverage 0.8"] == 1


@pytest.mark.parametrize("change, name", [
    (dict(losses=[-1., 0]), "losses"), (dict(scores=[1.]), "scores"), (dict(coverages=[2.]), "coverages"),
    (dict(risks=[-1.]), "risks"), (dict(risks=[1.5e290]), "risks"),
    (dict(n_bootstrap=-1), "n_bootstrap"), (dict(confidence=1.), "confidence"),
    (dict(random_state="x"), "random_state")])
def test_arguments_are_named(change, name):
    with pytest.raises(ValueError, match=f"^{name} must"):
        selective_metrics(**{**dict(losses=[0., 1], scores=[0., 1]), **change})


@pytest.mark.parametrize("change, name", [
    (dict(other_scores=[1.]), "other_scores"), (dict(metric="auc"), "metric"),
                                          (dict(metric="risk at coverage x"), "metric"),
    (dict(metric=3), "metric"), (dict(n_bootstrap=1), "n_bootstrap")])
def test_arguments_of_comparisons_are_named(change, name):
    with pytest.raises(ValueError, match=f"^{name} must"):
        compare_scores(**{**dict(losses=[0., 1], scores=[0., 1], other_scores=[1., 0]), **change})


@pytest.mark.parametrize("n, least", [(1, 1.), (2, .5), (4, .125)])
def test_few_examples_prove_nothing(n, least):
    "The best score of four examples against the worst: swapping scores can reach 2/16 at most."
    losses = np.arange(n) >= n/2
    found = compare_scores(losses*1., np.arange(n), -np.arange(n), "AURC")
    assert found.p_value >= least and found.interval == (-math.inf, math.inf)


def test_resamples_without_spread_give_no_interval():
    losses = np.repeat([0., 1.], 10)
    found = compare_scores(losses, losses, -losses, "AUROC", n_bootstrap=99)
    assert found.difference == 1 and found.interval == (-math.inf, math.inf) and found.p_value == .02
    assert compare_scores(losses, losses, 2*losses, "AUROC", n_bootstrap=99).interval == (0., 0.)


def test_a_comparison_turned_round_is_the_same():
    "Two scores that differ clearly: differences and intervals change their signs, the p-value stays."
    rng = np.random.default_rng(0)
    losses = (rng.random(300) < .3).astype(float)
    good, bad = losses + rng.normal(size=300), losses + 3*rng.normal(size=300)
    one, other = (compare_scores(losses, *pair, n_bootstrap=199) for pair in ((good, bad), (bad, good)))
    assert one.p_value == other.p_value <= .02 and one.difference == -other.difference < 0
    np.testing.assert_allclose(one.interval, [-other.interval[1], -other.interval[0]], rtol=1e-9)
    assert one.interval[1] < 0 < other.interval[0]
    same = compare_scores(losses, good, good, n_bootstrap=199)
    assert same.p_value == 1 and same.interval == (0, 0)
