"""Every public call of reject_nb.strategies with valid arguments, and the values that look bad and are not."""
import numpy as np
from matplotlib.figure import Figure
from sklearn.linear_model import LinearRegression, LogisticRegression

import reject_nb.strategies as s
from reject_nb.strategies import BoundedAbstention, BoundedImprovement, CostBased

RISK, WEIGHT, PLACES = np.array([.1, .2, .3, .4]), np.array([1., 2., 1., 1.]), np.array([1., 2., 3., 4.])
LOSSES = np.array([0.]*70 + [1., 0.]*15)
SCORES = np.arange(100.)
POSTERIOR = np.array([[.9, .1], [.4, .6], [.5, .5]])
MATRIX = np.array([[0., 1.], [2., 0.]])
X = np.random.default_rng(0).normal(size=(40, 2))
Y = (X[:, 0] + .3*X[:, 1] > 0).astype(int)
FITTED = LogisticRegression().fit(X, Y)
AXES = Figure().add_subplot()
TABLE = np.array([[.1, .2, .3], [.3, .2, .5], [.1, .4, .6]])
LEARNED = {"RegressionScore": s.RegressionScore, "SeleScore": s.SeleScore, "TrueClassProbabilityScore": s.TrueClassProbabilityScore}


def fitted(kind):
    """A score on a fitted classifier."""
    return kind(FITTED, penalty=.1).fit(X, Y)


def trained(kind):
    """A constructor that fits, so that parameters are looked at."""
    return lambda **parameters: kind(**parameters).fit(X, Y)


def of_model(kind, *arguments):
    """solve of a model."""
    return (lambda risk, weight, scores, randomise: kind(*arguments).solve(risk, weight, scores, randomise),
            dict(risk=RISK, weight=WEIGHT, scores=PLACES, randomise=False))


def calls():
    """Name -> (callable, valid keyword arguments)."""
    areas = dict(losses=RISK, scores=PLACES)
    table = {
        "CostBased": (CostBased, dict(reject_cost=.2, accept_at_threshold=.5)), "CostBased.solve": of_model(CostBased, .2),
        "BoundedImprovement": (BoundedImprovement, dict(target_risk=.2)), "BoundedImprovement.solve": of_model(BoundedImprovement, .2),
        "BoundedAbstention": (BoundedAbstention, dict(target_coverage=.5)), "BoundedAbstention.solve": of_model(BoundedAbstention, .5),
        "convert": (s.convert, dict(model=BoundedImprovement(.25), kind=CostBased, risk=RISK, weight=WEIGHT)),
        "bayes_predict": (s.bayes_predict, dict(posterior=POSTERIOR, loss=MATRIX)),
        "conditional_risk": (s.conditional_risk, dict(posterior=POSTERIOR, loss=MATRIX, prediction=np.array([0, 1, 1]))),
        "plug_in": (s.plug_in, dict(estimator=FITTED, X=X, loss=MATRIX)),
        "aurc": (s.aurc, dict(**areas, ties="expected")),
        "sele": (s.sele, areas), "aurc_bounds": (s.aurc_bounds, areas),
        "sele_surrogate": (s.sele_surrogate, dict(**areas, base=2., return_gradient=True)),
        "sele_surrogate_hvp": (s.sele_surrogate_hvp, dict(**areas, vector=RISK, base=2.)),
        "selective_metrics": (s.selective_metrics, dict(losses=LOSSES, scores=SCORES, coverages=[.5], risks=[.1], n_bootstrap=2, confidence=.9, random_state=1,
                                                         labels=np.arange(100)%3, probabilities=np.full(100, .8))),
        "compare_scores": (s.compare_scores, dict(losses=LOSSES, scores=SCORES, other_scores=-SCORES, metric="AUROC", n_bootstrap=3, confidence=.9, random_state=1)),
        "RiskCoverageDisplay": (s.RiskCoverageDisplay, dict(coverage=RISK, risk=RISK, name="a", point=(.5, .1))),
        "RiskCoverageDisplay.plot": (lambda ax, name, optimum: s.RiskCoverageDisplay(coverage=RISK, risk=RISK).plot(ax, name=name, optimum=optimum),
                                     dict(ax=AXES, name="a", optimum=True)),
        "ConfidenceScore": (trained(s.ConfidenceScore), dict(estimator=FITTED, learner=LinearRegression(), loss=MATRIX, use_inputs=True)),
        "ConfidenceScore.fit": (lambda X, y: s.ConfidenceScore(FITTED, LinearRegression()).fit(X, y), dict(X=X, y=Y)),
        "ConfidenceScore.predict": (lambda X: s.ConfidenceScore(FITTED, LinearRegression()).fit(globals()["X"], Y).predict(X), dict(X=X)),
        "average_ranks": (s.average_ranks, dict(values=TABLE, lower_is_better=True)),
        "nemenyi": (s.nemenyi, dict(values=TABLE, alpha=.1, lower_is_better=True)),
        "critical_difference": (s.critical_difference, dict(n_methods=3, n_datasets=11, alpha=.1)),
        "ordinal_certificate": (s.ordinal_certificate, dict(X=X, y=Y, w=np.array([1., 0.]), b=np.array([.1]), C=1., mu=.01)),
        "OrdinalSVM": (trained(s.OrdinalSVM), dict(C=1., tol=1e-3, max_iter=100, time_limit=60., classes=None)),
        "RegressionScore": (trained(s.RegressionScore), dict(estimator=FITTED, penalty=.1, loss=MATRIX, regressor=None, standardise=True)),
        "TrueClassProbabilityScore": (trained(s.TrueClassProbabilityScore), dict(estimator=FITTED, penalty=.1, regressor=None, standardise=True)),
        "SeleScore": (trained(s.SeleScore), dict(estimator=FITTED, penalty=.1, loss=MATRIX, regressor=None, standardise=True, tol=1e-3, max_iter=50, n_rounds=5, learning_rate=.1)),
        "OrdinalSVM.fit": (lambda X, y: s.OrdinalSVM().fit(X, y), dict(X=X, y=Y)),
    }
    for method in ("predict", "latent", "decision_function", "margin"):
        table[f"OrdinalSVM.{method}"] = (lambda X, method=method: getattr(s.OrdinalSVM().fit(globals()["X"], Y), method)(X), dict(X=X))
    for name, kind in LEARNED.items():
        table[f"{name}.fit"] = (lambda X, y, kind=kind: kind(FITTED).fit(X, y), dict(X=X, y=Y))
        table[f"{name}.predict"] = (lambda X, kind=kind: fitted(kind).predict(X), dict(X=X))
    for name, kind in LEARNED.items():
        table[f"{name}.fit_arrays"] = (lambda X, targets, predictions, kind=kind: kind(penalty=.1).fit_arrays(X, targets, predictions), dict(X=X, targets=X[:, 0]**2, predictions=Y))
        table[f"{name}.predict_arrays"] = (lambda X, predictions, kind=kind: fitted(kind).predict_arrays(X, predictions), dict(X=X, predictions=Y))
    return table


NONE, ANY_LOSS = "the documented default", "any loss that can be summed is one"
SCORE, LABEL = "a score may be infinite, or as large as it likes: only the order matters", "any number is a label"
SIZE = "any finite size is a legal one"
LEGAL = {
    **{("selective_metrics", "labels", kind): "labels of any kind" for kind in ("inf", "huge")},
    **{("selective_metrics", name, "none"): "None: these metrics are left out" for name in ("labels", "probabilities")},
    ("*", "scores", "inf"): SCORE, ("*", "scores", "huge"): SCORE, 
    ("*", "time_limit", "none"): NONE, ("OrdinalSVM", "time_limit", "huge"): "a long time", ("*", "loss", "none"): NONE, ("*", "estimator", "none"): NONE,
    ("*", "weight", "none"): NONE, ("CostBased.solve", "scores", "none"): NONE,
    ("BoundedImprovement.solve", "scores", "none"): NONE, ("BoundedAbstention.solve", "scores", "none"): NONE,
    ("*", "prediction", "none"): NONE,
    ("*", "random_state", "none"): NONE, ("*", "predictions", "none"): NONE,
    ("*", "weight", "huge"): "weights are taken relative to their sum",
    ("*", "target_risk", "huge"): SIZE, ("*", "reject_cost", "huge"): SIZE, ("*", "penalty", "huge"): SIZE,
    ("*", "base", "huge"): "any base above 1", ("ordinal_certificate", "mu", "huge"): "any positive smoothing gives a sound bound",
    ("*", "values", "huge"): "only the ranks of the values matter",
    ("*", "y", "huge"): LABEL, ("*", "predictions", "huge"): LABEL, ("*", "predictions", "inf"): LABEL,
    ("*", "vector", "huge"): SIZE,
    ("*", "coverages", "empty"): "no working points asked for", ("*", "risks", "empty"): "no working points asked for",
    ("*", "random_state", "huge"): "any whole number seeds the generator",
    ("*", "other_scores", "inf"): SCORE, ("*", "other_scores", "huge"): SCORE,
    ("RiskCoverageDisplay", "risk", "huge"): SIZE,
    ("RiskCoverageDisplay", "name", "none"): NONE, ("RiskCoverageDisplay", "name", "text"): "any text is a name",
    ("RiskCoverageDisplay", "point", "none"): NONE, ("RiskCoverageDisplay", "point", "huge"): SIZE,
    ("RiskCoverageDisplay.plot", "name", "text"): "any text is a name", ("RiskCoverageDisplay.plot", "name", "none"): NONE,
    ("RiskCoverageDisplay.plot", "ax", "none"): "new axes are made", ("*", "learner", "none"): NONE,
    ("plug_in", "X", "huge"): SIZE,
}
