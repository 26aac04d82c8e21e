"""Tests of nbs/mcsvm/12_blocks.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import tempfile
from pathlib import Path
from reject_nb.core.results import Status
from reject_nb.mcsvm.frozen_pairs import solve_features
from reject_nb.mcsvm.problem import Costs
from reject_nb.mcsvm.problem import cost_weights
from reject_nb.mcsvm.problem import solve_primal_reference
from scipy.sparse import coo_array
from types import SimpleNamespace
from unittest import mock

from reject_nb.mcsvm.blocks import (
    Frozen, Survey, _Scene, _array_blocks, _band, _coarse, _free_sums, _freeze_block, _thin, _turns,
    all_scores, dual_from_sums, freeze, open_source, solve_blocks, solve_source, survey,
)

def _two_clouds(n, seed=0, d=2, shift=.7):
    "Two Gaussian classes with unit covariance, labels at random."
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < .4, 1., -1.)
    y[:2] = 1, -1
    return rng.normal(size=(n, d))-shift*y[:, None], y

TAUS = np.array([.8, .1, .5, .5])

@pytest.mark.parametrize("n, d, eta", [(40, 2, 1.), (60, 5, 1e-3), (30, 1, 100.)])
def test_agrees_with_the_reference(n, d, eta):
    X, y = _two_clouds(n, n, d, .4)
    found = solve_blocks(X, y, 1-TAUS, TAUS, eta, 1e-8)
    assert found.status == "optimal" and found.gap <= 1e-8
    np.testing.assert_allclose(found.objective, solve_primal_reference(X, y, TAUS, eta)[0], rtol=1e-6)
    np.testing.assert_allclose(found.scores, X@found.w, atol=1e-10)
    np.testing.assert_allclose(found.gap_abs, found.objective-found.bound, atol=1e-12)


@pytest.mark.parametrize("rows, thin", [(7, 10**6), (64, 500), (1000, 2000)])
@pytest.mark.parametrize("d, eta", [(2, 1e-3), (4, 1.)])
def test_blocks_and_samples_do_not_change_the_answer(rows, thin, d, eta):
    import reject_nb.mcsvm.blocks as module
    with mock.patch.multiple(module, _ROWS=rows, _THIN=thin):
        X, y = _two_clouds(4000, 5, d, .5)
        X = X*np.arange(1, d+1)+50
        costs = cost_weights(np.arange(1, 6)/6, y)
        found, other = solve_blocks(X, y, *costs, eta), solve_features(X, y, *costs, eta, 1e-9)
        assert found.status == "optimal"
        np.testing.assert_allclose(found.objective, other.objective, rtol=1.1e-6)
        assert found.bound <= other.objective*(1+1e-9)
        np.testing.assert_allclose(found.biases, other.biases, atol=2e-2)


def test_the_dual_value_is_that_of_the_certificate():
    # dual variables of any kind: sums and the certificate with all nm numbers give one value
    from reject_nb.mcsvm.certificate import certify
    rng = np.random.default_rng(1)
    X, y = _two_clouds(50, 2)
    costs = cost_weights(TAUS, y)
    alpha = rng.random((50, 4))*np.where(y[:, None] > 0, costs.safe, costs.unsafe)
    weights = np.stack([alpha[y == s].sum(0) for s in (1, -1)])
    vectors = np.stack([alpha[y == s].T@X[y == s] for s in (1, -1)])
    expected = certify(lambda v: X@(X.T@v), y, alpha, *costs, .7)
    np.testing.assert_allclose(dual_from_sums(weights, vectors, .7), expected.bound, rtol=1e-12)


def _every_source(folder, X, y, costs, plain):
    np.save(folder/"X.npy", X)
    mapped = solve_blocks(np.load(folder/"X.npy", mmap_mode="r"), y.astype(np.int8), *costs, .1)
    assert mapped.objective == plain.objective
    da = pytest.importorskip("dask.array")
    found = solve_blocks(da.from_array(X, chunks=(130, 1)), da.from_array(y, chunks=77), *costs, .1)
    np.testing.assert_allclose(found.objective, plain.objective, rtol=1e-9)
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.table({"a": X[:, 0], "label": y, "b": X[:, 1].astype(np.float32)}),
                   folder/"rows.parquet")
    found = solve_blocks(folder/"rows.parquet", "label", *costs, .1)
    np.testing.assert_allclose(found.objective, plain.objective, rtol=1e-6)
    with pytest.raises(ValueError, match="^y must be the name"):
        solve_blocks(folder/"rows.parquet", "c", *costs, .1)
    return open_source(str(folder/"rows.parquet"), "label").names


def test_dask_parquet_and_maps():
    X, y = _two_clouds(500, 8)
    costs, plain = cost_weights(TAUS, y), solve_blocks(X, y, *cost_weights(TAUS, y), .1)
    with tempfile.TemporaryDirectory() as name:
        assert _every_source(Path(name), X, y, costs, plain) == ["a", "b"]


def test_constant_features_and_one_rare_point():
    y = np.r_[1., -np.ones(99)]
    found = solve_blocks(np.ones((100, 2)), y, 1-TAUS, TAUS, 1.)
    np.testing.assert_allclose(found.objective, 2*np.minimum(1-TAUS, 99*TAUS).sum(), rtol=1e-9)
    X = np.random.default_rng(0).normal(size=(100, 2))
    rare = solve_blocks(X, y, 1-TAUS, TAUS, 1.)
    np.testing.assert_allclose(rare.objective, solve_features(X, y, 1-TAUS, TAUS, 1.).objective, rtol=2e-6)

GOOD = dict(X=_two_clouds(20)[0], y=_two_clouds(20)[1], safe=[.5], unsafe=[.5], eta=1., tol=1e-6)

@pytest.mark.parametrize("name, value", [("X", np.zeros((19, 2))), ("X", np.full((20, 2), np.nan)),
                                         ("X", "nowhere.parquet"),
                                         ("X", None), ("X", np.zeros(20)), ("X", coo_array(np.ones((20, 2)))),
                                         ("y", np.ones(20)),
                                         ("y", np.arange(20)), ("y", None),
                                         ("y", "label"), ("safe", [-.5]), ("unsafe", [.5, .5]), ("eta", -1.),
                                         ("tol", 0.)])
def test_solve_blocks_names_the_bad_argument(name, value):
    which = "y" if name == "X" and np.shape(value) == (19, 2) else name
    with pytest.raises(ValueError, match=f"^{which} must be"): solve_blocks(**{**GOOD, name: value})

ROWS = np.array([[1., 10.], [2., 20.], [3., 30.], [4., 40.], [5., 50.]])

def _put(function, **others):
    "What a function of this module finds under some names."
    return mock.patch.dict(function.__globals__, others)


def test_rows_come_in_blocks():
    with _put(_array_blocks, _ROWS=2):
        found = list(_array_blocks(ROWS, np.arange(5)))
    assert [len(y) for _, y in found] == [2, 2, 1]
    np.testing.assert_array_equal(np.concatenate([X for X, _ in found]), ROWS)
    assert np.concatenate([y for _, y in found]).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("y", [np.ones(4), np.ones((5, 1)), [1, 1, 1, 1, 1], 3.])
def test_labels_are_an_array_of_that_length(y):
    with pytest.raises(ValueError, match="^y must be an array of 5 labels"): open_source(ROWS, y)


def test_what_is_no_source():
    for X in (np.zeros((0, 2)), np.zeros((5, 0)), np.zeros((5, 2, 1)), [[1.]]):
        with pytest.raises(ValueError, match="^X must be an array"): open_source(X, np.ones(5))
    for name, X, y in (("X", np.ma.array(ROWS, mask=ROWS > 40), np.ones(5)),
                       ("y", ROWS, np.ma.array(np.ones(5), mask=[1, 0, 0, 0, 0]))):
        with pytest.raises(ValueError, match=f"^{name} must be without masked"): open_source(X, y)
    found = open_source(ROWS, np.ones(5))
    assert found.n == 5 and found.names is None and len(list(found.blocks())) == 1


def test_every_second_or_third_row_of_either_class():
    y = np.array([1, 1, -1, 1, -1, 1, -1, -1, 1, -1])
    seen = {1: 0, -1: 0}
    assert np.flatnonzero(_thin(y, seen, 2)).tolist() == [0, 2, 3, 6, 8, 9] and seen == {1: 5, -1: 5}
    for every in (1, 2, 3, 4, 7):
        whole = _thin(y, {1: 0, -1: 0}, every)
        for cut in (1, 3, 6):
            seen = {1: 0, -1: 0}
            parts = [_thin(part, seen, every) for part in (y[:cut], y[cut:])]
            np.testing.assert_array_equal(np.concatenate(parts), whole)


@pytest.mark.parametrize("shift", [0., 1e6])
def test_a_survey_is_mean_covariance_and_sample(shift):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(11, 2)) + shift, np.where(np.arange(11) % 3 == 0, 1, -1)
    with _put(_array_blocks, _ROWS=4), _put(survey, _THIN=5): found = survey(open_source(X, y))
    np.testing.assert_allclose(found.mean, X.mean(0), rtol=1e-14)
    np.testing.assert_allclose(found.gram, np.cov(X.T, bias=True), rtol=1e-9)
    assert found.y.tolist() == y.tolist() and found.y.dtype == np.int8
    rows = [0, 1, 4, 6, 7, 10]                                       # every second one of either class
    np.testing.assert_array_equal(found.X, X[rows])
    assert found.thin_y.tolist() == y[rows].tolist()
    with pytest.raises(ValueError, match="^y must be of both classes"): survey(open_source(X, np.ones(11)))

R = np.array([[-2., .2, 2.], [2., 2., 2.], [-2., -2., -2.], [.1, 3., -.2], [-2., .3, -.3]])
SIGNS = np.array([1., -1., 1., -1., 1.])

def test_pairs_near_their_kink_are_free_and_others_at_cost():
    "Between two free taus all are free; a pair on the band's border is free."
    found = _freeze_block(ROWS, SIGNS, R, np.array([.5, .2, .2]))
    assert found.counts.tolist() == [[0, 1, 1], [1, 1, 1]]
    assert found.vectors.tolist() == [[[0, 0], [5, 50], [1, 10]], [[2, 20]]*3]
    assert found.X.tolist() == [[1, 10], [4, 40]] and found.y.tolist() == [1, -1]
    assert found.first.tolist() == [1, 0] and found.last.tolist() == [2, 3]


def test_freezing_by_blocks_is_freezing_at_once():
    scores, biases, mean = np.array([.5, -1., 0., 2., -3.]), np.array([-.5, 1.]), np.array([1., 2.])
    band, source = np.array([1., .6]), open_source(ROWS, SIGNS)
    once = _freeze_block(ROWS - mean, SIGNS, 1 + SIGNS[:, None]*(scores[:, None] - biases), band)
    for rows in (1, 2, 5):
        with _put(_array_blocks, _ROWS=rows):
            found, seen = freeze(source, mean, scores, biases, band), all_scores(source, mean, mean)
        for a, b in zip(found, once): np.testing.assert_array_equal(a, b)
        np.testing.assert_allclose(seen, ROWS @ mean - 5)


def test_sums_of_free_pairs():
    frozen = Frozen(None, None, np.array([[1., 10.], [4., 40.]]), np.array([1., -1.]), np.array([1, 0]),
                    np.array([2, 3]))
    sums, vectors = _free_sums(frozen, np.array([.5, 1., 2., 3.]), 3)
    assert sums.tolist() == [[0, .5, 0], [1, 2, 3]]
    assert vectors.tolist() == [[[0, 0], [.5, 5], [0, 0]], [[4, 40], [8, 80], [12, 120]]]


def test_the_heavier_side_is_scaled_down():
    "Weights 2, 1 against 1, 3: factors 1/2, 1 and 1, 1/3; w = eta (4 - 2), and 2 (1 + 1) - w^2/(2 eta)."
    weights, vectors = np.array([[2., 1.], [1., 3.]]), np.array([[[4.], [2.]], [[1.], [3.]]])
    for eta in (.5, 1.): assert abs(dual_from_sums(weights, vectors, eta) - (4 - 2*eta)) < 1e-15
    assert dual_from_sums(np.zeros((2, 1)), np.zeros((2, 1, 1)), 1.) == 0


def _scene(**changed):
    y = np.array([1., -1., 1., -1., 1.])
    made = dict(source=open_source(ROWS, y), mean=ROWS.mean(0), y=y, lam=np.ones(2), back=np.eye(2),
                costs=Costs(np.array([.7, .2]), np.array([.3, .8])), eta=.5)
    return _Scene(**{**made, **changed})


def test_the_objective_by_trying_every_offset():
    scene, w = _scene(), np.array([.3, -.02])
    value, scores, biases = scene.primal(w)
    np.testing.assert_allclose(scores, (ROWS - ROWS.mean(0)) @ w, atol=1e-15)
    total = w @ w/(2*.5)
    for k, (safe, unsafe) in enumerate(zip(*scene.costs)):
        def losses(b):
            short = np.maximum(1 + scene.y*(scores - b), 0)
            return (short*np.where(scene.y > 0, safe, unsafe)).sum()
        least = min(map(losses, scores + scene.y))
        assert abs(losses(biases[k]) - least) < 1e-12
        total += least
    assert abs(value - total) < 1e-12


def test_bands_hold_a_share_of_the_rows():
    scene = _scene(y=np.ones(4))
    found = _band(scene, np.arange(4.), np.array([0., 1.]), .5)
    np.testing.assert_allclose(found, [2.5, 1.5])                    # 1, 2, 3, 4 and 0, 1, 2, 3
    assert np.isposinf(_band(scene, np.arange(4.), np.zeros(2), 1)).all()
    many = np.tile([0., 1e9], 20_000)                                # every second row is looked at
    assert _band(_scene(y=np.ones(40_000)), many, np.zeros(1), .9).tolist() == [1.]


def test_the_sample_tells_how_much_to_free():
    asked = []
    def solve(problem, tol):
        asked.append((problem, tol))
        return SimpleNamespace(w=np.array([7., 8.]), alpha=None)
    scene = _scene(source=SimpleNamespace(n=96), back=2*np.eye(2))
    rows = np.tile([[1., 2.], [3., 4.]], (24, 1))
    sample = Survey(None, np.array([1., 1.]), None, rows, np.tile([1, -1], 24))
    for free, directions in ((9, 2), (3, 1), (1, 0)):                 # less two offsets, at most two features
        with _put(_coarse, solve_levels=solve, undecided=lambda *_, free=free: free):
            w, fraction = _coarse(scene, sample)
        assert w.tolist() == [7, 8] and abs(fraction - 3*np.sqrt((directions + 1)/48)) < 1e-15
    problem, tol = asked[0]
    assert tol == 1e-5 and problem.Q[:2].tolist() == [[0, 2], [4, 6]] and problem.lam.tolist() == [.5, .5]
    with _put(_coarse, solve_levels=solve):
        assert _coarse(_scene(source=SimpleNamespace(n=48)), sample)[1] == 1.


def _turned(steps, fraction, tol, band=(1., 3.)):
    "Turns whose solutions are given: the result, what was asked of the solver, the fractions."
    def primal(v): return 10 + (v[0] - 6)**2, v, -v
    scene = SimpleNamespace(back=np.array([[2.]]), source=None, mean=None, primal=primal)
    asked, fractions, steps = [], [], iter(steps)
    def bands(scene, scores, biases, fraction):
        fractions.append(fraction)
        return np.array(band)
    def solve(scene, frozen, w, biases, tol, width):
        asked.append((float(w[0]), float(biases[0]), tol, width))
        return next(steps)
    with _put(_turns, _band=bands, freeze=lambda *_: None, _solve_free=solve):
        return _turns(scene, np.array([0.]), fraction, tol), asked, fractions


def test_turns_keep_the_best_point_and_the_best_bound():
    steps = [(np.array([1.]), 3., 4), (np.array([.5]), 5., 2), (np.array([3.]), 4., 1)]
    found, asked, fractions = _turned(steps, .2, .5)
    assert (found[0], found[1], found[5]) == (10, 5, 7)              # a gap of 5 in 10 is one of .5
    assert [float(v[0]) for v in found[2:5]] == [6, 6, -6]
    assert asked == [(0, 0, .05, 1), (1, -2, .05, 1), (1, -2, .05, 1)]
    np.testing.assert_allclose(fractions, [.2, .1, .1])


def test_turns_end():
    one = [(np.array([1.]), 3., 4)]
    for start in (.61, 1.):
        found, asked, fractions = _turned(one, start, 1e-6)
        assert fractions == [1.] and found[:2] == (26, 3) and asked[0][3] == .3   # all free: nothing is left
    stuck = [(np.array([0.]), 0., 1)]*20
    found, asked, fractions = _turned(stuck, .02, 1e-6)
    assert len(asked) == found[5] == 12 and found[:2] == (46, 0)
    found, asked, fractions = _turned(stuck, .6, 1e-6)
    assert fractions[:2] == [.6, .3] and fractions[-1] == 1 and len(asked) == 8


def test_units_order_and_words():
    rng = np.random.default_rng(3)
    y = np.where(rng.random(40) < .4, 1., -1.)
    X = rng.normal(size=(40, 2)) - .4*y[:, None]
    safe, unsafe = np.array([.7, .1, .4]), np.array([.3, .9, .6])
    one = solve_blocks(X, y, safe, unsafe, 1., 1e-8)
    # another unit, order and origin
    back = solve_blocks(X + [5, -3], y, 4*safe[::-1], 4*unsafe[::-1], .25, 1e-8)
    np.testing.assert_allclose([back.objective, back.bound], [4*one.objective, 4*one.bound], rtol=1e-6)
    np.testing.assert_allclose(back.w, one.w, atol=1e-5)
    np.testing.assert_allclose(back.biases[::-1], one.biases + one.w @ [5, -3], atol=1e-3)
    np.testing.assert_allclose(back.scores, one.scores + one.w @ [5, -3], atol=1e-4)
    assert one.message == f"optimal: certified relative gap {one.gap:.1e}, tol = 1.0e-08"
    stopped = (2., 1., np.zeros(2), np.zeros(40), np.zeros(3), 9)
    with _put(solve_source, _turns=lambda *_: stopped): found = solve_blocks(X, y, safe, unsafe, 1.)
    assert found.status == Status.not_converged and found.iterations == 9        # the mean cost is 1/2
    assert (found.objective, found.bound, found.gap, found.gap_abs) == (1., .5, .5, .5)
    assert found.message == "not converged: certified relative gap 5.0e-01, tol = 1.0e-06"
