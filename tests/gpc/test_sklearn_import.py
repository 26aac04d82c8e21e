"""Tests of nbs/gpc/33_sklearn_import.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import tempfile
import warnings
from pathlib import Path
from reject_nb.gpc.many import certify_many
from reject_nb.gpc.posterior import GPPosterior
from reject_nb.gpc.queries import is_safe
from reject_nb.gpc.ranges import classification_range
from reject_nb.gpc.sklearn_import import ImportedPosterior
from reject_nb.gpc.sklearn_import import SKLEARN_GAP
from reject_nb.gpc.sklearn_import import binary_from_sklearn
from reject_nb.gpc.sklearn_import import import_error
from scipy.special import erf
from scipy.special import expit
from sklearn.datasets import make_moons
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process._gpc import COEFS as THEIR_COEFS
from sklearn.gaussian_process._gpc import LAMBDAS as THEIR_LAMBDAS
from sklearn.gaussian_process.kernels import ConstantKernel
from sklearn.gaussian_process.kernels import DotProduct
from sklearn.gaussian_process.kernels import Matern
from sklearn.gaussian_process.kernels import RBF
from sklearn.gaussian_process.kernels import RationalQuadratic
from sklearn.gaussian_process.kernels import WhiteKernel

def test_the_gap_is_a_theorem():
    c, lam, half = THEIR_COEFS.ravel(), THEIR_LAMBDAS.ravel(), 2e-5
    most = .5*np.abs(c) @ (4/np.sqrt(np.pi)*lam**2/np.sqrt(2*np.e)) + .1
    f = np.arange(0, 15 + half, 2*half)
    value = .5*erf(np.multiply.outer(f, lam)) @ c + .5*c.sum() - expit(f)
    slope = np.exp(-np.multiply.outer(f, lam)**2) @ (c*lam)/np.sqrt(np.pi) - expit(f)*expit(-f)
    bound = np.max(np.abs(value) + half*np.abs(slope)) + .5*half**2*most + abs(c.sum() - 1)
    rounding = np.abs(c).sum()*2e-15*4                     # erf within 4 ulp, sums of five terms
    assert np.abs(value).max() < bound + rounding <= SKLEARN_GAP < 1.001*np.abs(value).max()
    assert .5*np.abs(c) @ (1 - erf(15*lam)) + abs(c.sum() - 1) + expit(-15.) < 1e-6     # beyond 15


def _moons(kernel, labels=(0, 1), n=60, optimizer=None):
    X, y = make_moons(n, noise=.25, random_state=0)
    gpc = GaussianProcessClassifier(kernel, optimizer=optimizer, random_state=0)
    return gpc.fit(X, np.array(labels)[y])

KERNELS = {
    "default": (None, [0, 1]), "rbf": (RBF(.7), ["a", "b"]), "constant first": (9.*RBF([.5, .8]), [-1, 1]),
    "constant last": (RBF(.6)*ConstantKernel(20.), [True, False]),
    "nested": (2.*(RBF(.9)*ConstantKernel(3.))*5., [7, 3]),
    "two squared exponentials": (3.*RBF(.9)*RBF([.8, 2.]), [0, 1])}

@pytest.mark.parametrize("name", KERNELS)
def test_latent_and_classes_are_those_of_the_model(name):
    kernel, labels = KERNELS[name]
    gpc = _moons(kernel, labels)
    post = binary_from_sklearn(gpc)
    P = np.random.default_rng(1).uniform(-2, 3, (400, 2))
    mean, var = gpc.latent_mean_and_variance(P)
    np.testing.assert_allclose(post.latent(P)[0], mean, atol=1e-9)        # both round sums of 60 terms
    np.testing.assert_allclose(post.latent(P)[1], var, atol=1e-9)
    assert (post.predict_labels(P) == gpc.predict(P)).all() and (post.classes == gpc.classes_).all()
    off = np.abs(post.predict_proba(P) - gpc.predict_proba(P)[:, 1]).max()
    assert 1e-6 < off <= SKLEARN_GAP, off                   # not the same number, and never further away
    assert import_error(post, gpc) < 1e-9


def test_a_fitted_kernel_is_the_one_taken():
    gpc = _moons(1.*RBF(1.), optimizer="fmin_l_bfgs_b")
    post = binary_from_sklearn(gpc)
    assert abs(post.variance - 1) > .1 and post.variance == gpc.kernel_.k1.constant_value


@pytest.mark.parametrize("seed", range(4))
def test_widened_ranges_hold_what_scikit_learn_says(seed):
    rng = np.random.default_rng(seed)
    gpc = _moons(10.**rng.uniform(-1, 4)*RBF(rng.uniform(.3, 1.5)))
    post = binary_from_sklearn(gpc)
    x, half = rng.uniform([-1, -.5], [2, 1]), 10.**rng.uniform(-2, -.3)
    found = classification_range(post, x - half, x + half, tol=.005)
    wide, P = post.widen(found), x + half*rng.uniform(-1, 1, (3000, 2))
    p = gpc.predict_proba(P)[:, 1]
    assert wide.min_lower <= p.min() and p.max() <= wide.max_upper
    assert gpc.predict_proba(found.x_min[None])[0, 1] <= wide.min_upper
    assert gpc.predict_proba(found.x_max[None])[0, 1] >= wide.max_lower
    if is_safe(post, x, half): assert len(set(gpc.predict(P))) == 1
    rows = post.widen(certify_many(post, P[:5], .01))
    assert ((rows.min_lower <= p[:5]) & (p[:5] <= rows.max_upper)).all()


@pytest.mark.parametrize("kernel, word", [
    (2.*Matern(1.), "Matern"), (RBF(1.) + WhiteKernel(.1), "Sum"),
    (RationalQuadratic()*RBF(1.), "RationalQuadratic"),
    (RBF(1.)**2, "Exponentiation"), (1.*DotProduct(), "DotProduct"), (ConstantKernel(2.), "RBF"),
    (1e7*RBF(1.), "variance")], ids=lambda v: v if isinstance(v, str) else "kernel")
def test_other_kernels_are_refused_by_name(kernel, word):
    with pytest.raises(ValueError, match=f"gpc.*{word}"): binary_from_sklearn(_moons(kernel))


def test_a_model_that_is_not_what_it_says_is_refused():
    changed = _moons(4.*RBF(1.))
    changed.base_estimator_.kernel_ = 4.*RBF(1.001)                       # not the kernel of its own factor
    with pytest.raises(ValueError, match="gpc must be rebuilt within 1e-06"): binary_from_sklearn(changed)

    class GaussianProcessClassifierOfMine(GaussianProcessClassifier):
        def predict_proba(self, X): return 1 - super().predict_proba(X)
    mine = GaussianProcessClassifierOfMine(4.*RBF(1.), optimizer=None).fit(*make_moons(40, random_state=0))
    with pytest.raises(ValueError, match="gpc must be rebuilt"): binary_from_sklearn(mine)


def test_a_kernel_under_a_borrowed_name_is_refused():
    class Rougher(RBF):
        def __call__(self, X, Y=None, eval_gradient=False): return super().__call__(X, Y)**.5
    Rougher.__name__ = "RBF"
    X = 30.*np.arange(20)[:, None]                            # so far apart that they do not see each other
    gpc = GaussianProcessClassifier(Rougher(1.), optimizer=None).fit(X, np.arange(20) % 2)
    with pytest.raises(ValueError, match="gpc must be rebuilt"): binary_from_sklearn(gpc)


def test_what_is_no_model_is_refused():
    X, y = make_moons(30, random_state=0)
    three = GaussianProcessClassifier(RBF(1.), optimizer=None).fit(X, np.arange(30) % 3)
    for bad, word in ((three, "3 classes"), (GaussianProcessClassifier(), "not fitted"), (None, "None"),
                      ("gpc", "gpc"), (GaussianProcessClassifier, "fitted")):
        with pytest.raises(ValueError, match=f"gpc must be .*{word}"): binary_from_sklearn(bad)


def test_column_names_do_not_warn():
    pandas = pytest.importorskip("pandas")
    X, y = make_moons(30, random_state=0)
    gpc = GaussianProcessClassifier(RBF(1.), optimizer=None).fit(pandas.DataFrame(X, columns=["a", "b"]), y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert binary_from_sklearn(gpc).d == 2


@pytest.mark.parametrize("labels", [("no", "yes"), (0, 1), (-1., 2.)], ids=["texts", "whole", "numbers"])
def test_a_file_keeps_everything(labels):
    post = binary_from_sklearn(_moons(2.*RBF([.5, .6]), labels))
    with tempfile.TemporaryDirectory() as folder:
        path = post.save(Path(folder)/"model")
        back, plain = ImportedPosterior.load(path), GPPosterior.load(path)
    for name in ("X", "alpha", "site_precision", "lengthscale", "variance", "classes"):
        assert np.array_equal(getattr(back, name), getattr(post, name)), name
    assert back.likelihood == "logistic" and type(plain) is GPPosterior


@pytest.mark.parametrize("classes", [["a"], ["a", "a"], [[0, 1]], None, [1, 2, 3], [0., np.inf]],
                         ids=["one", "same", "rows", "none", "three", "endless"])
def test_bad_classes(classes):
    with pytest.raises(ValueError, match="classes must"):
        ImportedPosterior([[0.]], [1.], [.5], 1., 2., classes=classes)
