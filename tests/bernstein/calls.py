"""Every public call of bernstein with valid arguments, and the odd values that are legal."""
import numpy as np

from reject_nb.bernstein import (RobustSVC, UncertainData, UncertainRows, UncertainScaler, certify_linear, nom_err, nu,
                                 opt_err)
from reject_nb.bernstein.advanced.bound_calibration import calibrate_bound

X = np.array([[-2., 0.], [-1., 1.], [1., 0.], [2., 1.]])
Y = np.array([0, 0, 1, 1])
BOUNDS = np.array([.05, .3, .9])
HALF = np.full((4, 2), .5)
GROUPS = [np.array([[0., 1.], [1., 2.], [3., 1.]]), np.array([[4., 1.], [5., 2.], [3., 0.]])]


def _fitted():
    return RobustSVC("SVM").fit(X, Y)


def _calibrated():
    return calibrate_bound(BOUNDS, [False, True, False])


def _box():
    return UncertainData.from_box(X, HALF, distribution="uniform")


def _construct(**parameters):
    """The parameters are checked by fit."""
    return RobustSVC(**parameters).fit(_box(), Y)


def calls():
    known = dict(lower=X - HALF, upper=X + HALF, mean=X, mean_lower=X - .1, mean_upper=X + .1, second_moment=X**2 + .1,
                 covariance=np.full((4, 2), .05), central_moment=np.full((4, 2), .1), nominal=X)
    return {
        "nu": (nu, dict(mean_lower=np.array([-.1, .1]), mean_upper=np.array([.1, .2]), sigma=np.array([.5, .6]))),
        "UncertainData": (UncertainData, known),
        "UncertainData.from_box": (UncertainData.from_box, dict(X=X, half_width=HALF, distribution="uniform")),
        "UncertainData.from_replicates": (UncertainData.from_replicates, dict(groups=GROUPS)),
        "UncertainData.from_samples": (UncertainData.from_samples,
                                       dict(samples=GROUPS, confidence=.9, lower=np.full((2, 2), -1.), upper=np.full((2, 2), 9.))),
        "UncertainData.has": (_box().has, dict(name="mean")),
        "UncertainData.normalised": (_box().normalised, dict(exact=True, second=True)),
        "UncertainData.nu": (_box().nu, dict(exact=True, second=True)),
        "RobustSVC": (_construct, dict(formulation="MM-SMV", C=1., eps=.1, tol=1e-6, max_iter=50, time_limit=60., class_weight={0: 1., 1: 2.})),
        "RobustSVC.fit": (RobustSVC("SVM").fit, dict(X=X, y=Y, sample_weight=np.array([1., 2., 1., 1.]))),
        "RobustSVC.fit_path": (RobustSVC("SVM").fit_path, dict(X=X, y=Y, Cs=[.1, 1.], epss=[.1, .2], sample_weight=np.array([1., 2., 1., 1.]))),
        "RobustSVC.decision_function": (_fitted().decision_function, dict(X=X, rule="mean")),
        "RobustSVC.predict": (_fitted().predict, dict(X=X, rule="mean")),
        "RobustSVC.robust_margin": (_fitted().robust_margin, dict(X=X, y=Y, rule="mean")),
        "RobustSVC.misclassification_bound": (_fitted().misclassification_bound, dict(X=_box(), y=Y, rule="mean")),
        "RobustSVC.calibrate_proba": (_fitted().calibrate_proba, dict(X=X, y=Y)),
        "RobustSVC.predict_proba": (_fitted().calibrate_proba(X, Y).predict_proba, dict(X=X)),
        "UncertainData.scaled": (_box().scaled, dict(shift=np.array([1., 2.]), scale=np.array([1., 2.]))),
        "UncertainData.concatenate": (UncertainData.concatenate, dict(parts=[_box(), _box()])),
        "UncertainScaler": (lambda **p: UncertainScaler(**p).fit(_box()), dict(with_mean=True, with_std=True)),
        "UncertainScaler.fit": (UncertainScaler().fit, dict(X=X, y=Y)),
        "UncertainScaler.transform": (UncertainScaler().fit(X).transform, dict(X=X)),
        "UncertainRows": (lambda data: UncertainRows(data).rows(), dict(data=_box())),
        "UncertainRows.fit": (UncertainRows(_box()).fit, dict(X=[[0, 0], [1, 1]], y=Y)),
        "UncertainRows.transform": (UncertainRows(_box()).transform, dict(X=[[0, 0], [1, 1]])),
        "certify_linear": (certify_linear, dict(coef=[1., 1.], intercept=.5, data=_box(), side=np.array([1., -1., 1., 1.]),
                                                independent=True)),
        "BoundCalibration.bound": (_calibrated().bound, dict(certified=BOUNDS)),
        "BoundCalibration.accepts": (_calibrated().accepts, dict(certified=BOUNDS, risk=.3)),
        "calibrate_bound": (calibrate_bound, dict(certified=BOUNDS, wrong=np.array([False, True, False]), delta=.1, levels=[.1, .5])),
        "nom_err": (nom_err, dict(clf=_fitted(), X=X, y=Y)),
        "opt_err": (opt_err, dict(clf=_fitted(), X=X, y=Y)),
    }


LEGAL = {
    ("nu", "*", "wrong_shape"): "any shapes that broadcast",
    **{("UncertainData", name, "none"): "None: this piece is not known"
       for name in ("mean", "second_moment", "covariance", "central_moment", "nominal")},
    ("UncertainData.from_box", "distribution", "none"): "None: the moments are not known",
    ("UncertainData.from_samples", "lower", "none"): "None: the range of the sample",
    ("UncertainData.from_samples", "upper", "none"): "None: the range of the sample",
    ("certify_linear", "side", "none"): "None: the side of the mean",
    ("RobustSVC", "time_limit", "none"): "None: no limit",
    ("RobustSVC", "class_weight", "none"): "None: 1 each",
    ("RobustSVC.fit", "sample_weight", "none"): "None: 1 each",
    ("RobustSVC.fit_path", "sample_weight", "none"): "None: 1 each",
    ("UncertainScaler.fit", "y", "*"): "not used",
    ("UncertainRows.fit", "y", "*"): "not used",
    ("RobustSVC", "time_limit", "huge"): "a limit that is never reached",
    ("RobustSVC.robust_margin", "y", "none"): "None: the predicted labels",
    ("RobustSVC.misclassification_bound", "y", "none"): "None: the predicted labels",
}
