"""Tests of nbs/audit/04_metrics.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.audit.sample import Sample
from reject_nb.audit.sorting import count_errors
from reject_nb.audit.sorting import coverage_interval
from reject_nb.audit.sorting import measure
from reject_nb.audit.sorting import ordered
from reject_nb.audit.sorting import risk_interval
from reject_nb.audit.sorting import share_interval
from reject_nb.strategies import aurc
from reject_nb.strategies import sele

from reject_nb.audit.metrics import (
    INFLUENCES, Path, _by_index, _with_error, areas, coverage_at, influence_augrc, influence_aurc,
    influence_e_aurc, mean_loss, risk_at, sample_metrics,
)

def _law(seed, n, ties=False):
    rng = np.random.default_rng(seed)
    s = rng.random(n)
    return (s.round(1) if ties else s), (rng.random(n) < .3*s).astype(float)


@pytest.mark.parametrize("ties", [False, True])
def test_areas_equal_those_of_strategies(ties):
    s, l = _law(1, 500, ties)
    path, found = Path(ordered(s, l)), areas(l, s)
    for value in (influence_aurc(path)[0], found["aurc"].value): np.testing.assert_allclose(value,
        aurc(l, s, ties="expected"), rtol=1e-12)
    np.testing.assert_allclose(_by_index(l, s), aurc(l, s), rtol=1e-12)
    np.testing.assert_allclose(influence_augrc(path)[0], found["augrc"].value, rtol=1e-12)
    if not ties: np.testing.assert_allclose(found["augrc"].value, sele(l, s) - l.mean()/1000, rtol=1e-12)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("kind", ["aurc", "augrc"])
def test_influences_of_any_loss_are_those_of_counts(kind, ties):
    "Mean 0, and the standard error that the counts give."
    s, l = _law(2, 400, ties)
    value, influence = INFLUENCES[kind](Path(ordered(s, l)))
    found = measure(count_errors(l > 0, s))
    assert abs(influence.mean()) < .02*value
    np.testing.assert_allclose(_with_error(value, influence)[1], getattr(found, f"se_{kind}"),
                               rtol=.02 if ties else .005)


@pytest.mark.parametrize("kind", list(INFLUENCES))
def test_influence_gives_the_standard_error_of_the_bootstrap(kind):
    "400 resamples: their standard deviation is known to 3.5 %, four of these are 14 %; bias adds some."
    s, l = _law(3, 2000, True)
    rng = np.random.default_rng(0)
    l = l*rng.random(2000)
    picks = [rng.integers(0, 2000, 2000) for _ in range(400)]
    values = [INFLUENCES[kind](Path(ordered(s[i], l[i])))[0] for i in picks]
    se = _with_error(*INFLUENCES[kind](Path(ordered(s, l))))[1]
    assert abs(np.std(values)/se - 1) < .16


def test_the_best_order_has_no_excess():
    l = np.sort(np.random.default_rng(0).random(50))
    value, influence = influence_e_aurc(Path(ordered(np.arange(50.), l)))
    assert abs(value) < 1e-15 and np.abs(influence).max() < 1e-12


@pytest.mark.parametrize("law", ["rising", "step"])
def test_intervals_cover(law):
    "400 samples of 500: 95 % of the intervals hold the truth; below 92 % has probability .005 for 95 %."
    rng, hits = np.random.default_rng(7), 0
    for _ in range(400):
        s = rng.random(500)
        eta = .4*s if law == "rising" else .3*(s > .45)
        l = (rng.random(500) < eta).astype(float)
        truth = .1 if law == "rising" else .3*.05/.5
        found = risk_at(Path(ordered(s, l)), .5)
        hits += found.low <= truth <= found.high
    assert hits >= .92*400


def test_shares_are_exact():
    from reject_nb.core.tails import clopper_pearson_lower, clopper_pearson_upper
    for errors, n in ((0, 10), (3, 10), (10, 10)):
        low, high = share_interval(errors, n, .9)
        np.testing.assert_allclose((low, high), (clopper_pearson_lower(errors, n, .05),
                                                 clopper_pearson_upper(errors, n,
                                                     .05)), rtol=1e-9, atol=1e-15)


def test_no_errors_and_all_errors():
    for l in (np.zeros(20), np.ones(20)):
        row = sample_metrics(Sample(losses=l, scores={"s": np.arange(20.)})).rows()[0]
        assert row["risk"] == l[0] and row["aurc"] == l[0] and np.isnan(row["auroc"])
    assert sample_metrics(Sample(losses=np.zeros(20),
                                 scores={"s": np.arange(20.)})).rows()[0]["coverage_at_risk"] == 1


def test_ood_is_found():
    ood = np.array([0, 0, 0, 1, 1], bool)
    row = sample_metrics(Sample(losses=ood*1., scores={"s": np.array([1, 2, 4, 3, 5.])},
                                is_ood=ood)).rows()[0]
    np.testing.assert_allclose((row["ood_auroc"], row["ood_fpr95"]), (5/6, .5))


@pytest.mark.parametrize("ties", [False, True])
def test_counts_and_rows_give_the_same_intervals(ties):
    s, l = _law(6, 3000, ties)
    path, counts = Path(ordered(s, l)), count_errors(l > 0, s)
    np.testing.assert_allclose(risk_at(path, .5), risk_interval(counts, .5), rtol=.1 if ties else .001)
    np.testing.assert_allclose(coverage_at(path, .1), coverage_interval(counts, .1),
                               atol=.11 if ties else .02)


def test_the_units_of_losses_do_not_matter():
    s, l = _law(5, 300)
    one = sample_metrics(Sample(losses=l, scores={"s": s})).rows()[0]
    five = sample_metrics(Sample(losses=5*l, scores={"s": s}, bound=5.), target_risk=.25).rows()[0]
    for name in ("risk", "risk_high", "aurc", "e_aurc", "augrc_high", "risk_at_coverage",
                 "risk_at_coverage_low"):
        np.testing.assert_allclose(five[name], 5*one[name], rtol=1e-9)
    for name in ("auroc", "coverage_at_risk", "coverage_at_risk_low"): np.testing.assert_allclose(five[name],
        one[name], rtol=1e-9)


def test_mean_of_losses_that_are_no_counts():
    # by hand: mean .4, standard deviation sqrt(.08), 1.96 standard errors of 5 values
    found = mean_loss(np.array([0., .2, .4, .6, .8]))
    half = 1.959963984540054*np.sqrt(.08/5)
    np.testing.assert_allclose(found, (.4, .4 - half, .4 + half), rtol=1e-12)
    assert mean_loss(np.array([0., .1]), bound=3.)[1] == 0
    assert mean_loss(np.array([1.5, 2.9]), bound=3.)[2] == 3
    assert mean_loss(np.array([.7, .7]), bound=2.)[:2] == (.7, .7)
