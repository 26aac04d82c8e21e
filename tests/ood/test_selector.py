"""Tests of nbs/ood/12_selector.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pickle
import pytest
import sys
import warnings
from reject_nb.ood import BoundedTPRFPR
from reject_nb.ood.experiments.synthetic import synthetic_example
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from reject_nb.ood.selector import DoubleScoreSelector, _stricter, report

def test_report_ranks_and_says_unable():
    s = synthetic_example(2.).sample(2000, 1)
    args = s.losses, {m: s.scores(m) for m in "ABCD"}, s.is_ood, BoundedTPRFPR(.7, .2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "pandas", None)            # as where it is not installed
        plain = report(*args)
    frame = report(*args, areas=False)
    assert type(plain) is dict and {len(v) for v in plain.values()} == {4}
    assert set(plain) - set(frame) == {"auroc", "aupr", "oscr"}
    for t in (plain, frame):
        assert list(t["method"]) == ["D", "B", "A",
                                     "C"] and list(t["status"]) == ["optimal"]*3 + ["infeasible"]
        assert "lower min_tpr" in list(t["message"])[3]


def test_report_is_a_frame_where_pandas_is():
    pandas = pytest.importorskip("pandas")
    assert isinstance(report([0, 0, 0], {"A": [1., 2, 3]}, [0, 0, 1], BoundedTPRFPR(.5, .5)),
                      pandas.DataFrame)


def test_report_without_ood_inputs_and_with_large_losses():
    none = report([0, 1, 0], {"A": [1., 2, 3]}, [0, 0, 0], BoundedTPRFPR(.7, .2), areas=False)
    assert list(none["status"]) == ["optimal"] and "no OOD" in list(none["message"])[0]
    frame = report([0, 3., 1, 0, 0], {"A": [1., 2, 3, 4, 5]}, [0, 0, 0, 1, 1], BoundedTPRFPR(.5, .5))
    assert "oscr" not in frame and list(frame["auroc"]) == [1.] and list(frame["selective_risk"]) == [4/3]


@pytest.mark.parametrize("change, named", [(dict(scores={}), "scores"), (dict(scores=[[1, 2, 3]]), "scores"),
                                           (dict(is_ood=[0, 0, 0]), "is_ood"), (dict(losses=None), "losses"),
                                           (dict(model=2), "model"), (dict(areas=1), "areas"),
                                           (dict(scores={"A": [1, 2]}), "is_ood")])
def test_bad_input_of_the_report_is_named(change, named):
    with pytest.raises(ValueError, match=f"^{named} must be"):
        report(**{**dict(losses=[0, 1, 0], scores={"A": [1., 2, 3]}, is_ood=[0, 0, 1],
                         model=BoundedTPRFPR(.5, .5)), **change})


def _two_classes(n=300):
    "(X, y, X_ood) with two classes on the first axis and strangers above."
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(c, 1, (n, 2)) for c in ((0, 0), (3, 0))])
    return X, np.repeat([0, 1], n), rng.normal((1.5, 5), 1, (200, 2))


def _far(Z): return np.abs(Z[:, 1])

CLASSES = _two_classes()
X2 = CLASSES[0]
Y2 = CLASSES[1]
O2 = CLASSES[2]
FITTED = LogisticRegression().fit(X2, Y2)

def test_a_fitted_classifier_is_taken_as_it_is():
    s = DoubleScoreSelector(FITTED, "msp", _far, BoundedTPRFPR(.8, .05)).fit(X2, Y2, O2)
    on = s.accept(X2)
    assert s.classifier_ is FITTED and s.status_ == "optimal" and on.mean() >= .8
    assert s.accept(O2).mean() <= .05
    assert set(np.unique(s.predict(np.concatenate([X2, O2])))) == {-1, 0, 1} and s.n_features_in_ == 2
    assert list(s.classes_) == [0, 1]
    assert abs((FITTED.predict(X2[on]) != Y2[on]).mean() - s.tuned_.selective_risk) < 1e-12
    assert len(s.accept(X2[:0])) == len(s.predict(X2[:0])) == 0


def test_a_guarantee_and_a_refit_without():
    s = DoubleScoreSelector(LogisticRegression(), "mls", "knn", BoundedTPRFPR(.6, .2),
                            guarantee=True).fit(X2, Y2, O2)
    assert s.status_ == "certified" and "probability" in s.message_
    assert s.threshold_ == s.certificate_.threshold
    assert s.certificate_.tpr >= .6 and s.accept(O2).mean() <= .2 and s.certificate_.delta == .05
    s.guarantee = False
    assert not hasattr(s.fit(X2, Y2, O2), "certificate_") and s.status_ == "optimal"


def test_out_of_reach_nothing_is_accepted():
    s = DoubleScoreSelector(FITTED, "msp", lambda Z: np.zeros(len(Z)), BoundedTPRFPR(1, 0)).fit(X2, Y2, X2)
    assert s.status_ == "infeasible" and not s.accept(X2).any() and (s.predict(X2[:3]) == -1).all()


def test_stricter_targets_leave_room():
    s = _stricter(BoundedTPRFPR(.7, .2), 800, 200, .1)
    assert abs(s.min_tpr - .7 - np.sqrt(np.log(20)/1600)) < 1e-15
    assert abs(.2 - s.max_fpr - np.sqrt(np.log(20)/400)) < 1e-15
    assert _stricter(BoundedTPRFPR(.99, .01), 10, 10, .1) == BoundedTPRFPR(1., 0.)


@pytest.mark.parametrize("random_state", [0, np.random.default_rng(0), np.random.RandomState(0), None])
def test_random_states(random_state):
    s = DoubleScoreSelector(LogisticRegression(), random_state=random_state).fit(X2, Y2, O2)
    assert s.status_ in ("optimal", "infeasible")


@pytest.mark.parametrize("options, data, named", [
    (dict(risk_score="best"), {}, "risk_score"), (dict(ood_score="knn"), {}, "ood_score"),
    (dict(ood_score=lambda Z: np.full(len(Z), np.nan)), {}, "ood_score"),
    (dict(ood_score=lambda Z: Z[:, :1]), {}, "ood_score"), (dict(risk_score=lambda Z: 1.), {}, "risk_score"),
    (dict(estimator=3), {}, "estimator"),
    (dict(estimator=KNeighborsClassifier().fit(X2, Y2), risk_score="mls"), {}, "risk_score"),
    (dict(estimator=LinearSVC().fit(X2, Y2)), {}, "risk_score"),
    (dict(guarantee=True, delta="a"), {}, "delta"), (dict(guarantee=1), {}, "guarantee"),
    (dict(reject_label=1), {}, "reject_label"), (dict(model="a"), {}, "model"),
    (dict(random_state="a"), {}, "random_state"),
    ({}, dict(X_ood=O2[:0]), "X_ood"), ({}, dict(X_ood=None), "X_ood"), ({}, dict(X_ood=O2[:, :1]), "X_ood"),
    ({}, dict(X_ood=[[np.nan, 0]]), "X_ood"), ({}, dict(y=Y2[:5]), "y"), ({}, dict(X=X2[0]), "X"),
    (dict(guarantee=True), dict(X_ood=O2[:1]), "X_ood"),
    (dict(estimator=LogisticRegression()), dict(X=X2[:1], y=Y2[:1]), "X")])
def test_bad_input_is_named(options, data, named):
    with pytest.raises(ValueError, match=f"^{named} must"):
        DoubleScoreSelector(**{**dict(estimator=FITTED, risk_score="msp", ood_score=_far),
                               **options}).fit(**{**dict(X=X2, y=Y2, X_ood=O2), **data})


def test_bad_new_inputs_are_named():
    s = DoubleScoreSelector(FITTED, "msp", _far).fit(X2, Y2, O2)
    for bad in (X2[:, :1], None, [["a", "b"]], [[np.nan, 1]], X2[0]):
        with pytest.raises(ValueError, match="^X "): s.accept(bad)


@pytest.mark.parametrize("risk", ["msp", "mls"])
def test_text_labels_and_pickles(risk):
    y = np.where(Y2 == 0, "cat", "dog")
    s = DoubleScoreSelector(LogisticRegression(), risk, "knn").fit(X2, y, O2)
    assert set(s.predict(np.concatenate([X2, O2]))) == {"cat", "dog", "reject"}
    again = pickle.loads(pickle.dumps(s))
    assert (again.predict(X2) == s.predict(X2)).all() and again.tuned_.angle == s.tuned_.angle


def test_reject_labels():
    none = DoubleScoreSelector(LogisticRegression(), reject_label=-1).fit(X2,
                                                                          np.where(Y2 == 0, "cat", "dog"),
                                                                          O2).predict(O2)
    assert none.dtype == object and -1 in list(none)
    numbers = np.where(Y2 == 0, -1, 1)
    assert set(DoubleScoreSelector(LogisticRegression()).fit(X2, numbers,
                                                             O2).predict(np.concatenate([X2, O2]))) == {-1,
                                                                                                        1, -2}


def test_rare_classes():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(60, 2)) + np.repeat([[0, 0], [3, 0]], [57, 3], axis=0), np.repeat([0, 1], [57, 3])
    for seed in range(20):
        s = DoubleScoreSelector(LogisticRegression(), random_state=seed).fit(X, y, O2[:40])
        assert len(s.classifier_.classes_) == 2


def test_data_frames():
    pandas = pytest.importorskip("pandas")
    F, P = (pandas.DataFrame(a, columns=["a", "b"]) for a in (X2, O2))
    by_name = make_pipeline(ColumnTransformer([("one", StandardScaler(), ["a"])]), LogisticRegression())
    with warnings.catch_warnings():
        warnings.simplefilter("error")                         # no word about missing feature names
        for h in (by_name, LogisticRegression()):
            s = DoubleScoreSelector(h, "msp", "knn").fit(F, pandas.Series(Y2, index=range(9, 609)), P)
            assert list(s.feature_names_in_) == ["a", "b"] and s.accept(F).mean() >= .7
        assert (DoubleScoreSelector(LogisticRegression()).fit(X2, Y2, O2).predict(O2) == s.predict(P)).all()
