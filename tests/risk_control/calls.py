"""Every public call of reject_nb.risk_control with valid arguments, and the values that look bad and are not."""
import numpy as np
from sklearn.linear_model import LogisticRegression

import reject_nb.risk_control as r
from reject_nb.core.results import Status
from reject_nb.strategies import BoundedAbstention, BoundedImprovement

SIGNS = np.array([1., -1.]*6)
PLANE = np.random.default_rng(1).normal(size=(12, 2))-SIGNS[:, None]
LOSSES = np.array([0.]*70 + [1., 0.]*15)
SCORES = np.arange(100.)
GROUPS = np.array(["a", "b"])[np.arange(100) % 2]
UNITS, PAIRS = np.arange(100) % 50, np.arange(40)//2
X = np.random.default_rng(0).normal(size=(40, 2))
Y = (X[:, 0] + .3*X[:, 1] > 0).astype(int)
FITTED = LogisticRegression().fit(X, Y)
MATRIX = np.array([[0., 1.], [2., 0.]])
RISK, PLACES = np.array([.1, .2, .3, .4]), np.array([1., 2., 3., 4.])
HALF = r.SelectionFunction(threshold=.2, accept_at_threshold=.5, coverage=.5, selective_risk=.1, status=Status.optimal, message="")

CLASSIFIERS = r.CascadeClassifier([("linear", FITTED)], target=.9, prefit=True, random_state=0).fit(X, Y)
CASCADE = r.certify_cascade([LOSSES, 0*LOSSES], [SCORES, SCORES], target=.2, delta=.1)


def _pair(X): return PAIRS[:len(X)]


def trained(kind):
    """A constructor that fits, so that parameters are looked at."""
    return lambda **parameters: kind(**parameters).fit(X, Y)


def selective(**parameters):
    """A selective classifier that is fitted."""
    return r.SelectiveClassifier(**{"estimator": FITTED, "model": BoundedAbstention(.5), **parameters}).fit(X, Y)


def _region(kind, name):
    """A method of a fresh estimator: each call starts from the same state."""
    return lambda **arguments: getattr(kind(random_state=0).fit(PLANE, SIGNS), name)(**arguments)


def calls():
    """Name -> (callable, valid keyword arguments)."""
    certified = dict(losses=LOSSES, scores=SCORES, target_risk=.2, delta=.1, bound=1.)
    table = {
        "ltt": (r.ltt, dict(**certified, thresholds=np.array([60., 80., 99.]))), "sgr": (r.sgr, certified),
        "certified_risk": (r.certified_risk, certified), "certified_single_crossing": (r.certified_single_crossing, certified),
        "order_statistic": (r.order_statistic, dict(scores=SCORES, target=.5, delta=.1, side="at least")),
        "certify": (r.certify, dict(model=BoundedImprovement(.2), losses=LOSSES, scores=SCORES, guarantee="ltt", delta=.1, bound=1.,
                                    thresholds=np.array([60., 80., 99.]), groups=None, weights=np.ones(100), weight_bound=1.5, unit=None, cheap=None, labelled=None, rate=None)),
        "certified_groups": (r.certified_groups, dict(losses=LOSSES, scores=SCORES, groups=GROUPS, target_risk=.2, delta=.1, bound=1., together=True)),
        "certified_units": (r.certified_units, dict(losses=LOSSES, scores=SCORES, unit=UNITS, target_risk=.2, delta=.1, bound=1.)),
        "certified_with_judge": (r.certified_with_judge, dict(losses=LOSSES, scores=SCORES, cheap=LOSSES, labelled=SCORES % 10 != 5, rate=.9, target_risk=.2, delta=.1, bound=1.)),
        "unit_means": (r.unit_means, dict(losses=LOSSES, unit=UNITS, answered=SCORES < 50)),
        "units_agree": (r.units_agree, dict(losses=LOSSES, unit=UNITS)),
        "certified_risks": (r.certified_risks, dict(losses={"a": LOSSES, "b": LOSSES}, scores=SCORES, target_risks={"a": .2, "b": .3}, delta=.1, bounds={"a": 1.})),
        "conformal_risk": (r.conformal_risk, dict(losses=LOSSES, scores=SCORES, target_risk=.2, bound=1.)),
        "certified_under_shift": (r.certified_under_shift, dict(losses=LOSSES, scores=SCORES, weights=np.ones(100), weight_bound=1.5, target_risk=.2, delta=.1, bound=1.,
                                                                wrong_by=1.1, random_state=1)),
        "covariate_weights": (r.covariate_weights, dict(X=X[:5], X_old=X[:20], X_new=X[20:], estimator=LogisticRegression(), weight_bound=5.)),
        "certify_cascade": (r.certify_cascade, dict(losses=[LOSSES, 0*LOSSES], scores=[SCORES, SCORES], costs=[1., 2.], target=.2, delta=.1, capacity=[None, .9],
                                                    coverage=.5, budget=None, reject_cost=None, learn=.2, also=[dict(target=.3)], random_state=0,
                                                    names=["small", "large"], unit=None)),
        "certify_cascade, units": (r.certify_cascade, dict(losses=[LOSSES, 0*LOSSES], scores=[SCORES, SCORES], unit=UNITS)),
        "CascadeClassifier": (trained(r.CascadeClassifier), dict(stages=[("linear", FITTED)], target=.4, costs=[1.], delta=.1, capacity=[None], coverage=.5, budget=None, reject_cost=None,
                                                                 calibration_size=.5, learn=.2, reject_label="auto", prefit=False, random_state=0,
                                                                 n_candidates=2, unit=_pair)),
        "CascadeClassifier.fit": (r.CascadeClassifier([("linear", FITTED)], random_state=0).fit, dict(X=X, y=Y, sample_weight=np.ones(40), unit=PAIRS)),
        "CascadeClassifier.get_params": (CLASSIFIERS.get_params, dict(deep=True)),
        "CascadeClassifier.set_params": (lambda **params: r.CascadeClassifier([("linear", FITTED)]).set_params(**params), dict(linear__C=1.)),
        **{f"CascadeClassifier.{name}": (getattr(CLASSIFIERS, name), dict(X=X)) for name in ("predict", "predict_stage", "accept")},
        "CascadeClassifier.report": (CLASSIFIERS.report, dict(X=X, y=Y, unit=PAIRS)),
        "CascadeClassifier.score": (CLASSIFIERS.score, dict(X=X, y=Y, sample_weight=np.ones(40))),
        "CascadeClassifier.calibrate": (r.CascadeClassifier([("linear", FITTED)], prefit=True).fit(X, Y).calibrate, dict(X=X, y=Y, unit=PAIRS)),
        "CascadeRule.stage": (CASCADE.stage, dict(scores=[SCORES, SCORES])), "CascadeRule.system_score": (CASCADE.system_score, dict(scores=[SCORES, SCORES])),
        "CascadeRule.of_dict": (r.CascadeRule.of_dict, dict(content=CASCADE.to_dict())),
        "CascadeRule.answer": (CASCADE.answer, dict(functions=[lambda x: (x, np.zeros(len(x)))]*2, X=SCORES)),
        "RiskMonitor": (r.RiskMonitor, dict(target_risk=.1, delta=.05, horizon=1000, bound=1.)),
        "RiskMonitor.update": (lambda losses, waits=None: r.RiskMonitor(.1).update(losses, waits), dict(losses=np.array([0., 1.]), waits=np.array([True, False]))),
        "RiskMonitor.complete": (lambda places, losses: r.RiskMonitor(.1).update([0, 0, 0], [0, 1, 1]).complete(places, losses), dict(places=np.array([2, 1]), losses=np.array([0., 1.]))),
        "score_reference": (r.score_reference, dict(scores=SCORES, groups=np.arange(len(SCORES)) % 2)),
        "InputMonitor": (r.InputMonitor, dict(reference=r.score_reference(np.arange(50.)), delta=.05, horizon=1000)),
        "InputMonitor.update": (lambda scores, groups=None: r.InputMonitor(r.score_reference(np.arange(50.))).update(scores, groups),
                                dict(scores=np.array([1., 2.]), groups=np.array(["a", "b"]))),
        "calibrate_offset": (r.calibrate_offset, dict(scores=PLANE[:, 0], y=SIGNS, rule="both_rates", eps=.5, delta=.5, reference=0., eps_safe=.6,
                                                      safe_label=1., high_is_safe=False, rules=r.RULES)),
        "CalibratedRegion": (lambda **p: r.CalibratedRegion(**p).fit(PLANE, SIGNS),
                             dict(estimator=LogisticRegression(), rule="both_rates", eps=.5, delta=.5, eps_safe=.5, calibration_share=.5,
                                  prefit=False, safe_label=1., random_state=0, reference=0.)),
        "CalibratedRegion.fit": (r.CalibratedRegion(random_state=0).fit, dict(X=PLANE, y=SIGNS, sample_weight=np.arange(1., 13.))),
        "RegionPerClass": (lambda **p: r.RegionPerClass(**p).fit(PLANE, SIGNS),
                           dict(estimator=LogisticRegression(), eps=.2, delta=.2, calibration_share=.5, random_state=0)),
        "RegionPerClass.fit": (r.RegionPerClass(random_state=0).fit, dict(X=PLANE, y=SIGNS, sample_weight=np.arange(1., 13.))),
        **{f"{kind.__name__}.{name}": (_region(kind, name), dict(X=PLANE)) for kind, names in (
            (r.CalibratedRegion, ("safe_score", "decision_function", "predict")),
            (r.RegionPerClass, ("decision_function", "predict", "predict_regions"))) for name in names},
        "SelectionFunction.__call__": (lambda scores: HALF(scores), dict(scores=SCORES)),
        "pointwise_loss": (r.pointwise_loss, dict(y=np.array([0, 1, 1]), predictions=np.array([0, 0, 1]), loss=MATRIX, classes=np.array([0, 1]))),
        "risk_coverage_curve": (r.risk_coverage_curve, dict(losses=RISK, scores=PLACES, ties="index")),
        "make_selective_scorer": (r.make_selective_scorer, dict(measure="net", penalty=2., empty=0.)),
        "SelectiveScorer.__call__": (lambda X, y, sample_weight: r.make_selective_scorer()(FITTED, X, y, sample_weight), dict(X=X, y=Y, sample_weight=np.ones(40))),
        "MaxClassProbability": (trained(r.MaxClassProbability), dict(estimator=FITTED, loss=MATRIX)),
        "MarginScore": (trained(r.MarginScore), dict(estimator=FITTED, kind="largest")),
        "SelectiveClassifier": (selective, dict(estimator=FITTED, uncertainty=r.MaxClassProbability(), model=BoundedImprovement(.4), guarantee="ltt", delta=.1, loss=None, bound=2.,
                                                score_size=.3, calibration_size=.3, reject_label="?", random_state=0, prefit=False, groups=None, n_candidates=2, unit=None)),
        "SelectiveClassifier.fit": (lambda X, y, unit: r.SelectiveClassifier(FITTED, model=BoundedImprovement(.4)).fit(X, y, unit=unit), dict(X=X, y=Y, unit=PAIRS)),
        "SelectiveClassifier.calibrate": (lambda X, y, weights, weight_bound, unit: selective(model=BoundedImprovement(.4)).calibrate(X, y, weights, weight_bound, unit), dict(X=X, y=Y, weights=np.ones(40), weight_bound=1.5, unit=None)),
        "SelectiveClassifier.score": (lambda X, y, sample_weight: selective().score(X, y, sample_weight), dict(X=X, y=Y, sample_weight=np.ones(40))),
        "SelectiveClassifier.risk_coverage": (lambda X, y: selective().risk_coverage(X, y), dict(X=X, y=Y)),
        "SelectiveClassifier.report": (lambda X, y, unit: selective().report(X, y, unit), dict(X=X, y=Y, unit=PAIRS)),
    }
    for method in ("predict", "accept", "predict_uncertainty", "predict_proba", "decision_function"):
        table[f"SelectiveClassifier.{method}"] = (lambda X, method=method: getattr(selective(), method)(X), dict(X=X))
    for name, kind in {"MaxClassProbability": r.MaxClassProbability, "MarginScore": r.MarginScore}.items():
        table[f"{name}.fit"] = (lambda X, y, kind=kind: kind(FITTED).fit(X, y), dict(X=X, y=Y))
        table[f"{name}.predict"] = (lambda X, kind=kind: kind(FITTED).fit(globals()["X"], Y).predict(X), dict(X=X))
    return table


NONE = "the documented default"
SCORE, LABEL = "a score may be infinite, or as large as it likes: only the order matters", "any number is a label"
SIZE = "any finite size is a legal one"
LEGAL = {
    ("certify_cascade", "losses", "nan"): "a loss that is not known", ("certify_cascade", "costs", "none"): "None: 1 each",
    ("certify_cascade", "costs", "huge"): "a price of any size", ("certify_cascade", "capacity", "none"): "None: no limits",
    ("certify_cascade", "coverage", "none"): "None: as much as possible", ("certify_cascade", "names", "none"): "None: numbers", ("certify_cascade", "also", "empty"): "no other rules",
    **{(name, wanted, "none"): "None: not what is wanted" for name in ("certify_cascade", "CascadeClassifier") for wanted in ("budget", "reject_cost")},
    ("CascadeClassifier", "costs", "none"): "None: 1 each", ("CascadeClassifier", "costs", "huge"): "a price of any size",
    ("CascadeClassifier", "capacity", "none"): "None: no limits", ("CascadeClassifier", "coverage", "none"): "None: as much as possible",
    ("CascadeClassifier.get_params", "*", "*"): "as scikit-learn takes it", ("CascadeClassifier.set_params", "*", "*"): "as in scikit-learn, fit looks at parameters",
    **{("CascadeClassifier", "reject_label", kind): "a label of the user's choice" for kind in ("none", "text", "nan", "inf", "complex", "huge")},
    **{(f"CascadeClassifier.{name}", "X", "huge"): "the classifiers judge their inputs" for name in ("fit", "predict", "predict_stage", "accept", "report", "score", "calibrate")},
    **{("CascadeRule.answer", "X", kind): "the functions judge their inputs"
       for kind in ("nan", "inf", "empty", "wrong_shape", "complex", "masked", "huge", "ragged")},
    ("calibrate_offset", "rules", "none"): "None: the rules of this module",
    ("CalibratedRegion", "reference", "none"): "None: the middle of the scores",
    ("CalibratedRegion", "reference", "huge"): "any score fixed before the calibration",
    ("calibrate_offset", "eps_safe", "none"): "None: as eps", ("calibrate_offset", "safe_label", "none"): "None: labels are +1 and -1",
    ("calibrate_offset", "y", "inf"): "labels of any kind", ("calibrate_offset", "reference", "huge"): "any offset fixed before the calibration",
    ("CalibratedRegion", "eps_safe", "none"): "None: as eps", ("CalibratedRegion", "safe_label", "none"): "None: the last label in sorted order",
    ("*", "sample_weight", "none"): "None: 1 each", ("*", "sample_weight", "huge"): "the estimator judges the weights of its points",
    **{(f"{kind}.{name}", "X", "huge"): "numbers of any size: the estimator judges them" for kind, names in (
        ("CalibratedRegion", ("safe_score", "decision_function", "predict")),
        ("RegionPerClass", ("decision_function", "predict", "predict_regions"))) for name in names},
    ("RiskMonitor.update", "waits", "none"): "None: all are known", ("InputMonitor.update", "scores", "empty"): "no input is no news",
    ("*", "scores", "inf"): SCORE, ("*", "scores", "huge"): SCORE, ("ltt", "thresholds", "huge"): SCORE, ("certify", "thresholds", "huge"): SCORE,
    ("*", "thresholds", "none"): NONE, ("*", "bound", "none"): NONE, ("*", "estimator", "none"): NONE,
    ("*", "random_state", "none"): NONE, ("*", "bounds", "none"): NONE,
    ("*", "target_risk", "huge"): SIZE, ("*", "bound", "huge"): SIZE,
    ("*", "weight_bound", "huge"): "any finite bound is one", ("*", "random_state", "huge"): "any whole number seeds the generator",
    ("unit_means", "answered", "none"): NONE,
    ("units_agree", "losses", "huge"): SIZE, ("unit_means", "losses", "huge"): SIZE,
    **{("certify", name, "none"): NONE for name in ("unit", "cheap", "labelled", "rate")},
    **{(name, "unit", "none"): NONE for name in ("certify_cascade, units", "CascadeClassifier", "CascadeClassifier.fit", "CascadeClassifier.calibrate", "CascadeClassifier.report",
                                                 "SelectiveClassifier.fit", "SelectiveClassifier.report")},
    ("*", "groups", "none"): NONE, ("*", "groups", "huge"): LABEL, ("*", "groups", "inf"): LABEL,
    ("covariate_weights", "X", "huge"): "numbers of any size", ("covariate_weights", "X_old", "huge"): "numbers of any size",
    ("covariate_weights", "X_new", "huge"): "numbers of any size",
    ("*", "loss", "none"): NONE, ("*", "classes", "none"): NONE, ("*", "uncertainty", "none"): NONE,
    ("*", "y", "huge"): LABEL, ("SelectiveClassifier", "guarantee", "none"): NONE,
    ("make_selective_scorer", "empty", "nan"): NONE, ("make_selective_scorer", "empty", "huge"): SIZE, ("make_selective_scorer", "penalty", "huge"): SIZE,
    ("SelectiveScorer.__call__", "X", "huge"): "the classifier takes numbers of any size",
    ("SelectiveClassifier", "reject_label", "*"): "any number, any text and None may stand for a rejection",
}
for _name in ("fit", "calibrate", "score", "risk_coverage", "report", "predict", "accept", "predict_uncertainty", "predict_proba", "decision_function"):
    LEGAL[(f"SelectiveClassifier.{_name}", "X", "huge")] = "the classifier takes numbers of any size"
for _name in ("MaxClassProbability", "MarginScore"):
    LEGAL[(f"{_name}.fit", "X", "huge")] = LEGAL[(f"{_name}.predict", "X", "huge")] = "the classifier takes numbers of any size"
