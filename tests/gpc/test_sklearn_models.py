"""Tests of nbs/gpc/46_sklearn_models.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from reject_nb.gpc.imports import ImportedKernelPosterior
from reject_nb.gpc.kernel_posterior import OneVsRestPosterior
from reject_nb.gpc.ranges import classification_range
from reject_nb.gpc.sklearn_import import ImportedPosterior
from reject_nb.gpc.sklearn_import import SKLEARN_GAP
from reject_nb.gpc.sklearn_models import posterior_from_sklearn
from sklearn.datasets import make_moons
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel
from sklearn.gaussian_process.kernels import DotProduct
from sklearn.gaussian_process.kernels import ExpSineSquared
from sklearn.gaussian_process.kernels import Matern
from sklearn.gaussian_process.kernels import RBF
from sklearn.gaussian_process.kernels import RationalQuadratic
from sklearn.gaussian_process.kernels import WhiteKernel

THEIRS = {
    "Matern 1/2": 2.*Matern(.9, nu=.5), "Matern 3/2": Matern([.9, 1.4], nu=1.5),
    "Matern 5/2": 5.*Matern(1.2, nu=2.5),
    "rational quadratic": RationalQuadratic(.8, .6)*2., "dot product": DotProduct(.5) + RBF(.7),
    "flat lines": DotProduct(0., "fixed")*.3,
    "noise": RBF(.8) + WhiteKernel(.1), "power": (.5*DotProduct(1.))**2 + Matern(1., nu=2.5),
    "nested": (RBF(.7) + 2.)*(Matern(1.5, nu=1.5) + .5*DotProduct(1.)),
    "noise times constant": Matern(1.)*3. + 2.*WhiteKernel(.05),
    "noise inside a product": RBF(.8)*(WhiteKernel(.3) + 1.)}

def _data(n=40, classes=2, seed=0):
    if classes == 2: return make_moons(n, noise=.25, random_state=seed)
    rng, y = np.random.default_rng(seed), np.arange(n) % classes
    return np.column_stack([np.cos(2*y), np.sin(2*y)]) + .5*rng.normal(size=(n, 2)), y


@pytest.mark.parametrize("name", THEIRS)
def test_two_classes_with_any_kernel(name):
    gpc = GaussianProcessClassifier(THEIRS[name], optimizer=None).fit(*_data())
    post, P = posterior_from_sklearn(gpc), np.random.default_rng(1).uniform(-2, 3, (300, 2))
    mean, var = gpc.latent_mean_and_variance(P)
    np.testing.assert_allclose(post.latent(P)[0], mean, atol=1e-8*max(1, np.abs(mean).max()))
    np.testing.assert_allclose(post.latent(P)[1], var, atol=1e-8*max(1, var.max()))
    assert isinstance(post,
                      ImportedKernelPosterior) and post.link == "logistic" and post.own_gap == SKLEARN_GAP
    assert (post.predict_labels(P) == gpc.predict(P)).mean() == 1
    assert np.abs(post.predict_proba(P) - gpc.predict_proba(P)[:, 1]).max() <= SKLEARN_GAP


def test_one_squared_exponential_stays_fast():
    for kernel in (2.*RBF(.7), Matern(.7, nu=np.inf)*3.):
        gpc = GaussianProcessClassifier(kernel, optimizer=None).fit(*_data())
        assert isinstance(posterior_from_sklearn(gpc), ImportedPosterior)


@pytest.mark.parametrize("name", ["Matern 3/2", "dot product", "noise", "nested"])
def test_widened_ranges_hold_what_scikit_learn_says(name):
    gpc = GaussianProcessClassifier(THEIRS[name], optimizer=None).fit(*_data())
    post, rng = posterior_from_sklearn(gpc), np.random.default_rng(2)
    for half in (.03, .3):
        x = rng.uniform([-1, -.5], [2, 1])
        wide = post.widen(classification_range(post, x - half, x + half, tol=.02, max_boxes=400))
        p = gpc.predict_proba(x + half*rng.uniform(-1, 1, (2000, 2)))[:, 1]
        assert wide.min_lower <= p.min() and p.max() <= wide.max_upper and "predict_proba" in wide.speaks_of

LEAVES = (lambda r: RBF(r.uniform(.4, 2)), lambda r: Matern(r.uniform(.4, 2, 2), nu=r.choice([.5, 1.5, 2.5])),
          lambda r: RationalQuadratic(r.uniform(.5, 2), r.uniform(.3, 3)),
          lambda r: DotProduct(r.uniform(0, 2)),
          lambda r: ConstantKernel(r.uniform(.2, 3)), lambda r: WhiteKernel(r.uniform(.01, .3)))

def _composed(rng, depth):
    "A random kernel; white noise stays out of products, which would make it depend on the place."
    if not depth: return LEAVES[rng.integers(len(LEAVES))](rng)
    plus = rng.random() < .6
    leaves = [_composed(rng, rng.integers(depth)) for _ in range(2)]
    if not plus and any("White" in str(leaf) for leaf in leaves): plus = True
    return leaves[0] + leaves[1] if plus else leaves[0]*leaves[1]


@pytest.mark.parametrize("seed", range(12))
def test_fuzz_random_kernels(seed):
    rng = np.random.default_rng(seed)
    kernel = _composed(rng, 3)
    gpc = GaussianProcessClassifier(RBF(1.)*.5 + kernel, optimizer=None).fit(*_data(30, seed=seed))
    post = posterior_from_sklearn(gpc)
    x, half = rng.uniform([-1, -.5], [2, 1]), 10.**rng.uniform(-2, -.7)
    found = classification_range(post, x - half, x + half, tol=.05, max_boxes=200)
    P = x + half*rng.uniform(-1, 1, (1500, 2))
    P[:4] = x + half*np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    p, own = post.predict_proba(P), gpc.predict_proba(P)[:, 1]
    assert found.min_lower <= p.min() and p.max() <= found.max_upper
    wide = post.widen(found)
    assert wide.min_lower <= own.min() and own.max() <= wide.max_upper
    assert post.predict_proba(found.x_min[None])[0] <= found.min_upper + 1e-9
    assert post.predict_proba(found.x_max[None])[0] >= found.max_lower - 1e-9


@pytest.mark.parametrize("kernel", [2.*RBF(.8), Matern(1., nu=2.5)], ids=["se", "matern"])
def test_several_classes(kernel):
    X, y = _data(45, 3)
    gpc = GaussianProcessClassifier(kernel, optimizer=None).fit(X, np.array(["u", "v", "w"])[y])
    post, P = posterior_from_sklearn(gpc), np.random.default_rng(0).uniform(-2, 2, (400, 2))
    assert isinstance(post, OneVsRestPosterior) and post.error == 0
    assert post.classes.tolist() == ["u", "v", "w"]
    assert np.abs(post.predict_proba(P) - gpc.predict_proba(P)).max() < 3e-3
    assert (post.predict(P) == gpc.predict(P)).mean() > .99      # near ties its numbers decide otherwise
    own = posterior_from_sklearn(gpc, own_number=True)
    assert own.error == SKLEARN_GAP
    found = classification_range(own, [-.1, -.1], [.1, .1], target="v", tol=.05, max_boxes=300)
    p = gpc.predict_proba(np.random.default_rng(1).uniform(-.1, .1, (2000, 2)))[:, 1]
    assert found.min_lower <= p.min() and p.max() <= found.max_upper


@pytest.mark.parametrize("normalize", [False, True])
def test_regression(normalize):
    X, _ = _data()
    y = 30 + 5*np.sin(2*X[:, 0]) + X[:, 1]
    gpr = GaussianProcessRegressor(2.*Matern(.8, nu=1.5) + WhiteKernel(.1), normalize_y=normalize,
                                   optimizer=None).fit(X, y)
    post, P = posterior_from_sklearn(gpr), np.random.default_rng(1).uniform(-2, 3, (200, 2))
    mean, sd = gpr.predict(P, return_std=True)
    np.testing.assert_allclose(post.latent(P)[0], mean, atol=1e-6)
    np.testing.assert_allclose(post.latent(P)[1], sd**2, atol=1e-6)
    assert post.link is None and "predict" in post.speaks_of


@pytest.mark.parametrize("kernel, word", [(Matern(1., nu=.7), "nu"), (ExpSineSquared(), "ExpSineSquared"),
                                          (RBF(1.)**.5, "Exponentiation"),
                                          (1e7*Matern(1.), "certified")],
                                          ids=lambda v: v if isinstance(v, str) else "kernel")
def test_other_kernels_are_refused_by_name(kernel, word):
    with pytest.raises(ValueError, match=word):
        posterior_from_sklearn(GaussianProcessClassifier(kernel, optimizer=None).fit(*_data()))


def test_what_is_not_supported_is_named():
    X, y = _data(30, 3)
    pairs = GaussianProcessClassifier(RBF(1.), optimizer=None, multi_class="one_vs_one").fit(X, y)
    two = GaussianProcessRegressor(RBF(1.), optimizer=None).fit(X, np.column_stack([y, y]))
    for bad, word in ((pairs, "one_vs_one"), (two, "2 targets"),
                      (GaussianProcessClassifier(), "not fitted"), (None, "None"), ("gpc", "gpc"),
                      (GaussianProcessClassifier, "fitted")):
        with pytest.raises(ValueError, match=f"gpc must be .*{word}"): posterior_from_sklearn(bad)
    with pytest.raises(ValueError, match="own_number"):
        posterior_from_sklearn(GaussianProcessClassifier(RBF(1.)).fit(*_data()), own_number=True)


def test_a_kernel_under_a_borrowed_name_is_refused():
    class Rougher(Matern):
        def __call__(self, X, Y=None, eval_gradient=False): return super().__call__(X, Y)**.5
    Rougher.__name__ = "Matern"
    for kind, (X, y) in ((GaussianProcessClassifier, _data()), (GaussianProcessClassifier, _data(30, 3)),
                         (GaussianProcessRegressor, _data())):
        model = kind(Rougher(1.), optimizer=None).fit(X, y)
        with pytest.raises(ValueError,
                           match="gpc must be rebuilt within 1e-06"): posterior_from_sklearn(model)
