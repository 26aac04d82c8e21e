"""Tests of nbs/audit/10_grid.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pickle
import pytest
from reject_nb.audit.sorting import Counts
from reject_nb.audit.sorting import count_errors
from reject_nb.audit.sorting import measure
from reject_nb.core.tails import clopper_pearson_upper

from reject_nb.audit.grid import BINS, GridCounts, bin_of, upper_edges, upper_limits, widest

EDGES = (0., -0., 1e-320, -1e-320, 2.**-126, -2.**-126, 1e-30, .1, 1/3, 1., -1., 1e30, -1e30, 1e300, -1e300,
         np.inf, -np.inf)

@pytest.mark.parametrize("x", EDGES)
def test_an_edge_is_the_last_float_of_its_bin(x):
    here = bin_of([x])
    edge = upper_edges(here)
    assert edge[0] >= x and bin_of(edge) == here
    if edge[0] < np.inf: assert bin_of([np.nextafter(edge[0], np.inf)]) == here + 1


def test_bins_keep_the_order():
    rng = np.random.default_rng(0)
    x = np.sort(np.concatenate([rng.normal(size=2000), rng.normal(size=2000)*1e-20,
                                10.**rng.uniform(-45, 45, 2000), EDGES]))
    places = bin_of(x)
    assert (np.diff(places) >= 0).all() and places.min() >= 0 and places.max() < BINS
    assert (x <= upper_edges(places)).all()
    fine = (np.abs(x) > 1e-37) & (np.abs(x) < 1e37)
    assert (np.abs(upper_edges(places[fine]) - x[fine]) <= 2.**-12*np.abs(x[fine])).all()


def test_single_precision_falls_into_the_same_bins():
    x = np.random.default_rng(1).random(1000).astype(np.float32)
    assert (bin_of(x) == bin_of(x.astype(float))).all()


def _laws(n, seed=0):
    "Scores as they come, with errors that follow them; none has ties wider than a bin."
    rng = np.random.default_rng(seed)
    u, z = rng.random(n), rng.normal(4, 3, n)
    soft = 1/(1 + np.exp(np.abs(z)))                       # 1 - max p of two classes
    far = np.exp(3*rng.normal(size=n))
    return {"uniform": (rng.random(n) < .3*u, u), "softmax": (rng.random(n) < soft, soft),
            "signed": (rng.random(n) < .3*u, np.log(u)), "negative": (rng.random(n) < .3*u, -1/u),
            "far": (rng.random(n) < u**3/2, np.sort(far)[np.argsort(np.argsort(u))]),
            "float32": (rng.random(n) < .3*u, u.astype(np.float32)), "rare": (rng.random(n) < .003*u, u)}

LAWS = tuple(_laws(2))

@pytest.mark.parametrize("law", LAWS)
def test_bounds_hold_the_exact_measures(law):
    "Every area by its one definition, that of exact counts; the bounds are a thousandth apart."
    wrong, scores = _laws(200_000)[law]
    exact, binned = measure(count_errors(wrong, scores)), measure(GridCounts().update(wrong, scores).counts())
    assert (exact.n, exact.n_errors, exact.risk) == (binned.n, binned.n_errors, binned.risk)
    for name, width in (("aurc", 1e-3), ("augrc", 1e-3), ("auroc", 1e-3)):
        value, area = getattr(exact, name).value, getattr(binned, name)
        assert area.low*(1 - 1e-12) <= value <= area.high*(1 + 1e-12)
        assert area.high - area.low <= width*value and abs(area.value - value) <= .1*width*value
    for name in ("se_aurc", "se_augrc", "se_auroc", "se_e_aurc"):
        assert getattr(binned, name) == pytest.approx(getattr(exact, name), rel=1e-3)
    assert binned.average_precision is None and binned.fpr95 is None


@pytest.mark.parametrize("law", LAWS)
def test_parts_add_up_in_any_order_and_on_any_machine(law):
    wrong, scores = _laws(5000)[law]
    cut = np.array_split(np.arange(5000), [1, 1, 700, 4999])
    parts = [pickle.loads(pickle.dumps(GridCounts().update(wrong[c], scores[c]))) for c in cut]
    whole, total = GridCounts().update(wrong, scores), sum(parts[1:], parts[0])
    back = sum(parts[:-1], parts[-1])
    for other in (total, back):
        assert (whole.answers == other.answers).all() and (whole.wrong == other.wrong).all()


@pytest.mark.parametrize("wrong, scores, name",
                         [([2], [.1], "wrong"), ([0, 1], [.1], "wrong"), ([0], [np.nan], "scores"),
                                                 ([0], ["x"], "scores"), (None, [.1], "wrong")])
def test_bad_rows_are_named(wrong, scores, name):
    with pytest.raises(ValueError, match=f"^{name} must be"): GridCounts().update(wrong, scores)


def test_nothing_counted():
    with pytest.raises(ValueError, match="rows must be counted"): GridCounts().counts()
    with pytest.raises(TypeError): GridCounts() + 1


def test_limits_and_widest_agree():
    "A threshold passes where its limit is at most the target, and the widest such is found."
    wrong, scores = _laws(60_000)["uniform"]
    counts = GridCounts().update(wrong, scores).counts()
    limits = upper_limits(counts, .1)
    assert (limits > counts.risk).all()
    for target in (.001, .03, .06, .1, .2, .5):
        good = np.flatnonzero((limits <= target) & (counts.risk < target))
        assert widest(counts, target, .1) == (good[-1] if len(good) else -1)


def test_a_limit_is_that_of_clopper_and_pearson():
    counts = GridCounts().update(np.arange(40) % 8 == 7, np.arange(40.)).counts()
    for g in (0, 7, 39):
        own = clopper_pearson_upper(int(counts.errors[g]), int(counts.accepted[g]), .1/BINS)
        assert upper_limits(counts, .1)[g] == pytest.approx(own, rel=1e-9)
    assert upper_limits(GridCounts().update([1, 1], [.1, .2]).counts(), .1).tolist() == [1., 1.]


def test_levels_are_kept_at_ten_thresholds_after_looking():
    "The risk equals the target everywhere: ten thresholds at level .01, any passes in .1 at most."
    rng, repeats = np.random.default_rng(5), 4000
    size = rng.multinomial(400, [.1]*10, repeats)
    accepted, errors = np.cumsum(size, 1), np.cumsum(rng.binomial(size, .2), 1)
    false = sum(widest(Counts(scores=np.arange(10.), accepted=m, errors=k, binned=True), .2, .01*BINS) >= 0
                for m, k in zip(accepted, errors))
    assert .02*repeats < false <= .1*repeats + 3*(.09*repeats)**.5


def test_counts_by_hand():
    counted = GridCounts().update([1, 0, 1, 0, 0], [0., 0., 1., -1., np.inf])
    counts = counted.counts()
    assert counts.binned and counts.accepted.tolist() == [1, 3, 4, 5] and counts.errors.tolist() == [0, 1, 2,
                                                                                                     2]
    assert (counts.scores >= [-1, 0, 1, np.inf]).all() and (counts.scores[:3] < [-.99, 1e-30, 1.01]).all()
    back = pickle.loads(pickle.dumps(counted))
    np.testing.assert_array_equal(back.answers, counted.answers)
    np.testing.assert_array_equal(back.wrong, counted.wrong)
    made, (places, answers, wrong) = counted.__reduce__()
    assert places.dtype == np.int32 and answers.tolist() == [1, 2, 1, 1] and wrong.tolist() == [0, 1, 1, 0]
    twice = counted + back
    assert twice.counts().accepted.tolist() == [2, 6, 8, 10] and counted.counts().accepted.tolist()[-1] == 5
    assert bin_of([-np.inf]) == 0 and bin_of([np.inf]) == BINS - 1
