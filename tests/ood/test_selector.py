"""Tests of nbs/ood/06_selector.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pickle
import pytest
import sys
import warnings
from reject_nb.ood.models import BoundedTPRFPR
from reject_nb.ood.synthetic import synthetic_example
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from reject_nb.ood.selector import DoubleScoreSelector, report

def test_report_ranks_and_says_unable():
    s = synthetic_example(2.).sample(2000, 1)
    args = s.losses, {m: s.scores(m) for m in "ABCD"}, s.is_ood, BoundedTPRFPR(.7, .2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "pandas", None)            # as where it is not installed
        plain = report(*args)
    try: from pandas import DataFrame
    except ImportError: DataFrame = dict
    frame = report(*args, areas=False)
    assert type(plain) is dict and {len(v) for v in plain.values()} == {4}
    assert isinstance(frame, DataFrame) and set(plain) - set(frame) == {"auroc", "aupr", "oscr"}
    for t in (plain, frame):
        assert list(t["method"]) == ["D", "B", "A", "C"] and list(t["status"]) == ["able"]*3 + ["unable"]
        assert "lower min_tpr" in list(t["message"])[3]
    none = report(s.losses, {"A": s.scores("A")}, np.zeros(len(s.losses), bool), BoundedTPRFPR(.7, .2), areas=False)
    assert list(none["status"]) == ["able"] and "no OOD" in list(none["message"])[0]
    with pytest.raises(ValueError, match="no input"): report(s.losses, {"A": s.scores("A")}, np.zeros(len(s.losses), bool), BoundedTPRFPR(.7, .2))
    with pytest.raises(ValueError, match="scores"): report(s.losses, {}, s.is_ood, BoundedTPRFPR(.7, .2))


def test_selector():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 1, (300, 2)) for c in ((0, 0), (3, 0))])
    y, O = np.repeat([0, 1], 300), rng.normal((1.5, 5), 1, (200, 2))
    fitted = LogisticRegression().fit(X, y)
    far = lambda Z: np.abs(Z[:, 1])
    s = DoubleScoreSelector(fitted, "msp", far, BoundedTPRFPR(.8, .05)).fit(X, y, O)
    on = s.accept(X)
    assert s.status_ == "optimal" and on.mean() >= .8 and s.accept(O).mean() <= .05
    assert set(np.unique(s.predict(np.concatenate([X, O])))) == {-1, 0, 1}
    assert abs((fitted.predict(X[on]) != y[on]).mean() - s.tuned_.selective_risk) < 1e-12
    c = DoubleScoreSelector(LogisticRegression(), "mls", "knn", BoundedTPRFPR(.6, .2), guarantee=True).fit(X, y, O)
    assert c.status_ == "certified" and "probability" in c.message_
    none = DoubleScoreSelector(fitted, "msp", lambda Z: np.zeros(len(Z)), BoundedTPRFPR(1, 0)).fit(X, y, X)
    assert none.status_ == "infeasible" and not none.accept(X).any()
    for call, said in ((lambda: DoubleScoreSelector(fitted, "best", far).fit(X, y, O), "score"), (lambda: DoubleScoreSelector(fitted, "msp", "knn").fit(X, y, O), "knn"),
                       (lambda: DoubleScoreSelector(fitted, "msp", far).fit(X, y, O[:0]), "X_ood"), (lambda: DoubleScoreSelector(fitted, "msp", far).fit(X, y[:5], O), "length"),
                       (lambda: DoubleScoreSelector(fitted, "msp", lambda Z: np.full(len(Z), np.nan)).fit(X, y, O), "NaN"),
                       (lambda: DoubleScoreSelector(fitted, "msp", lambda Z: Z[:, :1]).fit(X, y, O), "ood_score"), (lambda: DoubleScoreSelector(fitted, lambda Z: 1., far).fit(X, y, O), "risk_score"),
                       (lambda: DoubleScoreSelector(fitted, "msp", far).fit(X, y, None), "X_ood"), (lambda: DoubleScoreSelector(LogisticRegression()).fit(X[:1], y[:1], O), "X must hold"),
                       (lambda: DoubleScoreSelector(fitted, "msp", far, guarantee=True).fit(X, y, O[:1]), "X_ood must hold"), (lambda: DoubleScoreSelector(3).fit(X, y, O), "classifier"),
                       (lambda: DoubleScoreSelector(fitted, "msp", far, guarantee=True, delta="a").fit(X, y, O), "delta"), (lambda: s.accept(X[:, :1]), "features"), (lambda: DoubleScoreSelector(LogisticRegression()).fit(X, y, O[:, :1]), "X_ood must have"),
                       (lambda: DoubleScoreSelector(fitted, "msp", far, reject_label=1).fit(X, y, O), "reject_label")):
        with pytest.raises(ValueError, match=said): call()
    assert s.n_features_in_ == 2 and list(s.classes_) == [0, 1]
    c.guarantee = False
    assert not hasattr(c.fit(X, y, O), "certificate_")


def test_labels_of_any_kind_and_pickles():
    rng = np.random.default_rng(3)
    X, y, O = rng.normal([[0, 0]]*150 + [[3, 0]]*150, 1), np.repeat(["cat", "dog"], 150), rng.normal((1.5, 5), 1, (100, 2))
    for risk in ("msp", "mls"):
        s = DoubleScoreSelector(LogisticRegression(), risk, "knn").fit(X, y, O)
        assert set(s.predict(np.concatenate([X, O]))) == {"cat", "dog", "reject"}
        again = pickle.loads(pickle.dumps(s))
        assert (again.predict(X) == s.predict(X)).all() and again.tuned_.angle == s.tuned_.angle
    none = DoubleScoreSelector(LogisticRegression(), reject_label=-1).fit(X, y, O).predict(O)
    assert none.dtype == object and -1 in list(none)
    numbers = np.where(y == "cat", -1, 1)
    assert set(DoubleScoreSelector(LogisticRegression()).fit(X, numbers, O).predict(np.concatenate([X, O]))) == {-1, 1, -2}


def test_rare_classes_and_data_frames():
    rng = np.random.default_rng(4)
    X, y, O = rng.normal(size=(60, 2)) + np.repeat([[0, 0], [3, 0]], [57, 3], axis=0), np.repeat([0, 1], [57, 3]), rng.normal((1.5, 5), 1, (40, 2))
    for seed in range(20): assert len(DoubleScoreSelector(LogisticRegression(), random_state=seed).fit(X, y, O).classifier_.classes_) == 2
    try: import pandas
    except ImportError: return
    F, P = (pandas.DataFrame(a, columns=["a", "b"]) for a in (X, O))
    by_name = make_pipeline(ColumnTransformer([("one", StandardScaler(), ["a"])]), LogisticRegression())
    with warnings.catch_warnings():
        warnings.simplefilter("error")                         # no word about missing feature names
        for h in (by_name, LogisticRegression()):
            s = DoubleScoreSelector(h, "msp", "knn").fit(F, pandas.Series(y, index=range(9, 69)), P)
            assert list(s.feature_names_in_) == ["a", "b"] and s.accept(F).mean() >= .7
        assert (DoubleScoreSelector(LogisticRegression()).fit(X, y, O).predict(O) == s.predict(P)).all()


def test_report_of_losses_above_one():
    frame = report([0, 3., 1, 0, 0], {"A": [1., 2, 3, 4, 5]}, [0, 0, 0, 1, 1], BoundedTPRFPR(.5, .5))
    assert "oscr" not in frame and list(frame["auroc"]) == [1.] and list(frame["selective_risk"]) == [4/3]
    with pytest.raises(ValueError, match="scores"): report([0, 0], [[1, 2]], [0, 1], BoundedTPRFPR(.5, .5))
