"""Every public call of reject_nb.strategies with valid arguments, and the values that look bad and are not."""
import numpy as np
from matplotlib.figure import Figure
from sklearn.linear_model import LinearRegression, LogisticRegression

import reject_nb.strategies as s
from reject_nb.strategies import BoundedAbstention, BoundedImprovement, CostBased

RISK, WEIGHT, PLACES = np.array([.1, .2, .3, .4]), np.array([1., 2., 1., 1.]), np.array([1., 2., 3., 4.])
LOSSES = np.array([0.]*70 + [1., 0.]*15)
SCORES = np.arange(100.)
GROUPS = np.array(["a", "b"])[np.arange(100) % 2]
POSTERIOR = np.array([[.9, .1], [.4, .6], [.5, .5]])
MATRIX = np.array([[0., 1.], [2., 0.]])
X = np.random.default_rng(0).normal(size=(40, 2))
Y = (X[:, 0] + .3*X[:, 1] > 0).astype(int)
FITTED = LogisticRegression().fit(X, Y)
AXES = Figure().add_subplot()
TABLE = np.array([[.1, .2, .3], [.3, .2, .5], [.1, .4, .6]])
PLUG_IN = {"MaxClassProbability": s.MaxClassProbability, "MarginScore": s.MarginScore}
LEARNED = {"RegressionScore": s.RegressionScore, "SeleScore": s.SeleScore, "TrueClassProbabilityScore": s.TrueClassProbabilityScore}


def fitted(kind):
    """A score on a fitted classifier."""
    return (kind(FITTED, penalty=.1) if kind in LEARNED.values() else kind(FITTED)).fit(X, Y)


def trained(kind):
    """A constructor that fits, so that parameters are looked at."""
    return lambda **parameters: kind(**parameters).fit(X, Y)


def selective(**parameters):
    """A selective classifier that is fitted."""
    return s.SelectiveClassifier(**{"estimator": FITTED, "model": BoundedAbstention(.5), **parameters}).fit(X, Y)


def of_model(kind, *arguments):
    """solve of a model."""
    return (lambda risk, weight, scores, randomise: kind(*arguments).solve(risk, weight, scores, randomise),
            dict(risk=RISK, weight=WEIGHT, scores=PLACES, randomise=False))


def calls():
    """Name -> (callable, valid keyword arguments)."""
    certified = dict(losses=LOSSES, scores=SCORES, target_risk=.2, delta=.1, bound=1.)
    areas = dict(losses=RISK, scores=PLACES)
    table = {
        "CostBased": (CostBased, dict(reject_cost=.2, accept_at_threshold=.5)), "CostBased.solve": of_model(CostBased, .2),
        "BoundedImprovement": (BoundedImprovement, dict(target_risk=.2)), "BoundedImprovement.solve": of_model(BoundedImprovement, .2),
        "BoundedAbstention": (BoundedAbstention, dict(target_coverage=.5)), "BoundedAbstention.solve": of_model(BoundedAbstention, .5),
        "convert": (s.convert, dict(model=BoundedImprovement(.25), kind=CostBased, risk=RISK, weight=WEIGHT)),
        "bayes_predict": (s.bayes_predict, dict(posterior=POSTERIOR, loss=MATRIX)),
        "conditional_risk": (s.conditional_risk, dict(posterior=POSTERIOR, loss=MATRIX, prediction=np.array([0, 1, 1]))),
        "plug_in": (s.plug_in, dict(estimator=FITTED, X=X, loss=MATRIX)),
        "pointwise_loss": (s.pointwise_loss, dict(y=np.array([0, 1, 1]), predictions=np.array([0, 0, 1]), loss=MATRIX, classes=np.array([0, 1]))),
        "risk_coverage_curve": (s.risk_coverage_curve, dict(**areas, ties="index")), "aurc": (s.aurc, dict(**areas, ties="expected")),
        "sele": (s.sele, areas), "aurc_bounds": (s.aurc_bounds, areas),
        "sele_surrogate": (s.sele_surrogate, dict(**areas, base=2., return_gradient=True)),
        "sele_surrogate_hvp": (s.sele_surrogate_hvp, dict(**areas, vector=RISK, base=2.)),
        "ltt": (s.ltt, dict(**certified, thresholds=np.array([60., 80., 99.]))), "sgr": (s.sgr, certified),
        "order_statistic": (s.order_statistic, dict(scores=SCORES, target=.5, delta=.1, side="at least")),
        "certify": (s.certify, dict(model=BoundedImprovement(.2), losses=LOSSES, scores=SCORES, guarantee="ltt", delta=.1, bound=1.,
                                    thresholds=np.array([60., 80., 99.]), assume="every law", groups=None, weights=np.ones(100), weight_bound=1.5)),
        "certified_groups": (s.certified_groups, dict(losses=LOSSES, scores=SCORES, groups=GROUPS, target_risk=.2, delta=.1, bound=1., together=True)),
        "certified_risks": (s.certified_risks, dict(losses={"a": LOSSES, "b": LOSSES}, scores=SCORES, target_risks={"a": .2, "b": .3}, delta=.1, bounds={"a": 1.})),
        "conformal_risk": (s.conformal_risk, dict(losses=LOSSES, scores=SCORES, target_risk=.2, bound=1.)),
        "certified_under_shift": (s.certified_under_shift, dict(losses=LOSSES, scores=SCORES, weights=np.ones(100), weight_bound=1.5, target_risk=.2, delta=.1, bound=1.,
                                                                wrong_by=1.1, random_state=1)),
        "covariate_weights": (s.covariate_weights, dict(X=X[:5], X_old=X[:20], X_new=X[20:], estimator=LogisticRegression(), weight_bound=5.)),
        "selective_metrics": (s.selective_metrics, dict(losses=LOSSES, scores=SCORES, coverages=[.5], risks=[.1], n_bootstrap=2, confidence=.9, random_state=1)),
        "compare_scores": (s.compare_scores, dict(losses=LOSSES, scores=SCORES, other_scores=-SCORES, metric="AUROC", n_bootstrap=3, confidence=.9, random_state=1)),
        "make_selective_scorer": (s.make_selective_scorer, dict(measure="net", penalty=2., empty=0.)),
        "SelectiveScorer.__call__": (lambda X, y, sample_weight: s.make_selective_scorer()(FITTED, X, y, sample_weight), dict(X=X, y=Y, sample_weight=np.ones(40))),
        "RiskCoverageDisplay": (s.RiskCoverageDisplay, dict(coverage=RISK, risk=RISK, name="a", point=(.5, .1))),
        "RiskCoverageDisplay.plot": (lambda ax, name, optimum: s.RiskCoverageDisplay(coverage=RISK, risk=RISK).plot(ax, name=name, optimum=optimum),
                                     dict(ax=AXES, name="a", optimum=True)),
        "fit_temperature": (s.fit_temperature, dict(logits=POSTERIOR, y=np.array([0, 1, 1]))),
        "TemperatureScaling": (trained(s.TemperatureScaling), dict(estimator=FITTED, holdout=.3, random_state=0)),
        "TemperatureScaling.fit": (lambda X, y: s.TemperatureScaling(FITTED).fit(X, y), dict(X=X, y=Y)),
        "ConfidenceScore": (trained(s.ConfidenceScore), dict(estimator=FITTED, learner=LinearRegression(), loss=MATRIX, use_inputs=True)),
        "ConfidenceScore.fit": (lambda X, y: s.ConfidenceScore(FITTED, LinearRegression()).fit(X, y), dict(X=X, y=Y)),
        "ConfidenceScore.predict": (lambda X: s.ConfidenceScore(FITTED, LinearRegression()).fit(globals()["X"], Y).predict(X), dict(X=X)),
        "certified_risk": (s.certified_risk, dict(losses=LOSSES, scores=SCORES, target_risk=.2, delta=.1, bound=1., assume="every law")),
        "RiskMonitor": (s.RiskMonitor, dict(target_risk=.1, delta=.05, horizon=1000, bound=1.)),
        "RiskMonitor.update": (lambda losses: s.RiskMonitor(.1).update(losses), dict(losses=np.array([0., 1.]))),
        "average_ranks": (s.average_ranks, dict(values=TABLE, lower_is_better=True)), "friedman": (s.friedman, dict(values=TABLE, lower_is_better=True)),
        "nemenyi": (s.nemenyi, dict(values=TABLE, alpha=.1, lower_is_better=True)),
        "critical_difference": (s.critical_difference, dict(n_methods=3, n_datasets=11, alpha=.1)),
        "ordinal_certificate": (s.ordinal_certificate, dict(X=X, y=Y, w=np.array([1., 0.]), b=np.array([.1]), C=1., mu=.01)),
        "OrdinalSVM": (trained(s.OrdinalSVM), dict(C=1., tol=1e-3, max_iter=100, time_limit=60.)),
        "MaxClassProbability": (trained(s.MaxClassProbability), dict(estimator=FITTED, loss=MATRIX)),
        "MarginScore": (trained(s.MarginScore), dict(estimator=FITTED, kind="largest")),
        "RegressionScore": (trained(s.RegressionScore), dict(estimator=FITTED, penalty=.1, loss=MATRIX, regressor=None, standardise=True)),
        "TrueClassProbabilityScore": (trained(s.TrueClassProbabilityScore), dict(estimator=FITTED, penalty=.1, regressor=None, standardise=True)),
        "SeleScore": (trained(s.SeleScore), dict(estimator=FITTED, penalty=.1, loss=MATRIX, regressor=None, standardise=True, tol=1e-3, max_iter=50, n_rounds=5, learning_rate=.1)),
        "SelectiveClassifier": (selective, dict(estimator=FITTED, uncertainty=s.MaxClassProbability(), model=BoundedImprovement(.4), guarantee="ltt", delta=.1, loss=None, bound=2.,
                                                score_size=.3, calibration_size=.3, reject_label="?", random_state=0, prefit=False, groups=None)),
        "SelectiveClassifier.fit": (lambda X, y: s.SelectiveClassifier(FITTED).fit(X, y), dict(X=X, y=Y)),
        "SelectiveClassifier.calibrate": (lambda X, y, weights, weight_bound: selective().calibrate(X, y, weights, weight_bound), dict(X=X, y=Y, weights=np.ones(40), weight_bound=1.5)),
        "SelectiveClassifier.score": (lambda X, y, sample_weight: selective().score(X, y, sample_weight), dict(X=X, y=Y, sample_weight=np.ones(40))),
        "SelectiveClassifier.risk_coverage": (lambda X, y: selective().risk_coverage(X, y), dict(X=X, y=Y)),
        "SelectiveClassifier.report": (lambda X, y: selective().report(X, y), dict(X=X, y=Y)),
        "OrdinalSVM.fit": (lambda X, y: s.OrdinalSVM().fit(X, y), dict(X=X, y=Y)),
        "SelectionFunction.__call__": (lambda scores: CostBased(.2).solve(RISK)(scores), dict(scores=PLACES)),
    }
    for method in ("predict", "accept", "predict_uncertainty", "predict_proba", "decision_function"):
        table[f"SelectiveClassifier.{method}"] = (lambda X, method=method: getattr(selective(), method)(X), dict(X=X))
    for method in ("predict", "predict_proba"):
        table[f"TemperatureScaling.{method}"] = (lambda X, method=method: getattr(s.TemperatureScaling(FITTED).fit(globals()["X"], Y), method)(X), dict(X=X))
    for method in ("predict", "latent", "decision_function", "margin"):
        table[f"OrdinalSVM.{method}"] = (lambda X, method=method: getattr(s.OrdinalSVM().fit(globals()["X"], Y), method)(X), dict(X=X))
    for name, kind in {**PLUG_IN, **LEARNED}.items():
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
    ("RiskMonitor.update", "losses", "empty"): "no outcome is no news",
    ("*", "scores", "inf"): SCORE, ("*", "scores", "huge"): SCORE, ("ltt", "thresholds", "huge"): SCORE, ("certify", "thresholds", "huge"): SCORE,
    ("*", "thresholds", "none"): NONE, ("*", "bound", "none"): NONE, ("*", "time_limit", "none"): NONE, ("OrdinalSVM", "time_limit", "huge"): "a long time", ("*", "loss", "none"): NONE, ("*", "estimator", "none"): NONE,
    ("*", "weight", "none"): NONE, ("CostBased.solve", "scores", "none"): NONE,
    ("BoundedImprovement.solve", "scores", "none"): NONE, ("BoundedAbstention.solve", "scores", "none"): NONE,
    ("*", "classes", "none"): NONE, ("*", "prediction", "none"): NONE, ("*", "guarantee", "none"): NONE, ("*", "uncertainty", "none"): NONE,
    ("*", "random_state", "none"): NONE, ("*", "sample_weight", "none"): NONE, ("*", "predictions", "none"): NONE,
    ("*", "weight", "huge"): "weights are taken relative to their sum",
    ("*", "target_risk", "huge"): SIZE, ("*", "reject_cost", "huge"): SIZE, ("*", "bound", "huge"): SIZE, ("*", "penalty", "huge"): SIZE,
    ("*", "base", "huge"): "any base above 1", ("ordinal_certificate", "mu", "huge"): "any positive smoothing gives a sound bound",
    ("*", "values", "huge"): "only the ranks of the values matter",
    ("*", "y", "huge"): LABEL, ("*", "predictions", "huge"): LABEL, ("*", "predictions", "inf"): LABEL,
    ("*", "vector", "huge"): SIZE, ("*", "sample_weight", "huge"): SIZE,
    ("*", "coverages", "empty"): "no working points asked for", ("*", "risks", "empty"): "no working points asked for",
    ("*", "weight_bound", "huge"): "any finite bound is one", ("*", "random_state", "huge"): "any whole number seeds the generator",
    ("*", "other_scores", "inf"): SCORE, ("*", "other_scores", "huge"): SCORE, ("make_selective_scorer", "empty", "nan"): NONE,
    ("make_selective_scorer", "empty", "huge"): SIZE, ("make_selective_scorer", "penalty", "huge"): SIZE, ("RiskCoverageDisplay", "risk", "huge"): SIZE,
    ("RiskCoverageDisplay", "name", "none"): NONE, ("RiskCoverageDisplay", "name", "text"): "any text is a name",
    ("RiskCoverageDisplay", "point", "none"): NONE, ("RiskCoverageDisplay", "point", "huge"): SIZE,
    ("RiskCoverageDisplay.plot", "name", "text"): "any text is a name", ("RiskCoverageDisplay.plot", "name", "none"): NONE,
    ("RiskCoverageDisplay.plot", "ax", "none"): "new axes are made", ("*", "groups", "none"): NONE, ("*", "groups", "huge"): LABEL, ("*", "groups", "inf"): LABEL, ("*", "learner", "none"): NONE,
    ("*", "bounds", "none"): NONE, ("*", "logits", "huge"): SIZE,
    ("covariate_weights", "X", "huge"): "numbers of any size", ("covariate_weights", "X_old", "huge"): "numbers of any size",
    ("covariate_weights", "X_new", "huge"): "numbers of any size",
    ("SelectiveScorer.__call__", "X", "huge"): "the classifier takes numbers of any size",
    ("SelectiveClassifier", "reject_label", "*"): "any number, any text and None may stand for a rejection",
    ("plug_in", "X", "huge"): SIZE,
}
for _name in ("fit", "calibrate", "score", "risk_coverage", "report", "predict", "accept", "predict_uncertainty", "predict_proba", "decision_function"):
    LEGAL[(f"SelectiveClassifier.{_name}", "X", "huge")] = "the classifier takes numbers of any size"
for _name in ("fit", "predict", "predict_proba"):
    LEGAL[(f"TemperatureScaling.{_name}", "X", "huge")] = "the classifier takes numbers of any size"
for _name in ("MaxClassProbability", "MarginScore"):
    LEGAL[(f"{_name}.fit", "X", "huge")] = LEGAL[(f"{_name}.predict", "X", "huge")] = "the classifier takes numbers of any size"
