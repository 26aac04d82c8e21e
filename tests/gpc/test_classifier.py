"""Tests of nbs/gpc/34_classifier.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import warnings
from reject_nb.gpc.classifier import CertifiedGPClassifier
from reject_nb.gpc.fitting import fit_gpc
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

LABELS = {"texts": ("ham", "spam"), "signs": (-1, 1), "whole": (3, 8), "numbers": (1., 3.),
          "flags": (False, True), "objects": np.array(["b", "a"], dtype=object)}
FIXED = dict(max_evaluations=0, lengthscale=.6, variance=9.)

def _fitted(labels=("ham", "spam"), n=50, **parameters):
    X, y = make_moons(n, noise=.25, random_state=0)
    y = np.asarray(labels)[y]
    return CertifiedGPClassifier(**{**FIXED, **parameters}).fit(X, y), X, y

KINDS = {"laplace": {}, "ep": dict(inference="ep", max_evaluations=3),
         "logistic": dict(likelihood="logistic", ard=False, max_evaluations=3)}

@pytest.mark.parametrize("kind", KINDS)
def test_it_follows_scikit_learn(kind):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")                  # its own casts of what is not finite
        check_estimator(CertifiedGPClassifier(**KINDS[kind]), on_skip=None)


@pytest.mark.parametrize("name", LABELS)
def test_labels_of_any_kind_come_back(name):
    clf, X, y = _fitted(LABELS[name])
    post = fit_gpc(X, y == clf.classes_[1], **FIXED)
    p = clf.predict_proba(X)
    assert (clf.classes_ == np.sort(np.asarray(LABELS[name]))).all() and p.shape == (50, 2)
    np.testing.assert_allclose(p[:, 1], post.predict_proba(X), rtol=1e-12)
    np.testing.assert_allclose(p.sum(1), 1, rtol=1e-15)
    assert clf.predict(X).dtype == clf.classes_.dtype and (clf.predict(X) == clf.classes_[p.argmax(1)]).all()
    assert clf.score(X, y) > .85
    some = clf.predict(X, radius=.2)
    answered = np.array([v != clf.reject_label_ for v in some])
    assert 0 < answered.sum() < 50 and (some[answered] == clf.predict(X)[answered]).all()
    assert clf.reject_label_ not in list(clf.classes_)


@pytest.mark.parametrize("norm", ["inf", 2, 1])
@pytest.mark.parametrize("seed", range(2))
def test_an_answer_holds_for_all_that_sampling_sees(seed, norm):
    clf, *_ = _fitted()
    rng = np.random.default_rng(seed)
    X, radius = rng.uniform([-1.5, -1], [2.5, 1.5], (8, 2)), rng.uniform(.02, .4)
    said = clf.predict(X, radius=radius, norm=norm, time_limit=None)
    certified = clf.certified_radius(X, norm=norm, time_limit=None)
    for x, label, r in zip(X, said, certified):
        step = rng.normal(size=(500, 2))
        size = np.linalg.norm(step, ord=np.inf if norm == "inf" else norm, axis=1)
        step *= rng.uniform(0, 1, (500, 1))**.3/size[:, None]
        if label != clf.reject_label_: assert set(clf.predict(x + radius*step)) == {label}
        assert len(set(clf.predict(x + .999999*r*step))) == 1
        if abs(r - radius) > .02*radius: assert (label != clf.reject_label_) == (r > radius)


def test_rejection_grows_with_the_radius():
    clf, X, _ = _fitted()
    answered = [clf.predict(X, radius=r, time_limit=None) != "reject" for r in (0., .1, .2, .4)]
    assert answered[0].all() and not answered[-1].all()
    assert all((b <= a).all() for a, b in zip(answered, answered[1:]))


def test_one_coordinate_and_limits():
    clf, X, _ = _fitted()
    free, one = clf.certified_radius(X[:8]), clf.certified_radius(X[:8], dims=[1])
    assert (one >= .99*free).all() and (one > 1.1*free).any()
    answered = lambda **how: clf.predict(X, **{"radius": .3, "time_limit": None, **how}) != "reject"
    assert (answered() <= answered(limits=(X.min(), X.max()))).all()
    assert (answered() <= answered(radius=[0., .3])).all()


def test_it_works_in_pipelines_and_searches():
    X, y = make_moons(40, noise=.2, random_state=1)
    pipe = make_pipeline(StandardScaler(), CertifiedGPClassifier(max_evaluations=0, variance=9.))
    found = GridSearchCV(pipe, {"certifiedgpclassifier__lengthscale": [.5, 5.]}, cv=2).fit(X, y)
    assert found.best_params_["certifiedgpclassifier__lengthscale"] == .5
    assert set(found.best_estimator_.predict(X, radius=.3)) == {-1, 0, 1}      # arguments pass through
    assert clone(pipe[-1]).get_params() == pipe[-1].get_params()


@pytest.mark.parametrize("given, labels, found", [
    ("auto", (0, 1), -1), ("auto", (-1, 1), -2), ("auto", ("a", "b"), "reject"), ("?", (0, 1), "?"),
    (None, ("a", "b"), None), (9, (0, 1), 9)])
def test_the_reject_label(given, labels, found):
    clf, X, _ = _fitted(labels, reject_label=given)
    assert clf.reject_label_ == found and found in clf.predict(X, radius=.5).tolist()


def test_bad_input():
    clf, X, y = _fitted()
    fitted = dict(inference="vb", max_evaluations=-1, likelihood="softmax", ard=2, lengthscale=0.,
                  variance=-1., reject_label="spam")
    for name, bad in fitted.items():
        with pytest.raises(ValueError, match=f"{name} must"):
            clone(clf).set_params(**{name: bad}).fit(X, y)
    asked = dict(radius=-1., dims=[2], norm=3, limits=(1, 0), max_boxes=0, time_limit=-1, n_jobs=0,
                 progress="yes")
    for name, bad in asked.items():
        with pytest.raises(ValueError, match=f"{name} must"):
            clf.predict(X[:2], **{"radius": .1, name: bad})
    with pytest.raises(ValueError, match="y must|Only binary"): clone(clf).fit(X, np.arange(50) % 3)
    with pytest.raises(ValueError, match="y must"): clone(clf).fit(X, np.zeros(50))
    with pytest.raises(ValueError, match="X must"): clf.predict([[np.nan, 0.]])


def test_progress_is_told():
    clf, X, _ = _fitted()
    told = []
    clf.predict(X[:5], radius=.1, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (5, 5)
