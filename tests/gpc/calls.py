"""Every public call of reject_nb.gpc with valid arguments, for tests/test_bad_calls.py."""
import os
import tempfile

import numpy as np

from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF

from reject_nb.gpc import (Ball, CertifiedGPClassifier, Constant, GPPosterior, KernelPosterior, Linear, Matern12, Matern32,
                           Matern52, MulticlassPosterior, OneVsRestPosterior, Product, RationalQuadratic,
                           SquaredExponential, Sum, White, accuracy_curve, certified_radius, certify_many, classification_range, fit_gpc,
                           fit_multiclass_gpc, gpfgs, interpretability, is_safe, minimal_perturbation, posterior_from_gpflow,
                           posterior_from_gpy, posterior_from_gpytorch, posterior_from_sklearn, regression_range, regression_ranges, robustness)
from reject_nb.gpc.experiments.library_models import stored_model

X = np.array([[0., 0.], [2., 0.], [0., 2.]])
POST = GPPosterior(X, [1., -1., .5], [.3, .3, .2], [1., 1.5], 2.)
CLASSES = MulticlassPosterior(X, np.eye(3) - 1/3, np.full((3, 3), 1/3), 1.5, 4.)
SKLEARN = GaussianProcessClassifier(2.*RBF([1., 1.5]), optimizer=None).fit(X, [0, 1, 0])
FLOW, TORCH = stored_model("gpflow", "svgp"), stored_model("gpytorch", "svgp")
FIXED = dict(inference="laplace", max_evaluations=0, likelihood="probit", ard=True, lengthscale=np.array([1., 1.5]), variance=2., reject_label="?")
CLASSIFIER = CertifiedGPClassifier(**FIXED).fit(X, [0, 1, 0])
KERNEL = SquaredExponential(2., 1.)
KERNELS = KernelPosterior(KERNEL, X, [1., -1., .5], np.eye(3)/4)
EVERY_KERNEL = [KERNEL, Matern12(2., 1.), Matern32(2., 1.), Matern52(2., 1.), RationalQuadratic(2., 1., 1.), Linear(2.), Constant(2.), White(2.),
                Sum((KERNEL, Linear(1.))), Product((KERNEL, Linear(1.)))]
SHARES = OneVsRestPosterior((KERNELS, KERNELS), ["a", "b"])
KEPT = tempfile.TemporaryDirectory(prefix="gpc-calls-")   # goes with the process
FOLDER = KEPT.name


STANDS = "stands for a model"


def from_gpy(importer):
    """An import of a GPy model, which is not fitted here."""
    return lambda model, classes: importer(_Gpy() if isinstance(model, str) and model == STANDS else model, classes)


class _Gpy:
    """A sparse model of GPy with one inducing point, as far as an import reads it."""
    X = Z = np.zeros((1, 2))
    Y, mean_function, normalizer = np.ones((1, 1)), None, None
    kern = type("Bias", (), {"variance": 2.})()
    likelihood = type("Bernoulli", (), {"gp_link": type("Probit", (), {})()})()
    posterior = type("Posterior", (), {"woodbury_vector": np.zeros((1, 1)), "woodbury_inv": np.zeros((1, 1))})()
    inference_method = None

    def _raw_predict(self, P): return np.zeros((len(P), 1)), np.full((len(P), 1), 2.)

    def predict(self, P): return np.full((len(P), 1), .5), None


def saved(post):
    """A save that stays below a folder of its own where the path is one."""
    def save(path): return post.save(os.path.join(FOLDER, path) if isinstance(path, str) else path)
    return save


def certified(csv=None, **kwargs):
    """certify_many, whose file stays below a folder of its own where it has a name."""
    return certify_many(csv=os.path.join(FOLDER, csv) if isinstance(csv, str) else csv, **kwargs)


def ranged(csv=None, **kwargs):
    """regression_ranges, whose file stays below a folder of its own where it has a name."""
    return regression_ranges(csv=os.path.join(FOLDER, f"ranges_{csv}") if isinstance(csv, str) else csv, **kwargs)


def trained(**parameters):
    """A classifier that is fitted, so that its parameters are looked at."""
    return CertifiedGPClassifier(**parameters).fit(X, [0, 1, 0])


def calls():
    """Name -> (callable, valid keyword arguments)."""
    Z = np.array([[.1, .2], [.3, .4]])
    box = dict(lower=np.array([.1, .2]), upper=np.array([.2, .3]), tol=.05, max_boxes=50, time_limit=5., n_jobs=1, progress=None, rigorous=True)
    about = dict(x=np.array([.1, .2]), radius=.05, dims=np.array([0, 1]), norm="inf", limits=np.array([-5., 5.]), n_jobs=1, rigorous=True)
    arrays = dict(X=X, alpha=np.array([1., -1., .5]), site_precision=np.array([.3, .3, .2]), lengthscale=np.array([1., 1.5]), variance=2.,
                  likelihood="probit", classes=np.array([0, 1]))
    softmax = dict(X=X, alpha=np.eye(3) - 1/3, prob=np.full((3, 3), 1/3), lengthscale=1.5, variance=4., classes=np.array([0, 1, 2]))
    ball = dict(centre=np.array([0., 0.]), radius=1., p=2)
    posts = {"GPPosterior": POST, "MulticlassPosterior": CLASSES}
    asked = dict(X=Z, dims=np.array([0, 1]), norm="inf", limits=None, max_boxes=50, time_limit=5., n_jobs=None)
    found = {
        "posterior_from_sklearn": (lambda gpc, own_number: posterior_from_sklearn(gpc, own_number), dict(gpc=SKLEARN, own_number=False)),
        "posterior_from_gpflow": (posterior_from_gpflow, dict(model=FLOW, jitter=1e-6, classes=np.array([0, 1]))),
        "posterior_from_gpytorch": (posterior_from_gpytorch, dict(model=TORCH, likelihood=TORCH.own_likelihood, classes=np.array([0, 1]))),
        "posterior_from_gpy": (from_gpy(posterior_from_gpy), dict(model=STANDS, classes=np.array([0, 1]))),
        "CertifiedGPClassifier": (trained, FIXED),
        "CertifiedGPClassifier.fit": (CertifiedGPClassifier(**FIXED).fit, dict(X=X, y=np.array([0, 1, 0]))),
        "CertifiedGPClassifier.predict_proba": (CLASSIFIER.predict_proba, dict(X=Z)),
        "CertifiedGPClassifier.predict": (CLASSIFIER.predict, dict(**asked, radius=.05, progress=None)),
        "CertifiedGPClassifier.certified_radius": (CLASSIFIER.certified_radius, asked),
        "GPPosterior": (GPPosterior, arrays),
        "GPPosterior.gradient": (POST.gradient, dict(X=Z)),
        "MulticlassPosterior": (MulticlassPosterior, softmax),
        "MulticlassPosterior.index_of": (CLASSES.index_of, dict(target=1)),
        "MulticlassPosterior.weights": (CLASSES.weights, dict(r=np.array([1., .5, .2]))),
        "Ball": (Ball, ball),
        "Ball.norm": (Ball(**ball).norm, dict(offset=Z)),
        "Ball.contains": (Ball(**ball).contains, dict(x=Z[0])),
        "fit_gpc": (fit_gpc, dict(X=X, y=np.array([0, 1, 0]), inference="laplace", max_evaluations=0, likelihood="probit", ard=True,
                                  lengthscale=np.array([1., 1.5]), variance=2.)),
        "fit_multiclass_gpc": (fit_multiclass_gpc, dict(X=X, y=np.array([0, 1, 2]), max_evaluations=0, lengthscale=1.5, variance=4.)),
        "classification_range": (classification_range, dict(post=POST, **box, ball=None, target=None)),
        "is_safe": (is_safe, dict(post=POST, **about, max_boxes=50, time_limit=5., starts=Z, progress=None)),
        "robustness": (robustness, dict(post=POST, **about, tol=.05, max_boxes=50, time_limit=5., progress=None)),
        "minimal_perturbation": (minimal_perturbation, dict(post=POST, **{k: v for k, v in about.items() if k != "radius"}, tol=.1, max_radius=1.,
                                                            time_limit=5., max_boxes=50)),
        "certify_many": (certified, dict(post=POST, X=Z, **{k: v for k, v in about.items() if k not in ("x", "n_jobs", "limits")}, n_jobs=None, limits=None,
                                            questions=("range", "verdict"), tol=.05, max_boxes=50, time_limit=5., csv=None, progress=None)),
        "Certified.certified_accuracy": (certify_many(POST, Z, .05).certified_accuracy, dict(y=np.array([0, 1]))),
        "accuracy_curve": (accuracy_curve, dict(post=POST, X=Z, y=np.array([0, 1]), radii=np.array([0., .1]))),
        "certified_radius": (certified_radius, dict(post=POST, X=Z, **{k: v for k, v in about.items() if k not in ("x", "radius", "n_jobs", "limits")},
                                                    limits=None, n_jobs=None, max_boxes=50, time_limit=5.)),
        "gpfgs": (gpfgs, dict(post=POST, **{k: v for k, v in about.items() if k in ("x", "radius", "dims", "limits")})),
        "interpretability": (interpretability, dict(post=POST, x=Z[0], gamma=.1, dims=np.array([0]), tol=.05, limits=np.array([-5., 5.]), target=None,
                                                    max_boxes=50, time_limit=5., rigorous=True, n_jobs=1)),
    }
    shape = dict(variance=1., lengthscales=np.array([1., 2.]), dims=np.array([0, 1]))
    for kind in (SquaredExponential, Matern12, Matern32, Matern52): found[kind.__name__] = (kind, shape)
    found |= {
        "RationalQuadratic": (RationalQuadratic, dict(**shape, alpha=1.)), "Linear": (Linear, dict(variances=np.array([1., 2.]), dims=np.array([0, 1]))),
        "Constant": (Constant, dict(variance=1.)), "White": (White, dict(variance=1.)), "Sum": (Sum, dict(parts=(KERNEL, KERNEL))),
        "Product": (Product, dict(parts=(KERNEL, KERNEL))),
        "KernelPosterior": (KernelPosterior, dict(kernel=KERNEL, Z=X, weights=np.array([1., -1., .5]), matrix=np.eye(3)/4, mean=.1, link="probit", noise=0.,
                                                  clip=.01, classes=np.array([0, 1]))),
        "OneVsRestPosterior": (OneVsRestPosterior, dict(latents=(KERNELS, KERNELS), classes=np.array([0, 1]), error=.01)),
        "OneVsRestPosterior.index_of": (SHARES.index_of, dict(target="a")),
        "regression_range": (regression_range, dict(post=KERNELS, lower=np.array([.1, .2]), upper=np.array([.2, .3]), level=.9, tol=.1, max_boxes=20, time_limit=5.,
                                                    rigorous=True, ball=None)),
    }
    rows = {k: v for k, v in about.items() if k not in ("x", "n_jobs", "limits")}
    found["regression_ranges"] = (ranged, dict(post=KERNELS, X=Z, **rows, n_jobs=None, limits=None, level=.9, tol=.1, max_boxes=20, time_limit=5.,
                                               csv=None, progress=None))
    for name, post in {"KernelPosterior": KERNELS, "OneVsRestPosterior": SHARES}.items():
        found[f"{name}.save"] = (saved(post), dict(path="model"))
        found[f"{name}.load"] = (type(post).load, dict(path=str(post.save(os.path.join(FOLDER, name)))))
    for method in ("latent", "predict_proba", "predict", "predict_labels"): found[f"KernelPosterior.{method}"] = (getattr(KERNELS, method), dict(X=Z))
    for method in ("predict_proba", "predict"): found[f"OneVsRestPosterior.{method}"] = (getattr(SHARES, method), dict(X=Z))
    for name, post in {**posts, "KernelPosterior": KERNELS, "OneVsRestPosterior": SHARES}.items():
        found[f"{name}.named"] = (post.named, dict(speaks_of="one", own_number="other", own_gap=.01))
        found[f"{name}.widen"] = (post.widen, dict(found=classification_range(POST, Z[0], Z[0] + .1)))
        found[f"{name}.predict_labels"] = (post.predict_labels, dict(X=Z))
    for name, post in posts.items():
        for method in ("kernel", "latent", "predict_proba", "predict"): found[f"{name}.{method}"] = (getattr(post, method), dict(X=Z))
        found[f"{name}.save"] = (saved(post), dict(path="model"))
        found[f"{name}.load"] = (type(post).load, dict(path=str(post.save(os.path.join(FOLDER, name)))))
    for kernel in EVERY_KERNEL:
        name = type(kernel).__name__
        found |= {f"{name}.matrix": (kernel.matrix, dict(X=X, Z=Z)), f"{name}.diagonal": (kernel.diagonal, dict(X=X))}
    return found


EMPTY = "no points, no values"
NO_LIMIT = "None is the documented default: no limit"
DEFAULT = "None is the documented default"
LEGAL = {
    **{(f"{type(kernel).__name__}.{method}", argument, kind): why for kernel in EVERY_KERNEL
       for method, argument in (("matrix", "X"), ("matrix", "Z"), ("diagonal", "X"))
       for kind, why in (("empty", "no points, no values"), ("huge", "a point so far away that the kernel vanishes, or grows as a square"))},
    **{(f"{name}.{method}", "X", "empty"): EMPTY for name in ("GPPosterior", "MulticlassPosterior")
       for method in ("kernel", "latent", "predict_proba", "predict")},
    **{(f"{name}.gradient", "X", "empty"): EMPTY for name in ("GPPosterior",)},
    **{(f"{name}.{method}", "X", "huge"): "a point so far away that the kernel vanishes: mean 0, prior variance"
       for name in ("GPPosterior", "MulticlassPosterior") for method in ("kernel", "latent", "predict_proba", "predict")},
    **{(f"{name}.gradient", "X", "huge"): "a point so far away that the gradient vanishes" for name in ("GPPosterior",)},
    ("*", "alpha", "huge"): "large weights are weights",
    ("posterior_from_gpflow", "jitter", "none"): "None is the documented default: GPflow's",
    **{(f"{kind}.named", name, "text"): "any words" for kind in ("GPPosterior", "MulticlassPosterior", "KernelPosterior", "OneVsRestPosterior")
       for name in ("speaks_of", "own_number")},
    **{(f"{kind}.predict_labels", "X", case): EMPTY if case == "empty" else "a point so far away that the kernel vanishes"
       for kind in ("GPPosterior", "MulticlassPosterior", "OneVsRestPosterior") for case in ("empty", "huge")},
    **{(name, argument, "huge"): "a large number is a number" for name in ("SquaredExponential", "Matern12", "Matern32", "Matern52", "RationalQuadratic")
       for argument in ("variance", "lengthscales")},
    **{(name, "variance", "huge"): "a large number is a number" for name in ("Constant", "White")},
    ("Linear", "variances", "huge"): "a large number is a number",
    **{("KernelPosterior", argument, "huge"): "a large number is a number" for argument in ("Z", "weights", "matrix", "mean")},
    **{(f"{name}.{method}", "X", "empty"): EMPTY for name in ("KernelPosterior", "OneVsRestPosterior") for method in ("latent", "predict_proba", "predict", "predict_labels")
       if name == "KernelPosterior" or method in ("predict_proba", "predict")},
    **{(f"{name}.{method}", "X", "huge"): "a point so far away that the kernel vanishes" for name in ("KernelPosterior", "OneVsRestPosterior")
       for method in ("latent", "predict_proba", "predict", "predict_labels") if name == "KernelPosterior" or method in ("predict_proba", "predict")},
    ("regression_range", "upper", "inf"): "infinite ends are allowed",
    ("regression_range", "upper", "huge"): "a half-space, nearly",
    ("regression_range", "ball", "none"): DEFAULT,
    ("regression_ranges", "X", "empty"): "no points, no rows",
    ("regression_ranges", "csv", "text"): "a text is a file name",
    ("regression_ranges", "X", "huge"): "a point so far away that the kernel vanishes",
    **{(name, "site_precision", "huge"): "a site may be as good as certain" for name in ("GPPosterior",)},
    ("*", "lengthscale", "huge"): "a flat direction",
    ("MulticlassPosterior.weights", "r", "huge"): "any kernel vector",
    ("Ball", "centre", "huge"): "a centre far away",
    ("Ball", "radius", "huge"): "a ball that holds everything",
    ("Ball.norm", "offset", "empty"): "no offsets, no norms",
    ("Ball.norm", "offset", "wrong_shape"): "any axes before the last one",
    ("Ball.norm", "offset", "inf"): "an infinite offset has an infinite norm",
    ("Ball.norm", "offset", "huge"): "a huge offset has a huge or infinite norm",
    ("Ball.contains", "x", "huge"): "a point far away, compared in exact arithmetic",
    ("classification_range", "upper", "inf"): "infinite ends are allowed",
    ("classification_range", "upper", "huge"): "a half-space, nearly",
    ("*", "tol", "huge"): "any gap will do",
    ("*", "radius", "huge"): "everything is in the ball",
    ("*", "norm", "inf"): "the maximum norm",
    ("is_safe", "starts", "huge"): "points are moved into the ball before they count",
    ("minimal_perturbation", "max_radius", "huge"): "never give up",
    ("interpretability", "gamma", "huge"): "both half-lines",
    **{(name, "X", "empty"): EMPTY for name in ("certify_many", "certified_radius")},
    **{(name, "X", "huge"): "a point so far away that nothing is known of its class" for name in ("certify_many", "certified_radius")},
    ("accuracy_curve", "X", "huge"): "a point so far away that nothing is known of its class",
    **{("accuracy_curve", "y", kind): "a label that no point has" for kind in ("inf", "huge")},
    ("accuracy_curve", "radii", "huge"): "a radius at which no class is kept",
    ("Certified.certified_accuracy", "y", "inf"): "a label that no point has",
    ("Certified.certified_accuracy", "y", "huge"): "a label that no point has",
    ("certify_many", "csv", "text"): "any text is a file name",
    ("certify_many", "csv", "none"): "None is the documented default: no file",
    ("*", "path", "text"): "any text is a file name",
    ("*", "max_boxes", "none"): NO_LIMIT,
    ("*", "time_limit", "none"): NO_LIMIT,
    ("*", "time_limit", "huge"): "1e308 seconds are a limit",
    ("*", "limits", "none"): "None is the documented default: no limits",
    ("*", "dims", "none"): "None is the documented default: all dimensions",
    ("*", "dims", "empty"): "no dimension may change",
    ("*", "n_jobs", "none"): "None is the documented default: 1",
    ("*", "starts", "none"): DEFAULT,
    ("*", "starts", "empty"): "no points to try first",
    ("*", "progress", "bool"): "True shows a bar",
    ("*", "max_radius", "none"): "None is the documented default: beyond the data",
    ("fit_gpc", "lengthscale", "none"): "None is the documented default: 1",
    ("fit_gpc", "variance", "none"): "None is the documented default: 1",
    **{(f"CertifiedGPClassifier.{method}", "X", "huge"): "a point so far away that nothing is known of its class"
       for method in ("predict_proba", "predict", "certified_radius")},
    **{("CertifiedGPClassifier", name, "none"): "None is the documented default: 1" for name in ("lengthscale", "variance")},
    **{("CertifiedGPClassifier", "reject_label", kind): "text, any number, or None for no answer" for kind in ("none", "text", "nan", "inf", "complex", "huge")},
    ("CertifiedGPClassifier.predict", "radius", "none"): "None is the documented default: an answer everywhere",
    ("MulticlassPosterior", "classes", "none"): "None is the documented default: 0 to C-1",
}
