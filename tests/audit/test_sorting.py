"""Tests of nbs/audit/03_sorting.ipynb, extracted from its test cells: edit them there."""
import math
import numpy as np
import pytest
from itertools import permutations
from reject_nb.audit.sorting import _cumulative
from reject_nb.audit.sorting import share_interval
from reject_nb.strategies import aurc
from scipy import stats

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
    wrong = np.append(rng.random(4) < .5, [True, False])
    scores = rng.integers(0, 1 + seed % 5, 6).astype(float)
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
    se = (m.se_aurc, m.se_e_aurc, m.se_augrc, m.se_auroc)
    boot = _resampled(wrong, scores, 400, np.random.default_rng(1))
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

GROUPS = [([0, 1, 0, 0, 1, 1, 0], [0., 0, 1, 1, 1, 2, 3]), ([1, 0, 0, 1], [0., 1, 2, 3]),
          ([0, 1, 1, 0, 0], [1., 1, 1, 1, 1]),
          ((np.arange(90) % 7 == 3).tolist(), np.repeat([0., 1, 2, 3], [2, 45, 1, 42]).tolist())]

def _placed(wrong, scores):
    "Answers in the order of the scores: loss, group's first and last rank, mean risk at each rank."
    order = np.argsort(scores, kind="stable")
    wrong, scores = np.asarray(wrong)[order], np.asarray(scores)[order]
    first, last = np.searchsorted(scores, scores), np.searchsorted(scores, scores, side="right")
    ranks = np.arange(1, len(wrong) + 1)
    risk = [(wrong[:a].sum() + (k - a)*wrong[a:b].mean())/k for k, a, b in zip(ranks, first, last)]
    return wrong, first, last, np.array(risk), ranks


@pytest.mark.parametrize("wrong, scores", GROUPS)
def test_influence_on_the_area_rank_by_rank(wrong, scores):
    """An answer at rank j adds R_j less the sum of R_k/k from j on less the area; an error adds the sum of
    1/k from j on besides. Ties: the mean over the ranks of the group."""
    lost, first, last, risk, ranks = _placed(wrong, scores)
    n, r, area = len(lost), np.mean(lost), risk.mean()
    right = np.array([risk[j] - (risk[j:]/ranks[j:]).sum() - area for j in range(n)])
    more = np.array([(1/ranks[j:]).sum() for j in range(n)])
    slope = math.log1p(-r)
    psi = np.array([right[a:b].mean() + loss*more[a:b].mean() for loss, a, b in zip(lost, first, last)])
    excess = psi + slope*(lost - r)
    found = measure(count_errors(wrong, scores))
    assert abs(found.aurc.value - area) < 1e-13
    assert found.se_aurc == pytest.approx(math.sqrt((psi**2).mean()/n), rel=1e-11)
    assert found.se_e_aurc == pytest.approx(math.sqrt((excess**2).mean()/n), rel=1e-11)
    assert found.e_aurc == pytest.approx(area - (r + (1 - r)*slope), abs=1e-13)


@pytest.mark.parametrize("wrong, scores", GROUPS)
def test_influences_pair_by_pair(wrong, scores):
    "A tie counts one half, also that of an answer with itself."
    lost, s, n, K = np.array(wrong), np.array(scores), len(wrong), sum(wrong)
    below = (s[None] < s[:, None]) + .5*(s[None] == s[:, None])     # [i, j]: how much j lies below i
    found = measure(count_errors(wrong, scores))
    errors = (below*lost).sum(1)/n
    area = (errors*1).sum()/n
    assert found.augrc.value == pytest.approx(area, rel=1e-12)
    psi = errors + lost*(1 - below.sum(1)/n) - 2*area
    assert found.se_augrc == pytest.approx(math.sqrt((psi**2).mean()/n), rel=1e-11)
    pairs = below[lost == 1][:, lost == 0]
    assert found.auroc.value == pytest.approx(pairs.mean(), rel=1e-12)
    low, high = (s[lost == 1][:, None] > s[lost == 0]).mean(), (s[lost == 1][:, None] >= s[lost == 0]).mean()
    assert (found.auroc.low, found.auroc.high) == (pytest.approx(low), pytest.approx(high))
    total = ((pairs.mean(1) - pairs.mean())**2).sum()*(n/K)**2 + ((pairs.mean(0) - pairs.mean())**2).sum()*(
        n/(n - K))**2
    assert found.se_auroc == pytest.approx(math.sqrt(total)/n, rel=1e-11)


def test_measures_by_hand():
    "Right, wrong, right, wrong: risks 0, 1/2, 1/3, 1/2 and pairs 1, 1/2 of two."
    found = measure(count_errors([0, 1, 0, 1], [0., 1, 2, 3]))
    assert (found.n, found.n_errors, found.risk) == (4, 2, .5) and found.aurc.value == pytest.approx(1/3)
    assert found.auroc == (.75, .75, .75) and found.augrc.value == pytest.approx((1 + 2**2/2)/16)
    assert found.average_precision == pytest.approx((1/1 + 2/3)/2) and found.fpr95 == .5
    best, worst = measure(count_errors([0, 0, 1], [0., 1, 2])), measure(count_errors([1, 0, 0], [0., 1, 2]))
    assert (best.average_precision, worst.average_precision) == (1, pytest.approx(1/3))
    assert (best.fpr95, worst.fpr95) == (0, 1) and (best.auroc.value, worst.auroc.value) == (1, 0)
    counts = Counts(scores=np.array([0., 1.]), accepted=np.array([2, 4]), errors=np.array([1, 2]),
                    binned=True)
    assert measure(counts).average_precision is None and measure(counts).fpr95 is None
    assert counts.coverage.tolist() == [.5, 1] and counts.risk.tolist() == [.5, .5]


@pytest.mark.parametrize("missed", [0, 1, 2])
def test_which_errors_may_be_missed_at_95_percent(missed):
    "Of 20 errors one may lie below; of 40 two, and of 19 none."
    K = {0: 19, 1: 20, 2: 40}[missed]
    wrong = np.tile([1, 0], K)                                       # error, right, error, right ...
    found = measure(count_errors(wrong, np.arange(2*K))).fpr95
    assert found == pytest.approx((K - missed)/K)


def test_intervals_by_hand():
    z = stats.norm.ppf(.95)
    assert interval(2., .5, .1) == pytest.approx((2*math.exp(-z/4), 2*math.exp(z/4)))
    assert interval(2., .5, .1, "plain") == pytest.approx((2 - z/2, 2 + z/2))
    odds = .25/.75
    low, high = (odds*math.exp(sign*z*.05/(.25*.75)) for sign in (-1, 1))
    assert interval(.25, .05, .1, "logit") == pytest.approx((low/(1 + low), high/(1 + high)))
    assert interval(.25, 0., .1) == interval(.25, 0., .1, "logit") == (.25, .25)
    assert interval(1., .1)[1] == pytest.approx(math.exp(.1*stats.norm.ppf(.975)))


def test_shares_by_hand():
    "Without an error (1 - p)^n = .025, with errors alone p^n = .025; between, tails of the binomial law."
    assert share_interval(0, 10) == (0, pytest.approx(1 - .025**.1))
    assert share_interval(10, 10) == (pytest.approx(.025**.1), 1) and share_interval(0, 0) == (0, 1)
    low, high = share_interval(3, 10, .9)
    assert stats.binom.sf(2, 10, low) == pytest.approx(.05) and stats.binom.cdf(3, 10,
                                                                                high) == pytest.approx(.05)
    assert share_interval(-1., 5.)[0] == 0 and share_interval(1e-9, 5.)[0] >= 0


def test_errors_among_the_first_by_hand():
    counts = count_errors([0, 0, 1, 1, 0, 1], [0., 1, 1, 2, 2, 2])          # 0 of 1, 1 of 2, 2 of 3
    for rank, errors in ((0, 0), (1, 0), (1.5, .25), (2, .5), (3, 1), (4.5, 2), (6, 3)):
        assert _cumulative(counts, rank) == pytest.approx(errors)


def test_the_spread_of_a_risk_by_hand():
    """1,000 answers, wrong from rank 501 on: risk 1/3 at .75, there the rate is 1, so that the variance of
    the threshold counts: own 2/9, and (1/3 - 1)^2/4 = 1/9 more, so 750 answers count as 500."""
    counts = count_errors(np.arange(1000) >= 500, np.arange(1000.))
    assert risk_interval(counts, .75, .9) == pytest.approx((1/3, *share_interval(500/3, 500, .9)))
    assert risk_interval(counts, 1., .9) == pytest.approx((.5, *share_interval(500, 1000, .9)))
    assert risk_interval(counts, .2) == pytest.approx((0, *share_interval(0, 200)))
    # at .5 + .03 the rate is taken from 1,000^.6 = 63.1 ranks on both sides
    rate = (30 + 1000**.6)/(2*1000**.6)
    own = 30/530*500/530
    trials = 530*own/(own + (30/530 - rate)**2*.47)
    assert risk_interval(counts, .53) == pytest.approx((30/530, *share_interval(30/530*trials, trials)))
    few = count_errors([0]*9 + [1]*3,
                       np.arange(12.))                       # five ranks on both sides at least
    trials = 10*.09/(.09 + (.1 - 3/7)**2/6)                                 # ranks 5 to 12
    assert risk_interval(few, 10/12) == pytest.approx((.1, *share_interval(.1*trials, trials)))


def test_which_groups_are_kept():
    counts = count_errors(np.zeros(1000), np.arange(1000.))
    want = {*np.linspace(1, 1000, 5).round().astype(int), *np.geomspace(1, 1000, 5).round().astype(int)}
    assert (thinned(counts, 10) + 1).tolist() == sorted(want)
    assert thinned(counts, 0).tolist() == thinned(counts, 5).tolist() == [0, 999]
    tied = count_errors(np.zeros(6), [0., 1, 1, 1, 1, 2])
    assert thinned(tied, 100).tolist() == [0, 1, 2]


def test_the_largest_coverage_by_hand():
    counts = count_errors([0, 0, 0, 1, 0, 0, 0, 0, 0, 1], np.arange(10.))
    assert coverage_interval(counts, .25)[0] == 1 and coverage_interval(counts, .2)[0] == 1
    assert coverage_interval(counts, .199)[0] == .9 and coverage_interval(counts, .1)[0] == .3
    assert coverage_interval(count_errors([1, 1], [0., 1]), .3) == (0, 0, 1)        # .025^(1/2) is below .3
    assert coverage_interval(count_errors([1, 1], [0., 1]), .02) == (0, 0, 0)
    for target in (.15, .3, .6):
        value, low, high = coverage_interval(counts, target, .5)
        risks = {k/10: risk_interval(counts, k/10, .5) for k in range(1, 11)}
        sure = max([c for c, (_, _, top) in risks.items() if top <= target], default=0)
        may = max([c for c, (_, bottom, _) in risks.items() if bottom <= target], default=0)
        assert (low, high) == (min(sure, value), max(may, value))


def test_losses_that_are_no_errors_keep_the_order_of_rows():
    found = ordered(np.array([2., 1., 2., -1.]), np.array([.5, .2, .1, 1.]))
    assert found.scores.tolist() == [-1, 1, 2, 2] and found.losses.tolist() == [1, .2, .5, .1]
    found = ordered(np.array([2., -0., -3., 0.]), np.array([1., 0., 1., 1.]))
    assert found.scores.tolist() == [-3, 0, 0, 2] and sorted(found.losses[1:3]) == [0, 1]
    assert found.losses[[0, 3]].tolist() == [1, 1]
