"""Tests of nbs/strategies/09_protocol.ipynb, extracted from its test cells: edit them there."""
import io
import numpy as np
import pytest
import reject_nb.strategies.protocol as protocol
import sys
import tempfile
from pathlib import Path
from reject_nb.data import MissingDataError
from reject_nb.strategies.scores import noisy_sign
from sklearn.svm import LinearSVC
from types import SimpleNamespace
from unittest.mock import patch

from reject_nb.strategies.protocol import METHODS, fit_crammer_singer, run_cell, split_five, terminal

def test_crammer_singer_against_liblinear():
    rng = np.random.default_rng(0)
    Z, y = rng.normal(size=(200, 3)), rng.integers(0, 3, 200)
    Z[np.arange(200), y] += 1
    W, gap = fit_crammer_singer(Z, y, 3, .5, tol=1e-4)
    svm = LinearSVC(C=.5, multi_class="crammer_singer", tol=1e-8, max_iter=100_000).fit(Z, y)
    def value(W):
        S = np.column_stack([Z, np.ones(200)]) @ W.T
        S = S - S[np.arange(200), y][:, None] + (np.arange(3) != y[:, None])
        return .5*(W*W).sum() + .5*S.max(1).sum()
    best = value(np.column_stack([svm.coef_, svm.intercept_]))
    assert gap <= 1e-4 and best*(1 - 1e-6) <= value(W) <= best*(1 + 1e-4)


def test_splits_are_disjoint_stratified_and_reproducible():
    y = np.repeat([0, 1, 2], [50, 7, 300])
    a, b = split_five(y, (30, 10, 30, 10, 20), 3), split_five(y, (30, 10, 30, 10, 20), 3)
    assert sorted(np.concatenate(a)) == list(range(357)) and all((i == j).all() for i, j in zip(a, b))
    for part, share in zip(a, (.3, .1, .3, .1, .2)):
        for c, n in enumerate((50, 7, 300)): assert abs((y[part] == c).sum() - share*n) <= 1


def test_a_cell_has_all_methods():
    X = np.random.default_rng(0).normal(size=(600, 3))
    y = np.searchsorted([-.5, .5], X[:, 0] + np.random.default_rng(1).normal(size=600)*np.exp(X[:, 1]/2))
    for name, classifier in (("LETTER", "LR"), ("LETTER", "SVM"), ("CCPP", "SVOR")):
        row = run_cell(name, 0, classifier, dataset=(X, y))
        assert all(0 < row[m] <= row["R@100"]*1.3 for m in METHODS[classifier])
        assert row == run_cell(name, 0, classifier, dataset=(X, y))


def test_an_interrupted_run_goes_on():
    cells, done = [("LETTER", s, "LR") for s in range(3)], []
    real, drawn = protocol.run_cell, lambda name: SimpleNamespace(**dict(zip("Xy", noisy_sign(600, np.random.default_rng(0)))))
    def interrupted(*cell, **options):
        if len(done) == 2: raise KeyboardInterrupt
        done.append(cell)
        return real(*cell, **options)
    with tempfile.TemporaryDirectory() as folder, patch.object(protocol, "load", drawn):
        with patch.object(protocol, "run_cell", interrupted):
            try: protocol.run_cells(cells, folder)
            except KeyboardInterrupt: pass
        assert len(list(Path(folder).glob("*.json"))) == 2
        with patch.object(protocol, "run_cell", lambda *a, **k: (done.append(a), real(*a, **k))[1]): rows = protocol.run_cells(cells, folder)
        assert len(done) == 3 and [r["split"] for r in rows] == [0, 1, 2]


def test_progress_is_shown_on_a_terminal():
    cells, screen = [(n, 0, "LR") for n in ("PENDIGIT", "LETTER")], io.StringIO()
    with tempfile.TemporaryDirectory() as folder, patch.object(protocol, "terminal", lambda: screen), patch.object(protocol, "run_cell", lambda *cell, **k: dict(zip(("problem", "split", "classifier"), cell))):
        assert [r["problem"] for r in protocol.run_cells(cells, folder)] == ["PENDIGIT", "LETTER"]
        share = 10992*16*10/(10992*16*10 + 20000*16*26)                # of the work, done with the first cell
        for words in ("0 of 2 cells   0%", f"1 of 2 cells {100*share:3.0f}%", "2 of 2 cells 100%"): assert words in screen.getvalue()
    with patch.object(sys, "stderr", io.StringIO()): assert terminal() is None


def test_missing_data_is_named():
    with tempfile.TemporaryDirectory() as folder:
        with patch.object(protocol, "load", side_effect=MissingDataError("no such file")):
            assert protocol.run_cells([("LETTER", 0, "LR")], folder) == [{"problem": "LETTER", "missing": "no such file"}]


@pytest.mark.slow
def test_a_dask_cluster_gives_the_same():
    distributed = pytest.importorskip("dask.distributed")
    drawn = lambda name: SimpleNamespace(**dict(zip("Xy", noisy_sign(600, np.random.default_rng(0)))))
    cells = [("LETTER", s, "LR") for s in range(2)]
    with tempfile.TemporaryDirectory() as a, tempfile.TemporaryDirectory() as b, patch.object(protocol, "load", drawn):
        with distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as cluster:
            assert protocol.run_cells(cells, a, scheduler=cluster.scheduler_address) == protocol.run_cells(cells, b)
            with distributed.Client(cluster) as client: assert protocol.run_cells(cells, a, scheduler=client) == protocol.run_cells(cells, b)
