"""Tests of nbs/ood/14_selector.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pickle
import pytest
import sklearn
import sys
import warnings
from reject_nb.ood import BoundedTPRFPR
from reject_nb.ood.experiments.synthetic import synthetic_example
from reject_nb.ood.selector import Scoring
from reject_nb.strategies.losses import n_rows
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.base import is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import check_estimator

from reject_nb.ood.selector import DoubleScoreSelector, _stricter, named_score, report

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
    ({}, dict(X_ood=O2[:0]), "X_ood"), (dict(guarantee=True), dict(X_ood=None), "X_ood"),
    ({}, dict(X_ood=O2[:, :1]), "X_ood"), ({}, dict(X_ood=3), "X_ood"), (dict(prefit=1), {}, "prefit"),
    (dict(estimator=LogisticRegression(), prefit=True), {}, "estimator"), ({}, dict(y=Y2 + .5), "y"),
    ({}, dict(X_ood=[[np.nan, 0]]), "X_ood"), ({}, dict(y=Y2[:5]), "y"),
    ({}, dict(X=3), "X"), ({}, dict(X=X2[0]), "y"),
    (dict(guarantee=True), dict(X_ood=O2[:1]), "X_ood"),
    (dict(estimator=LogisticRegression()), dict(X=X2[:1], y=Y2[:1]), "X")])
def test_bad_input_is_named(options, data, named):
    with pytest.raises(ValueError, match=f"^{named} must"):
        DoubleScoreSelector(**{**dict(estimator=FITTED, risk_score="msp", ood_score=_far),
                               **options}).fit(**{**dict(X=X2, y=Y2, X_ood=O2), **data})


def test_bad_new_inputs_are_named():
    s = DoubleScoreSelector(FITTED, "msp", _far).fit(X2, Y2, O2)
    for bad in (X2[:, :1], None, [["a", "b"]], [[np.nan, 1]], X2[0]):
        with pytest.raises(ValueError, match="X "): s.accept(bad)


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

FOLLOWED = dict(model=BoundedTPRFPR(.5, .5), random_state=0)

def _alike(X): return np.zeros(n_rows(X))


def test_selector_follows_scikit_learn():
    "All checks can be made, since X_ood may be left out; where scores are all alike, nothing is rejected."
    check_estimator(DoubleScoreSelector(LogisticRegression(), _alike, _alike), on_skip=None)

BY_DESIGN = {                     # a selector rejects, and `predict` says so by its reject label
    "check_classifiers_one_label_sample_weights": "some inputs are rejected, others get the one class",
    "check_classifiers_classes": "rejected inputs are not those of the largest decision_function",
    "check_classifiers_train": "rejected inputs are not those of the largest decision_function"}

def test_with_its_default_scores_only_rejections_fail():
    "Every other check passes, and each of these fails: exactly this set."
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = check_estimator(DoubleScoreSelector(), expected_failed_checks=BY_DESIGN, on_skip=None,
                                on_fail="raise")
    assert {r["check_name"] for r in found if r["status"] == "xfail"} == set(BY_DESIGN)
    assert all(r["status"] in ("passed", "skipped", "xfail") for r in found)


def test_without_foreign_inputs_it_says_so():
    s = DoubleScoreSelector(LogisticRegression(), model=BoundedTPRFPR(.8, .2)).fit(X2, Y2)
    assert "no OOD inputs" in s.message_ and s.accept(X2).mean() > .7


def test_prefit_uses_every_row():
    frozen = FrozenEstimator(FITTED)
    for base in (FITTED, frozen, clone(frozen)):
        s = DoubleScoreSelector(base, "msp", _far, prefit=True).fit(X2, Y2, O2)
        assert s.classifier_ is base and abs(s.tuned_.tpr - s.accept(X2).mean()) < 1e-12


def test_score_is_selective_accuracy():
    y = np.where(Y2 == 0, "cat", "dog")
    s = DoubleScoreSelector(LogisticRegression(), **FOLLOWED).fit(X2, y, O2)
    on, right = s.accept(X2), s.classifier_.predict(X2) == y
    w = np.random.default_rng(0).random(len(y))
    assert np.isclose(s.score(X2, y), right[on].mean(), rtol=1e-12)
    assert np.isclose(s.score(X2, y, w), np.average(right[on], weights=w[on]), rtol=1e-12)
    assert np.array_equal(s.predict_proba(X2), s.classifier_.predict_proba(X2)) and is_classifier(s)
    found = cross_val_score(s, X2, y, params={"X_ood": O2}, cv=3)
    assert np.isfinite(found).all() and found.mean() > .85
    inside = make_pipeline(StandardScaler(), s)
    grid = {"doublescoreselector__estimator__C": [.1, 1.], "doublescoreselector__ood_score": ["knn", "mls"]}
    search = GridSearchCV(inside, grid, cv=2)
    search.fit(X2, y, doublescoreselector__X_ood=StandardScaler().fit(X2).transform(O2))
    assert search.best_score_ > .85 and set(search.predict(X2)) >= {"cat", "dog"}


def test_parameters_of_the_fit_reach_the_classifier():
    w = np.where(Y2 == 0, 9., 1.)
    plain, heavy = (DoubleScoreSelector(LogisticRegression(), **FOLLOWED).fit(X2, Y2, O2, **params)
                    for params in ({}, {"sample_weight": w}))
    assert (heavy.classifier_.predict(X2) == 0).sum() > (plain.classifier_.predict(X2) == 0).sum()
    with pytest.raises(ValueError, match="sample_weight must go"):
        DoubleScoreSelector(FITTED, "msp", _far).fit(X2, Y2, O2, sample_weight=w)


def test_metadata_routing():
    w = np.where(Y2 == 0, 9., 1.)
    with sklearn.config_context(enable_metadata_routing=True):
        inner = LogisticRegression().set_fit_request(sample_weight=True)
        s = DoubleScoreSelector(inner, **FOLLOWED).set_fit_request(X_ood=True)
        s.set_score_request(sample_weight=False)
        direct = clone(s).fit(X2, Y2, O2, sample_weight=w)
        found = GridSearchCV(s, {"estimator__C": [1.]}, cv=2).fit(X2, Y2, X_ood=O2, sample_weight=w)
        assert "no OOD" not in found.best_estimator_.message_
        assert np.array_equal(found.best_estimator_.classifier_.coef_, direct.classifier_.coef_)


def test_text_goes_through():
    words = ["good day", "bad day", "good night", "bad night", "good morning", "bad morning"]*20
    y, strange = ["+", "-"]*60, ["lorem ipsum", "dolor sit amet", "ipsum dolor"]*10
    pipe = make_pipeline(CountVectorizer(), LogisticRegression())
    s = DoubleScoreSelector(pipe, model=BoundedTPRFPR(.9, .3)).fit(words, y, strange)
    assert s.predict(["good day", "bad night"]).tolist() == ["+", "-"] and s.score(words, y) == 1
    far, near = s.ood_score_(["lorem ipsum"]), s.ood_score_(words)
    assert far[0] > 0 == np.median(near) and hasattr(s.classifier_[0].transform(words), "tocsr")


def test_sparse_distances_are_the_dense_ones():
    rng = np.random.default_rng(5)
    A = rng.random((60, 8))*(rng.random((60, 8)) < .4)
    dense, sparse = named_score("knn", FITTED, A), named_score("knn", FITTED, csr_array(A))
    assert np.allclose(sparse(csr_array(A[:20])), dense(A[:20]), rtol=1e-9)


def test_frames_with_missing_values_and_categories():
    pd = pytest.importorskip("pandas")
    def frame(A, colour):
        out = pd.DataFrame(A, columns=["a", "b"]).assign(colour=colour)
        out.loc[::7, "a"] = np.nan
        return out
    X, O = frame(X2, np.where(Y2 == 0, "red", "blue")), frame(O2, "green")
    colours = OneHotEncoder(sparse_output=False, handle_unknown="ignore")
    columns = make_column_transformer((colours, ["colour"]), (SimpleImputer(), ["a", "b"]))
    for h in (make_pipeline(columns, HistGradientBoostingClassifier(max_iter=5)),
              FrozenEstimator(make_pipeline(columns, LogisticRegression()).fit(X, Y2))):
        score = {} if not isinstance(h, FrozenEstimator) else {"ood_score": lambda Z: Z["b"].to_numpy()}
        s = DoubleScoreSelector(h, model=BoundedTPRFPR(.8, .2), **score).fit(X, Y2, O)
        assert s.status_ == "optimal" and s.accept(O).mean() <= .25
        assert s.feature_names_in_.tolist() == ["a", "b", "colour"]
        with pytest.raises(ValueError, match="X must be like that of the fit"): s.accept(X[["a", "b"]])
    plain = HistGradientBoostingClassifier(max_iter=5)
    missing = np.where(np.arange(len(X2))[:, None] % 5 == 0, np.nan, X2)
    with pytest.raises(ValueError, match="X must be a matrix without NaN for 'knn'"):
        named_score("knn", LogisticRegression().fit(X2, Y2), missing)
    own = DoubleScoreSelector(plain, "msp", lambda Z: np.abs(Z[:, 1]).clip(0, 9)*0 + 1.)
    with pytest.raises(ValueError, match="ood_score must"): own.fit(missing, Y2, O2)


def test_distances_of_a_classifier_that_takes_missing_values():
    "By hand: 0 and 4 with one missing have mean 2; what was missing is a column of its own."
    boosting = HistGradientBoostingClassifier(max_iter=5)
    X = np.array([[0., 1], [4., 1], [np.nan, 1], [0, 1]]*5)
    near = named_score("knn", boosting.fit(X, np.arange(20) % 2), X)
    train = np.column_stack([np.where(np.isnan(X[:, 0]), 4/3, X[:, 0]), np.isnan(X[:, 0])])
    train = (train - train.mean(0))/train.std(0)
    assert np.allclose(near(X[:4]), [np.sort(np.linalg.norm(train - row, axis=1))[9] for row in train[:4]])
    clean = named_score("knn", boosting.fit(X2, Y2), X2)
    assert np.array_equal(clean(X2[:9]), named_score("knn", FITTED, X2)(X2[:9]))
    assert clean(np.array([[0., np.nan], [0, 0]])).tolist()[0] == np.inf and np.isfinite(clean(X2)).all()
    with pytest.raises(ValueError, match="without NaN"): named_score("knn", FITTED, X2)([[0., np.nan]])
    with pytest.raises(ValueError, match="without NaN"): clean([[0., np.inf]])
    far = np.append(X, [[np.inf, 1]], 0)
    with pytest.raises(ValueError, match="without NaN"): named_score("knn", boosting, far)


def test_boosting_takes_a_frame_as_it_is():
    pd = pytest.importorskip("pandas")
    def frame(A, colour):
        out = pd.DataFrame(A, columns=["a", "b"])
        out["colour"] = pd.Categorical(colour, ["red", "blue", "green"])
        out.loc[::7, "a"] = np.nan
        return out
    X, O = frame(X2, np.where(Y2 == 0, "red", "blue")), frame(O2, ["green"]*len(O2))
    boosting = HistGradientBoostingClassifier(max_iter=5)
    s = DoubleScoreSelector(boosting, model=BoundedTPRFPR(.8, .2)).fit(X, Y2, O)
    assert s.status_ == "optimal" and s.accept(O).mean() <= .25 and s.accept(X).mean() >= .75
    assert (pickle.loads(pickle.dumps(s)).predict(O) == s.predict(O)).all()
    with pytest.raises(ValueError, match="X must be of numbers for 'knn'"):
        named_score("knn", s.classifier_, X.assign(day=pd.Timestamp("2020-01-01")))


def test_what_is_wrong_with_foreign_inputs_is_said_of_them():
    with pytest.raises(ValueError, match="^X_ood must be inputs like X"):
        DoubleScoreSelector(LogisticRegression()).fit(X2, Y2, np.where(O2 > 4, np.nan, O2))


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


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_scores_may_be_infinite_but_not_missing(value):
    "An input that no class resembles has an infinite score; one without a score is no answer."
    s = Scoring()
    s.risk_score_ = lambda X: np.where(np.arange(len(X)) == 1, value, 0.)
    if np.isnan(value):
        with pytest.raises(ValueError, match="risk_score"): s._score("risk_score", np.zeros((3, 2)), "X")
    else: assert s._score("risk_score", np.zeros((3, 2)), "X").tolist() == [0, value, 0]
    assert s._score("risk_score", np.zeros((0, 2)), "X").shape == (0,)
