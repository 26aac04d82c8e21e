"""Tests of nbs/gpc/43_gpflow_import.ipynb, extracted from its test cells: edit them there."""
import numpy as np
import pytest
from importlib.util import find_spec
from reject_nb.gpc.experiments.library_models import Recorded
from reject_nb.gpc.experiments.library_models import recorded
from reject_nb.gpc.experiments.library_models import stored_model
from reject_nb.gpc.experiments.library_models import stored_names
from reject_nb.gpc.gpflow_import import posterior_from_gpflow
from reject_nb.gpc.imports import probes
from reject_nb.gpc.library_kernels import value_of
from reject_nb.gpc.ranges import classification_range

NAMES = stored_names("gpflow")
HERE = ["gpflow"] if find_spec("gpflow") else []       # without it there is no case, and pytest skips

@pytest.mark.parametrize("name", NAMES)
def test_stored_models_come_out_as_their_library_says(name):
    model = stored_model("gpflow", name)
    post = posterior_from_gpflow(model)
    P = probes(post.Z)
    mean, var = (value_of(v)[:, 0] for v in model.predict_f(P))
    np.testing.assert_allclose(post.latent(P)[0], mean, atol=1e-7*max(1, np.abs(mean).max()))
    np.testing.assert_allclose(post.latent(P)[1], var, atol=1e-7*max(1, var.max()))
    if post.link == "probit":
        np.testing.assert_allclose(post.predict_proba(P), value_of(model.predict_y(P)[0])[:, 0], atol=1e-7)
        assert post.clip == 1e-3 and post.speaks_of == "GPflow's predict_y"


@pytest.mark.parametrize("name", [name for name in NAMES if name != "gpr" and name != "sgpr"])
def test_ranges_hold_what_the_library_says(name):
    model = stored_model("gpflow", name)
    post = posterior_from_gpflow(model)
    P = probes(post.Z)
    p = value_of(model.predict_y(P)[0])[:, 0] if post.link == "probit" else post.predict_proba(P)
    for k in (0, 45):
        inside = np.abs(P - P[k]).max(1) <= .3
        found = classification_range(post, P[k] - .3, P[k] + .3, tol=.05, max_boxes=300)
        assert found.min_lower - 1e-7 <= p[inside].min() and p[inside].max() <= found.max_upper + 1e-7

VARIANCE = value_of(stored_model("gpflow", "svgp").kernel.variance)

def _changed(**parts):
    model = stored_model("gpflow", "svgp")
    for path, value in parts.items():
        thing, (*way, last) = model, path.split("__")
        for step in way: thing = getattr(thing, step)
        setattr(thing, last, value)
    return model


def test_a_wrong_jitter_is_refused():
    with pytest.raises(ValueError, match="model must be rebuilt within 1e-06 .*jitter 0.0001"):
        posterior_from_gpflow(stored_model("gpflow", "svgp"), jitter=1e-4)
    with pytest.raises(ValueError, match="jitter"):
        posterior_from_gpflow(stored_model("gpflow", "svgp"), jitter=-1.)


@pytest.mark.parametrize("change, word", [
    (dict(whiten=False), "rebuilt"), (dict(kernel__variance=1.001*VARIANCE), "rebuilt"),
    (dict(num_latent_gps=3), "one latent function"),
    (dict(kernel=recorded("Periodic", {})), "kernel must be built .*Periodic"),
    (dict(mean_function=recorded("Linear", {"c": 1.})), "mean_function"),
    (dict(likelihood=recorded("Poisson", {})), "likelihood .*Poisson"),
    (dict(inducing_variable=recorded("Multiscale", {})), "inducing_variable")],
    ids=lambda v: v if isinstance(v, str) else "model")
def test_what_is_not_supported_is_named(change, word):
    with pytest.raises(ValueError, match=word): posterior_from_gpflow(_changed(**change))


@pytest.mark.parametrize("bad", [None, 1., "model", object(), Recorded],
                         ids=["none", "number", "text", "object", "class"])
def test_what_is_no_model_is_refused(bad):
    with pytest.raises(ValueError, match="^model must be"): posterior_from_gpflow(bad)


def test_classes_keep_their_names():
    post = posterior_from_gpflow(stored_model("gpflow", "svgp"), classes=["no", "yes"])
    assert set(post.predict_labels(post.Z)) <= {"no", "yes"}


@pytest.mark.parametrize("library", HERE)
def test_with_the_library_itself(library):
    from reject_nb.gpc.experiments.library_models import fitted
    for name, model in fitted(library, seed=1).items():
        post = posterior_from_gpflow(model)
        P = np.random.default_rng(2).normal(size=(300, post.d))
        np.testing.assert_allclose(post.latent(P)[0], value_of(model.predict_f(P)[0])[:, 0], atol=1e-5,
                                   err_msg=name)
