"""Tests of nbs/gpc/44_gpytorch_import.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from importlib.util import find_spec
from reject_nb.gpc.experiments.library_models import recorded
from reject_nb.gpc.experiments.library_models import stored_model
from reject_nb.gpc.experiments.library_models import stored_names
from reject_nb.gpc.gpytorch_import import posterior_from_gpytorch
from reject_nb.gpc.imports import probes
from reject_nb.gpc.library_kernels import value_of
from reject_nb.gpc.ranges import classification_range

NAMES = stored_names("gpytorch")
HERE = ["gpytorch"] if find_spec("gpytorch") else []   # without it there is no case, and pytest skips

def _both(name):
    model = stored_model("gpytorch", name)
    return model, model.own_likelihood


@pytest.mark.parametrize("name", NAMES)
def test_stored_models_come_out_as_their_library_says(name):
    model, likelihood = _both(name)
    post = posterior_from_gpytorch(model, likelihood)
    P = probes(post.Z)
    found = model(P)
    np.testing.assert_allclose(post.latent(P)[0], found.mean, atol=1e-7*max(1, np.abs(found.mean).max()))
    np.testing.assert_allclose(post.latent(P)[1], found.variance, atol=2e-7*max(1, found.variance.max()))
    if post.link: np.testing.assert_allclose(post.predict_proba(P), likelihood(found).mean, atol=1e-7)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "regression"])
def test_ranges_hold_what_the_library_says(name):
    model, likelihood = _both(name)
    post = posterior_from_gpytorch(model, likelihood)
    P = probes(post.Z)
    p = likelihood(model(P)).mean
    for k in (1, 40):
        inside = np.abs(P - P[k]).max(1) <= .3
        found = classification_range(post, P[k] - .3, P[k] + .3, tol=.05, max_boxes=300)
        assert found.min_lower - 1e-7 <= p[inside].min() and p[inside].max() <= found.max_upper + 1e-7


def _changed(likelihood=None, **parts):
    model, own = _both("svgp")
    for path, value in parts.items():
        thing, (*way, last) = model, path.split("__")
        for step in way: thing = getattr(thing, step)
        setattr(thing, last, value)
    return model, own if likelihood is None else likelihood


@pytest.mark.parametrize("word, change", [
    ("rebuilt", dict(variational_strategy__jitter_val=1e-4)),
    ("rebuilt", dict(mean_module__constant=np.array(.5))),
    ("kernel must be built .*PeriodicKernel", dict(covar_module=recorded("PeriodicKernel", {}))),
    ("nu", dict(covar_module=recorded("MaternKernel", {"nu": 3.5}))),
    ("mean_module", dict(mean_module=recorded("LinearMean", {}))),
    ("strategy", dict(variational_strategy=recorded("LMCVariationalStrategy", {}))),
    ("Gaussian", dict(variational_strategy__variational_distribution=recorded("Delta", {}))),
    ("one latent function", dict(variational_strategy__variational_distribution__mean=np.ones((2, 10)))),
    ("likelihood", dict(likelihood=recorded("SoftmaxLikelihood", {})))],
    ids=lambda v: v if isinstance(v, str) else "model")
def test_what_is_not_supported_is_named(word, change):
    with pytest.raises(ValueError, match=word): posterior_from_gpytorch(*_changed(**change))


@pytest.mark.parametrize("bad", [None, 1., "model", object()], ids=["none", "number", "text", "object"])
def test_what_is_no_model_is_refused(bad):
    model, likelihood = _both("svgp")
    with pytest.raises(ValueError, match="^model must be"): posterior_from_gpytorch(bad, likelihood)
    with pytest.raises(ValueError, match="^likelihood must be"): posterior_from_gpytorch(model, bad)


def test_training_mode_comes_back():
    model, likelihood = _both("svgp")
    calls = []
    for part, kind in ((model, type(model)), (likelihood, type(likelihood))):
        part.training = True
        kind.eval = lambda self: calls.append("eval")
        kind.train = lambda self: calls.append("train")
    posterior_from_gpytorch(model, likelihood)
    assert calls == ["eval", "eval", "train", "train"]


@pytest.mark.parametrize("library", HERE)
def test_with_the_library_itself(library):
    from reject_nb.gpc.experiments.library_models import fitted
    for name, model in fitted(library, seed=1).items():
        post = posterior_from_gpytorch(model, model.own_likelihood)
        P = np.random.default_rng(2).normal(size=(300, post.d))
        points = getattr(model, "variational_strategy", None)
        points = model.train_inputs[0] if points is None else points.inducing_points
        found = model(points.detach().new_tensor(P))
        np.testing.assert_allclose(post.latent(P)[0], value_of(found.mean), atol=1e-5, err_msg=name)


@pytest.mark.parametrize("library", HERE)
def test_single_precision_is_refused_with_a_remedy(library):
    from reject_nb.gpc.experiments.library_models import fitted
    model = fitted(library, seed=1)["values"].float()
    with pytest.raises(ValueError, match="single precision"):
        posterior_from_gpytorch(model, model.own_likelihood.float())


@pytest.mark.parametrize("kind", ["LMCVariationalStrategy", "CiqVariationalStrategy"])
def test_another_strategy_with_all_its_parts_is_named(kind):
    "It has inducing points and a Gaussian law, but weights that mean something else."
    model, likelihood = _both("svgp")
    has = dict(vars(model.variational_strategy))
    with pytest.raises(ValueError, match="model's variational_strategy must be VariationalStrategy or Unwh"):
        posterior_from_gpytorch(*_changed(variational_strategy=recorded(kind, has)))
