"""What `mcsvm` offers, called once with good arguments: tests/test_bad_calls.py replaces them one at a time."""
import numpy as np

from reject_nb.mcsvm import (
    MultiCostSVC, best_offsets, certify_dual, fit_blocks, resolve_taus, solve_blocks, solve_features,
    solve_primal_reference, solve_reference)

Y = np.array([1., -1., 1., -1., 1., -1.])
X = np.array([[-1., .2], [1., -.3], [-.5, -1.], [1.5, .4], [.3, .1], [-.2, .6]])


def _multiply(v):
    return X@(X.T@v)


def _estimator(**parameters):
    return MultiCostSVC(**parameters).fit(X, Y)


def _method(name):
    """A method of a fresh fit: each call starts from the same state."""
    return lambda **arguments: getattr(MultiCostSVC(eta=1.).fit(X, Y), name)(**arguments)


def _weighted(X, y, sample_weight):
    return MultiCostSVC(eta=1.).fit(X, y, sample_weight)


def _blocks(model, X, y):
    return fit_blocks(model, X, y)


def calls():
    heavy = np.array([1., 2., 1., 1., 3., 1.])
    costs = dict(safe=np.array([.8, .4]), unsafe=np.array([.2, .6]))
    return {
        "resolve_taus": (resolve_taus, dict(taus=np.array([.2, .7]))),
        "best_offsets": (best_offsets, dict(scores=X[:, 0], y=Y, sample_weight=heavy, **costs)),
        "certify_dual": (certify_dual, dict(apply=_multiply, y=Y, alpha=np.full((6, 2), .1), eta=1., offer=None, sample_weight=heavy, **costs)),
        "solve_features": (solve_features, dict(Z=X, y=Y, eta=1., tol=1e-6, sample_weight=heavy, **costs)),
        "solve_reference": (solve_reference, dict(K=X@X.T, y=Y, taus=[.3, .6], eta=1., class_balanced=False)),
        "solve_primal_reference": (solve_primal_reference, dict(Z=X, y=Y, taus=[.3, .6], eta=1., class_balanced=False)),
        "solve_blocks": (solve_blocks, dict(X=X, y=Y, eta=1., tol=1e-6, **costs)),
        "MultiCostSVC": (_estimator, dict(taus=[.3, .6], C=1., eta=None, kernel="poly", degree=2, gamma=.5, coef0=1.,
                                          class_balanced=False, p_safe=.5, eps=.1, safe_label=1., tol=1e-6,
                                          class_weight={1.: 2., -1.: 1.})),
        "MultiCostSVC.fit": (_weighted, dict(X=X, y=Y, sample_weight=heavy)),
        "fit_blocks": (_blocks, dict(model=MultiCostSVC(eta=1.), X=X, y=Y)),
        "MultiCostSVC.projection": (_method("projection"), dict(X=X)),
        "MultiCostSVC.safe_score": (_method("safe_score"), dict(X=X)),
        "MultiCostSVC.decision_function": (_method("decision_function"), dict(X=X)),
        "MultiCostSVC.predict": (_method("predict"), dict(X=X)),
        "MultiCostSVC.calibrate": (_method("calibrate"), dict(X=X, y=Y, rule="both_rates", eps=.5, delta=.5,
                                                           eps_safe=.6)),
        "MultiCostSVC.region_offset": (_method("region_offset"), dict(p_safe=.5, eps=.1)),
        "MultiCostSVC.predict_region": (_method("predict_region"), dict(X=X, p_safe=.5, eps=.1)),
    }


LEGAL = {
    ("best_offsets", "sample_weight", "none"): "None: 1 each",
    ("certify_dual", "sample_weight", "none"): "None: 1 each",
    ("solve_features", "sample_weight", "none"): "None: 1 each",
    ("MultiCostSVC", "eta", "none"): "None: C is used",
    ("MultiCostSVC", "class_weight", "none"): "None: the classes count as they are",
    ("MultiCostSVC.fit", "sample_weight", "none"): "None: 1 each",
    ("MultiCostSVC.calibrate", "eps_safe", "none"): "None: as eps",
    ("MultiCostSVC", "p_safe", "none"): "None: the share in the training data",
    ("MultiCostSVC", "safe_label", "none"): "None: the last label in sorted order",
    ("MultiCostSVC.calibrate", "eps", "none"): "None: the parameter eps",
    ("MultiCostSVC.region_offset", "*", "none"): "None: the prior and the risk of the fit",
    ("MultiCostSVC.predict_region", "p_safe", "none"): "None: the prior of the fit",
    ("MultiCostSVC.predict_region", "eps", "none"): "None: the parameter eps",
}
