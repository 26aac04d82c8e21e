"""Every public call of `reject_nb.ood` with valid arguments, for tests/test_bad_calls.py; LEGAL says which strange values are fine, and why."""
import numpy as np
from matplotlib.figure import Figure
from sklearn.linear_model import LogisticRegression

from reject_nb import ood

RNG = np.random.default_rng(0)
MODEL = ood.BoundedTPRFPR(.5, .6)
IS_OOD = [False, False, False, False, True, True]
LOSSES = [0., 1., 0., 0., 0., 0.]
S_R, S_G = [0., 1., 2., 3., 0., 4.], [2., 1., 0., 3., 4., 0.]
PAIR = np.column_stack([S_R, S_G])
P_ID, P_OOD, RISK = [.5, .3, .2], [.1, .2, .7], [.1, .2, .3]
P_JOINT = [[.3, .1], [.2, .4]]
FEATURES, HEAD = RNG.normal(size=(8, 4)), RNG.normal(size=(3, 4))
LOGITS = FEATURES@HEAD.T
LAYER = dict(train_features=FEATURES, weight=HEAD, bias=np.zeros(3))
ROWS = LOGITS.argmax(1)    # labels that are rows of the head
X, Y = RNG.normal(size=(40, 2)) + np.repeat([[0, 0], [4, 0]], 20, axis=0), np.repeat([0, 1], 20)
X_OOD = RNG.normal(size=(20, 2)) + [2, 6]
SELECTOR = ood.DoubleScoreSelector(LogisticRegression(), model=MODEL).fit(X, Y, X_OOD)
TUNED = ood.tune_double_score(LOSSES, S_R, S_G, IS_OOD, MODEL)
CERTIFIED = ood.certify_targets(LOSSES, S_R, IS_OOD, min_tpr=.5)
ANSWERS = ood.certify_answers(np.zeros(60), np.arange(60.), np.zeros(60), .2, .01)
SOLUTION = MODEL.solve(P_ID, P_OOD, RISK)
LAW = ood.synthetic_example(2.)
SAMPLE = LAW.sample(50, 0)
AXES = Figure().subplots()
ood.best_area(PAIR, IS_OOD)    # compiled here, not within the time of a call


def select(estimator=None, **parameters):
    """A selector that was built and fitted."""
    estimator = LogisticRegression() if estimator is None else estimator
    return ood.DoubleScoreSelector(estimator, **parameters).fit(X, Y, X_OOD)


def fitted(kind, **learned_from):
    """A detector that was built and fitted."""
    return lambda **parameters: kind(**parameters).fit(**learned_from)


class Network:
    """As much of a network as is looked at before torch is needed."""
    def eval(self): return self
    def __call__(self, inputs): return inputs


def ask_odin(**arguments):
    """ODIN up to where it needs torch."""
    try: return ood.odin(**arguments)
    except (ImportError, AttributeError): return None


def calls():
    """Name -> (callable, valid keyword arguments)."""
    scored = dict(losses=LOSSES, scores=S_R, is_ood=IS_OOD)
    pair = dict(losses=LOSSES, s_r=S_R, s_g=S_G, is_ood=IS_OOD, model=MODEL)
    law = dict(p_id=P_ID, p_ood=P_OOD, risk=RISK)
    precision = ood.BoundedPrecisionRecall(.6, .5, .3)
    cost = ood.CostBasedOOD(.3, 1., 0., .25)
    return {
        "score_on_line": (ood.score_on_line, dict(s_r=S_R, s_g=S_G, angle=.5)),
        "likelihood_ratio": (ood.likelihood_ratio, dict(p_id=P_ID, p_ood=P_OOD)),
        "bayes_classifier": (ood.bayes_classifier, dict(p_joint=P_JOINT, loss=[[0., 1.], [1., 0.]])),
        "decide": (ood.decide, dict(p_joint=P_JOINT, p_ood=[.4, .6], prior=.3, loss=[[0., 1., .3], [1., 0., .3], [1., 1., 0.]])),
        "boundary_acceptance": (ood.boundary_acceptance, dict(p_id=P_ID, p_ood=P_OOD, min_tpr=.5, max_fpr=.9, mu=.2)),
        "CostBasedOOD": (ood.CostBasedOOD, dict(reject_id=.3, accept_ood=1., reject_ood=.1, prior=.25)),
        "CostBasedOOD.solve": (cost.solve, law),
        "CostBasedOOD.cost": (cost.cost, dict(tpr=.5, fpr=.2, lost=.1)),
        "CostBasedOOD.solve_joint": (cost.solve_joint, dict(p_joint=P_JOINT, p_ood=[.4, .6], loss=[[0., 1.], [1., 0.]])),
        "BoundedTPRFPR": (ood.BoundedTPRFPR, dict(min_tpr=.5, max_fpr=.6)),
        "BoundedTPRFPR.solve": (MODEL.solve, law),
        "BoundedTPRFPR.as_cost_based": (MODEL.as_cost_based, dict(solution=SOLUTION, prior=.3)),
        "BoundedPrecisionRecall": (ood.BoundedPrecisionRecall, dict(min_precision=.6, min_recall=.5, prior=.3)),
        "BoundedPrecisionRecall.solve": (precision.solve, law),
        "BoundedPrecisionRecall.beta": (precision.beta, dict(prior=.3)),
        "BoundedPrecisionRecall.as_tpr_fpr": (precision.as_tpr_fpr, {}),
        "OODSolution.score": (SOLUTION.score, dict(risk=RISK, ratio=[.2, .7, 3.5])),
        "tune_single_score": (ood.tune_single_score, dict(scored, model=MODEL)),
        "tune_double_score": (ood.tune_double_score, dict(pair, method="certified", n_angles=5, upper=1., max_arcs=50, time_limit=60.)),
        "naive_grid": (ood.naive_grid, dict(pair, angles=[0., .7, 1.5])),
        "selective_risk_at": (ood.selective_risk_at, dict(scored, model=MODEL)),
        "TunedOOD.accept": (TUNED.accept, dict(s_r=S_R, s_g=S_G)),
        "roc_curve": (ood.roc_curve, dict(scores=PAIR, is_ood=IS_OOD, n_angles=5)),
        "precision_recall_curve": (ood.precision_recall_curve, dict(scores=PAIR, is_ood=IS_OOD, prior=.3, positive="id", n_angles=5)),
        "ccr_fpr_curve": (ood.ccr_fpr_curve, dict(losses=LOSSES, scores=PAIR, is_ood=IS_OOD, convention="joint", n_angles=5)),
        "auroc": (ood.auroc, dict(scores=PAIR, is_ood=IS_OOD, double="envelope", n_angles=5)),
        "aupr": (ood.aupr, dict(scores=PAIR, is_ood=IS_OOD, prior=.3, positive="id", interpolation="step", double="envelope", n_angles=5)),
        "oscr": (ood.oscr, dict(losses=LOSSES, scores=PAIR, is_ood=IS_OOD, convention="joint", double="envelope", n_angles=5)),
        "best_area": (ood.best_area, dict(scores=PAIR, is_ood=IS_OOD, losses=LOSSES, tol=.1, max_arcs=20)),
        "certify_targets": (ood.certify_targets, dict(scored, min_tpr=.4, max_fpr=.9, target_risk=.8, delta=.3, bound=1.)),
        "CertifiedOOD.accept": (CERTIFIED.accept, dict(scores=S_R)),
        "certify_answers": (ood.certify_answers, dict(scored, target=.5, foreign_share=.1, delta=.3, bound=1.)),
        "CertifiedAnswers.accept": (ANSWERS.accept, dict(scores=S_R)),
        "CertifiedAnswers.curve": (ANSWERS.curve, dict(shares=[0., .1, 1.])),
        "msp": (ood.msp, dict(logits=LOGITS)),
        "mls": (ood.mls, dict(logits=LOGITS)),
        "KNN": (fitted(ood.KNN, train_features=FEATURES), dict(k=2, normalize=True)),
        "KNN.fit": (ood.KNN(2).fit, dict(train_features=FEATURES)),
        "KNN.score": (ood.KNN(2).fit(FEATURES).score, dict(features=FEATURES)),
        "ReAct": (fitted(ood.ReAct, **LAYER), dict(percentile=90.)),
        "ReAct.fit": (ood.ReAct().fit, LAYER),
        "ReAct.score": (ood.ReAct().fit(**LAYER).score, dict(features=FEATURES)),
        "ViM": (fitted(ood.ViM, **LAYER), dict(dim=2)),
        "ViM.fit": (ood.ViM().fit, LAYER),
        "ViM.score": (ood.ViM().fit(**LAYER).score, dict(features=FEATURES)),
        "odin": (ask_odin, dict(model=Network(), inputs=FEATURES, temperature=10., noise=.01, std=1., batch=4)),
        "report": (ood.report, dict(losses=LOSSES, scores={"A": S_R}, is_ood=IS_OOD, model=MODEL, areas=False)),
        "ood_metrics": (ood.ood_metrics, dict(scores=S_R, is_ood=IS_OOD, right=IS_OOD, tpr=.9, fpr=.1, n_boot=2, level=.9, random_state=0)),
        "compare_detectors": (ood.compare_detectors, dict(scores_a=S_R, scores_b=S_G, is_ood=IS_OOD, level=.9)),
        "RocDisplay": (ood.RocDisplay, dict(fpr=[0., 1.], tpr=[0., 1.], auroc=.5, name="one")),
        "RocDisplay.plot": (ood.RocDisplay(fpr=[0., 1.], tpr=[0., 1.]).plot, dict(ax=AXES)),
        "ScorePlaneDisplay.plot": (ood.ScorePlaneDisplay(s_r=S_R, s_g=S_G, kind=["right", "wrong", "OOD"]*2).plot, dict(ax=AXES)),
        "RocDisplay.from_predictions": (ood.RocDisplay.from_predictions, dict(scores=S_R, is_ood=IS_OOD)),
        "ScorePlaneDisplay": (ood.ScorePlaneDisplay, dict(s_r=S_R, s_g=S_G, kind=["right", "wrong", "OOD"]*2, angle=.5, threshold=1.)),
        "ScorePlaneDisplay.from_predictions": (ood.ScorePlaneDisplay.from_predictions, dict(losses=LOSSES, s_r=S_R, s_g=S_G, is_ood=IS_OOD)),
        "energy": (ood.energy, dict(logits=LOGITS, temperature=1.)),
        "gen": (ood.gen, dict(logits=LOGITS, gamma=.1, top=2)),
        "scale": (ood.scale, dict(features=np.abs(FEATURES), weight=HEAD, bias=np.zeros(3), percentile=50.)),
        "DICE": (fitted(ood.DICE, **LAYER), dict(share=.5)),
        "DICE.fit": (ood.DICE().fit, LAYER),
        "DICE.score": (ood.DICE().fit(**LAYER).score, dict(features=FEATURES)),
        "RelativeMahalanobis": (fitted(ood.RelativeMahalanobis, train_features=FEATURES, train_labels=ROWS), dict(ridge=1e-3)),
        "RelativeMahalanobis.fit": (ood.RelativeMahalanobis().fit, dict(train_features=FEATURES, train_labels=ROWS)),
        "RelativeMahalanobis.score": (ood.RelativeMahalanobis().fit(FEATURES, ROWS).score, dict(features=FEATURES)),
        "LearnedRatio": (fitted(ood.LearnedRatio, X_id=X, X_mixed=X_OOD), dict(classifier=LogisticRegression(), share=.3)),
        "LearnedRatio.fit": (ood.LearnedRatio(LogisticRegression()).fit, dict(X_id=X, X_mixed=X_OOD)),
        "LearnedRatio.score": (ood.LearnedRatio(LogisticRegression()).fit(X, X_OOD).score, dict(X=X)),
        "plug_in_score": (ood.plug_in_score, dict(s_r=RISK, s_g=P_OOD, reject_cost=.2, accept_cost=.3)),
        "DoubleScoreSelector": (select, dict(estimator=LogisticRegression(), risk_score="msp", ood_score="knn", model=MODEL, guarantee=False,
                                             delta=.1, reject_label="auto", random_state=0, prefit=False)),
        "DoubleScoreSelector.fit": (ood.DoubleScoreSelector(LogisticRegression(), model=MODEL).fit, dict(X=X, y=Y, X_ood=X_OOD)),
        "DoubleScoreSelector.accept": (SELECTOR.accept, dict(X=X)),
        "DoubleScoreSelector.predict": (SELECTOR.predict, dict(X=X)),
        "DoubleScoreSelector.score": (SELECTOR.score, dict(X=X, y=Y, sample_weight=None)),
        "DoubleScoreSelector.predict_proba": (SELECTOR.predict_proba, dict(X=X)),
        "DoubleScoreSelector.decision_function": (SELECTOR.decision_function, dict(X=X)),
        "synthetic_example": (ood.synthetic_example, dict(ood_mean=2., ood_variance=.2, prior=.25)),
        "SyntheticExample.sample": (LAW.sample, dict(n=20, random_state=0)),
        "SyntheticSample.scores": (SAMPLE.scores, dict(method="A")),
    }


INFINITE = "an infinite score means: reject"
LARGE = "any finite number will do"
LEGAL = {
    **{(call, name, "inf"): INFINITE for call in (
        "score_on_line", "tune_double_score", "naive_grid", "TunedOOD.accept") for name in ("s_r", "s_g")},
    **{(call, "scores", "inf"): INFINITE for call in (
        "tune_single_score", "selective_risk_at", "roc_curve", "precision_recall_curve", "ccr_fpr_curve", "auroc", "aupr", "oscr", "best_area",
        "certify_targets", "CertifiedOOD.accept", "certify_answers", "CertifiedAnswers.accept")},
    ("OODSolution.score", "ratio", "inf"): "the likelihood ratio is infinite where an input is never ID",
    **{("*", name, "huge"): LARGE for name in (
        "s_r", "s_g", "scores", "losses", "risk", "ratio", "p_ood", "p_id", "loss", "mu", "reject_id", "accept_ood", "lost", "logits",
        "train_features", "bias", "weight", "tol", "target_risk", "bound", "ood_mean", "ood_variance")},
    ("bayes_classifier", "loss", "none"): "0/1 loss", ("CostBasedOOD.solve_joint", "loss", "none"): "0/1 loss",
    ("BoundedTPRFPR.solve", "p_ood", "none"): "no OOD inputs",
    ("*", "prior", "none"): "the model's own, or that of the sample",
    ("tune_double_score", "max_arcs", "none"): "no limit",
    ("tune_double_score", "time_limit", "none"): "no limit", ("tune_double_score", "time_limit", "huge"): "a very long time",
    ("best_area", "losses", "none"): "AUROC is wanted",
    **{("certify_targets", name, "none"): "not asked for" for name in ("min_tpr", "max_fpr", "target_risk")},
    **{(call, "bound", "none"): "losses are at most 1" for call in ("certify_targets", "certify_answers")},
    **{(call, "scores", "empty"): "no inputs, no answers" for call in ("CertifiedOOD.accept", "CertifiedAnswers.accept")},
    ("certify_answers", "target", "huge"): LARGE, ("CertifiedAnswers.curve", "shares", "none"): "every percent up to 50",
    ("DoubleScoreSelector.accept", "X", "empty"): "no inputs, no answers",
    ("DoubleScoreSelector.predict", "X", "empty"): "no inputs, no answers",
    ("DoubleScoreSelector.fit", "X_ood", "none"): "none at hand: tuned for errors alone",
    ("DoubleScoreSelector.score", "sample_weight", "none"): "equal weights", ("DoubleScoreSelector.score", "y", "huge"): "a label may be any number",
    **{(f"DoubleScoreSelector.{name}", "X", "huge"): LARGE for name in ("predict_proba", "decision_function")},
    ("ViM", "dim", "none"): "half of the features",
    ("ood_metrics", "right", "none"): "not known", ("ood_metrics", "fpr", "empty"): "no CCR is asked for", ("ood_metrics", "random_state", "none"): "fresh entropy",
    ("ood_metrics", "random_state", "huge"): "a seed may have any size", ("ood_metrics", "scores", "inf"): INFINITE,
    **{("compare_detectors", name, kind): why for name in ("scores_a", "scores_b") for kind, why in (("inf", INFINITE), ("huge", LARGE))},
    ("RocDisplay.from_predictions", "scores", "inf"): INFINITE, ("ScorePlaneDisplay", "threshold", "inf"): "accepts all: no line",
    **{("RocDisplay", name, "none"): "not shown" for name in ("auroc", "name")}, ("RocDisplay", "name", "text"): "any text",
    **{("ScorePlaneDisplay", name, "none"): "no line" for name in ("angle", "threshold")},
    **{("ScorePlaneDisplay", name, "huge"): LARGE for name in ("angle", "threshold")},
    **{(call, "ax", "none"): "new axes" for call in ("RocDisplay.plot", "ScorePlaneDisplay.plot")},
    ("gen", "top", "none"): "all classes", ("LearnedRatio", "share", "none"): "unknown", ("LearnedRatio", "classifier", "none"): "randomised trees",
    **{(call, name, "huge"): LARGE for call, name in (
        ("energy", "temperature"), ("gen", "gamma"), ("RelativeMahalanobis", "ridge"),
        ("LearnedRatio.fit", "X_id"), ("LearnedRatio.fit", "X_mixed"), ("LearnedRatio.score", "X"))},
    **{("RelativeMahalanobis.fit", "train_labels", kind): "a label may be any number" for kind in ("huge", "inf")},
    ("DoubleScoreSelector", "estimator", "none"): "the call above puts logistic regression in its place",
    ("DoubleScoreSelector", "model", "none"): "the targets .8 and .2", ("DoubleScoreSelector", "reject_label", "*"): "text, numbers and None are labels",
    ("DoubleScoreSelector", "random_state", "none"): "fresh entropy", ("SyntheticExample.sample", "random_state", "none"): "fresh entropy",
    ("SyntheticExample.sample", "random_state", "huge"): "a seed may have any size", ("odin", "*", "huge"): LARGE,
    ("odin", "inputs", "wrong_shape"): "the network says what it takes",
}
