"""Tests of nbs/mcsvm/91_benchmark.ipynb, extracted from its test cells: edit them there."""
import numpy as np
from reject_nb.mcsvm.classifier import MultiCostSVC
from sklearn.svm import SVC

def test_one_tau_is_one_weighted_svc():
    # a single tau is SVC with C = eta and class weights; libsvm at tolerance 1e-6 agrees to about that on the objective
    rng = np.random.default_rng(0); y = np.where(np.arange(200) % 2, 1., -1.); X = rng.normal(size=(200, 2))-.7*y[:, None]
    for tau in (.2, .5):
        for kwargs in (dict(kernel="rbf", gamma=1.), dict(kernel="linear")):
            svc = SVC(C=.5, class_weight={1.: 1-tau, -1.: tau}, tol=1e-6, **kwargs).fit(X, y); ours = MultiCostSVC(taus=tau, eta=.5, **kwargs).fit(X, y)
            alpha = np.abs(svc.dual_coef_).sum(); f = svc.decision_function(X)-svc.intercept_; dual = alpha-.5*np.sum(np.abs(svc.dual_coef_.ravel())*y[svc.support_]*f[svc.support_])
            np.testing.assert_allclose(ours.objective_, dual/.5, rtol=1e-5)  # ours is divided by eta
