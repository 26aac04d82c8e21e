"""Tests of nbs/sdr/06_classifier.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from reject_nb.sdr.families import Beta
from reject_nb.sdr.families import Binomial
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

from reject_nb.sdr.classifier import SafeRegionClassifier

def test_check_estimator():
    # scikit-learn's own list of checks; no expected failures
    results = check_estimator(SafeRegionClassifier(), on_skip=None)
    assert len(results) > 40 and not [r for r in results if r["status"] == "failed"]


def test_plug_in_is_the_region():
    rng = np.random.default_rng(1)
    for family, X in (("gaussian", rng.normal(size=(60, 3))), ("gamma", rng.gamma(2., size=(60, 2))), ("poisson", rng.poisson(4, size=(60, 2))),
                      (["gaussian", "exponential"], rng.gamma(2., size=(60, 2))), (Binomial(9, .5), rng.binomial(9, .4, size=(60, 2))), (Beta, rng.beta(2, 3, size=(60, 1)))):
        X = X.astype(float); y = np.arange(60) % 2
        clf = SafeRegionClassifier(family, p_safe=.3, eps=.4).fit(X, y)
        assert (clf.predict(X) == clf.region_.contains(X, .3, .4)).all()
        assert ((clf.posterior(X) >= .6 - 1e-12) == (clf.predict(X) == 1)).all()
        assert ((clf.decision_function(X) > 0) == (clf.predict(X) == 1)).all()
        flipped = SafeRegionClassifier(family, p_safe=.3, eps=.4, safe_label=1).fit(X, y)
        assert (flipped.predict(X) == clf.predict(X)).all()
        first = SafeRegionClassifier(family, p_safe=.7, eps=.6, safe_label=0).fit(X, y)
        # the other class as the safe one, prior and risk mirrored: Gamma changes its sign, the level too
        assert (first.predict(X) == clf.predict(X)).all()
        np.testing.assert_allclose(first.posterior(X), 1 - clf.posterior(X), atol=1e-12)
        clone(clf)


@settings(deadline=None, max_examples=30, derandomize=True)
@given(st.one_of(st.floats(max_value=0), st.floats(min_value=1), st.just(float("nan"))))
def test_bad_probabilities(value):
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2
    with pytest.raises(ValueError, match="eps"): SafeRegionClassifier(eps=value).fit(X, y)
    with pytest.raises(ValueError, match="p_safe"): SafeRegionClassifier(p_safe=value).fit(X, y)


def test_bad_data():
    X, y = np.random.default_rng(0).normal(size=(20, 2)), np.arange(20) % 2
    for clf, data, labels, word in ((SafeRegionClassifier("gama"), X, y, "family"), (SafeRegionClassifier("gamma"), X, y, "support"), (SafeRegionClassifier(["gaussian"]), X, y, "family"),
                                    (SafeRegionClassifier(), X, np.zeros(20), "class"), (SafeRegionClassifier(safe_label="x"), X, y, "safe_label"),
                                    (SafeRegionClassifier(), np.where(X > 2, np.nan, X)*np.nan, y, "NaN"), (SafeRegionClassifier(), np.column_stack([X, X[:, 0]]), y, "singular"),
                                    (SafeRegionClassifier(), X, np.arange(20) % 3, "binary")):
        with pytest.raises(ValueError, match=word): clf.fit(data, labels)
    with pytest.raises(ValueError, match="features"): SafeRegionClassifier().fit(X, y).predict(X[:, :1])


def test_string_labels_and_new_levels():
    X, y = np.random.default_rng(0).normal(size=(200, 2)), np.array(["bad", "good"]*100)
    X[y == "good"] += 1.5
    clf = SafeRegionClassifier(eps=.2).fit(X, y)
    assert clf.safe_label_ == "good" and set(clf.predict(X)) == {"bad", "good"}
    again = SafeRegionClassifier(eps=.4, p_safe=.7).fit(X, y)
    assert (clf.predict_region(X, p_safe=.7, eps=.4) == (again.predict(X) == "good")).all()
