"""Tests of nbs/strategies/24_scorers.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pandas as pd
import pickle
import pytest
import warnings
from reject_nb.strategies import BoundedAbstention
from reject_nb.strategies import BoundedImprovement
from reject_nb.strategies import SelectiveClassifier
from reject_nb.strategies.models import CostBased
from reject_nb.strategies.scores import MarginScore
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from reject_nb.strategies.scorers import make_selective_scorer

class _Says:
    "A fitted classifier that accepts where the first column is positive and answers the second."
    classes_ = np.array([0, 1])
    def fit(self, X, y): return self
    def predict(self, X): return X[:, 1]
    def accept(self, X): return X[:, 0] > 0

SEEN = np.array([[1., 0], [1, 1], [1, 1], [0, 0]])
TRUTH = [0., 1., 0., 0.]

@pytest.mark.parametrize("measure, weights, value", [
    ("accuracy", None, 2/3), ("coverage", None, .75), ("right", None, .5), ("net", None, .5 - 2*.25),
    ("accuracy", [1, 1, 2, 9], .5), ("coverage", [1, 1, 2, 4], .5), ("right", [0, 0, 0, 1], 0.)])
def test_values_by_hand(measure, weights, value):
    assert abs(make_selective_scorer(measure, penalty=2)(_Says(), SEEN, TRUTH, weights) - value) < 1e-12


def test_what_nothing_is_worth():
    none = SEEN*[0., 1]
    assert np.isnan(make_selective_scorer()(_Says(), none, TRUTH))
    assert make_selective_scorer(empty=0.)(_Says(), none, TRUTH) == 0
    assert make_selective_scorer("net")(_Says(), none, TRUTH) == 0


def test_plain_classifiers_answer_everything():
    plain = LogisticRegression().fit(SEEN, TRUTH)
    assert make_selective_scorer("coverage")(plain, SEEN, TRUTH) == 1
    values = [make_selective_scorer(m)(plain, SEEN, TRUTH) for m in ("accuracy", "right")]
    assert values == [plain.score(SEEN, TRUTH)]*2
    with pytest.raises(ValueError, match="estimator must be a SelectiveClassifier"):
        make_selective_scorer("aurc")(plain, SEEN, TRUTH)


def test_scorers_in_scikit_learn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = np.array(["no", "yes"])[(X[:, 0] + .5*rng.normal(size=400) > 0).astype(int)]
    clf = SelectiveClassifier(model=BoundedAbstention(.7), random_state=0)
    scoring = {m: make_selective_scorer(m) for m in ("accuracy", "coverage", "right", "net", "aurc")}
    found = cross_validate(clf, X, y, scoring=scoring, cv=3)
    assert all(np.isfinite(found[f"test_{m}"]).all() for m in scoring)
    np.testing.assert_allclose(found["test_right"], found["test_accuracy"]*found["test_coverage"])
    assert (found["test_aurc"] < 0).all() and "accuracy" in repr(scoring["accuracy"])
    fitted = clf.fit(X, y)
    assert abs(pickle.loads(pickle.dumps(scoring["accuracy"]))(fitted, X, y) - fitted.score(X, y)) < 1e-12


@pytest.mark.parametrize("call, name", [
    (lambda: make_selective_scorer("auc"), "measure"), (lambda: make_selective_scorer(penalty=-1), "penalty"),
    (lambda: make_selective_scorer(empty="x"), "empty"),
    (lambda: make_selective_scorer()(_Says(), SEEN, [0, 1]), "y"),
    (lambda: make_selective_scorer()(_Says(), SEEN, TRUTH, [1.]), "sample_weight"),
    (lambda: make_selective_scorer()(_Says(), SEEN, TRUTH, np.zeros(4)), "sample_weight"),
    (lambda: make_selective_scorer("aurc")(_Says(), SEEN, TRUTH, np.ones(4)), "sample_weight")])
def test_arguments_are_named(call, name):
    with pytest.raises(ValueError, match=f"^{name} must"): call()


def _words(rng, n):
    "Short texts, of which the first word tells the class, mostly."
    y = rng.integers(0, 2, n)
    seen = np.where(rng.random(n) < .9, y, 1 - y)
    ends = np.array(["day", "night", "film", "book"])[rng.integers(0, 4, n)]
    return [f"{('good', 'bad')[k]} {end}" for k, end in zip(seen, ends)], np.array(["like", "dislike"])[y]


def _frame(rng, n, missing=True):
    "Numbers, words and holes."
    y = rng.integers(0, 3, n)
    frame = pd.DataFrame({"size": y + rng.normal(0, .7, n), "idle": rng.normal(size=n),
                          "colour": np.array(["red", "green", "blue"])[np.where(rng.random(n) < .8, y, 0)]})
    if missing: frame.loc[rng.random(n) < .1, "size"] = np.nan
    return frame, np.array(["ash", "beech", "cedar"])[y]


def _matrix(rng, n):
    "Counts, mostly 0."
    y = rng.integers(0, 2, n)
    X = rng.poisson(.3, (n, 20))*1.
    X[:, 0] += rng.poisson(2*y)
    return X, y


def _columns(numbers):
    "Numbers through one transformer, colours through another, by name."
    return ColumnTransformer([("numbers", numbers, ["size", "idle"]),
                              ("colours", OneHotEncoder(handle_unknown="ignore", sparse_output=False),
                               ["colour"])])


def _holes(rng, n):
    frame, y = _frame(rng, n)
    return frame[["size", "idle"]], y


def _sparse(rng, n):
    X, y = _matrix(rng, n)
    return csr_matrix(X), np.where(y == 1, True, False)


def _categories(rng, n):
    frame, y = _frame(rng, n)
    return frame.assign(colour=frame.colour.astype("category")), pd.Series(y, dtype="category")

REAL = {
    "text, TfidfVectorizer": (_words, make_pipeline(TfidfVectorizer(), LogisticRegression())),
    "frame by name, ColumnTransformer": (_frame, make_pipeline(
        _columns(make_pipeline(SimpleImputer(), StandardScaler())), LogisticRegression())),
    "frame with NaN, forest": (_frame, make_pipeline(_columns("passthrough"),
                                                     RandomForestClassifier(10, random_state=0))),
    "NaN, HistGradientBoosting": (_holes, HistGradientBoostingClassifier(max_iter=5, random_state=0)),
    "categories, HistGradientBoosting": (_categories, HistGradientBoostingClassifier(
        categorical_features="from_dtype", max_iter=5, random_state=0)),
    "sparse, logistic": (_sparse, LogisticRegression()),
    "sparse, calibrated SVM": (_sparse, CalibratedClassifierCV(LinearSVC(random_state=0), cv=2)),
}
PROMISES = {"risk": (BoundedImprovement(.4), "auto"), "risk, ltt": (BoundedImprovement(.4), "ltt"),
            "risk, sgr": (BoundedImprovement(.4), "sgr"), "coverage": (BoundedAbstention(.6), "auto"),
            "cost": (CostBased(.2), "auto")}

@pytest.mark.parametrize("frozen", [False, True], ids=["to be fitted", "frozen"])
@pytest.mark.parametrize("promise", list(PROMISES))
@pytest.mark.parametrize("kind", list(REAL))
def test_real_classifiers(kind, promise, frozen):
    make, estimator = REAL[kind]
    model, guarantee = PROMISES[promise]
    X, y = make(np.random.default_rng(1), 500)
    Xt, yt = make(np.random.default_rng(2), 200)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if frozen: estimator = FrozenEstimator(clone(estimator).fit(*make(np.random.default_rng(3), 300)))
        clf = SelectiveClassifier(estimator, model=model, guarantee=guarantee, random_state=0).fit(X, y)
        out, keep = clf.predict(Xt), clf.accept(Xt)
        wrong = (np.asarray(clf.classifier_.predict(Xt)) != np.asarray(yt))[keep]
        report = clf.report(Xt, yt)
    assert clf.selection_.n == (500 if frozen
                                else 150) if promise != "cost" else "not certified" in report["statement"]
    assert keep.any() and (out[keep] != clf.reject_label_).all() and (out[~keep] == clf.reject_label_).all()
    assert set(np.unique(out[keep])) <= set(np.unique(np.asarray(yt)))
    np.testing.assert_allclose([clf.score(Xt, yt), 1 - report["selective risk"]], 1 - wrong.mean())
    assert wrong.mean() < .45                                    # the target is .4
    assert clf.predict_proba(Xt).shape == (200, len(np.unique(np.asarray(y))))


def test_a_margin_where_there_are_no_probabilities():
    X, y = _sparse(np.random.default_rng(4), 600)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf = SelectiveClassifier(LinearSVC(random_state=0), MarginScore(), BoundedImprovement(.4)).fit(X, y)
    assert clf.accept(X).mean() > .3 and not hasattr(clf, "predict_proba")
    assert clf.decision_function(X).shape == (600,)


@pytest.mark.parametrize("penalty, good", [(0, True), (.25, True), (-.25, False), (7., True)])
def test_a_penalty_is_any_number_from_nought(penalty, good):
    if good: assert make_selective_scorer("net", penalty=penalty).penalty == penalty
    else:
        with pytest.raises(ValueError, match="^penalty must be"):
            make_selective_scorer("net", penalty=penalty)
