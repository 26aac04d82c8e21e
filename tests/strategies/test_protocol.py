"""Tests of nbs/strategies/81_protocol.ipynb, extracted from its test cells: edit them there."""
import io
import json
import numpy as np
import pytest
import reject_nb.strategies.experiments.protocol as protocol
import sys
import tempfile
from pathlib import Path
from reject_nb.data import MissingDataError
from reject_nb.strategies.curves import aurc
from reject_nb.strategies.ordinal import solve_ordinal
from reject_nb.strategies.scores import RegressionScore
from reject_nb.strategies.scores import noisy_sign
from sklearn.svm import LinearSVC
from types import SimpleNamespace
from unittest.mock import patch

from reject_nb.strategies.experiments.protocol import (
    C_CLASSIFIER, C_SCORE, METHODS, PROBLEMS, cell_file, cells_of, fingerprint, fit_crammer_singer,
    run_cell, split_five, terminal,
)

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

DRAWN = np.random.default_rng(0).normal(size=(600, 3))
GRADES = np.searchsorted([-.5, .5], DRAWN[:, 0] + np.random.default_rng(1).normal(size=600)*np.exp(DRAWN[:,
    1]/2))

def _drawn(name): return SimpleNamespace(**dict(zip("Xy", noisy_sign(600, np.random.default_rng(0)))))


@pytest.mark.parametrize("name, classifier", [("LETTER", "LR"), ("LETTER", "SVM"), ("CCPP", "SVOR")])
def test_a_cell_has_all_methods(name, classifier):
    row = run_cell(name, 0, classifier, dataset=(DRAWN, GRADES))
    assert all(0 < row[m] <= row["R@100"]*1.3 for m in METHODS[classifier])
    assert row == run_cell(name, 0, classifier, dataset=(DRAWN, GRADES))
    assert row["C"] in C_CLASSIFIER and all(row[f"C {m}"] in C_SCORE for m in METHODS[classifier][1:])


def test_a_cell_by_hand():
    # the ordinal cell again, step by step, with the solver and the scores called directly
    row, parts = run_cell("CCPP", 3, "SVOR", dataset=(DRAWN, GRADES)), split_five(GRADES,
        (30, 10, 30, 10, 20), 3)
    mean, sd = DRAWN[parts[0]].mean(0), DRAWN[parts[0]].std(0)
    s = solve_ordinal(np.ascontiguousarray((DRAWN[parts[0]] - mean)/sd), GRADES[parts[0]], 3, 1/row["C"],
                      tol=1e-6)
    f = ((DRAWN - mean)/sd) @ s.w
    h = (f[:, None] > s.b).sum(1)
    lost = np.abs(h - GRADES)*1.
    assert lost[parts[4]].mean() == pytest.approx(row["R@100"], abs=.02)
    reg = RegressionScore(penalty=row["C REG"]).fit_arrays(DRAWN[parts[2]], lost[parts[2]], h[parts[2]])
    area = aurc(lost[parts[4]], reg.predict_arrays(DRAWN[parts[4]], h[parts[4]]))
    assert area == pytest.approx(row["REG"], abs=.03)


def test_of_equal_scores_the_first_is_chosen():
    # inputs without a difference: every C gives the same score, all ties
    part = SimpleNamespace(X=np.zeros((20, 2)), losses=np.arange(20) % 2*1., predictions=np.zeros(20, int))
    area, C = protocol._choose_score("REG", part, part.losses, part, part, 1.)
    assert C == C_SCORE[0] and area == aurc(part.losses, np.zeros(20))


def test_an_interrupted_run_goes_on():
    cells, done, real = [("LETTER", s, "LR") for s in range(3)], [], protocol.run_cell
    def interrupted(*cell, **options):
        if len(done) == 2: raise KeyboardInterrupt
        done.append(cell)
        return real(*cell, **options)
    with tempfile.TemporaryDirectory() as folder, patch.object(protocol, "load", _drawn):
        with patch.object(protocol, "run_cell", interrupted), pytest.raises(KeyboardInterrupt):
            protocol.run_cells(cells, folder)
        assert len(list(Path(folder).glob("*.json"))) == 2
        with patch.object(protocol, "run_cell", lambda *a, **k: (done.append(a), real(*a, **k))[1]):
            rows = protocol.run_cells(cells, folder)
        assert len(done) == 3 and [r["split"] for r in rows] == [0, 1, 2]


def test_cells_are_keyed_by_their_data():
    easy, hard = (DRAWN, (DRAWN[:, 0] > 0)*1), (DRAWN, np.random.default_rng(2).integers(0, 2, 600))
    assert fingerprint(easy) != fingerprint(hard) == fingerprint((hard[0].copy(),
        hard[1].copy())) != fingerprint((hard[0].astype("f4"), hard[1]))
    with tempfile.TemporaryDirectory() as folder:
        rows = [protocol.run_cells([("LETTER", 0, "LR")], folder, dataset=data)[0]
                for data in (easy, hard, easy)]
        assert len(list(Path(folder).iterdir())) == 2
        assert rows[0] == rows[2] and rows[0]["R@100"] < 10 < rows[1]["R@100"]
    options = {"scores_sum": False, "classifier_mean": True}
    assert cell_file(("CCPP", 0, "SVOR"), "x", options) == Path("x/CCPP-0-SVOR-classifier_mean.json")
    assert cell_file(("CCPP", 4, "SVOR"), "x", {"dataset": None}) == Path("x/CCPP-4-SVOR.json")


@pytest.mark.parametrize("content", ["", "{\"problem\": \"LET", "[]", "{}",
                                     "{\"problem\": \"LETTER\", \"split\": 1, \"classifier\": \"LR\"}"])
def test_a_damaged_cell_is_moved_aside_and_run_again(content):
    cell = ("LETTER", 0, "LR")
    with tempfile.TemporaryDirectory() as folder, patch.object(protocol, "load", _drawn):
        right = protocol.run_cells([cell], folder)
        path = Path(folder)/"LETTER-0-LR.json"
        path.write_text(content)
        with pytest.warns(UserWarning, match=r"LETTER-0-LR.json does not hold .*protocol LETTER"):
            again = protocol.run_cells([cell], folder)
        assert again == right and json.loads(path.read_text()) == right[0]
        assert (Path(folder)/"LETTER-0-LR.json.damaged").read_text() == content


def test_progress_is_shown_on_a_terminal():
    cells, screen = [(n, 0, "LR") for n in ("PENDIGIT", "LETTER")], io.StringIO()
    row = lambda *cell, **k: dict(zip(("problem", "split", "classifier"), cell))
    with tempfile.TemporaryDirectory() as folder, patch.object(protocol, "terminal",
                                                               lambda: screen), patch.object(protocol,
                                                                   "run_cell", row):
        assert [r["problem"] for r in protocol.run_cells(cells, folder)] == ["PENDIGIT", "LETTER"]
    share = 10992*16*10/(10992*16*10 + 20000*16*26)                # of the work, done with the first cell
    for words in ("0 of 2 cells   0%", f"1 of 2 cells {100*share:3.0f}%", "2 of 2 cells 100%"):
        assert words in screen.getvalue()
    with patch.object(sys, "stderr", io.StringIO()): assert terminal() is None


def test_missing_data_is_named():
    with tempfile.TemporaryDirectory() as folder, patch.object(protocol, "load",
                                                               side_effect=MissingDataError("no such file")):
        assert protocol.run_cells([("LETTER", 0, "LR")], folder) == [{"problem": "LETTER",
            "missing": "no such file"}]


def test_table_2_and_the_grid():
    assert len(PROBLEMS) == 22 and PROBLEMS["MSD"] == {"data": "msd", "kind": "order", "n": 499671, "d": 90,
                                                       "classes": 41}
    cells = cells_of()
    assert len(cells) == 5*(11*2 + 11) and cells[0][0] == "CCPP" and cells[-1][0] == "MSD"
    assert cells_of(["LETTER", "CPU"], range(2)) == [("CPU", 0, "SVOR"), ("CPU", 1, "SVOR"),
                                                     *[("LETTER", s, c) for c in ("LR", "SVM")
                                                       for s in range(2)]]


def test_the_command_line():
    with patch.object(protocol, "run_cells", lambda cells, **options: [{"problem": c[0], "missing": "x"}
        if c[0] == "CPU" else {} for c in cells]) as _, patch("sys.stdout", io.StringIO()) as out:
        assert protocol.main(["CPU", "CCPP", "--quick"]) == 0
    assert out.getvalue() == "CPU: no data\n2 of 4 cells finished\n"
    with pytest.raises(SystemExit), patch("sys.stderr", io.StringIO()): protocol.main(["NONSENSE"])


@pytest.mark.slow
def test_a_dask_cluster_gives_the_same():
    distributed = pytest.importorskip("dask.distributed")
    cells = [("LETTER", s, "LR") for s in range(2)]
    with tempfile.TemporaryDirectory() as a, tempfile.TemporaryDirectory() as b, patch.object(protocol,
        "load", _drawn):
        with distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False,
                                      dashboard_address=None) as cluster:
            assert protocol.run_cells(cells, a,
                                      scheduler=cluster.scheduler_address) == protocol.run_cells(cells, b)
            with distributed.Client(cluster) as client:
                assert protocol.run_cells(cells, a, scheduler=client) == protocol.run_cells(cells, b)
