"""Tests of nbs/mcsvm/12_blocks.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import tempfile
from pathlib import Path
from reject_nb.mcsvm.frozen_pairs import solve_features
from reject_nb.mcsvm.problem import cost_weights
from reject_nb.mcsvm.problem import solve_primal_reference
from scipy.sparse import coo_array
from unittest import mock

from reject_nb.mcsvm.blocks import dual_from_sums, open_source, solve_blocks

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
