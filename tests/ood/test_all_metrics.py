"""Tests of nbs/ood/19_all_metrics.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.ood.sample import sweep
from scipy.special import ndtr
from sklearn import metrics as sk

from reject_nb.ood.all_metrics import (
    _areas, _numbers, _placements, _resampled, _squares, auroc_variance, compare_detectors, ood_metrics,
)

def _sample(seed, n=300, ties=True):
    rng = np.random.default_rng(seed)
    flags = rng.random(n) < .4
    scores = rng.normal(size=n) + flags
    return np.round(scores, 1) if ties else scores, flags


@pytest.mark.parametrize("seed", range(6))
def test_against_scikit_learn(seed):
    scores, flags = _sample(seed, ties=seed % 2 == 0)
    m = ood_metrics(scores, flags)
    assert np.isclose(m.auroc, sk.roc_auc_score(flags, scores), rtol=1e-12)
    assert np.isclose(m.aupr_out, sk.average_precision_score(flags, scores), rtol=1e-12)
    assert np.isclose(m.aupr_in, sk.average_precision_score(~flags, -scores), rtol=1e-12)
    precision, recall, _ = sk.precision_recall_curve(flags, scores)
    assert np.isclose(m.aupr_out_trapezoid, sk.auc(recall, precision), rtol=1e-12)
    precision, recall, _ = sk.precision_recall_curve(~flags, -scores)
    assert np.isclose(m.aupr_in_trapezoid, sk.auc(recall, precision), rtol=1e-12)


@pytest.mark.parametrize("seed, tpr", [(0, .95), (1, .5), (2, .8), (3, .999)])
def test_rates_by_trying_all_thresholds(seed, tpr):
    scores, flags = _sample(seed)
    tries = np.unique(scores)
    inside = [(np.mean(scores[~flags] <= t), np.mean(scores[flags] <= t)) for t in tries]
    outside = [(np.mean(scores[flags] >= t), np.mean(scores[~flags] >= t)) for t in tries]
    m = ood_metrics(scores, flags, tpr=tpr)
    assert np.isclose(m.fpr_id, min(f for t, f in inside if t >= tpr), rtol=1e-12)
    assert np.isclose(m.fpr_ood, min(f for t, f in outside if t >= tpr), rtol=1e-12)
    assert np.isclose(m.detection_error, min((1 - t + f)/2 for t, f in inside + [(0, 0)]), rtol=1e-12)


def test_open_set_numbers_by_trying_all_thresholds():
    scores, flags = _sample(7)
    right = np.random.default_rng(8).random(300) < .7
    m = ood_metrics(scores, flags, right, fpr=(.05, .3))
    n = (~flags).sum()
    kept = right & ~flags
    tries = [(np.mean(scores[flags] <= t), kept[scores <= t].sum()/n) for t in np.unique(scores)]
    for fpr in (.05, .3):
        assert np.isclose(m.values[f"ccr_at_{fpr:g}"], max([c for f, c in tries if f <= fpr], default=0.))
    x, y = zip((0, 0), *tries)
    assert np.isclose(m.oscr, np.trapezoid(y, x), rtol=1e-12)


@pytest.mark.parametrize("digits", [0, 2, 12])
def test_many_scores_as_few(digits):
    "From 65,536 scores on they are merged; the counts are those of the order of all."
    rng = np.random.default_rng(digits)
    scores, flags = np.round(rng.normal(size=70_000), digits), rng.random(70_000) < .3
    scores[:5], scores[5:9] = np.inf, -np.inf
    merged, ordered = sweep(scores, flags), sweep(scores, flags, np.zeros(70_000))
    assert np.array_equal(merged.threshold, ordered.threshold) and len(merged.loss) == 0
    assert np.array_equal(merged.n_id, ordered.n_id) and np.array_equal(merged.n_ood, ordered.n_ood)
    assert (merged.total_id, merged.total_ood) == (ordered.total_id, ordered.total_ood)
    theirs = sk.average_precision_score(flags, np.clip(scores, -9, 9))
    assert np.isclose(ood_metrics(scores, flags).aupr_out, theirs)


@pytest.mark.parametrize("seed", range(4))
def test_the_walk_as_python_and_by_arrays(seed):
    t = sweep(*_sample(seed, ties=seed % 2 == 0))
    assert np.allclose(_areas.py_func(t.n_id, t.n_ood), _areas(t.n_id, t.n_ood), rtol=1e-14)
    known, foreign = np.diff(t.n_id, prepend=0), np.diff(t.n_ood, prepend=0)
    below, above = _placements(t)
    variances = [np.var(np.repeat(v, n), ddof=1)/n.sum() for v, n in ((below, foreign), (above, known))]
    assert np.isclose(auroc_variance(t), sum(variances), rtol=1e-12)
    mean = _areas(t.n_id, t.n_ood).pairs/2/t.total_id/t.total_ood
    assert np.isclose(mean, foreign@below/t.total_ood) and np.isclose(mean, known@above/t.total_id)
    assert np.allclose(_squares.py_func(t.n_id, t.n_ood, mean), _squares(t.n_id, t.n_ood, mean), rtol=1e-14)


def test_perfect_and_useless_detectors():
    flags = np.array([False]*5 + [True]*5)
    best, worst = ood_metrics(np.arange(10.), flags), ood_metrics(np.zeros(10), flags)
    assert best.auroc == best.aupr_in == best.aupr_out == 1 and best.fpr_id == best.detection_error == 0
    assert worst.auroc == .5 and worst.aupr_in == .5 and worst.fpr_id == 1 and worst.detection_error == .5
    assert best.intervals["auroc"] == (0., 1.)


def test_infinite_scores_are_the_most_suspicious():
    m = ood_metrics([0., np.inf, 1., -np.inf], [False, True, True, False])
    assert m.auroc == 1


def test_intervals_cover():
    "95 % intervals of the AUROC cover in 300 samples at least as often as 3 standard errors below .95."
    true, rng, hits = float(ndtr(1/np.sqrt(2))), np.random.default_rng(9), 0
    for _ in range(300):
        flags = rng.random(150) < .4
        low, high = ood_metrics(rng.normal(size=150) + flags, flags).intervals["auroc"]
        hits += low <= true <= high
    assert hits/300 > .95 - 3*np.sqrt(.95*.05/300)


def test_bootstrap_and_formula_agree():
    scores, flags = _sample(3, 2000, ties=False)
    m = ood_metrics(scores, flags, n_boot=400, random_state=0)
    rng = np.random.default_rng(0)
    s = sweep(scores, flags)
    spread = np.std([_numbers(_resampled(s, rng), .9, ())["auroc"] for _ in range(400)])
    assert abs(spread/np.sqrt(auroc_variance(s)) - 1) < .15
    assert all(low <= high for low, high in m.intervals.values()) and set(m.intervals) == set(m.values)


def test_comparison_knows_the_pairs():
    scores, flags = _sample(4, 1000, ties=False)
    near = scores + .1*np.random.default_rng(5).normal(size=1000)
    found = compare_detectors(scores, near, flags)
    alone = np.sqrt(auroc_variance(sweep(scores, flags)))
    assert (found.high - found.low)/(2*1.96) < .3*alone
    assert np.isclose(found.difference, sk.roc_auc_score(flags, scores) - sk.roc_auc_score(flags, near))


def test_false_alarms_of_the_comparison():
    "Equal detectors: a p-value below .05 in about 5 of 100 pairs; 400 pairs, three standard errors."
    rng, low = np.random.default_rng(6), 0
    for _ in range(400):
        flags = rng.random(120) < .5
        base = rng.normal(size=120) + flags
        one, two = base + rng.normal(size=(2, 120))
        low += compare_detectors(one, two, flags).p_value < .05
    assert low/400 < .05 + 3*np.sqrt(.05*.95/400)


@pytest.mark.parametrize("change, named", [
    (dict(scores=[1., np.nan, 2]), "scores"), (dict(is_ood=[True, True, True]), "is_ood"),
    (dict(is_ood=[False]*3), "is_ood"), (dict(tpr=1.), "tpr"), (dict(fpr=(.1, 2)), "fpr"),
    (dict(n_boot=-1), "n_boot"), (dict(level=0), "level"), (dict(right=[1, 2]), "right")], ids=str)
def test_bad_input_is_named(change, named):
    good = dict(scores=[1., 2., 3.], is_ood=[False, True, False])
    with pytest.raises(ValueError, match=named): ood_metrics(**(good | change))


@pytest.mark.parametrize("n", [1, 2, 4])
def test_few_inputs_prove_nothing(n):
    order, flags = np.arange(2.*n), np.arange(2*n) >= n
    found = compare_detectors(order, -order, flags)
    assert found == (1., -1., 1., 1.) if n == 1 else found.difference == 1 and found.low < 0 < found.p_value
    assert found.p_value > .05 and compare_detectors(-order, order, flags).high > 0
    same = compare_detectors(order, 2*order, flags)
    assert same.difference == 0 and same.p_value == 1 and same.low == -same.high < -.9


def test_without_spread_the_bound_of_every_law_holds():
    order, flags = np.arange(400.), np.arange(400) >= 200
    found = compare_detectors(order, -order, flags)
    half = np.sqrt(2*np.log(2/.05)/200)
    assert found.low == pytest.approx(1 - half) and found.high == 1 and found.p_value == pytest.approx(
        2*np.exp(-100))


@pytest.mark.parametrize("n_id, n_ood", [(2, 2), (4, 300), (9, 9), (10, 10), (300, 12)])
def test_false_alarms_with_few_inputs(n_id, n_ood):
    "Equal detectors: a p-value below .05 in at most 5 % of the pairs; 400 pairs, three standard errors."
    rng, flags, low = np.random.default_rng(10), np.arange(n_id + n_ood) >= n_id, 0
    for _ in range(400):
        one, two = rng.normal(size=(2, n_id + n_ood))
        found = compare_detectors(one, two, flags)
        low += found.p_value < .05
        assert -1 <= found.low <= found.difference <= found.high <= 1
    assert low/400 < .05 + 3*np.sqrt(.05*.95/400)


@pytest.mark.parametrize("turn", [1, -1])
def test_a_difference_of_areas_is_between_minus_one_and_one(turn):
    "One detector is right but for one input of 40, the other always wrong: the interval ends at 1."
    flags = np.arange(40) >= 20
    right = np.where(flags, 1., 0.) + np.arange(40)/1000
    right[0] = 2.
    found = compare_detectors(turn*right, -turn*right, flags)
    assert turn*found.difference > .8 and -1 <= found.low < found.difference < found.high <= 1
    assert (found.high == 1) == (turn > 0) and (found.low == -1) == (turn < 0)
