"""Tests of nbs/audit/03_sorting.ipynb, extracted from its test cells: edit them there."""
import math
import numpy as np
import pytest
from itertools import permutations
from reject_nb.strategies import aurc

from reject_nb.audit.sorting import (
    Counts, _harmonic, augrc_of, aurc_of, auroc_of, best_area, count_errors, coverage_interval, interval,
    measure, ordered, risk_interval, thinned,
)

def _by_hand(wrong, scores):
    "Counts with NumPy alone."
    values, group = np.unique(np.asarray(scores, float) + 0., return_inverse=True)
    size, bad = np.bincount(group), np.bincount(group, weights=wrong).astype(int)
    return values, np.cumsum(size), np.cumsum(bad)


def _laws(n):
    "Scores of all kinds, with errors that follow them."
    rng = np.random.default_rng(n)
    u = rng.random(n)
    wrong = rng.random(n) < .3*u
    far = np.where(u < .1, -np.inf, np.where(u > .9, np.inf, u - .5))
    return {"distinct": (wrong, u), "ties": (wrong, np.round(u, 2)), "signed": (wrong, u - .5),
            "float32": (wrong, u.astype(np.float32)), "negative": (wrong, -u), "infinite": (wrong, far),
            "constant": (wrong, np.zeros(n)), "zeros": (wrong, np.where(u < .5, -0., 0.)),
            "tiny": (wrong, u*5e-320), "all correct": (np.zeros(n, bool), u),
            "all wrong": (np.ones(n, bool), u)}

LAWS = tuple(_laws(2))

@pytest.mark.parametrize("n", [1, 2, 7, 300, 6000])
@pytest.mark.parametrize("law", LAWS)
def test_counts_are_those_of_numpy(law, n):
    wrong, scores = _laws(n)[law]
    found, (values, accepted, errors) = count_errors(wrong, scores), _by_hand(wrong, scores)
    assert (found.scores == values).all() and not np.signbit(found.scores[found.scores == 0]).any()
    assert (found.accepted == accepted).all() and (found.errors == errors).all()
    assert found.n == n and found.n_errors == wrong.sum()


@pytest.mark.parametrize("wrong, scores, name", [
    ([0, 2], [.1, .2], "wrong"), ([0, .5], [.1, .2], "wrong"), ([0], [.1, .2], "wrong"),
                                                 (None, [.1], "wrong"),
    (np.zeros((2, 1), bool), [.1, .2], "wrong"),
    (np.ma.masked_array([True, False], mask=[True, False]), [.1, .2], "wrong"),
    ([0, 1], [.1, np.nan], "scores"), ([], [], "scores"), ([0, 1], "ab", "scores"), ([0], [[.1]], "scores")])
def test_bad_rows_are_named(wrong, scores, name):
    with pytest.raises(ValueError, match=f"^{name} must be"): count_errors(wrong, scores)


@pytest.mark.parametrize("law", LAWS)
def test_ordered_rows_are_those_of_numpy(law):
    wrong, scores = _laws(6000)[law]
    scores = scores.astype(float)
    for losses in (wrong.astype(float), wrong*.5 + .25, np.random.default_rng(0).random(6000)):
        found, order = ordered(scores, losses), np.argsort(scores, kind="stable")
        assert (found.scores == scores[order]).all() and found.losses.dtype == float
        ends = np.append(np.flatnonzero(found.scores[1:] != found.scores[:-1]), 5999)
        assert np.allclose(np.cumsum(found.losses)[ends], np.cumsum(losses[order])[ends], rtol=1e-12)


@pytest.mark.parametrize("a, b",
                         [(0, 1), (0, 30), (0, 31), (5, 40), (30, 61), (30, 90), (100, 10**6), (7, 7)])
def test_harmonic_sums(a, b):
    k = np.arange(a + 1, b + 1, dtype=float)
    total, squares = _harmonic(a, b)
    assert abs(total - math.fsum(1/k)) < 1e-11 and abs(squares - math.fsum(1/k**2)) < 1e-12


def _orders(wrong, scores):
    "All orders of six answers that agree with the score."
    orders = np.array(list(permutations(range(len(scores)))))
    ranked = np.asarray(scores)[orders]
    return np.asarray(wrong)[orders[(np.diff(ranked, axis=1) >= 0).all(1)]]


def _areas_of_orders(losses):
    "(AURC, AUGRC, AUROC) of each order of 0/1 losses, without ties."
    n, S = losses.shape[1], np.cumsum(losses, 1)
    before = S - losses/2                                       # trapezoids
    K = losses.sum(1)
    pairs = (losses*np.cumsum(1 - losses, 1)).sum(1)
    return (S/np.arange(1, n + 1)).mean(1), before.sum(1)/n**2, pairs/(K*(n - K))


@pytest.mark.parametrize("seed", range(12))
def test_bounds_are_attained_and_the_value_is_the_mean(seed):
    "Enumeration of all orders of six answers."
    rng = np.random.default_rng(seed)
    wrong, scores = np.append(rng.random(4) < .5, [True, False]), rng.integers(0, 1 + seed % 5,
                                                                               6).astype(float)
    counts = count_errors(wrong, scores)
    areas = aurc_of(counts), augrc_of(counts), auroc_of(counts)
    for area, values in zip(areas, _areas_of_orders(_orders(wrong, scores))):
        assert np.allclose(area, (values.mean(), values.min(), values.max()), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("law", LAWS)
def test_areas_are_those_of_others(law):
    "strategies' AURC, scikit-learn's AUROC, and the identity of AUGRC."
    from sklearn.metrics import roc_auc_score
    wrong, scores = _laws(6000)[law]
    counts = count_errors(wrong, scores)
    assert abs(aurc_of(counts).value - aurc(wrong, scores, ties="expected")) < 1e-12
    pairs, r = auroc_of(counts), wrong.mean()
    if pairs is None: assert r in (0, 1)
    else:
        finite = np.clip(scores, -1e9, 1e9)
        assert abs(pairs.value - roc_auc_score(wrong, finite)) < 1e-12
        assert abs(augrc_of(counts).value - ((1 - pairs.value)*r*(1 - r) + r**2/2)) < 1e-14


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("bins", [1, 2, 17])
def test_coarser_groups_bound_finer_ones(law, bins):
    "Joining neighbouring groups widens the bounds, and they contain the exact value."
    wrong, scores = _laws(6000)[law]
    counts = count_errors(wrong, scores)
    last = np.unique(np.append(np.linspace(0, len(counts.scores) - 1, bins).astype(int),
                               len(counts.scores) - 1))
    coarse = Counts(scores=counts.scores[last], accepted=counts.accepted[last], errors=counts.errors[last])
    for area in (aurc_of, augrc_of, auroc_of):
        fine, wide = area(counts), area(coarse)
        if fine is None: continue
        assert wide.low <= fine.low + 1e-12 <= fine.value + 2e-12 <= fine.high + 3e-12 <= wide.high + 4e-12


def test_simple_cases():
    assert tuple(aurc_of(count_errors([1], [0.]))) == (1, 1, 1) and auroc_of(count_errors([1], [0.])) is None
    assert augrc_of(count_errors([1], [0.])).value == .5 and aurc_of(count_errors([0], [0.])).high == 0
    assert best_area(0) == 0 and best_area(1) == 1 and abs(best_area(.5) - (.5 + .5*math.log(.5))) < 1e-15


def _psi(wrong, scores, delta=1e-6):
    "Derivatives of the areas with respect to the weight of each answer, by finite differences."
    def areas(weights):
        order = np.argsort(scores, kind="stable")
        w, l = weights[order]/weights.sum(), wrong[order].astype(float)
        F, G = np.cumsum(w), np.cumsum(w*l)
        fine = np.linspace(0, 1, 400_001)[1:]
        g = np.interp(fine, np.append(0, F), np.append(0, G))
        return np.array([(g/fine).mean(), np.trapezoid(np.append(0, G), np.append(0, F))])
    n, rows = len(wrong), []
    for i in range(n):
        bump = delta*n*np.eye(n)[i]
        rows.append((areas(np.ones(n) + bump) - areas(np.ones(n) - bump))/(2*delta))
    return np.array(rows)


def test_errors_are_those_of_the_derivative():
    "Infinitesimal steps on 60 answers; the sample's sums differ from integrals by O(log n / n)."
    rng = np.random.default_rng(3)
    scores = rng.random(60)
    wrong, found = rng.random(60) < .2 + .5*scores, None
    found, psi = measure(count_errors(wrong, scores)), _psi(wrong, scores)
    assert abs(found.se_augrc/(psi[:, 1].std()/60**.5) - 1) < .01
    assert abs(found.se_aurc/(psi[:, 0].std()/60**.5) - 1) < .06


def _resampled(wrong, scores, times, rng):
    "Standard deviations of the measures over resampled rows."
    n, rows = len(wrong), []
    for _ in range(times):
        pick = rng.integers(0, n, n)
        m = measure(count_errors(wrong[pick], scores[pick]))
        rows.append((m.aurc.value, m.e_aurc, m.augrc.value, m.auroc.value))
    return np.std(rows, axis=0)


@pytest.mark.parametrize("law", ["distinct", "ties", "signed", "constant"])
def test_errors_are_those_of_resampling(law):
    "400 resamples know a standard error to 3.5 %: four of these."
    wrong, scores = _laws(6000)[law]
    m = measure(count_errors(wrong, scores))
    se, boot = (m.se_aurc, m.se_e_aurc, m.se_augrc, m.se_auroc), _resampled(wrong, scores, 400,
                                                                            np.random.default_rng(1))
    for own, other in zip(se, boot): assert abs(own - other) <= .14*other + 1e-12


@pytest.mark.parametrize("law", LAWS)
def test_precision_and_fpr_are_those_of_scikit_learn(law):
    from sklearn.metrics import average_precision_score, roc_curve
    wrong, scores = _laws(6000)[law]
    m, finite = measure(count_errors(wrong, scores)), np.clip(scores, -1e9, 1e9)
    if m.n_errors: assert abs(m.average_precision - average_precision_score(wrong, finite)) < 1e-12
    else: assert m.average_precision is None
    if m.auroc is None: assert m.fpr95 is None and m.se_auroc is None
    else:
        fpr, tpr, _ = roc_curve(wrong, finite, drop_intermediate=False)
        assert m.fpr95 == fpr[np.argmax(tpr >= .95)]


def test_intervals_hold():
    "2,000 samples of 400: fewer than 1,860 of 1,900 expected hits have probability below .0001."
    rng, hits = np.random.default_rng(11), np.zeros(2)
    truth = .3*.25, (2/3 - .3/4)/.85       # eta = .3 u: AURC = .15/2; AUROC = E[F_correct(u) | error]
    for _ in range(2000):
        u = rng.random(400)
        m = measure(count_errors(rng.random(400) < .3*u, u))
        low, high = interval(m.aurc.value, m.se_aurc)
        hits[0] += low <= truth[0] <= high
        low, high = interval(m.auroc.value, m.se_auroc, scale="logit")
        hits[1] += low <= truth[1] <= high
    assert (hits >= 1860).all(), hits


def test_degenerate_samples_have_no_error():
    for wrong in (np.zeros(9, bool), np.ones(9, bool)):
        m = measure(count_errors(wrong, np.arange(9.)))
        assert m.se_aurc < 1e-12 and m.se_e_aurc < 1e-12 and m.se_augrc < 1e-12 and abs(m.e_aurc) < 1e-15
    assert measure(count_errors([1], [2.])).aurc.value == 1


@pytest.mark.parametrize("change, name", [(dict(value=np.nan), "value"), (dict(error=-1.), "error"),
                                          (dict(delta=0), "delta"), (dict(scale="x"), "scale")])
def test_arguments_of_an_interval_are_named(change, name):
    with pytest.raises(ValueError,
                       match=f"^{name} must be"): interval(**{**dict(value=.5, error=.1), **change})
    with pytest.raises(ValueError, match="^counts must be"): measure(None)


def test_billions_of_answers_by_counts():
    "Counts alone: a law of 1e12 answers has the areas of the law."
    u = np.linspace(0, 1, 20_001)[1:]
    accepted, errors = np.round(u*1e12).astype(np.int64), np.round(.15*u**2*1e12).astype(np.int64)
    m = measure(Counts(scores=u, accepted=accepted, errors=errors, binned=True))
    assert abs(m.aurc.value - .075) < 1e-8 and m.aurc.low <= .075 <= m.aurc.high
    assert m.augrc.low <= .05 <= m.augrc.high and m.se_aurc < 1e-6


def test_risk_at_a_coverage_by_hand():
    "Ten answers, errors at ranks 4 and 10; a tie of two in the middle is spread."
    counts = count_errors([0, 0, 0, 1, 0, 0, 0, 0, 0, 1], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    assert risk_interval(counts, .5)[0] == .2 and risk_interval(counts, 1.)[0] == .2
    assert coverage_interval(counts, .15)[0] == .9 and coverage_interval(counts, .01)[0] == .3
    tied = count_errors([0, 0, 0, 1], [0, 1, 1, 1])
    assert risk_interval(tied, .5)[0] == pytest.approx(1/6)
    assert risk_interval(count_errors([1], [0.]), 1.) == (1., pytest.approx(.025), 1.)


@pytest.mark.parametrize("law", ["smooth", "step"])
def test_risk_at_a_coverage_is_covered(law):
    "1,000 samples of 500 at c = .5, .95 expected: below .92 has probability .0001."
    rng, hits = np.random.default_rng(2), 0
    truth = {"smooth": .3*.25, "step": .3*.05/.5}[law]
    for _ in range(1000):
        u = rng.random(500)
        eta = .3*u if law == "smooth" else .3*(u > .45)
        _, low, high = risk_interval(count_errors(rng.random(500) < eta, u), .5)
        hits += low <= truth <= high
    assert hits >= 920


def test_thinning_keeps_the_ends():
    counts = count_errors(np.zeros(5000), np.arange(5000.))
    at = thinned(counts, 100)
    assert at[0] == 0 and at[-1] == 4999 and 60 < len(at) <= 102
    assert thinned(count_errors([0], [1.]), 100).tolist() == [0]
