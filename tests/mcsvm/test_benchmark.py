"""Tests of nbs/mcsvm/91_benchmark.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.mcsvm import MultiCostSVC
from sklearn.svm import SVC

def _dual_of_svc(svc, y, X):
    "Dual objective of a fitted SVC, in its own scale."
    f = svc.decision_function(X)-svc.intercept_
    alpha = np.abs(svc.dual_coef_.ravel())
    return alpha.sum()-.5*np.sum(alpha*y[svc.support_]*f[svc.support_])


@pytest.mark.parametrize("tau", (.2, .5))
@pytest.mark.parametrize("kwargs", (dict(kernel="rbf", gamma=1.), dict(kernel="linear")))
def test_one_tau_is_one_weighted_svc(tau, kwargs):
    # a single tau is SVC with C = eta and class weights; libsvm at tolerance 1e-6 agrees to about that on
    # the objective
    y = np.where(np.arange(200) % 2, 1., -1.)
    X = np.random.default_rng(0).normal(size=(200, 2))-.7*y[:, None]
    svc = SVC(C=.5, class_weight={1.: 1-tau, -1.: tau}, tol=1e-6, **kwargs).fit(X, y)
    ours = MultiCostSVC(taus=tau, eta=.5, **kwargs).fit(X, y)
    # ours is divided by eta
    np.testing.assert_allclose(ours.objective_, _dual_of_svc(svc, y, X)/.5, rtol=1e-5)
