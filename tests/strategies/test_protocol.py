"""Tests of nbs/strategies/81_protocol.ipynb, extracted from its test cells: edit them there."""
import hashlib
import io
import json
import numpy as np
import pytest
import sys
import tempfile
from pathlib import Path
from reject_nb.data import MissingDataError
from reject_nb.strategies.curves import aurc
from reject_nb.strategies.experiments import protocol
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


def _three_classes(n=6):
    rng = np.random.default_rng(4)
    return rng.normal(size=(n, 2)), np.arange(n) % 3, rng.normal(size=(3, 3))


def test_losses_of_the_svm_class_by_class():
    Z, y, W = _three_classes()
    top, soft, P, slack = protocol._CrammerSinger(Z, y, 3, 2.).parts(W, .3)
    for i in range(6):
        s = [float(W[k, :2] @ Z[i] + W[k, 2]) for k in range(3)]
        margins = np.array([s[k] - s[y[i]] + (k != y[i]) for k in range(3)])
        weights = np.exp(margins/.3)/np.exp(margins/.3).sum()
        np.testing.assert_allclose([top[i], soft[i]], [margins.max(), .3*np.log(np.exp(margins/.3).sum())])
        np.testing.assert_allclose(P[i], weights - (np.arange(3) == y[i]), atol=1e-14)
        assert abs(slack[i] - (1 - weights[y[i]])) < 1e-14


def test_the_slope_of_the_smoothed_svm():
    Z, y, W = _three_classes()
    problem, x = protocol._CrammerSinger(Z, y, 3, 2.), W.ravel()
    value, slope = problem.smoothed(x, .3)
    assert abs(value - (x @ x/2 + 2*problem.parts(W, .3)[1].sum())) < 1e-12
    for j in range(9):
        step = 1e-6*(np.arange(9) == j)
        numeric = (problem.smoothed(x + step, .3)[0] - problem.smoothed(x - step, .3)[0])/2e-6
        assert abs(slope[j] - numeric) < 1e-6


def test_gaps_by_hand():
    """One point (1, 1), two classes, W = 0: the loss is 1; with weight p on the other class the dual point
    t p has the value t p - 2 (t p)^2, at best 1/8. With C = 1/8 the best t is above 1, and 1 is taken."""
    one = protocol._CrammerSinger(np.ones((1, 1)), np.array([0]), 2, 1.)
    for tau in (.1, 1., 10.): assert abs(one.gap(np.zeros(4), tau) - 7/8) < 1e-14
    small, p = protocol._CrammerSinger(np.ones((1, 1)), np.array([0]), 2, .125), 1/(1 + np.exp(-2.))
    primal, dual = .125, .125*p - 2*(.125*p)**2
    assert abs(small.gap(np.zeros(4), .5) - (primal - dual)/primal) < 1e-14
    far = np.array([0., 50., 0.,
                    -50.])                              # no loss, no weights: the dual value is 0
    assert abs(one.gap(far, .1) - 1) < 1e-14


def test_a_solution_says_its_gap_and_where_it_began():
    Z, y, _ = _three_classes(30)
    W, gap = protocol.fit_crammer_singer(Z, y, 3, .5, tol=1e-3)
    again, same = protocol.fit_crammer_singer(Z, y, 3, .5, tol=1e-3, start=W)
    assert W.shape == (3, 3) and type(gap) is float and 0 <= gap <= 1e-3 and same <= 1e-3
    np.testing.assert_allclose(again, W, atol=.05)
    rough, wide = protocol.fit_crammer_singer(Z, y, 3, .5, tol=.9)
    assert 1e-3 < wide <= .9 and np.abs(rough - W).max() > 1e-3


def test_what_classifiers_answer_by_hand():
    S = np.array([[1., 4., 2.], [0., -1., -3.]])
    found = protocol.class_scores(S)
    assert found.predictions.tolist() == [1, 0] and found.baseline.tolist() == [-4, 0]
    assert found.other.tolist() == [-2, -1] and found.posterior is None
    found = protocol.ordinal_answers(np.array([[2.], [0.], [1.]]), np.array([1.5]), np.array([1., 2.]))
    assert found.predictions.tolist() == [2, 0, 1] and found.baseline.tolist() == [-1, -1, -.5]
    assert protocol._loss(np.array([1, 2, 5]), np.array([1, 4, 4]), True).tolist() == [0, 2, 1]
    assert protocol._loss(np.array([1, 2, 5]), np.array([1, 4, 4]), False).tolist() == [0, 100, 100]


def test_logistic_regression_with_a_class_that_is_not_there():
    from sklearn.linear_model import LogisticRegression
    Z, y = np.array([[-2.], [-1.], [1.], [3.]]), np.array([0, 0, 2, 2])
    apply, start = protocol._train_lr(Z, y, 3, 4., None)
    found, want = apply(Z), LogisticRegression(C=.25, tol=1e-4).fit(Z, y).predict_proba(Z)
    np.testing.assert_allclose(found.posterior, np.insert(want, 1, 0, axis=1), atol=1e-6)
    np.testing.assert_allclose(found.baseline, 1 - want.max(1), atol=1e-6)
    assert found.predictions.tolist() == [0, 0, 2, 2] and start is None


def test_the_svm_of_two_classes_has_a_free_bias():
    from sklearn.svm import SVC
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(60, 2)) + [1., 0.]
    y = (Z[:, 0] + .5*rng.normal(size=60) > 1.3).astype(int)
    apply, start = protocol._train_svm(Z, y, 2, .5, None)
    f = SVC(kernel="linear", C=2., tol=1e-8).fit(Z, y).decision_function(Z)
    found = apply(Z)
    np.testing.assert_allclose(found.baseline, -np.abs(f), atol=.05)
    assert ((f > 0) == found.predictions)[np.abs(f) > .05].all() and start is None
    assert found.other.tolist() == found.baseline.tolist()
    three, W = protocol._train_svm(*_three_classes(30)[:2], 3, 2., None)
    np.testing.assert_allclose(W, protocol.fit_crammer_singer(*_three_classes(30)[:2], 3, .5)[0])
    S = np.column_stack([Z, np.ones(60)]) @ W.T
    np.testing.assert_allclose(three(Z).baseline, -S.max(1))


def test_the_ordinal_svm_goes_on_from_its_last_solution():
    rng = np.random.default_rng(1)
    Z = rng.normal(size=(60, 2))
    y = np.digitize(Z[:, 0] + .3*rng.normal(size=60), [-.5, .5])
    apply, (w, b) = protocol._train_svor(Z, y, 3, 1., None)
    f = Z @ w
    assert apply(Z).predictions.tolist() == [int((v > b).sum()) for v in f]
    np.testing.assert_allclose(apply(Z).baseline, [-np.abs(v - b).min() for v in f])
    np.testing.assert_allclose(protocol._train_svor(Z, y, 3, 1., (w, b))[1][0], w, atol=.02)


def test_of_equal_classifiers_that_with_the_smallest_constant():
    "The penalties are tried from the strongest; each begins where the last one ended."
    asked, wrong = [], {1000: 1, 100: 0, 10: 0, 1: 2}
    def train(Z, y, n_classes, C, start):
        asked.append((n_classes, C, start))
        out = np.where(np.arange(4) < wrong[C/7], 9, 0)
        return lambda A: SimpleNamespace(predictions=out), C
    with patch.dict(protocol.TRAIN, toy=train):
        apply, C = protocol._choose_classifier("toy", (None, None), (None, np.zeros(4, int)), 3, 7, False)
    assert C == 10 and apply(None).predictions.tolist() == [0]*4
    assert asked == [(3, 7000, None), (3, 700, 7000), (3, 70, 700), (3, 7, 70)]


def test_scores_are_made_with_their_penalty():
    made = {name: protocol._make_score(name, 3.) for name in ("SELE", "REG", "TCP")}
    assert {name: type(score).__name__ for name, score in made.items()} == {
        "SELE": "SeleScore", "REG": "RegressionScore", "TCP": "TrueClassProbabilityScore"}
    assert all(score.penalty == 3 for score in made.values())
    assert (made["SELE"].tol, made["SELE"].max_iter) == (1e-3, 300)


def test_the_score_that_orders_the_validation_part_best():
    losses, penalties = np.array([0., 0, 1, 1]), []
    order = {0: [3, 2, 1, 0], 1: [0, 2, 1, 3], 10: [0, 1, 2, 3], 100: [0, 1, 2, 3], 1000: [1, 0, 3, 2]}
    def make(method, penalty):
        penalties.append(penalty)
        told = np.array(order[penalty/.5], float)
        return SimpleNamespace(fit_arrays=lambda *a: SimpleNamespace(predict_arrays=lambda X, p: told[X]))
    rows = np.arange(4)
    part = protocol._Part(rows, rows, losses)
    test = protocol._Part(rows[::-1], rows, np.array([1., 0, 0, 0]))
    with patch.object(protocol, "_make_score", make):
        area, C = protocol._choose_score("REG", part, losses, part, test, .5)
    assert C == 10 and area == aurc(test.losses, np.array([3., 2, 1, 0]))
    assert penalties == [0, .5, 5, 50, 500]


@pytest.mark.parametrize("seed", range(5))
def test_ten_rows_of_a_class_are_cut_exactly(seed):
    y = np.repeat([3, 7], 10)
    parts = protocol.split_five(y, (30, 10, 30, 10, 20), seed)
    assert [len(p) for p in parts] == [6, 2, 6, 2, 4]
    assert [int((y[p] == 3).sum()) for p in parts] == [3, 1, 3, 1, 2]
    assert [len(p) for p in protocol.split_five(np.zeros(4), (1, 1, 0, 1, 1), seed)] == [1, 1, 0, 1, 1]


def test_what_the_options_of_a_cell_change():
    "The factors of both constants, the parts that are handed over, and six decimals."
    X = np.column_stack([np.arange(40.), np.full(40, 7.)])
    y, asked = np.repeat([5, 6], 20), []
    def choose(classifier, train, validation, n_classes, factor, ordinal):
        asked.append((classifier, n_classes, factor, ordinal))
        np.testing.assert_allclose(train[0].mean(0), 0, atol=1e-12)
        np.testing.assert_allclose(train[0].std(0), [1, 0], atol=1e-12)          # a constant column stays 0
        return lambda A: protocol.Answers((A[:, 0] > 0).astype(int), A[:, 0], other=-A[:, 0]), 10
    def score(method, train, targets, validation, test, factor):
        asked.append((method, factor))
        assert targets is train.losses
        return 1/3, 100
    with patch.object(protocol, "_choose_classifier", choose), patch.object(protocol, "_choose_score", score):
        row = protocol.run_cell("IJCNN", 1, "SVM", dataset=(X, y))
        other = protocol.run_cell("IJCNN", 1, "SVM", True, True, dataset=(X, y))
        protocol.run_cell("CPU", 1, "SVOR", dataset=(X, y))
    trn1, _, trn2, _, tst = protocol.split_five(np.repeat([0, 1], 20), (30, 10, 30, 10, 20), 1)
    assert asked == [("SVM", 2, 1, False), ("SELE", 1), ("REG", 1), ("SVM", 2, len(trn1), False),
                     ("SELE", 1/len(trn2)), ("REG", 1/len(trn2)), ("SVOR", 2, 1, True), ("SELE", 1),
                     ("REG", 1)]
    assert row == other and row["SELE"] == .333333 and row["C SELE"] == 100 and row["C"] == 10
    z = (X[tst, 0] - X[trn1, 0].mean())/X[trn1, 0].std()
    losses = 100.*((z > 0) != (tst >= 20))
    assert row["R@100"] == round(losses.mean(), 6) and row["MARGIN"] == round(aurc(losses, z), 6)
    assert row["MARGIN difference"] == round(aurc(losses, -z), 6)
    for name, classifier, split, word in (("X", "LR", 0, "name"), ("CPU", "X", 0, "classifier"),
                                          ("CPU", "SVOR", -1, "split")):
        with pytest.raises(ValueError, match=f"^{word} must"):
            protocol.run_cell(name, split, classifier, dataset=(X, y))


def test_targets_of_the_true_class():
    y, seen = np.repeat([0, 1], 20), []
    P = np.column_stack([np.linspace(0, 1, 40), np.linspace(1, 0, 40)])
    def choose(*a): return lambda A: protocol.Answers(np.zeros(len(A), int), A[:, 0], P[:len(A)]), 1
    def score(method, train, targets, *rest):
        if method == "TCP": seen.append(targets)
        return 0., 0
    with patch.object(protocol, "_choose_classifier", choose), patch.object(protocol, "_choose_score", score):
        protocol.run_cell("IJCNN", 0, "LR", dataset=(np.arange(40.)[:, None], y))
    part = y[protocol.split_five(y, (30, 10, 30, 10, 20), 0)[2]]
    assert seen[0].tolist() == [P[i, k] for i, k in enumerate(part)]


def test_order_of_the_cells_and_their_files():
    assert protocol.cells_of(["LETTER", "CPU"], (4, 0)) == [
        ("CPU", 4, "SVOR"), ("CPU", 0, "SVOR"), ("LETTER", 4, "LR"), ("LETTER", 0, "LR"),
        ("LETTER", 4, "SVM"),
        ("LETTER", 0, "SVM")]
    sizes = [p["n"]*p["d"]*p["classes"]
             for p in (protocol.PROBLEMS[name] for name, s, _ in protocol.cells_of()
                                                  if s == 0)]
    assert sizes == sorted(sizes)
    options = {"classifier_mean": True, "scores_sum": False, "dataset": None}
    assert protocol.cell_file(("A", 0, "LR"), "f", options) == Path("f/A-0-LR-classifier_mean.json")
    assert protocol.cell_file(("A", 0, "LR"), "f", {}) == Path("f/A-0-LR.json")
    data = np.arange(4.)[:, None], np.array([0, 1, 0, 1], "i4")
    digest = hashlib.sha256(b"<f8 (4, 1) " + data[0].tobytes() + b"<i4 (4,) " + data[1].tobytes())
    assert protocol.fingerprint(data) == digest.hexdigest()[:16]
    named = protocol.cell_file(("A", 0, "LR"), "f", {"dataset": data, "scores_sum": True})
    assert named.name == f"A-0-LR-dataset-{digest.hexdigest()[:16]}-scores_sum.json"
    words = np.array(["a", None], object)
    assert protocol.fingerprint([words]) == hashlib.sha256(b"|O (2,) ['a', None]").hexdigest()[:16]
    with patch.dict("os.environ", REJECT_NB_CELLS="/cells"): assert protocol.cache_folder() == Path("/cells")
    with patch.dict("os.environ", REJECT_NB_CELLS=""), patch.object(protocol, "project_root", lambda: None):
        assert protocol.cache_folder() == Path.cwd()/"_cells"


def test_work_that_is_left():
    cells = [("CPU", 0, "SVOR"), ("CPU", 1, "SVOR"), ("LETTER", 0, "LR")]
    with tempfile.TemporaryDirectory() as folder:
        one, two = 8192*21*10, 20000*16*26
        assert protocol._work_left(cells, folder, {}).tolist() == [0, one, 2*one, 2*one + two]
        protocol.cell_file(cells[1], folder, {}).write_text("{}")
        assert protocol._work_left(cells, folder, {}).tolist() == [0, one, one, one + two]


def test_a_bar_where_somebody_watches():
    class Screen(io.StringIO):
        def isatty(self): return self.watched
    for watched in (True, False):
        screen = Screen()
        screen.watched = watched
        with patch("sys.stderr", screen): assert protocol.terminal() is (screen if watched else None)
    told, watched = [], protocol.Watched(n_jobs=1)
    watched.tell, watched.n_completed_tasks = told.append, 3
    watched.print_progress()
    assert told == [3]


def test_what_the_command_line_asks_for():
    asked = []
    def run(cells, **options):
        asked.append((cells, options))
        return []
    with patch.object(protocol, "run_cells", run), patch("sys.stdout", io.StringIO()):
        assert protocol.main(["--quick"]) == 0
        protocol.main(["CPU", "--jobs", "3", "--scheduler", "tcp://x:1", "--classifier-mean", "--scores-sum"])
        protocol.main([])
    usual = dict(n_jobs=1, scheduler=None, classifier_mean=False, scores_sum=False)
    assert asked[0] == (protocol.cells_of(protocol.QUICK, range(2)), usual)
    assert asked[1] == ([("CPU", s, "SVOR") for s in range(5)], dict(
        n_jobs=3, scheduler="tcp://x:1", classifier_mean=True, scores_sum=True))
    assert asked[2] == (protocol.cells_of(), usual)
    with patch("sys.stderr",
               io.StringIO()) as said, pytest.raises(SystemExit) as end: protocol.main(["CPUU", "A"])
    assert end.value.code == 2 and "unknown data set A, CPUU; choose from AVILA, CODRNA" in said.getvalue()
