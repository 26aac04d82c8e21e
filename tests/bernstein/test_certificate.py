"""Tests of nbs/bernstein/05_certificate.ipynb, extracted from its test cells: edit them there."""
import numpy as np
from reject_nb.bernstein.formulations import UncertaintySet

from reject_nb.bernstein.certificate import best_intercept, certificate, dual_bound, objective

def test_any_bound_is_below_any_objective():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        y = np.where(np.arange(30) % 2, 1., -1.)
        X, half = rng.normal(size=(30, 3)) + y[:, None]*.5, rng.uniform(.3, 1, (30, 3))
        sets = UncertaintySet(X, half*.1, half*.4, X, half, "bernstein")
        C, k = 10.**rng.uniform(-2, 2), rng.uniform(0, 2)
        values = [objective(sets, rng.normal(size=3), rng.normal(), y, C, k) for _ in range(20)]
        bounds = [dual_bound(sets, rng.uniform(-.5, 2, 30)*C, rng.normal(size=(30, 3)), y, C, k) for _ in range(20)]
        assert max(bounds) <= min(values)


def test_best_intercept_is_the_minimiser():
    rng = np.random.default_rng(1)
    for _ in range(50):
        y = np.where(rng.random(9) < rng.random(), 1., -1.)
        inner = rng.normal(size=9)*2
        if abs(y.sum()) == 9: continue
        f = lambda b: np.maximum(0, 1 - inner - y*b).sum()
        b = best_intercept(inner, y, rng.normal())
        assert f(b) <= min(f(v) for v in np.linspace(-9, 9, 2001)) + 1e-12


def test_svm_certificate_closes_against_libsvm():
    from sklearn.svm import SVC
    rng = np.random.default_rng(2)
    X = rng.normal(size=(40, 3)); y = np.where(X[:, 0] + rng.normal(size=40) > 0, 1., -1.)
    svc = SVC(kernel="linear", C=.7, tol=1e-10).fit(X, y)
    alpha = np.zeros(40); alpha[svc.support_] = abs(svc.dual_coef_[0])
    c = certificate(UncertaintySet(X, None, None, None, None, "none"), svc.coef_[0], svc.intercept_[0], alpha, None, y, .7, 0.)
    assert 0 <= c.relative < 1e-8                                        # libsvm's own tolerance is 1e-10
