"""Tests of nbs/gpc/45_gpy_import.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
import warnings
from reject_nb.gpc.gpy_import import in_units
from reject_nb.gpc.gpy_import import posterior_from_gpy
from reject_nb.gpc.imports import Arrays
from reject_nb.gpc.imports import ImportedKernelPosterior
from reject_nb.gpc.imports import probes
from reject_nb.gpc.kernels import Matern52
from reject_nb.gpc.posterior import GPPosterior
from reject_nb.gpc.ranges import classification_range

KERNELS_OF_GPY = {
    "RBF": lambda k: k.RBF(2, 3., [.7, 1.5], ARD=True), "Matern32": lambda k: k.Matern32(2, 2., .8),
    "Matern52": lambda k: k.Matern52(2, 2., [.8, 1.1], ARD=True),
    "Exponential": lambda k: k.Exponential(2, 2., .8), "ExpQuad": lambda k: k.ExpQuad(2, 2., .8),
    "RatQuad": lambda k: k.RatQuad(2, 2., [.8, 1.2], .7, ARD=True),
    "sum": lambda k: k.RBF(2) + k.Linear(2, [.3, .2], ARD=True) + k.Bias(2, .5),
    "product": lambda k: k.RBF(1, 2., .8, active_dims=[0])*k.Matern32(1, 1., 1.2, active_dims=[1]),
    "nested": lambda k: (k.Matern52(2) + k.Bias(2))*k.RBF(2, 1., 2.) + k.Linear(1, .2, active_dims=[1]),
    "white": lambda k: k.Matern52(2) + k.White(2, .2)}

def _data(n=20):
    rng = np.random.default_rng(5)
    X = np.vstack([rng.normal(size=(n, 2)) + [2, 0], rng.normal(size=(n, 2)) + [0, 2]])
    return X, np.repeat([1., 0.], n)[:, None]


def _laplace(kern, X, y, **more):
    import GPy
    from GPy.inference.latent_function_inference import Laplace
    return GPy.core.GP(X, y, kernel=kern, likelihood=GPy.likelihoods.Bernoulli(),
                       inference_method=Laplace(), **more)


def _agrees(post, model, atol=1e-6):
    P = np.vstack([probes(np.asarray(model.X, float)), np.random.default_rng(1).normal(size=(30, 2))])
    mean, var = model._raw_predict(P)
    np.testing.assert_allclose(post.latent(P)[0], mean[:, 0], atol=atol)
    np.testing.assert_allclose(post.latent(P)[1], var[:, 0], atol=atol)
    if getattr(post, "link", "probit") == "probit":
        np.testing.assert_allclose(post.predict_proba(P), model.predict(P)[0][:, 0], atol=atol)


@pytest.mark.parametrize("inference", ["laplace", "ep", "sparse"])
@pytest.mark.parametrize("name", KERNELS_OF_GPY)
def test_every_kernel_and_inference(name, inference):
    import GPy
    X, y = _data(12)
    kern = KERNELS_OF_GPY[name](GPy.kern)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if inference == "laplace": model = _laplace(kern, X, y)
        elif inference == "ep": model = GPy.models.GPClassification(X, y, kernel=kern)
        else: model = GPy.models.SparseGPClassification(X, y, kernel=kern, Z=X[::3].copy())
        post = posterior_from_gpy(model)
    _agrees(post, model)
    fast = inference != "sparse" and name in ("RBF", "ExpQuad")
    assert isinstance(post, GPPosterior if fast else ImportedKernelPosterior)


@pytest.mark.parametrize("name", ["Matern32", "sum", "product"])
def test_ranges_hold_what_gpy_says(name):
    import GPy
    X, y = _data()
    model = _laplace(KERNELS_OF_GPY[name](GPy.kern), X, y)
    post, rng = posterior_from_gpy(model), np.random.default_rng(0)
    for x in (X[0], X[:20].mean(0)):
        found = classification_range(post, x - .2, x + .2, max_boxes=300)
        p = model.predict(x + .2*rng.uniform(-1, 1, (500, 2)))[0][:, 0]
        assert found.min_lower <= p.min() and p.max() <= found.max_upper


def test_a_constant_mean():
    import GPy
    X, y = _data()
    mean = GPy.mappings.Constant(2, 1, .7)
    for normalizer in (None, True):
        model = GPy.models.GPRegression(X, 3*X[:, :1], GPy.kern.Matern52(2), mean_function=mean,
                                        normalizer=normalizer)
        post, P = posterior_from_gpy(model), probes(X)
        found = model.predict(P)
        np.testing.assert_allclose(post.latent(P)[0], found[0][:, 0], atol=1e-6)
        np.testing.assert_allclose(post.latent(P)[1] + post.noise, found[1][:, 0], atol=1e-6)
    with pytest.raises(ValueError, match="mean_function .*Linear"):
        posterior_from_gpy(GPy.models.GPRegression(X, y, GPy.kern.Matern52(2),
                                                   mean_function=GPy.mappings.Linear(2, 1)))


@pytest.mark.parametrize("normalizer", [None, True], ids=["plain", "normalised"])
def test_regression(normalizer):
    import GPy
    X, _ = _data()
    y = 50 + 20*X[:, :1] + np.random.default_rng(0).normal(size=(len(X), 1))
    model = GPy.models.GPRegression(X, y, GPy.kern.Matern32(2) + GPy.kern.Bias(2), normalizer=normalizer,
                                    noise_var=.1)
    post, P = posterior_from_gpy(model), probes(X)
    mean, var = model.predict(P)
    np.testing.assert_allclose(post.latent(P)[0], mean[:, 0], atol=1e-6*np.abs(y).max())
    np.testing.assert_allclose(post.latent(P)[1] + post.noise, var[:, 0], rtol=1e-6)


def test_units_are_those_of_the_targets():
    kern, arrays, mean = in_units(Matern52(2., 1.), Arrays(np.array([3.]), np.array([[.25]])), .5, 10., 2.)
    r = kern.matrix([[.3]], [[0.]])[0, 0]
    plain = Matern52(2., 1.).matrix([[.3]], [[0.]])[0, 0]
    assert mean + r*arrays.weights[0] == pytest.approx(10 + 2*(.5 + 3*plain))
    assert kern.diagonal([[0.]])[0] - r*r*arrays.matrix[0, 0] == pytest.approx(4*(2 - .25*plain**2))


def test_gpy_laplace_agrees_closely():
    import GPy
    X, y = _data()
    model = _laplace(GPy.kern.RBF(2, ARD=True, variance=3., lengthscale=[.7, 1.5]), X, y)
    post = GPPosterior.from_gpy(model)
    Z = np.random.default_rng(5).normal(size=(50, 2))
    mean, var = model._raw_predict(Z)
    np.testing.assert_allclose(post.latent(Z)[0], mean[:, 0], atol=1e-9)
    np.testing.assert_allclose(post.latent(Z)[1], var[:, 0], atol=1e-7)  # GPy's Newton stops at 1e-4


def test_what_is_not_supported_is_named():
    import GPy
    X, y = _data()
    with pytest.raises(ValueError, match="kernel must be built .*StdPeriodic"):
        posterior_from_gpy(GPy.models.GPRegression(X, y, GPy.kern.StdPeriodic(2)))
    with pytest.raises(ValueError, match="likelihood"):
        posterior_from_gpy(GPy.core.GP(X, y + 1, GPy.kern.RBF(2), GPy.likelihoods.Poisson(),
                                       inference_method=GPy.inference.latent_function_inference.Laplace()))
    for bad in (None, 1., "model", GPy.models.GPRegression):
        with pytest.raises(ValueError, match="^model must be"): posterior_from_gpy(bad)
    with pytest.raises(ValueError, match="^model must be"):
        posterior_from_gpy(GPy.models.GPRegression(X, np.hstack([y, y])))


def test_a_changed_kernel_is_refused():
    import GPy
    X, y = _data()
    model = _laplace(GPy.kern.Matern52(2), X, y)
    class Matern52(GPy.kern.Matern32): pass
    model.kern = Matern52(2)                        # another kernel under a borrowed name
    with pytest.raises(ValueError, match="model must be rebuilt"): posterior_from_gpy(model)


def test_gpy_ep_warns_where_it_stopped_early():
    import GPy
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(25, 2)) + [2, 0], rng.normal(size=(25, 2)) + [0, 2]])
    model = GPy.models.GPClassification(X, np.repeat([1., 0.], 25)[:, None],
                                        kernel=GPy.kern.RBF(2, variance=1.))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert posterior_from_gpy(model).n == 50
    model.kern.variance[:] = 30.
    with pytest.warns(UserWarning, match="fixed point"): posterior_from_gpy(model)
