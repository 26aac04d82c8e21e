"""Tests of nbs/mcsvm/00_overview.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import subprocess
import sys
from reject_nb.mcsvm import MultiCostSVC
from reject_nb.mcsvm import RULES
from reject_nb.mcsvm import solve_reference

def _two_classes():
    rng = np.random.default_rng(0)
    y = np.where(rng.random(300) < .5, "safe", "bad")
    return rng.normal(size=(300, 2))+1.5*(y == "safe")[:, None], y


def test_fit_certify_calibrate():
    X, y = _two_classes()
    clf = MultiCostSVC(safe_label="safe", eta=1.).fit(X[:150], y[:150])
    assert clf.status_ == "optimal" and clf.gap_ <= 1e-6
    ref = solve_reference(X[:150]@X[:150].T, np.where(y[:150] == "safe", 1., -1.), 9, 1.)
    np.testing.assert_allclose(clf.objective_, ref.objective, rtol=1e-6)
    for rule in RULES:
        c = clf.calibrate(X[150:], y[150:], rule=rule, eps=.1, delta=.1, eps_safe=.8)
        assert c.rule == rule and c.feasible and clf.bias_ == c.bias
        assert c.status in ("certified", "optimal") and (c.status == "certified") == (c.risk is not None)


def test_several_classes_through_scikit_learn():
    from sklearn.datasets import load_iris
    from sklearn.multiclass import OneVsRestClassifier
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="binary"): MultiCostSVC().fit(X, y)
    assert OneVsRestClassifier(MultiCostSVC(kernel="rbf", gamma=.5, eta=1.)).fit(X, y).score(X, y) > .9


def test_names_are_loaded_when_they_are_used():
    heavy = "numpy", "numba", "scipy", "sklearn", "cvxpy", "matplotlib", "pandas"
    code = ("import sys, reject_nb.mcsvm as m\n"
            f"print([h for h in {heavy} if h in sys.modules], sorted(m.__all__) == dir(m))")
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.split() == ["[]", "True"]
